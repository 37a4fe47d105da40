// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statements that make the tables of schema.def in an engine; the only statements that the program makes up, so no
 * semicolon stands inside of one. ClickHouse as old as 18.16 has to understand its: no codecs, no LowCardinality,
 * no TTL; an administrator may add these.
 */
#include "fleet/fleet.h"

static const char *const clickhouse_types[] = { "Int32", "Int64", "Float64", "String" };
static const char *const postgresql_types[] = { "integer", "bigint", "double precision", "text" };

static bool is_fact(enum fleet_table t)
{
	return t == FLEET_SAMPLES || t == FLEET_STACKS || t == FLEET_EDGES || t == FLEET_SIMD;
}

static void put_columns(const struct batch_table *t, const char *const *types, struct obuf *o)
{
	for (size_t i = 0; i < t->nr_columns; i++)
		obuf_printf(o, "%s\n\t%s %s%s", i ? "," : "", t->columns[i].name,
			    types[t->columns[i].type],
			    types == postgresql_types ? " NOT NULL" : "");
}

/*
 * Facts are kept by the day they came, so that old ones go as a whole: ALTER TABLE ... DROP PARTITION. What may come twice
 * (objects, functions) is replaced by its key.
 */
static void put_clickhouse(enum fleet_table n, const char *cluster, const char *database,
			   struct obuf *o)
{
	const struct batch_table *t = fleet_table(n);

	obuf_printf(o, "CREATE TABLE IF NOT EXISTS %s%s (", t->name, cluster ? "_local" : "");
	put_columns(t, clickhouse_types, o);
	if (is_fact(n))
		obuf_printf(o,
			    ",\n\tcame Date DEFAULT today()\n) ENGINE = MergeTree "
			    "PARTITION BY came ORDER BY (%s);\n",
			    t->key);
	else
		obuf_printf(o, "\n) ENGINE = ReplacingMergeTree ORDER BY (%s);\n", t->key);
	if (!cluster)
		return;
	/*
	 * Numbers of loads end in zeros: FLEET_ATTEMPTS. All of a load is on one shard. The database by its name: 18.16
	 * keeps the words, and when it has started again currentDatabase() is none.
	 */
	obuf_printf(o,
		    "CREATE TABLE IF NOT EXISTS %s AS %s_local ENGINE = Distributed(%s, "
		    "%s, %s_local, %s);\n",
		    t->name, t->name, cluster, database ? database : "currentDatabase()", t->name,
		    is_fact(n) || n == FLEET_LOADS ? "intHash64(load)" : "cityHash64(object)");
}

static void put_postgresql(enum fleet_table n, struct obuf *o)
{
	const struct batch_table *t = fleet_table(n);

	obuf_printf(o, "CREATE TABLE IF NOT EXISTS %s (", t->name);
	put_columns(t, postgresql_types, o);
	if (n == FLEET_LOADS)
		obuf_lit(o, ",\n\tPRIMARY KEY (load)");
	else if (!is_fact(n))
		obuf_printf(o, ",\n\tPRIMARY KEY (%s)", t->key);
	obuf_lit(o, "\n);\n");
	if (is_fact(n))
		obuf_printf(o, "CREATE INDEX IF NOT EXISTS %s_load ON %s (load);\n", t->name,
			    t->name);
	if (is_fact(n) && n != FLEET_STACKS)
		obuf_printf(o, "CREATE INDEX IF NOT EXISTS %s_object ON %s (object);\n", t->name,
			    t->name);
}

void fleet_schema_print(enum fleet_engine engine, const char *cluster, const char *database,
			struct obuf *o)
{
	for (int t = 0; t < FLEET_TABLES; t++)
		if (engine == FLEET_CLICKHOUSE)
			put_clickhouse((enum fleet_table)t, cluster, database, o);
		else
			put_postgresql((enum fleet_table)t, o);
	if (engine == FLEET_CLICKHOUSE)
		obuf_printf(o,
			    "CREATE TABLE IF NOT EXISTS perf_schema (version Int32) ENGINE = "
			    "ReplacingMergeTree ORDER BY version;\n"
			    "INSERT INTO perf_schema (version) SELECT %d;\n",
			    FLEET_SCHEMA);
	else
		obuf_printf(
			o,
			"CREATE TABLE IF NOT EXISTS perf_schema (version integer PRIMARY KEY);\n"
			"INSERT INTO perf_schema VALUES (%d) ON CONFLICT DO NOTHING;\n",
			FLEET_SCHEMA);
}
