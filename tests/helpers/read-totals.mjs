// SPDX-License-Identifier: GPL-2.0-or-later
// read-totals.mjs MODULES SCHEMA DIR: for each DIR/N.report, lines that end in ",SAMPLES,PERIODS" of a recording, what
// the readers of npm's MODULES find in the files DIR/N.FORMAT that were made of it. Prints "FORMAT SAME FILES" for each
// format, and "N FORMAT: ..." for each file that says something else. A format that has
// no samples of its own (folded, speedscope) is held against the periods alone, one without periods (json) against
// the samples.
import { createRequire } from 'node:module';
import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [, , modules, schema, dir] = process.argv;
const require = createRequire(import.meta.url);
const { Profile } = require(resolve(modules, 'pprof-format'));
const protobuf = require(resolve(modules, 'protobufjs'));
const otlp = protobuf.parse(readFileSync(schema, 'utf8')).root
	.lookupType('opentelemetry.proto.profiles.v1development.ProfilesData');
const json = (bytes) => JSON.parse(bytes.toString('utf8'));
const sum = (list) => list.reduce((n, v) => n + BigInt(v), 0n);
const alternate = (list, first) => sum(list.filter((_, i) => i % 2 === first));

const readers = {
	pprof: (bytes) => {
		const p = Profile.decode(gunzipSync(bytes));
		const sums = p.sampleType.map((_, i) => sum(p.sample.map((s) => s.value[i])));
		return [alternate(sums, 0), alternate(sums, 1)];
	},
	otlp: (bytes) => {
		const sums = otlp.decode(bytes).resourceProfiles[0].scopeProfiles[0].profiles
			.map((p) => sum(p.samples.map((s) => s.values[0].toString())));
		return [alternate(sums, 1), alternate(sums, 0)];
	},
	speedscope: (bytes) => [null, sum(json(bytes).profiles.flatMap((p) => p.weights))],
	firefox: (bytes) => {
		const t = json(bytes).threads;
		const scale = (s) => s.weightType === 'tracing-ms' ? 1000000 : 1;
		return [sum(t.map((x) => x.samples.length)),
			sum(t.flatMap((x) => x.samples.weight.map((w) => Math.round(w * scale(x.samples)))))];
	},
	json: (bytes) => [BigInt(json(bytes).samples.length), null],
	folded: (bytes) => [null, sum(bytes.toString('latin1').split('\n').filter(Boolean)
		.map((l) => l.slice(l.lastIndexOf(' ') + 1)))],
};

for (const [format, read] of Object.entries(readers)) {
	let same = 0, files = 0;
	for (const name of readdirSync(dir).filter((n) => n.endsWith('.report'))) {
		const n = name.slice(0, -7);
		const path = join(dir, `${n}.${format}`);
		if (!existsSync(path))
			continue;
		files++;
		const rows = readFileSync(join(dir, name), 'utf8').split(/\r?\n/).map((l) => /,(\d+),(\d+)$/.exec(l)).filter(Boolean);
		const want = [sum(rows.map((r) => r[1])), sum(rows.map((r) => r[2]))];
		let found;
		try {
			found = read(readFileSync(path));
		} catch (e) {
			found = [e];
		}
		// Numbers of JSON are exact below 2^53, and so is what they are held against.
		if ((found[0] === null || found[0] === want[0]) &&
		    (found[1] === null || found[1] === want[1] || ((format === 'speedscope' || format === 'firefox') && Number(found[1]) === Number(want[1]))))
			same++;
		else
			console.log(`${n} ${format}: ${found.join(' ')} and not ${want.join(' ')}`);
	}
	console.log(`${format} ${same} ${files}`);
}
