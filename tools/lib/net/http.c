// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HTTP by libcurl: one connection that is kept, certificates always verified, no redirects (they would take what we
 * send, and our password, elsewhere), nothing of what is sent in messages. The library is loaded
 * here (base/loaded.h).
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/lack.h"
#include "base/loaded.h"
#include "net/net-int.h"

#if HAVE_LIBCURL
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* clang-format off */
#define FUNCTIONS(F) \
	F(easy_init) F(easy_cleanup) F(easy_setopt) F(easy_perform) F(easy_getinfo) \
	F(easy_strerror) F(easy_reset) F(slist_append) F(slist_free_all)
/* clang-format on */

struct library {
#define FUNCTION(name) __typeof__(curl_##name) *name;
	FUNCTIONS(FUNCTION)
#undef FUNCTION
};

struct net_http {
	const struct net *n;
	struct library lib;
	CURL *curl;
	struct obuf *answer;
	char why[CURL_ERROR_SIZE]; /* the library may write there until its handle is gone */
};

static int load(struct library *lib, struct err *e)
{
#define NAME(name) "curl_" #name,
	static const char *const names[] = { FUNCTIONS(NAME) };
#undef NAME

	return loaded_functions(&(struct loaded){ "HTTP needs", "libcurl.so.4", "libcurl4" }, names,
				ARRAY_SIZE(names), (void **)lib, e);
}

int net_http_new(struct net_http **out, const struct net *n, struct err *e)
{
	struct net_http *h = calloc(1, sizeof(*h));
	int ret = h ? load(&h->lib, e) : err_set(e, -ENOMEM, "no memory for a connection");

	*out = NULL;
	if (!ret) {
		h->n = n;
		h->curl = h->lib.easy_init();
		ret = h->curl ? 0 : err_set(e, -ENOMEM, "no memory for a connection");
	}
	if (ret) {
		free(h);
		return ret;
	}
	*out = h;
	return 0;
}

void net_http_free(struct net_http *h)
{
	if (!h)
		return;
	h->lib.easy_cleanup(h->curl);
	free(h);
}

static size_t take(char *p, size_t size, size_t n, void *ctx)
{
	struct net_http *h = ctx;

	if (h->answer->len + size * n > NET_MAX_ANSWER)
		return 0;
	obuf_mem(h->answer, p, size * n);
	return h->answer->code ? 0 : size * n;
}

/* false: no memory; none but all headers are sent. */
static bool add_header(struct net_http *h, struct curl_slist **list, const char *header)
{
	struct curl_slist *more = h->lib.slist_append(*list, header);

	*list = more ? more : *list;
	return more;
}

static struct curl_slist *headers_of(struct net_http *h, const struct net_request *rq)
{
	struct curl_slist *list = NULL;
	bool all = add_header(h, &list, "Expect:") &&
		   (!rq->packed || add_header(h, &list, "Content-Encoding: gzip"));

	for (const char *const *s = rq->headers; all && s && *s; s++)
		all = add_header(h, &list, *s);
	if (all)
		return list;
	h->lib.slist_free_all(list);
	return NULL;
}

/* Not 0 ends the request. */
static int is_over(void *ctx, curl_off_t size, curl_off_t came, curl_off_t more, curl_off_t went)
{
	const struct net_http *h = ctx;

	(void)size, (void)came, (void)more, (void)went;
	return net_left(&h->n->o) <= 0;
}

/* false: no memory for a text, of which the library keeps a copy. */
static bool set(struct net_http *h, const struct net_request *rq, const char *url,
		struct curl_slist *list)
{
	const struct net_opts *o = &h->n->o;
	__typeof__(h->lib.easy_setopt) opt = h->lib.easy_setopt;
	CURL *c = h->curl;

	errno = 0;
	h->lib.easy_reset(c); /* keeps the connection */
	if (errno == ENOMEM)  /* a text of its own; it has no other way to tell */
		return false;
	h->why[0] = 0;
	opt(c, CURLOPT_POST, 1L);
	opt(c, CURLOPT_POSTFIELDS, rq->body ? rq->body : "");
	opt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)rq->size);
	opt(c, CURLOPT_HTTPHEADER, list);
	opt(c, CURLOPT_WRITEFUNCTION, take);
	opt(c, CURLOPT_WRITEDATA, h);
	opt(c, CURLOPT_ERRORBUFFER, h->why);
	opt(c, CURLOPT_NOSIGNAL, 1L);
	opt(c, CURLOPT_CONNECTTIMEOUT, 10L);
	opt(c, CURLOPT_TIMEOUT, 300L);
	opt(c, CURLOPT_NOPROGRESS, 0L);
	opt(c, CURLOPT_XFERINFOFUNCTION, is_over);
	opt(c, CURLOPT_XFERINFODATA, h);
	opt(c, CURLOPT_SSL_VERIFYPEER, 1L);
	opt(c, CURLOPT_SSL_VERIFYHOST, 2L);
	/* A proxy of the environment is for the world outside, not for this machine; no_proxy says more. */
	return opt(c, CURLOPT_URL, url) != CURLE_OUT_OF_MEMORY &&
	       (!o->ca || opt(c, CURLOPT_CAINFO, o->ca) != CURLE_OUT_OF_MEMORY) &&
	       (!net_is_here(h->n->target.host) ||
		opt(c, CURLOPT_NOPROXY, "*") != CURLE_OUT_OF_MEMORY);
}

static bool is_ours(CURLcode code)
{
	return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
	       code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
}

int net_http_post(struct net_http *h, const struct net_request *rq, long *status,
		  struct obuf *answer, struct err *e)
{
	const struct net_target *t = &h->n->target;
	struct curl_slist *list = headers_of(h, rq);
	char *url;
	CURLcode code;
	bool refused;
	int left;

	*status = 0;
	h->answer = answer;
	if (asprintf(&url, "%s://%s:%u%s", t->tls ? "https" : "http", t->host, t->port, rq->path) <
	    0)
		url = NULL;
	if (!list || !url || !set(h, rq, url, list)) {
		h->lib.slist_free_all(list);
		free(url);
		return err_set(e, -ENOMEM, "no memory for a request");
	}
	errno = 0;
	code = h->lib.easy_perform(h->curl);
	left = errno;
	h->lib.easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, status);
	h->lib.slist_free_all(list);
	free(url);
	if (!answer->code)
		obuf_char(answer, 0);
	if (answer->code)
		return err_set(e, -ENOMEM, "no memory for the answer of %s", t->shown);
	answer->len--;
	if (code == CURLE_OK)
		return 0;
	/* The library has codes of its own for what the machine refused, and words that do not name it. EAGAIN is waiting. */
	refused = left != EAGAIN && left != EINTR && lack_is_trouble(left);
	return err_set(e, is_ours(code) ? -EPROTO : -EAGAIN, "no answer of %s: %s%s%s", t->shown,
		       code == CURLE_ABORTED_BY_CALLBACK ? "no time is left for it"
		       : h->why[0]			 ? h->why
							 : h->lib.easy_strerror(code),
		       refused ? ": " : "", refused ? strerror(left) : "");
}
#else
int net_http_new(struct net_http **h, const struct net *n, struct err *e)
{
	(void)n;
	*h = NULL;
	err_set(e, -ENOTSUP, "this perf was built without libcurl, by which HTTP is spoken");
	err_hint(e, "Build it with libcurl4-openssl-dev installed (make deps).");
	return -ENOTSUP;
}

void net_http_free(struct net_http *h)
{
	(void)h;
}

int net_http_post(struct net_http *h, const struct net_request *rq, long *status,
		  struct obuf *answer, struct err *e)
{
	(void)h, (void)rq, (void)status, (void)answer;
	return err_set(e, -ENOTSUP, "built without libcurl");
}
#endif
