// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree in memory: building, looking up, and reading typed properties. A property is bytes; how
 * many cells it has says what it is, and one of another size than asked for is -EINVAL, not a
 * number.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "tree-int.h"

/* Names are shared in a file and copied here, so that a small file could make a large tree. */
static bool has_room(struct dt_tree *t, size_t size)
{
	t->bytes += size;
	t->full |= t->bytes > DT_MAX_BYTES;
	return !t->full;
}

int dt_add_error(const struct dt_tree *t, struct err *e)
{
	if (t->full)
		return err_set(e, -EFBIG,
			       "device tree larger than %u MiB, or a node with more than %d "
			       "properties",
			       DT_MAX_BYTES >> 20, DT_MAX_PROPS);
	return err_set(e, -ENOMEM, "no memory for a device tree");
}

struct dt_node *dt_add_node(struct dt_tree *t, struct dt_node *parent, const char *name)
{
	struct dt_node *n;

	if (!has_room(t, sizeof(*n) + strlen(name) + 1))
		return NULL;
	n = arena_alloc(&t->arena, sizeof(*n));
	if (!n)
		return NULL;
	n->name = arena_strdup(&t->arena, name);
	if (!n->name)
		return NULL;
	if (parent) {
		n->next = parent->child;
		parent->child = n;
	} else {
		t->root = n;
	}
	return n;
}

struct dt_prop *dt_add_prop(struct dt_tree *t, struct dt_node *n, const char *name,
			    const void *data, size_t len)
{
	struct dt_prop *p = dt_prop(n, name);

	t->full |= !p && n->nr_props >= DT_MAX_PROPS;
	if (!has_room(t, len + (p ? 0 : sizeof(*p) + strlen(name) + 1)))
		return NULL;
	if (!p) {
		n->nr_props++;
		p = arena_alloc(&t->arena, sizeof(*p));
		if (!p)
			return NULL;
		p->name = arena_strdup(&t->arena, name);
		p->next = n->prop;
		n->prop = p;
	}
	p->len = (uint32_t)len;
	p->data = arena_memdup(&t->arena, len ? data : "", len ? len : 1);
	return p->name && p->data ? p : NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct dt_node *const *x = a, *const *y = b;

	return strverscmp((*x)->name, (*y)->name);
}

/* Equal names keep the order in which they came: the first one is the one that is looked up. */
int dt_sort(struct dt_node *n)
{
	struct dt_node **v, *c;
	size_t nr = 0, i = 0;

	for (c = n->child; c; c = c->next)
		nr++;
	if (nr < 2)
		return 0;
	v = calloc(nr, sizeof(struct dt_node *));
	if (!v)
		return -ENOMEM;
	for (c = n->child; c; c = c->next) /* the list is newest first */
		v[nr - 1 - i++] = c;
	qsort(v, nr, sizeof(struct dt_node *), by_name);
	n->child = v[0];
	for (i = 0; i < nr; i++)
		v[i]->next = i + 1 < nr ? v[i + 1] : NULL;
	free(v);
	return 0;
}

void dt_tree_free(struct dt_tree *t)
{
	arena_free(&t->arena);
	t->root = NULL;
}

struct dt_node *dt_child(const struct dt_node *n, const char *name)
{
	size_t len = strlen(name);

	for (struct dt_node *c = n ? n->child : NULL; c; c = c->next)
		if (!strncmp(c->name, name, len) && (!c->name[len] || c->name[len] == '@'))
			return c;
	return NULL;
}

struct dt_node *dt_path(struct dt_node *n, const char *path)
{
	char name[128];

	while (n && *path) {
		size_t len = strcspn(path, "/");

		if (len >= sizeof(name))
			return NULL;
		memcpy(name, path, len);
		name[len] = 0;
		n = dt_child(n, name);
		path += len + (path[len] == '/');
	}
	return n;
}

struct dt_prop *dt_prop(const struct dt_node *n, const char *name)
{
	for (struct dt_prop *p = n ? n->prop : NULL; p; p = p->next)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

const char *dt_string(const struct dt_node *n, const char *name)
{
	const struct dt_prop *p = dt_prop(n, name);

	if (!p || !p->len || !memchr(p->data, 0, p->len))
		return NULL;
	return (const char *)p->data;
}

uint32_t dt_cell(const struct dt_prop *p, size_t i)
{
	return (i + 1) * 4 > p->len ? 0 : load_u32(p->data + i * 4, !host_is_big_endian());
}

bool dt_u32(const struct dt_node *n, const char *name, uint32_t *v)
{
	const struct dt_prop *p = dt_prop(n, name);

	if (!p || p->len != 4)
		return false;
	*v = dt_cell(p, 0);
	return true;
}

int dt_u64(const struct dt_node *n, const char *name, uint64_t *v)
{
	const struct dt_prop *p = dt_prop(n, name);

	if (!p)
		return -ENOENT;
	if (p->len == 4)
		*v = dt_cell(p, 0);
	else if (p->len == 8)
		*v = (uint64_t)dt_cell(p, 0) << 32 | dt_cell(p, 1);
	else if (p->len == 16 && !dt_cell(p, 0) && !dt_cell(p, 2))
		*v = (uint64_t)dt_cell(p, 1) << 32 | dt_cell(p, 3);
	else
		return -EINVAL;
	return 0;
}

bool dt_compatible(const struct dt_node *n, const char *what)
{
	const struct dt_prop *p = dt_prop(n, "compatible");
	size_t len = strlen(what) + 1;

	for (size_t at = 0; p && at + len <= p->len;) {
		const void *end = memchr(p->data + at, 0, p->len - at);

		if (!memcmp(p->data + at, what, len))
			return true;
		if (!end)
			return false;
		at = (size_t)((const unsigned char *)end - p->data) + 1;
	}
	return false;
}

bool dt_available(const struct dt_node *n)
{
	const char *status = dt_string(n, "status");

	return !dt_prop(n, "status") ||
	       (status && (!strcmp(status, "okay") || !strcmp(status, "ok")));
}
