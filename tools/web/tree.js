// SPDX-License-Identifier: GPL-2.0-or-later
// The blocks of the flame graph as a tree of elements, for readers and keyboards: made when a branch is
// opened. Arrow keys, Home, End and Enter do what they do in every tree.

class CallTree {
	/** @param {Model} model @param {(b: Block) => void} onSelect */
	constructor(model, onSelect) {
		this.model = model;
		this.onSelect = onSelect;
		/** @type {WeakMap<Element, Block>} */
		this.blocks = new WeakMap();
		/** @type {Uint8Array|null} */
		this.match = null;
		this.box = el('ul', { role: 'tree', class: 'calls', 'aria-label': 'Tree of calls' });
		this.box.addEventListener('keydown', (e) => this.key(e));
		this.box.addEventListener('click', (e) => this.click(e));
	}

	/** @param {Block} root */
	show(root) {
		this.box.replaceChildren(...this.items(root, 1));
		const first = this.box.querySelector('[role=treeitem]');
		if (first)
			first.setAttribute('tabindex', '0');
		/* The way to what costs most is open already, as far as there is no choice. */
		for (let item = first, n = 0; item && n < 60; n++) {
			this.open(item);
			const inside = item.querySelectorAll(':scope > ul > li');
			item = inside.length === 1 ? inside[0] : null;
		}
	}

	/** @param {Block} parent @param {number} level @returns {HTMLElement[]} */
	items(parent, level) {
		const list = this.model.below(parent).slice().sort((a, b) => b.weight - a.weight);
		const shown = list.slice(0, 200);
		const items = shown.map((b, i) => {
			const name = this.model.names[b.frame];
			const kind = KINDS[this.model.kinds[b.frame]];
			const item = el('li', { role: 'treeitem', tabindex: '-1', 'aria-level': String(level),
				'aria-setsize': String(list.length), 'aria-posinset': String(i + 1) });
			const line = el('span', { class: this.match && this.match[b.frame] ? 'line found' : 'line' },
				el('span', { class: 'share' }, percent(b.weight, this.model.all)),
				el('span', { class: 'share' }, percent(b.self, this.model.all)),
				...(this.model.compares ? [el('span', { class: 'share' }, change(...this.model.nowAndBefore(b), this.model.all))] : []),
				el('span', { class: `kind ${kind}` }, kind), ' ', short(name),
				el('span', { class: 'object' }, ` ${short(this.model.objectName(b.frame))}`));
			item.append(line);
			if (this.model.below(b).length)
				item.setAttribute('aria-expanded', 'false');
			this.blocks.set(item, b);
			return item;
		});
		if (list.length > shown.length)
			items.push(el('li', { role: 'treeitem', tabindex: '-1', 'aria-level': String(level) },
				`and ${grouped(list.length - shown.length)} smaller ones`));
		return items;
	}

	/** @param {Element} item */
	open(item) {
		const b = this.blocks.get(item);
		if (!b || item.getAttribute('aria-expanded') !== 'false')
			return;
		item.setAttribute('aria-expanded', 'true');
		item.append(el('ul', { role: 'group' },
			...this.items(b, Number(item.getAttribute('aria-level')) + 1)));
	}

	/** @param {Element} item */
	close(item) {
		if (item.getAttribute('aria-expanded') !== 'true')
			return;
		item.setAttribute('aria-expanded', 'false');
		const group = item.querySelector(':scope > ul');
		if (group)
			group.remove();
	}

	/** @param {Element|null|undefined} item */
	go(item) {
		if (!(item instanceof HTMLElement))
			return;
		for (const was of this.box.querySelectorAll('[tabindex="0"]'))
			was.setAttribute('tabindex', '-1');
		item.setAttribute('tabindex', '0');
		item.focus();
		const b = this.blocks.get(item);
		if (b)
			this.onSelect(b);
	}

	/** @param {MouseEvent} e */
	click(e) {
		const item = e.target instanceof Element ? e.target.closest('[role=treeitem]') : null;
		if (!item)
			return;
		if (item.getAttribute('aria-expanded') === 'true')
			this.close(item);
		else
			this.open(item);
		this.go(item);
	}

	/** @param {KeyboardEvent} e */
	key(e) {
		const item = e.target instanceof Element ? e.target.closest('[role=treeitem]') : null;
		if (!item)
			return;
		const all = [...this.box.querySelectorAll('[role=treeitem]')];
		const at = all.indexOf(item);
		const parent = item.parentElement && item.parentElement.closest('[role=treeitem]');
		const state = item.getAttribute('aria-expanded');
		switch (e.key) {
		case 'ArrowDown': this.go(all[at + 1]); break;
		case 'ArrowUp': this.go(all[at - 1]); break;
		case 'Home': this.go(all[0]); break;
		case 'End': this.go(all[all.length - 1]); break;
		case 'ArrowRight':
			if (state === 'false')
				this.open(item);
			else
				this.go(item.querySelector('[role=treeitem]'));
			break;
		case 'ArrowLeft':
			if (state === 'true')
				this.close(item);
			else
				this.go(parent);
			break;
		case 'Enter': this.go(item); break;
		default: return;
		}
		e.preventDefault();
	}
}
