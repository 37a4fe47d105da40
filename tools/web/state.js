// SPDX-License-Identifier: GPL-2.0-or-later
// What somebody looks at, as one object that the fragment of the address says: a copied address, back and
// forward lead to the same picture. Everything that comes from the fragment is checked: it may be
// anybody's.

/**
 * @typedef {Query & {view: string, callers: boolean, up: boolean, order: 'heavy'|'name'|'time',
 *   search: string, zoom: number[], function: number, sort: string, filter: string,
 *   colours: ''|'kind'|'object'|'change', columns: string, compared: number, significant: boolean}} State
 */

const VIEWS = ['diff', 'flame', 'functions', 'sandwich', 'tree', 'time', 'branches', 'simd', 'registers', 'quality', 'code', 'recording'];

/** What a page begins with. @param {PageData} data */
function firstView(data) {
	return data.diff ? 'diff' : 'flame';
}

/** @param {string|null} text @param {number} least @param {number} most @param {number} otherwise */
function numberIn(text, least, most, otherwise) {
	if (text === null || !/^-?\d{1,9}$/.test(text))
		return otherwise;
	const v = Number(text);
	return v >= least && v <= most ? v : otherwise;
}

/** @param {PageData} data the event with most samples */
function mainEvent(data) {
	const sum = data.events.map(() => 0);
	const rows = data.rows;
	for (let i = 0; i < rows.group.length; i++)
		if (!data.groups.before || !data.groups.before[rows.group[i]])
			sum[data.groups.event[rows.group[i]]] += rows.count[i];
	return Math.max(0, sum.indexOf(Math.max(...sum)));
}

/** @param {Model} model @param {string} fragment @param {number} event @returns {State} */
function stateOf(model, fragment, event) {
	const p = new URLSearchParams(fragment.replace(/^#/, ''));
	const frames = model.firstMade - 1, slices = model.data.time.slices - 1;
	const view = p.get('view') || '';
	/** @type {Step[]} */
	const steps = [];
	for (const s of (p.get('steps') || '').split('.')) {
		const m = /^([fih])(\d{1,8})$/.exec(s);
		if (m && Number(m[2]) <= frames)
			steps.push({ op: m[1] === 'f' ? 'focus' : m[1] === 'i' ? 'ignore' : 'hide', frame: Number(m[2]) });
	}
	const zoom = (p.get('zoom') || '').split('.').filter((s) => /^\d{1,8}$/.test(s)).map(Number);
	const order = p.get('order'), group = p.get('group'), colours = p.get('colours');
	const from = numberIn(p.get('from'), 0, slices, -1), to = numberIn(p.get('to'), 0, slices, -1);
	return {
		view: VIEWS.includes(view) && (view !== 'diff' || model.data.diff) ? view : firstView(model.data),
		event: numberIn(p.get('event'), 0, model.data.events.length - 1, event),
		thread: numberIn(p.get('thread'), 0, model.data.threads.name.length - 1, -1),
		pid: numberIn(p.get('pid'), -1, 999999999, -1),
		cpu: numberIn(p.get('cpu'), 0, 99999999, -1),
		from: from >= 0 && to >= from ? from : -1,
		to: from >= 0 && to >= from ? to : -1,
		weight: p.get('weight') === 'count' ? 'count' : 'period',
		steps,
		recursion: p.get('recursion') === '1',
		group: group === 'object' || group === 'package' ? group : '',
		before: p.get('before') === '1' && model.compares,
		threads: p.get('threads') === '1',
		callers: p.get('callers') === '1',
		up: p.get('up') === '1',
		order: order === 'name' || order === 'time' ? order : 'heavy',
		search: p.get('search') || '',
		zoom,
		function: numberIn(p.get('function'), 0, frames, -1),
		sort: p.get('sort') || 'self',
		filter: p.get('filter') || '',
		colours: colours === 'kind' || colours === 'object' || (colours === 'change' && model.compares) ? colours : '',
		compared: numberIn(p.get('compared'), 0, model.data.diff ? model.data.diff.events.length - 1 : 0, 0),
		significant: p.get('significant') === '1',
		columns: /^[a-z0-9.]{1,400}$/.test(p.get('columns') || '') ? p.get('columns') || '' : '',
	};
}

/** @param {State} s @param {number} event @param {string} view what is not said */
function fragmentOf(s, event, view) {
	const p = new URLSearchParams();
	/** @param {string} name @param {string|number|boolean} value @param {string|number|boolean} usual */
	const put = (name, value, usual) => {
		if (value !== usual)
			p.set(name, value === true ? '1' : String(value));
	};
	put('view', s.view, view);
	put('event', s.event, event);
	put('thread', s.thread, -1);
	put('pid', s.pid, -1);
	put('cpu', s.cpu, -1);
	put('from', s.from, -1);
	put('to', s.to, -1);
	put('weight', s.weight, 'period');
	put('steps', s.steps.map((x) => x.op[0] + x.frame).join('.'), '');
	put('recursion', s.recursion, false);
	put('group', s.group, '');
	put('before', s.before, false);
	put('threads', s.threads, false);
	put('callers', s.callers, false);
	put('up', s.up, false);
	put('order', s.order, 'heavy');
	put('search', s.search, '');
	put('zoom', s.zoom.join('.'), '');
	put('function', s.function, -1);
	put('sort', s.sort, 'self');
	put('filter', s.filter, '');
	put('colours', s.colours, '');
	put('columns', s.columns, '');
	put('compared', s.compared, 0);
	put('significant', s.significant, false);
	return p.toString();
}
