// SPDX-License-Identifier: GPL-2.0-or-later
// What is asked of the data: samples chosen by event, thread, CPU and time; the tree of calls changed by
// steps (focus, ignore, hide, recursion, groups); sums; searching. A tree is arrays by node in which a
// parent always stands before its children, so every sum is one loop. Where the page has another recording
// to compare with, each sum stands beside that one's, as large as if both had the same sum of all.

const KINDS = ['user', 'kernel', 'inlined', 'JIT', 'unknown', 'guest', 'cut', 'thread'];
const CUT = 6, THREAD = 7;

/*
 * Columns of vectors, as tools/lib/page/log.c writes them: samples, by live width (none, 128, 256, 512),
 * with a known instruction, by its width, dirty; with registers 16-31, live there; masked, their permille;
 * filled, theirs; and of these the greatest: width of the function, dirty width, whether that is known.
 */
const SIMD_COLUMNS = 20, SIMD_GREATEST = 17;

/**
 * @typedef {{op: 'focus'|'ignore'|'hide', frame: number}} Step
 * @typedef {{event: number, thread: number, pid: number, cpu: number, from: number, to: number,
 *   weight: 'period'|'count', steps: Step[], recursion: boolean, group: ''|'object'|'package',
 *   threads: boolean, before: boolean}} Query
 *   thread, pid, cpu: -1 = all; from, to: slices, -1 = all; before: sizes are those of the other recording
 * @typedef {{frame: number, weight: number, self: number, other: number, nodes: number[],
 *   weights: number[]|null, others: number[]|null, span: [number, number]|null,
 *   parent: Block|null, children: Block[]|null, depth: number}} Block
 *   weights, others: of callers, by node; span: of samples as they came, which of them
 */

/**
 * The package, module or namespace that a name says: of Java, Go, C++, Rust, scripts. '' where it says none.
 * @param {string} name
 */
function packageOf(name) {
	const script = /^(?:py::[^:]*:|(?:LazyCompile|Function|JS|Script|Eval|RegExp):\S*\s+)(.+?)(?::\d+)*$/.exec(name);
	if (script)
		return script[1];
	const java = /^L?((?:[a-z_][\w$]*[/.])+)[A-Z$][\w$]*;?(?:::|\.|$)/.exec(name);
	if (java)
		return java[1].slice(0, -1).replaceAll('/', '.');
	/* Suffixes of compilers are no packages. */
	const plain = name.replace(/(\.(isra|constprop|part|cold|lto_priv|llvm|clone|\d+))+$/, '').replace(/@.*/, '');
	const go = /^((?:[\w.~-]+\/)*[\w~-]+)\.(?:\(\*?[\w[\]]+\)\.)?\w/.exec(plain);
	if (go)
		return go[1];
	const cpp = /^(?:[^(<]*\s)?[<&*]*([A-Za-z_]\w*)::/.exec(plain.replace(/^<+(?:[&*]|mut |const |dyn )*/, ''));
	return cpp ? cpp[1] : '';
}

class Model {
	/** @param {PageData} data */
	constructor(data) {
		this.data = data;
		this.base = readTree(data.nodes);
		this.rows = readRows(data.rows);
		/** @type {string[]} */
		this.names = data.frames.name.map((s) => data.strings[s]);
		this.kinds = data.frames.kind.slice();
		this.objects = data.frames.object.slice();
		/** Frames that stand for an object or a package: made when they are asked for. @type {Map<string, number>} */
		this.groupFrames = new Map();
		/** By frame: that of its group. @type {Map<string, Int32Array>} */
		this.grouped = new Map();
		this.firstMade = this.names.length;
		/** As steps leave it. @type {Tree} */
		this.shaped = this.base;
		/** That, or one with threads as its outermost frames. @type {Tree} */
		this.tree = this.base;
		/** Frames that stand for a thread. @type {Map<number, number>} */
		this.threadFrames = new Map();
		/** @type {Int32Array|null} */
		this.map = null; /* node of base -> of shaped; -1: left out */
		this.shapeKey = '';
		this.self = new Float64Array(0);
		this.total = new Float64Array(0);
		/** The same of the other recording. */
		this.other = new Float64Array(0);
		this.otherTotal = new Float64Array(0);
		this.all = this.allOther = 0;
		this.samples = this.otherSamples = 0;
		this.compares = !!data.before;
		/** Sizes are those of the other recording. */
		this.swapped = false;
		/** Threads of the other recording. */
		this.beforeThread = new Uint8Array(data.threads.name.length);
		(data.groups.before || []).forEach((before, i) => {
			if (before)
				this.beforeThread[data.groups.thread[i]] = 1;
		});
		/** Samples as they came, see chart(). */
		this.chartNode = new Int32Array(0);
		this.chartWeight = new Float64Array(0);
		this.levels = { depth: -1, at: new Int32Array(0), tree: this.base };
		this.child = new Int32Array(0);
		this.next = new Int32Array(0);
		this.roots = -1;
		/** By row: its node in a tree by thread. @type {Int32Array|null} */
		this.split = null;
	}

	/** @param {number} thread */
	threadName(thread) {
		const t = this.data.threads;
		return `${this.data.strings[t.name[thread]]} ${t.pid[thread]}/${t.tid[thread]}`;
	}

	/** @param {number} frame */
	objectName(frame) {
		const o = this.objects[frame];
		return o < 0 ? '' : this.data.objects[o].name;
	}

	/** @param {number} frame @param {'object'|'package'} by the frame that stands for the group of this one */
	frameOfGroup(frame, by) {
		let of = this.grouped.get(by);
		if (!of)
			this.grouped.set(by, of = new Int32Array(this.firstMade).fill(-1));
		if (of[frame] >= 0)
			return of[frame];
		const o = this.objects[frame];
		const object = o < 0 ? '[unknown]' : this.data.objects[o].name;
		const name = by === 'package' ? packageOf(this.names[frame]) || object : object;
		const kind = this.kinds[frame] === 2 ? 0 : this.kinds[frame];
		const key = `${by} ${kind} ${name}`;
		let id = this.groupFrames.get(key);
		if (id === undefined) {
			id = this.names.length;
			this.names.push(name);
			this.kinds.push(kind);
			this.objects.push(o);
			this.groupFrames.set(key, id);
		}
		return of[frame] = id;
	}

	/**
	 * The tree as steps leave it. Nodes whose samples are left out stay, with none of their own.
	 * @param {Query} q
	 */
	shape(q) {
		const key = JSON.stringify([q.steps, q.recursion, q.group]);
		if (key === this.shapeKey)
			return;
		this.shapeKey = key;
		if (!q.steps.length && !q.recursion && !q.group) {
			this.shaped = this.base;
			this.map = null;
			return;
		}
		const base = this.base;
		const map = new Int32Array(base.n);
		const out = new Uint8Array(base.n);
		/** @type {number[]} */
		const parent = [];
		/** @type {number[]} */
		const frames = [];
		/** @type {Map<number, number>} */
		const made = new Map();
		const hidden = new Set(q.steps.filter((s) => s.op === 'hide').map((s) => s.frame));
		for (let i = 0; i < base.n; i++) {
			const up = base.parent[i] < 0 ? -1 : map[base.parent[i]];
			const frame = q.group ? this.frameOfGroup(base.frame[i], q.group) : base.frame[i];
			const same = (q.recursion || q.group) && up >= 0 && frames[up] === frame;
			if (up >= 0 && (same || hidden.has(base.frame[i]))) {
				map[i] = up;
				continue;
			}
			const name = (up + 1) * 4194304 + frame;
			let to = made.get(name);
			if (to === undefined) {
				to = parent.length;
				parent.push(up);
				frames.push(frame);
				made.set(name, to);
			}
			map[i] = to;
		}
		for (const s of q.steps)
			this.leaveOut(s, out);
		for (let i = 0; i < base.n; i++)
			if (out[i])
				map[i] = -1;
		this.shaped = { n: parent.length, parent: Int32Array.from(parent), frame: Int32Array.from(frames) };
		this.map = map;
	}

	/** @param {Step} s @param {Uint8Array} out of nodes of the base: their samples are left out */
	leaveOut(s, out) {
		if (s.op === 'hide')
			return;
		const base = this.base;
		const inside = new Uint8Array(base.n);
		for (let i = 0; i < base.n; i++) {
			const up = base.parent[i];
			inside[i] = base.frame[i] === s.frame || (up >= 0 && inside[up]) ? 1 : 0;
			if (inside[i] === (s.op === 'focus' ? 0 : 1))
				out[i] = 1;
		}
	}

	/**
	 * Which groups of samples pass. Threads of the other recording have other numbers: there it is those of
	 * the same name.
	 * @param {Query} q @param {Set<number>} [events] instead of the one that is chosen
	 * @returns {Uint8Array}
	 */
	groups(q, events) {
		const g = this.data.groups, t = this.data.threads;
		const pass = new Uint8Array(g.event.length);
		const names = new Set(t.name.filter((_, i) => !this.beforeThread[i] && (t.pid[i] === q.pid || i === q.thread)));
		for (let i = 0; i < pass.length; i++) {
			const thread = g.thread[i];
			const who = this.beforeThread[thread]
				? (q.thread < 0 && q.pid < 0) || names.has(t.name[thread])
				: (q.thread < 0 || thread === q.thread) && (q.pid < 0 || t.pid[thread] === q.pid);
			pass[i] = (events ? events.has(g.event[i]) : g.event[i] === q.event) && who && (q.cpu < 0 || g.cpu[i] === q.cpu) ? 1 : 0;
		}
		return pass;
	}

	/** @param {number} thread */
	frameOfThread(thread) {
		let id = this.threadFrames.get(thread);
		if (id === undefined) {
			id = this.names.length;
			this.names.push(this.threadName(thread));
			this.kinds.push(THREAD);
			this.objects.push(-1);
			this.threadFrames.set(thread, id);
		}
		return id;
	}

	/** Rows that pass. @param {Query} q @param {(row: number, node: number) => void} use */
	passing(q, use) {
		const r = this.rows, pass = this.groups(q);
		for (let i = 0; i < r.n; i++) {
			if (!pass[r.group[i]] || (q.from >= 0 && (r.slice[i] < q.from || r.slice[i] > q.to)))
				continue;
			const node = this.map ? this.map[r.node[i]] : r.node[i];
			if (node >= 0)
				use(i, node);
		}
	}

	/**
	 * The shaped tree once for each thread, below a frame of the thread's name; and where each row's
	 * samples are in it.
	 * @param {Query} q @returns {Int32Array} by row; -1: does not pass
	 */
	splitByThread(q) {
		const from = this.shaped, of = this.data.groups.thread;
		const at = new Int32Array(this.rows.n).fill(-1);
		/** @type {number[]} */
		const parent = [];
		/** @type {number[]} */
		const frames = [];
		/** @type {Map<number, number>} */
		const made = new Map();
		/** @type {number[]} */
		const way = [];
		this.passing(q, (i, node) => {
			const thread = of[this.rows.group[i]], first = thread * (from.n + 1);
			way.length = 0;
			let to = /** @type {number|undefined} */ (undefined);
			for (let k = node; (to = made.get(first + k + 1)) === undefined && k >= 0; k = from.parent[k])
				way.push(k);
			if (to === undefined) {
				to = parent.length;
				parent.push(-1);
				frames.push(this.frameOfThread(thread));
				made.set(first, to);
			}
			for (let k = way.length; k-- > 0;) {
				parent.push(to);
				frames.push(from.frame[way[k]]);
				to = parent.length - 1;
				made.set(first + way[k] + 1, to);
			}
			at[i] = to;
		});
		this.tree = { n: parent.length, parent: Int32Array.from(parent), frame: Int32Array.from(frames) };
		return at;
	}

	/** Sums of what passes. @param {Query} q */
	compute(q) {
		this.shape(q);
		this.tree = this.shaped;
		const split = q.threads ? this.splitByThread(q) : null;
		const t = this.tree, r = this.rows, side = this.data.groups.before;
		const weight = q.weight === 'count' ? r.count : r.period;
		const first = q.before && side ? 1 : 0;
		this.split = split;
		this.swapped = first === 1;
		this.self = new Float64Array(t.n);
		this.other = new Float64Array(side ? t.n : 0);
		this.all = this.samples = this.allOther = this.otherSamples = 0;
		this.passing(q, (i, node) => {
			const at = split ? split[i] : node;
			if (side && side[r.group[i]] !== first) {
				this.other[at] += weight[i];
				this.allOther += weight[i];
				this.otherSamples += r.count[i];
				return;
			}
			this.self[at] += weight[i];
			this.all += weight[i];
			this.samples += r.count[i];
		});
		for (let i = 0; i < this.other.length; i++)
			this.other[i] *= this.allOther ? this.all / this.allOther : 0;
		this.total = this.sums(this.self);
		this.otherTotal = this.sums(this.other);
		this.link();
	}

	/** With what is below. @param {Float64Array} self */
	sums(self) {
		const total = self.slice(), parent = this.tree.parent;
		for (let i = total.length; i-- > 0;)
			if (parent[i] >= 0)
				total[parent[i]] += total[i];
		return total;
	}

	/** First child and next sibling of each node that has samples. */
	link() {
		const t = this.tree;
		this.child = new Int32Array(t.n).fill(-1);
		this.next = new Int32Array(t.n).fill(-1);
		this.roots = -1;
		for (let i = t.n; i-- > 0;) {
			if (!this.total[i] && !this.otherTotal[i])
				continue;
			const up = t.parent[i];
			this.next[i] = up < 0 ? this.roots : this.child[up];
			if (up < 0)
				this.roots = i;
			else
				this.child[up] = i;
		}
	}

	/* ---- blocks: what a flame graph shows, made as far as it is looked at ---- */

	/** @param {Partial<Block>} more @returns {Block} */
	block(more) {
		return { frame: -1, weight: 0, self: 0, other: 0, nodes: [], weights: null, others: null, span: null,
			parent: null, children: null, depth: 0, ...more };
	}

	/** @returns {Block} */
	callees() {
		const root = this.block({ weight: this.all, other: this.allOther ? this.all : 0 });
		const list = [];
		for (let i = this.roots; i >= 0; i = this.next[i])
			list.push(i);
		root.children = this.group(root, list, null, null);
		return root;
	}

	/** Functions that samples were in, each above those that called it. @returns {Block} */
	callers() {
		/** @type {number[]} */
		const list = [];
		/** @type {number[]} */
		const weights = [];
		/** @type {number[]} */
		const others = [];
		for (let i = 0; i < this.tree.n; i++)
			if (this.self[i] || this.other[i]) {
				list.push(i);
				weights.push(this.self[i]);
				others.push(this.other[i] || 0);
			}
		const root = this.block({ weight: this.all, other: this.allOther ? this.all : 0, weights: [], others: [] });
		root.children = this.group(root, list, weights, others);
		return root;
	}

	/**
	 * What a function calls, and what calls it: a sample counts once, by the outermost call.
	 * @param {number} frame @returns {{callees: Block, callers: Block}}
	 */
	sandwich(frame) {
		const t = this.tree, inside = new Uint8Array(t.n);
		/** @type {number[]} */
		const list = [];
		/** @type {number[]} */
		const weights = [];
		/** @type {number[]} */
		const others = [];
		let weight = 0, self = 0, other = 0;
		for (let i = 0; i < t.n; i++) {
			const up = t.parent[i];
			const within = up >= 0 && inside[up];
			inside[i] = within || t.frame[i] === frame ? 1 : 0;
			if (t.frame[i] === frame)
				self += this.self[i];
			if (t.frame[i] !== frame || within || !(this.total[i] || this.otherTotal[i]))
				continue;
			list.push(i);
			weights.push(this.total[i]);
			others.push(this.otherTotal[i] || 0);
			weight += this.total[i];
			other += this.otherTotal[i] || 0;
		}
		const one = { frame, weight, self, other, nodes: list };
		return { callees: this.block(one), callers: this.block({ ...one, weights, others }) };
	}

	/**
	 * Nodes as blocks, one for each frame.
	 * @param {Block} parent @param {number[]} list @param {number[]|null} weights of callers
	 * @param {number[]|null} others
	 * @returns {Block[]}
	 */
	group(parent, list, weights, others) {
		/** @type {Map<number, Block>} */
		const by = new Map();
		for (let k = 0; k < list.length; k++) {
			const i = list[k], frame = this.tree.frame[i];
			let b = by.get(frame);
			if (!b)
				by.set(frame, b = this.block({ frame, weights: weights ? [] : null, others: others ? [] : null,
					parent, depth: parent.depth + 1 }));
			b.nodes.push(i);
			b.weight += weights ? weights[k] : this.total[i];
			b.other += others ? others[k] : this.otherTotal[i] || 0;
			b.self += weights ? (this.tree.parent[i] < 0 ? weights[k] : 0) : this.self[i];
			if (weights && b.weights)
				b.weights.push(weights[k]);
			if (others && b.others)
				b.others.push(others[k]);
		}
		return [...by.values()];
	}

	/** @param {{weight: number, other: number}} b @returns {[number, number]} */
	nowAndBefore(b) {
		return this.swapped ? [b.other, b.weight] : [b.weight, b.other];
	}

	/**
	 * Sums of the things of a log, of what passes: by thing, or by thing and SIMD column.
	 * @param {Log} log @param {number} n things @param {Query} q
	 */
	logged(log, n, q) {
		/* Branches may come with other events than the one that is looked at. */
		const events = new Set(log.group.map((g) => this.data.groups.event[g]));
		const pass = this.groups(q, events.has(q.event) ? undefined : events);
		const first = (q.from >> log.shift) + 1, last = (q.to >> log.shift) + 1;
		const sums = () => new Float64Array(n);
		const out = { nr: sums(), cycles: sums(), mispred: sums(), flagged: sums(), withCycles: sums(),
			simd: new Float64Array(log.simd ? n * SIMD_COLUMNS : 0),
			/** The events that it is of. */
			events: events.has(q.event) ? [q.event] : [...events] };
		log.what.forEach((what, i) => {
			if (!pass[log.group[i]] || (q.from >= 0 && (log.slice[i] < first || log.slice[i] > last)))
				return;
			out.nr[what] += log.nr[i];
			out.cycles[what] += log.cycles ? log.cycles[i] : 0;
			out.mispred[what] += log.mispred ? log.mispred[i] : 0;
			out.flagged[what] += log.flagged ? log.flagged[i] : 0;
			out.withCycles[what] += log.with_cycles ? log.with_cycles[i] : 0;
			for (let k = 0; log.simd && k < SIMD_COLUMNS; k++) {
				const at = what * SIMD_COLUMNS + k, v = log.simd[i * SIMD_COLUMNS + k];
				out.simd[at] = k >= SIMD_GREATEST ? Math.max(out.simd[at], v) : out.simd[at] + v;
			}
		});
		return out;
	}

	/** What a view of a log is about, in words. @param {Log} log @param {Query} q @param {number[]} events */
	about(log, q, events) {
		const names = events.map((e) => short(this.data.events[e].name)).join(', ');
		const step = (this.data.time.width || 0) * 2 ** log.shift;
		return `Of ${names || 'no event'}, and the threads, CPU and time chosen above` +
			(q.from >= 0 && log.shift ? `, time in steps of ${duration(step)}.` : '.');
	}

	/** @param {Block} b @returns {Block[]} */
	below(b) {
		if (b.children)
			return b.children;
		if (b.span)
			return b.children = this.belowInTime(b, b.span);
		/** @type {number[]} */
		const list = [];
		/** @type {number[]|null} */
		const weights = b.weights ? [] : null;
		/** @type {number[]|null} */
		const others = b.others ? [] : null;
		b.nodes.forEach((node, k) => {
			if (b.weights && weights && b.others && others) {
				if (this.tree.parent[node] >= 0) {
					list.push(this.tree.parent[node]);
					weights.push(b.weights[k]);
					others.push(b.others[k]);
				}
				return;
			}
			for (let c = this.child[node]; c >= 0; c = this.next[c])
				list.push(c);
		});
		b.children = this.group(b, list, weights, others);
		return b.children;
	}

	/* ---- samples as they came ---- */

	/**
	 * The stacks in the order of time: neighbours that begin alike share their blocks as far as that goes.
	 * Within a slice of time nothing is known of the order: there it is that of the tree, forwards and
	 * backwards in turn, so that a slice begins with what the one before it ended with.
	 * @param {Query} q @returns {Block}
	 */
	chart(q) {
		const r = this.rows, n = this.tree.n, side = this.data.groups.before, first = q.before && side ? 1 : 0;
		const weight = q.weight === 'count' ? r.count : r.period;
		/** @type {number[]} */
		const taken = [];
		/** @type {number[]} */
		const node = [];
		this.passing(q, (i, at) => {
			if (side && side[r.group[i]] !== first)
				return;
			taken.push(i);
			node.push(this.split ? this.split[i] : at);
		});
		/* Slice, place in it, sample: below 2^11, 2^21 and 2^20. */
		const keys = Float64Array.from(taken, (i, k) => {
			const slice = r.slice[i] + 1;
			return (slice * 2097152 + (slice % 2 ? node[k] : n - 1 - node[k])) * 1048576 + k;
		}).sort();
		this.chartNode = Int32Array.from(keys, (v) => node[v % 1048576]);
		this.chartWeight = Float64Array.from(keys, (v) => weight[taken[v % 1048576]]);
		this.levels.depth = -1;
		return this.block({ weight: this.all, span: [0, keys.length], nodes: [-1] });
	}

	/** By node: which of those above it has this depth, or itself; -1: it is not so deep. @param {number} depth */
	atDepth(depth) {
		const t = this.tree, known = this.levels;
		if (known.depth === depth && known.tree === t)
			return known.at;
		const at = new Int32Array(t.n), deep = new Int32Array(t.n);
		for (let i = 0; i < t.n; i++) {
			const up = t.parent[i];
			deep[i] = up < 0 ? 1 : deep[up] + 1;
			at[i] = deep[i] < depth ? -1 : deep[i] === depth ? i : at[up];
		}
		this.levels = { depth, at, tree: t };
		return at;
	}

	/** @param {Block} b @param {[number, number]} span @returns {Block[]} */
	belowInTime(b, span) {
		const at = this.atDepth(b.depth + 1), out = [];
		/** @type {Block|null} */
		let last = null;
		for (let k = span[0]; k < span[1]; k++) {
			const node = at[this.chartNode[k]];
			if (node < 0) {
				last = null;
				continue;
			}
			if (!last || last.nodes[0] !== node)
				out.push(last = this.block({ frame: this.tree.frame[node], nodes: [node], span: [k, k],
					parent: b, depth: b.depth + 1 }));
			if (last.span)
				last.span[1] = k + 1;
			last.weight += this.chartWeight[k];
			if (this.chartNode[k] === node)
				last.self += this.chartWeight[k];
		}
		return out;
	}

	/* ---- functions, searching ---- */

	/** @returns {{frame: number, self: number, total: number, other: number, otherTotal: number}[]} */
	functions() {
		const t = this.tree, n = this.names.length;
		const self = new Float64Array(n), total = new Float64Array(n);
		const other = new Float64Array(n), otherTotal = new Float64Array(n);
		const open = new Int32Array(n);
		for (let i = this.roots; i >= 0;) {
			const frame = t.frame[i];
			self[frame] += this.self[i];
			other[frame] += this.other[i] || 0;
			if (!open[frame]++) {
				total[frame] += this.total[i];
				otherTotal[frame] += this.otherTotal[i] || 0;
			}
			if (this.child[i] >= 0) {
				i = this.child[i];
				continue;
			}
			while (i >= 0) {
				open[t.frame[i]]--;
				if (this.next[i] >= 0) {
					i = this.next[i];
					break;
				}
				i = t.parent[i];
			}
		}
		const out = [];
		for (let f = 0; f < n; f++)
			if (total[f] || otherTotal[f])
				out.push({ frame: f, self: self[f], total: total[f], other: other[f], otherTotal: otherTotal[f] });
		return out;
	}

	/** Of another event, by frame: samples in the function itself. @param {Query} q @param {number} event */
	selfOf(q, event) {
		const sums = new Float64Array(this.names.length), r = this.rows, t = this.shaped;
		const weight = q.weight === 'count' ? r.count : r.period, side = this.data.groups.before;
		let all = 0;
		this.passing({ ...q, event }, (i, node) => {
			if (side && side[r.group[i]])
				return;
			sums[t.frame[node]] += weight[i];
			all += weight[i];
		});
		return { sums, all };
	}

	/** @param {Uint8Array} match by frame; a sample whose stack has several counts once */
	share(match) {
		const t = this.tree, inside = new Uint8Array(t.n);
		let sum = 0;
		for (let i = 0; i < t.n; i++) {
			const up = t.parent[i];
			inside[i] = match[t.frame[i]] || (up >= 0 && inside[up]) ? 1 : 0;
			if (inside[i])
				sum += this.self[i];
		}
		return sum;
	}

	/**
	 * Frames whose name has the text: a regular expression, or the text itself where it is none. No
	 * regard to case unless there is upper case in it.
	 * @param {string} text @returns {{match: Uint8Array, nr: number, plain: boolean}|null}
	 */
	search(text) {
		if (!text)
			return null;
		const match = new Uint8Array(this.names.length);
		const flags = /[A-Z]/.test(text) ? '' : 'i';
		/** @type {RegExp|null} */
		let re = null;
		try {
			re = new RegExp(text, flags);
		} catch {
			re = null;
		}
		const low = flags ? text.toLowerCase() : text;
		let nr = 0;
		for (let f = 0; f < match.length; f++) {
			const name = this.names[f].slice(0, 4000);
			const hit = re ? re.test(name) : (flags ? name.toLowerCase() : name).includes(low);
			if (hit) {
				match[f] = 1;
				nr++;
			}
		}
		return { match, nr, plain: !re };
	}

	/** Outermost first. @param {Block} b @returns {number[]} */
	stack(b) {
		const out = [];
		for (let at = /** @type {Block|null} */ (b); at && at.frame >= 0; at = at.parent)
			out.push(at.frame);
		return b.weights ? out : out.reverse();
	}

	/**
	 * Samples by slice of what passes but for time, of all and by thread.
	 * @param {Query} q @returns {{all: Float64Array, threads: Map<number, Float64Array>, before: Float64Array}}
	 */
	overTime(q) {
		const r = this.rows, n = this.data.time.slices;
		const pass = this.groups({ ...q, thread: -1, pid: -1 });
		const all = new Float64Array(n), before = new Float64Array(n);
		/** @type {Map<number, Float64Array>} */
		const threads = new Map();
		const weight = q.weight === 'count' ? r.count : r.period;
		for (let i = 0; i < r.n; i++) {
			if (!pass[r.group[i]] || r.slice[i] < 0 || (this.map && this.map[r.node[i]] < 0))
				continue;
			if (this.beforeThread[this.data.groups.thread[r.group[i]]]) {
				before[r.slice[i]] += weight[i];
				continue;
			}
			const thread = this.data.groups.thread[r.group[i]];
			let of = threads.get(thread);
			if (!of)
				threads.set(thread, of = new Float64Array(n));
			of[r.slice[i]] += weight[i];
			all[r.slice[i]] += weight[i];
		}
		return { all, threads, before };
	}
}
