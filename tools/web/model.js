// SPDX-License-Identifier: GPL-2.0-or-later
// What is asked of the data: samples chosen by event, thread, CPU and time; the tree of calls changed by
// steps (focus, ignore, hide, recursion, objects); sums; searching. A tree is arrays by node in which a
// parent always stands before its children, so every sum is one loop.

const KINDS = ['user', 'kernel', 'inlined', 'JIT', 'unknown', 'guest', 'cut', 'thread'];
const CUT = 6, THREAD = 7;

/**
 * @typedef {{op: 'focus'|'ignore'|'hide', frame: number}} Step
 * @typedef {{event: number, thread: number, pid: number, cpu: number, from: number, to: number,
 *   weight: 'period'|'count', steps: Step[], recursion: boolean, objects: boolean,
 *   threads: boolean}} Query
 *   thread, pid, cpu: -1 = all; from, to: slices, -1 = all
 * @typedef {{frame: number, weight: number, self: number, nodes: number[], weights: number[]|null,
 *   parent: Block|null, children: Block[]|null, depth: number}} Block
 */

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
		/** Frames that stand for an object: made when they are asked for. @type {Map<number, number>} */
		this.objectFrames = new Map();
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
		this.all = 0;
		this.samples = 0;
		this.child = new Int32Array(0);
		this.next = new Int32Array(0);
		this.roots = -1;
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

	/** @param {number} frame the frame that stands for the object of this one */
	frameOfObject(frame) {
		const o = this.objects[frame];
		const have = this.objectFrames.get(o);
		if (have !== undefined)
			return have;
		const id = this.names.length;
		this.names.push(o < 0 ? '[unknown]' : this.data.objects[o].name);
		this.kinds.push(this.kinds[frame] === 2 ? 0 : this.kinds[frame]);
		this.objects.push(o);
		this.objectFrames.set(o, id);
		return id;
	}

	/**
	 * The tree as steps leave it. Nodes whose samples are left out stay, with none of their own.
	 * @param {Query} q
	 */
	shape(q) {
		const key = JSON.stringify([q.steps, q.recursion, q.objects]);
		if (key === this.shapeKey)
			return;
		this.shapeKey = key;
		if (!q.steps.length && !q.recursion && !q.objects) {
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
			const frame = q.objects ? this.frameOfObject(base.frame[i]) : base.frame[i];
			const same = (q.recursion || q.objects) && up >= 0 && frames[up] === frame;
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

	/** Which groups of samples pass. @param {Query} q @returns {Uint8Array} */
	groups(q) {
		const g = this.data.groups;
		const pass = new Uint8Array(g.event.length);
		for (let i = 0; i < pass.length; i++)
			pass[i] = g.event[i] === q.event &&
				(q.thread < 0 || g.thread[i] === q.thread) &&
				(q.pid < 0 || this.data.threads.pid[g.thread[i]] === q.pid) &&
				(q.cpu < 0 || g.cpu[i] === q.cpu) ? 1 : 0;
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
		const t = this.tree, r = this.rows;
		const weight = q.weight === 'count' ? r.count : r.period;
		this.self = new Float64Array(t.n);
		this.total = new Float64Array(t.n);
		this.all = this.samples = 0;
		this.passing(q, (i, node) => {
			this.self[split ? split[i] : node] += weight[i];
			this.all += weight[i];
			this.samples += r.count[i];
		});
		for (let i = t.n; i-- > 0;) {
			this.total[i] += this.self[i];
			if (t.parent[i] >= 0)
				this.total[t.parent[i]] += this.total[i];
		}
		this.link();
	}

	/** First child and next sibling of each node that has samples. */
	link() {
		const t = this.tree;
		this.child = new Int32Array(t.n).fill(-1);
		this.next = new Int32Array(t.n).fill(-1);
		this.roots = -1;
		for (let i = t.n; i-- > 0;) {
			if (!this.total[i])
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

	/** @returns {Block} */
	callees() {
		/** @type {Block} */
		const root = { frame: -1, weight: this.all, self: 0, nodes: [], weights: null, parent: null,
			children: null, depth: 0 };
		const list = [];
		for (let i = this.roots; i >= 0; i = this.next[i])
			list.push(i);
		root.children = this.group(root, list, null);
		return root;
	}

	/** Functions that samples were in, each above those that called it. @returns {Block} */
	callers() {
		const list = [], weights = [];
		for (let i = 0; i < this.tree.n; i++)
			if (this.self[i]) {
				list.push(i);
				weights.push(this.self[i]);
			}
		/** @type {Block} */
		const root = { frame: -1, weight: this.all, self: 0, nodes: [], weights: [], parent: null,
			children: null, depth: 0 };
		root.children = this.group(root, list, weights);
		return root;
	}

	/**
	 * What a function calls, and what calls it: a sample counts once, by the outermost call.
	 * @param {number} frame @returns {{callees: Block, callers: Block}}
	 */
	sandwich(frame) {
		const t = this.tree, inside = new Uint8Array(t.n);
		const list = [], weights = [];
		let weight = 0, self = 0;
		for (let i = 0; i < t.n; i++) {
			const up = t.parent[i];
			const within = up >= 0 && inside[up];
			inside[i] = within || t.frame[i] === frame ? 1 : 0;
			if (t.frame[i] === frame)
				self += this.self[i];
			if (t.frame[i] !== frame || within || !this.total[i])
				continue;
			list.push(i);
			weights.push(this.total[i]);
			weight += this.total[i];
		}
		const one = { frame, weight, self, nodes: list, parent: null, children: null, depth: 0 };
		return { callees: { ...one, weights: null }, callers: { ...one, weights } };
	}

	/**
	 * Nodes as blocks, one for each frame.
	 * @param {Block} parent @param {number[]} list @param {number[]|null} weights of callers
	 * @returns {Block[]}
	 */
	group(parent, list, weights) {
		/** @type {Map<number, Block>} */
		const by = new Map();
		for (let k = 0; k < list.length; k++) {
			const i = list[k], frame = this.tree.frame[i];
			let b = by.get(frame);
			if (!b) {
				b = { frame, weight: 0, self: 0, nodes: [], weights: weights ? [] : null, parent,
					children: null, depth: parent.depth + 1 };
				by.set(frame, b);
			}
			b.nodes.push(i);
			b.weight += weights ? weights[k] : this.total[i];
			b.self += weights ? (this.tree.parent[i] < 0 ? weights[k] : 0) : this.self[i];
			if (weights && b.weights)
				b.weights.push(weights[k]);
		}
		return [...by.values()];
	}

	/** @param {Block} b @returns {Block[]} */
	below(b) {
		if (b.children)
			return b.children;
		/** @type {number[]} */
		const list = [];
		/** @type {number[]|null} */
		const weights = b.weights ? [] : null;
		b.nodes.forEach((node, k) => {
			if (b.weights && weights) {
				if (this.tree.parent[node] >= 0) {
					list.push(this.tree.parent[node]);
					weights.push(b.weights[k]);
				}
				return;
			}
			for (let c = this.child[node]; c >= 0; c = this.next[c])
				list.push(c);
		});
		b.children = this.group(b, list, weights);
		return b.children;
	}

	/* ---- functions, searching ---- */

	/** @returns {{frame: number, self: number, total: number}[]} */
	functions() {
		const t = this.tree;
		const self = new Float64Array(this.names.length), total = new Float64Array(this.names.length);
		const open = new Int32Array(this.names.length);
		for (let i = this.roots; i >= 0;) {
			const frame = t.frame[i];
			self[frame] += this.self[i];
			if (!open[frame]++)
				total[frame] += this.total[i];
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
		for (let f = 0; f < total.length; f++)
			if (total[f])
				out.push({ frame: f, self: self[f], total: total[f] });
		return out;
	}

	/** @param {number} frame the weight of samples whose stack has it */
	totalOf(frame) {
		const m = new Uint8Array(this.names.length);
		m[frame] = 1;
		return this.share(m);
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
	 * @param {Query} q @returns {{all: Float64Array, threads: Map<number, Float64Array>}}
	 */
	overTime(q) {
		const r = this.rows, n = this.data.time.slices;
		const pass = this.groups({ ...q, thread: -1, pid: -1 });
		const all = new Float64Array(n);
		/** @type {Map<number, Float64Array>} */
		const threads = new Map();
		const weight = q.weight === 'count' ? r.count : r.period;
		for (let i = 0; i < r.n; i++) {
			if (!pass[r.group[i]] || r.slice[i] < 0 || (this.map && this.map[r.node[i]] < 0))
				continue;
			const thread = this.data.groups.thread[r.group[i]];
			let of = threads.get(thread);
			if (!of)
				threads.set(thread, of = new Float64Array(n));
			of[r.slice[i]] += weight[i];
			all[r.slice[i]] += weight[i];
		}
		return { all, threads };
	}
}
