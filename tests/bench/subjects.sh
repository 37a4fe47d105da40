# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that the benches of optimizers build, and a load of some seconds for each: from Debian's source packages, and "clang"
# from its static libraries (libclang-19-dev, llvm-19-dev, libpolly-19-dev), for what needs no more than to link it.
# Sourced with $here (this directory). What is written lies in a directory of its own, the working directory from here on.
#
#	NAME_SRC=DIR	the unpacked source of one (LUA_SRC, BZIP2_SRC); otherwise `apt-get source` is tried
#	KEEP=DIR	everything is made in DIR and stays there; what DIR has already is only timed. So one machine can
#			make the programs and another, quiet one time them: it needs Python and no compiler.

subjects="lua bzip2"

if [ -n "${KEEP:-}" ]; then
	dir=$KEEP/$(basename "$0")
	mkdir -p "$dir"
else
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
cd "$dir"
mkdir -p bin
ln -sf "$O/perf" bin/perf # the optimizers' tools run it
PATH=$PWD/bin:$PATH
export PATH

# subject_times NAME: make_all NAME, which makes programs of it and prints NAME=PROGRAM for each, then their times
# in turn, also in the file `times`. Nothing after a failure: not for conditions, where `set -e` is off.
subject_times() {
	if [ ! -s "$1.programs" ]; then
		make_all "$1" >programs.new
		mv programs.new "$1.programs"
	fi
	# shellcheck disable=SC2046 # a list
	python3 "$here/in-turn.py" "$(basename "$0"): $1:" "$ROUNDS" "$(subject_load "$1")" $(cat "$1.programs") >times
	cat times
}

# subject_get NAME: its source, and what its load reads
subject_get() {
	case $1 in
	clang) # functions, no two alike
		for n in 250 4000; do
			perl -e 'print "int g[4096];\n"; for my $i (0 .. $ARGV[0] - 1) { my $m = $i + 3; my $s = $i % 7;
				my $call = $i ? " + f" . ($i - 1) . "(b, a & 15)" : "";
				print "int f$i(int a, int b)\n{\n\tfor (int k = $s; k < b; k++) {\n",
					"\t\tif (g[a & 4095] > k * $i)\n\t\t\ta += g[(a ^ k) & 4095] % $m;\n",
					"\t\telse\n\t\t\tg[k & 4095] = a - $i;\n\t\tswitch (a & 3) {\n\t\tcase 0: a += $i; break;\n",
					"\t\tcase 1: b -= k; break;\n\t\tdefault: a ^= b;\n\t\t}\n\t}\n\treturn a$call;\n}\n"; }' \
				$n >functions-$n.c
		done
		llvm=$(llvm-config-19 --prefix 2>/dev/null || true)
		[ -e "$llvm/lib/libclangCodeGen.a" ] && [ -e "$llvm/lib/libPolly.a" ] || {
			echo "$(basename "$0"): no libraries of clang 19 (Debian: libclang-19-dev llvm-19-dev libpolly-19-dev)" >&2
			exit 1
		}
		return
		;;
	lua) package=lua5.4 upper=LUA_SRC below=/src ;;
	bzip2) package=bzip2 upper=BZIP2_SRC below= ;;
	*)
		echo "$(basename "$0"): no program $1: there are $subjects" >&2
		exit 1
		;;
	esac
	eval "src_$1=\${$upper:-}"
	eval "[ -n \"\$src_$1\" ]" || {
		apt-get source -qq --download-only $package >/dev/null 2>&1 && mkdir -p "$1.d" &&
			tar xf ${package}_*.orig.tar.* -C "$1.d" --strip-components=1 || {
			echo "$(basename "$0"): no source of $1: set $upper, or add deb-src lines for apt" >&2
			exit 1
		}
		eval "src_$1=\$PWD/$1.d$below"
	}
	case $1 in
	lua) cp "$here/load.lua" . ;;
	bzip2) # text, tables of numbers, and what cannot be compressed
		perl -e 'srand 7; my @w = map { join "", map { chr 97 + int rand 26 } 1 .. 2 + rand 8 } 1 .. 4000;
			for my $i (1 .. 120000) { print join(" ", map { $w[int(rand() ** 3 * @w)] } 1 .. 12), "\n";
				printf "%d,%d,%.4f\n", $i, $i * 7919 % 100003, $i / 7 if $i % 3 == 0;
				print pack "L*", map { int rand 2 ** 32 } 1 .. 8 if $i % 9 == 0; }' >load.bin
		;;
	esac
}

# subject_build NAME OUTPUT COMPILER OPTION...
subject_build() {
	subject=$1 output=$2
	shift 2
	# shellcheck disable=SC2046,SC2154,SC2012 # names of sources have no spaces; src_NAME comes by eval
	case $subject in
	clang) "$@" -w -fno-rtti $(llvm-config-19 --cppflags) "$here/cc1.cpp" -o "$output" -L"$llvm/lib" -Wl,--start-group \
		$(ls "$llvm"/lib/libclang[A-Z]*.a | grep -vE 'Apply|Change|Daemon|Doc|Include|Interp|Move|Query|Reorder|Tidy') \
		$(llvm-config-19 --link-static --libs x86codegen x86asmparser passes coverage lto option frontenddriver \
			frontendhlsl frontendoffloading frontendopenmp windowsdriver) -Wl,--end-group -lz -lzstd -lstdc++ -lm ;;
	lua) "$@" -w -DLUA_USE_POSIX -o "$output" \
		$(ls "$src_lua"/*.c | grep -vE '/(luac|onelua|ltests)\.c$') -lm -ldl ;;
	bzip2) "$@" -w -D_FILE_OFFSET_BITS=64 -o "$output" \
		$(ls "$src_bzip2"/*.c | grep -E '/(bzip2|blocksort|huffman|crctable|randtable|(de)?compress|bzlib)\.c$') ;;
	esac
}

# subject_load NAME: the arguments of its load
subject_load() {
	case $1 in
	clang) echo "-triple x86_64-pc-linux-gnu -O2 -o - functions-250.c" ;;
	lua) echo load.lua ;;
	bzip2) echo -k -c load.bin ;;
	esac
}

# subject_train NAME: those of the load that is profiled. It is longer: of half a second a sampler misses what is executed now and then, which
# BOLT takes for cold.
subject_train() {
	case $1 in
	clang) subject_load clang | sed 's/250/4000/' ;;
	lua) echo load.lua 36 ;;
	bzip2) echo -k -c load.bin load.bin load.bin load.bin load.bin load.bin ;;
	esac
}
