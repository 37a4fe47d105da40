// SPDX-License-Identifier: GPL-2.0-or-later
// The flame graph: a canvas as large as what is seen of it, in a box that scrolls. Blocks are made and
// placed only where they are wider than half a pixel, so the time goes by pixels and not by nodes. The
// keyboard walks from block to block, and what it stands on is told in words; the same blocks are a tree
// for readers in tree.js.

const ROW = 20;
const LEAST = 0.5;
const EDGE = 10; /* left free on both sides */

/** @typedef {{x: number, w: number, block: Block}} Rect */

/**
 * How a size differs from the one before, in six steps: names of colours in page.css.
 * @param {number} now @param {number} before
 */
function changeClass(now, before) {
	if (!before)
		return 'new';
	const ratio = now / before;
	return ratio >= 1.5 ? 'more-2' : ratio > 1.1 ? 'more-1' : ratio >= 1 / 1.1 ? 'same' : ratio > 1 / 1.5 ? 'less-1' : 'less-2';
}
/** @type {[string, string][]} */
const CHANGES = [['new', 'new'], ['more-2', 'more by half'], ['more-1', 'by a tenth'], ['same', 'same'], ['less-1', 'less by a tenth'], ['less-2', 'by a third']];

/** Hues that lie far from each other for numbers that lie close. @param {number} object @param {CSSStyleDeclaration} css */
function objectColour(object, css) {
	return object < 0 ? css.getPropertyValue('--unknown') : `hsl(${Math.round(object * 137.5 + 40) % 360} 52% 70%)`;
}

class Flame {
	/**
	 * @param {Model} model
	 * @param {{onSelect: (b: Block) => void, onZoom: (b: Block) => void, label: string}} o
	 */
	constructor(model, o) {
		this.model = model;
		this.o = o;
		/** @type {Rect[][]} */
		this.levels = [];
		/** @type {Block|null} */
		this.root = null;
		/** @type {Block|null} */
		this.zoom = null;
		/** @type {Block|null} */
		this.at = null;
		/** @type {Uint8Array|null} */
		this.match = null;
		this.up = false;
		/** @type {'heavy'|'name'|'time'} */
		this.order = 'heavy';
		this.hidden = 0;
		/** @type {'kind'|'object'|'change'} */
		this.colours = 'kind';
		this.tip = el('div', { class: 'tip', 'aria-hidden': 'true', hidden: '' });
		this.canvas = el('canvas', { tabindex: '0', role: 'img', 'aria-label': o.label });
		this.space = el('div', { class: 'flame-space' });
		this.box = el('div', { class: 'flame' }, this.canvas, this.space, this.tip);
		this.box.addEventListener('scroll', () => this.draw());
		this.canvas.addEventListener('click', (e) => this.click(e));
		this.canvas.addEventListener('mousemove', (e) => this.hover(e));
		this.canvas.addEventListener('mouseleave', () => { this.tip.hidden = true; });
		this.canvas.addEventListener('keydown', (e) => this.key(e));
		/* Words below the graph change its height, and nothing of where blocks stand. */
		this.width = 0;
		new ResizeObserver(() => (this.box.clientWidth === this.width ? this.draw() : this.layout())).observe(this.box);
	}

	/** @param {Block} root @param {Block} zoom */
	show(root, zoom) {
		this.root = root;
		this.zoom = zoom;
		this.at = zoom;
		this.layout();
	}

	/** @param {Block[]} list */
	sorted(list) {
		if (this.order === 'heavy')
			list.sort((a, b) => b.weight - a.weight || a.frame - b.frame);
		else if (this.order === 'name')
			list.sort((a, b) => (this.model.names[a.frame] < this.model.names[b.frame] ? -1 : 1));
		else if (!list.length || !list[0].span)
			list.sort((a, b) => a.nodes[0] - b.nodes[0]);
		return list;
	}

	layout() {
		const width = this.box.clientWidth - 2 * EDGE;
		this.width = this.box.clientWidth;
		this.levels = [];
		this.hidden = 0;
		if (!this.zoom || width <= 0)
			return;
		/** @type {Block[]} */
		const path = [];
		for (let b = /** @type {Block|null} */ (this.zoom); b; b = b.parent)
			path.unshift(b);
		for (const block of path)
			this.levels.push([{ x: EDGE, w: width, block }]);
		const scale = this.zoom.weight ? width / this.zoom.weight : 0;
		for (let row = this.levels[this.levels.length - 1]; row.length;) {
			/** @type {Rect[]} */
			const below = [];
			for (const r of row) {
				let x = r.x;
				for (const block of this.sorted(this.model.below(r.block))) {
					const w = block.weight * scale;
					if (w >= LEAST)
						below.push({ x, w, block });
					else
						this.hidden += block.weight;
					x += w;
				}
			}
			if (below.length)
				this.levels.push(below);
			row = below;
		}
		this.space.style.height = `${this.levels.length * ROW}px`;
		if (this.up)
			this.box.scrollTop = this.levels.length * ROW;
		this.draw();
	}

	/** @param {number} level @param {number} height of what is seen */
	y(level, height) {
		const all = Math.max(height, this.levels.length * ROW);
		return this.up ? all - (level + 1) * ROW : level * ROW;
	}

	/** @param {Block} b @param {CSSStyleDeclaration} css */
	colour(b, css) {
		if (b.frame < 0)
			return css.getPropertyValue('--all');
		if (this.match && this.match[b.frame])
			return css.getPropertyValue('--found');
		if (this.colours === 'change' && !b.span)
			return css.getPropertyValue(`--${changeClass(...this.model.nowAndBefore(b))}`);
		if (this.colours === 'object')
			return objectColour(this.model.objects[b.frame], css);
		const kind = KINDS[this.model.kinds[b.frame]].toLowerCase();
		const shade = (b.frame * 7 + this.model.objects[b.frame] * 3 + 3) % 3;
		return css.getPropertyValue(`--${kind}-${shade}`) || css.getPropertyValue(`--${kind}`);
	}

	draw() {
		const width = this.box.clientWidth, height = this.box.clientHeight;
		const ratio = window.devicePixelRatio || 1;
		const css = getComputedStyle(document.documentElement);
		const g = this.canvas.getContext('2d');
		if (!g || !width)
			return;
		this.tip.hidden = true;
		/* A canvas that gets a size is a new one, which takes longer than wiping. */
		if (this.canvas.width !== Math.floor(width * ratio) || this.canvas.height !== Math.floor(height * ratio)) {
			this.canvas.width = Math.floor(width * ratio);
			this.canvas.height = Math.floor(height * ratio);
			this.canvas.style.width = `${width}px`;
			this.canvas.style.height = `${height}px`;
		}
		g.setTransform(ratio, 0, 0, ratio, 0, 0);
		g.clearRect(0, 0, width, height);
		g.font = '12px system-ui, sans-serif';
		g.textBaseline = 'middle';
		/** @type {Map<string, string>} */
		const colours = new Map();
		const ink = css.getPropertyValue('--block-ink');
		const letter = g.measureText('n').width;
		const depth = this.zoom ? this.zoom.depth : 0;
		this.levels.forEach((row, level) => {
			const y = this.y(level, height) - this.box.scrollTop;
			if (y < -ROW || y > height)
				return;
			for (const r of row) {
				const kind = this.colours === 'change' ? `${r.block.frame} ${changeClass(...this.model.nowAndBefore(r.block))}` : `${r.block.frame}`;
				let c = colours.get(kind);
				if (c === undefined)
					colours.set(kind, c = this.colour(r.block, css));
				g.globalAlpha = r.block.depth < depth ? 0.55 : 1;
				g.fillStyle = c;
				g.fillRect(r.x, y, Math.max(LEAST, r.w - (r.w > 2 ? 1 : 0)), ROW - 1);
				g.globalAlpha = 1;
				if (r.w > 21)
					this.text(g, r, y, ink, letter);
				if (r.block === this.at && document.activeElement === this.canvas) {
					g.strokeStyle = css.getPropertyValue('--focus');
					g.lineWidth = 2;
					g.strokeRect(r.x + 1, y + 1, Math.max(2, r.w - 3), ROW - 3);
				}
			}
		});
	}

	/** @param {Block} b the name, with a mark where the colour says more than the name */
	label(b) {
		if (b.frame < 0)
			return 'all';
		const kind = this.model.kinds[b.frame];
		const mark = kind === 1 ? 'ₖ ' : kind === 2 ? '↳ ' : '';
		/* What colours say of change is said in words, too; first, as names are cut. */
		const more = this.colours === 'change' && !b.span ? `${change(...this.model.nowAndBefore(b), this.model.all)} ` : '';
		return more + mark + this.model.names[b.frame];
	}

	/** @param {CanvasRenderingContext2D} g @param {Rect} r @param {number} y @param {string} ink @param {number} letter */
	text(g, r, y, ink, letter) {
		const name = this.label(r.block), room = r.w - 6;
		const n = Math.max(1, Math.floor(room / letter * 1.6));
		let text = name.length > n ? name.slice(0, n) : name;
		while (text && g.measureText(text).width > room)
			text = text.slice(0, Math.min(text.length - 1, Math.floor(text.length * 0.9)));
		if (text.length < 2 && name.length > 2)
			return;
		g.fillStyle = ink;
		g.fillText(text.length < name.length ? `${text.slice(0, -1)}…` : text, r.x + 3, y + ROW / 2);
	}

	/** @param {MouseEvent} e @returns {Rect|null} */
	hit(e) {
		const box = this.canvas.getBoundingClientRect();
		const x = e.clientX - box.left, y = e.clientY - box.top + this.box.scrollTop;
		const height = this.box.clientHeight;
		const all = Math.max(height, this.levels.length * ROW);
		const level = this.up ? Math.floor((all - y) / ROW) : Math.floor(y / ROW);
		const row = this.levels[level];
		if (!row)
			return null;
		let low = 0, high = row.length - 1;
		while (low < high) {
			const mid = (low + high + 1) >> 1;
			if (row[mid].x <= x)
				low = mid;
			else
				high = mid - 1;
		}
		const r = row[low];
		return r && x >= r.x && x <= r.x + Math.max(1, r.w) ? r : null;
	}

	/** @param {MouseEvent} e */
	click(e) {
		const r = this.hit(e);
		this.canvas.focus();
		if (!r)
			return;
		/* Whoever zooms draws and tells, too: not twice. */
		this.at = r.block;
		if (r.block === this.zoom)
			this.select(r.block);
		else
			this.o.onZoom(r.block);
	}

	/** @param {MouseEvent} e */
	hover(e) {
		const r = this.hit(e);
		this.canvas.style.cursor = r ? 'pointer' : 'default';
		this.tip.hidden = !r;
		if (!r)
			return;
		const b = r.block, m = this.model;
		const object = b.frame >= 0 ? m.objectName(b.frame) : '';
		this.tip.textContent = `${b.frame < 0 ? 'all' : short(m.names[b.frame])}\n${percent(b.weight, m.all)} of all, itself ${percent(b.self, m.all)}` +
			(m.compares && !b.span ? `\n${this.model.swapped ? 'now' : 'before'} ${percent(b.other, m.all)}, change ${change(...m.nowAndBefore(b), m.all)}` : '') +
			(object ? `\n${KINDS[m.kinds[b.frame]]}, ${short(object)}` : '');
		const box = this.tip.getBoundingClientRect();
		this.tip.style.left = `${Math.max(2, Math.min(e.clientX + 12, innerWidth - box.width - 6))}px`;
		this.tip.style.top = `${e.clientY + 18 + box.height > innerHeight ? e.clientY - box.height - 8 : e.clientY + 18}px`;
	}

	/** @param {Block} b */
	select(b) {
		this.at = b;
		this.o.onSelect(b);
		const y = this.y(this.levels.findIndex((row) => row.some((r) => r.block === b)), this.box.clientHeight);
		if (y < this.box.scrollTop || y > this.box.scrollTop + this.box.clientHeight - ROW)
			this.box.scrollTop = y - this.box.clientHeight / 2;
		this.draw();
	}

	/** Where the keyboard stands, and its neighbours. @param {number} by */
	beside(by) {
		for (const row of this.levels) {
			const i = row.findIndex((r) => r.block === this.at);
			if (i >= 0)
				return row[i + by] ? row[i + by].block : null;
		}
		return null;
	}

	/** @returns {Block|null} */
	inside() {
		for (const row of this.levels)
			for (const r of row)
				if (r.block.parent === this.at)
					return r.block;
		return null;
	}

	/** @param {KeyboardEvent} e */
	key(e) {
		const deeper = this.up ? 'ArrowUp' : 'ArrowDown', outer = this.up ? 'ArrowDown' : 'ArrowUp';
		/** @type {Block|null|undefined} */
		let to;
		if (e.key === deeper)
			to = this.inside();
		else if (e.key === outer)
			to = this.at && this.at.parent;
		else if (e.key === 'ArrowRight')
			to = this.beside(1);
		else if (e.key === 'ArrowLeft')
			to = this.beside(-1);
		else if (e.key === 'Home')
			to = this.root;
		else if ((e.key === 'Enter' || e.key === ' ') && this.at)
			this.o.onZoom(this.at);
		else if (e.key === 'Escape' && this.root)
			this.o.onZoom(this.root);
		else
			return;
		e.preventDefault();
		if (to)
			this.select(to);
	}
}
