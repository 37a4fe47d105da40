// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of an engine as a recording. Each process's name is a process; a row is as many samples as it counted, with its
 * period shared out among them, up to MOST in all. A chain is found by its number: the caller's is in the callee's
 * (path.c), up to the root, which has the process's name.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fleet/compose-int.h"

#ifndef MOST		/* fuzz targets have less to write */
#define MOST (1u << 21) /* samples in a recording */
#endif
#define DEPTH	     512	       /* frames of a chain, the innermost */
#define USER_BASE    0x100000000000ULL /* images of user space, IMAGE bytes each */
#define KERNEL	     0xffffffff81000000ULL /* the kernel; behind MODULES the modules, MODULE bytes each */
#define MODULES	     0xffffffffc0000000ULL
#define IMAGE	     (1ULL << 32)
#define MODULE	     (1ULL << 20)
#define MODULES_MOST 1023 /* addresses end behind them */

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "no memory for what the engine answered");
}

int fleet_compose_new(struct fleet_compose **out, struct err *e)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : no_memory(e);
}

void fleet_compose_free(struct fleet_compose *c)
{
	if (!c)
		return;
	vec_for_each (m, &c->image) {
		vec_free(&m->symbol);
		htab_free(&m->tab);
	}
	intern_free(&c->events);
	intern_free(&c->objects);
	intern_free(&c->names);
	intern_free(&c->images);
	vec_free(&c->rows);
	vec_free(&c->branches);
	vec_free(&c->image_of);
	vec_free(&c->image);
	vec_free(&c->func);
	htab_free(&c->row_tab);
	htab_free(&c->func_tab);
	htab_free(&c->namesake_tab);
	free(c);
}

/* ---- taking rows --------------------------------------------------------------------------------- */

int fleet_compose_row(struct fleet_compose *c, const struct fleet_row *r, struct err *e)
{
	struct compose_row row = { .event = intern(&c->events, *r->event ? r->event : "[unknown]"),
				   .object = intern(&c->objects, r->object),
				   .name = intern(&c->names, r->name),
				   .func = r->func,
				   .path = r->path & INT64_MAX,
				   .n = r->n,
				   .period = r->period };

	/* Beyond that sums begin anew, and a few rows are as many samples as no disk holds. */
	if (r->n > UINT64_MAX - c->samples)
		return err_set(e, -EPROTO,
			       "the engine's answer counts more samples than 64 bits can hold");
	if (row.event == INTERN_NONE || row.object == INTERN_NONE || row.name == INTERN_NONE ||
	    vec_push(&c->rows, row) ||
	    (row.path &&
	     htab_add(&c->row_tab, hash_mix(row.event, row.path), (uint32_t)c->rows.n - 1)))
		return no_memory(e);
	c->samples += r->n;
	return 0;
}

void fleet_compose_lost(struct fleet_compose *c, uint64_t lost)
{
	c->lost = lost;
}

const char *fleet_compose_needs(const struct fleet_compose *c, size_t i)
{
	return i + 1 < c->objects.str.n ? c->objects.str.v[i + 1] : NULL; /* 0 is none */
}

static enum compose_kind kind_of(const char *kind)
{
	return !strcmp(kind, "kernel")				 ? COMPOSE_KERNEL
	       : !strcmp(kind, "module") || !strcmp(kind, "bpf") ? COMPOSE_MODULE
								 : COMPOSE_USER;
}

/* Where the next image starts; 0 = there is no room for another. */
static uint64_t next_base(struct fleet_compose *c, enum compose_kind kind)
{
	switch (kind) {
	case COMPOSE_KERNEL: return KERNEL;
	case COMPOSE_MODULE:
		return c->nr_modules < MODULES_MOST ? MODULES + c->nr_modules++ * MODULE : 0;
	default: return USER_BASE + c->image.n * IMAGE;
	}
}

static uint64_t most_slots(enum compose_kind kind)
{
	uint64_t room = kind == COMPOSE_KERNEL	 ? MODULES - KERNEL
			: kind == COMPOSE_MODULE ? MODULE
						 : IMAGE;

	return (room - COMPOSE_TEXT) / COMPOSE_SLOT;
}

/* "ext4.ko.xz" is "[ext4]". */
static const char *module_name(struct fleet_compose *c, const char *path)
{
	const char *at = *path == '[' ? path + 1 : path;
	char name[80];

	snprintf(name, sizeof(name), "[%.*s]", (int)min_u64(strcspn(at, ".]"), 64), at);
	return intern_str(&c->names, intern(&c->names, name));
}

/* The slot of a function's name, that of [unknown] where all are taken. INTERN_NONE = no memory. */
static uint32_t slot_of(struct compose_image *m, uint32_t name, uint32_t nth)
{
	struct compose_symbol add = { name, nth };
	uint64_t hash = hash_mix(name, nth);
	uint32_t i;

	for (struct htab_it it = htab_find(&m->tab, hash); htab_next(&m->tab, &it, &i);)
		if (m->symbol.v[i].name == name && m->symbol.v[i].nth == nth)
			return i;
	i = (uint32_t)m->symbol.n;
	if (i >= most_slots(m->kind))
		return 0;
	return vec_push(&m->symbol, add) || htab_add(&m->tab, hash, i) ? INTERN_NONE : i;
}

int fleet_compose_object(struct fleet_compose *c, const char *object, const char *kind,
			 const char *path, struct err *e)
{
	uint32_t nr = intern(&c->objects, object), at;
	struct compose_image add = { .kind = kind_of(kind), .name = path };
	char key[300];

	if (add.kind == COMPOSE_KERNEL)
		add.name = "[kernel.kallsyms]";
	else if (add.kind == COMPOSE_MODULE)
		add.name = module_name(c, path);
	else if (nr != INTERN_NONE)
		add.name = intern_str(&c->names, intern(&c->names, path));
	snprintf(key, sizeof(key), "%d%.256s", add.kind, add.name);
	at = intern(&c->images, key);
	if (nr == INTERN_NONE || at == INTERN_NONE)
		return no_memory(e);
	while (c->image_of.n <= nr)
		if (vec_push(&c->image_of, INTERN_NONE))
			return no_memory(e);
	c->image_of.v[nr] = at - 1;
	if (at - 1 < c->image.n)
		return 0;
	add.base = next_base(c, add.kind);
	return vec_push(&c->image, add) ||
			       slot_of(&c->image.v[at - 1], intern(&c->names, "[unknown]"), 0)
		       ? no_memory(e)
		       : 0;
}

static struct compose_image *image_of(struct fleet_compose *c, uint32_t object)
{
	uint32_t at = object < c->image_of.n ? c->image_of.v[object] : INTERN_NONE;

	return at == INTERN_NONE || !c->image.v[at].base ? NULL : &c->image.v[at];
}

static uint32_t namesakes(const struct fleet_compose *c, const struct compose_func *f)
{
	uint32_t nr = 0, i;

	for (struct htab_it it = htab_find(&c->namesake_tab, hash_mix(f->object, f->name));
	     htab_next(&c->namesake_tab, &it, &i);)
		nr += c->func.v[i].object == f->object && c->func.v[i].name == f->name;
	return nr;
}

int fleet_compose_function(struct fleet_compose *c, const char *object, int64_t func,
			   const char *name, struct err *e)
{
	struct compose_func f = { .object = intern(&c->objects, object),
				  .name = intern(&c->names, name),
				  .func = func };
	struct compose_image *m = image_of(c, f.object);
	uint32_t at = (uint32_t)c->func.n;

	if (f.object == INTERN_NONE || f.name == INTERN_NONE)
		return no_memory(e);
	if (!m)
		return 0;
	f.slot = slot_of(m, f.name, namesakes(c, &f));
	return f.slot == INTERN_NONE || vec_push(&c->func, f) ||
			       htab_add(&c->namesake_tab, hash_mix(f.object, f.name), at) ||
			       htab_add(&c->func_tab, hash_mix(f.object, (uint64_t)func), at)
		       ? no_memory(e)
		       : 0;
}

/* ---- addresses ----------------------------------------------------------------------------------- */

/* In the middle of its slot, where a return address finds it, too. 0: in no object. */
static uint64_t address_of(struct fleet_compose *c, uint32_t object, int64_t func)
{
	const struct compose_image *m = image_of(c, object);
	uint32_t i, slot = 0; /* [unknown] */

	if (!m)
		return 0;
	for (struct htab_it it = htab_find(&c->func_tab, hash_mix(object, (uint64_t)func));
	     htab_next(&c->func_tab, &it, &i);)
		if (c->func.v[i].object == object && c->func.v[i].func == func)
			slot = c->func.v[i].slot;
	return m->base + COMPOSE_TEXT + slot * COMPOSE_SLOT + COMPOSE_SLOT / 2;
}

bool fleet_compose_is_kernel(uint64_t ip)
{
	return ip >= KERNEL;
}

static const struct compose_row *caller(const struct fleet_compose *c, const struct compose_row *r)
{
	bool root = r->name;
	uint64_t up =
		root ? 0 : fleet_path_up(r->path, intern_str(&c->objects, r->object), r->func);
	uint32_t i;

	if (!up)
		return NULL;
	for (struct htab_it it = htab_find(&c->row_tab, hash_mix(r->event, up));
	     htab_next(&c->row_tab, &it, &i);)
		if (c->rows.v[i].event == r->event && c->rows.v[i].path == up)
			return &c->rows.v[i];
	return NULL;
}

/* ---- records ------------------------------------------------------------------------------------- */

int fleet_compose_put(struct composing *k, uint32_t type, uint16_t misc, const struct obuf *body,
		      struct err *e)
{
	struct perf_event_header h = { type, misc, (uint16_t)(sizeof(h) + body->len) };

	if (body->code)
		return no_memory(e);
	return perfdata_writer_write(k->w, &h, sizeof(h), body->buf, body->len, e);
}

static void put_u64(struct obuf *o, uint64_t v)
{
	obuf_mem(o, &v, sizeof(v));
}

static void put_text(struct obuf *o, const char *s, size_t most)
{
	obuf_mem(o, s, strnlen(s, most));
	do
		obuf_char(o, 0);
	while (o->len % 8);
}

static void put_ids(struct obuf *o, uint32_t pid)
{
	obuf_mem(o, &pid, 4);
	obuf_mem(o, &pid, 4);
}

static int put_process(struct composing *k, uint32_t pid, const char *name, struct err *e)
{
	struct obuf o = { .fd = -1 };
	int ret;

	put_ids(&o, pid);
	put_text(&o, *name ? name : "[unknown]", 15);
	ret = fleet_compose_put(k, PERF_RECORD_COMM, 0, &o, e);
	free(o.buf);
	return ret;
}

static int put_map(struct composing *k, uint32_t pid, const struct compose_image *m, struct err *e)
{
	bool user = m->kind == COMPOSE_USER;
	struct obuf o = { .fd = -1 };
	char name[256];
	int ret;

	fleet_compose_file(m, name, sizeof(name));
	put_ids(&o, user ? pid : UINT32_MAX);
	put_u64(&o, m->base);
	put_u64(&o, COMPOSE_TEXT + m->symbol.n * COMPOSE_SLOT);
	put_u64(&o, m->kind == COMPOSE_KERNEL ? m->base : 0);
	put_text(&o,
		 m->kind == COMPOSE_KERNEL ? "[kernel.kallsyms]_text"
		 : user			   ? name
					   : m->name,
		 sizeof(name));
	ret = fleet_compose_put(k, PERF_RECORD_MMAP,
				user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL, &o, e);
	free(o.buf);
	return ret;
}

/* Once for each process. */
static int need_map(struct composing *k, uint32_t pid, const struct compose_image *m, struct err *e)
{
	uint64_t key = m ? (m->kind == COMPOSE_USER ? (uint64_t)pid << 32 : 0) |
				       (uint64_t)(m - k->c->image.v)
			 : 0;
	uint32_t i;

	if (!m)
		return 0;
	for (struct htab_it it = htab_find(&k->seen, hash_u64(key)); htab_next(&k->seen, &it, &i);)
		if (k->mapped.v[i] == key)
			return 0;
	if (vec_push(&k->mapped, key) ||
	    htab_add(&k->seen, hash_u64(key), (uint32_t)k->mapped.n - 1))
		return no_memory(e);
	return put_map(k, pid, m, e);
}

int fleet_compose_place(struct composing *k, uint32_t pid, uint32_t object, int64_t func,
			uint64_t *ip, struct err *e)
{
	*ip = address_of(k->c, object, func);
	return need_map(k, pid, image_of(k->c, object), e);
}

/* The frames, innermost first, with words between kernel and user space; the root's name as *comm. */
static int put_chain(struct composing *k, const struct compose_row *r, uint32_t *comm,
		     uint64_t *ips, struct err *e)
{
	const struct compose_row *way[DEPTH];
	size_t n = 0, nr = 0;
	int mode = -1, ret = 0;

	*comm = 0;
	for (size_t depth = 0; r && depth < 4 * DEPTH; r = caller(k->c, r), depth++) {
		if (r->name)
			*comm = r->name;
		else if (n < DEPTH)
			way[n++] = r;
	}
	for (size_t i = 0; i < n && !ret; i++) {
		uint64_t ip = address_of(k->c, way[i]->object, way[i]->func);
		bool kernel = fleet_compose_is_kernel(ip);

		ret = need_map(k, *comm + 1, image_of(k->c, way[i]->object), e);
		if (mode != kernel)
			ips[++nr] = kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
		mode = kernel;
		ips[++nr] = ip;
	}
	ips[0] = nr;
	return ret;
}

static int put_row(struct composing *k, const struct compose_row *r, struct err *e)
{
	uint64_t ips[2 * DEPTH + 1], ip, id = r->event, n = max_u64(1, r->n / k->of_each), each;
	struct obuf o = { .fd = -1 };
	uint32_t comm;
	int ret = put_chain(k, r, &comm, ips, e);

	ip = ips[0] ? ips[2] : 0;
	n = min_u64(n, max_u64(1, r->period));
	each = r->period / n;
	for (uint64_t i = 0; !ret && i < n; i++) {
		o.len = 0;
		put_u64(&o, id);
		put_u64(&o, ip);
		put_ids(&o, comm + 1);
		put_u64(&o, i ? each : r->period - each * (n - 1));
		if (k->chains)
			obuf_mem(&o, ips, (ips[0] + 1) * sizeof(*ips));
		ret = fleet_compose_put(k, PERF_RECORD_SAMPLE,
					fleet_compose_is_kernel(ip) ? PERF_RECORD_MISC_KERNEL
								    : PERF_RECORD_MISC_USER,
					&o, e);
	}
	free(o.buf);
	return ret;
}

static int put_lost(struct composing *k, struct err *e)
{
	struct obuf o = { .fd = -1 };
	int ret;

	put_u64(&o, k->c->lost);
	ret = fleet_compose_put(k, PERF_RECORD_LOST_SAMPLES, 0, &o, e);
	free(o.buf);
	return ret;
}

static int put_all(struct composing *k, struct err *e)
{
	struct bits seen = { 0 };
	int ret = bits_init(&seen, k->c->names.str.n + 1) ? no_memory(e) : 0;

	ret = ret ?: put_process(k, 1, "", e);
	ret = ret ?: k->c->lost ? put_lost(k, e) : 0;
	vec_for_each (r, &k->c->rows)
		if (!ret && r->name && !bits_test(&seen, r->name)) {
			bits_set(&seen, r->name);
			ret = put_process(k, r->name + 1, intern_str(&k->c->names, r->name), e);
		}
	vec_for_each (r, &k->c->rows)
		if (!ret && r->n)
			ret = put_row(k, r, e);
	if (!ret)
		ret = fleet_compose_branches(k, 1, e);
	bits_free(&seen);
	return ret;
}

/* ---- the file ------------------------------------------------------------------------------------ */

static int open_writer(struct composing *k, int fd, struct err *e)
{
	size_t nr = k->c->events.str.n ? k->c->events.str.n - 1 : 0;
	struct perfdata_writer_event *ev = calloc(nr + 1, sizeof(*ev));
	uint64_t *ids = calloc(nr + 1, sizeof(*ids));
	int ret = ev && ids ? 0 : no_memory(e);

	for (size_t i = 0; !ret && i < nr; i++) {
		ids[i] = i + 1;
		ev[i] = (struct perfdata_writer_event){ .name = k->c->events.str.v[i + 1],
							.ids = &ids[i],
							.nr_ids = 1,
							.leader = (uint32_t)i,
							.nr_members = 1 };
		ev[i].attr.type = PERF_TYPE_RAW;
		ev[i].attr.size = sizeof(ev[i].attr);
		ev[i].attr.config = i + 1;
		ev[i].attr.sample_period = 1;
		ev[i].attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					 PERF_SAMPLE_PERIOD |
					 (k->chains ? PERF_SAMPLE_CALLCHAIN : 0);
		if (k->c->branches.n) {
			ev[i].attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
			ev[i].attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
		}
	}
	ret = ret
		      ?: perfdata_writer_open(&k->w, &(struct perfdata_writer_opts){ .fd = fd }, ev,
					      nr, e);
	free(ev);
	free(ids);
	return ret;
}

int fleet_compose_write(struct fleet_compose *c, const char *dir, bool chains,
			struct fleet_composed *done, struct err *e)
{
	uint64_t all = c->branches.n ? c->taken : c->samples;
	struct composing k = { .c = c, .chains = chains, .of_each = all / MOST + 1 };
	char path[4400];
	int ret = fleet_compose_symbols(c, dir, e), fd;

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/recording", dir);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(e, -errno, "cannot write %s: %s", path, strerror(errno));
	ret = open_writer(&k, fd, e);
	ret = ret ?: put_all(&k, e);
	ret = ret ?: perfdata_writer_finish(k.w, e);
	perfdata_writer_free(k.w);
	close(fd);
	htab_free(&k.seen);
	vec_free(&k.mapped);
	*done = (struct fleet_composed){ all, k.of_each };
	return ret;
}
