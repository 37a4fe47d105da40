// SPDX-License-Identifier: GPL-2.0-or-later
// Views that are tables and words: functions, the recording, branches, code.

/** @param {Place} p */
function placeText(p) {
	const name = p.name !== undefined ? `${short(p.name)}+0x${(p.offset || 0).toString(16)}` : p.address || '-';
	return p.object ? `${name} (${short(p.object)})` : name;
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
	const box = el('div', { class: 'view' }, el('p', { class: 'bar' }, el('label', { for: 'filter' }, 'Only with: '), filter));
	box.append(table({
		caption: `${grouped(rows.length)} functions`,
		columns: [
			{ name: 'self', title: 'Self', number: true, hint: 'samples in the function itself' },
			{ name: 'total', title: 'Total', number: true, hint: 'and in what it calls, each once' },
			{ name: 'name', title: 'Function' },
			{ name: 'object', title: 'Object' },
			{ name: 'kind', title: 'Kind' },
		],
		rows: rows.map((f) => {
			const name = model.names[f.frame], object = model.objectName(f.frame), kind = KINDS[model.kinds[f.frame]];
			return {
				cells: [percent(f.self, model.all), percent(f.total, model.all),
					f.frame < model.firstMade
						? button(short(name), () => go({ view: 'sandwich', function: f.frame, zoom: [] }), { class: 'link' })
						: short(name),
					short(object), kind],
				keys: [f.self, f.total, name, object, kind],
				mark: !!found && !!found.match[f.frame],
			};
		}),
		sort: s.sort,
		onSort: (sort) => go({ sort }),
	}));
	return box;
}

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
