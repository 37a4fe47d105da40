// SPDX-License-Identifier: GPL-2.0-or-later
// read-tables.mjs NODE-API DIR SQL...: Parquet files of perf data convert as DuckDB reads them. Each table is a view of
// all files DIR/v1/TABLE/*/*.parquet; of each statement a line per row, values with blanks between.
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const [, , where, dir, ...statements] = process.argv;
const { DuckDBInstance } = createRequire(import.meta.url)(resolve(where));
const db = await (await DuckDBInstance.create(':memory:')).connect();
const quoted = resolve(dir).replaceAll("'", "''");
for (const t of ['loads', 'objects', 'functions', 'samples', 'stacks', 'edges', 'simd'])
	if (existsSync(`${dir}/v1/${t}`))
		await db.run(`CREATE VIEW ${t} AS SELECT * FROM read_parquet('${quoted}/v1/${t}/*/*.parquet')`);
for (const sql of statements)
	for (const row of (await db.runAndReadAll(sql)).getRows())
		console.log(row.map(String).join(' '));
