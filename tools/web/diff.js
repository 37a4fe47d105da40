// SPDX-License-Identifier: GPL-2.0-or-later
// What perf diff says of any number of recordings: the data's `diff` is what perf diff --json prints
// (contrib/schema/perf-diff.schema.json), shown as tables. A change that may be chance is soft.

/**
 * @typedef {{share: number, delta?: number, noise?: number, significant?: boolean, mean?: number}} DiffSide
 * @typedef {Record<string, unknown> & {files: DiffSide[], depth?: number, function?: string}} DiffLine
 * @typedef {{event: string, files: {name: string, samples?: number, cycles?: number}[],
 *   rows?: DiffLine[], tree?: DiffLine[], blocks?: DiffLine[]}} DiffTable
 * @typedef {{version: number, events: DiffTable[]}} Diff
 */

/** Lines of the tree that are folded. @type {Set<DiffLine>} */
const foldedLines = new Set();

/** @param {DiffTable} t */
function diffKind(t) {
	return t.tree ? 'call tree' : t.blocks ? 'cycles of blocks' : 'rows';
}

/** @param {DiffTable} t @returns {DiffLine[]} */
function diffLines(t) {
	return t.tree || t.blocks || t.rows || [];
}

/** @param {number|undefined} v @param {number} digits */
function signed(v, digits) {
	if (v === undefined)
		return '-';
	const text = Math.abs(v).toFixed(digits);
	return Number(text) === 0 ? text : (v > 0 ? '+' : '−') + text;
}

/** A line is left when itself or, in a tree, what it calls is. @param {DiffLine[]} lines @param {(l: DiffLine) => boolean} wanted */
function keptLines(lines, wanted) {
	const kept = new Set();
	let caller = 0;
	for (let i = lines.length - 1; i >= 0; i--) {
		const l = lines[i], depth = l.depth || 0;
		if (!(caller && depth === caller) && !wanted(l))
			continue;
		kept.add(l);
		caller = depth ? depth - 1 : 0;
	}
	return kept;
}

/** What folded lines call is not shown. @param {DiffLine[]} lines */
function unfolded(lines) {
	let hidden = Infinity;
	return lines.filter((l) => {
		const depth = l.depth || 0;
		if (depth > hidden)
			return false;
		hidden = foldedLines.has(l) ? depth : Infinity;
		return true;
	});
}

/** @param {DiffTable} t @param {DiffLine} l */
function diffText(t, l) {
	return (t.tree ? [l.function] : Object.entries(l).filter(([name]) => name !== 'files').map(([, v]) => v)).join(' ');
}

/** @typedef {Column & {get: (l: DiffLine) => [string|Node, string|number]}} DiffColumn */

/** Numbers of a file: of the first how much, of the others how much that changed.
 * @param {DiffTable} t @param {number} i @returns {DiffColumn[]} */
function diffColumns(t, i) {
	const nr = t.files.length > 2 && i ? ` [${i}]` : '', file = short(t.files[i].name);
	/** @param {string} name @param {string} title @param {string} hint @param {(f: DiffSide) => [string|Node, number]} get @returns {DiffColumn} */
	const column = (name, title, hint, get) => ({ name: `diff.${name}${i}`, title: title + nr, number: true, hint, get: (l) => get(l.files[i]) });
	const share = column('share', 'Baseline', `share of ${t.blocks ? 'cycles in ' : ''}${file}`, (f) => [barCell(`${f.share.toFixed(2)} %`, f.share, 100), f.share]);
	if (t.blocks) {
		const mean = column('mean', 'Cycles', `of a run through the block in ${file}`, (f) => [f.mean === undefined ? '-' : f.mean.toFixed(1), f.mean || 0]);
		return i ? [mean, column('delta', 'Change', 'cycles more or less than in the baseline', (f) => [signed(f.delta, 1), f.delta || 0])] : [share, mean];
	}
	return [i ? column('delta', 'Change', `points of a hundred in ${file}`, (f) => [f.significant ? signed(f.delta, 2)
		: el('span', { class: 'chance', title: `may be chance, which makes ${(f.noise || 0).toFixed(2)} of it` }, signed(f.delta, 2)), f.delta || 0]) : share];
}

/** What a line is called, in one cell or several. @param {DiffTable} t @param {() => void} again
 * @returns {DiffColumn[]} */
function diffNames(t, again) {
	const lines = diffLines(t);
	if (!t.tree)
		return Object.keys(lines[0] || {}).filter((name) => name !== 'files').map((name) => ({ name: `diff.${name}`, title: name[0].toUpperCase() + name.slice(1),
			get: (l) => [short(String(l[name])), String(l[name])] }));
	const calls = new Set(lines.filter((l, i) => lines[i + 1] && (lines[i + 1].depth || 0) > (l.depth || 0)));
	return [{ name: 'diff.function', title: 'Call tree', get: (l) => {
		const cell = el('span', {}, calls.has(l) ? button(foldedLines.has(l) ? '▸' : '▾', () => {
			foldedLines[foldedLines.has(l) ? 'delete' : 'add'](l);
			again();
		}, { class: 'link', 'aria-label': foldedLines.has(l) ? 'unfold' : 'fold', 'aria-expanded': String(!foldedLines.has(l)) }) : '', ` ${short(l.function || '')}`);
		cell.style.paddingLeft = `${((l.depth || 1) - 1) * 1.2}em`;
		return [cell, l.function || ''];
	} }];
}

/**
 * @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go
 * @returns {HTMLElement}
 */
function diffView(model, s, go) {
	const box = el('div', { class: 'view' }), diff = model.data.diff;
	if (!diff || !diff.events.length)
		return box;
	const t = diff.events[Math.min(s.compared, diff.events.length - 1)], low = s.filter.toLowerCase();
	const pick = el('select', { id: 'compared' }, ...diff.events.map((e, i) => el('option', { value: String(i) }, short(`${e.event}: ${diffKind(e)}`))));
	pick.value = String(diff.events.indexOf(t));
	pick.addEventListener('change', () => go({ compared: Number(pick.value) }));
	const filter = el('input', { type: 'search', id: 'filter' });
	filter.value = s.filter;
	filter.addEventListener('change', () => go({ filter: filter.value }));
	const only = el('input', { type: 'checkbox', id: 'significant' });
	only.checked = s.significant;
	only.addEventListener('change', () => go({ significant: only.checked }));
	box.append(el('div', { class: 'bar' }, el('label', { for: 'compared' }, 'Compared '), pick, el('label', { for: 'filter' }, 'Only with '), filter,
		...(t.blocks ? [] : [el('label', {}, only, ' without what may be chance')])),
	el('ol', { start: '0', id: 'sides' }, ...t.files.map((f, i) => el('li', {}, short(f.name), i ? '' : ' (baseline)',
		` · ${f.samples === undefined ? `${grouped(f.cycles || 0)} cycles in blocks` : counted(f.samples, 'sample')}`))),
	el('p', { class: 'note' }, 'As perf diff has it: of all samples that its options chose, whatever is chosen above for the other views.'));
	const place = el('div');
	const again = () => {
		const lines = diffLines(t), kept = keptLines(lines, (l) => (!low || diffText(t, l).toLowerCase().includes(low)) &&
			(!s.significant || !!t.blocks || l.files.some((f) => f.significant)));
		const shown = unfolded(lines).filter((l) => kept.has(l)), columns = [...t.files.flatMap((_, i) => diffColumns(t, i)), ...diffNames(t, again)];
		place.replaceChildren(table({ caption: counted(shown.length, 'line'), columns, sort: s.sort, onSort: (sort) => go({ sort }),
			rows: shown.map((l) => {
				const got = columns.map((c) => c.get(l));
				return { cells: got.map((g) => g[0]), keys: got.map((g) => g[1]) };
			}) }));
	};
	again();
	box.append(place);
	return box;
}
