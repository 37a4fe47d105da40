// SPDX-License-Identifier: GPL-2.0-or-later
// Views that are tables and words: functions, the recording, branches, code.

/** @param {Place} p */
function placeText(p) {
	const name = p.name !== undefined ? `${short(p.name)}+0x${(p.offset || 0).toString(16)}` : p.address || '-';
	return p.object ? `${name} (${short(p.object)})` : name;
}

/**
 * The columns that functions can have: a text and what sorts by it, of one function.
 * @typedef {{frame: number, self: number, total: number, other: number, otherTotal: number}} OneFunction
 * @typedef {Column & {get: (f: OneFunction) => [string|Node, string|number], usual?: boolean}} FunctionColumn
 * @param {Model} model @param {State} s @returns {FunctionColumn[]}
 */
function functionColumns(model, s) {
	const all = model.all, swapped = model.swapped;
	const noise = (/** @type {number} */ now, /** @type {number} */ other) => noiseOf(now, other, all, model.samples, model.otherSamples);
	const points = (/** @type {number} */ now, /** @type {number} */ other) => {
		const [a, b] = swapped ? [other, now] : [now, other], chance = noise(now, other);
		const text = change(a, b, all);
		return /** @type {[string|Node, number]} */ ([100 * Math.abs(a - b) > chance * all ? text
			: el('span', { class: 'chance', title: `may be chance, which makes ${chance.toFixed(2)} of it` }, text), a - b]);
	};
	/** @type {FunctionColumn[]} */
	const list = [
		{ name: 'self', title: 'Self', number: true, hint: 'samples in the function itself', usual: true,
			get: (f) => [barCell(percent(f.self, all), f.self, all), f.self] },
		{ name: 'total', title: 'Total', number: true, hint: 'and in what it calls, each once', usual: true,
			get: (f) => [barCell(percent(f.total, all), f.total, all), f.total] },
		{ name: 'selfnumber', title: 'Self, number', number: true, get: (f) => [grouped(f.self), f.self] },
		{ name: 'totalnumber', title: 'Total, number', number: true, get: (f) => [grouped(f.total), f.total] },
	];
	if (model.compares)
		list.splice(1, 0, { name: 'change', title: 'Change', number: true, usual: true, hint: 'of Self since the other recording, in points of a hundred',
			get: (f) => points(f.self, f.other) });
	if (model.compares)
		list.splice(3, 0, { name: 'changetotal', title: 'Change', number: true, usual: true, hint: 'of Total since the other recording',
			get: (f) => points(f.total, f.otherTotal) },
		{ name: 'noise', title: 'Noise', number: true, hint: 'what chance alone makes of a change of Self, from the number of samples',
			get: (f) => [noise(f.self, f.other).toFixed(2), noise(f.self, f.other)] });
	model.data.events.forEach((e, i) => {
		const name = `event${i}`;
		if (i === s.event)
			return;
		const of = s.columns.split('.').includes(name) ? model.selfOf(s, i) : null;
		list.push({ name, title: short(e.name), number: true, hint: 'samples of this event in the function itself',
			get: (f) => (of ? [barCell(percent(of.sums[f.frame], of.all), of.sums[f.frame], of.all), of.sums[f.frame]] : ['', 0]) });
	});
	list.push({ name: 'name', title: 'Function', usual: true, get: (f) => ['', model.names[f.frame]] },
		{ name: 'object', title: 'Object', usual: true, get: (f) => [short(model.objectName(f.frame)), model.objectName(f.frame)] },
		{ name: 'package', title: 'Package', get: (f) => [short(packageOf(model.names[f.frame])), packageOf(model.names[f.frame])] },
		{ name: 'kind', title: 'Kind', usual: true, get: (f) => [KINDS[model.kinds[f.frame]], KINDS[model.kinds[f.frame]]] });
	return list;
}

/**
 * @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go
 * @returns {HTMLElement}
 */
function functionsView(model, s, go) {
	const found = model.search(s.search), low = s.filter.toLowerCase();
	const rows = model.functions().filter((f) => !low ||
		model.names[f.frame].toLowerCase().includes(low) || model.objectName(f.frame).toLowerCase().includes(low));
	const filter = el('input', { type: 'search', value: s.filter, id: 'filter', 'aria-label': 'Only functions or objects with' });
	filter.value = s.filter;
	filter.addEventListener('change', () => go({ filter: filter.value }));
	const all = functionColumns(model, s), wanted = s.columns.split('.');
	const shown = all.filter((c) => c.name === 'name' || (s.columns ? wanted.includes(c.name) : c.usual));
	const pick = el('details', { class: 'columns' }, el('summary', {}, 'Columns'));
	pick.open = columnsOpen;
	pick.addEventListener('toggle', () => { columnsOpen = pick.open; });
	for (const c of all.filter((o) => o.name !== 'name')) {
		const box = el('input', { type: 'checkbox', id: `column-${c.name}` });
		box.checked = shown.includes(c);
		box.addEventListener('change', () => go({ columns: all.filter((o) => (o === c ? box.checked : shown.includes(o))).map((o) => o.name).join('.') }));
		pick.append(el('label', { title: c.hint || '' }, box, c.name.startsWith('change') ? `${c.title} of ${c.name === 'change' ? 'Self' : 'Total'}` : c.title));
	}
	const link = (/** @type {number} */ frame) => (frame < model.firstMade
		? button(short(model.names[frame]), () => go({ view: 'sandwich', function: frame, zoom: [] }), { class: 'link' })
		: short(model.names[frame]));
	return el('div', { class: 'view' }, el('div', { class: 'bar' }, el('label', { for: 'filter' }, 'Only with '), filter, pick), table({
		caption: counted(rows.length, 'function'),
		columns: shown,
		rows: rows.map((f) => {
			const got = shown.map((c) => c.get(f));
			return {
				cells: got.map((g, i) => (shown[i].name === 'name' ? link(f.frame) : g[0])),
				keys: got.map((g) => g[1]),
				mark: !!found && !!found.match[f.frame],
			};
		}),
		sort: shown.some((c) => c.name === s.sort.replace(/^-/, '')) ? s.sort : 'self',
		onSort: (sort) => go({ sort }),
	}));
}
let columnsOpen = false;

/** @param {[string, string|number|undefined][]} facts */
function factList(facts) {
	const list = el('dl');
	for (const [name, value] of facts)
		list.append(el('dt', {}, name), el('dd', {}, value === undefined || value === '' ? '-' : short(String(value))));
	return list;
}

/** @param {ObjectInfo} o what can be done about its functions */
function advice(o) {
	if (!o.unnamed)
		return '';
	if (!o.file)
		return o.name.startsWith('[kernel') ? 'read as root, or name the kernel: --vmlinux FILE, --kallsyms FILE'
			: 'code made at run time: have its compiler write a map or a jitdump file';
	const id = o.build_id ? ` of this build id` : '';
	return `get the file with symbols${id}: perf buildid-cache --add FILE, --symfs DIR or --debuginfod; packages with debug symbols for stripped ones`;
}

/** @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go @returns {HTMLElement} */
function recordingView(model, s, go) {
	const r = model.data.recording, box = el('div', { class: 'view words' });
	const missing = model.data.objects.filter((o) => o.unnamed);
	const facts = (/** @type {Recording|Before} */ f) => factList([
		['Command', f.command.join(' ')], ['File', f.file], ['Host', f.host], ['Kernel', f.kernel],
		['Architecture', f.arch], ['CPU', f.cpu], ['CPUs', f.cpus],
		['Memory', f.memory_kb === undefined ? undefined : `${grouped(f.memory_kb / 1024)} MiB`],
		['Duration', f.duration_ns === undefined ? undefined : duration(f.duration_ns)],
		['Recorded by perf', f.recorded_by],
		...('perf' in f ? [/** @type {[string, string]} */ (['Page made by perf', f.perf])] : []),
		['Samples', grouped(f.samples)], ['Lost samples', grouped(f.lost_samples)],
		['Lost records', grouped(f.lost_events)], ['Records that cannot be used', grouped(f.bad)],
		...('apart' in f ? [/** @type {[string, string]} */ (['Of events that the recording has none of', grouped(f.apart)])] : [])]);
	const before = model.data.before;
	const sides = el('div', { class: 'sides' }, el('section', {}, el('h2', {}, 'Recording'), facts(r)));
	if (before)
		sides.append(el('section', {}, el('h2', {}, 'Compared with'), facts(before),
			...before.warnings.map((t) => el('p', { class: 'note' }, t))));
	box.append(sides);
	const cut = [];
	if (r.cut.nodes)
		cut.push(`${grouped(r.cut.nodes)} small frames, with ${grouped(r.cut.samples)} samples (${percent(r.cut.samples, r.samples)}): they are shown as [small frames, cut].`);
	if (r.cut.time)
		cut.push('Slices of time are longer than usual.');
	if (r.cut.cpu)
		cut.push('CPUs of samples.');
	if (cut.length)
		box.append(el('h3', {}, 'Left out of this page, which would be too large'), el('ul', {}, ...cut.map((t) => el('li', {}, t))));
	if (r.warnings.length)
		box.append(el('h3', {}, 'What perf says of it'), el('ul', { id: 'warnings' }, ...r.warnings.map((t) => el('li', {}, t))));
	box.append(el('h3', {}, 'Events'), el('ul', {}, ...model.data.events.map((e) =>
		el('li', {}, `${short(e.name)}: ${e.frequency !== undefined ? `${grouped(e.frequency)} times a second` : `every ${grouped(e.every || 0)}`}` +
			`${e.precise ? `, precise ${e.precise}` : ''}${e.stacks ? ', call stacks' : ''}${e.branches ? ', branch stacks' : ''}`))));
	if (r.sources)
		box.append(el('h3', {}, 'Registers and branches from software'), el('pre', {}, r.sources));
	else
		box.append(el('p', {}, 'Registers and branches of samples, if there are any, came from the kernel.'));
	box.append(el('h3', {}, 'Objects'), el('p', {}, missing.length
		? `Samples in ${missing.length} of ${model.data.objects.length} objects have no function.`
		: 'All samples in objects have functions.'));
	box.append(table({
		caption: 'Objects that samples were in',
		columns: [{ name: 'object', title: 'Object' }, { name: 'samples', title: 'Samples', number: true },
			{ name: 'unnamed', title: 'Without function', number: true }, { name: 'id', title: 'Build id' },
			{ name: 'todo', title: 'What to do' }],
		rows: model.data.objects.filter((o) => o.samples).map((o) => ({
			cells: [short(o.path || o.name), grouped(o.samples), grouped(o.unnamed), o.build_id || '-', advice(o)],
			keys: [o.path || o.name, o.samples, o.unnamed, o.build_id || '', advice(o)],
		})),
		sort: ['object', 'samples', 'unnamed', 'id', 'todo'].includes(s.sort.replace(/^-/, '')) ? s.sort : 'samples',
		onSort: (sort) => go({ sort }),
	}));
	box.append(el('details', {}, el('summary', {}, 'Header of the file'), el('pre', {}, r.header)));
	return box;
}

/**
 * The function that has these texts as name and object: undefined where its instructions are not here, or more than one has
 * them.
 * @param {Model} model @returns {(name: string, object: string) => number|undefined}
 */
function codeFinder(model) {
	/** @type {Map<string, number|undefined>} */
	const frames = new Map();
	const key = (/** @type {string} */ name, /** @type {string} */ object) => `${name}\0${object}`;
	for (const { frame } of model.data.code || []) {
		const k = key(model.names[frame], model.objectName(frame));
		frames.set(k, frames.has(k) ? undefined : frame);
	}
	return (name, object) => frames.get(key(name, object));
}

/** @param {Model} model @param {(change: Partial<State>) => void} go */
function placeLinks(model, go) {
	const code = codeFinder(model);
	return (/** @type {Place} */ p) => {
		const frame = p.name === undefined ? undefined : code(p.name, p.object || '');
		return frame === undefined ? placeText(p)
			: button(placeText(p), () => go({ view: 'code', function: frame }), { class: 'link', title: 'its instructions' });
	};
}

/* Texts that are no longer stand in one line. */
const WHOLE = 40;

/**
 * Rows of texts, as text has them, as a table: what looks like a number sorts as one, and columns in which no row has
 * anything are left out and named. `name` is in front of its columns' own.
 * @param {{name: string, heads: string[], rows: string[][], all: number, caption?: string}} t
 * @param {State} s @param {(change: Partial<State>) => void} go @param {(text: string, row: number, column: number) => string|Node} [cell]
 * @returns {HTMLElement[]}
 */
function textTable(t, s, go, cell) {
	const low = s.filter.toLowerCase();
	const numbers = t.heads.map((_, c) => t.rows.every((r) => /^(-|N\/A|[-0-9.]+%?)$/.test(r[c])));
	const told = t.heads.map((_, c) => !t.rows.length || t.rows.some((r) => r[c] !== '-' && r[c] !== 'N/A' && r[c] !== ''));
	const seen = (/** @type {any[]} */ list) => list.filter((_, c) => told[c]), untold = t.heads.filter((_, c) => !told[c]);
	const columns = seen(t.heads.map((title, c) => ({ name: `${t.name}.${c}`, title, number: numbers[c],
		whole: t.rows.every((r) => r[c].length <= WHOLE) })));
	const key = (/** @type {string} */ v, /** @type {number} */ c) => (!numbers[c] ? v : /^[-N]/.test(v) && !/\d/.test(v) ? -Infinity : parseFloat(v));
	const rows = t.rows.flatMap((r, i) => (!low || r.some((v) => v.toLowerCase().includes(low))
		? [{ cells: seen(r.map((v, c) => (cell ? cell(v, i, c) : short(v)))), keys: seen(r.map(key)) }] : []));
	return [...(untold.length ? [el('p', { class: 'note' }, `Left out, as no row here has any: ${untold.join(', ')}.`)] : []),
		...(t.rows.length < t.all ? [el('p', { class: 'note' }, `The first ${t.rows.length} of ${grouped(t.all)}.`)] : []),
		table({ caption: t.caption || counted(rows.length, 'row'), columns, step: 25, rows,
			sort: columns.some((c) => c.name === s.sort.replace(/^-/, '')) ? s.sort : '', onSort: (sort) => go({ sort }) })];
}

/** What branches were asked (report --branches): the tables of text, of all samples.
 * @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go @returns {Node[]} */
function answerTables(model, s, go) {
	return (model.data.answers || []).flatMap((a) => [el('h2', {}, a.title),
		...(a.legend ? [el('p', { class: 'note' }, a.legend.replace(/\n/g, ' ').trim())] : []),
		el('p', { class: 'note' }, 'Of all samples, whatever is chosen above.'), ...textTable(a, s, go)]);
}

/**
 * How good a profile is (report --profile-quality): the verdict, the checks it rests on, the functions.
 * @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go @returns {HTMLElement}
 */
function qualityView(model, s, go) {
	const box = el('div', { class: 'view' });
	const code = codeFinder(model);
	const filter = el('input', { type: 'search', id: 'filter' });
	filter.value = s.filter;
	filter.addEventListener('change', () => go({ filter: filter.value }));
	box.append(el('div', { class: 'bar' }, el('label', { for: 'filter' }, 'Only with '), filter),
		el('p', { class: 'note' }, 'Whether this recording is enough for an optimizer (BOLT, AutoFDO, Propeller, PGO): of all samples, whatever is chosen above.'),
		...aside(model, s));
	for (const a of model.data.quality || []) {
		const subject = a.heads.indexOf('Function'), object = a.heads.indexOf('Object');
		box.append(el('h2', {}, a.title), ...(a.legend ? [el('p', { class: 'note' }, a.legend.replace(/\n/g, ' ').trim())] : []),
			...textTable(a, s, go, (text, row, c) => {
				const frame = c === subject ? code(text, a.rows[row][object] || '') : undefined;
				return frame === undefined ? short(text)
					: button(short(text), () => go({ view: 'code', function: frame, zoom: [] }), { class: 'link', title: 'its instructions' });
			}));
	}
	return box;
}

const IN_FRONT = ['overhead', 'symbol', 'loop', 'dirty_by', 'lanes_could', 'apx_could', 'value_top', 'sample', 'told'];

/** @param {string} name of a key: where its column stands */
function rankOf(name) {
	return IN_FRONT.includes(name) ? IN_FRONT.indexOf(name) : name === 'dso' ? IN_FRONT.length + 1 : IN_FRONT.length;
}

/**
 * What registers were asked (report --numbers and its like): the tables of text, of the event that is chosen.
 * @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go @returns {HTMLElement}
 */
function registersView(model, s, go) {
	const box = el('div', { class: 'view' }), code = new Set((model.data.code || []).map((c) => c.frame));
	const filter = el('input', { type: 'search', id: 'filter' });
	filter.value = s.filter;
	filter.addEventListener('change', () => go({ filter: filter.value }));
	box.append(el('div', { class: 'bar' }, el('label', { for: 'filter' }, 'Only with '), filter),
		el('p', { class: 'note' }, `The tables of perf report, of all samples of ${short(model.data.events[s.event].name)}: process, thread, CPU and time do not choose here. Told by: how many samples of the row say what stands in it; - is what none says. A function leads to its instructions, where the page has them.`),
		...aside(model, s));
	for (const a of model.data.registers || []) {
		box.append(el('h2', {}, a.title));
		for (const text of [a.legend, a.limits])
			if (text)
				box.append(el('p', { class: 'note' }, text.replace(/\n/g, ' ').trim()));
		const of = a.events.find((e) => e.event === s.event);
		if (!of) {
			box.append(el('p', { class: 'note' }, 'This event has no samples.'));
			continue;
		}
		/* What a row is about, and what it comes to, in front: the rest may be beyond a narrow window. */
		const order = [...a.names.keys()].sort((x, y) => rankOf(a.names[x]) - rankOf(a.names[y]) || x - y);
		const put = (/** @type {string[]} */ list) => order.map((c) => list[c]);
		const names = put(a.names), share = names.indexOf('overhead'), symbol = names.indexOf('symbol');
		const most = Math.max(...of.rows.map((r) => parseFloat(r[order[share]]) || 0));
		box.append(...textTable({ name: a.name, heads: put(a.heads), rows: of.rows.map(put), all: of.all }, s, go, (text, row, c) => {
			const frame = of.frames[row];
			if (c === share)
				return barCell(text, parseFloat(text) || 0, most);
			return c !== symbol || frame < 0 ? short(text)
				: button(short(text), () => go({ view: code.has(frame) ? 'code' : 'sandwich', function: frame, zoom: [] }), { class: 'link' });
		}));
	}
	return box;
}

/** @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go @returns {HTMLElement} */
function branchesView(model, s, go) {
	const b = model.data.branches, box = el('div', { class: 'view' });
	const low = s.filter.toLowerCase(), link = placeLinks(model, go);
	const wanted = (/** @type {Place[]} */ ...places) => !low || places.some((p) => placeText(p).toLowerCase().includes(low));
	const filter = el('input', { type: 'search', id: 'filter' });
	filter.value = s.filter;
	filter.addEventListener('change', () => go({ filter: filter.value }));
	const mean = (/** @type {number} */ sum, /** @type {number} */ n) => (n ? (sum / n).toFixed(1) : '-');
	const part = (/** @type {string} */ title, /** @type {string} */ note, /** @type {string} */ name, /** @type {Column[]} */ columns,
		/** @type {{cells: (string|Node)[], keys: (string|number)[]}[]} */ rows, /** @type {string} */ more) => {
		const own = columns.map((c) => ({ ...c, name: `${name}.${c.name}` })).filter((c) => !c.skip);
		const keep = (/** @type {any[]} */ list) => list.filter((_, i) => !columns[i].skip);
		box.append(el('h2', {}, title), el('p', { class: 'note' }, note), table({
			caption: `${grouped(rows.length)} ${more}`,
			columns: own, rows: rows.map((r) => ({ cells: keep(r.cells), keys: keep(r.keys) })), step: 25,
			sort: own.some((c) => c.name === s.sort.replace(/^-/, '')) ? s.sort : own[0].name,
			onSort: (sort) => go({ sort }),
		}));
	};
	const edges = model.logged(b.rows.edges, b.edges.length, s);
	const sum = (/** @type {Float64Array} */ v) => v.reduce((x, y) => x + y, 0);
	const all = sum(edges.nr), missed = sum(edges.mispred), flagged = sum(edges.flagged);
	box.append(el('div', { class: 'bar' }, el('label', { for: 'filter' }, 'Only with '), filter,
		el('span', { id: 'branch-sum' }, `${grouped(all)} branches, ` + (flagged ? `${percent(missed, flagged)} mispredicted` : 'whether they were mispredicted is not known') +
			(sum(edges.withCycles) ? `, ${mean(sum(edges.cycles), sum(edges.withCycles))} cycles between two` : ', nor are cycles'))),
	el('p', { class: 'note' }, model.about(b.rows.edges, s, edges.events)), ...aside(model, s), ...answerTables(model, s, go));

	part('Edges', 'Where branches went: how often, and what became of the prediction.', 'edge',
		[{ name: 'nr', title: 'Taken', number: true }, { name: 'share', title: 'Share', number: true },
			{ name: 'mispred', title: 'Mispredicted', number: true, hint: 'of those that say whether they were', skip: !flagged },
			{ name: 'missed', title: 'Mispredictions', number: true, hint: 'how many', skip: !flagged },
			{ name: 'cycles', title: 'Cycles', number: true, hint: 'mean since the branch before', skip: !sum(edges.withCycles) },
			{ name: 'from', title: 'From' }, { name: 'to', title: 'To' }],
		b.edges.flatMap((e, i) => (edges.nr[i] && wanted(e.from, e.to) ? [{
			cells: [grouped(edges.nr[i]), barCell(percent(edges.nr[i], all), edges.nr[i], all),
				edges.flagged[i] ? percent(edges.mispred[i], edges.flagged[i]) : '-', edges.flagged[i] ? grouped(edges.mispred[i]) : '-',
				mean(edges.cycles[i], edges.withCycles[i]), link(e.from), link(e.to)],
			keys: [edges.nr[i], edges.nr[i], edges.flagged[i] ? edges.mispred[i] / edges.flagged[i] : -1, edges.mispred[i],
				edges.withCycles[i] ? edges.cycles[i] / edges.withCycles[i] : -1, placeText(e.from), placeText(e.to)],
		}] : [])), `of ${grouped(b.rows.edges.things)} edges`);

	const ranges = model.logged(b.rows.ranges, b.ranges.length, s), cycles = sum(ranges.cycles);
	const ipc = (/** @type {number} */ i) => (ranges.cycles[i] && b.ranges[i].insns ? (b.ranges[i].insns || 0) * ranges.withCycles[i] / ranges.cycles[i] : -1);
	part('Fall-through ranges', 'Code that ran from where one branch went to through the next one; instructions for each cycle (IPC) where the code can be read and the CPU counted cycles.', 'range',
		[{ name: 'nr', title: 'Ran', number: true }, { name: 'share', title: 'Cycles', number: true, hint: 'share of the cycles of all ranges', skip: !cycles },
			{ name: 'mean', title: 'Mean cycles', number: true, skip: !cycles }, { name: 'insns', title: 'Instructions', number: true }, { name: 'ipc', title: 'IPC', number: true, skip: !cycles },
			{ name: 'from', title: 'From' }, { name: 'to', title: 'Through' }],
		b.ranges.flatMap((r, i) => (ranges.nr[i] && wanted(r.from, r.to) ? [{
			cells: [grouped(ranges.nr[i]), cycles ? barCell(percent(ranges.cycles[i], cycles), ranges.cycles[i], cycles) : '-',
				mean(ranges.cycles[i], ranges.withCycles[i]), r.insns ? grouped(r.insns) : '-', ipc(i) < 0 ? '-' : ipc(i).toFixed(2), link(r.from), link(r.to)],
			keys: [ranges.nr[i], ranges.cycles[i], ranges.withCycles[i] ? ranges.cycles[i] / ranges.withCycles[i] : -1, r.insns || -1, ipc(i),
				placeText(r.from), placeText(r.to)],
		}] : [])), `of ${grouped(b.rows.ranges.things)} ranges`);

	const paths = model.logged(b.rows.paths, b.paths.length, s), chains = sum(paths.nr);
	part('Paths', 'Four branches in a row.', 'path',
		[{ name: 'nr', title: 'Seen', number: true }, { name: 'share', title: 'Share', number: true }, { name: 'mispred', title: 'Mispredicted', number: true, skip: !flagged },
			{ name: 'cycles', title: 'Cycles', number: true, hint: 'mean, from the first branch to the last', skip: !sum(paths.withCycles) }, { name: 'path', title: 'Branches, oldest first' }],
		b.paths.flatMap((p, i) => (paths.nr[i] && wanted(...p.flatMap((e) => [e.from, e.to])) ? [{
			cells: [grouped(paths.nr[i]), barCell(percent(paths.nr[i], chains), paths.nr[i], chains),
				paths.flagged[i] ? percent(paths.mispred[i], paths.flagged[i]) : '-', mean(paths.cycles[i], paths.withCycles[i]), pathText(p)],
			keys: [paths.nr[i], paths.nr[i], paths.flagged[i] ? paths.mispred[i] / paths.flagged[i] : -1,
				paths.withCycles[i] ? paths.cycles[i] / paths.withCycles[i] : -1, pathText(p)],
		}] : [])), `of ${grouped(b.rows.paths.things)} paths; shares are of those`);
	return box;
}

/** @param {Edge[]} path */
function pathText(path) {
	const place = (/** @type {Place} */ p) => placeText({ ...p, object: undefined });
	return path.map((e) => `${place(e.from)} → ${place(e.to)}`).join('; ');
}

const WIDTHS = ['none', '128', '256', '512'], WIDTH_NAMES = ['none', 'xmm', 'ymm', 'zmm'];

/** Shares by width as a bar and in words. @param {Float64Array} v @param {number} at of the narrowest @param {number} all */
function widthCell(v, at, all) {
	if (!all)
		return '-';
	const shares = [3, 2, 1, 0].map((k) => /** @type {[number, number]} */ ([k, v[at + k] / all])).filter(([, share]) => share > 0);
	const text = shares.map(([k, share]) => `${Math.round(100 * share)} % ${WIDTH_NAMES[k]}`).join(', ');
	const bar = el('div', { class: 'parts', 'aria-hidden': 'true' });
	for (const [k, share] of shares) {
		const piece = el('span');
		piece.style.width = `${100 * share}%`;
		piece.style.background = `var(--wide-${WIDTHS[k]})`;
		bar.append(piece);
	}
	return el('div', {}, bar, el('span', { class: 'note' }, text));
}

/** @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go @returns {HTMLElement} */
function simdView(model, s, go) {
	const data = model.data.vectors, box = el('div', { class: 'view' });
	if (!data)
		return box;
	const got = model.logged(data.rows, data.frames.length, s), v = got.simd;
	const low = s.filter.toLowerCase();
	const filter = el('input', { type: 'search', id: 'filter' });
	filter.value = s.filter;
	filter.addEventListener('change', () => go({ filter: filter.value }));
	const at = (/** @type {number} */ i, /** @type {number} */ k) => v[i * SIMD_COLUMNS + k];
	const total = (/** @type {number} */ k) => data.frames.reduce((sum, _, i) => sum + at(i, k), 0);
	const all = got.nr.reduce((a, b) => a + b, 0), coded = total(5), dirty = total(10);
	const worst = data.frames.map((_, i) => i).filter((i) => at(i, 10)).sort((a, b) => at(b, 10) - at(a, 10)).slice(0, 3);
	box.append(el('div', { class: 'bar' }, el('label', { for: 'filter' }, 'Only with '), filter),
		el('p', { id: 'simd-sum' }, coded ? `${percent(dirty, coded)} of samples whose instruction is known run with dirty upper halves` +
			(worst.length ? `, most in ${worst.map((i) => `${short(model.names[data.frames[i]])} (${grouped(at(i, 10))})`).join(', ')}.` : '.')
			: 'What instructions do is not known: their code cannot be read, or this perf has no disassembler.'),
		el('p', { class: 'note' }, `Live: by the widest of registers 0-15 with a bit set, and samples with one set in 16-31. Code: by the instruction at the sampled address. Dirty: live above 128 bits and above what that instruction uses. Lanes: that its mask lets through. Masks: how full k1-k7 are. ${model.about(data.rows, s, got.events)}`), ...aside(model, s));
	const share = (/** @type {number} */ n, /** @type {number} */ of) => (of ? `${(100 * n / of).toFixed(1)} %` : '-');
	const use = (/** @type {number} */ i) => {
		if (!at(i, 19))
			return '-';
		const own = at(i, 17), left = at(i, 18);
		return (own ? `uses ${WIDTH_NAMES[own]}` : 'scalar') + (left > own ? `, ${WIDTH_NAMES[left]} left dirty` : '');
	};
	const columns = [{ name: 'samples', title: 'Samples', number: true }, { name: 'function', title: 'Function' },
		{ name: 'live', title: 'Live', hint: 'sorts by samples with zmm, then ymm' }, { name: 'high', title: 'Live 16-31', number: true },
		{ name: 'code', title: 'Code', hint: 'sorts by samples with zmm, then ymm' },
		{ name: 'dirty', title: 'Dirty', number: true }, { name: 'lanes', title: 'Lanes', number: true }, { name: 'masks', title: 'Masks', number: true },
		{ name: 'use', title: 'Function uses' }, { name: 'object', title: 'Object' }].map((c) => ({ ...c, name: `simd.${c.name}` }));
	const rows = data.frames.flatMap((frame, i) => {
		const name = model.names[frame], object = model.objectName(frame);
		const code = (model.data.code || []).some((c) => c.frame === frame);
		if (!got.nr[i] || (low && !name.toLowerCase().includes(low) && !object.toLowerCase().includes(low)))
			return [];
		return [{
			cells: [barCell(grouped(got.nr[i]), got.nr[i], all),
				button(short(name), () => go({ view: code ? 'code' : 'sandwich', function: frame, zoom: [] }), { class: 'link' }),
				widthCell(v, i * SIMD_COLUMNS + 1, at(i, 0)), share(at(i, 12), at(i, 11)), widthCell(v, i * SIMD_COLUMNS + 6, at(i, 5)),
				at(i, 5) ? barCell(share(at(i, 10), at(i, 5)), at(i, 10), at(i, 5)) : '-',
				at(i, 13) ? share(at(i, 14) / 1000, at(i, 13)) : '-', at(i, 15) ? share(at(i, 16) / 1000, at(i, 15)) : '-', use(i), short(object)],
			keys: [got.nr[i], name, -(at(i, 4) * 1e6 + at(i, 3)), at(i, 11) ? at(i, 12) / at(i, 11) : -1, -(at(i, 9) * 1e6 + at(i, 8)),
				at(i, 5) ? at(i, 10) / at(i, 5) : -1, at(i, 13) ? at(i, 14) / at(i, 13) : -1, at(i, 15) ? at(i, 16) / at(i, 15) : -1, use(i), object],
		}];
	});
	box.append(table({ caption: counted(rows.length, 'function'), columns, rows, step: 50,
		sort: columns.some((c) => c.name === s.sort.replace(/^-/, '')) ? s.sort : 'simd.samples', onSort: (sort) => go({ sort }) }));
	return box;
}
