// SPDX-License-Identifier: GPL-2.0-or-later
// The page: one state, a bar that changes it, the view that it names. A change goes into the address and
// from there into the view, so that there is one way only.

/** @type {('callers'|'up'|'recursion'|'threads')[]} */
const SWITCHES = ['callers', 'up', 'recursion', 'threads'];
const GRAPHS = ['flame', 'tree', 'sandwich'];

class App {
	/** @param {PageData} data */
	constructor(data) {
		this.data = data;
		this.model = new Model(data);
		this.event = mainEvent(data);
		this.state = stateOf(this.model, location.hash, this.event);
		/** @type {Block|null} */
		this.chosen = null;
		this.computed = '';
		this.told = ''; /* by the legend */
		/** @type {Block|null} */
		this.root = null;
		this.rootKey = '';
		const flame = (/** @type {string} */ label) => new Flame(this.model, {
			label,
			onSelect: (b) => this.choose(b),
			onZoom: (b) => this.zoom(b),
		});
		this.flame = flame('Flame graph: arrow keys walk, Enter zooms, Escape shows all; the view Tree says the same in words');
		this.above = flame('What calls the function');
		this.below = flame('What the function calls');
		for (const part of [this.above, this.below])
			part.o.onZoom = (b) => {
				if (part.root)
					part.show(part.root, b);
				this.choose(b);
			};
		this.tree = new CallTree(this.model, (b) => this.choose(b));
		this.time = new TimeView(this.model, (from, to) => this.go({ from, to, zoom: [] }));
		window.addEventListener('hashchange', () => {
			this.state = stateOf(this.model, location.hash, this.event);
			this.render();
		});
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.render());
		this.bar();
		document.addEventListener('keydown', (e) => {
			if (e.key !== '/' || e.target instanceof HTMLInputElement || e.ctrlKey || e.metaKey)
				return;
			e.preventDefault();
			byId('search').focus();
		});
	}

	/** @param {string} text for readers, and to be seen */
	tell(text) {
		byId('status').textContent = text;
	}

	/** @param {Partial<State>} change */
	go(change) {
		const text = fragmentOf({ ...this.state, ...change }, this.event, firstView(this.data));
		if (location.hash.replace(/^#/, '') === text)
			return;
		location.hash = text;
	}

	/* ---- the bar ---- */

	/** @param {string} id @param {[string, string][]} options @param {(value: string) => void} act */
	select(id, options, act) {
		const s = /** @type {HTMLSelectElement} */ (byId(id));
		s.replaceChildren(...options.map(([value, text]) => el('option', { value }, short(text))));
		s.addEventListener('change', () => act(s.value));
		s.closest('label')?.toggleAttribute('hidden', options.length < 2);
	}

	bar() {
		const d = this.data, m = this.model;
		/* Where perf itself lies is told by the view of the recording. */
		const [perf, ...words] = d.recording.command, name = short(perf === undefined ? d.recording.file : [perf.replace(/^\/.*\//, ''), ...words].join(' '));
		document.title = `perf: ${name}`;
		byId('title').textContent = name;
		byId('facts').textContent = [`${grouped(d.recording.samples)} samples`, d.recording.duration_ns === undefined ? '' : duration(d.recording.duration_ns),
			d.recording.host || '', d.before ? `compared with ${short(d.before.file)}` : ''].filter((t) => t).join(' · ');
		for (const tab of document.querySelectorAll('[role=tab]'))
			tab.addEventListener('click', () => this.go({ view: tab.id.replace('tab-', '') }));
		byId('tabs').addEventListener('keydown', (e) => {
			const tabs = [...document.querySelectorAll('[role=tab]:not([hidden])')];
			const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
			const to = tabs[tabs.findIndex((t) => t === document.activeElement) + by];
			if (!by || !(to instanceof HTMLElement))
				return;
			to.focus();
			to.click();
		});
		byId('tab-diff').hidden = !d.diff;
		byId('tab-branches').hidden = !d.branches.all;
		byId('tab-time').hidden = !d.time.width;
		byId('tab-code').hidden = !(d.code && d.code.length);
		byId('tab-simd').hidden = !d.vectors;
		byId('tab-registers').hidden = !d.registers;
		byId('tab-quality').hidden = !d.quality;
		this.select('event', d.events.map((e, i) => [String(i), e.name]), (v) => this.go({ event: Number(v), zoom: [] }));
		const pids = [...new Set(d.threads.pid.filter((_, i) => !m.beforeThread[i]))].sort((a, b) => a - b);
		const named = (/** @type {number} */ pid) => d.strings[d.threads.name[d.threads.pid.indexOf(pid)]];
		this.select('process', [['-1', 'all processes'], ...pids.map((p) => /** @type {[string, string]} */ ([String(p), `${p} ${named(p)}`]))],
			(v) => this.go({ pid: Number(v), thread: -1, zoom: [] }));
		const threads = d.threads.name.map((_, i) => /** @type {[string, string]} */ ([String(i), m.threadName(i)]))
			.filter((_, i) => !m.beforeThread[i]).sort((a, b) => (a[1] < b[1] ? -1 : 1));
		this.select('thread', [['-1', 'all threads'], ...threads], (v) => this.go({ thread: Number(v), pid: -1, zoom: [] }));
		const cpus = [...new Set(d.groups.cpu)].filter((c) => c >= 0).sort((a, b) => a - b);
		this.select('cpu', [['-1', 'all CPUs'], ...cpus.map((c) => /** @type {[string, string]} */ ([String(c), `CPU ${c}`]))],
			(v) => this.go({ cpu: Number(v), zoom: [] }));
		this.select('weight', [['period', 'events'], ['count', 'samples']], (v) => this.go({ weight: v === 'count' ? 'count' : 'period' }));
		this.select('order', [['heavy', 'heavy first'], ['name', 'by name'], ['time', 'as they came']],
			(v) => this.go({ order: v === 'name' || v === 'time' ? v : 'heavy', zoom: [] }));
		this.select('group', [['', 'functions'], ['object', 'objects'], ['package', 'packages']],
			(v) => this.go({ group: v === 'object' || v === 'package' ? v : '', zoom: [] }));
		this.select('colours', [...(m.compares ? [/** @type {[string, string]} */ (['change', 'change'])] : []), ['kind', 'kind'], ['object', 'object']],
			(v) => this.go({ colours: v === 'kind' || v === 'object' || v === 'change' ? v : '' }));
		this.select('sizes', m.compares ? [['', 'now'], ['1', 'before']] : [['', 'now']], (v) => this.go({ before: v === '1' }));
		for (const id of SWITCHES) {
			const box = /** @type {HTMLInputElement} */ (byId(id));
			box.addEventListener('change', () => this.go({ [id]: box.checked, zoom: [] }));
		}
		const search = /** @type {HTMLInputElement} */ (byId('search'));
		search.addEventListener('change', () => this.go({ search: search.value }));
		byId('reset').addEventListener('click', () => this.go({ zoom: [] }));
	}

	/** What the controls show. */
	barState() {
		const s = this.state;
		const set = (/** @type {string} */ id, /** @type {string|number} */ v) => {
			/** @type {HTMLSelectElement|HTMLInputElement} */ (byId(id)).value = String(v);
		};
		set('event', s.event);
		set('process', s.pid);
		set('thread', s.thread);
		set('cpu', s.cpu);
		set('weight', s.weight);
		set('order', s.order);
		set('group', s.group);
		set('colours', this.colours());
		set('sizes', s.before ? '1' : '');
		set('search', s.search);
		for (const id of SWITCHES)
			/** @type {HTMLInputElement} */ (byId(id)).checked = s[id];
		for (const tab of document.querySelectorAll('[role=tab]')) {
			const on = tab.id === `tab-${s.view}`;
			tab.setAttribute('aria-selected', String(on));
			tab.setAttribute('tabindex', on ? '0' : '-1');
		}
		byId('view').setAttribute('aria-labelledby', `tab-${s.view}`);
		byId('graph-bar').hidden = !GRAPHS.includes(s.view);
		/* What a view has no use for is not offered there. */
		for (const [id, views] of /** @type {[string, string[]][]} */ ([['callers', ['flame', 'tree']], ['up', ['flame']], ['order', ['flame', 'sandwich']], ['colours', ['flame', 'sandwich']]]))
			byId(id).closest('label')?.toggleAttribute('hidden', !views.includes(s.view));
		byId('reset').hidden = s.view !== 'flame';
		this.legend();
		const crumbs = byId('steps');
		crumbs.replaceChildren();
		s.steps.forEach((step, i) => crumbs.append(button(`${step.op} ${short(this.model.names[step.frame])} ✕`,
			() => this.go({ steps: s.steps.filter((_, k) => k !== i), zoom: [] }), { class: 'crumb', title: 'take this away' })));
		if (s.from >= 0)
			crumbs.append(button(`time ${this.time.text(s.from)} to ${this.time.text(s.to + 1)} ✕`,
				() => this.go({ from: -1, to: -1, zoom: [] }), { class: 'crumb', title: 'all of the time' }));
	}

	/** @returns {'kind'|'object'|'change'} */
	colours() {
		return this.state.colours || (this.model.compares ? 'change' : 'kind');
	}

	/** What the colours of the graph mean, of those that there are. */
	legend() {
		const by = this.colours(), m = this.model;
		/** @type {[string, string][]} */
		let list = [];
		if (by === 'change')
			list = CHANGES;
		else if (by === 'kind')
			list = [...new Set(m.kinds)].sort((a, b) => a - b).map((k) => [[0, 1, 2, 3].includes(k) ? `${KINDS[k].toLowerCase()}-0` : KINDS[k], KINDS[k]]);
		if (this.told === `${by} ${list.length}`)
			return;
		this.told = `${by} ${list.length}`;
		byId('legend').replaceChildren(...list.map(([colour, text]) => {
			const swatch = el('span');
			swatch.style.background = `var(--${colour})`;
			return el('li', {}, swatch, text);
		}));
	}

	/* ---- what is chosen ---- */

	/** @param {Block} b */
	choose(b) {
		const m = this.model, box = byId('detail');
		this.chosen = b;
		box.replaceChildren();
		if (b.frame < 0) {
			box.append(el('p', {}, `all: ${grouped(m.samples)} samples, ${grouped(m.all)} ${this.state.weight === 'count' ? 'samples' : 'events'}` +
				(m.compares ? `; ${m.swapped ? 'now' : 'before'} ${grouped(m.otherSamples)} samples, ${grouped(m.allOther)}` : '')),
				el('p', { class: 'note' }, this.state.view === 'flame' ? 'A click makes a block as wide as the page; with the keyboard arrows walk, Enter zooms, Escape shows all. / searches.' : ''));
			return;
		}
		const parent = b.parent && b.parent.frame >= 0 ? b.parent : null;
		/* Shares of what fills the width, where that is not all. */
		const zoom = this.state.view === 'flame' && this.flame.zoom && this.flame.zoom.frame >= 0 && this.flame.zoom !== b ? this.flame.zoom : null;
		const name = m.names[b.frame];
		const object = m.objects[b.frame] >= 0 ? this.data.objects[m.objects[b.frame]].path : '-';
		box.append(el('p', {}, el('span', { class: 'name' }, name), el('span', { class: 'where' }, ` ${KINDS[m.kinds[b.frame]]} · ${object}`)),
			el('p', {}, `${percent(b.weight, m.all)} of all` + (parent ? ` · ${percent(b.weight, parent.weight)} of ${short(m.names[parent.frame])}` : '') +
				(zoom ? ` · ${percent(b.weight, zoom.weight)} of what is seen` : '') + ` · itself ${percent(b.self, m.all)} · ${grouped(b.weight)}` +
				(m.compares && !b.span ? ` · ${m.swapped ? 'now' : 'before'} ${percent(b.other, m.all)} · change ${change(...m.nowAndBefore(b), m.all)}` : '')));
		if (m.kinds[b.frame] !== CUT && b.frame < m.firstMade) {
			const step = (/** @type {Step['op']} */ op) => () => this.go({ steps: [...this.state.steps, { op, frame: b.frame }], zoom: [] });
			box.append(el('p', { class: 'bar' },
				button('Focus', step('focus'), { title: 'only stacks with this function' }),
				button('Ignore', step('ignore'), { title: 'no stacks with this function' }),
				button('Hide', step('hide'), { title: 'what it costs is its callers\'' }),
				...(this.hasCode(b.frame) ? [button('Code', () => this.go({ view: 'code', function: b.frame }), { title: 'its instructions' })] : []),
				button('Sandwich', () => this.go({ view: 'sandwich', function: b.frame, zoom: [] }), { title: 'what calls it, what it calls' }),
				button('Copy stack', () => copy(m.stack(b).map((f) => m.names[f]).join('\n'),
					(done) => this.tell(done ? 'The stack is in the clipboard.' : 'This browser does not let the page copy.')))));
		}
		this.tell(`${short(name)}, ${percent(b.weight, m.all)}, level ${b.depth}`);
	}

	/** @param {number} frame */
	hasCode(frame) {
		return (this.data.code || []).some((c) => c.frame === frame);
	}

	/** @param {Block} b */
	zoom(b) {
		/** @type {number[]} */
		const path = [];
		for (let at = /** @type {Block|null} */ (b); at && at.frame >= 0; at = at.parent)
			path.unshift(at.span && at.parent ? this.model.below(at.parent).indexOf(at) : at.frame);
		this.go({ zoom: path });
	}

	/** @param {Block} root @param {number[]} path */
	find(root, path) {
		let at = root;
		for (const frame of path) {
			/* In the order of time a function is there many times: it is told by its place. */
			const list = this.model.below(at), to = at.span ? list[frame] : list.find((b) => b.frame === frame);
			if (!to)
				break;
			at = to;
		}
		return at;
	}

	/* ---- views ---- */

	compute() {
		const s = this.state;
		const key = JSON.stringify([GRAPHS.includes(s.view), s.event, s.thread, s.pid, s.cpu, s.from, s.to, s.weight, s.steps, s.recursion, s.group, s.threads, s.before]);
		if (key === this.computed)
			return;
		this.computed = key;
		this.root = null;
		const threads = s.threads && GRAPHS.includes(s.view);
		this.model.compute({ ...s, threads });
	}

	/** @returns {Block} */
	blocks() {
		const s = this.state, chart = s.view === 'flame' && s.order === 'time' && !s.callers;
		const key = `${this.computed}${s.callers}${chart}`;
		if (!this.root || this.rootKey !== key)
			this.root = s.callers ? this.model.callers() : chart ? this.model.chart(s) : this.model.callees();
		this.rootKey = key;
		return this.root;
	}

	found() {
		const f = this.model.search(this.state.search), m = this.model;
		byId('found').textContent = !f ? '' : `${f.nr} functions${f.plain ? ' (as plain text)' : ''}, ${percent(m.share(f.match), m.all)} of samples' ${this.state.weight === 'count' ? 'number' : 'events'}`;
		for (const view of [this.flame, this.above, this.below, this.tree])
			view.match = f ? f.match : null;
		for (const view of [this.flame, this.above, this.below])
			view.colours = this.colours();
	}

	/** @returns {Node} */
	flameView() {
		const root = this.blocks(), zoom = this.find(root, this.state.zoom);
		this.flame.up = this.state.up;
		this.flame.order = this.state.order;
		queueMicrotask(() => {
			this.flame.show(root, zoom);
			this.choose(zoom);
			const note = this.flame.hidden && this.flame.zoom ? `${percent(this.flame.hidden, this.flame.zoom.weight)} lie in blocks too small to be drawn` : '';
			this.tell(`${grouped(this.model.samples)} samples${note ? `; ${note}` : ''}`);
			byId('reset').toggleAttribute('disabled', zoom === root);
		});
		return this.flame.box;
	}

	/** @returns {Node} */
	sandwichView() {
		const s = this.state, m = this.model;
		let frame = s.function;
		if (frame < 0) {
			const by = m.functions().filter((f) => f.frame < m.firstMade).sort((a, b) => b.self - a.self);
			frame = by.length ? by[0].frame : -1;
		}
		if (frame < 0)
			return el('p', { class: 'note' }, 'There are no samples.');
		const { callees, callers } = m.sandwich(frame);
		this.above.up = true;
		this.below.up = false;
		this.above.order = this.below.order = s.order;
		queueMicrotask(() => {
			this.above.show(callers, callers);
			this.below.show(callees, callees);
			this.choose(callees);
		});
		const pick = el('select', { id: 'function' });
		const list = m.functions().filter((f) => f.frame < m.firstMade).sort((a, b) => b.total - a.total).slice(0, 500);
		if (!list.some((f) => f.frame === frame))
			list.unshift({ frame, self: callees.self, total: callees.weight, other: 0, otherTotal: callees.other });
		for (const f of list)
			pick.append(el('option', { value: String(f.frame) }, `${percent(f.total, m.all)}  ${short(m.names[f.frame])}`));
		pick.value = String(frame);
		pick.addEventListener('change', () => this.go({ function: Number(pick.value), zoom: [] }));
		return el('div', { class: 'view sandwich' }, el('div', { class: 'bar' }, el('label', { for: 'function' }, 'Function '), pick,
			el('span', {}, `${percent(callees.weight, m.all)} of all, itself ${percent(callees.self, m.all)}` +
				(m.compares ? `, change ${change(...m.nowAndBefore(callees), m.all)}` : ''))),
		el('h2', {}, `Callers of ${short(m.names[frame])}`), this.above.box,
		el('h2', {}, 'What it calls'), this.below.box);
	}

	/** @returns {Node} */
	treeView() {
		this.tree.show(this.blocks());
		return el('div', { class: 'view' }, el('p', { class: 'note' }, `Share with what is below, share of its own, ${this.model.compares ? 'change of the first since the other recording, ' : ''}kind, name.`), this.tree.box);
	}

	render() {
		const s = this.state, view = byId('view');
		this.compute();
		this.barState();
		this.found();
		const go = (/** @type {Partial<State>} */ c) => this.go(c);
		byId('detail').replaceChildren();
		/** @type {Record<string, () => Node>} */
		const views = {
			diff: () => diffView(this.model, s, go),
			flame: () => this.flameView(),
			functions: () => functionsView(this.model, s, go),
			sandwich: () => this.sandwichView(),
			tree: () => this.treeView(),
			time: () => this.time.box,
			branches: () => branchesView(this.model, s, go),
			simd: () => simdView(this.model, s, go),
			registers: () => registersView(this.model, s, go),
			quality: () => qualityView(this.model, s, go),
			code: () => codeView(this.model, s, go),
			recording: () => recordingView(this.model, s, go),
		};
		/* What somebody stands on with the keyboard stays where it is, or is found again by its name. */
		const at = document.activeElement ? document.activeElement.id : '';
		const shown = views[s.view]();
		if (view.firstChild !== shown)
			view.replaceChildren(shown);
		const now = at ? document.getElementById(at) : null;
		if (now && now !== document.activeElement)
			now.focus({ preventScroll: true });
		if (s.view === 'time')
			this.time.show(s);
		if (s.view !== 'flame')
			this.tell(`${grouped(this.model.samples)} samples`);
		document.body.dataset.view = s.view;
	}
}

async function start() {
	const note = byId('status');
	try {
		const app = new App(await readData());
		app.render();
		document.body.dataset.ready = 'yes';
		performance.mark('first-view');
	} catch (e) {
		note.textContent = `This page cannot be shown: ${e instanceof Error ? e.message : String(e)}`;
		document.body.dataset.ready = 'failed';
		throw e;
	}
}

start();
