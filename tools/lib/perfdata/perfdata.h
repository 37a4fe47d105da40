/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata: the perf.data file. Reading: header, features, attrs, records of either byte order,
 * every attr size, pipe mode, zstd, cut files. Writing: all of that. No symbols, no printing of
 * results; the format itself is described in perf.data(5).
 *
 *	struct perfdata *pd;
 *	struct record rec;
 *
 *	if (perfdata_open(&pd, "perf.data", NULL, &err))
 *		...
 *	while ((ret = perfdata_next_ordered(pd, &rec, &err)) > 0)
 *		...
 *	perfdata_close(pd);
 *
 * Memory is bounded by a window, not by the size of the file: record bytes are valid until the
 * next call of perfdata_next*(). Everything else handed out lives until perfdata_close().
 * One thread per struct perfdata.
 */
#ifndef PERF_PERFDATA_H
#define PERF_PERFDATA_H

#include "attr/attr.h"
#include "base/base.h"
#include "base/tables.h"
#include "base/bytes.h"
#include "trace/trace.h"
#include "uapi/perf_event.h"

struct perfdata;

/* ---- events of a file ------------------------------------------------------------------------------ */

struct perfdata_event {
	struct perf_event_attr attr; /* host order; attr.size is the file's */
	const char *name; /* stored or derived; comes from the file: print through emit */
	const uint64_t *ids;
	size_t nr_ids;
	uint32_t idx;	     /* position in the file */
	uint32_t joined;     /* idx in the recording that it was joined to; else its own */
	uint32_t leader;     /* idx of the group leader, own idx when alone */
	uint32_t nr_members; /* group size when leader, 1 when alone, 0 for members */
	const char *group;   /* the group's name or NULL */
	/* Its branch stacks have counters: with the bit in one event of a group the kernel writes them for all of it. */
	bool branch_counters;
	const char *unit; /* EVENT_UPDATE; NULL when none */
	double scale;
	/* SAMPLE_SOURCE: RAW holds the bases of FS and GS; MXCSR, behind these where both are there */
	bool raw_bases, raw_mxcsr;
};

/* In pipe mode events may still be added while records are read. */
size_t perfdata_nr_events(const struct perfdata *pd);
const struct perfdata_event *perfdata_event(const struct perfdata *pd, size_t idx);
/* PERF_SAMPLE_* that any event has; whether the samples of one tell MXCSR. */
uint64_t perfdata_sample_types(const struct perfdata *pd);
bool perfdata_has_mxcsr(const struct perfdata *pd);
/* Whether branches of this event's samples, or of any's, were followed by software: FEAT_SAMPLE_SOURCE says so. */
#define PERFDATA_ANY_EVENT UINT32_MAX
bool perfdata_follows_branches(const struct perfdata *pd, uint32_t event);
/* By the id that the kernel gave; NULL when unknown. Changes nothing that a thread which reads ahead may look at. */
const struct perfdata_event *perfdata_event_by_id(const struct perfdata *pd, uint64_t id);

/*
 * Several recordings that are counted together: events of @from become @to's, which gets those that it
 * has not; .joined of @from's says which is which. They are one where name and what was counted are the
 * same (attr_counts_same()), groups as a whole. An event that was added has no ids: no record of @to is of it.
 */
int perfdata_join_events(struct perfdata *to, struct perfdata *from, struct err *e);
/* Events of @pd itself; those behind them were joined. */
size_t perfdata_nr_own_events(const struct perfdata *pd);
/*
 * The same with a column for each of @nr recordings, called @names: for each event that @to has then @nr more
 * come, a group, and perfdata_join_column() of a recording whose events were joined leads into the @i-th.
 */
int perfdata_add_columns(struct perfdata *to, const char *const *names, size_t nr, struct err *e);
void perfdata_join_column(struct perfdata *from, size_t nr_joined, size_t i, size_t nr);

/* Whether times are those of this clock (CLOCK_MONOTONIC ...): record -k; the kernel's own has no
 * number. In a pipe once events came. */
bool perfdata_uses_clock(const struct perfdata *pd, int clockid);

/* ---- opening ----------------------------------------------------------------------------------------- */

struct perfdata_opts {
	bool force;	/* skip the ownership check */
	bool no_order;	/* the caller wants file order only: nothing is indexed */
	bool no_limits; /* believe what unpacks to much more than is there */
	/* For what is packed or cannot be read twice; what is read ahead of files takes a quarter; 0 = 64 MiB. */
	size_t max_mem;
	/*
	 * Called now and then, and while a pipe brings nothing, with bytes read and to read (0 =
	 * unknown), for a progress line. True: what was read is enough, and the recording ends here.
	 */
	bool (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
	/* What of the file is left out or cannot be right; records that are read ahead: by that thread. */
	struct log_sink log;
};

/* @path: a file, a directory (perf.data directory format) or "-". @opts may be NULL. */
int perfdata_open(struct perfdata **pd, const char *path, const struct perfdata_opts *opts,
		  struct err *e);
void perfdata_close(struct perfdata *pd);

bool perfdata_swapped(const struct perfdata *pd); /* other byte order than the host */
bool perfdata_is_pipe(const struct perfdata *pd);
const char *perfdata_path(const struct perfdata *pd);

/* Offsets and sizes of the header, for --header: all 0 in a pipe. */
struct perfdata_layout {
	uint64_t file_size, attrs_offset, data_offset, data_size, feat_offset;
	int version; /* 1 = PERFFILE, 2 = PERFILE2 */
	uint32_t attr_size;
	int64_t mtime; /* "captured on" */
	bool data_cut; /* the data section is unfinished or passes the end of the file */
};

void perfdata_layout(const struct perfdata *pd, struct perfdata_layout *l);

/* ---- features ----------------------------------------------------------------------------------------- */

enum perfdata_feature {
	FEAT_TRACING_DATA = 1,
	FEAT_BUILD_ID,
	FEAT_HOSTNAME,
	FEAT_OSRELEASE,
	FEAT_VERSION,
	FEAT_ARCH,
	FEAT_NRCPUS,
	FEAT_CPUDESC,
	FEAT_CPUID,
	FEAT_TOTAL_MEM,
	FEAT_CMDLINE,
	FEAT_EVENT_DESC,
	FEAT_CPU_TOPOLOGY,
	FEAT_NUMA_TOPOLOGY,
	FEAT_BRANCH_STACK,
	FEAT_PMU_MAPPINGS,
	FEAT_GROUP_DESC,
	FEAT_AUXTRACE,
	FEAT_STAT,
	FEAT_CACHE,
	FEAT_SAMPLE_TIME,
	FEAT_MEM_TOPOLOGY,
	FEAT_CLOCKID,
	FEAT_DIR_FORMAT,
	FEAT_BPF_PROG_INFO,
	FEAT_BPF_BTF,
	FEAT_COMPRESSED,
	FEAT_CPU_PMU_CAPS,
	FEAT_CLOCK_DATA,
	FEAT_HYBRID_TOPOLOGY,
	FEAT_PMU_CAPS,
	FEAT_CPU_DOMAIN_INFO,
	FEAT_E_MACHINE,
	FEAT_CLN_SIZE,
	FEAT_MEMORY_RANGES,
	FEAT_LAST,
	/* Ours; other readers skip it: who delivered registers and branches (see perf.data(5)). */
	FEAT_SAMPLE_SOURCE = 200,
	FEAT_BITS = 256,
};

/*
 * What SAMPLE_SOURCE calls a RAW that holds the bases of FS and GS: u32 version, two u64; one that holds
 * MXCSR: u32 version, u32 MXCSR, u32 RAW_MXCSR_*; one that holds both: u32 version, and what is behind it
 * in these. Any other size or version is not understood.
 */
#define RAW_BASES	    "fs-gs-base"
#define RAW_MXCSR	    "mxcsr"
#define RAW_BASES_AND_MXCSR "fs-gs-base+mxcsr"
#define RAW_BASES_VERSION   1 /* of all three */
#define RAW_BASES_SIZE	    20
#define RAW_MXCSR_SIZE	    12
#define RAW_BOTH_SIZE	    28

#define RAW_MXCSR_KNOWN 1 /* else the value is nothing */
#define RAW_MXCSR_FLAGS 2 /* its bits 0 to 5 are of the sample, else of some time before */

bool perfdata_has_feature(const struct perfdata *pd, int id);
/* The bytes as stored; NULL when absent. */
const void *perfdata_feature_raw(const struct perfdata *pd, int id, size_t *size);
/* A string in a feature: u32 length, bytes with a zero among them; NULL (and @c is bad) when not. */
const char *feature_str(struct cursor *c);

/* TRACING_DATA, read on first use; NULL when there is none that can be. In a pipe it lives until
 * the next record. */
const struct trace *perfdata_trace(const struct perfdata *pd);

/* What every reader needs, decoded once; strings are "" and numbers 0 when unknown. */
struct perfdata_env {
	const char *hostname, *os_release, *version, *arch, *cpu_desc, *cpuid;
	uint32_t nr_cpus_avail, nr_cpus_online;
	uint64_t total_mem_kb;
	char *const *cmdline;
	uint32_t nr_cmdline;
	uint64_t first_time, last_time;			  /* SAMPLE_TIME, ns */
	uint32_t branch_counter_nr, branch_counter_width; /* from PMU caps; 0 = unknown */
	uint32_t max_branches;				  /* caps/branches; 0 = unknown */
	uint32_t e_machine, e_flags;			  /* E_MACHINE; 0 = unknown */
};

const struct perfdata_env *perfdata_env(const struct perfdata *pd);

/* Parts of a recording: what --time says. None = all of it. */
struct time_span {
	uint64_t start, end; /* ns, inclusive */
};

struct time_spans {
	VEC(struct time_span) v;
};

/*
 * Adds "START,STOP" in seconds, either may be missing, several with blanks between; or "10%/2" (the
 * second tenth) and "10%-20%", several with commas, by SAMPLE_TIME. -EINVAL for other text, and for
 * percents when the file does not say its times.
 */
int time_spans_parse(struct time_spans *t, const struct perfdata *pd, const char *s, struct err *e);
bool time_spans_have(const struct time_spans *t, uint64_t time);
void time_spans_free(struct time_spans *t);

/* The socket (package) of @cpu by the file's CPU topology; -1 when it does not say. */
int perfdata_cpu_socket(const struct perfdata *pd, uint32_t cpu);

struct perfdata_build_id {
	uint8_t id[20];
	uint8_t size; /* 20 when the file does not say */
	int32_t pid;
	uint16_t misc; /* cpumode */
	const char *path;
};

size_t perfdata_nr_build_ids(const struct perfdata *pd);
const struct perfdata_build_id *perfdata_build_id(const struct perfdata *pd, size_t i);

/* ---- records --------------------------------------------------------------------------------------------- */

#define RECORD_NO_TIME UINT64_MAX

/*
 * Bytes of a large sample with the copy of a stack that are not in data, where anything may stand for them; see perfdata_index_opts.
 * Most likely, but not for certain, they are of the stack. Elsewhere they are, but may change.
 */
struct record_gap {
	uint32_t from, to;	    /* of data; alike: there is none any more */
	const unsigned char *there; /* all of the record */
	unsigned char *data;
};

/* They are in data as well from now on. */
void perfdata_fill(struct record_gap *gap);

struct record {
	const unsigned char *data; /* whole, header included, but for @gap: perfdata_fill() */
	uint32_t size;		   /* as the header says; AUXTRACE payload not included */
	uint32_t type;		   /* PERF_RECORD_* */
	uint16_t misc;
	bool swap;	      /* data is of the other byte order */
	uint64_t offset;      /* in the file; for decompressed records in the decompressed stream */
	uint64_t file_offset; /* likewise, but of the COMPRESSED record that held them */
	uint64_t time;	      /* ns, RECORD_NO_TIME when the record carries none */
	/* SAMPLE and records with an id: theirs; else the first event; NULL before any attr and for ids nobody knows. */
	const struct perfdata_event *event;
	struct record_gap *gap; /* NULL: none; valid as long as the record */
};

/*
 * The next record in file order / in time order (what has no time comes where it stands).
 * 1 = *rec filled, 0 = end, <0 = error with what, where and why; what came before it was whole.
 * After an error the next call returns 0. COMPRESSED records are replaced by what they hold;
 * pipe-mode header records are applied and also handed out.
 */
int perfdata_next(struct perfdata *pd, struct record *rec, struct err *e);
int perfdata_next_ordered(struct perfdata *pd, struct record *rec, struct err *e);
/*
 * All records of a pipe; nothing of a file, whose header has what these tell: events and build ids may come up to a pipe's end,
 * and its writer wants a reader until then. 0, or -errno: what came before is there.
 */
int perfdata_read_pipe(struct perfdata *pd, struct err *e);
/*
 * What is in memory behind the record that perfdata_next_ordered() handed out last, *@nr bytes: the next one most likely, for
 * those who want to ask memory for what it needs. Nothing of it was checked. NULL: none. Until the next call.
 */
const unsigned char *perfdata_behind(const struct perfdata *pd, size_t *nr);

/*
 * The same records in time order, read by a thread of its own while the caller works on those
 * before: worth it for files where there is a second CPU. Between start and stop only
 * perfdata_ahead_next() may read, and a record is valid until the next call of it.
 */
struct perfdata_ahead;

bool perfdata_ahead_useful(const struct perfdata *pd);
int perfdata_ahead_start(struct perfdata_ahead **a, struct perfdata *pd, struct err *e);
int perfdata_ahead_next(struct perfdata_ahead *a, struct record *rec, struct err *e);
void perfdata_ahead_stop(struct perfdata_ahead *a); /* NULL is fine; before perfdata_close() */

/*
 * The same records cut into pieces, which threads can read side by side: each piece is a stretch of what
 * perfdata_next_ordered() hands out, and one behind the other they are all of it. A walk over the headers
 * finds out where they lie; it changes nothing later, any thread may look at it.
 *
 * Who begins with a piece has to know something of what came before. Records of which keep() says so
 * are kept for that; it is asked once for each, in the order of the file, less those that it has answered for.
 */
struct perfdata_index;

enum perfdata_keep {
	PERFDATA_KEEP_NOT,
	PERFDATA_KEEP,
	/* A sample: nor any other of its thread, of whatever event, until a record comes that is no sample. */
	PERFDATA_KEEP_NO_MORE,
};

struct perfdata_index_opts {
	uint64_t piece;	  /* bytes, about, of a piece; rounds that are smaller are pieces too */
	unsigned threads; /* that will read; until then they unpack what is packed, or map pages */
	enum perfdata_keep (*keep)(void *ctx, const struct record *rec);
	void *ctx;
	bool gaps; /* who reads the pieces knows of record_gap */
};

/*
 * Before anything was read of @pd. -ENOTSUP: this recording has to be read as a whole; nothing was read
 * of it then, as far as the caller can tell.
 */
int perfdata_index_new(struct perfdata_index **x, struct perfdata *pd,
		       const struct perfdata_index_opts *o, struct err *e);
void perfdata_index_free(struct perfdata_index *x);			 /* NULL is fine */
size_t perfdata_nr_pieces(const struct perfdata_index *x);		 /* at least one */
uint64_t perfdata_piece_bytes(const struct perfdata_index *x, size_t i); /* about */
/* Seconds of CPU time of all threads that mapped pages beside the walk, and how many these were. */
double perfdata_index_map_seconds(const struct perfdata_index *x, unsigned *threads);
/* What ended the recording before the end of the file; NULL = nothing. */
const struct err *perfdata_index_damage(const struct perfdata_index *x);
/*
 * From now on perfdata_next_ordered() hands out the pieces @from up to @to, less @to, and ends there; as
 * often as wanted. @pd: that of the index or another one of the same file.
 */
int perfdata_read_pieces(struct perfdata *pd, const struct perfdata_index *x, size_t from,
			 size_t to, struct err *e);
/*
 * Calls @fn with the records kept of the pieces @from up to @to, less @to; it returns 0 to go on.
 * They are valid until it returns. Samples have their fixed fields (PERF_SAMPLE_TID, ...) and may end behind these.
 */
typedef int perfdata_known_fn(void *ctx, const struct record *rec, struct err *e);
int perfdata_known_records(struct perfdata *pd, const struct perfdata_index *x, size_t from,
			   size_t to, perfdata_known_fn *fn, void *ctx, struct err *e);
/* The file of @pd once more, for another thread; it logs nothing and tells no progress. -ESTALE: see below. */
int perfdata_open_again(struct perfdata **again, const struct perfdata *pd, struct err *e);
/* 0 if both have the same file open, or -ESTALE. */
int perfdata_same_file(const struct perfdata *a, const struct perfdata *b, struct err *e);

const char *record_type_name(uint32_t type); /* "MMAP2" ...; "UNKNOWN" */

/* How every message on damage names a record: "record at offset 0x1230, MMAP2 (10)". */
#define RECORD_FMT "record at offset %#llx, %s (%u)"
#define RECORD_ARG(offset_, type_) \
	(unsigned long long)(offset_), record_type_name(type_), (unsigned)(type_)

struct perfdata_stats {
	uint64_t records, bytes;
	uint64_t unknown_records; /* skipped by size */
	uint64_t unordered;	  /* records that came too late for their round */
	uint32_t unknown_features;
	uint64_t compressed[2]; /* COMPRESSED and COMPRESSED2 records that were unpacked */
};

void perfdata_stats(const struct perfdata *pd, struct perfdata_stats *s);

/* Fields that follow every non-sample record under sample_id_all. */
struct record_id {
	uint64_t present; /* PERF_SAMPLE_TID|TIME|ID|STREAM_ID|CPU|IDENTIFIER */
	uint32_t pid, tid, cpu;
	uint64_t time, id, stream_id;
};

void record_sample_id(const struct record *rec, struct record_id *id);

/* ---- bodies of the records; strings and pointers point into the record --------------------------------------- */

struct record_mmap { /* MMAP and MMAP2 */
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	const char *filename;
	uint32_t maj, min, prot, flags; /* MMAP2 */
	uint64_t ino, ino_generation;
	const uint8_t *build_id; /* when MISC_MMAP_BUILD_ID: instead of maj..ino_generation */
	uint8_t build_id_size;
};

struct record_comm {
	uint32_t pid, tid;
	const char *comm;
	bool exec;
};

struct record_task { /* FORK, EXIT */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct record_lost { /* LOST, LOST_SAMPLES (id is 0) */
	uint64_t id, lost;
	bool by_filter; /* not lost: a BPF program dropped them, as was asked for */
};

struct record_switch {
	uint32_t next_prev_pid, next_prev_tid; /* SWITCH_CPU_WIDE */
};

struct record_ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t ksym_type, flags; /* flags bit 0: unregister */
	const char *name;
};

struct record_read {
	uint32_t pid, tid;
	const unsigned char *values;
	size_t size;
};

struct record_namespaces {
	uint32_t pid, tid;
	uint64_t nr;
	const unsigned char *link; /* nr x { u64 dev, u64 inode } */
};

struct record_bpf {
	uint16_t type, flags;
	uint32_t id;
	const uint8_t *tag; /* 8 bytes */
};

struct record_cgroup {
	uint64_t id;
	const char *path;
};

struct record_text_poke {
	uint64_t addr;
	uint16_t old_len, new_len;
	const unsigned char *bytes; /* old_len then new_len */
};

int record_mmap(const struct record *rec, struct record_mmap *m, struct err *e);
int record_comm(const struct record *rec, struct record_comm *c, struct err *e);
int record_task(const struct record *rec, struct record_task *t, struct err *e);
int record_lost(const struct record *rec, struct record_lost *l, struct err *e);
int record_switch(const struct record *rec, struct record_switch *s, struct err *e);
int record_ksymbol(const struct record *rec, struct record_ksymbol *k, struct err *e);
int record_read(const struct record *rec, struct record_read *r, struct err *e);
int record_namespaces(const struct record *rec, struct record_namespaces *n, struct err *e);
int record_bpf(const struct record *rec, struct record_bpf *b, struct err *e);
int record_cgroup(const struct record *rec, struct record_cgroup *c, struct err *e);
/* HEADER_BUILD_ID, and an entry of the feature. */
int record_build_id(const struct record *rec, struct perfdata_build_id *b, struct err *e);
int record_text_poke(const struct record *rec, struct record_text_poke *t, struct err *e);

/* ---- writing ---------------------------------------------------------------------------------------------------- */

struct perfdata_writer;

struct perfdata_writer_opts {
	int fd; /* seekable for a file; written forward only when pipe is set */
	bool pipe;
	int compress_level; /* 0 = off, 1..22 zstd */
	/*
	 * A pipe only, may be NULL: nothing could be written for @ms milliseconds; true ends the
	 * waiting, with -ETIMEDOUT.
	 */
	bool (*give_up)(void *ctx, unsigned ms);
	void *ctx;
	struct log_sink log; /* what is left out */
};

struct perfdata_writer_event {
	struct perf_event_attr attr;
	const char *name;
	const uint64_t *ids;
	size_t nr_ids;
	uint32_t leader;     /* idx of the group leader, own index when alone */
	uint32_t nr_members; /* group size when leader */
	const char *group;
};

/*
 * Writes header, ids and attrs (a file) or their records (a pipe). The header's data size follows
 * each flush: a killed recorder leaves a readable file. EVENT_DESC, GROUP_DESC and COMPRESSED are
 * written by the writer itself; all attrs get the smallest published size that holds what any of
 * them needs. In a pipe, features go out at once, as records: pass them before the data;
 * FEAT_BUILD_ID and FEAT_TRACING_DATA take their own forms there.
 */
int perfdata_writer_open(struct perfdata_writer **w, const struct perfdata_writer_opts *opts,
			 const struct perfdata_writer_event *events, size_t nr_events,
			 struct err *e);
/* Whole records, already in the host's byte order; two pieces, because a ring may wrap. */
int perfdata_writer_write(struct perfdata_writer *w, const void *a, size_t na, const void *b,
			  size_t nb, struct err *e);
/* Everything handed over so far is in the file (compressed frames are closed). */
int perfdata_writer_flush(struct perfdata_writer *w, struct err *e);
/* A feature's payload; order of calls does not matter. @data is copied. */
int perfdata_writer_feature(struct perfdata_writer *w, int id, const void *data, size_t size,
			    struct err *e);
uint64_t perfdata_writer_bytes(const struct perfdata_writer *w);      /* so far, as on disk */
uint64_t perfdata_writer_raw_bytes(const struct perfdata_writer *w);  /* before compression */
int perfdata_writer_finish(struct perfdata_writer *w, struct err *e); /* features, final header */
void perfdata_writer_free(struct perfdata_writer *w);

/* Payloads of features, to be passed to perfdata_writer_feature(): appended to @o (fd -1). */
void feature_put_string(struct obuf *o, const char *s);
void feature_put_u32(struct obuf *o, uint32_t v);
void feature_put_u64(struct obuf *o, uint64_t v);

#endif
