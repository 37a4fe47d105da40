// SPDX-License-Identifier: GPL-2.0-or-later
// The data of the page: unpacked, and its columns as typed arrays. What the columns are is said in
// tools/lib/page/data.c. Strings of the recording come from here and go to textContent and fillText
// only: nothing in this script makes markup of text.

/**
 * @typedef {{name: string, group?: string, leader: number, frequency?: number, every?: number,
 *   precise: number, stacks: number, branches: number}} EventInfo
 * @typedef {{name: string, path: string, build_id?: string, file: number, samples: number,
 *   unnamed: number}} ObjectInfo
 * @typedef {{name?: string, offset?: number, address?: string, object?: string}} Place
 * @typedef {{from: Place, to: Place}} Edge
 * @typedef {Edge & {insns?: number}} Stretch
 * @typedef {{shift: number, things: number, what: number[], group: number[], slice: number[], nr: number[],
 *   cycles?: number[], mispred?: number[], flagged?: number[], with_cycles?: number[], simd?: number[]}} Log
 *   sums of things by who and when: slices are 2^shift of the page's, 0 is no time; of places in code
 *   cycles are their period
 * @typedef {{perf: string, file: string, command: string[], host?: string, kernel?: string,
 *   arch?: string, cpu?: string, recorded_by?: string, cpus?: number, memory_kb?: number,
 *   duration_ns?: number, samples: number, lost_samples: number, lost_events: number, bad: number,
 *   cut: {nodes: number, samples: number, cpu: number, time: number}, warnings: string[],
 *   sources: string, header: string}} Recording
 * @typedef {Omit<Recording, 'perf'|'cut'|'sources'|'header'> & {apart: number}} Before
 * @typedef {{frame: number, missing?: string, file?: string, notes?: string[], base?: string,
 *   kind?: number[], offset?: number[], line?: number[], depth?: number[], marks?: string[], target?: number[],
 *   callee?: number[], text?: string[], places?: number[], edges?: number[], ranges?: number[]}} Code
 *   places, edges: pairs of a thing and its line; ranges: of a thing, its first and its last line
 * @typedef {{
 *   version: number, recording: Recording, before?: Before, events: EventInfo[], strings: string[],
 *   frames: {name: number[], object: number[], kind: number[]},
 *   threads: {name: number[], pid: number[], tid: number[]},
 *   groups: {event: number[], thread: number[], cpu: number[], before?: number[]},
 *   objects: ObjectInfo[], time: {start?: number, width?: number, slices: number},
 *   marks: {kind: number[], thread: number[], slice: number[], nr: number[]},
 *   nodes: {up: number[], frame: number[]},
 *   rows: {node: number[], group: number[], slice: number[], count: number[], period: number[]},
 *   answers?: {name: string, title: string, legend?: string, all: number, heads: string[], rows: string[][]}[],
 *   quality?: {name: string, title: string, legend?: string, all: number, heads: string[], rows: string[][]}[],
 *   registers?: {name: string, title: string, legend?: string, limits: string, heads: string[], names: string[],
 *     events: {event: number, all: number, frames: number[], rows: string[][]}[]}[],
 *   branches: {all: number, edges: Edge[], ranges: Stretch[], paths: Edge[][],
 *     rows: {edges: Log, ranges: Log, paths: Log}},
 *   vectors?: {frames: number[], rows: Log}, places: Log, code?: Code[], diff?: Diff
 * }} PageData
 *
 * @typedef {{n: number, parent: Int32Array, frame: Int32Array}} Tree
 * @typedef {{n: number, node: Int32Array, group: Int32Array, slice: Int32Array,
 *   count: Float64Array, period: Float64Array}} Rows
 */

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
function bytesOfBase64(text) {
	const raw = atob(text);
	const bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

/** @returns {Promise<PageData>} */
async function readData() {
	const element = document.getElementById('data');
	if (!element)
		throw new Error('this page has no data');
	const text = element.textContent || '';
	element.remove();
	if (element.dataset.form === 'json')
		return JSON.parse(text);
	if (typeof DecompressionStream === 'undefined')
		throw new Error('this browser cannot unpack gzip: it needs Chromium 80, Firefox 113, Safari 16.4 or later');
	const packed = new Blob([bytesOfBase64(text)]).stream();
	const stream = packed.pipeThrough(new DecompressionStream('gzip'));
	return JSON.parse(await new Response(stream).text());
}

/**
 * Nodes in order of depth first: `up` says how many levels each stands above a child of the one before.
 * @param {PageData['nodes']} nodes @returns {Tree}
 */
function readTree(nodes) {
	const n = nodes.up.length;
	const parent = new Int32Array(n);
	let last = -1;
	for (let i = 0; i < n; i++) {
		for (let k = nodes.up[i]; k > 0; k--)
			last = parent[last];
		parent[i] = last;
		last = i;
	}
	return { n, parent, frame: Int32Array.from(nodes.frame) };
}

/** @param {number[]} column @returns {Int32Array} */
function summed(column) {
	const out = new Int32Array(column.length);
	let v = 0;
	for (let i = 0; i < column.length; i++)
		out[i] = v += column[i];
	return out;
}

/** @param {PageData['rows']} rows @returns {Rows} */
function readRows(rows) {
	const slice = summed(rows.slice);
	for (let i = 0; i < slice.length; i++)
		slice[i]--; /* -1: no time */
	return {
		n: rows.node.length,
		node: summed(rows.node),
		group: Int32Array.from(rows.group),
		slice,
		count: Float64Array.from(rows.count),
		period: Float64Array.from(rows.period),
	};
}
