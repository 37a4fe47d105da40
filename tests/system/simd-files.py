#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""simd-files.py PERF SHARED TMP: TAP for simd-files.sh. Files made here, of random values in
register blocks of every kind, and those of SHARED/fixtures/simd, where there are any."""
import glob, json, os, random, re, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../helpers'))
from perfdata import *

perf, shared, tmp = sys.argv[1:]
GPR = 'AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS'.split() + \
      [f'R{i}' for i in range(8, 32)] + ['SSP']
CLASS = {2: 'XMM', 4: 'YMM', 8: 'ZMM'}


def block(attr, side, regs):
    """The texts of one register block as a list of (name, value)."""
    if not regs['abi']:
        return []
    mask = attr['regs_' + side]
    names = [GPR[i] for i in range(64) if mask >> i & 1]
    out = list(zip(names, regs['gprs']))
    for i, reg in enumerate(regs['vec']):
        out += [(f'{CLASS[len(reg)]}[{i}][{k}]', v) for k, v in enumerate(reg)]
    out += [(f'OPMASK[{i}]', reg[0]) for i, reg in enumerate(regs['pred'])]
    return out


def output(*args):
    run = subprocess.run([perf, *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def check_dump(attr, path):
    status, text, err = output('report', '-D', '-i', path)
    if status:
        return f'exit {status}: {err}'
    samples = re.split(r'^[^\n]*PERF_RECORD_SAMPLE', text, flags=re.M)[1:]
    if len(samples) != len(attr['samples']):
        return f'{len(samples)} samples of {len(attr["samples"])}'
    for got, sample in zip(samples, attr['samples']):
        got = got.split(' ... thread')[0]
        if sample.get('branches') is not None and f'nr:{len(sample["branches"])}' not in got:
            return 'branch stack'
        want = [p for key, side in (('uregs', 'user'), ('iregs', 'intr')) if key in sample
                for p in block(attr, side, sample[key])]
        have = [(n, int(v, 16)) for n, v in re.findall(r'^\.{4} (\S+) +0x([0-9a-f]{16})$', got, re.M)]
        if have != want:
            return f'registers differ: {have[:3]} ... wanted {want[:3]} ...'
    return None


def check_script(attr, path):
    fields = 'ip' + ''.join(',' + k for k, s in (('iregs', 'intr'), ('uregs', 'user'))
                            if k in attr['samples'][0])
    status, text, err = output('script', '-F', fields, '-i', path)
    if status:
        return f'exit {status}: {err}'
    # Nothing is printed for a sample without registers.
    samples = [s for s in attr['samples']
               if any(s[k]['abi'] for k in ('iregs', 'uregs') if k in s)]
    lines = [l for l in text.split('\n') if 'ABI:' in l]
    if len(lines) != len(samples):
        return f'{len(lines)} lines for {len(samples)} samples'
    for line, sample in zip(lines, samples):
        want = [p for key, side in (('iregs', 'intr'), ('uregs', 'user')) if key in sample
                for p in block(attr, side, sample[key])]
        have = [(n, int(v, 16)) for n, v in re.findall(r'(\S+):0x([0-9a-f]+) ', line)]
        if have != want:
            return f'registers differ: {have[:3]} ... wanted {want[:3]} ...'
    return None


class Case:
    """A recording of blocks on one side or both, and what a reader must show of them."""

    def __init__(self, seed, big=False, attr_size=176, *, vec_qw=8, vec_mask=0xffffffff, pred_mask=0xff,
                 gpr=0x18001010003, subset=None, n=4, zero_abi_every=0, with_branches=False, both=None,
                 bits32=False):
        self.rnd, self.vec_qw, self.subset, self.zero = random.Random(seed), vec_qw, subset, zero_abi_every
        self.abi = (ABI_32 if bits32 else ABI_64) | ABI_SIMD
        # side -> (general registers, vectors, predicates)
        self.sides = {'intr': (gpr, vec_mask, pred_mask)}
        if both:
            self.sides['user'] = (both['gpr'], both['vec_mask'], both['pred_mask'])
        fields = {}
        for side, (gprs, vec, pred) in self.sides.items():
            fields.update({'sample_regs_' + side: gprs, f'simd_vec_reg_{side}': vec,
                           f'simd_pred_reg_{side}': pred})
        vec, pred = (any(masks[i] for masks in self.sides.values()) for i in (1, 2))
        stacks = BRANCH_USER | BRANCH_ANY | BRANCH_HW_INDEX if with_branches else 0
        self.r = Recording(Attr(
            size=attr_size, ids=(7,), flags='disabled mmap comm sample_id_all', simd_regs_enabled=1,
            simd_vec_reg_qwords=vec_qw * vec, simd_pred_reg_qwords=int(pred),
            sample_type=IP | TID | TIME | ADDR | ID | PERIOD | REGS_INTR |
            (REGS_USER if both else 0) | (BRANCH_STACK if with_branches else 0),
            branch_sample_type=stacks, **fields), big=big, time=10 ** 9, step=1000)
        self.r.comm(100, 'simd', id=7)
        self.r.mmap(100, 0x400000, 0x10000, 0, '/fixture/simd', id=7)
        self.attr = {f'regs_{side}': masks[0] for side, masks in self.sides.items()}
        self.attr['samples'] = [self.sample(i, with_branches) for i in range(n)]
        self.r.features[ARCH] = self.r.string('x86_64')

    def block(self, gprs, vec, pred, i):
        if self.zero and i % self.zero == self.zero - 1:
            return dict(abi=0)
        number = lambda: self.rnd.getrandbits(64)
        nr_vec, nr_pred = bin(vec).count('1'), bin(pred).count('1')
        if self.subset is not None:
            nr_vec, nr_pred = min(nr_vec, self.subset[0]), min(nr_pred, self.subset[1])
        return dict(abi=self.abi, gprs=[number() for _ in range(bin(gprs).count('1'))],
                    vec=[[number() for _ in range(self.vec_qw)] for _ in range(nr_vec)],
                    pred=[[number()] for _ in range(nr_pred)])

    def sample(self, i, with_branches):
        blocks = {side: self.block(*masks, i) for side, masks in self.sides.items()}
        branches = [{'from': 0x400100 + 32 * k, 'to': 0x400000 + 16 * k, 'predicted': k & 1,
                     'mispred': k & 1 ^ 1, 'cycles': k * 3 + 1, 'type': 1 + k % 9, 'spec': k % 4,
                     'priv': k % 4} for k in range(8)] if with_branches else None
        self.r.sample(ip=0x400000 + 16 * i, pid=100, id=7, period=100000, branches=branches or (),
                      hw_idx=5, **{'regs_' + side: b for side, b in blocks.items()})
        shown = {side[0] + 'regs': b for side, b in blocks.items()}
        return dict(shown, branches=branches) if with_branches else shown


files = []
for path in sorted(glob.glob(os.path.join(shared, 'fixtures/simd/*.perf.data'))):
    files.append((path, json.load(open(path.replace('.perf.data', '.json')))))
user_side = dict(vec_mask=0xffffffff, pred_mask=0, gpr=0xff0fff)
for name, kw in {
    'fewer': dict(subset=(7, 3)), 'none': dict(subset=(0, 0)), 'zero-abi': dict(zero_abi_every=2),
    '32-bit': dict(bits32=True), 'branches': dict(with_branches=True), 'both': dict(both=user_side),
    'larger-attr': dict(attr_size=184), 'opmask-only': dict(vec_mask=0, vec_qw=8),
    'apx-only': dict(vec_mask=0, pred_mask=0, gpr=0x1ffff000000), 'many': dict(n=200),
}.items():
    for big in (False, True):
        case = Case(len(files), big, **kw)
        path = os.path.join(tmp, f'{name}{"-big-endian" if big else ""}.perf.data')
        case.r.write(path)
        files.append((path, case.attr))
nr = failed = 0
for path, attr in files:
    for what, check in (('report -D', check_dump), ('script', check_script)):
        nr += 1
        why = check(attr, path)
        failed += why is not None
        print(f'{"not ok" if why else "ok"} {nr} - {os.path.basename(path)}: {what}')
        if why:
            print('# ' + why.replace('\n', '\n# '))


def keys_file(path):
    """Samples whose vectors live up to bit 0, 128, 256, 512, with masks of each kind."""
    r = Recording(Attr(size=176, sample_type=IP | TID | TIME | PERIOD | REGS_INTR, ids=(7,),
                       flags='disabled mmap comm', simd_regs_enabled=1, simd_vec_reg_qwords=8,
                       simd_pred_reg_qwords=1, simd_pred_reg_intr=0xff, simd_vec_reg_intr=0xffffffff),
                  time=1)
    r.features[ARCH] = r.string('x86_64')
    for i, (live, mask) in enumerate(((0, 0), (2, 0xffff), (4, 0x40), (8, 0x5), (8, 1 << 63))):
        vec = [[0] * 8 for _ in range(32)]
        if live:
            vec[17][live - 1] = 1 << 63
        block = dict(abi=ABI_64 | ABI_SIMD, gprs=[], vec=vec, pred=[[0x123]] + [[mask]] + [[0]] * 6)
        r.sample(ip=16 * i, pid=1, period=1, regs_intr=block)
    r.write(path)


path = os.path.join(tmp, 'keys.perf.data')
keys_file(path)
_, text, err = output('report', '--stdio', '-q', '-t', '|', '-s', 'simd_width,simd_upper,opmask',
                      '-i', path)
got = sorted(tuple(c.strip() for c in l.split('|')) for l in text.split('\n') if '%' in l)
want = sorted([('20.00%', 'none', 'N', 'all zeros'), ('20.00%', '128', 'N', 'all ones'),
               ('20.00%', '256', 'Y', 'one-hot'), ('20.00%', '512', 'Y', 'partial'),
               ('20.00%', '512', 'Y', 'one-hot')])
for key, values in (('reg:zmm17[3]', {'0x8000000000000000', '0x' + 16 * '0'}),
                    ('reg:zmm17.i8[63]', {'-128', '0'}),
                    ('reg:k1', {f'0x{m:016x}' for m in (0, 0xffff, 0x40, 5, 1 << 63)})):
    _, text, err2 = output('report', '--stdio', '-q', '-t', '|', '-s', key, '-i', path)
    have = {l.split('|')[1].strip() for l in text.split('\n') if '%' in l}
    _, hidden, _ = output('report', '--stdio', '-q', '--redact', '-s', key, '-i', path)
    nr += 1
    fine = have == values and not any(v in hidden for v in values if len(v) > 4)
    failed += not fine
    print(f'{"ok" if fine else "not ok"} {nr} - report -s {key}')
    if not fine:
        print(f'# {have} {err2} {hidden}')
nr += 1
print(f'{"ok" if got == want else "not ok"} {nr} - report sorts by live width, upper halves, masks')
if got != want:
    failed += 1
    print(f'# {got}\n# {err}')


def legacy_file(path, big):
    """XMM registers by the ABI before the series: two of the general registers' bits each."""
    r = Recording(Attr(size=176, sample_type=IP | TID | TIME | PERIOD | REGS_INTR, ids=(7,),
                       flags='disabled mmap comm', sample_regs_intr=1 | 0xffffffff << 32), big=big, time=1)
    r.features[ARCH] = r.string('x86_64')
    for i, value in enumerate((0, 5)):
        halves = [0] * 32
        halves[7] = value
        r.sample(ip=16 * i, pid=1, period=1, regs_intr=dict(abi=ABI_64, gprs=[0x77] + halves))
    r.write(path)


def expect(name, args, status, pattern, err=False):
    global nr, failed
    nr += 1
    got = output(*args)
    fine = got[0] == status and re.search(pattern, got[2 if err else 1], re.M)
    failed += not fine
    print(f'{"ok" if fine else "not ok"} {nr} - {name}')
    if not fine:
        print('# ' + repr(got))


for big in (False, True):
    path = os.path.join(tmp, f'legacy-{big}.perf.data')
    legacy_file(path, big)
    which = 'big-endian' if big else 'little-endian'
    expect(f'XMM of the legacy ABI, {which}: script -F simd', ('script', '-F', 'simd', '-i', path), 0,
           r'XMM3 +0x0{16} 0x0{15}5\n\tintr XMM4-15 +initial state')
    expect('... as JSON', ('script', '--json', '-F', 'simd', '--regs', 'xmm3', '--lanes', 'i64', '-i', path),
           0, r'"xmm":\{"3":\[0,5\]')
    expect('... report --simd', ('report', '--simd', '-q', '--stdio', '-t', '|', '-s', 'comm', '-i', path),
           0, r'100.00%\| *2 *\| *N/A *\| *N/A *\| *50.0% *\| *50.0% *\| *N/A *\|')
    expect('... simd_width, reg:xmm3', ('report', '-q', '--stdio', '-t', '|', '-i', path, '-s',
                                        'simd_width,simd_upper,reg:xmm3.i64[1]'), 0, r'50.00% *\|128 *\|N/A *\|5 *$')
path = os.path.join(tmp, 'keys.perf.data')
for reg, why in (('zmm40', 'no such register.*\nThey are zmm0 to zmm31'), ('zmm3.f64[8]', r'has no lane \[8\]'),
                 ('zmm3.f64[9]', r'has no lane \[9\]\nIts lanes of 64 bits are \[0\] to \[7\]'),
                 ('xmm3.i32[4]', r'has no lane \[4\]'), ('k1[1]', r'has no lane \[1\]\nIt is one of 64 bits'),
                 ('ax.i8[8]', r'has no lane'),
                 ('ax', r'ax: no event of this recording has it\nThere are ZMM0-31, OPMASK0-7')):
    expect(f'report -s reg:{reg} is refused', ('report', '-i', path, '-s', 'reg:' + reg), 129, why, err=True)
expect('the last lane is one', ('report', '-q', '-i', path, '-s', 'reg:zmm17.f64[7]'), 0, r'-0')
expect('script --regs zmm40 is refused', ('script', '-F', 'simd', '--regs', 'zmm40', '-i', path), 129,
       'there is no register "zmm40"', err=True)
print(f'1..{nr}')
sys.exit(failed != 0)
