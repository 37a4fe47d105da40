// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of an entry's files. A process in a box wrote it, which had read a recording: names are taken where they can
 * be those of such files and of nothing else.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/net-int.h"

#define MAX_FILE (1ULL << 31)

const char *net_columns(const char *table, struct obuf *o)
{
	for (int t = 0; t < FLEET_TABLES; t++) {
		const struct batch_table *bt = fleet_table((enum fleet_table)t);

		if (strcmp(bt->name, table) != 0)
			continue;
		for (size_t i = 0; i < bt->nr_columns; i++)
			obuf_printf(o, "%s%s", i ? ", " : "", bt->columns[i].name);
		return bt->name;
	}
	return NULL;
}

static bool is_file_name(const char *s)
{
	return s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-.")] == 0 && s[0] != '.';
}

static int take_line(struct net_entry *en, const char *line, bool *known)
{
	struct net_file f;
	uint64_t load;
	unsigned version;

	if (sscanf(line, "perf-tables %u", &version) == 1) {
		*known = version == FLEET_SCHEMA;
		return *known ? 0 : -EPROTO;
	}
	if (sscanf(line, "recording %32[0-9a-f]", en->recording) == 1)
		return 0;
	if (sscanf(line, "load %" SCNx64, &load) == 1)
		return vec_push(&en->loads, (int64_t)load);
	if (sscanf(line, "%31[a-z] %" SCNx64 " %" SCNu64 " %127s", f.table, &load, &f.rows,
		   f.name) != 4 ||
	    !is_file_name(f.name))
		return -EINVAL;
	f.load = (int64_t)load;
	return vec_push(&en->files, f);
}

int net_entry_read(struct net_entry *en, const char *dir, struct err *e)
{
	char path[4096], line[512];
	bool known = false;
	int ret = 0, unread;
	FILE *f;

	*en = (struct net_entry){ .dir = dir };
	snprintf(path, sizeof(path), "%s/manifest", dir);
	f = fopen(path, "re");
	if (!f)
		return err_set(e, -errno, "cannot read %s: %s", path, strerror(errno));
	while (!ret && fgets(line, sizeof(line), f))
		ret = take_line(en, line, &known);
	unread = !ret && ferror(f) ? errno : 0;
	fclose(f);
	if (unread)
		return err_set(e, -EINVAL, "cannot read %s: %s", path, strerror(unread));
	if (ret == -ENOMEM)
		return err_set(e, ret, "no memory for %s", path);
	if (!ret && known && en->recording[0] && en->loads.n && en->files.n)
		return 0;
	err_set(e, -EINVAL, "%s is no list of tables that this perf wrote", path);
	err_hint(e, "Push the recording again; remove that directory.");
	return -EINVAL;
}

void net_entry_free(struct net_entry *en)
{
	vec_free(&en->files);
	vec_free(&en->loads);
}

static int read_file(const char *path, struct obuf *o)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), ret = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > MAX_FILE)
		ret = -EINVAL;
	while (!ret) {
		char *p = obuf_room(o, 1 << 16);
		ssize_t n = p ? read(fd, p, 1 << 16) : -1;

		if (n <= 0) {
			ret = !p ? -ENOMEM : n ? -errno : 0;
			break;
		}
		o->len += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

int net_entry_load(const struct net_entry *en, const struct net_file *f, bool plain, struct obuf *o,
		   struct err *e)
{
	bool packed = strlen(f->name) > 3 && !strcmp(f->name + strlen(f->name) - 3, ".gz");
	struct obuf raw = { .fd = -1 };
	char path[4096 + 130];
	int ret;

	snprintf(path, sizeof(path), "%s/%s", en->dir, f->name);
	ret = read_file(path, packed && plain ? &raw : o);
	if (!ret && packed && plain)
		ret = batch_gunzip(raw.buf, raw.len, o);
	free(raw.buf);
	if (!ret)
		return 0;
	/* Whatever is with that file is with no other entry's. */
	return err_set(e, ret == -ENOMEM || ret == -ENOTSUP ? ret : -EINVAL, "cannot read %s: %s",
		       path, strerror(-ret));
}
