# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings made by hand: the one writer of perf.data for tests that are scripts.

A test says what is in a recording; here is how that lies in a file. Written from perf.data(5) and
perf_event_open(2) alone, nothing of the code under test is used, so that a mistake in its reader
does not show up here as well. Names are those of the ABI without their prefixes.

	r = Recording(Attr(sample_type=IP | TID | TIME, flags='comm mmap sample_id_all'))
	r.comm(10, 'name')
	r.mmap(10, 0x400000, 0x1000, 0, '/bin/x')
	r.sample(ip=0x400010, pid=10)
	r.features[ARCH] = r.string('x86_64')
	r.write('perf.data')			# or r.write_pipe(PATH), compress=True with either

What is not said is 0, a tid is the pid, and a time is the one after the last record's. What no
writer would write goes in as bytes: record() takes any type, misc, body and size, put() the same
without a trailer, raw() whatever one likes; Attr(size=) has any size, and count= in a sample
belies its branches.
"""
import struct

M64 = (1 << 64) - 1

# PERF_RECORD_*
(MMAP, LOST, COMM, EXIT, THROTTLE, UNTHROTTLE, FORK, READ_COUNTERS, SAMPLE, MMAP2, AUX_DATA,
 ITRACE_START, LOST_SAMPLES, SWITCH, SWITCH_CPU_WIDE, NAMESPACES, KSYMBOL, BPF_EVENT, CGROUP_NAME,
 TEXT_POKE, AUX_OUTPUT_HW_ID, CALLCHAIN_DEFERRED) = range(1, 23)
HEADER_ATTR, HEADER_EVENT_TYPE, HEADER_TRACING_DATA, FINISHED_ROUND = 64, 65, 66, 68
HEADER_FEATURE, COMPRESSED, COMPRESSED2 = 80, 81, 83

# PERF_RECORD_MISC_*
KERNEL, USER, HYPERVISOR, GUEST_KERNEL, GUEST_USER = range(1, 6)
MMAP_DATA = COMM_EXEC = SWITCH_OUT = 1 << 13
MMAP_BUILD_ID = 1 << 14

# PERF_SAMPLE_*
(IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH_STACK, REGS_USER,
 STACK_USER, WEIGHT, DATA_SRC, IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR, AUX, CGROUP,
 DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT) = (1 << n for n in range(25))

FORMAT_ID, FORMAT_GROUP = 4, 8  # PERF_FORMAT_*

# PERF_SAMPLE_BRANCH_*
(BRANCH_USER, BRANCH_KERNEL, BRANCH_HV, BRANCH_ANY, BRANCH_ANY_CALL, BRANCH_ANY_RETURN,
 BRANCH_IND_CALL, BRANCH_ABORT_TX, BRANCH_IN_TX, BRANCH_NO_TX, BRANCH_COND, BRANCH_CALL_STACK,
 BRANCH_IND_JUMP, BRANCH_CALL, BRANCH_NO_FLAGS, BRANCH_NO_CYCLES, BRANCH_TYPE_SAVE,
 BRANCH_HW_INDEX, BRANCH_PRIV_SAVE, BRANCH_COUNTERS) = (1 << n for n in range(20))

# PERF_CONTEXT_*: markers in call chains
CONTEXT_KERNEL, CONTEXT_USER, CONTEXT_USER_DEFERRED = (M64 + 1 - n for n in (128, 512, 640))

ABI_32, ABI_64, ABI_SIMD = 1, 2, 4  # PERF_SAMPLE_REGS_ABI_*
PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4
MAP_PRIVATE = 2
TYPE_HARDWARE, TYPE_SOFTWARE, TYPE_TRACEPOINT, TYPE_HW_CACHE, TYPE_RAW = range(5)  # PERF_TYPE_*

# Features: sections behind the data
TRACING_DATA, BUILD_ID, HOSTNAME, OSRELEASE, VERSION, ARCH, NRCPUS = range(1, 8)
CMDLINE, EVENT_DESC, HAS_BRANCH_STACK, GROUP_DESC, FEAT_COMPRESSED, CPU_PMU_CAPS = 11, 12, 15, 17, 27, 28

HEADER_SIZE, PIPE_HEADER_SIZE, STRING_ALIGN = 104, 16, 64
COMP_ZSTD = 1

FLAGS = ('disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle mmap '
         'comm freq inherit_stat enable_on_exec task watermark precise_ip_0 precise_ip_1 mmap_data '
         'sample_id_all exclude_host exclude_guest exclude_callchain_kernel exclude_callchain_user '
         'mmap2 comm_exec use_clockid context_switch write_backward namespaces ksymbol bpf_event '
         'aux_output cgroup text_poke build_id inherit_thread remove_on_exec sigtrap '
         'defer_callchain defer_output').split()

# struct perf_event_attr: 176 bytes of which older kernels know fewer
ATTR = [('type', 'I'), ('size', 'I'), ('config', 'Q'), ('sample_period', 'Q'), ('sample_type', 'Q'),
        ('read_format', 'Q'), ('flags', 'Q'), ('wakeup_events', 'I'), ('bp_type', 'I'),
        ('config1', 'Q'), ('config2', 'Q'), ('branch_sample_type', 'Q'), ('sample_regs_user', 'Q'),
        ('sample_stack_user', 'I'), ('clockid', 'i'), ('sample_regs_intr', 'Q'),
        ('aux_watermark', 'I'), ('sample_max_stack', 'H'), ('reserved_2', 'H'),
        ('aux_sample_size', 'I'), ('aux_action', 'I'), ('sig_data', 'Q'), ('config3', 'Q'),
        ('config4', 'Q'), ('simd_regs_enabled', 'H'), ('simd_pred_reg_qwords', 'H'),
        ('simd_vec_reg_qwords', 'H'), ('reserved_4', 'H'), ('simd_pred_reg_intr', 'I'),
        ('simd_pred_reg_user', 'I'), ('simd_vec_reg_intr', 'Q'), ('simd_vec_reg_user', 'Q')]
ATTR_FORMAT = ''.join(code for _, code in ATTR)

# A branch's flags, from the lowest bit up in little-endian files, from the highest down in others.
BRANCH_FLAGS = (('mispred', 1), ('predicted', 1), ('in_tx', 1), ('abort', 1), ('cycles', 16),
                ('type', 4), ('spec', 2), ('new_type', 4), ('priv', 3), ('not_taken', 1))


def bit_field(fields, values, big):
    """@values of a 64-bit word's (name, width) @fields as a compiler of that byte order lays them."""
    word = at = 0
    for name, width in fields:
        value = values.get(name, 0) & (1 << width) - 1
        word |= value << (64 - at - width if big else at)
        at += width
    return word


class Attr:
    """One event: fields by the ABI's names, flags by name; ids of its counters."""

    def __init__(self, *, size=112, flags='', ids=(), **fields):
        self.size, self.ids = size, tuple(ids)
        self.fields = dict(type=TYPE_HARDWARE, sample_period=100000)
        self.fields.update(fields, size=size)
        self.flags = {name: 1 for name in flags.split()}
        unknown = set(fields) - {name for name, _ in ATTR} | set(self.flags) - set(FLAGS)
        assert not unknown, unknown

    def __getattr__(self, name):
        return self.__dict__['fields'].get(name, 0)

    def bytes(self, big):
        fields = dict(self.fields, flags=bit_field([(n, 1) for n in FLAGS], self.flags, big))
        b = struct.pack(('>' if big else '<') + ATTR_FORMAT, *(fields.get(n, 0) for n, _ in ATTR))
        return b[:self.size].ljust(self.size, b'\0')


# A sample's fields in the order of the ABI: (bit, format, values) where they have one size, and
# (bit, method) where they do not. None: always 0.
FIXED_HEAD = ((IDENTIFIER, 'Q', ('id',)), (IP, 'Q', ('ip',)), (TID, 'ii', ('pid', 'tid')),
              (TIME, 'Q', ('time',)), (ADDR, 'Q', ('addr',)), (ID, 'Q', ('id',)),
              (STREAM_ID, 'Q', ('stream_id',)), (CPU, 'II', ('cpu', None)),
              (PERIOD, 'Q', ('period',)))
FIXED_MIDDLE = ((WEIGHT, 'Q', ('weight',)), (WEIGHT_STRUCT, 'IHH', ('weight', 'weight2', 'weight3')),
                (DATA_SRC, 'Q', ('data_src',)), (TRANSACTION, 'Q', ('transaction',)))
FIXED_TAIL = ((PHYS_ADDR, 'Q', ('phys_addr',)), (CGROUP, 'Q', ('cgroup',)),
              (DATA_PAGE_SIZE, 'Q', ('data_page_size',)), (CODE_PAGE_SIZE, 'Q', ('code_page_size',)))
# What stands behind records that are no samples, with sample_id_all.
TRAILER = ((TID, 'ii', ('pid', 'tid')), (TIME, 'Q', ('time',)), (ID, 'Q', ('id',)),
           (STREAM_ID, 'Q', ('stream_id',)), (CPU, 'II', ('cpu', None)),
           (IDENTIFIER, 'Q', ('id',)))


class Recording:
    def __init__(self, *attrs, big=False, time=0, step=1):
        self.attrs, self.big, self.order = attrs, big, '>' if big else '<'
        self.time, self.step = time, step
        self.features, self.out, self.structs = {}, [], {}

    # ---- bytes

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def words(self, *values):
        return struct.pack('%s%dQ' % (self.order, len(values)), *[v & M64 for v in values])

    @staticmethod
    def text(s):
        """A NUL-terminated string of a record, filled up to eight bytes."""
        s = (s.encode() if isinstance(s, str) else s) + b'\0'
        return s + b'\0' * (-len(s) % 8)

    def string(self, s):
        """A string of a feature: its size, then itself and a NUL, filled up."""
        s = s.encode() + b'\0'
        s += b'\0' * (-len(s) % STRING_ALIGN)
        return self.pack('I', len(s)) + s

    def caps(self, **caps):
        return self.pack('I', len(caps)) + b''.join(
            self.string(str(s)) for pair in caps.items() for s in pair)

    def fixed(self, table, attr, values):
        key = table, attr.sample_type
        if key not in self.structs:
            rows = [row for row in table if attr.sample_type & row[0]]
            self.structs[key] = (struct.Struct(self.order + ''.join(row[1] for row in rows)),
                                 [name for row in rows for name in row[2]])
        form, names = self.structs[key]
        return form.pack(*[values.get(name, 0) for name in names])

    # ---- records

    def raw(self, b):
        self.out.append(b)

    def header(self, kind, body):
        return self.pack('IHH', kind, 0, 8 + len(body)) + body

    def put(self, kind, misc, body, size=None):
        """A record and nothing behind it; its size is told as @size."""
        self.out.append(self.pack('IHH', kind, misc, 8 + len(body) if size is None else size) + body)

    def record(self, kind, misc, body, *, size=None, attr=None, **values):
        """Any of the kernel's records but samples; @values are those of its trailer."""
        attr = attr or self.attrs[0]
        self.stamp(values)
        if 'sample_id_all' in attr.flags:
            body += self.fixed(TRAILER, attr, values)
        self.put(kind, misc, body, size)

    def stamp(self, values):
        values.setdefault('pid', 0)
        values.setdefault('tid', values['pid'])
        if 'time' not in values:
            values['time'] = self.time
            self.time += self.step

    def comm(self, pid, name, *, tid=None, misc=0, **values):
        tid = pid if tid is None else tid
        self.record(COMM, misc, self.pack('ii', pid, tid) + self.text(name), pid=pid, tid=tid, **values)

    def mmap(self, pid, start, length, pgoff, name, *, tid=None, misc=USER, **values):
        tid = pid if tid is None else tid
        self.record(MMAP, misc, self.pack('iiQQQ', pid, tid, start, length, pgoff) + self.text(name),
                    pid=pid, tid=tid, **values)

    def mmap2(self, pid, start, length, pgoff, name, *, prot=PROT_READ | PROT_EXEC, maj=8, min=1,
              ino=123, build_id=None, misc=USER, **values):
        """@build_id, bytes, takes the place of the numbers of the file."""
        if build_id is None:
            who = self.pack('IIQQ', maj, min, ino, 0)
        else:
            who = self.pack('B3x20s', len(build_id), build_id)
            misc |= MMAP_BUILD_ID
        self.record(MMAP2, misc, self.pack('iiQQQ', pid, pid, start, length, pgoff) + who +
                    self.pack('II', prot, MAP_PRIVATE) + self.text(name), pid=pid, **values)

    def task(self, kind, pid, ppid, *, tid=None, ptid=None, **values):
        """FORK and EXIT."""
        values['pid'], values['tid'] = pid, pid if tid is None else tid
        self.stamp(values)
        body = self.pack('iiiiQ', pid, ppid, values['tid'], ppid if ptid is None else ptid,
                         values['time'])
        self.record(kind, 0, body, **values)

    def switch(self, pid, tid, leaves, **values):
        self.record(SWITCH, SWITCH_OUT if leaves else 0, b'', pid=pid, tid=tid, **values)

    def callchain_deferred(self, pid, tid, cookie, chain, misc=USER, **values):
        self.record(CALLCHAIN_DEFERRED, misc, self.words(cookie, len(chain), *chain), pid=pid, tid=tid,
                    **values)

    def sample(self, *, misc=USER, attr=None, **values):
        attr = attr or self.attrs[0]
        kind = attr.sample_type
        self.stamp(values)
        b = self.fixed(FIXED_HEAD, attr, values)
        if kind & READ:
            b += self.words(*values['read'])
        if kind & CALLCHAIN:
            chain = values.get('chain', ())
            b += self.words(len(chain), *chain)
        if kind & RAW:
            raw = values.get('raw', b'')
            b += self.pack('I', len(raw)) + raw
        if kind & BRANCH_STACK:
            b += self.branch_stack(attr, values)
        if kind & REGS_USER:
            b += self.registers(values.get('regs_user'))
        if kind & STACK_USER:
            stack = values.get('stack', b'')
            b += self.words(len(stack)) + (stack + self.words(len(stack)) if stack else b'')
        b += self.fixed(FIXED_MIDDLE, attr, values)
        if kind & REGS_INTR:
            b += self.registers(values.get('regs_intr'))
        b += self.fixed(FIXED_TAIL, attr, values)
        self.put(SAMPLE, misc, b)

    def branch_stack(self, attr, values):
        """branches=[{'from':, 'to':, 'predicted': 1 ...}], or flags as the word they are."""
        branches = values.get('branches', ())
        b = self.words(values.get('count', len(branches)))
        if attr.branch_sample_type & BRANCH_HW_INDEX:
            b += self.words(values.get('hw_idx', 0))
        for e in branches:
            flags = e['flags'] if 'flags' in e else bit_field(BRANCH_FLAGS, e, self.big)
            b += self.words(e.get('from', 0), e.get('to', 0), flags)
        if attr.branch_sample_type & BRANCH_COUNTERS:
            b += self.words(*[e.get('counter', 0) for e in branches])
        return b

    def registers(self, regs):
        """dict(abi=, gprs=[], vec=[[qword ...] ...], pred=[[qword] ...]); their qwords where there
        are none of them: vec_qwords=, pred_qwords=."""
        if not regs or not regs['abi']:
            return self.words(0)
        b = self.words(regs['abi'], *regs['gprs'])
        if regs['abi'] & ABI_SIMD:
            parts = [(regs.get(name, ()), regs.get(name + '_qwords')) for name in ('vec', 'pred')]
            for rows, qwords in parts:
                b += self.words(len(rows), len(rows[0]) if rows and qwords is None else qwords or 0)
            for rows, _ in parts:
                b += b''.join(self.words(*row) for row in rows)
        return b

    # ---- files

    def packed(self, version=2):
        """The records in zstd frames that are not compressed: blocks may be raw (RFC 8878, 3.1.1)."""
        data, room = b''.join(self.out), 32768
        for at in range(0, len(data), room):
            piece = data[at:at + room]
            block = (len(piece) << 3 | 1).to_bytes(3, 'little')  # the last block, raw
            frame = b'\x28\xb5\x2f\xfd' + b'\xa0' + len(piece).to_bytes(4, 'little') + block + piece
            if version == 1:
                yield self.pack('IHH', COMPRESSED, 0, 8 + len(frame)) + frame
            else:
                fill = -len(frame) % 8
                yield self.pack('IHHQ', COMPRESSED2, 0, 16 + len(frame) + fill, len(frame)) + \
                    frame + b'\0' * fill

    def compressed_feature(self):
        return self.pack('5I', 1, COMP_ZSTD, 1, 1, 1 << 19)

    def write(self, path, *, compress=0):
        """A file: header, ids, attrs, data, features. @compress: 1 or 2, by which record."""
        data = b''.join(self.packed(compress) if compress else self.out)
        if compress:
            self.features[FEAT_COMPRESSED] = self.compressed_feature()
        ids = b''
        attrs = b''
        for a in self.attrs:
            where = HEADER_SIZE + len(ids) if a.ids else 0
            attrs += a.bytes(self.big) + self.words(where, 8 * len(a.ids))
            ids += self.words(*a.ids)
        entry = self.attrs[0].size + 16
        attrs_at = HEADER_SIZE + len(ids)
        data_at = attrs_at + len(attrs)
        pos = data_at + len(data) + 16 * len(self.features)
        bits, table, payload = 0, b'', b''
        for number, b in sorted(self.features.items()):
            table += self.words(pos, len(b))
            payload += b
            pos += len(b)
            bits |= 1 << number
        with open(path, 'wb') as f:
            f.write(self.magic() + self.words(HEADER_SIZE, entry, attrs_at, len(attrs), data_at, len(data),
                                              0, 0, *(bits >> 64 * i for i in range(4))))
            f.write(ids + attrs + data + table + payload)

    def magic(self):
        return b'2ELIFREP' if self.big else b'PERFILE2'

    def pipe_head(self, *, compress=0):
        """What comes before the records of a stream."""
        b = self.magic() + self.words(PIPE_HEADER_SIZE)
        b += b''.join(self.header(HEADER_ATTR, a.bytes(self.big) + self.words(*a.ids))
                      for a in self.attrs)
        features = dict(self.features)
        if compress:
            features[FEAT_COMPRESSED] = self.compressed_feature()
        for number, body in sorted(features.items()):
            b += self.header(HEADER_FEATURE, self.words(number) + body)
        return b

    def write_pipe(self, path, *, compress=0):
        """The same as a stream, where headers are records."""
        with open(path, 'wb') as f:
            f.write(self.pipe_head(compress=compress))
            f.writelines(self.packed(compress) if compress else self.out)


class Parts:
    """A little-endian recording of any writer, cut up: header, attrs as (bytes, ids), data, features."""

    def __init__(self, path):
        with open(path, 'rb') as f:
            b = self.bytes = f.read()
        entry, at, size, self.data_at, self.data_size = struct.unpack_from('<5Q', b, 16)
        self.data = b[self.data_at:self.data_at + self.data_size]
        self.attrs, self.features = [], {}
        for a in range(at, at + size, entry):
            ids_at, ids_size = struct.unpack_from('<2Q', b, a + entry - 16)
            self.attrs.append((b[a:a + entry - 16], b[ids_at:ids_at + ids_size]))
        bits, section = int.from_bytes(b[72:104], 'little'), self.data_at + self.data_size
        for number in range(256):
            if bits >> number & 1:
                off, length = struct.unpack_from('<2Q', b, section)
                self.features[number] = b[off:off + length]
                section += 16

    def records(self):
        """(type, where it begins in the file, its bytes)"""
        at = 0
        while at < len(self.data):
            kind, _, size = struct.unpack_from('<IHH', self.data, at)
            yield kind, self.data_at + at, self.data[at:at + size]
            at += size


def segments(path):
    """What a program header says of each part of an ELF file (64 bits, little endian) that is
    loaded: (flags, offset, vaddr, size in the file). None for other files."""
    with open(path, 'rb') as f:
        elf = f.read(64)
        if len(elf) < 64 or elf[:6] != b'\x7fELF\2\1':
            return None
        phoff, = struct.unpack_from('<Q', elf, 32)
        size, number = struct.unpack_from('<HH', elf, 54)
        f.seek(phoff)
        table = f.read(size * number)
    out = []
    for i in range(number):
        kind, flags, offset, vaddr, _, filesz = struct.unpack_from('<IIQQQQ', table, i * size)
        if kind == 1 and filesz:  # PT_LOAD
            out.append((flags, offset, vaddr, filesz))
    return out
