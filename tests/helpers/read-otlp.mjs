// SPDX-License-Identifier: GPL-2.0-or-later
// read-otlp.mjs PROTOBUFJS SCHEMA FILE: OTLP's profiles as npm's protobufjs reads them by the schema, as text:
//	sums VALUE...			of each profile
//	types TYPE/UNIT...		of each profile
//	about KEY=VALUE...		of the resource
//	tables ok			or what is not there, does not begin with zero, is twice, is not of the schema
//	stack PROFILE A;B;C ATTRIBUTES VALUE	outermost first; inlined functions have a "+" in front
//	mapping NAME ATTRIBUTES
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const [, , where, schema, path] = process.argv;
const protobuf = createRequire(import.meta.url)(resolve(where));
const type = protobuf.parse(readFileSync(schema, 'utf8'), { keepCase: true }).root
	.lookupType('opentelemetry.proto.profiles.v1development.ProfilesData');
const bytes = readFileSync(path);
const message = type.decode(bytes);
const data = type.toObject(message, { longs: String, defaults: true, bytes: Array });
const wrong = [];
// What the schema does not know would be lost on the way.
if (type.encode(message).finish().length !== bytes.length)
	wrong.push('fields that the schema has not');
const d = data.dictionary;
const text = (i) => {
	if (!(i >= 0 && i < d.string_table.length))
		wrong.push(`string ${i}`);
	return d.string_table[i];
};
const at = (table, i) => {
	if (!(i >= 0 && i < d[table].length))
		wrong.push(`${table} has no ${i}`);
	return d[table][i] || {};
};
const zero = (v) => v === '' || v === 0 || v === '0' || v === null ||
	(typeof v === 'object' && Object.values(v).every(zero));
for (const [name, table] of Object.entries(d)) {
	if (!table.length || !zero(table[0]))
		wrong.push(`${name} does not begin with zero`);
	const seen = table.map((v) => JSON.stringify(v));
	if (name !== 'mapping_table' && new Set(seen).size !== seen.length)
		wrong.push(`${name} has something twice`);
}
for (const s of d.string_table)
	// eslint-disable-next-line no-control-regex
	if (/[\u0000-\u001f\ufffd]/.test(s))
		wrong.push(`string ${JSON.stringify(s.slice(0, 40))}`);
const value = (v) => v.string_value || v.int_value;
const attributes = (list) => list.map((i) => {
	const a = at('attribute_table', i);
	return `${text(a.key_strindex)}=${value(a.value)}`;
}).join(',') || '-';
const base = (m) => text(m.filename_strindex).split('/').pop();
const frames = (stack) => stack.location_indices.flatMap((i) => {
	const l = at('location_table', i);
	const m = at('mapping_table', l.mapping_index);
	const address = BigInt(l.address);
	if (l.mapping_index && (address < BigInt(m.memory_start) || address >= BigInt(m.memory_limit)))
		wrong.push(`location ${i} is outside of its mapping`);
	if (!l.lines.length)
		return [l.mapping_index ? `[${base(m)}]` : '[unknown]'];
	return l.lines.map((line, k) => (k < l.lines.length - 1 ? '+' : '') +
		text(at('function_table', line.function_index).name_strindex).slice(0, 200));
}).reverse();

const scope = data.resource_profiles[0].scope_profiles[0];
const name = (t) => `${text(t.type_strindex)}/${text(t.unit_strindex)}`;
const sums = [];
const stacks = scope.profiles.flatMap((p) => {
	const lines = p.samples.map((s) => {
		if (s.values.length !== 1)
			wrong.push(`${s.values.length} values`);
		return `stack ${name(p.sample_type)} ${frames(at('stack_table', s.stack_index)).join(';')} ` +
			`${attributes(s.attribute_indices)} ${s.values[0]}`;
	});
	sums.push(p.samples.reduce((n, s) => n + BigInt(s.values[0]), 0n));
	return lines;
});
console.log(`sums ${sums.join(' ')}`);
console.log(`types ${scope.profiles.map((p) => name(p.sample_type)).join(' ')}`);
console.log(`about ${data.resource_profiles[0].resource.attributes.map((a) => `${a.key}=${value(a.value)}`).join(' ')}`);
console.log(`tables ${wrong.slice(0, 5).join('; ') || 'ok'}`);
stacks.sort().forEach((s) => console.log(s));
d.mapping_table.slice(1).forEach((m) => console.log(`mapping ${text(m.filename_strindex)} ${attributes(m.attribute_indices)}`));
