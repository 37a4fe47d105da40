/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * The perf_event ABI as we state it ourselves, so that building needs no kernel newer than the
 * one the file comes from. Sources: perf_event_open(2), the SIMD series v8 (attr size 176), and
 * the perf.data format (perf.data(5) in this project). Never include <linux/perf_event.h>.
 */
#ifndef PERF_UAPI_PERF_EVENT_H
#define PERF_UAPI_PERF_EVENT_H

#include <stdint.h>

enum perf_type_id {
	PERF_TYPE_HARDWARE = 0,
	PERF_TYPE_SOFTWARE = 1,
	PERF_TYPE_TRACEPOINT = 2,
	PERF_TYPE_HW_CACHE = 3,
	PERF_TYPE_RAW = 4,
	PERF_TYPE_BREAKPOINT = 5,
	PERF_TYPE_MAX = 6, /* larger: a PMU's number from its sysfs `type` file */
};

/* For HARDWARE and HW_CACHE the upper half of config may name a PMU (hybrid CPUs). */
#define PERF_PMU_TYPE_SHIFT 32

enum perf_hw_id {
	PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CACHE_REFERENCES,
	PERF_COUNT_HW_CACHE_MISSES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_MISSES,
	PERF_COUNT_HW_BUS_CYCLES,
	PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	PERF_COUNT_HW_REF_CPU_CYCLES,
	PERF_COUNT_HW_MAX,
};

enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK,
	PERF_COUNT_SW_TASK_CLOCK,
	PERF_COUNT_SW_PAGE_FAULTS,
	PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_CPU_MIGRATIONS,
	PERF_COUNT_SW_PAGE_FAULTS_MIN,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	PERF_COUNT_SW_ALIGNMENT_FAULTS,
	PERF_COUNT_SW_EMULATION_FAULTS,
	PERF_COUNT_SW_DUMMY,
	PERF_COUNT_SW_BPF_OUTPUT,
	PERF_COUNT_SW_CGROUP_SWITCHES,
	PERF_COUNT_SW_MAX,
};

enum perf_event_sample_format {
	PERF_SAMPLE_IP = 1U << 0,
	PERF_SAMPLE_TID = 1U << 1,
	PERF_SAMPLE_TIME = 1U << 2,
	PERF_SAMPLE_ADDR = 1U << 3,
	PERF_SAMPLE_READ = 1U << 4,
	PERF_SAMPLE_CALLCHAIN = 1U << 5,
	PERF_SAMPLE_ID = 1U << 6,
	PERF_SAMPLE_CPU = 1U << 7,
	PERF_SAMPLE_PERIOD = 1U << 8,
	PERF_SAMPLE_STREAM_ID = 1U << 9,
	PERF_SAMPLE_RAW = 1U << 10,
	PERF_SAMPLE_BRANCH_STACK = 1U << 11,
	PERF_SAMPLE_REGS_USER = 1U << 12,
	PERF_SAMPLE_STACK_USER = 1U << 13,
	PERF_SAMPLE_WEIGHT = 1U << 14,
	PERF_SAMPLE_DATA_SRC = 1U << 15,
	PERF_SAMPLE_IDENTIFIER = 1U << 16,
	PERF_SAMPLE_TRANSACTION = 1U << 17,
	PERF_SAMPLE_REGS_INTR = 1U << 18,
	PERF_SAMPLE_PHYS_ADDR = 1U << 19,
	PERF_SAMPLE_AUX = 1U << 20,
	PERF_SAMPLE_CGROUP = 1U << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE = 1U << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE = 1U << 23,
	PERF_SAMPLE_WEIGHT_STRUCT = 1U << 24,
	PERF_SAMPLE_MAX = 1U << 25,
};

#define PERF_SAMPLE_WEIGHT_TYPE (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)

enum perf_branch_sample_type {
	PERF_SAMPLE_BRANCH_USER = 1U << 0,
	PERF_SAMPLE_BRANCH_KERNEL = 1U << 1,
	PERF_SAMPLE_BRANCH_HV = 1U << 2,
	PERF_SAMPLE_BRANCH_ANY = 1U << 3,
	PERF_SAMPLE_BRANCH_ANY_CALL = 1U << 4,
	PERF_SAMPLE_BRANCH_ANY_RETURN = 1U << 5,
	PERF_SAMPLE_BRANCH_IND_CALL = 1U << 6,
	PERF_SAMPLE_BRANCH_ABORT_TX = 1U << 7,
	PERF_SAMPLE_BRANCH_IN_TX = 1U << 8,
	PERF_SAMPLE_BRANCH_NO_TX = 1U << 9,
	PERF_SAMPLE_BRANCH_COND = 1U << 10,
	PERF_SAMPLE_BRANCH_CALL_STACK = 1U << 11,
	PERF_SAMPLE_BRANCH_IND_JUMP = 1U << 12,
	PERF_SAMPLE_BRANCH_CALL = 1U << 13,
	PERF_SAMPLE_BRANCH_NO_FLAGS = 1U << 14,
	PERF_SAMPLE_BRANCH_NO_CYCLES = 1U << 15,
	PERF_SAMPLE_BRANCH_TYPE_SAVE = 1U << 16,
	PERF_SAMPLE_BRANCH_HW_INDEX = 1U << 17,
	PERF_SAMPLE_BRANCH_PRIV_SAVE = 1U << 18,
	PERF_SAMPLE_BRANCH_COUNTERS = 1U << 19,
	PERF_SAMPLE_BRANCH_MAX = 1U << 20,
};

#define PERF_SAMPLE_BRANCH_PLM_ALL \
	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

/* The word that opens a register block: width, and a flag from the SIMD series on. */
enum perf_sample_regs_abi {
	PERF_SAMPLE_REGS_ABI_NONE = 0,
	PERF_SAMPLE_REGS_ABI_32 = 1 << 0,
	PERF_SAMPLE_REGS_ABI_64 = 1 << 1,
	PERF_SAMPLE_REGS_ABI_SIMD = 1 << 2,
};

enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED = 1U << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING = 1U << 1,
	PERF_FORMAT_ID = 1U << 2,
	PERF_FORMAT_GROUP = 1U << 3,
	PERF_FORMAT_LOST = 1U << 4,
	PERF_FORMAT_MAX = 1U << 5,
};

#define PERF_ATTR_SIZE_VER0  64
#define PERF_ATTR_SIZE_VER1  72	 /* config2 */
#define PERF_ATTR_SIZE_VER2  80	 /* branch_sample_type */
#define PERF_ATTR_SIZE_VER3  96	 /* sample_regs_user, sample_stack_user */
#define PERF_ATTR_SIZE_VER4  104 /* sample_regs_intr */
#define PERF_ATTR_SIZE_VER5  112 /* aux_watermark, sample_max_stack */
#define PERF_ATTR_SIZE_VER6  120 /* aux_sample_size */
#define PERF_ATTR_SIZE_VER7  128 /* sig_data */
#define PERF_ATTR_SIZE_VER8  136 /* config3 */
#define PERF_ATTR_SIZE_VER9  144 /* config4 */
#define PERF_ATTR_SIZE_VER10 176 /* sample_simd_* */

/*
 * struct perf_event_attr in host byte order. The 64 flag bits are one word here, bit numbers as
 * a little-endian kernel counts them (ATTR_FLAG_*): perfdata converts when a file is foreign,
 * sys_perf_event_open() when the host is big-endian.
 */
struct perf_event_attr {
	uint32_t type;
	uint32_t size;
	uint64_t config;
	union {
		uint64_t sample_period;
		uint64_t sample_freq;
	};
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags; /* ATTR_FLAG_* */
	union {
		uint32_t wakeup_events;
		uint32_t wakeup_watermark;
	};
	uint32_t bp_type;
	union {
		uint64_t bp_addr;
		uint64_t config1;
	};
	union {
		uint64_t bp_len;
		uint64_t config2;
	};
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint16_t reserved_2;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3;
	uint64_t config4;
	uint16_t sample_simd_regs_enabled;
	uint16_t sample_simd_pred_reg_qwords;
	uint16_t sample_simd_vec_reg_qwords;
	uint16_t reserved_4;
	uint32_t sample_simd_pred_reg_intr;
	uint32_t sample_simd_pred_reg_user;
	uint64_t sample_simd_vec_reg_intr;
	uint64_t sample_simd_vec_reg_user;
};

_Static_assert(sizeof(struct perf_event_attr) == PERF_ATTR_SIZE_VER10, "attr layout");

#define ATTR_FLAG_DISABLED		   (1ULL << 0)
#define ATTR_FLAG_INHERIT		   (1ULL << 1)
#define ATTR_FLAG_PINNED		   (1ULL << 2)
#define ATTR_FLAG_EXCLUSIVE		   (1ULL << 3)
#define ATTR_FLAG_EXCLUDE_USER		   (1ULL << 4)
#define ATTR_FLAG_EXCLUDE_KERNEL	   (1ULL << 5)
#define ATTR_FLAG_EXCLUDE_HV		   (1ULL << 6)
#define ATTR_FLAG_EXCLUDE_IDLE		   (1ULL << 7)
#define ATTR_FLAG_MMAP			   (1ULL << 8)
#define ATTR_FLAG_COMM			   (1ULL << 9)
#define ATTR_FLAG_FREQ			   (1ULL << 10)
#define ATTR_FLAG_INHERIT_STAT		   (1ULL << 11)
#define ATTR_FLAG_ENABLE_ON_EXEC	   (1ULL << 12)
#define ATTR_FLAG_TASK			   (1ULL << 13)
#define ATTR_FLAG_WATERMARK		   (1ULL << 14)
#define ATTR_FLAG_PRECISE_SHIFT		   15
#define ATTR_FLAG_PRECISE_MASK		   (3ULL << ATTR_FLAG_PRECISE_SHIFT)
#define ATTR_FLAG_MMAP_DATA		   (1ULL << 17)
#define ATTR_FLAG_SAMPLE_ID_ALL		   (1ULL << 18)
#define ATTR_FLAG_EXCLUDE_HOST		   (1ULL << 19)
#define ATTR_FLAG_EXCLUDE_GUEST		   (1ULL << 20)
#define ATTR_FLAG_EXCLUDE_CALLCHAIN_KERNEL (1ULL << 21)
#define ATTR_FLAG_EXCLUDE_CALLCHAIN_USER   (1ULL << 22)
#define ATTR_FLAG_MMAP2			   (1ULL << 23)
#define ATTR_FLAG_COMM_EXEC		   (1ULL << 24)
#define ATTR_FLAG_USE_CLOCKID		   (1ULL << 25)
#define ATTR_FLAG_CONTEXT_SWITCH	   (1ULL << 26)
#define ATTR_FLAG_WRITE_BACKWARD	   (1ULL << 27)
#define ATTR_FLAG_NAMESPACES		   (1ULL << 28)
#define ATTR_FLAG_KSYMBOL		   (1ULL << 29)
#define ATTR_FLAG_BPF_EVENT		   (1ULL << 30)
#define ATTR_FLAG_AUX_OUTPUT		   (1ULL << 31)
#define ATTR_FLAG_CGROUP		   (1ULL << 32)
#define ATTR_FLAG_TEXT_POKE		   (1ULL << 33)
#define ATTR_FLAG_BUILD_ID		   (1ULL << 34)
#define ATTR_FLAG_INHERIT_THREAD	   (1ULL << 35)
#define ATTR_FLAG_REMOVE_ON_EXEC	   (1ULL << 36)
#define ATTR_FLAG_SIGTRAP		   (1ULL << 37)
#define ATTR_FLAG_DEFER_CALLCHAIN	   (1ULL << 38)
#define ATTR_FLAG_DEFER_OUTPUT		   (1ULL << 39)

#define PERF_EVENT_OPEN_FLAG_FD_NO_GROUP (1UL << 0)
#define PERF_EVENT_OPEN_FLAG_FD_OUTPUT	 (1UL << 1)
#define PERF_EVENT_OPEN_FLAG_PID_CGROUP	 (1UL << 2)
#define PERF_EVENT_OPEN_FLAG_FD_CLOEXEC	 (1UL << 3)

struct perf_event_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

#define PERF_RECORD_MISC_CPUMODE_MASK	 7
#define PERF_RECORD_MISC_CPUMODE_UNKNOWN 0
#define PERF_RECORD_MISC_KERNEL		 1
#define PERF_RECORD_MISC_USER		 2
#define PERF_RECORD_MISC_HYPERVISOR	 3
#define PERF_RECORD_MISC_GUEST_KERNEL	 4
#define PERF_RECORD_MISC_GUEST_USER	 5

#define PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT (1 << 12)
#define PERF_RECORD_MISC_MMAP_DATA		(1 << 13) /* MMAP, MMAP2 */
#define PERF_RECORD_MISC_COMM_EXEC		(1 << 13) /* COMM */
#define PERF_RECORD_MISC_FORK_EXEC		(1 << 13) /* FORK, perf's own */
#define PERF_RECORD_MISC_SWITCH_OUT		(1 << 13) /* SWITCH* */
#define PERF_RECORD_MISC_EXACT_IP		(1 << 14) /* SAMPLE */
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT	(1 << 14) /* SWITCH* */
#define PERF_RECORD_MISC_MMAP_BUILD_ID		(1 << 14) /* MMAP2 */
#define PERF_RECORD_MISC_EXT_RESERVED		(1 << 15) /* BUILD_ID: size byte valid */
#define PERF_RECORD_MISC_LOST_SAMPLES_BPF	(1 << 15) /* LOST_SAMPLES, perf's own: a filter's */

enum perf_record_type {
	PERF_RECORD_MMAP = 1,
	PERF_RECORD_LOST = 2,
	PERF_RECORD_COMM = 3,
	PERF_RECORD_EXIT = 4,
	PERF_RECORD_THROTTLE = 5,
	PERF_RECORD_UNTHROTTLE = 6,
	PERF_RECORD_FORK = 7,
	PERF_RECORD_READ = 8,
	PERF_RECORD_SAMPLE = 9,
	PERF_RECORD_MMAP2 = 10,
	PERF_RECORD_AUX = 11,
	PERF_RECORD_ITRACE_START = 12,
	PERF_RECORD_LOST_SAMPLES = 13,
	PERF_RECORD_SWITCH = 14,
	PERF_RECORD_SWITCH_CPU_WIDE = 15,
	PERF_RECORD_NAMESPACES = 16,
	PERF_RECORD_KSYMBOL = 17,
	PERF_RECORD_BPF_EVENT = 18,
	PERF_RECORD_CGROUP = 19,
	PERF_RECORD_TEXT_POKE = 20,
	PERF_RECORD_AUX_OUTPUT_HW_ID = 21,
	PERF_RECORD_CALLCHAIN_DEFERRED = 22,
	PERF_RECORD_KERNEL_MAX,

	/* Written by the tool, not by the kernel. */
	PERF_RECORD_USER_TYPE_START = 64,
	PERF_RECORD_HEADER_ATTR = 64,
	PERF_RECORD_HEADER_EVENT_TYPE = 65,
	PERF_RECORD_HEADER_TRACING_DATA = 66,
	PERF_RECORD_HEADER_BUILD_ID = 67,
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_ID_INDEX = 69,
	PERF_RECORD_AUXTRACE_INFO = 70,
	PERF_RECORD_AUXTRACE = 71,
	PERF_RECORD_AUXTRACE_ERROR = 72,
	PERF_RECORD_THREAD_MAP = 73,
	PERF_RECORD_CPU_MAP = 74,
	PERF_RECORD_STAT_CONFIG = 75,
	PERF_RECORD_STAT = 76,
	PERF_RECORD_STAT_ROUND = 77,
	PERF_RECORD_EVENT_UPDATE = 78,
	PERF_RECORD_TIME_CONV = 79,
	PERF_RECORD_HEADER_FEATURE = 80,
	PERF_RECORD_COMPRESSED = 81,
	PERF_RECORD_FINISHED_INIT = 82,
	PERF_RECORD_COMPRESSED2 = 83,
	PERF_RECORD_BPF_METADATA = 84,
	PERF_RECORD_SCHEDSTAT_CPU = 85,
	PERF_RECORD_SCHEDSTAT_DOMAIN = 86,
	PERF_RECORD_USER_MAX,
};

/* Markers inside a callchain: what follows was running in ... Everything above -4095 is one. */
#define PERF_CONTEXT_HV		   ((uint64_t)-32)
#define PERF_CONTEXT_KERNEL	   ((uint64_t)-128)
#define PERF_CONTEXT_USER	   ((uint64_t)-512)
#define PERF_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PERF_CONTEXT_GUEST	   ((uint64_t)-2048)
#define PERF_CONTEXT_GUEST_KERNEL  ((uint64_t)-2176)
#define PERF_CONTEXT_GUEST_USER	   ((uint64_t)-2560)
#define PERF_CONTEXT_MAX	   ((uint64_t)-4095)

/* The first page of a ring, by offset; see perf_event_open(2). */
struct perf_event_mmap_page {
	uint32_t version;
	uint32_t compat_version;
	uint32_t lock;
	uint32_t index;
	int64_t offset;
	uint64_t time_enabled;
	uint64_t time_running;
	uint64_t capabilities;
	uint16_t pmc_width;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_offset;
	uint64_t time_zero;
	uint32_t size;
	uint32_t reserved_1;
	uint64_t time_cycles;
	uint64_t time_mask;
	uint8_t reserved[116 * 8];
	uint64_t data_head;
	uint64_t data_tail;
	uint64_t data_offset;
	uint64_t data_size;
	uint64_t aux_head;
	uint64_t aux_tail;
	uint64_t aux_offset;
	uint64_t aux_size;
};

_Static_assert(__builtin_offsetof(struct perf_event_mmap_page, data_head) == 1024, "mmap page");

/* ioctl() on an event's descriptor; who calls it includes <sys/ioctl.h>. */
#define PERF_EVENT_IOC_ENABLE		 _IO('$', 0)
#define PERF_EVENT_IOC_DISABLE		 _IO('$', 1)
#define PERF_EVENT_IOC_REFRESH		 _IO('$', 2)
#define PERF_EVENT_IOC_PERIOD		 _IOW('$', 4, uint64_t)
#define PERF_EVENT_IOC_SET_OUTPUT	 _IO('$', 5)
#define PERF_EVENT_IOC_SET_FILTER	 _IOW('$', 6, char *)
#define PERF_EVENT_IOC_ID		 _IOR('$', 7, uint64_t *)
#define PERF_EVENT_IOC_PAUSE_OUTPUT	 _IOW('$', 9, uint32_t)
#define PERF_EVENT_IOC_MODIFY_ATTRIBUTES _IOW('$', 11, struct perf_event_attr *)

#endif
