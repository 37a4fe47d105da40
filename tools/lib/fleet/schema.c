// SPDX-License-Identifier: GPL-2.0-or-later
/* schema.def as const tables. */
#include "fleet/fleet.h"

#define TABLE(NAME, name, holds, key)	       static const struct batch_column name##_columns[] = {
#define COLUMN(TABLE, NAME, name, type, holds) { #name, BATCH_##type, holds },
#define END(NAME) \
	}         \
	;
#include "fleet/schema.def"
#undef TABLE
#undef COLUMN
#undef END

const struct batch_table *fleet_table(enum fleet_table t)
{
	static const struct batch_table tables[] = {
#define TABLE(NAME, name, holds, key) \
	{ #name, holds, name##_columns, ARRAY_SIZE(name##_columns), key },
#define COLUMN(...)
#define END(NAME)
#include "fleet/schema.def"
#undef TABLE
#undef COLUMN
#undef END
	};

	return &tables[t];
}
