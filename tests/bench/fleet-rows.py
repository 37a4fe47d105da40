#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of made recordings into a ClickHouse of two shards, and what it makes of them: see tests/bench/fleet.

	fleet-rows.py ROOT HTTP-A HTTP-B PASSWORD RECORDINGS [LEAVES NODES EDGES SIMD]

A recording is of one of SERVICES, in one of two releases, on one of 1,000 hosts. Its samples follow Zipf: the row of rank r has a share of
1/r, of 10^6 samples in all. Recordings of a service are of VARIANTS sets of places; which place has which share differs in each, so that
counts do not repeat. Blocks are those of perf data push (FORMAT Native), many recordings in each;
two clients, each with the tables of one shard."""
import array, glob, os, random, re, socket, struct, sys, threading, time

root, http, key = sys.argv[1], [int(p) for p in sys.argv[2:4]], sys.argv[4]
recordings, leaves, nodes, edges, simd = [int(x) for x in sys.argv[5:]] + [600, 800, 800, 40][len(sys.argv) - 6:]
SERVICES, VARIANTS, SAMPLES, PERIOD, BATCH, FUNCS = 20, 4, 10**6, 1000003, 100, 400
random.seed(1)

schema, table = {}, None
for line in open(root + "/tools/lib/fleet/schema.def"):
    m = re.match(r'TABLE\(\w+, (\w+),', line)
    table = m[1] if m else table
    m = re.match(r'COLUMN\(\w+, \w+, (\w+), (\w+),', line)
    if m:
        schema.setdefault(table, []).append((m[1], {"INT64": "Int64", "INT32": "Int32", "DOUBLE": "Float64", "STRING": "String"}[m[2]]))


def number(v):
    out = b""
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def text(s):
    s = s.encode()
    return number(len(s)) + s


def column(kind, values):
    if kind == "String":
        return b"".join(map(text, values))
    return array.array({"Int64": "q", "Int32": "i", "Float64": "d"}[kind], values).tobytes()


def ask(port, sql, body=b"", inline=True):
    s = socket.create_connection(("127.0.0.1", port), 600)
    from urllib.parse import quote
    path = "/?database=perf&insert_distributed_sync=1" + ("" if inline else "&query=" + quote(sql))
    body = sql.encode() if inline else body
    s.sendall(("POST %s HTTP/1.0\r\nX-ClickHouse-User: default\r\nX-ClickHouse-Key: %s\r\nContent-Length: %d\r\n\r\n"
               % (path, key, len(body))).encode() + body)
    head, _, answer = b"".join(iter(lambda: s.recv(1 << 16), b"")).partition(b"\r\n\r\n")
    s.close()
    if b" 200 " not in head[:20]:
        sys.exit(answer.decode())
    return answer.decode()


sent = {}
lock = threading.Lock()


def insert(table, n, columns, port=http[0], where=""):
    """@columns: bytes by name."""
    block = number(len(schema[table])) + number(n)
    block += b"".join(text(c) + text(k) + columns[c] for c, k in schema[table])
    sql = "INSERT INTO %s%s (%s) FORMAT Native" % (table, where, ",".join(c for c, _ in schema[table]))
    ask(port, sql, block, False)
    with lock:
        rows, size = sent.get(table, (0, 0))
        sent[table] = (rows + n, size + len(block))


def shares(n, total):
    w = [1 / (r + 1) for r in range(n)]
    scale = total / sum(w)
    return [max(1, round(x * scale)) for x in w]


def variant(service):
    """Columns of one recording without those of its load, as bytes."""
    objects = ["%040x" % (service * 16 + i) for i in range(5)]
    place = lambda n: sorted((random.choice(objects), random.randrange(FUNCS) * 512, random.randrange(0, 512, 4)) for _ in range(n))
    mixed = lambda n: random.sample(shares(n, SAMPLES), n)
    out = {}
    p, n = place(leaves), mixed(leaves)
    rows = {"object": [o for o, _, _ in p], "func": [f for _, f, _ in p], "off": [f + x for _, f, x in p], "n": n,
            "period": [x * PERIOD for x in n]}
    out["samples"] = rows
    p, n = place(nodes), mixed(nodes)
    rows = {"node": range(nodes), "parent": [i // 2 - 1 for i in range(nodes)], "object": [o for o, _, _ in p],
            "func": [f for _, f, _ in p], "name": ["server"] + [""] * (nodes - 1), "self_n": n, "self_period": [x * PERIOD for x in n],
            "total_period": [x * PERIOD for x in n], "path": [random.getrandbits(62) for _ in range(nodes)]}
    out["stacks"] = rows
    p, n = place(edges), mixed(edges)
    rows = {"object": [o for o, _, _ in p], "from_off": [f + x for _, f, x in p], "to_object": [o for o, _, _ in p],
            "to_off": [f + random.randrange(0, 512, 4) for _, f, _ in p], "end_off": [f + 508 for _, f, _ in p],
            "from_func": [f for _, f, _ in p], "to_func": [f for _, f, _ in p], "type": [1] * edges, "taken": [16 * x for x in n],
            "mispred": n, "cycles": [64 * x for x in n], "cycles_n": [16 * x for x in n]}
    out["edges"] = rows
    p, n = place(simd), mixed(simd)
    zero = [0] * simd
    rows = {c: zero for c, _ in schema["simd"]}
    rows.update({"object": [o for o, _, _ in p], "func": [f for _, f, _ in p], "off": [f + x for _, f, x in p], "n": n, "live_512": n,
                 "code_512": n, "lanes_on": [5 * x for x in n], "lanes_all": [16 * x for x in n]})
    rows.pop("load")
    out["simd"] = rows
    return {t: (len(rows["object"]), {c: column(k, rows[c]) for c, k in schema[t] if c != "load"}) for t, rows in out.items()}


began = time.time()
for s in range(SERVICES):
    ids = ["%040x" % (s * 16 + i) for i in range(5)]
    insert("objects", 5, {c: column(k, {"object": ids, "kind": ["user"] * 5, "path": ["lib%d.so" % i for i in range(5)],
                                        "arch": ["x86_64"] * 5, "size": [1 << 20] * 5, "segments": ["0:0:100000"] * 5}[c])
                          for c, k in schema["objects"]})
    rows = [(o, f * 512) for o in ids for f in range(FUNCS)]
    insert("functions", len(rows), {c: column(k, {"object": [o for o, _ in rows], "func": [f for _, f in rows], "size": [512] * len(rows),
                                                  "name": ["function_%d_%s" % (f, o[-3:]) for o, f in rows], "file": [""] * len(rows),
                                                  "line": [0] * len(rows)}[c]) for c, k in schema["functions"]})
variants = [[variant(s) for _ in range(VARIANTS)] for s in range(SERVICES)]
made = time.time() - began
COUNTS = {"n", "period", "self_n", "self_period", "total_period", "taken", "mispred", "cycles", "cycles_n"}


def turned(counts, r):
    """The same numbers, each some rows on: 8 bytes each."""
    k = r * 37 * 8 % len(counts)
    return counts[k:] + counts[:k]


def batch(these, port):
    for t in "samples", "stacks", "edges", "simd":
        parts = [variants[r % SERVICES][r // SERVICES % VARIANTS][t] for r in these]
        columns = {c: b"".join(turned(p[1][c], r) if c in COUNTS else p[1][c] for r, p in zip(these, parts))
                   for c, _ in schema[t] if c != "load"}
        columns["load"] = b"".join(struct.pack("<q", r + 1 << 20) * p[0] for r, p in zip(these, parts))
        insert(t, sum(p[0] for p in parts), columns, port, "_local")
    name = lambda r: "web" if r % SERVICES == 0 else "service%d" % (r % SERVICES)
    values = {"load": [r + 1 << 20 for r in these], "recording": ["%032x" % r for r in these], "schema": [1] * len(these),
              "day": ["2026-11-24"] * len(these), "start_ns": [1795500000 * 10**9 + r for r in these], "duration_ns": [60 * 10**9] * len(these),
              "host": ["host%d" % (r % 1000) for r in these], "service": [name(r) for r in these],
              "release": ["41" if r // SERVICES % 2 else "42" for r in these], "labels": ["{}"] * len(these), "event": ["cycles"] * len(these),
              "arch": ["x86_64"] * len(these), "cpu": ["made"] * len(these), "kernel": ["6.1"] * len(these), "tool": ["bench"] * len(these),
              "freq": [999] * len(these), "period": [SAMPLES * PERIOD] * len(these), "samples": [SAMPLES] * len(these),
              "lost": [r % 7 for r in these], "weight": [1.0] * len(these), "mass": [1.0] * len(these),
              "branch_source": ["hardware"] * len(these), "branch_filter": ["0x8"] * len(these), "entries": [16 * SAMPLES] * len(these)}
    insert("loads", len(these), {c: column(k, values[c]) for c, k in schema["loads"]}, port, "_local")


def client(shard):
    for first in range(shard, recordings, 2 * BATCH):
        batch(range(first, min(first + 2 * BATCH, recordings), 2), http[shard])


began = time.time()
clients = [threading.Thread(target=client, args=(i,)) for i in range(2)]
for c in clients:
    c.start()
for c in clients:
    c.join()
took = time.time() - began
rows = sum(r for t, (r, _) in sent.items() if t in ("samples", "stacks", "edges", "simd", "loads"))
print("%d recordings of %d samples: %d rows, %d bytes sent, in %.0f s (columns made before in %.0f s)"
      % (recordings, SAMPLES, rows, sum(b for _, b in sent.values()), took, made))
print("rate: %.0f rows/s, %.0f recordings/s" % (rows / took, recordings / took))
disk = {}
for port in http:
    for line in ask(port, "SELECT table, sum(bytes), sum(rows) FROM system.parts WHERE active AND database = 'perf' GROUP BY table").splitlines():
        t, size, n = line.split("\t")
        a, b = disk.get(t, (0, 0))
        disk[t] = (a + int(size), b + int(n))
print("%-14s %12s %14s %10s" % ("table", "rows", "bytes", "bytes/row"))
for t in sorted(disk, key=lambda t: -disk[t][0]):
    size, n = disk[t]
    print("%-14s %12d %14d %10.1f" % (t, n, size, size / max(n, 1)))
total = sum(size for size, _ in disk.values())
print("on disk: %d bytes, %.0f a recording" % (total, total / recordings))
for path in sorted(glob.glob(root + "/contrib/sql/clickhouse/*.sql")):
    sql = open(path).read().replace("BUILDID", "%040x" % 0)
    times = []
    for _ in range(3):
        t = time.time()
        n = ask(http[0], sql).count("\n")
        times.append(time.time() - t)
    print("%-16s %8.2f s first, %6.2f s again, %d rows" % (os.path.basename(path)[:-4], times[0], min(times[1:]), n))
