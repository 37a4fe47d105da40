#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tools/deps.sh on machines that are not this one: dpkg, apt and sudo are played by scripts that
# keep the list of what is installed, know the packages that a file names, and log their calls.
. "$(dirname "$0")/../lib.sh"
[ -e "$ROOT/tools/deps.sh" ] || skip_all "the sources are not here"

B=$TMP/bin
mkdir "$B"
for c in sh grep mkdir rm cat printf env tr; do
	ln -s "$(command -v $c)" "$B/$c"
done
out=$(cd "$TMP" && PATH=$B sh "$ROOT/tools/deps.sh" 2>&1)
like "another system: the list" "$out" 'not a Debian system'
all=$(echo "$out" | sed 1d | tr ' ' '\n')
like "with everything" "$(echo "$all" | wc -l)" '^ *[2-9][0-9]$'
play() {
	cat >"$B/$1"
	chmod +x "$B/$1"
}
play dpkg-query <<EOF
#!/bin/sh
for p; do :; done
grep -qxF "\$p" "$TMP/installed" && echo 'install ok installed'
EOF
play apt-cache <<EOF
#!/bin/sh
! grep -qxF "\$2" "$TMP/unknown"
EOF
play apt-get <<EOF
#!/bin/sh
echo "\${DEBIAN_FRONTEND:-asks} \$*" >>"$TMP/log"
case "\$*" in *install*) ;; *) exit 0 ;; esac
for p; do
	case \$p in -* | *::* | install) continue ;; esac
	! grep -qxF "\$p" "$TMP/broken" || exit 100
done
for p; do
	case \$p in -* | *::* | install) continue ;; esac
	echo "\$p" >>"$TMP/installed"
done
EOF
echo 'echo "$UID_NOW"' | play id
# deps UID [ARG...]: what was said, and on the last line the status
deps() {
	UID_NOW=$1
	shift
	: >"$TMP/log"
	(
		cd "$TMP" && UID_NOW=$UID_NOW PATH=$B sh "$ROOT/tools/deps.sh" out "$@" 2>&1
		echo "status $?"
	)
}
world() {
	rm -rf "$TMP/out"
	echo "$all" >"$TMP/installed"
	: >"$TMP/unknown"
	: >"$TMP/broken"
	for p; do
		grep -vxF "$p" "$TMP/installed" >"$TMP/less"
		mv "$TMP/less" "$TMP/installed"
	done
}

world
is "nothing is missing: silence" "$(deps 0)" "status 0"
is "and no call of apt" "$(cat "$TMP/log")" ""

world gdb libdw-dev
like "packages are installed" "$(deps 0)" 'status 0'
like "both of them" "$(sort "$TMP/installed" | tr '\n' ' ')" ' gdb .* libdw-dev '
unlike "no question is asked" "$(cat "$TMP/log")" '^asks'

world gdb libdw-dev
deps 0 build >"$TMP/said"
is "for a build alone what tests need is not installed" "$(grep -c gdb "$TMP/log")" 0
like "but the libraries" "$(cat "$TMP/installed")" '^libdw-dev$'

world linux-perf gdb valgrind
echo linux-perf >"$TMP/unknown"
echo valgrind >"$TMP/broken"
out=$(deps 0)
like "a package that apt does not know, one that fails: no error" "$out" '^status 0$'
like "they are named" "$out" 'not installed: (linux-perf valgrind|valgrind linux-perf)'
like "the others are installed" "$(cat "$TMP/installed")" '^gdb$'
is "and they are not tried each time" "$(deps 0)" "status 0"

world gcc
echo gcc >"$TMP/unknown"
like "nothing works without a compiler" "$(deps 0)" 'nothing works without: gcc'
like "that is an error" "$(deps 0)" '^status 1$'

world gdb
out=$(deps 1000)
like "no root, no sudo, enough is there: no error" "$out" '^status 0$'
like "what to type is said" "$out" 'apt-get install gdb'
world libcmocka-dev
like "no root, no sudo, too little is there: an error" "$(deps 1000)" '^status 1$'
like "a build alone does without" "$(deps 1000 build)" '^status 0$'

# sudo as it is by default: it takes the environment away.
play sudo <<EOF
#!/bin/sh
echo sudo >>"$TMP/sudo"
exec env -i PATH="$B" "\$@"
EOF
world gdb
like "with sudo" "$(deps 1000)" '^status 0$'
check "it was called" test -s "$TMP/sudo"
like "it is installed" "$(cat "$TMP/installed")" '^gdb$'
unlike "no question is asked behind sudo either" "$(cat "$TMP/log")" '^asks'
done_testing
