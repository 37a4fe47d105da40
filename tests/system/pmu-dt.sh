# SPDX-License-Identifier: GPL-2.0-or-later
# perf pmu-dt: the same answers from .dts, .dtb and a directory; each subcommand; errors.
. "$(dirname "$0")/../lib.sh"
need_cmd dtc python3
"$PERF" check feature -q libfdt || skip_all "built without libfdt"
DT=$ROOT/tests/data/dtpmu
unset PERF_PMU_DT

# A directory as /proc/device-tree has it: nodes are directories, properties files of raw cells.
unflatten() { # DTB DIR
	python3 - "$@" <<'P'
import os, struct, sys
b = open(sys.argv[1], 'rb').read()
_, _, off, stroff = struct.unpack('>4I', b[:16])
path = [sys.argv[2]]
while True:
    tok, = struct.unpack('>I', b[off:off + 4])
    off += 4
    if tok == 1:
        end = b.index(b'\0', off)
        path.append(b[off:end].decode())
        off = end // 4 * 4 + 4
        os.makedirs('/'.join(p for p in path if p), exist_ok=True)
    elif tok == 2:
        path.pop()
    elif tok == 3:
        n, s = struct.unpack('>2I', b[off:off + 8])
        name = b[stroff + s:b.index(b'\0', stroff + s)].decode()
        open('/'.join(p for p in path if p) + '/' + name, 'wb').write(b[off + 8:off + 8 + n])
        off += 8 + (n + 3) // 4 * 4
    elif tok == 9:
        break
P
}

# ---- three sources of one description
for tree in other power10-published; do
	dtc -q -I dts -O dtb -o "$TMP/$tree.dtb" "$DT/$tree-pmu.dts" || exit 1
done
unflatten "$TMP/power10-published.dtb" "$TMP/dir"
unflatten "$TMP/other.dtb" "$TMP/other.dir"
printf 'pmus\0' >"$TMP/dir/pmus/name" # a live tree has such files
for form in "$DT/power10-published-pmu.dts" "$TMP/power10-published.dtb" "$TMP/dir"; do
	"$PERF" pmu-dt show -j --pmu-dt "$form"
	"$PERF" pmu-dt lint -j --pmu-dt "$form"
	"$PERF" pmu-dt check -j --pmu-dt "$form" cycles instructions branches l3-data-hit
done >"$TMP/all"
is "dts, dtb and directory: show, lint and check are identical" \
	"$(head -3 "$TMP/all" | md5sum; sed -n 4,6p "$TMP/all" | md5sum)" \
	"$(sed -n 4,6p "$TMP/all" | md5sum; sed -n 7,9p "$TMP/all" | md5sum)"
is "... and of the other PMU" "$("$PERF" pmu-dt -j --pmu-dt "$TMP/other.dir")" \
	"$("$PERF" pmu-dt -j --pmu-dt "$DT/other-pmu.dts")"
is "the pmus directory itself will do" \
	"$("$PERF" pmu-dt -v --pmu-dt "$TMP/dir/pmus" | grep -v ^node)" \
	"$("$PERF" pmu-dt -v --pmu-dt "$TMP/dir" | grep -v ^node)"
ln -s . "$TMP/dir/pmus/loop"
check "a link that leads in circles is left alone" "$PERF" pmu-dt --pmu-dt "$TMP/dir"
is "every answer is JSON" "$(python3 -c '
import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$TMP/all" 2>&1)" ""

# ---- subcommands
PERF_PMU_DT=$DT/power10-pmu.dts
export PERF_PMU_DT
out=$("$PERF" pmu-dt -v)
like "show: capabilities" "$out" '^programmable counters: 4$'
like "show: registers" "$out" '^MMCRA +786 +64 +hv'
like "show: a field per counter" "$out" '^PMCxSEL +pmcxsel +config:0-7 +MMCR1\[32-8\*pmc\]'
like "show: conditions" "$out" '^RAND_SAMP_MODE .*MMCRA\[1-2\] +marked'
like "show: constraints" "$out" '^l1-qualifier +config>>20 & 0x3 +0xc00000 '
like "show -v: events" "$out" '^cycles +0x600f4 .*PM_CYC'
unlike "show: no events without -v" "$("$PERF" pmu-dt)" PM_CYC
like "decode" "$("$PERF" pmu-dt decode 0x600f4)" 'pmcxsel: 0xf4'
like "decode names the event" "$("$PERF" pmu-dt decode 0x600f4)" 'event: cycles'
is "decode and encode are each other's reverse" \
	"$("$PERF" pmu-dt encode -j "$("$PERF" pmu-dt decode -j 0xf23456789abcdef1 --config1 77 |
		python3 -c '
import json, sys
f = json.load(sys.stdin)["codes"][0]["fields"]
print(",".join(f"{k}={v}" for k, v in f.items()))')" | python3 -c '
import json, sys
c = json.load(sys.stdin)["codes"][0]; print(c["config"], c["config1"])')" "0xf23456789abcdef1 0x4d"
check_status "decode refuses bits that no field owns" 1 \
	"$PERF" pmu-dt decode --pmu-dt "$DT/power9-pmu.dts" 0x200
like "... and names them" "$("$PERF" pmu-dt decode --pmu-dt "$DT/power9-pmu.dts" 0x200 2>&1)" \
	'bits 0x200 of config 0x200 belong to no field'
check_status "encode refuses what does not fit" 1 "$PERF" pmu-dt encode pmc=16
check_status "check: a group that fits" 0 "$PERF" pmu-dt check cycles cycles-alt
check_status "check: one that does not" 1 "$PERF" pmu-dt check l3-data-hit l1-instruction-miss
like "... names both events and the constraint" \
	"$("$PERF" pmu-dt check l3-data-hit l1-instruction-miss)" \
	'event 1, l3-data-hit .*and event 2, l1-instruction-miss .*clash on PMC1'
check_status "check: reserved values are refused at open" 1 "$PERF" pmu-dt check rand_samp_mode=3
like "... and named" "$("$PERF" pmu-dt check rand_samp_mode=3)" 'refused: reserved sample-mode'
mmcr2() {
	"$PERF" pmu-dt check "$@" | sed -n 's/^ *MMCR2: //p'
}
is "check: bare metal excludes the kernel by FCH" "$(mmcr2 cycles-alt:u)" 0x200000000000000
is "check: a guest by FCS, and the hypervisor by FCH" "$(mmcr2 --guest cycles-alt:u)" \
	0x8200000000000000
# many groups in one run
verdicts() {
	"$PERF" pmu-dt check -j "$@" | python3 -c '
import json, sys
d = json.load(sys.stdin)
for g in d["groups"]: print(g.get("line", "-"), g["verdict"], len(g.get("events", [])))
print(d["groups checked"], d["groups refused"])'
}
is "check: each argument in braces is a group" \
	"$(verdicts '{cycles,instructions}' '{l3-data-hit,l1-instruction-miss}' '{nonsense}')" "- ok 2
- conflict 2
- invalid event 0
3 2"
cat >"$TMP/groups" <<'G'
# names, terms, modifiers
cycles instructions:u  # fixed counters

	{cpu_dts/pmcxsel=0xf4,pmc=6/u,cycles-alt}
l3-data-hit,l1-instruction-miss
cycles nonsense
G
is "check: an empty group" "$(verdicts '{}' '{,}')" "- invalid event 0
- invalid event 0
2 2"
is "check: the groups of a file" "$(verdicts --groups "$TMP/groups")" "2 ok 2
4 ok 2
5 conflict 2
6 invalid event 0
4 2"
is "... as of standard input" "$("$PERF" pmu-dt check --groups - <"$TMP/groups")" \
	"$("$PERF" pmu-dt check --groups "$TMP/groups")"
check_status "... the status says that some are refused" 1 "$PERF" pmu-dt check --groups "$TMP/groups"
check_status "... or none" 0 "$PERF" pmu-dt check '{cycles}' '{instructions}'
yes 'cycles cycles-alt' | head -20000 >"$TMP/groups"
like "check: 20,000 groups" "$("$PERF" pmu-dt check --groups "$TMP/groups" | tail -2 | tr '\n' ' ')" \
	'groups checked: 20000 groups refused: 0'
check_status "check: a file without groups" 1 "$PERF" pmu-dt check --groups /dev/null
check_status "check: a file that is not there" 1 "$PERF" pmu-dt check --groups "$TMP/nowhere"
check_status "--groups with events is a usage error" 129 "$PERF" pmu-dt check --groups "$TMP/groups" cycles
check_status "... as with decode" 129 "$PERF" pmu-dt decode --groups "$TMP/groups"
check_status "lint: a sound tree" 0 "$PERF" pmu-dt lint
check_status "lint: the published one" 1 "$PERF" pmu-dt lint --pmu-dt "$DT/power10-published-pmu.dts"

# ---- several PMUs, one of them off
cat >"$TMP/two.dts" <<'D'
/dts-v1/;
/ { pmus {
	a { compatible = "ibm,power-pmu"; nr_pmc = <2>; pmu-name = "first";
		evt_code_format { code { bits = <0 15>; }; };
		events { one { event_code = <1>; }; }; };
	b { compatible = "ibm,power-pmu"; nr_pmc = <4>; pmu-name = "off"; status = "disabled"; };
	c { compatible = "other", "ibm,power-pmu"; nr_pmc = <6>; pmu-name = "second"; status = "ok";
		evt_code_format { code { bits = <0 31>; }; };
		events { one { event_code = <0x10001>; }; }; };
	d { compatible = "ibm,pmus"; nr_pmc = <6>; pmu-name = "no PMU"; };
}; };
D
is "PMUs of one tree, those that are on" "$("$PERF" pmu-dt -j --pmu-dt "$TMP/two.dts" | python3 -c '
import json, sys
for p in json.load(sys.stdin)["pmus"]: print(p["pmu"], p["title"], p["counters"])')" "cpu_dts first 2
cpu_dts1 second 6"
is "... each with its own events" "$("$PERF" list --raw-dump --pmu-dt "$TMP/two.dts" 'cpu_dts*/one/')" \
	"cpu_dts/one/ cpu_dts1/one/ "
like "--pmu chooses" "$("$PERF" pmu-dt --pmu-dt "$TMP/two.dts" --pmu cpu_dts1 decode 0x10001)" 'event: one'
check_status "the other one has no such bits" 1 \
	"$PERF" pmu-dt --pmu-dt "$TMP/two.dts" --pmu cpu_dts decode 0x10001
check_status "--pmu of none" 1 "$PERF" pmu-dt --pmu-dt "$TMP/two.dts" --pmu cpu_dts2

# ---- recording: attrs are built and groups explained before the kernel is asked
refused='{cpu_dts/l3-data-hit/,cpu_dts/l1-instruction-miss/}'
check_status "record: a group that the hardware cannot count" 129 "$PERF" record \
	--pmu-dt "$DT/power10-pmu.dts" -e "$refused" -o "$TMP/x.data" true
like "... is explained" "$("$PERF" record -e "$refused" -o "$TMP/x.data" true 2>&1)" \
	'cannot be counted together on cpu_dts: event 1, l3-data-hit .* clash on PMC1'
like "record: an unknown event of the tree" \
	"$("$PERF" record -e cpu_dts/nonsense=1/ -o "$TMP/x.data" true 2>&1)" "unknown term 'nonsense'"
case $(uname -m) in
ppc*) skip "record: a tree of another machine" "this is a Power machine" ;;
*)
	"$PERF" record -e cpu_dts/cycles/ -o "$TMP/x.data" true >"$TMP/foreign" 2>&1
	is "record: a tree of another machine is refused" $? 1
	like "... and named" "$(cat "$TMP/foreign")" 'cpu_dts describes POWER10 PMU; this machine is'
	check "... nothing is recorded" test ! -e "$TMP/x.data"
	;;
esac
order() { # --pmu-dt before -e, and behind it
	(unset PERF_PMU_DT; "$PERF" record -o "$TMP/x.data" "$@" true 2>&1)
}
is "record: --pmu-dt may stand behind -e" "$(order -e "$refused" --pmu-dt="$DT/power10-pmu.dts")" \
	"$(order --pmu-dt "$DT/power10-pmu.dts" -e "$refused")"
like "... which is explained" "$(order -e "$refused" --pmu-dt "$DT/power10-pmu.dts")" 'clash on PMC1'

# ---- what list offers can be written
cat >"$TMP/odd.dts" <<'D'
/dts-v1/;
/ { pmus { a { compatible = "ibm,power-pmu"; nr_pmc = <2>; pmu-name = "odd"; isa = "3.1";
	cpu-version = "power10"; platform = "power10";
	evt_code_format {
		low { bits = <0 8>; };
		high { bits = <12 15>; };
		again { bits = <20 21>; format-name = "low"; };
		strange { bits = <22 23>; format-name = "a,b"; };
		event { bits = <24 25>; };
	}; }; }; };
D
offered() { # TREE: the terms that list offers, each with its largest value
	"$PERF" list --pmu-dt "$1" 2>/dev/null | sed -n 's,^  cpu_dts/\(.*\)/modifier.*,\1,p' |
		sed 's/=0\.\./=/g' | tr ',' '\n'
}
is "list: terms that encode takes" "$(offered "$TMP/odd.dts" | tr '\n' ' ')" \
	"event=0x3f0f1ff low=0x1ff high=15 bhrb ebb cache_sel=3 "
for tree in "$TMP/odd.dts" "$DT"/*.dts; do
	for term in $(offered "$tree"); do
		"$PERF" pmu-dt encode --pmu-dt "$tree" "$term" >/dev/null 2>"$TMP/err" ||
			echo "$tree: $term: $(head -1 "$TMP/err")"
	done
done >"$TMP/refused"
is "... of every tree" "$(cat "$TMP/refused")" ""

# ---- errors
check_status "an unknown subcommand is a usage error" 129 "$PERF" pmu-dt explode
check_status "decode without a code is one too" 129 "$PERF" pmu-dt decode
check_status "no such tree" 1 "$PERF" pmu-dt --pmu-dt "$TMP/nowhere"
head -c 700 "$TMP/other.dtb" >"$TMP/cut.dtb"
like "a cut blob" "$("$PERF" pmu-dt --pmu-dt "$TMP/cut.dtb" 2>&1)" 'not a sound flattened device tree'
# The version of the format below 16, where names were whole paths.
python3 -c 'import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[20:28] = bytes([0, 0, 0, 15] * 2)
open(sys.argv[2], "wb").write(b)' "$TMP/other.dtb" "$TMP/v15.dtb"
for verb in show lint 'check cycles'; do
	# shellcheck disable=SC2086
	like "a blob of version 15 is refused by ${verb%% *}" \
		"$("$PERF" pmu-dt $verb --pmu-dt "$TMP/v15.dtb" 2>&1)" 'tree of version 15; 16 is the oldest'
done
like "... and by list" "$("$PERF" list --pmu-dt "$TMP/v15.dtb" 2>&1)" 'tree of version 15; 16 is the oldest'
printf '/dts-v1/;\n/ { oops' >"$TMP/bad.dts"
like "a source that dtc refuses" "$("$PERF" pmu-dt --pmu-dt "$TMP/bad.dts" 2>&1)" 'dtc does not compile'
printf '/dts-v1/;\n/ { a = <1>; };' >"$TMP/no.dts"
like "a tree without PMUs says what one looks like" \
	"$("$PERF" pmu-dt --pmu-dt "$TMP/no.dts" 2>&1)" 'compatible = "ibm,power-pmu"'
mkdir -p "$TMP/bin"
like "without dtc it says so" "$(PATH=$TMP/bin "$PERF" pmu-dt 2>&1)" 'Install dtc'
printf '/dts-v1/;\n/ { pmus { p { compatible = "ibm,power-pmu"; nr_pmc = <2>; pmu-name = "a\\x1b[31mb"; }; }; };' \
	>"$TMP/esc.dts"
unlike "control bytes of a tree do not reach the terminal" \
	"$("$PERF" pmu-dt --pmu-dt "$TMP/esc.dts" | tr '\033' '@')" '@'
done_testing
