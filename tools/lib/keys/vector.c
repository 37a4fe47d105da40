// SPDX-License-Identifier: GPL-2.0-or-later
/* What accumulators share that ask what the code at a sample reads, and what was in it. */
#include "vector-int.h"

int keys_vector_start(void **state, const struct acc_env *env)
{
	struct vector_use *u = calloc(1, sizeof(*u));

	if (!u || simd_sites_new(&u->sites, env->res, env->arch, false)) {
		free(u);
		return -ENOMEM;
	}
	u->env = *env;
	*state = u;
	return 0;
}

void keys_vector_stop(void *state)
{
	struct vector_use *u = state;

	if (!u)
		return;
	simd_sites_free(u->sites);
	free(u);
}

const struct sample_regs *keys_vector_of(const struct vector_use *u, const struct acc_in *in,
					 struct sample_regs *tmp, uint32_t *loc)
{
	const struct sample *s = in->s;
	const struct sample_regs *r = sample_simd_block(s, u->env.arch, tmp);

	if (!r || u->env.redact || (r != &s->intr_regs && !simd_is_of_code(s, u->env.arch)))
		return NULL;
	*loc = keys_acc_loc(&u->env, in);
	return r;
}
