// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions of the hottest functions with what was counted at each, and tables that perf made.

/** @param {Grid} grid @param {State} s @param {(change: Partial<State>) => void} go */
function gridTable(grid, s, go) {
	const names = grid.heads.map((_, i) => `c${i}`);
	const value = (/** @type {string} */ text, /** @type {number} */ right) => {
		const n = parseFloat(text);
		return right ? (Number.isNaN(n) ? -1 : n) : text;
	};
	return table({
		caption: grid.left_out ? `${grouped(grid.rows.length)} rows, ${grouped(grid.left_out)} smaller ones are left out` : `${grouped(grid.rows.length)} rows`,
		columns: grid.heads.map((title, i) => ({ name: names[i], title, number: !!grid.right[i] })),
		rows: grid.rows.map((cells) => ({ cells: cells.map(short), keys: cells.map((c, i) => value(c, grid.right[i])) })),
		sort: names.includes(s.sort.replace(/^-/, '')) ? s.sort : '',
		onSort: (sort) => go({ sort }),
	});
}

/** @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go @returns {HTMLElement} */
function codeView(model, s, go) {
	const list = model.data.code || [], box = el('div', { class: 'view' });
	const pick = el('select', { id: 'function', 'aria-label': 'Function' });
	list.forEach((c) => pick.append(el('option', { value: String(c.frame) }, short(model.names[c.frame]))));
	const at = list.find((c) => c.frame === s.function) || list[0];
	if (!at)
		return box;
	pick.value = String(at.frame);
	pick.addEventListener('change', () => go({ function: Number(pick.value) }));
	box.append(el('p', { class: 'bar' }, el('label', { for: 'function' }, 'Function: '), pick));
	box.append(el('p', { class: 'note' }, at.missing || `${at.file}; counts are of all samples, whatever is chosen above`));
	if (at.notes.length)
		box.append(el('ul', {}, ...at.notes.map((n) => el('li', {}, n))));
	const body = el('tbody');
	at.lines.forEach((l, i) => {
		const share = l.percent ? `${l.percent.toFixed(2)} %` : '';
		const tr = el('tr', { id: `line-${i}`, class: ['insn', 'source', 'label'][l.kind] });
		const text = el('td', { class: 'code' }, l.text);
		if (l.target !== undefined)
			text.append(' ', button('→', () => byId(`line-${l.target}`).scrollIntoView({ block: 'center' }),
				{ class: 'link', 'aria-label': 'go to where it jumps', title: 'go to where it jumps' }));
		text.style.paddingLeft = `${(l.depth || 0) * 12 + 4}px`;
		const cell = el('td', { class: 'number' }, share);
		if (l.percent)
			cell.style.background = `color-mix(in srgb, var(--heat) ${Math.min(90, Math.round(l.percent * 3))}%, transparent)`;
		tr.append(cell, el('td', { class: 'number' }, l.address || ''), text, el('td', {}, l.line && l.kind === 0 ? String(l.line) : ''));
		body.append(tr);
	});
	box.append(el('div', { class: 'scroll' }, el('table', { class: 'listing' }, el('caption', {}, short(model.names[at.frame])),
		el('thead', {}, el('tr', {}, ...['Share', 'Address', 'Code', 'Line'].map((h) => el('th', { scope: 'col' }, h)))), body)));
	return box;
}
