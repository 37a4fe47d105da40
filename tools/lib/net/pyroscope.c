// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pyroscope by its push API (push.v1.PusherService/Push, JSON over HTTP): a load becomes profiles of pprof, made of the tables
 * that its entry has, so that nothing leaves that would not go to an engine: no paths, no command lines, and --redact holds.
 *
 * Of a profile Pyroscope keeps 16,000 samples and takes 4 MB, so a load is several where it has more. It adds up whatever comes, and
 * cannot be asked what it has: a profile that was taken is noted beside the entry's files, and is not sent again; only
 * one whose answer was lost can be there twice.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/proto.h"
#include "emit/emit.h"
#include "net/native-int.h"
#include "net/net-int.h"

#define MOST	   16000     /* samples of a profile */
#define MOST_BYTES (3 << 20) /* unpacked: of the server's 4 MB, but for the last sample's frames */
#define DEPTH	   1000	     /* frames: the server's limit */

struct pyroscope {
	struct net_http *http;
	char tenant[128], basic[900];
};

/* ---- an entry's tables ---------------------------------------------------------------------------- */

struct table {
	struct obuf block;
	struct net_native t;
	uint64_t from; /* number of its first row in all of its table's parts */
};

struct tables {
	VEC(struct table *) functions, stacks;
	struct htab function_tab; /* rows of functions, by object and function */
	uint64_t nr_functions, nr_stacks;
};

static int bad_entry(struct err *e)
{
	return err_set(e, -EINVAL, "a table of the entry is not as it was written");
}

static void free_table(struct table *t)
{
	if (!t)
		return;
	net_native_free(&t->t);
	free(t->block.buf);
	free(t);
}

static int read_table(const struct net_entry *en, const struct net_file *f, struct table **out,
		      struct err *e)
{
	struct table *t = calloc(1, sizeof(*t));
	int ret;

	*out = NULL;
	if (!t)
		return err_set(e, -ENOMEM, "no memory for a table");
	t->block.fd = -1;
	ret = net_entry_load(en, f, true, &t->block, e);
	if (!ret) {
		ret = net_native_read(&t->t, &t->block, f->rows);
		if (ret)
			ret = ret == -ENOMEM ? err_set(e, ret, "no memory for a table")
					     : bad_entry(e);
	}
	if (ret)
		free_table(t);
	else
		*out = t;
	return ret;
}

static const char *text_of(const struct table *t, const char *column, uint64_t row)
{
	const struct net_native_column *c = net_native_column(&t->t, column, false);

	return c && row < c->str.n ? c->str.v[row] : "";
}

static int64_t number_of(const struct table *t, const char *column, uint64_t row)
{
	const struct net_native_column *c = net_native_column(&t->t, column, true);

	return c && row < t->t.rows ? net_native_num(c, row) : 0;
}

/* ---- pprof (github.com/google/pprof, proto/profile.proto) ----------------------------------------- */

struct place {
	const char *object;
	int64_t func;
};

/* Messages that are made inside of others have buffers of their own. */
struct profile {
	struct obuf samples, places, sample, ids, msg, inner;
	struct intern strings;
	struct htab place_tab;
	VEC(struct place) place;
	size_t nr, text; /* samples; bytes of strings */
	int code;
};

static void profile_free(struct profile *p)
{
	free(p->samples.buf);
	free(p->places.buf);
	free(p->sample.buf);
	free(p->ids.buf);
	free(p->msg.buf);
	free(p->inner.buf);
	intern_free(&p->strings);
	htab_free(&p->place_tab);
	vec_free(&p->place);
}

static int profile_begin(struct profile *p)
{
	*p = (struct profile){ .samples.fd = -1,
			       .places.fd = -1,
			       .sample.fd = -1,
			       .ids.fd = -1,
			       .msg.fd = -1,
			       .inner.fd = -1 };
	return intern(&p->strings, "") == INTERN_NONE ? -ENOMEM : 0;
}

static uint64_t string(struct profile *p, const char *s)
{
	struct obuf safe = { .fd = -1 };
	size_t before = p->strings.str.n;
	uint32_t id;

	emit_safe(&safe, s);
	id = intern_n(&p->strings, safe.buf ? safe.buf : "", safe.len);
	p->text += p->strings.str.n > before ? safe.len : 0;
	free(safe.buf);
	if (id == INTERN_NONE)
		p->code = -ENOMEM;
	return id == INTERN_NONE ? 0 : id;
}

static const char *function_name(const struct tables *ts, const char *object, int64_t func)
{
	uint32_t i;

	for (struct htab_it it =
		     htab_find(&ts->function_tab,
			       hash_mix(hash_bytes(object, strlen(object)), (uint64_t)func));
	     htab_next(&ts->function_tab, &it, &i);)
		vec_for_each (t, &ts->functions) {
			uint64_t row = i - (*t)->from;

			if (i >= (*t)->from && row < (*t)->t.rows &&
			    number_of(*t, "func", row) == func &&
			    !strcmp(text_of(*t, "object", row), object))
				return text_of(*t, "name", row);
		}
	return "[unknown]";
}

/* The location of a function, from 1 on; it has the same number. */
static uint64_t place_of(struct profile *p, const struct tables *ts, const char *object,
			 int64_t func)
{
	uint64_t hash = hash_mix(hash_bytes(object, strlen(object)), (uint64_t)func), name;
	uint32_t i;

	for (struct htab_it it = htab_find(&p->place_tab, hash); htab_next(&p->place_tab, &it, &i);)
		if (p->place.v[i].func == func && !strcmp(p->place.v[i].object, object))
			return i + 1;
	i = (uint32_t)p->place.n;
	if (vec_push(&p->place, ((struct place){ object, func })) ||
	    htab_add(&p->place_tab, hash, i))
		p->code = -ENOMEM;
	proto_num(&p->inner, 1, i + 1);
	proto_num(&p->msg, 1, i + 1);
	proto_msg(&p->msg, 4, &p->inner);
	proto_msg(&p->places, 4, &p->msg);
	name = string(p, function_name(ts, object, func));
	proto_num(&p->msg, 1, i + 1);
	proto_num(&p->msg, 2, name);
	proto_num(&p->msg, 3, name);
	proto_msg(&p->places, 5, &p->msg);
	return i + 1;
}

/* ---- a load --------------------------------------------------------------------------------------- */

struct node {
	const struct table *t;
	uint64_t row;
	int64_t parent;
	uint32_t root;	      /* the node of its command */
	uint32_t part, place; /* its location in that profile, from 1 on; 0 = in none yet */
};

struct load {
	const struct net_entry *en;
	const struct tables *ts;
	const struct table *loads;
	uint64_t row;	       /* of loads */
	VEC(struct node) node; /* by number */
};

/* Nodes are numbered from 0 on, callers before what they call. */
static int find_nodes(struct load *l, struct err *e)
{
	vec_for_each (t, &l->ts->stacks)
		for (uint64_t i = 0; i < (*t)->t.rows; i++) {
			struct node n = { .t = *t, .row = i, .parent = number_of(*t, "parent", i) };

			if (number_of(*t, "node", i) != (int64_t)l->node.n || n.parent < -1 ||
			    n.parent >= (int64_t)l->node.n || l->node.n >= UINT32_MAX)
				return bad_entry(e);
			n.root = n.parent < 0 ? (uint32_t)l->node.n : l->node.v[n.parent].root;
			if (vec_push(&l->node, n))
				return err_set(e, -ENOMEM, "no memory for stacks");
		}
	return 0;
}

/* Looked for once in each profile: most frames are in many stacks. */
static uint64_t place_of_node(struct profile *p, const struct load *l, struct node *n,
			      unsigned part)
{
	if (!n->place || n->part != part) {
		n->place = (uint32_t)place_of(p, l->ts, text_of(n->t, "object", n->row),
					      number_of(n->t, "func", n->row));
		n->part = part;
	}
	return n->place;
}

static void put_sample(struct profile *p, struct load *l, struct node *n, unsigned part)
{
	const struct node *root = &l->node.v[n->root];
	struct node *at = n;
	const char *comm;

	for (unsigned depth = 0; at->parent >= 0 && depth < DEPTH; depth++) {
		obuf_varint(&p->ids, place_of_node(p, l, at, part));
		at = &l->node.v[at->parent];
	}
	if (!p->ids.len)
		obuf_varint(&p->ids, place_of(p, l->ts, "", -1));
	comm = text_of(root->t, "name", root->row);
	proto_msg(&p->sample, 1, &p->ids);
	obuf_varint(&p->ids, (uint64_t)number_of(n->t, "self_n", n->row));
	obuf_varint(&p->ids, (uint64_t)number_of(n->t, "self_period", n->row));
	proto_msg(&p->sample, 2, &p->ids);
	proto_num(&p->ids, 1, string(p, "comm"));
	proto_num(&p->ids, 2, string(p, comm));
	proto_msg(&p->sample, 3, &p->ids);
	proto_msg(&p->samples, 2, &p->sample);
	p->nr++;
}

static void put_type(struct profile *p, struct obuf *o, unsigned field, const char *type,
		     const char *unit)
{
	proto_num(&p->msg, 1, string(p, type));
	proto_num(&p->msg, 2, string(p, unit));
	proto_msg(o, field, &p->msg);
}

/* All of it, by gzip. */
static int profile_end(struct profile *p, const struct load *l, struct obuf *out)
{
	struct obuf o = { .fd = -1 };
	char event[128];
	int ret;

	/* A colon parts names there. */
	snprintf(event, sizeof(event), "%s", text_of(l->loads, "event", l->row));
	for (char *s = event; *s; s++)
		*s = *s == ':' ? '_' : *s;
	put_type(p, &o, 1, "samples", "count");
	put_type(p, &o, 1, event, strstr(event, "clock") ? "nanoseconds" : "count");
	obuf_mem(&o, p->samples.buf, p->samples.len);
	obuf_mem(&o, p->places.buf, p->places.len);
	put_type(p, &o, 11, event, strstr(event, "clock") ? "nanoseconds" : "count");
	proto_num(&o, 9, (uint64_t)number_of(l->loads, "start_ns", l->row));
	proto_num(&o, 10, (uint64_t)number_of(l->loads, "duration_ns", l->row));
	proto_num(&o, 12, 1);
	vec_for_each (s, &p->strings.str) {
		obuf_str(&p->msg, *s);
		proto_msg(&o, 6, &p->msg);
	}
	ret = p->code ?: p->samples.code ?: p->places.code ?: p->sample.code ?: p->msg.code ?: o.code;
	ret = ret ?: batch_gzip(o.buf, o.len, out);
	free(o.buf);
	return ret;
}

/* ---- requests ------------------------------------------------------------------------------------- */

static void put_label(struct obuf *o, const char *name, const char *value)
{
	if (!*value)
		return;
	obuf_printf(o, "%s{\"name\":\"%s\",\"value\":", o->buf[o->len - 1] == '[' ? "" : ",", name);
	emit_json_safe(o, value);
	obuf_char(o, '}');
}

static int refused(struct net *n, long status, const char *text, struct err *e)
{
	int ret = status == 401 || status == 403		    ? -EACCES
		  : status == 408 || status == 429 || status >= 500 ? -EAGAIN
		  : status == 400 || status == 413 || status == 422 ? -EBADMSG
								    : -EPROTO;

	err_set(e, ret, "%s answered %ld: %.400s", n->target.shown, status,
		*text ? text : "no word of why");
	if (ret == -EACCES)
		err_hint(e, "The user is the one of the URL, USER@HOST, the password that of "
			    "--password-file or PERF_PUSH_PASSWORD, the tenant what stands behind "
			    "the host.");
	return ret;
}

static int post(struct net *n, const struct obuf *body, struct err *e)
{
	struct pyroscope *y = n->own;
	const char *headers[4] = { "Content-Type: application/json" };
	struct net_request rq = { .path = "/push.v1.PusherService/Push",
				  .body = body->buf,
				  .size = body->len,
				  .headers = headers };
	struct obuf answer = { .fd = -1 };
	size_t nr = 1;
	long status;
	int ret;

	if (*y->tenant)
		headers[nr++] = y->tenant;
	if (*y->basic)
		headers[nr++] = y->basic;
	ret = net_http_post(y->http, &rq, &status, &answer, e);
	if (!ret && status != 200)
		ret = refused(n, status, answer.buf, e);
	free(answer.buf);
	return ret;
}

static void mark_path(const struct load *l, unsigned part, char *out, size_t size)
{
	snprintf(out, size, "%s/sent-%016" PRIx64 "-%u", l->en->dir,
		 (uint64_t)number_of(l->loads, "load", l->row), part);
}

static int send_profile(struct net *n, const struct load *l, struct profile *p, unsigned part,
			struct net_pushed *done, struct err *e)
{
	struct obuf packed = { .fd = -1 }, body = { .fd = -1 };
	int ret = profile_end(p, l, &packed), fd;
	char mark[4200];

	obuf_lit(&body, "{\"series\":[{\"labels\":[");
	put_label(&body, "__name__", "perf");
	put_label(&body, "service_name", text_of(l->loads, "service", l->row));
	put_label(&body, "release", text_of(l->loads, "release", l->row));
	put_label(&body, "host", text_of(l->loads, "host", l->row));
	put_label(&body, "event", text_of(l->loads, "event", l->row));
	obuf_printf(&body, "],\"samples\":[{\"ID\":\"%s-%" PRIx64 "-%u\",\"rawProfile\":\"",
		    l->en->recording, (uint64_t)number_of(l->loads, "load", l->row), part);
	obuf_base64(&body, packed.buf, packed.len);
	obuf_lit(&body, "\"}]}]}");
	ret = ret ?: body.code;
	ret = ret ? err_set(e, ret, "no memory for a profile") : post(n, &body, e);
	if (!ret) {
		mark_path(l, part, mark, sizeof(mark));
		fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd >= 0)
			close(fd);
		done->rows += p->nr;
		done->bytes += body.len;
		done->already = false;
	}
	free(packed.buf);
	free(body.buf);
	return ret;
}

static bool has_room(const struct profile *p)
{
	return p->nr < MOST && p->samples.len + p->places.len + p->text < MOST_BYTES;
}

static int push_part(struct net *n, struct load *l, size_t *at, unsigned part,
		     struct net_pushed *done, struct err *e)
{
	struct profile p;
	char mark[4200];
	int ret = profile_begin(&p) ? err_set(e, -ENOMEM, "no memory for a profile") : 0;

	for (; !ret && *at < l->node.n && has_room(&p); ++*at)
		if (number_of(l->node.v[*at].t, "self_n", l->node.v[*at].row) > 0)
			put_sample(&p, l, &l->node.v[*at], part);
	mark_path(l, part, mark, sizeof(mark));
	if (!ret && p.nr && access(mark, F_OK))
		ret = send_profile(n, l, &p, part, done, e);
	profile_free(&p);
	return ret;
}

/* ---- an entry ------------------------------------------------------------------------------------- */

static int add_functions(struct tables *ts, const struct net_entry *en, struct err *e)
{
	int ret = 0;

	vec_for_each (f, &en->files) {
		struct table *t;

		if (ret || strcmp(f->table, "functions") != 0)
			continue;
		ret = read_table(en, f, &t, e);
		if (ret)
			break;
		t->from = ts->nr_functions;
		ts->nr_functions += t->t.rows;
		if (vec_push(&ts->functions, t)) {
			free_table(t);
			return err_set(e, -ENOMEM, "no memory for functions");
		}
		for (uint64_t i = 0; !ret && i < t->t.rows; i++) {
			const char *ob = text_of(t, "object", i);

			if (htab_add(&ts->function_tab,
				     hash_mix(hash_bytes(ob, strlen(ob)),
					      (uint64_t)number_of(t, "func", i)),
				     (uint32_t)(t->from + i)))
				ret = err_set(e, -ENOMEM, "no memory for functions");
		}
	}
	return ret;
}

static void drop_stacks(struct tables *ts)
{
	vec_for_each (t, &ts->stacks)
		free_table(*t);
	ts->stacks.n = 0;
}

static int push_load(struct net *n, struct tables *ts, const struct net_entry *en,
		     const struct table *loads, uint64_t row, struct net_pushed *p, struct err *e)
{
	struct load l = { .en = en, .ts = ts, .loads = loads, .row = row };
	int64_t id = number_of(loads, "load", row);
	unsigned part = 0;
	size_t at = 0;
	int ret = 0;

	vec_for_each (f, &en->files) {
		struct table *t;

		if (ret || f->load != id || strcmp(f->table, "stacks") != 0)
			continue;
		ret = read_table(en, f, &t, e);
		if (!ret && vec_push(&ts->stacks, t)) {
			free_table(t);
			ret = err_set(e, -ENOMEM, "no memory for stacks");
		}
	}
	ret = ret ?: find_nodes(&l, e);
	while (!ret && at < l.node.n)
		ret = push_part(n, &l, &at, part++, p, e);
	vec_free(&l.node);
	drop_stacks(ts);
	return ret;
}

static int push(struct net *n, const struct net_entry *en, struct net_pushed *p, struct err *e)
{
	struct tables ts = { .nr_functions = 0 };
	int ret = add_functions(&ts, en, e);

	p->already = true;
	vec_for_each (f, &en->files) {
		struct table *t;

		if (ret || strcmp(f->table, "loads") != 0)
			continue;
		ret = read_table(en, f, &t, e);
		for (uint64_t i = 0; !ret && i < t->t.rows; i++)
			ret = push_load(n, &ts, en, t, i, p, e);
		free_table(t);
	}
	vec_for_each (t, &ts.functions)
		free_table(*t);
	vec_free(&ts.functions);
	vec_free(&ts.stacks);
	htab_free(&ts.function_tab);
	return ret;
}

/* ---- open ----------------------------------------------------------------------------------------- */

static int open_it(struct net *n, struct err *e)
{
	struct pyroscope *y = calloc(1, sizeof(*y));
	struct obuf pair = { .fd = -1 }, text = { .fd = -1 };

	n->own = y;
	if (!y)
		return err_set(e, -ENOMEM, "no memory for a connection");
	if (n->target.db[0])
		snprintf(y->tenant, sizeof(y->tenant), "X-Scope-OrgID: %s", n->target.db);
	if (n->target.user[0] || n->password[0]) {
		obuf_printf(&pair, "%s:%s", n->target.user, n->password);
		obuf_base64(&text, pair.buf, pair.len);
		snprintf(y->basic, sizeof(y->basic), "Authorization: Basic %.*s", (int)text.len,
			 text.buf);
		if (pair.buf)
			explicit_bzero(pair.buf, pair.len);
		if (text.buf)
			explicit_bzero(text.buf, text.len);
		free(pair.buf);
		free(text.buf);
	}
	return net_http_new(&y->http, n, e);
}

static void close_it(struct net *n)
{
	struct pyroscope *y = n->own;

	if (!y)
		return;
	net_http_free(y->http);
	explicit_bzero(y->basic, sizeof(y->basic));
	free(y);
}

static int query(struct net *n, const char *sql, net_row_fn *row, void *ctx, struct err *e)
{
	(void)sql, (void)row, (void)ctx;
	err_set(e, -ENOTSUP, "%s takes profiles and has no tables to ask", n->target.shown);
	err_hint(e, "Tables are in ClickHouse or PostgreSQL.");
	return -ENOTSUP;
}

static int exec(struct net *n, const char *sql, struct err *e)
{
	return query(n, sql, NULL, NULL, e);
}

const struct net_engine net_pyroscope = {
	.open = open_it,
	.close = close_it,
	.exec = exec,
	.query = query,
	.push = push,
};
