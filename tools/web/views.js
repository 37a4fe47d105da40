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
	const points = (/** @type {number} */ now, /** @type {number} */ other) => {
		const [a, b] = swapped ? [other, now] : [now, other];
		return /** @type {[string, number]} */ ([change(a, b, all), a - b]);
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
			get: (f) => points(f.total, f.otherTotal) });
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
		caption: `${grouped(rows.length)} functions`,
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
	box.append(el('h2', {}, 'Recording'), factList([
		['Command', r.command.join(' ')], ['File', r.file], ['Host', r.host], ['Kernel', r.kernel],
		['Architecture', r.arch], ['CPU', r.cpu], ['CPUs', r.cpus],
		['Memory', r.memory_kb === undefined ? undefined : `${grouped(r.memory_kb / 1024)} MiB`],
		['Duration', r.duration_ns === undefined ? undefined : duration(r.duration_ns)],
		['Recorded by perf', r.recorded_by], ['Page made by perf', r.perf],
		['Samples', grouped(r.samples)], ['Lost samples', grouped(r.lost_samples)],
		['Lost records', grouped(r.lost_events)], ['Records that cannot be used', grouped(r.bad)]]));
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

/** @param {Model} model @param {State} s @param {(change: Partial<State>) => void} go @returns {HTMLElement} */
function branchesView(model, s, go) {
	const b = model.data.branches, box = el('div', { class: 'view' });
	if (!b.all) {
		box.append(el('p', { class: 'note' }, 'This recording has no branch stacks: record with -b, or -j any.'));
		return box;
	}
	const text = s.filter.toLowerCase();
	const filter = el('input', { type: 'search', id: 'filter' });
	filter.value = s.filter;
	filter.addEventListener('change', () => go({ filter: filter.value }));
	box.append(el('p', { class: 'bar' }, el('label', { for: 'filter' }, 'Only with: '), filter), el('h2', {}, 'Edges'));
	const list = b.list.filter((e) => !text || placeText(e.from).toLowerCase().includes(text) || placeText(e.to).toLowerCase().includes(text));
	box.append(table({
		caption: `${grouped(list.length)} of ${grouped(b.edges)} edges, ${grouped(b.all)} branches; of all samples, whatever is chosen above`,
		columns: [{ name: 'nr', title: 'Taken', number: true }, { name: 'share', title: 'Share', number: true },
			{ name: 'mispred', title: 'Mispredicted', number: true, hint: 'of those that say whether they were' },
			{ name: 'cycles', title: 'Cycles', number: true, hint: 'mean since the branch before' },
			{ name: 'from', title: 'From' }, { name: 'to', title: 'To' }],
		rows: list.map((e) => ({
			cells: [grouped(e.nr), percent(e.nr, b.all), percent(e.mispred, e.flagged),
				e.with_cycles ? (e.cycles / e.with_cycles).toFixed(1) : '-', placeText(e.from), placeText(e.to)],
			keys: [e.nr, e.nr, e.flagged ? e.mispred / e.flagged : -1, e.with_cycles ? e.cycles / e.with_cycles : -1,
				placeText(e.from), placeText(e.to)],
		})),
		sort: ['nr', 'share', 'mispred', 'cycles', 'from', 'to'].includes(s.sort.replace(/^-/, '')) ? s.sort : 'nr',
		onSort: (sort) => go({ sort }),
		step: 50,
	}));
	return box;
}
