/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of room keys: the functions that rows of the table in key.c name, by their files. */
#ifndef PERF_KEYS_INT_H
#define PERF_KEYS_INT_H

#include "insn/insn.h"
#include "keys/keys.h"

/* key.c */
char keys_cpumode_char(uint8_t cpumode);

/* key-branch.c */
void keys_text_mispredict(const struct keys *ks, const struct keys_row *r, uint64_t v,
			  struct obuf *o);
void keys_text_in_tx(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o);
void keys_text_abort(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o);
void keys_text_cycles(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o);
void keys_text_type(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o);

void keys_text_ipc(const struct keys *ks, const void *slot, struct obuf *o);

/* key-simd.c */
uint64_t keys_get_simd_width(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t keys_get_simd_upper(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t keys_get_opmask(struct keys *ks, const struct sample *s, struct thread *th);
void keys_text_simd_width(const struct keys *ks, const struct keys_row *r, uint64_t v,
			  struct obuf *o);
void keys_text_simd_upper(const struct keys *ks, const struct keys_row *r, uint64_t v,
			  struct obuf *o);
void keys_text_opmask(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o);

/* key-file.c */
uint64_t keys_get_trace(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t keys_get_socket(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t keys_get_cgroup_id(struct keys *ks, const struct sample *s, struct thread *th);
void keys_text_socket(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o);

uint64_t keys_get_comm_nodigit(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t keys_comm_nodigit(struct keys *ks, const char *comm);
uint64_t keys_place_dso_size(struct keys *ks, const struct place_in *in);
uint64_t keys_place_srcline(struct keys *ks, const struct place_in *in);
uint64_t keys_place_srcfile(struct keys *ks, const struct place_in *in);

/* key-code.c */
uint64_t keys_get_dirty_by(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t keys_place_loop(struct keys *ks, const struct place_in *in);
void keys_walk_free(struct code_walk *w);

/* key-mem.c */
uint64_t keys_get_symbol_daddr(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t keys_get_dso_daddr(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t keys_get_dcacheline(struct keys *ks, const struct sample *s, struct thread *th);
int keys_width_daddr(const struct keys *ks, uint64_t v);
int keys_width_dso_daddr(const struct keys *ks, uint64_t v);
int keys_cmp_daddr(const struct keys *ks, uint64_t a, uint64_t b);
int keys_cmp_dcacheline(const struct keys *ks, uint64_t a, uint64_t b);
#define KEY_TEXT(name)                                                                     \
	void keys_text_##name(const struct keys *ks, const struct keys_row *r, uint64_t v, \
			      struct obuf *o)
KEY_TEXT(daddr);
KEY_TEXT(phys);
KEY_TEXT(level);
KEY_TEXT(snoop);
KEY_TEXT(tlb);
KEY_TEXT(locked);
KEY_TEXT(blocked);
KEY_TEXT(sum);
KEY_TEXT(transaction);
int keys_width_transaction(const struct keys *ks, uint64_t v);

static inline uint64_t keys_weight(const struct sample *s)
{
	return s->present & PERF_SAMPLE_WEIGHT_STRUCT ? s->weight_var1 : s->weight;
}

#endif
