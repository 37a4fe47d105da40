// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What recordings, objects and functions are called where those of many machines come together: by their bytes where
 * there are any. Nothing but last names of paths goes into a table, and with --redact not even these: a keyed hash
 * in their place is the same for the same name, so that hosts can still be counted.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "box/box.h"
#include "convert/loads-int.h"
#include "elf/elf.h"

static void put_hex(char *to, const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		snprintf(to + 2 * i, 3, "%02x", p[i]);
}

/* ---- the recording --------------------------------------------------------------------------- */

static int hash_file(struct sha256 *h, int dir, const char *path, struct err *e)
{
	char *buf = malloc(1 << 20);
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n = 0;

	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode))
		errno = ESPIPE;
	else
		while (buf && fd >= 0 && (n = read(fd, buf, 1 << 20)) > 0)
			sha256_add(h, buf, (size_t)n);
	if (!buf || fd < 0 || n < 0 || errno == ESPIPE) {
		int code = !buf ? -ENOMEM : errno ? -errno : -EIO;

		err_set(e, code, "cannot read %s again for its number: %s", path, strerror(-code));
		err_hint(
			e,
			"A recording is known by its bytes; one from a pipe has to be saved first.");
		n = -1;
	}
	free(buf);
	if (fd >= 0)
		close(fd);
	return n < 0 ? -EINVAL : 0;
}

static int is_data(const struct dirent *d)
{
	return !strncmp(d->d_name, "data", 4);
}

static int hash_directory(struct sha256 *h, const char *path, struct err *e)
{
	struct dirent **names;
	int n = scandir(path, &names, is_data, alphasort), ret = 0;
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < n; i++) {
		ret = ret ?: hash_file(h, dir, names[i]->d_name, e);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	if (dir >= 0)
		close(dir);
	return n < 0 || dir < 0 ? err_set(e, -EIO, "cannot list %s again for its number", path)
				: ret;
}

int loads_recording(struct loads *l, struct err *e)
{
	const char *path = perfdata_path(l->env->pd);
	struct sha256 h;
	unsigned char digest[32];
	struct stat st;
	int ret;

	sha256_init(&h);
	errno = 0;
	ret = !stat(path, &st) && S_ISDIR(st.st_mode) ? hash_directory(&h, path, e)
						      : hash_file(&h, AT_FDCWD, path, e);
	sha256_end(&h, digest);
	put_hex(l->recording, digest, 16);
	l->object = calloc(machine_nr_dsos(l->env->machine) + 1, sizeof(*l->object));
	if (!ret && !l->object)
		ret = err_set(e, -ENOMEM, "no memory for tables");
	return ret;
}

int64_t loads_id(const struct loads *l, const char *event, const char *service)
{
	struct sha256 h;
	unsigned char d[32];
	uint64_t id = 0;

	sha256_init(&h);
	sha256_add(&h, l->recording, 32);
	sha256_add(&h, event, strlen(event) + 1);
	sha256_add(&h, service, strlen(service));
	sha256_end(&h, d);
	for (int i = 0; i < 8; i++)
		id = id << 8 | d[i];
	/* Positive; the last bits are the attempt: see FLEET_ATTEMPTS. */
	return (int64_t)(id & INT64_MAX & ~(uint64_t)(FLEET_ATTEMPTS - 1));
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *loads_shown(struct loads *l, unsigned what, const char *s)
{
	const char *key = l->o->redact_key ? l->o->redact_key : "";
	char text[2 * 12 + 1] = "";
	struct sha256 h;
	unsigned char d[32];

	if (!(l->o->redact & what) || !*s)
		return s;
	sha256_init(&h);
	sha256_add(&h, key, strlen(key) + 1);
	sha256_add(&h, s, strlen(s));
	sha256_end(&h, d);
	put_hex(text, d, 12);
	return arena_printf(&l->arena, "sha:%s", text);
}

const char *loads_service(struct loads *l, const struct loads_load *load)
{
	if (load->comm == STACKS_NONE)
		return l->o->service ? l->o->service : "";
	return loads_shown(l, CONVERT_REDACT_COMM, machine_comm(l->env->machine, load->comm));
}

static const char *last_name(struct loads *l, const char *path)
{
	const char *slash = strrchr(path, '/');

	return loads_shown(l, CONVERT_REDACT_PATH, slash ? slash + 1 : path);
}

/* ---- objects --------------------------------------------------------------------------------- */

static const char *kind_of(const struct dso *d)
{
	static const char *const kinds[] = {
		[DSO_USER] = "user", [DSO_KERNEL] = "kernel", [DSO_MODULE] = "module",
		[DSO_VDSO] = "vdso", [DSO_ANON] = "jit",      [DSO_BPF] = "bpf",
		[DSO_JIT] = "jit",
	};

	return kinds[d->kind];
}

/*
 * .htlhash of OpenTelemetry's profiles: the first 16 bytes of the SHA-256 of the file's first and last 4096 bytes and
 * its length.
 */
static bool hash_ends(const char *path, char hex[33])
{
	unsigned char buf[8192], d[32];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct sha256 h;
	struct stat st;
	ssize_t n = -1, m = -1;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		off_t end = st.st_size > 4096 ? st.st_size - 4096 : 0;

		n = pread(fd, buf, 4096, 0);
		m = n < 0 ? -1 : pread(fd, buf + n, 4096, end);
	}
	if (fd >= 0)
		close(fd);
	if (m < 0)
		return false;
	sha256_init(&h);
	sha256_add(&h, buf, (size_t)(n + m));
	for (int i = 0; i < 8; i++)
		buf[i] = (unsigned char)((uint64_t)st.st_size >> (56 - 8 * i));
	sha256_add(&h, buf, 8);
	sha256_end(&h, d);
	put_hex(hex, d, 16);
	return true;
}

static const char *make_id(struct loads *l, const struct dso *d, const char *file)
{
	char hex[2 * BUILD_ID_MAX + 1] = "";
	size_t n = d->build_id_size;

	/* Old recorders wrote 20 bytes of those that have 16, with zeros behind. */
	while (n == d->build_id_size && n == 20 && !memcmp(d->build_id + 16, "\0\0\0", 4))
		n = 16;
	if (n) {
		put_hex(hex, d->build_id, min_u64(n, BUILD_ID_MAX));
		return arena_strdup(&l->arena, hex);
	}
	if (d->kind == DSO_ANON || d->kind == DSO_JIT) {
		const struct thread *th =
			d->pid < 0 ? NULL : machine_thread(l->env->machine, d->pid, d->pid);
		const char *comm = th ? machine_comm(l->env->machine, th->comm) : "";

		return arena_printf(&l->arena, "jit:%s", loads_shown(l, CONVERT_REDACT_COMM, comm));
	}
	if (file && hash_ends(file, hex))
		return arena_printf(&l->arena, "htl:%s", hex);
	return arena_printf(&l->arena, "name:%s", last_name(l, d->name));
}

/* Executable segments as "offset:address:size", with commas between; "" where the file is not at hand. */
static const char *segments_of(struct loads *l, const char *path, int64_t *size)
{
	struct segments segs = { 0 };
	struct elf_file *f;
	const char *text = "";

	if (!path || elf_open(&f, path, symbol_elf_flags(l->env->resolver)))
		return text;
	*size = (int64_t)f->size;
	if (!elf_segments(f, &segs))
		vec_for_each (s, &segs.v)
			if (s->exec && text)
				text = arena_printf(&l->arena, "%s%s%llx:%llx:%llx", text,
						    *text ? "," : "", (unsigned long long)s->offset,
						    (unsigned long long)s->vaddr,
						    (unsigned long long)s->filesz);
	vec_free(&segs.v);
	elf_close(f);
	return text;
}

const char *loads_object(struct loads *l, uint32_t idx)
{
	const struct dso *d;
	const char *segments, *path;
	int64_t size = -1;
	char *file;

	if (idx == STACKS_NONE)
		return "";
	if (l->object[idx])
		return l->object[idx];
	d = machine_dso(l->env->machine, idx);
	file = d->kind == DSO_USER || d->kind == DSO_MODULE ? symbol_run_file(l->env->resolver, d)
							    : NULL;
	segments = segments_of(l, file, &size);
	l->object[idx] = make_id(l, d, file);
	free(file);
	path = last_name(l, d->kind == DSO_ANON || d->kind == DSO_JIT ? kind_of(d) : d->name);
	if (!l->object[idx] || !segments || !path)
		return NULL;
	if (batch_add(l->table[FLEET_OBJECTS],
		      (union batch_value[FLEET_OBJECTS_COLUMNS]){
			      [FLEET_OBJECTS_OBJECT].s = l->object[idx],
			      [FLEET_OBJECTS_KIND].s = kind_of(d),
			      [FLEET_OBJECTS_PATH].s = path,
			      [FLEET_OBJECTS_ARCH].s = perfdata_env(l->env->pd)->arch,
			      [FLEET_OBJECTS_SIZE].i = size,
			      [FLEET_OBJECTS_SEGMENTS].s = segments }))
		return NULL;
	return l->object[idx];
}

int64_t loads_offset(const struct loads *l, uint32_t idx, uint64_t addr)
{
	const struct dso *d = idx == STACKS_NONE ? NULL : machine_dso(l->env->machine, idx);
	uint64_t ref = 0;

	/* Kernels are loaded where they like: from their first symbol on. */
	if (d && d->kind == DSO_KERNEL && machine_kernel_ref(l->env->machine, d->guest, &ref))
		addr -= ref;
	/* Where nothing lies addresses are of that process alone, and say where it was loaded. */
	return d ? (int64_t)addr : 0;
}

int loads_function(struct loads *l, uint32_t idx, const struct symbol *sym, int64_t *func)
{
	const char *object = loads_object(l, idx), *file = "";
	struct srcline at = { 0 };

	*func = -1;
	if (!object)
		return -ENOMEM;
	if (!sym || idx == STACKS_NONE)
		return 0;
	*func = loads_offset(l, idx, sym->start);
	if (bits_test(&l->functions, sym->idx))
		return 0;
	if (sym->idx >= l->functions.nr) {
		struct bits more;

		if (bits_init(&more, ((size_t)sym->idx + 1) * 2))
			return -ENOMEM;
		if (l->functions.nr)
			memcpy(more.w, l->functions.w, (l->functions.nr + 63) / 64 * 8);
		bits_free(&l->functions);
		l->functions = more;
	}
	bits_set(&l->functions, sym->idx);
	if (l->o->lines &&
	    symbol_srcline(l->env->resolver, machine_dso(l->env->machine, idx), sym->start, &at))
		file = last_name(l, at.file);
	return !file ? -ENOMEM
		     : batch_add(
			       l->table[FLEET_FUNCTIONS],
			       (union batch_value[FLEET_FUNCTIONS_COLUMNS]){
				       [FLEET_FUNCTIONS_OBJECT].s = object,
				       [FLEET_FUNCTIONS_FUNC].i = *func,
				       [FLEET_FUNCTIONS_SIZE].i = (int64_t)(sym->end - sym->start),
				       [FLEET_FUNCTIONS_NAME].s = sym->name,
				       [FLEET_FUNCTIONS_FILE].s = file,
				       [FLEET_FUNCTIONS_LINE].i = *file ? at.line : 0 });
}
