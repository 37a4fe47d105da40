// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of code: from the file that was mapped, found by its build id; of the kernel from
 * /proc/kcore where it is the one that runs here, else from its image, or the module's file; of the
 * vdso from this process; of code made at run time from where its maker left the bytes: a jitdump file, or the
 * recording itself (BPF). An object that is another one by its build id gives no bytes: code that
 * is wrong is worse than none. Where there are none, symbol_code_error() says which file is
 * missing, and how to get it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lack.h"
#include "buildid/buildid.h"
#include "symbol/symbol-int.h"

#define KCORE "/proc/kcore"

/* ---- files ----------------------------------------------------------------------------------- */

/* From a server, when that was asked for and nothing but debug symbols lies here. */
static char *served_file(struct resolver *res, const struct dso *dso, struct object *o)
{
	struct elf_file *f = files_open_served(res, dso);
	char *path = f ? strdup(elf_path(f)) : NULL;

	if (!f)
		return NULL;
	object_set_machine(&o->found, f);
	if (!o->found.seg.v.n && !elf_segments(f, &o->code_seg))
		o->found.seg = o->code_seg;
	elf_close(f);
	return path;
}

/*
 * The running kernel as it is now: alternatives and static keys are patched. It may be another boot of the recorded one, with
 * other code where that was.
 */
static char *kcore_file(struct resolver *res, const struct dso *dso, struct object *o)
{
	bool same;

	if (!kernel_is_host(res, dso))
		return NULL;
	if (access(KCORE, R_OK)) {
		o->kcore_error = errno;
		return NULL;
	}
	same = dso->kind == DSO_MODULE ? module_runs(res, dso)
				       : kernel_host_delta(res, &o->code_delta);
	return same ? strdup(KCORE) : NULL;
}

static char *kernel_file(struct resolver *res, const struct dso *dso, struct object *o)
{
	const struct kernel_tab *kt = &res->kernel;
	char *path;

	if (dso->guest)
		return NULL;
	if (dso->kind == DSO_KERNEL && o->found.kernel_tab && kt->found.vmlinux) {
		o->code_delta = kt->found.delta;
		return strdup(kt->found.file);
	}
	/* Of a module where the text that goes with it has names for it at its place. */
	path = dso->kind == DSO_KERNEL || o->found.kernel_tab ? kernel_core(res) : NULL;
	if (path) {
		o->code_delta =
			o->found.kernel_tab && dso->kind == DSO_KERNEL ? kt->found.delta : 0;
		return path;
	}
	path = kcore_file(res, dso, o);
	if (!path && dso->kind == DSO_KERNEL)
		path = kernel_image(res, &o->code_delta);
	return path;
}

static int open_file(struct resolver *res, struct object *o, bool kernel)
{
	struct elf_file *f;

	o->code_fd = box_open(o->code_file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (o->code_fd < 0) {
		lack_note(o->code_fd, "cannot open", o->code_file);
		return o->code_fd;
	}
	/* Kernel addresses need the file's segments; those of user objects are offsets already. */
	if (kernel && !elf_open(&f, o->code_file, symbol_elf_flags(res))) {
		elf_segments(f, &o->code_seg);
		object_set_machine(&o->found, f);
		elf_close(f);
	}
	return o->code_fd;
}

static int code_open(struct resolver *res, const struct dso *dso, struct object *o)
{
	bool kernel = dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE;

	if (o->code_tried)
		return o->code_fd;
	o->code_tried = true;
	o->code_fd = -ENOENT;
	if (kernel)
		o->code_file = kernel_file(res, dso, o);
	else if (dso->kind == DSO_USER)
		o->code_file =
			o->found.run_file ? strdup(o->found.run_file) : served_file(res, dso, o);
	if (o->code_file)
		return open_file(res, o, kernel);
	o->code_module = dso->kind == DSO_MODULE && module_get(res, dso, o);
	if (o->code_module)
		object_set_machine(&o->found, o->module->file);
	return o->code_fd;
}

static ssize_t read_vdso(uint64_t addr, void *buf, size_t size)
{
	size_t have;
	unsigned char *image = object_vdso(&have);
	ssize_t n = -ENOENT;

	if (image && addr < have) {
		n = (ssize_t)min_u64(size, have - addr);
		memcpy(buf, image + addr, (size_t)n);
	}
	free(image);
	return n;
}

/* ---- BPF programs ---------------------------------------------------------------------------- */

enum { /* offsets within struct bpf_prog_info, bpf(2) */
       INFO_CODE_LEN = 16,
       INFO_CODE = 24,
       INFO_NR_KSYMS = 104,
       INFO_NR_LENS = 108,
       INFO_KSYMS = 112,
       INFO_LENS = 120,
       INFO_MIN = 128,
};

struct bpf_prog {
	const unsigned char *info, *data;
	uint32_t data_size;
	bool swap;
};

/* @n bytes at the offset that the info has at @field; NULL when they are not all there. */
static const unsigned char *bpf_array(const struct bpf_prog *p, int field, uint64_t n)
{
	uint64_t at = load_u64(p->info + field, p->swap);

	return at <= p->data_size && n <= p->data_size - at ? p->data + at : NULL;
}

/* The code of a program lies one function behind the other. */
static const unsigned char *bpf_function(const struct bpf_prog *p, uint64_t start, uint64_t *size)
{
	uint32_t nr = load_u32(p->info + INFO_NR_KSYMS, p->swap);
	uint64_t code_len = load_u32(p->info + INFO_CODE_LEN, p->swap), at = 0;
	const unsigned char *code = bpf_array(p, INFO_CODE, code_len);
	const unsigned char *ksyms = bpf_array(p, INFO_KSYMS, (uint64_t)nr * 8);
	const unsigned char *lens = bpf_array(p, INFO_LENS, (uint64_t)nr * 4);

	if (!code || !ksyms || !lens || nr != load_u32(p->info + INFO_NR_LENS, p->swap))
		return NULL;
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t len = load_u32(lens + 4ULL * i, p->swap);

		if (len > code_len - at)
			return NULL;
		if (load_u64(ksyms + 8ULL * i, p->swap) == start) {
			*size = len;
			return code + at;
		}
		at += len;
	}
	return NULL;
}

/* What the recorder asked the kernel for: BPF_PROG_INFO, perf.data(5). */
static const unsigned char *bpf_code(const struct resolver *res, const struct dso *dso,
				     uint64_t *size)
{
	const struct perfdata *pd = machine_recording(res->m);
	size_t n = 0;
	const void *raw = pd ? perfdata_feature_raw(pd, FEAT_BPF_PROG_INFO, &n) : NULL;
	struct cursor c = cursor_init(raw, raw ? n : 0, pd && perfdata_swapped(pd));
	uint32_t nr = cursor_u32(&c);

	for (uint32_t i = 0; i < nr && !c.bad; i++) {
		uint32_t info_size = cursor_u32(&c), data_size = cursor_u32(&c);
		struct bpf_prog p = { .data_size = data_size, .swap = c.swap };
		const unsigned char *code;

		cursor_u64(&c); /* which arrays were asked for */
		p.info = cursor_bytes(&c, info_size);
		p.data = cursor_bytes(&c, data_size);
		code = p.data && info_size >= INFO_MIN ? bpf_function(&p, dso->start, size) : NULL;
		if (code)
			return code;
	}
	return NULL;
}

static ssize_t read_bpf(const struct resolver *res, const struct dso *dso, uint64_t addr, void *buf,
			size_t size)
{
	uint64_t have = 0, off = addr - dso->start;
	const unsigned char *code = bpf_code(res, dso, &have);

	if (!code || addr < dso->start || off >= have)
		return -ENOENT;
	size = (size_t)min_u64(size, have - off);
	memcpy(buf, code + off, size);
	return (ssize_t)size;
}

/* ---- all kinds ------------------------------------------------------------------------------- */

ssize_t symbol_read_code(struct resolver *res, struct dso *dso, uint64_t addr, void *buf,
			 size_t size)
{
	struct object *o = object_load(res, dso);
	struct jitdump *d;
	uint64_t offset = addr;
	ssize_t got;
	int fd;

	if (!o)
		return -ENOMEM;
	switch (dso->kind) {
	case DSO_VDSO: return o->found.tab.sym.n ? read_vdso(addr, buf, size) : -ENOENT;
	case DSO_JIT:
		d = machine_jitdump(res->m, dso);
		return d ? jitdump_read(d, addr, buf, size) : -ENOENT;
	case DSO_BPF: return read_bpf(res, dso, addr, buf, size);
	case DSO_ANON: return -ENOENT;
	default: break;
	}
	fd = code_open(res, dso, o);
	if (o->code_module)
		return module_read(o->module, addr, buf, size);
	if (fd < 0)
		return fd;
	/* The kernel's own code was moved as its symbols were; modules lie anywhere. */
	if (dso->kind != DSO_USER &&
	    !segments_to_offset(&o->code_seg, addr - o->code_delta, &offset))
		return -EFAULT;
	if (offset > INT64_MAX - size)
		return -EFAULT;
	got = file_read_at(fd, buf, size, offset);
	if (got < 0)
		lack_note((int)got, "cannot read", o->code_file);
	return got;
}

const char *symbol_code_path(struct resolver *res, struct dso *dso)
{
	const struct perfdata *pd = machine_recording(res->m);
	struct object *o = object_load(res, dso);
	uint64_t size;

	if (!o)
		return NULL;
	switch (dso->kind) {
	case DSO_VDSO: return o->found.tab.sym.n ? "[vdso]" : NULL;
	case DSO_JIT: return machine_jitdump(res->m, dso) ? dso->path : NULL;
	case DSO_BPF: return bpf_code(res, dso, &size) ? perfdata_path(pd) : NULL;
	case DSO_ANON: return NULL;
	default: break;
	}
	if (code_open(res, dso, o) >= 0)
		return o->code_file;
	return o->code_module ? o->module->path : NULL;
}

static void find_spans(struct resolver *res, struct object *o)
{
	Elf_Scn *scn = NULL;
	struct elf_file *f;

	if (elf_open(&f, o->code_file, symbol_elf_flags(res)))
		return;
	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		GElf_Shdr h;

		if (!gelf_getshdr(scn, &h) || h.sh_type != SHT_PROGBITS ||
		    !(h.sh_flags & SHF_EXECINSTR) || h.sh_size > UINT64_MAX - h.sh_offset)
			continue;
		/* With a part of them nothing is known. */
		if (vec_push(&o->code_span,
			     ((struct code_span){ h.sh_offset, h.sh_offset + h.sh_size }))) {
			o->code_span.n = 0;
			break;
		}
	}
	elf_close(f);
}

uint64_t symbol_code_limit(struct resolver *res, struct dso *dso, uint64_t addr)
{
	struct object *o = object_load(res, dso);

	if (!o || dso->kind != DSO_USER || code_open(res, dso, o) < 0)
		return UINT64_MAX;
	if (!o->spans_tried)
		find_spans(res, o);
	o->spans_tried = true;
	vec_for_each (s, &o->code_span)
		if (addr >= s->start && addr < s->end)
			return s->end;
	return UINT64_MAX;
}

/* ---- why there is none ----------------------------------------------------------------------- */

static const char kernel_hint[] =
	"The image with symbols is in a package of the distribution (kernel-debuginfo, "
	"linux-image-...-dbg): name it with --vmlinux FILE, keep it with 'perf buildid-cache "
	"--add FILE', or ask a server with --debuginfod (DEBUGINFOD_URLS). A copy of /proc/kcore of "
	"the recorded kernel lies beside the file that --kallsyms names, as kcore.";

/* Of the kernel that runs: why its own memory does not help. */
static int say_host(const struct object *o, const char *id, struct err *e)
{
	int why = o->kcore_error;

	if (!why) {
		err_set(e, -ENOENT,
			"the code of the kernel cannot be read: /proc/kallsyms does not tell where it "
			"lies in " KCORE " now; no vmlinux %s%s was found",
			*id ? "with build id " : "of it", id);
		err_hint(e, "%s", kernel_hint);
		return e->code;
	}
	err_set(e, -why,
		"the code of the kernel cannot be read: " KCORE ": %s; no vmlinux %s%s was found",
		strerror(why), *id ? "with build id " : "of it", id);
	err_hint(e, "%s " KCORE ". %s",
		 why == ENOENT ? "This kernel was built without"
			       : "Only root (CAP_SYS_RAWIO) may read",
		 kernel_hint);
	return e->code;
}

static int say_kernel(struct resolver *res, const struct dso *dso, const struct object *o,
		      const char *id, struct err *e)
{
	const char *release = machine_os_release(res->m);

	if (dso->guest) {
		err_set(e, -ENOENT, "the code of a guest's kernel is not here");
		err_hint(e, "Annotate the recording of the guest inside it.");
		return e->code;
	}
	if (kernel_is_host(res, dso))
		return say_host(o, id, e);
	err_set(e, -ENOENT,
		"the code of the kernel is not here: the recorded kernel is %s, build id %s, and "
		"not the one that runs",
		*release ? release : "unknown", *id ? id : "unknown");
	err_hint(e, "%s", kernel_hint);
	return e->code;
}

static int say_module(struct resolver *res, const struct dso *dso, const struct object *o,
		      const char *id, struct err *e)
{
	const char *release = machine_os_release(res->m);
	bool host = kernel_is_host(res, dso);

	err_set(e, -ENOENT, "the code of the module %s is not here: no file %s%s at %s, and %s%s",
		dso->name, *id ? "with build id " : "of it", id,
		dso->path[0] == '/' ? dso->path : "/lib/modules",
		!host		 ? "the recorded kernel is not the one that runs: "
		: o->kcore_error ? KCORE " cannot be read: "
				 : "it does not lie in " KCORE " where it was",
		!host		 ? *release ? release : "unknown"
		: o->kcore_error ? strerror(o->kcore_error)
				 : "");
	err_hint(
		e,
		"Its file, x.ko, .ko.xz or .ko.zst, is found below --symfs DIR%s. Or annotate, as "
		"root, on a machine that runs that kernel with that module.",
		*id ? ", in the cache after 'perf buildid-cache --add FILE', or from a server with "
		      "--debuginfod (DEBUGINFOD_URLS)"
		    : "");
	return e->code;
}

static int say_made(struct resolver *res, const struct dso *dso, struct err *e)
{
	const char *trouble;

	switch (dso->kind) {
	case DSO_BPF:
		err_set(e, -ENOENT,
			"the code of the BPF program %s is not in the recording: it has no "
			"BPF_PROG_INFO of it",
			dso->name);
		err_hint(e,
			 "A recorder that runs as root stores it (upstream's perf record does).");
		return e->code;
	case DSO_VDSO:
		err_set(e, -ENOENT,
			"the code of [vdso] is not here: the recording is of another "
			"kernel");
		err_hint(e, "Annotate on a machine that runs that kernel.");
		return e->code;
	case DSO_JIT:
		return err_set(e, -ENOENT, "the code bytes are missing in %s: it is cut",
			       dso->path);
	default: break;
	}
	trouble = machine_jit_trouble(res->m, dso->pid);
	err_set(e, -ENOENT,
		"code that process %d made at run time left no bytes: %s has names only%s%s",
		dso->pid, dso->name, trouble ? "; its jitdump file: " : "", trouble ? trouble : "");
	err_hint(e, "Let the compiler write a jitdump file (an agent of the JVM, 'node "
		    "--perf-prof', 'PYTHON_PERF_JIT_SUPPORT=1') and record with -k mono.");
	return e->code;
}

/* What lies at the object's path, that it cannot be it. */
static void say_other(const char *path, const struct dso *dso, struct err *e)
{
	struct elf_file *f;
	const struct build_id *have;
	char hex[2 * BUILD_ID_MAX + 1] = "none";
	int ret = elf_open(&f, path, 0);

	if (ret == -ENOEXEC) {
		err_set(e, ret, "%s is no ELF file, so there is no code of it", path);
	} else if (ret) {
		err_set(e, ret, "%s cannot be opened: %s", path, strerror(-ret));
	} else {
		have = elf_build_id(f);
		if (have->size)
			buildid_hex(have, hex);
		err_set(e, -ENOENT, "%s has changed since the recording: its build id is %s now",
			dso->path, hex);
		elf_close(f);
	}
}

static int say_user(struct resolver *res, const struct dso *dso, const char *id, struct err *e)
{
	char path[PATH_MAX];

	if (dso->path[0] != '/') {
		err_set(e, -ENOENT, "%s is no file, and has no code that could be read", dso->path);
		return e->code;
	}
	if (!files_symfs_path(res, dso->path, path, sizeof(path)) || access(path, F_OK)) {
		err_set(e, -ENOENT, "%s is not here", path);
	} else {
		say_other(path, dso, e);
	}
	if (*id)
		err_context(e, "no file with build id %s", id);
	err_hint(
		e, "A copy of the file as it was recorded is found below --symfs DIR%s",
		*id ? ", in the cache after 'perf buildid-cache --add FILE', or from a server with "
		      "--debuginfod (DEBUGINFOD_URLS)."
		    : ". The recording has no build id of it: 'perf buildid-cache' cannot help.");
	return e->code;
}

int symbol_code_error(struct resolver *res, struct dso *dso, int code, struct err *e)
{
	struct object *o = object_load(res, dso);
	char id[2 * BUILD_ID_MAX + 1] = "";
	struct build_id want = { .size = (uint8_t)min_u64(dso->build_id_size, BUILD_ID_MAX) };

	if (want.size) {
		memcpy(want.id, dso->build_id, want.size);
		buildid_hex(&want, id);
	}
	if (!o || code == -ENOMEM)
		return err_set(e, -ENOMEM, "out of memory for the code of %s", dso->name);
	if (o->code_module)
		return err_set(e, code ? code : -ENODATA, "%s has no bytes at that address",
			       o->module->path);
	if (o->code_file && code == -EFAULT)
		return err_set(e, code, "%s has no bytes at that address", o->code_file);
	if (o->code_file && o->code_fd >= 0)
		return err_set(e, code ? code : -ENODATA, "%s: %s", o->code_file,
			       code ? strerror(-code) : "it ends before that function");
	switch (dso->kind) {
	case DSO_USER: return say_user(res, dso, id, e);
	case DSO_KERNEL: return say_kernel(res, dso, o, id, e);
	case DSO_MODULE:
		return dso->guest ? say_kernel(res, dso, o, id, e) : say_module(res, dso, o, id, e);
	default: return say_made(res, dso, e);
	}
}
