// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions of the hottest functions with what was counted at each, and tables that perf made.

/** @param {Grid} grid @param {State} s @param {(change: Partial<State>) => void} go */
function gridTable(grid, s, go) {
	/* Several tables in a view are sorted each on its own. */
	const names = grid.heads.map((_, i) => `${grid.title.replace(/\W/g, '')}.${i}`);
	const value = (/** @type {string} */ text, /** @type {number} */ right) => {
		const n = parseFloat(text);
		return right ? (Number.isNaN(n) ? -1 : n) : text;
	};
	const low = s.filter.toLowerCase();
	const rows = grid.rows.filter((r) => !low || r.some((c) => c.toLowerCase().includes(low)));
	return table({
		caption: grid.left_out ? `${grouped(rows.length)} rows, ${grouped(grid.left_out)} smaller ones are left out` : `${grouped(rows.length)} rows`,
		columns: grid.heads.map((title, i) => ({ name: names[i], title, number: !!grid.right[i] })),
		rows: rows.map((cells) => ({ cells: cells.map(short), keys: cells.map((c, i) => value(c, grid.right[i])) })),
		sort: names.includes(s.sort.replace(/^-/, '')) ? s.sort : '',
		onSort: (sort) => go({ sort }),
		step: 50,
	});
}

/**
 * What was counted at each line: of the chosen event, and by branch stacks.
 * @typedef {{hits: number, period: number, executions: number, taken: number, mispred: number,
 *   flagged: number, insns: number, cycles: number}} Counted
 * @param {Code} c @param {number} event @returns {{lines: Map<number, Counted>, all: Counted}}
 */
function countsOf(c, event) {
	const none = () => ({ hits: 0, period: 0, executions: 0, taken: 0, mispred: 0, flagged: 0, insns: 0, cycles: 0 });
	/** @type {Map<number, Counted>} */
	const lines = new Map();
	const all = none();
	const at = (/** @type {number} */ line) => {
		let n = lines.get(line);
		if (!n)
			lines.set(line, n = none());
		return n;
	};
	const counts = c.counts || [], flow = c.flow || [];
	for (let i = 0; i < counts.length; i += 4) {
		if (counts[i + 1] !== event)
			continue;
		const n = at(counts[i]);
		n.hits = counts[i + 2];
		n.period = counts[i + 3];
		all.hits += n.hits;
		all.period += n.period;
	}
	for (let i = 0; i < flow.length; i += 7) {
		const n = at(flow[i]);
		[n.executions, n.taken, n.mispred, n.flagged, n.insns, n.cycles] = flow.slice(i + 1, i + 7);
		all.executions = Math.max(all.executions, n.executions);
	}
	return { lines, all };
}

const LINE = 19, LANES = 10;

/**
 * Jumps inside the function as arrows: each in the innermost lane that is free from where it begins to where
 * it ends, short ones first; those that find none are told by their button alone.
 * @param {number[]} targets @returns {SVGSVGElement}
 */
function arrows(targets) {
	const space = 'http://www.w3.org/2000/svg';
	const svg = document.createElementNS(space, 'svg');
	svg.setAttribute('class', 'arrows');
	svg.setAttribute('width', String(LANES * 6 + 10));
	svg.setAttribute('height', String(targets.length * LINE));
	svg.setAttribute('aria-hidden', 'true');
	const jumps = targets.map((t, i) => ({ from: i, to: t - 1, low: Math.min(i, t - 1), high: Math.max(i, t - 1) }))
		.filter((j) => j.to >= 0).sort((a, b) => a.high - a.low - (b.high - b.low));
	/** @type {[number, number][][]} */
	const lanes = Array.from({ length: LANES }, () => []);
	for (const j of jumps.slice(0, 3000)) {
		const lane = lanes.findIndex((l) => l.every(([low, high]) => j.high < low || j.low > high));
		if (lane < 0)
			continue;
		lanes[lane].push([j.low, j.high]);
		const right = LANES * 6 + 6, x = right - 6 - lane * 6, y0 = (j.from + 0.5) * LINE, y1 = (j.to + 0.5) * LINE;
		const path = document.createElementNS(space, 'path');
		path.setAttribute('d', `M${right} ${y0}H${x}V${y1}H${right}m-4 -3l4 3l-4 3`);
		path.setAttribute('class', j.to < j.from ? 'back' : 'on');
		svg.append(path);
	}
	return svg;
}

/** @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go @param {Code} c @returns {HTMLElement} */
function listing(model, s, go, c) {
	const { lines, all } = countsOf(c, s.event), base = BigInt(c.base || 0);
	const text = c.text || [], kind = c.kind || [], offset = c.offset || [], line = c.line || [];
	const target = c.target || [], callee = c.callee || [], depth = c.depth || [];
	const flow = !!(c.flow && c.flow.length);
	const have = new Set((model.data.code || []).map((x) => x.frame));
	const body = el('tbody');
	text.forEach((t, i) => {
		const n = lines.get(i), tr = el('tr', { id: `line-${i}`, class: ['insn', 'source', 'label'][kind[i]] });
		const share = el('td', { class: 'number' }, n && n.period ? percent(n.period, all.period) : '');
		if (n && n.period)
			share.style.background = `color-mix(in srgb, var(--heat) ${Math.min(60, Math.ceil(200 * n.period / all.period))}%, transparent)`;
		const code = el('td', { class: 'code' }, kind[i] === 2 ? `${t}:` : t);
		code.style.paddingLeft = `${(depth[i] || 0) * 10 + 4}px`;
		const frame = callee[i] - 1, to = target[i] - 1;
		if (frame >= 0)
			code.append(' ', button('↗', () => go(have.has(frame) ? { function: frame } : { view: 'sandwich', function: frame, zoom: [] }),
				{ class: 'link', 'aria-label': `to ${short(model.names[frame])}`, title: short(model.names[frame]) }));
		if (to >= 0)
			code.append(' ', button(to < i ? '↑' : '↓', () => {
				const there = byId(`line-${to}`);
				there.scrollIntoView({ block: 'center' });
				there.classList.add('found');
			}, { class: 'link', 'aria-label': 'to where it jumps', title: 'to where it jumps' }));
		tr.append(share);
		if (flow) {
			tr.append(el('td', { class: 'number' }, n && n.executions ? grouped(n.executions) : ''),
				el('td', { class: 'number' }, n && n.taken && n.executions ? percent(n.taken, n.executions) : ''),
				el('td', { class: 'number' }, n && n.flagged ? percent(n.mispred, n.flagged) : ''),
				el('td', { class: 'number' }, n && n.cycles ? (n.insns / n.cycles).toFixed(2) : ''));
		}
		tr.append(el('td', { class: 'number' }, kind[i] === 0 ? (base + BigInt(offset[i])).toString(16) : ''),
			el('td', { class: 'gutter' }), code, el('td', { class: 'number' }, line[i] && kind[i] === 1 ? String(line[i]) : ''));
		body.append(tr);
	});
	const heads = ['Share', ...(flow ? ['Executed', 'Taken', 'Mispredicted', 'IPC'] : []), 'Address', '', 'Code', 'Line'];
	const view = el('table', { class: 'listing' }, el('caption', {}, `${grouped(all.hits)} samples of the event; of all threads and all of the time, whatever is chosen above`),
		el('thead', {}, el('tr', {}, ...heads.map((h) => el('th', { scope: 'col' }, h)))), body);
	const box = el('div', { class: 'scroll code-box' }, view);
	let hottest = -1;
	for (const [i, n] of lines)
		if (n.period && (hottest < 0 || n.period > (lines.get(hottest)?.period || 0)))
			hottest = i;
	/* Rows have one height; the arrows lie over the column that is left free for them. */
	queueMicrotask(() => {
		if (hottest >= 0)
			document.getElementById(`line-${hottest}`)?.scrollIntoView({ block: 'center' });
		const gutter = body.querySelector('.gutter');
		if (!(gutter instanceof HTMLElement) || !target.some((t) => t))
			return;
		const svg = arrows(target);
		svg.style.top = `${body.offsetTop}px`;
		svg.style.left = `${gutter.offsetLeft}px`;
		box.append(svg);
	});
	return box;
}

/** @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go @returns {HTMLElement} */
function codeView(model, s, go) {
	const list = model.data.code || [], box = el('div', { class: 'view' });
	const pick = el('select', { id: 'function' });
	list.forEach((c) => pick.append(el('option', { value: String(c.frame) }, short(`${model.names[c.frame]} (${model.objectName(c.frame)})`))));
	const at = list.find((c) => c.frame === s.function) || list[0];
	if (!at) {
		box.append(el('p', { class: 'note' }, 'No function has samples, or none were wanted.'));
		return box;
	}
	pick.value = String(at.frame);
	pick.addEventListener('change', () => go({ function: Number(pick.value) }));
	box.append(el('p', { class: 'bar' }, el('label', { for: 'function' }, 'Function: '), pick, ` ${grouped(list.length)} hottest`));
	if (at.missing !== undefined || !at.text)
		box.append(el('p', { class: 'note', id: 'missing' }, at.missing || 'It has no instructions.'));
	else
		box.append(el('p', { class: 'note' }, `${at.file}`), ...(at.notes || []).map((n) => el('p', { class: 'note' }, n)), listing(model, s, go, at));
	return box;
}
