// SPDX-License-Identifier: GPL-2.0-or-later
// Samples over time: a lane for each thread, one for all, and where samples were lost. A span that is
// drawn with the mouse, or given with the keyboard, is what all other views are about then. Below, the
// same as a map of seconds: a column for each, its parts from top to bottom, where what comes back every
// second is a line.

const LANE = 28, MOST_LANES = 200, LABEL = 190;

class TimeView {
	/** @param {Model} model @param {(from: number, to: number) => void} onSpan */
	constructor(model, onSpan) {
		this.model = model;
		this.onSpan = onSpan;
		this.slices = model.data.time.slices;
		this.width = model.data.time.width || 0;
		this.from = -1;
		this.to = -1;
		/** @type {{name: string, values: Float64Array, switches?: Float64Array}[]} */
		this.lanes = [];
		this.max = 0;
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
		this.heat = el('canvas', { class: 'heat', role: 'img', 'aria-label': 'Samples by second and part of the second' });
		this.heatNote = el('p', { class: 'note' });
		this.note = el('p', { class: 'note', id: 'time-note' });
		this.box = el('div', { class: 'times' }, this.note, this.canvas, el('h3', {}, 'Parts of seconds'), this.heatNote, this.heat);
		this.drag = -1;
		this.canvas.addEventListener('pointerdown', (e) => {
			this.drag = this.sliceAt(e);
			this.canvas.setPointerCapture(e.pointerId);
		});
		this.canvas.addEventListener('pointermove', (e) => {
			if (this.drag < 0)
				return;
			const at = this.sliceAt(e);
			this.from = Math.min(this.drag, at);
			this.to = Math.max(this.drag, at);
			this.draw();
		});
		this.canvas.addEventListener('pointerup', (e) => {
			const at = this.sliceAt(e), from = this.drag;
			this.drag = -1;
			if (at === from)
				this.onSpan(-1, -1);
			else
				this.onSpan(Math.min(from, at), Math.max(from, at));
		});
		this.canvas.addEventListener('keydown', (e) => this.key(e));
		new ResizeObserver(() => this.draw()).observe(this.box);
	}

	/** @param {Query} q */
	show(q) {
		const over = this.model.overTime(q);
		const sum = (/** @type {Float64Array} */ v) => v.reduce((a, b) => a + b, 0);
		/* Threads that were switched and never sampled have a lane, too. */
		for (const thread of this.switches.keys())
			if (!over.threads.has(thread))
				over.threads.set(thread, new Float64Array(this.slices));
		this.lanes = [...over.threads.entries()].map(([thread, values]) => ({ thread, values, sum: sum(values) }))
			.sort((a, b) => b.sum - a.sum)
			.map((l) => ({ name: this.model.threadName(l.thread), values: l.values, switches: this.switches.get(l.thread) }));
		const left = Math.max(0, this.lanes.length - MOST_LANES);
		const lost = sum(this.lost), switched = [...this.switches.values()].reduce((a, v) => a + sum(v), 0);
		this.note.textContent = [left ? `The ${MOST_LANES} threads with most samples; ${grouped(left)} others are in "all".` : '',
			switched ? `Ticks below a lane: ${grouped(switched)} times a thread stopped running.` : '',
			lost ? `${grouped(lost)} samples or records were lost.` : '', 'Each lane is drawn by its own greatest value.'].filter((t) => t).join(' ');
		this.lanes = [{ name: 'all', values: over.all }, ...this.lanes.slice(0, MOST_LANES)];
		if (this.lost.some((v) => v))
			this.lanes.splice(1, 0, { name: 'lost', values: this.lost });
		this.from = q.from;
		this.to = q.to;
		this.draw();
	}

	/** @param {MouseEvent} e */
	sliceAt(e) {
		const box = this.canvas.getBoundingClientRect();
		const x = e.clientX - box.left - LABEL, room = Math.max(1, box.width - LABEL);
		return Math.max(0, Math.min(this.slices - 1, Math.floor(x / room * this.slices)));
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

	draw() {
		const ratio = window.devicePixelRatio || 1, width = this.box.clientWidth;
		const height = (this.lanes.length + 1) * LANE;
		const g = this.canvas.getContext('2d');
		const css = getComputedStyle(document.documentElement);
		if (!g || !width)
			return;
		this.canvas.width = width * ratio;
		this.canvas.height = height * ratio;
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		g.scale(ratio, ratio);
		g.font = '12px system-ui, sans-serif';
		g.textBaseline = 'middle';
		const room = width - LABEL, ink = css.getPropertyValue('--ink');
		this.lanes.forEach((lane, i) => {
			/* Each lane by its own greatest value: what little a thread did is seen too. */
			const max = lane.values.reduce((a, b) => Math.max(a, b), 0);
			const y = i * LANE;
			g.fillStyle = ink;
			g.fillText(lane.name.slice(0, 27), 2, y + LANE / 2);
			g.fillStyle = css.getPropertyValue(lane.name === 'lost' && i === 1 ? '--lost' : i ? '--user-1' : '--kernel-1');
			for (let s = 0; s < this.slices; s++) {
				if (!lane.values[s])
					continue;
				const h = Math.max(1, (LANE - 6) * lane.values[s] / max);
				g.fillRect(LABEL + s / this.slices * room, y + LANE - 4 - h, Math.max(1, room / this.slices), h);
			}
			g.fillStyle = ink;
			for (let s = 0; lane.switches && s < this.slices; s++)
				if (lane.switches[s])
					g.fillRect(LABEL + s / this.slices * room, y + LANE - 3, 1, 3);
		});
		g.fillStyle = ink;
		for (let i = 0; i <= 8; i++)
			g.fillText(this.text(i * this.slices / 8), LABEL + i / 8 * (room - 60), this.lanes.length * LANE + LANE / 2);
		if (this.from >= 0) {
			const x0 = LABEL + this.from / this.slices * room, x1 = LABEL + (this.to + 1) / this.slices * room;
			g.fillStyle = css.getPropertyValue('--shade');
			g.fillRect(LABEL, 0, x0 - LABEL, height - LANE);
			g.fillRect(x1, 0, width - x1, height - LANE);
			g.strokeStyle = css.getPropertyValue('--focus');
			g.strokeRect(x0, 0, Math.max(1, x1 - x0), height - LANE);
		}
		if (document.activeElement === this.canvas) {
			g.strokeStyle = css.getPropertyValue('--focus');
			g.strokeRect(LABEL + this.cursor / this.slices * room, 0, 1, height - LANE);
		}
		this.drawHeat(css);
	}

	/** @param {CSSStyleDeclaration} css */
	drawHeat(css) {
		const per = 1e9 / this.width, seconds = Math.ceil(this.slices * this.width / 1e9);
		const g = this.heat.getContext('2d');
		this.heat.hidden = !(per >= 4 && seconds >= 2);
		this.heatNote.textContent = this.heat.hidden
			? 'A map of seconds needs a recording of 2 seconds at least, and slices of a quarter of one at most.'
			: `A column is a second, from its beginning above to its end below in parts of ${duration(this.width)}; darker is more samples.`;
		if (this.heat.hidden || !g || !this.lanes.length)
			return;
		const rows = Math.min(50, Math.floor(per)), values = this.lanes[0].values;
		const cells = new Float64Array(rows * seconds);
		for (let s = 0; s < this.slices; s++) {
			const at = s * this.width / 1e9;
			cells[Math.floor(at) * rows + Math.min(rows - 1, Math.floor((at % 1) * rows))] += values[s];
		}
		const max = cells.reduce((a, b) => Math.max(a, b), 0);
		const w = Math.max(2, Math.min(16, Math.floor((this.box.clientWidth - 20) / seconds))), h = 5;
		this.heat.width = w * seconds;
		this.heat.height = h * rows;
		g.fillStyle = css.getPropertyValue('--heat');
		for (let i = 0; i < cells.length; i++) {
			g.globalAlpha = max ? cells[i] / max : 0;
			g.fillRect(Math.floor(i / rows) * w, (i % rows) * h, w, h);
		}
		g.globalAlpha = 1;
	}
}
