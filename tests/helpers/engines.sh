# SPDX-License-Identifier: GPL-2.0-or-later
# For tests that want real engines, sourced by sh behind lib.sh: on 127.0.0.1, on free ports, in $TMP; they end with the
# test, also when it is killed (setpriv --pdeathsig where there is one; else by the trap, and by tests/run).
#
#	need_clickhouse			# or skips the whole file
#	clickhouse_start A 'secret'	# HTTP at port $A_http, data in $TMP/A
#	clickhouse_stop A
#	own_mounts "$0"			# the suite once more, where mounts end with it
#	small_disk DIR SIZE && ...	# a file system of its own, for one that is full
#	postgresql_start 'secret'	# at port $pg_port, user perf, database perf; PG_DISK=SIZE: on a disk of that size
#	make_certificates DIR NAME...	# ca.crt, other.crt (of nobody), server.crt and server.key for these names

_pids=
trap 'for _p in $_pids; do kill -9 "$_p" 2>/dev/null; done; postgresql_stop; for _m in ${SMALL_DISK:-}; do umount -l "$_m"; done; rm -rf "$TMP"' EXIT
trap 'exit 143' TERM INT HUP

# Called before anything else is done.
own_mounts() {
	if [ -z "${OWN_MOUNTS:-}" ] && unshare -m mount -t tmpfs none /mnt >/dev/null 2>&1; then
		OWN_MOUNTS=1 exec unshare -m sh "$1"
	fi
	SMALL_DISK=
}

small_disk() {
	mkdir -p "$1"
	[ -n "${OWN_MOUNTS:-}" ] && mount -t tmpfs -o size="$2" none "$1" && SMALL_DISK="$SMALL_DISK $1"
}

free_ports() {
	python3 -S -c 'import socket, sys
s = [socket.socket() for _ in range(int(sys.argv[1]))]
for x in s:
    x.bind(("127.0.0.1", 0))
print(*[x.getsockname()[1] for x in s])' "$1"
}

# cut_proxy PORT N [PID]: $cut_port leads to PORT and breaks in the N-th INSERT, until there is $TMP/cut.again: tests/helpers/cut-proxy.py
cut_proxy() {
	rm -f "$TMP/cut" "$TMP/cut.again"
	dies_with_us python3 -S "$ROOT/tests/helpers/cut-proxy.py" "$TMP/cut" "$@" >"$TMP/cut.out" 2>&1 &
	_pids="$_pids $!"
	wait_for test -s "$TMP/cut"
	cut_port=$(cat "$TMP/cut")
}

dies_with_us() {
	if command -v setpriv >/dev/null 2>&1; then
		setpriv --pdeathsig KILL "$@"
	else
		"$@"
	fi
}

need_clickhouse() {
	command -v clickhouse-server >/dev/null 2>&1 ||
		skip_all "clickhouse-server is not installed (make deps DEPS_ENGINES=1)"
	"$PERF" version --build-options | grep -q 'libcurl: \[ on' || skip_all "built without libcurl"
}

# clickhouse_config NAME PASSWORD: config.xml of $TMP/NAME; shards are A and B when $A_tcp and $B_tcp are set
clickhouse_config() {
	eval "_http=\$$1_http _tcp=\$$1_tcp _between=\$$1_between"
	mkdir -p "$TMP/$1/data" "$TMP/$1/tmp"
	cat >"$TMP/$1/config.xml" <<-END
		<yandex>
		<logger><level>error</level><log>$TMP/$1/log</log><errorlog>$TMP/$1/errors</errorlog></logger>
		<listen_host>127.0.0.1</listen_host>
		<http_port>$_http</http_port><tcp_port>$_tcp</tcp_port>
		<interserver_http_port>$_between</interserver_http_port>
		<path>$TMP/$1/data/</path><tmp_path>$TMP/$1/tmp/</tmp_path>
		<users_config>$TMP/$1/users.xml</users_config>
		<default_profile>default</default_profile><default_database>default</default_database>
		<mark_cache_size>67108864</mark_cache_size><uncompressed_cache_size>0</uncompressed_cache_size>
		<remote_servers><two>
		<shard><replica><host>127.0.0.1</host><port>${A_tcp:-1}</port><password>$2</password></replica></shard>
		<shard><replica><host>127.0.0.1</host><port>${B_tcp:-1}</port><password>$2</password></replica></shard>
		</two></remote_servers>
		</yandex>
	END
	cat >"$TMP/$1/users.xml" <<-END
		<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
		<users><default><password>$2</password><networks><ip>127.0.0.1</ip></networks>
		<profile>default</profile><quota>default</quota></default></users>
		<quotas><default></default></quotas></yandex>
	END
}

# By hand: python's own client takes a second to load where the disk is slow. HTTP/1.0 has no chunks.
clickhouse_ask() {
	python3 -S -c 'import socket, sys
port, key, db, sql = sys.argv[1:]
s = socket.create_connection(("127.0.0.1", int(port)), 60)
s.sendall(("POST /?database=%s HTTP/1.0\r\nX-ClickHouse-User: default\r\nX-ClickHouse-Key: %s\r\nContent-Length: %d\r\n\r\n%s"
    % (db, key, len(sql.encode()), sql)).encode())
head, _, body = b"".join(iter(lambda: s.recv(1 << 16), b"")).decode().partition("\r\n\r\n")
(sys.stdout if " 200 " in head[:20] else sys.stderr).write(body)
sys.exit(" 200 " not in head[:20])' "$@" 2>"$TMP/ask"
}

clickhouse_up() {
	eval "_http=\$$1_http"
	[ "$(clickhouse_ask "$_http" "$2" system 'SELECT 1')" = 1 ]
}

# clickhouse_start NAME PASSWORD: again on the same ports after clickhouse_stop
clickhouse_start() {
	eval "_http=\${$1_http:-}"
	[ -n "$_http" ] || eval "$(free_ports 3 | {
		read -r a b c
		echo "$1_http=$a $1_tcp=$b $1_between=$c"
	})"
	clickhouse_config "$1" "$2"
	dies_with_us clickhouse-server --config-file="$TMP/$1/config.xml" >"$TMP/$1/out" 2>&1 &
	eval "$1_pid=$!"
	_pids="$_pids $!"
	wait_for clickhouse_up "$1" "$2"
}

clickhouse_stop() {
	eval "_pid=\$$1_pid"
	kill -9 "$_pid" 2>/dev/null
	wait "$_pid" 2>/dev/null
	return 0
}

# records_into URL: perf record --push of a program, a file a second, with the password of $TMP/secret; the status, what it said in $TMP/record.out
records_into() {
	"$PERF" record -e cpu-clock:u -F 997 --push "$1" --every 1 --service recorded --spool "$TMP/service" --password-file "$TMP/secret" \
		-- "$PERF" test -w noploop 2.5 >"$TMP/record.out" 2>&1
	echo $?
}

can_record() {
	"$PERF" record -q -e cpu-clock:u -o "$TMP/can.data" -- true >/dev/null 2>&1
}

# ---- PostgreSQL, which does not run as root ----

need_postgresql() {
	PG_BIN=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
	[ -n "$PG_BIN" ] && [ -x "$PG_BIN/initdb" ] || skip_all "postgresql is not installed (make deps DEPS_ENGINES=1)"
	"$PERF" version --build-options | grep -q 'libpq: \[ on' || skip_all "built without libpq"
	PG_USER=
	[ "$(id -u)" -ne 0 ] || {
		id postgres >/dev/null 2>&1 || skip_all "there is no user postgres to run it as"
		PG_USER=postgres
	}
}

as_pg() {
	if [ -n "$PG_USER" ]; then
		setpriv --reuid "$PG_USER" --regid "$PG_USER" --clear-groups "$@"
	else
		"$@"
	fi
}

# Once more, it is the same server: whoever waits for it makes no second one.
postgresql_start() {
	[ -n "${pg_dir:-}" ] || {
		pg_port=$(free_ports 1) && [ -n "$pg_port" ] || return 1
		pg_dir=$(mktemp -d "${TMPDIR:-/tmp}/perf-pg.XXXXXX") || return 1
		[ -z "${PG_DISK:-}" ] || small_disk "$pg_dir" "$PG_DISK" && chmod 755 "$pg_dir"
		printf '%s\n' "$1" >"$pg_dir/password"
		[ -z "$PG_USER" ] || chown -R "$PG_USER" "$pg_dir"
		(cd / && as_pg "$PG_BIN/initdb" -D "$pg_dir/data" -U perf -E UTF8 --locale C -A scram-sha-256 --pwfile="$pg_dir/password" -N) \
			>"$TMP/initdb" 2>&1 || return 1
	}
	(cd / && as_pg "$PG_BIN/pg_ctl" -D "$pg_dir/data" -w -t 60 -l "$pg_dir/log" -o \
		"-p $pg_port -h 127.0.0.1 -k $pg_dir -F" start) >"$TMP/pg_ctl" 2>&1 || return 1
	pg_ask postgres 'CREATE DATABASE perf' >/dev/null 2>&1
	return 0
}

pg_ask() {
	PGPASSWORD=$(cat "$pg_dir/password") "$PG_BIN/psql" -X -q -A -t -F ' ' -h 127.0.0.1 -p "$pg_port" -U perf -d "$1" -c "$2"
}

postgresql_stop() {
	[ -z "${pg_dir:-}" ] || {
		(cd / && as_pg "$PG_BIN/pg_ctl" -D "$pg_dir/data" -m immediate stop) >/dev/null 2>&1
		[ "${1:-}" = keep ] || {
			[ -z "${PG_DISK:-}" ] || umount -l "$pg_dir" 2>/dev/null
			rm -rf "$pg_dir"
		}
	}
	return 0
}

# NAMEs as openssl has them: IP:127.0.0.1, DNS:localhost
make_certificates() {
	_dir=$1 _names=$2
	mkdir -p "$_dir"
	(
		cd "$_dir" || exit 1
		for _ca in ca other; do
			openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=test $_ca" \
				-addext basicConstraints=critical,CA:TRUE -keyout $_ca.key -out $_ca.crt || exit 1
		done
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=server -keyout server.key -out server.csr &&
			printf 'subjectAltName=%s\n' "$_names" >names &&
			openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.crt
	) >"$_dir/log" 2>&1
}
