// SPDX-License-Identifier: GPL-2.0-or-later
/* What vectors were in use by function: what report --simd counts, by whom and when. */
#include "page-int.h"

#define MAX_FUNCTIONS 500

int page_start_simd(struct page *p)
{
	const struct acc_env env = { .res = p->env->resolver, .arch = session_arch(p->session) };

	return sample_has_vectors(p->env->pd, env.arch) ? keys_acc_simd.start(&p->simd, &env) : 0;
}

int page_add_simd(struct page *p, const struct sample *s, struct thread *th)
{
	const struct acc_in in = { .s = s, .th = th, .period = s->period, .times = 1 };
	uint32_t loc = resolver_find(p->env->resolver, th, s->cpumode, s->ip), frame, row;
	uint64_t key;

	if (loc == LOC_NONE)
		return -ENOMEM;
	frame = page_frame_of(p, loc, resolver_loc(p->env->resolver, loc)->sym, false, s->cpumode);
	if (frame == NONE)
		return -ENOMEM;
	key = frame;
	row = page_log_row(p, &p->vectors, &key);
	if (row == NONE)
		return -ENOMEM;
	p->vectors.rows.v[row].nr++;
	return keys_acc_simd.add(&p->vectors.simd.v[row], &in, p->simd);
}

int page_put_simd(struct page *p, struct json *j)
{
	int ret;

	if (!p->simd)
		return 0;
	ret = page_log_choose(p, &p->vectors, MAX_FUNCTIONS, NULL);
	if (ret)
		return ret;
	page_open(j, "vectors", '{');
	page_open(j, "frames", '[');
	for (uint32_t i = 0; i < p->vectors.nr_shown; i++)
		page_int(j, (int64_t)keys_tuple_get(&p->vectors.things, p->vectors.shown[i])[0]);
	page_close(j, ']');
	ret = page_put_log(&p->vectors, "rows", j);
	page_close(j, '}');
	return ret;
}
