// SPDX-License-Identifier: GPL-2.0-or-later
/* Field marks: what report --numbers and its like count, of one sample. */
#include <stdlib.h>

#include "script-int.h"

#define ALL                                                                                      \
	(KEYS_MARK_SIMD | KEYS_MARK_NUMBERS | KEYS_MARK_IDLE | KEYS_MARK_DIRTY | KEYS_MARK_APX | \
	 KEYS_MARK_SHADOW)

/* The sample's slot, to be dropped; NULL: no memory, which is told. */
static void *slot_of(struct script *sc, const struct ctx *c)
{
	const struct acc_env env = { .res = sc->env.resolver,
				     .arch = sc->arch,
				     .redact = sc->opts.redact };

	if (!sc->marks && keys_marks_new(&sc->marks, ALL, &env, NULL))
		return NULL;
	if (!sc->mark)
		sc->mark = malloc(keys_marks_size(sc->marks));
	if (!sc->mark)
		return NULL;
	keys_marks_begin(sc->marks, sc->mark);
	if (keys_marks_add(sc->marks, sc->mark, c->s, c->th)) {
		keys_marks_drop(sc->marks, sc->mark);
		return NULL;
	}
	return sc->mark;
}

void print_marks(struct script *sc, const struct ctx *c)
{
	void *slot = slot_of(sc, c);

	if (!slot)
		return;
	obuf_lit(sc->o, " [");
	keys_marks_put(sc->marks, slot, sc->o);
	obuf_lit(sc->o, "] ");
	keys_marks_drop(sc->marks, slot);
}

void script_json_marks(struct script *sc, const struct ctx *c, struct emit *e)
{
	void *slot = slot_of(sc, c);

	if (!slot)
		return;
	keys_marks_emit(sc->marks, slot, "marks", false, e);
	keys_marks_drop(sc->marks, slot);
}
