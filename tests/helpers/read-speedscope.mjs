// SPDX-License-Identifier: GPL-2.0-or-later
// read-speedscope.mjs AJV SPEEDSCOPE FILE: checks a file of speedscope against the schema that its package
// has, by npm's ajv, and the rules that the schema cannot say; prints
//	valid | what is wrong
//	profile NAME UNIT SAMPLES SUM
//	stack PROFILE A;B;C WEIGHT
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [, , ajv, speedscope, path] = process.argv;
const Ajv = createRequire(import.meta.url)(resolve(ajv));
const schema = JSON.parse(readFileSync(join(speedscope, 'dist/release/file-format-schema.json')));
const text = readFileSync(path, 'utf8');
const d = JSON.parse(text);
const validate = new (Ajv.default ?? Ajv)({ strict: false }).compile(schema);
const wrong = validate(d) ? [] : validate.errors.slice(0, 3).map((e) => `${e.instancePath} ${e.message}`);
if (text.includes('\ufffd'))
	wrong.push('no UTF-8');
const lines = [];
for (const p of d.profiles) {
	if (p.samples.length !== p.weights.length)
		wrong.push(`${p.name}: ${p.samples.length} samples, ${p.weights.length} weights`);
	const sum = p.weights.reduce((a, b) => a + b, 0);
	if (p.startValue !== 0 || p.endValue !== sum)
		wrong.push(`${p.name}: weights are ${sum}, the end ${p.endValue}`);
	lines.push(`profile ${p.name} ${p.unit} ${p.samples.length} ${sum}`);
	p.samples.forEach((s, i) => {
		if (s.some((f) => !d.shared.frames[f]))
			wrong.push(`${p.name}: a frame that is not there`);
		else
			lines.push(`stack ${p.name} ${s.map((f) => d.shared.frames[f].name.slice(0, 200)).join(';')} ${p.weights[i]}`);
	});
}
console.log(wrong.length ? wrong.slice(0, 5).join('; ') : 'valid');
lines.forEach((l) => console.log(l));
