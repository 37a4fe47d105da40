#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""simd-files.py PERF SHARED TMP: TAP for simd-files.sh. The files of SHARED/fixtures/simd, and
more made here by SHARED/tools/mkperfdata.py."""
import glob, importlib.util, json, os, re, subprocess, sys

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


spec = importlib.util.spec_from_file_location('mk', os.path.join(shared, 'tools/mkperfdata.py'))
mk = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mk)
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
        kw = dict(kw, big=big)
        blob, attr = mk.simd_case(len(files), **kw)
        path = os.path.join(tmp, f'{name}{"-big-endian" if big else ""}.perf.data')
        open(path, 'wb').write(blob)
        files.append((path, attr))
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
    st = mk.IP | mk.TID | mk.TIME | mk.PERIOD | mk.REGS_INTR
    simd = dict(enabled=1, vec_qwords=8, pred_qwords=1, pred_intr=0xff, pred_user=0,
                vec_intr=0xffffffff, vec_user=0)
    a = mk.attr(False, sample_type=st, simd=simd, flags_on=('disabled', 'mmap', 'comm'))
    data = []
    for i, (live, mask) in enumerate(((0, 0), (2, 0xffff), (4, 0x40), (8, 0x5), (8, 1 << 63))):
        vec = [[0] * 8 for _ in range(32)]
        if live:
            vec[17][live - 1] = 1 << 63
        block = dict(abi=6, gprs=[], vec=vec, pred=[[0x123]] + [[mask]] + [[0]] * 6)
        data.append(mk.sample(False, st, dict(ip=16 * i, pid=1, tid=1, time=i + 1, period=1,
                                              iregs=block)))
    open(path, 'wb').write(mk.perf_data(False, [a], [[7]], data, events=['cycles']))


path = os.path.join(tmp, 'keys.perf.data')
keys_file(path)
_, text, err = output('report', '--stdio', '-q', '-t', '|', '-s', 'simd_width,simd_upper,opmask',
                      '-i', path)
got = sorted(tuple(c.strip() for c in l.split('|')) for l in text.split('\n') if '%' in l)
want = sorted([('20.00%', 'none', 'N', 'all zeros'), ('20.00%', '128', 'N', 'all ones'),
               ('20.00%', '256', 'Y', 'one-hot'), ('20.00%', '512', 'Y', 'partial'),
               ('20.00%', '512', 'Y', 'one-hot')])
for key, values in (('reg:ax', {'N/A'}), ('reg:zmm17[3]', {'0x8000000000000000', '0x' + 16 * '0'}),
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
    st = mk.IP | mk.TID | mk.TIME | mk.PERIOD | mk.REGS_INTR
    a = mk.attr(big, sample_type=st, regs_intr=1 | 0xffffffff << 32, flags_on=('disabled', 'mmap', 'comm'))
    data = []
    for i, value in enumerate((0, 5)):
        halves = [0] * 32
        halves[7] = value
        data.append(mk.sample(big, st, dict(ip=16 * i, pid=1, tid=1, time=i + 1, period=1,
                                            iregs=dict(abi=2, gprs=[0x77] + halves, vec=[], pred=[]))))
    open(path, 'wb').write(mk.perf_data(big, [a], [[7]], data, events=['cycles']))


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
           0, r'100.00%\| *2 *\| *0.0% *\| *0.0% *\| *50.0% *\| *50.0% *\| *N/A *\|')
    expect('... simd_width, reg:xmm3', ('report', '-q', '--stdio', '-t', '|', '-i', path, '-s',
                                        'simd_width,simd_upper,reg:xmm3.i64[1]'), 0, r'50.00% *\|128 *\|N/A *\|5 *$')
path = os.path.join(tmp, 'keys.perf.data')
for reg, why in (('zmm40', 'no such register.*\nThey are zmm0 to zmm31'), ('zmm3.f64[8]', r'has no lane \[8\]'),
                 ('zmm3.f64[9]', r'has no lane \[9\]\nIts lanes of 64 bits are \[0\] to \[7\]'),
                 ('xmm3.i32[4]', r'has no lane \[4\]'), ('k1[1]', r'has no lane \[1\]\nIt is one of 64 bits'),
                 ('ax.i8[8]', r'has no lane')):
    expect(f'report -s reg:{reg} is refused', ('report', '-i', path, '-s', 'reg:' + reg), 129, why, err=True)
expect('the last lane is one', ('report', '-q', '-i', path, '-s', 'reg:zmm17.f64[7]'), 0, r'-0')
expect('script --regs zmm40 is refused', ('script', '-F', 'simd', '--regs', 'zmm40', '-i', path), 255,
       'there is no register "zmm40"', err=True)
print(f'1..{nr}')
sys.exit(failed != 0)
