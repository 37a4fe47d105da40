// SPDX-License-Identifier: GPL-2.0-or-later
// read-pprof.mjs PPROF-FORMAT FILE: a pprof profile as npm's pprof-format reads it, as text:
//	sums VALUE...			of each value over all samples
//	types TYPE/UNIT...
//	ids ok				or what is not dense, not there, no UTF-8, of another length
//	stack A;B;C LABELS VALUE...	outermost first; inlined functions have a "+" in front
//	mapping NAME BUILDID has_functions has_filenames has_line_numbers has_inline_frames
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [, , where, path] = process.argv;
const { Profile } = createRequire(import.meta.url)(resolve(where));
let bytes = readFileSync(path);
if (bytes[0] === 0x1f && bytes[1] === 0x8b)
	bytes = gunzipSync(bytes);
const p = Profile.decode(bytes);
const wrong = [];
const strings = p.stringTable.strings;
const text = (i) => strings[Number(i)];
for (const [what, list] of [['mapping', p.mapping], ['location', p.location], ['function', p.function]])
	list.sort((a, b) => Number(a.id) - Number(b.id)).forEach((x, i) => {
		if (Number(x.id) !== i + 1)
			wrong.push(`${what} ${x.id} is number ${i + 1}`);
	});
if (strings[0] !== '')
	wrong.push('the first string is not empty');
for (const s of strings)
	// eslint-disable-next-line no-control-regex
	if (/[\u0000-\u001f\ufffd]/.test(s))
		wrong.push(`string ${JSON.stringify(s.slice(0, 40))}`);
const sums = p.sampleType.map(() => 0n);
const seen = new Set();
const stacks = p.sample.map((s) => {
	if (s.value.length !== sums.length)
		wrong.push(`${s.value.length} values`);
	s.value.forEach((v, i) => { sums[i] += BigInt(v); });
	const frames = [];
	for (const id of s.locationId) {
		const l = p.location[Number(id) - 1];
		if (!l || (l.mappingId && !p.mapping[Number(l.mappingId) - 1])) {
			wrong.push(`location ${id}`);
			continue;
		}
		const m = p.mapping[Number(l.mappingId) - 1];
		if (m && (BigInt(l.address) < BigInt(m.memoryStart) || BigInt(l.address) >= BigInt(m.memoryLimit)))
			wrong.push(`location ${id} is outside of its mapping`);
		l.line.forEach((line, i) => {
			const f = p.function[Number(line.functionId) - 1];
			frames.unshift((i < l.line.length - 1 ? '+' : '') + (f ? text(f.name).slice(0, 200) : '?'));
		});
		if (!l.line.length)
			frames.unshift(m ? `[${text(m.filename).split('/').pop()}]` : '[unknown]');
	}
	const labels = s.label.map((l) => `${text(l.key)}=${l.str ? text(l.str) : l.num}`).join(',');
	const key = `${s.locationId.join()} ${labels}`;
	if (seen.has(key))
		wrong.push(`stack ${key} comes twice`);
	seen.add(key);
	return `stack ${frames.join(';')} ${labels || '-'} ${s.value.join(' ')}`;
});
console.log(`sums ${sums.join(' ')}`);
console.log(`types ${p.sampleType.map((t) => `${text(t.type)}/${text(t.unit)}`).join(' ')}`);
console.log(`period ${p.periodType ? `${text(p.periodType.type)}/${text(p.periodType.unit)}` : '-'} ${p.period}`);
console.log(`ids ${wrong.slice(0, 5).join('; ') || 'ok'}`);
stacks.sort().forEach((s) => console.log(s));
for (const m of p.mapping)
	console.log(`mapping ${text(m.filename)} ${text(m.buildId) || '-'} ${Number(m.hasFunctions)} ${Number(m.hasFilenames)} ` +
		`${Number(m.hasLineNumbers)} ${Number(m.hasInlineFrames)}`);
