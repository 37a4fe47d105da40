// SPDX-License-Identifier: GPL-2.0-or-later
/* What is the same for every engine: its name, who we are there, the version of its tables. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "net/net-int.h"

/* ---- URLs ------------------------------------------------------------------------------------ */

static bool is_word(const char *s, const char *more)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	while (s[n] && strchr(more, s[n]))
		n += 1 + strspn(s + n + 1,
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return *s && !s[n];
}

static const struct {
	const char *scheme;
	enum net_kind kind;
	bool tls;
	uint16_t port;
} schemes[] = {
	{ "clickhouse+https://", NET_CLICKHOUSE, true, 8443 },
	{ "clickhouse+http://", NET_CLICKHOUSE, false, 8123 },
	{ "postgresql://", NET_POSTGRESQL, true, 5432 },
	{ "postgres://", NET_POSTGRESQL, true, 5432 },
	{ "pyroscope+https://", NET_PYROSCOPE, true, 443 },
	{ "pyroscope+http://", NET_PYROSCOPE, false, 4040 },
};

static int bad_url(struct err *e, const char *why)
{
	err_set(e, -EINVAL, "no engine can be reached by this URL: %s", why);
	err_hint(e, "clickhouse+https://[USER@]HOST[:PORT]/DATABASE, postgresql:// likewise, or "
		    "pyroscope+https://HOST[/TENANT]; plain +http:// is for this machine.");
	return -EINVAL;
}

/* "USER@HOST:PORT", which is changed; "[::1]:PORT" is a host, too. */
static int parse_place(char *s, struct net_target *t, struct err *e)
{
	char *at = strrchr(s, '@'), *port, *end;
	unsigned long n;

	if (at) {
		*at = 0;
		if (strchr(s, ':')) {
			err_set(e, -EINVAL,
				"a password in a URL is seen by everybody who lists processes");
			err_hint(
				e,
				"Write it into a file of yours and name that with --password-file, or "
				"set PERF_PUSH_PASSWORD.");
			return -EINVAL;
		}
		if (!is_word(s, ".-") || strlen(s) >= sizeof(t->user))
			return bad_url(e, "its user is no name");
		strcpy(t->user, s);
		s = at + 1;
	}
	port = *s == '[' ? strchr(s, ']') : s;
	port = port ? strchr(port, ':') : NULL;
	if (port) {
		*port++ = 0;
		n = strtoul(port, &end, 10);
		if (end == port || *end || !n || n > 65535)
			return bad_url(e, "its port is no number");
		t->port = (uint16_t)n;
	}
	if (!is_word(s, ".-:[]%") && *s != '[')
		return bad_url(e, "its host is no name");
	if (strlen(s) >= sizeof(t->host))
		return bad_url(e, "it is too long");
	strcpy(t->host, s);
	return 0;
}

int net_target_parse(const char *url, struct net_target *t, struct err *e)
{
	char place[512];
	size_t i = 0, n, len;
	int ret;

	*t = (struct net_target){ 0 };
	while (i < ARRAY_SIZE(schemes) &&
	       strncmp(url, schemes[i].scheme, strlen(schemes[i].scheme)) != 0)
		i++;
	if (i == ARRAY_SIZE(schemes))
		return bad_url(e, "its scheme is of none");
	t->kind = schemes[i].kind;
	t->tls = schemes[i].tls;
	t->port = schemes[i].port;
	n = strlen(schemes[i].scheme);
	len = strcspn(url + n, "/?#");
	if (len >= sizeof(place))
		return bad_url(e, "it is too long");
	snprintf(place, sizeof(place), "%.*s", (int)len, url + n);
	ret = parse_place(place, t, e);
	if (ret)
		return ret;
	url += n + len;
	url += *url == '/';
	if (!(t->kind == NET_PYROSCOPE ? !*url || is_word(url, ".-") : is_word(url, "")) ||
	    strlen(url) >= sizeof(t->db))
		return bad_url(e, "behind the host a database is named, by letters, digits and _");
	strcpy(t->db, url);
	snprintf(t->shown, sizeof(t->shown), "%s%s:%u/%s", schemes[i].scheme, t->host, t->port,
		 t->db);
	return 0;
}

/* ---- options --------------------------------------------------------------------------------- */

const struct option net_options[] = {
	OPT_STRING(0, "password-file", struct net_opts, password_file, "FILE",
		   "its first line is the engine's password (or PERF_PUSH_PASSWORD)"),
	OPT_STRING(0, "ca", struct net_opts, ca, "FILE", "certificates to trust in an engine"),
	OPT_BOOL(0, "insecure", struct net_opts, insecure,
		 "talk to engines of other machines without TLS"),
	OPT_END(),
};

bool net_asked(const struct net_opts *o)
{
	return o->password_file || o->ca || o->insecure;
}

int64_t net_left(const struct net_opts *o)
{
	int64_t until = o->until ? o->until(o->ctx) : INT64_MAX;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return until - now.tv_sec * 1000 - now.tv_nsec / 1000000;
}

/* ---- connections ----------------------------------------------------------------------------- */

static int read_password(struct net *n, struct err *e)
{
	const char *path = n->o.password_file, *env = getenv("PERF_PUSH_PASSWORD");
	FILE *f;
	bool ok;

	if (!path) {
		if (env && snprintf(n->password, sizeof(n->password), "%s", env) >=
				   (int)sizeof(n->password))
			return err_set(e, -EINVAL, "PERF_PUSH_PASSWORD is too long for a password");
		return 0;
	}
	f = fopen(path, "re");
	if (!f)
		return err_set(e, -errno, "cannot read the password in %s: %s", path,
			       strerror(errno));
	ok = fgets(n->password, sizeof(n->password), f);
	fclose(f);
	n->password[strcspn(n->password, "\r\n")] = 0;
	return ok && n->password[0]
		       ? 0
		       : err_set(e, -EINVAL, "%s has no password in its first line", path);
}

bool net_is_here(const char *host)
{
	struct in_addr ip;

	/* As resolvers take numbers (127.1); "127.example.com" is a name like others. */
	return !strcmp(host, "localhost") || !strcmp(host, "[::1]") ||
	       (inet_aton(host, &ip) && ntohl(ip.s_addr) >> 24 == 127);
}

int net_open(struct net **out, const struct net_target *t, const struct net_opts *o, struct err *e)
{
	static const struct net_engine *const engines[] = { &net_clickhouse, &net_postgresql,
							    &net_pyroscope };
	struct net *n = calloc(1, sizeof(*n));
	int ret;

	*out = NULL;
	if (!n)
		return err_set(e, -ENOMEM, "no memory for a connection");
	n->engine = engines[t->kind];
	n->target = *t;
	n->o = *o;
	ret = read_password(n, e);
	if (!ret && !t->tls && !net_is_here(t->host) && !o->insecure) {
		err_set(e, -EINVAL,
			"what goes to %s by plain HTTP can be read and changed on the way",
			t->host);
		err_hint(e, "Use +https://; --insecure says that nobody is on the way.");
		ret = -EINVAL;
	}
	ret = ret ?: n->engine->open(n, e);
	if (ret) {
		net_close(n);
		return ret;
	}
	*out = n;
	return 0;
}

void net_close(struct net *n)
{
	if (!n)
		return;
	n->engine->close(n);
	explicit_bzero(n->password, sizeof(n->password));
	free(n);
}

const struct net_target *net_target(const struct net *n)
{
	return &n->target;
}

int net_exec(struct net *n, const char *sql, struct err *e)
{
	return n->engine->exec(n, sql, e);
}

int net_query(struct net *n, const char *sql, net_row_fn *row, void *ctx, struct err *e)
{
	return n->engine->query(n, sql, row, ctx, e);
}

int net_push(struct net *n, const char *dir, struct net_pushed *p, struct err *e)
{
	struct net_entry en;
	int ret = net_entry_read(&en, dir, e);

	*p = (struct net_pushed){ 0 };
	if (ret && ret != -ENOMEM)
		ret = -EINVAL;
	ret = ret ?: n->engine->push(n, &en, p, e);
	if (ret && en.recording[0])
		err_context(e, "recording %s, to %s", en.recording, n->target.shown);
	net_entry_free(&en);
	return ret;
}

int net_push_many(struct net *n, const char *const *dirs, size_t nr, bool *done,
		  struct net_pushed *p, struct err *e)
{
	struct net_entry *en = calloc(NET_MANY, sizeof(*en));
	int ret = 0;

	*p = (struct net_pushed){ 0 };
	if (!en)
		return err_set(e, -ENOMEM, "no memory for entries");
	for (size_t i = 0; i < nr && i < NET_MANY; i++) {
		/* One that is damaged is told when it comes alone. */
		if (net_entry_read(&en[i], dirs[i], e)) {
			err_clear(e);
			net_entry_free(&en[i]);
			en[i] = (struct net_entry){ .dir = dirs[i] };
		}
	}
	if (n->engine->push_many)
		ret = n->engine->push_many(n, en, min_u64(nr, NET_MANY), done, p, e);
	for (size_t i = 0; i < NET_MANY; i++)
		net_entry_free(&en[i]);
	free(en);
	return ret ? err_context(e, "to %s", n->target.shown) : 0;
}

/* ---- the schema ------------------------------------------------------------------------------ */

static int take_version(void *ctx, char **field, size_t nr, struct err *e)
{
	(void)e;
	if (nr)
		*(long *)ctx = strtol(field[0], NULL, 10);
	return 0;
}

int net_check_schema(struct net *n, struct err *e)
{
	long version = -1;
	int ret;

	if (n->target.kind == NET_PYROSCOPE) /* profiles are as Pyroscope says */
		return 0;
	ret = net_query(n, "SELECT max(version) FROM perf_schema", take_version, &version, e);

	if (ret == -ENOENT || (!ret && version <= 0)) {
		err_set(e, -ENOENT, "%s has no tables of perf", n->target.shown);
		err_hint(e, "perf data push --init URL makes them, where you may.");
		return -ENOENT;
	}
	if (ret || version == FLEET_SCHEMA)
		return ret;
	err_set(e, -EPROTO, "%s has tables of schema %ld, and this perf knows schema %d",
		n->target.shown, version, FLEET_SCHEMA);
	err_hint(e, version > FLEET_SCHEMA
			    ? "A newer perf wrote it: use that one here, or another database."
			    : "Use another database; perf data push --init makes its tables.");
	return -EPROTO;
}

int net_init_schema(struct net *n, const char *cluster, struct err *e)
{
	struct obuf o;
	char *s, *end;
	int ret = obuf_init(&o, -1, 0);

	if (ret)
		return err_set(e, ret, "no memory for a schema");
	fleet_schema_print(n->target.kind == NET_CLICKHOUSE ? FLEET_CLICKHOUSE : FLEET_POSTGRESQL,
			   cluster, n->target.db, &o);
	obuf_char(&o, 0);
	/* No statement has a semicolon inside. */
	for (s = o.code ? NULL : o.buf; !ret && s && (end = strchr(s, ';')); s = end + 1) {
		*end = 0;
		ret = net_exec(n, s, e);
	}
	ret = ret ?: o.code;
	obuf_free(&o);
	return ret;
}
