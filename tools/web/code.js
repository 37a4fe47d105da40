// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions of the hottest functions with what was counted at each.

/**
 * What was counted at each line, of what is chosen: samples, and by branch stacks.
 * @typedef {{hits: number, period: number, executions: number, taken: number, mispred: number,
 *   flagged: number, insns: number, cycles: number}} Counted
 * @param {Model} model @param {Code} c @param {Query} q @returns {{lines: Map<number, Counted>, all: Counted}}
 */
function countsOf(model, c, q) {
	const none = () => ({ hits: 0, period: 0, executions: 0, taken: 0, mispred: 0, flagged: 0, insns: 0, cycles: 0 });
	/** @type {Map<number, Counted>} */
	const lines = new Map();
	const all = none(), data = model.data, kind = c.kind || [];
	const at = (/** @type {number} */ line) => {
		let n = lines.get(line);
		if (!n)
			lines.set(line, n = none());
		return n;
	};
	const places = model.logged(data.places, data.places.things, q), of = c.places || [];
	for (let i = 0; i < of.length; i += 2) {
		const n = at(of[i + 1]), period = q.weight === 'count' ? places.nr[of[i]] : places.cycles[of[i]];
		n.hits += places.nr[of[i]];
		n.period += period;
		all.hits += places.nr[of[i]];
		all.period += period;
	}
	const ranges = model.logged(data.branches.rows.ranges, data.branches.ranges.length, q), stretch = c.ranges || [];
	for (let i = 0; i < stretch.length; i += 3) {
		const [what, first, last] = stretch.slice(i, i + 3), nr = ranges.nr[what];
		let insns = 0;
		for (let line = first; nr && line <= last; line++)
			insns += kind[line] === 0 ? 1 : 0;
		for (let line = first; nr && line <= last; line++) {
			if (kind[line] !== 0)
				continue;
			const n = at(line);
			n.executions += nr;
			n.insns += insns * ranges.withCycles[what];
			n.cycles += ranges.cycles[what];
		}
		if (nr)
			at(last).taken += nr;
	}
	const edges = model.logged(data.branches.rows.edges, data.branches.edges.length, q), jumps = c.edges || [];
	for (let i = 0; i < jumps.length; i += 2) {
		if (!edges.nr[jumps[i]])
			continue;
		const n = at(jumps[i + 1]);
		n.mispred += edges.mispred[jumps[i]];
		n.flagged += edges.flagged[jumps[i]];
	}
	for (const n of lines.values())
		all.executions = Math.max(all.executions, n.executions);
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
	const { lines, all } = countsOf(model, c, s), base = BigInt(c.base || 0);
	const text = c.text || [], kind = c.kind || [], offset = c.offset || [], line = c.line || [];
	const target = c.target || [], callee = c.callee || [], depth = c.depth || [];
	const marks = c.marks || [], marked = marks.some((m) => m);
	const flow = !!((c.edges && c.edges.length) || (c.ranges && c.ranges.length));
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
		if (marked)
			tr.append(el('td', { class: 'marks' }, marks[i]));
		tr.append(el('td', { class: 'number' }, kind[i] === 0 ? (base + BigInt(offset[i])).toString(16) : line[i] && kind[i] === 1 ? String(line[i]) : ''),
			el('td', { class: 'gutter' }), code);
		body.append(tr);
	});
	const heads = ['Share', ...(flow ? ['Executed', 'Taken', 'Mispredicted', 'IPC'] : []), ...(marked ? ['Marks'] : []), 'Address, line', '', 'Code'];
	const view = el('table', { class: 'listing' }, el('caption', {}, `${grouped(all.hits)} samples. ${model.about(model.data.places, s, [s.event])}`),
		el('thead', {}, el('tr', {}, ...heads.map((h) => el('th', { scope: 'col' }, h)))), body);
	const box = el('div', { class: 'scroll code-box' }, view);
	let hottest = -1;
	for (const [i, n] of lines)
		if (n.period && (hottest < 0 || n.period > (lines.get(hottest)?.period || 0)))
			hottest = i;
	/* Rows have one height; the arrows lie over the column that is left free for them. */
	queueMicrotask(() => {
		const row = hottest >= 0 ? document.getElementById(`line-${hottest}`) : null, scrolls = box.closest('.view');
		if (row && scrolls)
			scrolls.scrollTop = Math.max(0, row.offsetTop - scrolls.clientHeight / 2);
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
	box.append(el('p', { class: 'bar' }, el('label', { for: 'function' }, 'Function: '), pick, ` ${grouped(list.length)} hottest`), ...aside(model, s));
	if (at.missing !== undefined || !at.text)
		box.append(el('p', { class: 'note', id: 'missing' }, at.missing || 'It has no instructions.'));
	else
		box.append(el('p', { class: 'note' }, `${at.file}`), ...(at.notes || []).map((n) => el('p', { class: 'note' }, n)), listing(model, s, go, at));
	return box;
}
