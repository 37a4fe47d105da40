// SPDX-License-Identifier: GPL-2.0-or-later
// The few words that the views are written in: elements, numbers as text, tables.

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, string>} [attributes] @param {...(Node|string)} inside
 * @returns {HTMLElementTagNameMap[K]}
 */
function el(tag, attributes, ...inside) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {}))
		e.setAttribute(name, value);
	e.append(...inside); /* strings become text, never markup */
	return e;
}

/** @param {string} id @returns {HTMLElement} */
function byId(id) {
	const e = document.getElementById(id);
	if (!e)
		throw new Error(`the page has no #${id}`);
	return e;
}

/** @param {string} label @param {() => void} act @param {Record<string, string>} [attributes] */
function button(label, act, attributes) {
	const b = el('button', { type: 'button', ...attributes }, label);
	b.addEventListener('click', act);
	return b;
}

const SHORT = 500;

/** @param {string} name */
function short(name) {
	return name.length > SHORT ? `${name.slice(0, SHORT)}… (${name.length} characters)` : name;
}

/**
 * How much more, in points of a hundred: "+1.20"; "new" and "gone" where there was nothing before or now.
 * @param {number} now @param {number} before @param {number} all
 */
function change(now, before, all) {
	if (!now || !before)
		return now ? 'new' : before ? 'gone' : '-';
	const points = (100 * (now - before) / all).toFixed(2);
	return Number(points) === 0 ? '0.00' : now > before ? `+${points}` : points.replace('-', '−');
}

/**
 * What chance alone makes of a change, in points of a hundred: twice the deviation of the difference of two shares that
 * were counted by samples, as perf diff has it.
 * @param {number} now @param {number} before @param {number} all @param {number} samples @param {number} others
 */
function noiseOf(now, before, all, samples, others) {
	const part = (/** @type {number} */ v, /** @type {number} */ n) => (n ? v / all * (1 - v / all) / n : 0);
	return all ? 200 * Math.sqrt(Math.max(0, part(now, samples) + part(before, others))) : 0;
}

/** A cell with a bar as long as its share. @param {string} text @param {number} part @param {number} most */
function barCell(text, part, most) {
	const cell = el('span', {}, text), length = most ? Math.min(100, 100 * part / most) : 0;
	/** @type {HTMLElement & {bar?: number}} */ (cell).bar = length;
	return cell;
}

/** @param {number} part @param {number} all */
function percent(part, all) {
	return all ? `${(100 * part / all).toFixed(2)} %` : '-';
}

/** @param {number} v */
function grouped(v) {
	return Math.round(v).toLocaleString('en-US').replaceAll(',', '\u2009');
}

/** @param {number} n @param {string} what */
function counted(n, what) {
	return `${grouped(n)} ${what}${n === 1 ? '' : 's'}`;
}

/** @param {number} ns */
function duration(ns) {
	if (ns >= 1e9)
		return `${(ns / 1e9).toFixed(3)} s`;
	return ns >= 1e6 ? `${(ns / 1e6).toFixed(3)} ms` : `${(ns / 1e3).toFixed(1)} µs`;
}

/**
 * A table whose heads sort it. Long ones are shown in part: a button shows more, so that a reader's
 * list of cells stays a list.
 * @typedef {{name: string, title: string, number?: boolean, hint?: string,
 *   whole?: boolean, skip?: boolean}} Column whole: never broken into lines; skip: not shown at all
 * @param {{caption: string, columns: Column[], rows: {cells: (string|Node)[], keys: (string|number)[],
 *   act?: () => void, mark?: boolean}[], sort: string, onSort: (name: string) => void, step?: number}} o
 */
function table(o) {
	const head = el('tr');
	const down = !o.sort.startsWith('-');
	const by = o.sort.replace(/^-/, '');
	const at = o.columns.findIndex((c) => c.name === by);
	for (const c of o.columns) {
		const th = el('th', { scope: 'col', class: c.number ? 'number' : '' });
		if (c.hint)
			th.title = c.hint;
		const sorted = c.name === by;
		th.setAttribute('aria-sort', sorted ? (down === !!c.number ? 'descending' : 'ascending') : 'none');
		th.append(button(c.title + (sorted ? (down === !!c.number ? ' ▾' : ' ▴') : ''),
			() => o.onSort(sorted && down ? `-${c.name}` : c.name), { id: `sort-${c.name}` }));
		head.append(th);
	}
	const rows = o.rows.slice();
	if (at >= 0) {
		const sign = (down ? 1 : -1) * (o.columns[at].number ? -1 : 1);
		rows.sort((a, b) => sign * (a.keys[at] < b.keys[at] ? -1 : a.keys[at] > b.keys[at] ? 1 : 0));
	}
	const body = el('tbody');
	const step = o.step || 300;
	let shown = 0;
	const more = button('', () => show());
	const show = () => {
		for (const end = Math.min(rows.length, shown + step); shown < end; shown++) {
			const r = rows[shown], tr = el('tr', r.mark ? { class: 'found' } : {});
			r.cells.forEach((cell, k) => {
				const td = el(k === 0 && !o.columns[0].number ? 'th' : 'td',
					{ class: o.columns[k].number ? 'number' : '' });
				if (k === 0 && !o.columns[0].number)
					td.setAttribute('scope', 'row');
				td.append(cell);
				const bar = cell instanceof HTMLElement ? /** @type {HTMLElement & {bar?: number}} */ (cell).bar : undefined;
				if (bar !== undefined)
					td.style.background = `linear-gradient(to right, var(--bar) ${bar}%, transparent ${bar}%)`;
				if (o.columns[k].whole)
					td.classList.add('whole');
				tr.append(td);
			});
			body.append(tr);
		}
		more.textContent = `Show ${Math.min(step, rows.length - shown)} more of ${rows.length - shown}`;
		more.hidden = shown >= rows.length;
	};
	show();
	const box = el('div', { class: 'scroll' });
	box.append(el('table', {}, el('caption', {}, o.caption), el('thead', {}, head), body), more);
	return box;
}

/** @param {string} text @param {(done: boolean) => void} told */
async function copy(text, told) {
	try {
		await navigator.clipboard.writeText(text);
		told(true);
	} catch {
		/* A page from disk may have no clipboard: the old way. */
		const area = el('textarea', {});
		area.value = text;
		document.body.append(area);
		area.select();
		told(document.execCommand('copy'));
		area.remove();
	}
}

/**
 * What does not hold for a view of what lies beside stacks: branches, vectors, code. One line, or none.
 * @param {Model} model @param {State} s @returns {HTMLElement[]}
 */
function aside(model, s) {
	const notes = [];
	if (model.compares)
		notes.push('This is of the recording itself: nothing of the other one is counted or compared here.');
	if (s.steps.length)
		notes.push('Focus, ignore and hide are about stacks: nothing is left out by them here.');
	return notes.length ? [el('p', { class: 'note', id: 'aside' }, notes.join(' '))] : [];
}
