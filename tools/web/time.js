// SPDX-License-Identifier: GPL-2.0-or-later
// Samples over time: a lane for each thread, one for all, and where samples were lost. A span that is
// drawn with the mouse, or given with the keyboard, is what all other views are about then. Below, the
// same as a map of seconds: a column for each, its parts from top to bottom, where what comes back every
// second is a line; there, too, a span can be drawn.

const LANE = 30, AXIS = 24, MOST_LANES = 200, LABEL = 190, RIGHT = 14;

/** A step of an axis that reads well: 1, 2 or 5 times a power of ten, @least or more. @param {number} least */
function roundStep(least) {
	const ten = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
	return [1, 2, 5, 10].map((k) => k * ten).find((v) => v >= least) || 10 * ten;
}

/** Of an axis: without digits that say nothing. @param {number} ns */
function tick(ns) {
	const [size, unit] = ns >= 1e9 ? [1e9, 's'] : ns >= 1e6 ? [1e6, 'ms'] : [1e3, 'µs'];
	return ns ? `${Number((ns / size).toFixed(3))} ${unit}` : '0';
}

class TimeView {
	/** @param {Model} model @param {(from: number, to: number) => void} onSpan */
	constructor(model, onSpan) {
		this.model = model;
		this.onSpan = onSpan;
		this.slices = model.data.time.slices;
		this.width = model.data.time.width || 0;
		this.from = -1;
		this.to = -1;
		/** @type {{name: string, colour: string, values: Float64Array, switches?: Float64Array}[]} */
		this.lanes = [];
		this.cursor = 0;
		this.lost = new Float64Array(this.slices);
		const m = model.data.marks;
		/** How often each thread stopped running. @type {Map<number, Float64Array>} */
		this.switches = new Map();
		m.kind.forEach((kind, i) => {
			if (m.slice[i] < 0)
				return;
			if (kind === 1)
				this.lost[m.slice[i]] += m.nr[i];
			let of = this.switches.get(m.thread[i]);
			if (kind === 0 && !of)
				this.switches.set(m.thread[i], of = new Float64Array(this.slices));
			if (kind === 0 && of)
				of[m.slice[i]] += m.nr[i];
		});
		this.canvas = el('canvas', { tabindex: '0', role: 'slider', class: 'time',
			'aria-label': 'Time: arrow keys move, with Shift they select a span, Escape selects all',
			'aria-valuemin': '0', 'aria-valuemax': String(Math.max(0, this.slices - 1)), 'aria-valuenow': '0' });
		this.heat = el('canvas', { class: 'heat', role: 'img', 'aria-label': 'Samples by second and part of the second; the lanes above say the same to the keyboard' });
		this.heatNote = el('p', { class: 'note' });
		this.note = el('p', { class: 'note', id: 'time-note' });
		this.tip = el('div', { class: 'tip', 'aria-hidden': 'true', hidden: '' });
		this.box = el('div', { class: 'times' }, this.note, this.canvas, el('h2', {}, 'Parts of seconds'), this.heatNote, this.heat, this.tip);
		this.rows = 0; /* of the map */
		this.seconds = 0;
		this.cell = [0, 0];
		this.pick(this.canvas, (e) => this.sliceAt(e), (slice) => slice);
		this.pick(this.heat, (e) => this.cellAt(e), (cell, end) => this.sliceOfCell(cell, end));
		this.canvas.addEventListener('keydown', (e) => this.key(e));
		new ResizeObserver(() => this.draw()).observe(this.box);
	}

	/**
	 * Drawing a span with the mouse; a click takes all of the time.
	 * @param {HTMLCanvasElement} canvas @param {(e: MouseEvent) => number} at
	 * @param {(place: number, end: boolean) => number} slice of a place, its first or its last
	 */
	pick(canvas, at, slice) {
		let begun = -1, had = [0, 0];
		canvas.addEventListener('pointerdown', (e) => {
			begun = at(e);
			had = [this.from, this.to];
			canvas.setPointerCapture(e.pointerId);
		});
		canvas.addEventListener('pointermove', (e) => {
			this.tell(e, canvas === this.heat);
			if (begun < 0)
				return;
			this.from = slice(Math.min(begun, at(e)), false);
			this.to = slice(Math.max(begun, at(e)), true);
			this.draw();
		});
		canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
		canvas.addEventListener('pointercancel', () => {
			begun = -1;
			[this.from, this.to] = had;
			this.draw();
		});
		canvas.addEventListener('pointerup', (e) => {
			/* One that began elsewhere is another's. */
			if (begun < 0)
				return;
			const from = Math.min(begun, at(e)), to = Math.max(begun, at(e));
			begun = -1;
			if (from === to)
				this.onSpan(-1, -1);
			else
				this.onSpan(slice(from, false), slice(to, true));
		});
	}

	/** What lies under the mouse. @param {MouseEvent} e @param {boolean} heat */
	tell(e, heat) {
		const cell = heat ? this.cellAt(e) : 0;
		const from = heat ? this.sliceOfCell(cell, false) : this.sliceAt(e), to = heat ? this.sliceOfCell(cell, true) : from;
		const box = this.canvas.getBoundingClientRect();
		const lane = heat ? this.lanes[0] : this.lanes[Math.floor((e.clientY - box.top - AXIS) / LANE)];
		if (!lane) {
			this.tip.hidden = true;
			return;
		}
		let sum = 0, stops = 0;
		for (let i = from; i <= Math.min(to, this.slices - 1); i++) {
			sum += lane.values[i];
			stops += lane.switches ? lane.switches[i] : 0;
		}
		this.tip.hidden = false;
		this.tip.textContent = `${this.text(from)}, ${short(lane.name)}\n${grouped(sum)}${stops ? `; stopped ${counted(stops, 'time')}` : ''}`;
		this.tip.style.left = `${Math.min(e.clientX + 12, innerWidth - 260)}px`;
		this.tip.style.top = `${e.clientY + 16}px`;
	}

	/** @param {Query} q */
	show(q) {
		const over = this.model.overTime(q);
		const sum = (/** @type {Float64Array} */ v) => v.reduce((a, b) => a + b, 0);
		/* Threads that were switched and never sampled have a lane, too. */
		for (const thread of this.switches.keys())
			if (!over.threads.has(thread))
				over.threads.set(thread, new Float64Array(this.slices));
		const threads = [...over.threads.entries()].map(([thread, values]) => ({ thread, values, sum: sum(values) }))
			.sort((a, b) => b.sum - a.sum)
			.map((l) => ({ name: this.model.threadName(l.thread), colour: '--lane', values: l.values, switches: this.switches.get(l.thread) }));
		const left = Math.max(0, threads.length - MOST_LANES);
		const lost = sum(this.lost), switched = [...this.switches.values()].reduce((a, v) => a + sum(v), 0);
		this.note.textContent = [left ? `The ${MOST_LANES} threads with most samples; ${grouped(left)} others are in "all".` : '',
			switched ? `Ticks below a lane: ${grouped(switched)} times a thread stopped running.` : '',
			lost ? `${grouped(lost)} samples or records were lost.` : '',
			'Each lane is drawn by its own greatest value. Draw a span to look at it in all views; a click takes all.'].filter((t) => t).join(' ');
		this.lanes = [{ name: 'all', colour: '--lane-all', values: over.all }];
		if (this.lost.some((v) => v))
			this.lanes.push({ name: 'lost', colour: '--lost', values: this.lost });
		if (this.model.compares)
			this.lanes.push({ name: 'all, before', colour: '--lane-all', values: over.before });
		this.lanes.push(...threads.slice(0, MOST_LANES));
		this.from = q.from;
		this.to = q.to;
		this.draw();
	}

	/** Of the canvas: where a slice begins. @param {number} slice @param {number} width */
	x(slice, width) {
		return LABEL + slice / this.slices * (width - LABEL - RIGHT);
	}

	/** @param {MouseEvent} e */
	sliceAt(e) {
		const box = this.canvas.getBoundingClientRect();
		const x = e.clientX - box.left - LABEL, room = Math.max(1, box.width - LABEL - RIGHT);
		return Math.max(0, Math.min(this.slices - 1, Math.floor(x / room * this.slices)));
	}

	/** A cell's number: second by second, from above. @param {MouseEvent} e */
	cellAt(e) {
		const box = this.heat.getBoundingClientRect();
		const second = Math.floor((e.clientX - box.left - LABEL) / this.cell[0]), row = Math.floor((e.clientY - box.top - AXIS) / this.cell[1]);
		return Math.max(0, Math.min(this.seconds - 1, second)) * this.rows + Math.max(0, Math.min(this.rows - 1, row));
	}

	/** @param {number} cell @param {boolean} end */
	sliceOfCell(cell, end) {
		const ns = Math.floor(cell / this.rows) * 1e9 + (cell % this.rows + (end ? 1 : 0)) / this.rows * 1e9;
		return Math.max(0, Math.min(this.slices - 1, Math.ceil(ns / this.width) - (end ? 1 : 0)));
	}

	/** @param {number} slice */
	text(slice) {
		return duration(slice * this.width);
	}

	/** @param {KeyboardEvent} e */
	key(e) {
		const step = e.key === 'PageDown' ? 10 : e.key === 'PageUp' ? -10 : e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
		if (e.key === 'Escape') {
			this.onSpan(-1, -1);
			return;
		}
		if (!step)
			return;
		e.preventDefault();
		const before = this.cursor;
		this.cursor = Math.max(0, Math.min(this.slices - 1, this.cursor + step));
		this.canvas.setAttribute('aria-valuenow', String(this.cursor));
		this.canvas.setAttribute('aria-valuetext', `${this.text(this.cursor)}, ${grouped(this.lanes[0].values[this.cursor])}`);
		if (e.shiftKey) {
			const other = this.from < 0 ? before : before === this.from ? this.to : this.from;
			this.onSpan(Math.min(other, this.cursor), Math.max(other, this.cursor));
		} else {
			this.draw();
		}
	}

	/**
	 * A canvas of this size, sharp on any screen.
	 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height
	 */
	paper(canvas, width, height) {
		const ratio = window.devicePixelRatio || 1, g = canvas.getContext('2d');
		canvas.width = width * ratio;
		canvas.height = height * ratio;
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
		if (g) {
			g.scale(ratio, ratio);
			g.font = '12px system-ui, sans-serif';
			g.textBaseline = 'middle';
		}
		return g;
	}

	draw() {
		/* Without what the box has at its sides. */
		const width = this.box.clientWidth - 28, height = AXIS + this.lanes.length * LANE;
		if (width <= LABEL + RIGHT || !this.lanes.length)
			return;
		const g = this.paper(this.canvas, width, height), css = getComputedStyle(document.documentElement);
		if (!g)
			return;
		const get = (/** @type {string} */ name) => css.getPropertyValue(name);
		const ink = get('--ink'), soft = get('--soft'), line = get('--line');
		const room = width - LABEL - RIGHT, all = this.slices * this.width;
		const step = roundStep(all / Math.max(2, room / 110));
		g.textAlign = 'center';
		for (let ns = 0; ns <= all; ns += step) {
			const x = this.x(ns / this.width, width);
			g.fillStyle = line;
			g.fillRect(Math.round(x), AXIS - 5, 1, height);
			g.fillStyle = soft;
			g.fillText(tick(ns), x, 9);
		}
		g.textAlign = 'left';
		this.lanes.forEach((lane, i) => this.drawLane(g, css, lane, AXIS + i * LANE, width));
		if (this.from >= 0) {
			const x0 = this.x(this.from, width), x1 = this.x(this.to + 1, width);
			g.fillStyle = get('--shade');
			g.fillRect(LABEL, AXIS, x0 - LABEL, height);
			g.fillRect(x1, AXIS, LABEL + room - x1, height);
			g.strokeStyle = get('--focus');
			g.lineWidth = 2;
			g.strokeRect(x0, AXIS - 4, Math.max(1, x1 - x0), height - AXIS + 3);
		}
		if (document.activeElement === this.canvas) {
			g.fillStyle = ink;
			g.fillRect(this.x(this.cursor, width), AXIS - 6, 2, height);
		}
		this.drawHeat(css);
	}

	/**
	 * By its own greatest value: what little a thread did is seen too.
	 * @param {CanvasRenderingContext2D} g @param {CSSStyleDeclaration} css @param {TimeView['lanes'][0]} lane
	 * @param {number} y @param {number} width
	 */
	drawLane(g, css, lane, y, width) {
		const max = lane.values.reduce((a, b) => Math.max(a, b), 0), wide = Math.max(1, (width - LABEL - RIGHT) / this.slices);
		g.fillStyle = css.getPropertyValue('--line');
		g.fillRect(0, y + LANE - 1, width - RIGHT, 1);
		g.fillStyle = css.getPropertyValue('--ink');
		let name = short(lane.name);
		while (name.length > 3 && g.measureText(name).width > LABEL - 12)
			name = `${name.slice(0, -2)}…`;
		g.fillText(name, 0, y + LANE / 2);
		g.fillStyle = css.getPropertyValue(lane.colour);
		for (let s = 0; s < this.slices; s++) {
			if (!lane.values[s])
				continue;
			const h = Math.max(1, (LANE - 9) * lane.values[s] / max);
			g.fillRect(this.x(s, width), y + LANE - 5 - h, wide, h);
		}
		g.fillStyle = css.getPropertyValue('--heat');
		for (let s = 0; lane.switches && s < this.slices; s++)
			if (lane.switches[s])
				g.fillRect(this.x(s, width), y + LANE - 4, 1, 3);
	}

	/** @param {CSSStyleDeclaration} css */
	drawHeat(css) {
		const per = 1e9 / this.width, seconds = Math.ceil(this.slices * this.width / 1e9), room = this.box.clientWidth - 28 - LABEL - RIGHT;
		this.heat.hidden = !(per >= 4 && seconds >= 2);
		this.heatNote.textContent = this.heat.hidden
			? 'A map of seconds needs a recording of 2 seconds at least, and slices of a quarter of one at most.'
			: 'A column is a second, from its beginning above to its end below: what comes back every second is a line. Darker is more samples.';
		if (this.heat.hidden || !this.lanes.length)
			return;
		const rows = this.rows = Math.min(50, Math.floor(per)), values = this.lanes[0].values;
		this.seconds = seconds;
		const [w, h] = this.cell = [Math.max(2, Math.min(90, room / seconds)), Math.max(4, Math.min(12, 250 / rows))];
		const g = this.paper(this.heat, LABEL + w * seconds + RIGHT, AXIS + h * rows + 4);
		if (!g)
			return;
		const cells = new Float64Array(rows * seconds);
		for (let s = 0; s < this.slices; s++) {
			const at = s * this.width / 1e9;
			cells[Math.floor(at) * rows + Math.min(rows - 1, Math.floor((at % 1) * rows))] += values[s];
		}
		const max = cells.reduce((a, b) => Math.max(a, b), 0), gap = w > 8 ? 1 : 0;
		g.fillStyle = css.getPropertyValue('--soft');
		g.textAlign = 'right';
		for (let ms = 0; ms <= 1000; ms += 250)
			g.fillText(ms < 1000 ? tick(ms * 1e6) : '1 s', LABEL - 8, AXIS + Math.min(h * rows - 4, Math.max(5, ms / 1000 * h * rows)));
		g.textAlign = 'left';
		const step = roundStep(seconds / Math.max(1, w * seconds / 60));
		for (let s = 0; s < seconds; s += step)
			g.fillText(`${s} s`, LABEL + s * w, 9);
		/* As the eye sees it: a quarter is half as dark. */
		g.fillStyle = css.getPropertyValue('--heat');
		for (let i = 0; i < cells.length; i++) {
			g.globalAlpha = max ? Math.sqrt(cells[i] / max) : 0;
			g.fillRect(LABEL + Math.floor(i / rows) * w, AXIS + (i % rows) * h, w - gap, h);
		}
		g.globalAlpha = 1;
		if (this.from < 0)
			return;
		g.fillStyle = css.getPropertyValue('--shade');
		for (let i = 0; i < cells.length; i++)
			if (this.sliceOfCell(i, true) < this.from || this.sliceOfCell(i, false) > this.to)
				g.fillRect(LABEL + Math.floor(i / rows) * w, AXIS + (i % rows) * h, w, h);
	}
}
