#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Of a ClickHouse server what perf data push asks for, for tests of what pushes: answers of its version and of how many rows it
# has of a load; INSERTs in Native, whose rows it keeps. What data pull and report --from ask of these, SQLite answers. While there is a file DIR/away it answers 503,
# while there is DIR/hang not at all; while there is DIR/late no SELECT of these has an answer, with DIR/last no INSERT of loads, and DIR/asked says that one waits;
# where it meets DIR/forget, it takes that away and with it all rows, but not those in DIR/rows.
# With DIR/server.crt and server.key it speaks TLS.
#	clickhouse-standin.py DIR	# DIR/port: where it listens; DIR/rows: "TABLE {columns as JSON}", a line for each row
import gzip, json, os, re, struct, sys, time, urllib.parse
import standin_server
from protobuf import varint

place = sys.argv[1]
tables = {}


def native(data):
    """Rows of a block, as dicts."""
    at = 0

    def number():
        nonlocal at
        v, at = varint(data, at)
        return v

    def text():
        nonlocal at
        n = number()
        at += n
        return data[at - n:at].decode()

    columns, rows = number(), number()
    out = [{} for _ in range(rows)]
    for _ in range(columns):
        name, kind = text(), text()
        fmt = {"Int64": "<q", "Int32": "<i", "Float64": "<d"}.get(kind)
        for row in out:
            if fmt:
                row[name] = struct.unpack_from(fmt, data, at)[0]
                at += struct.calcsize(fmt)
            else:
                row[name] = text()
    assert at == len(data), "bytes behind the block"
    return out


# How the two speak of the same.
DIALECT = (("GLOBAL ANY INNER JOIN", "JOIN"), (" USING load ", " USING (load) "))


def select(sql):
    """Rows of a SELECT over what was inserted, as text between tabs; None for what is no such question."""
    try:
        import sqlite3
    except ImportError:
        return None
    db = sqlite3.connect(":memory:")
    for name, rows in tables.items():
        names = list(rows[0])
        db.execute("CREATE TABLE %s (%s)" % (name, ",".join(names)))
        db.executemany("INSERT INTO %s VALUES (%s)" % (name, ",".join("?" * len(names))),
                       ([r[n] for n in names] for r in rows))
    for theirs, ours in DIALECT:
        sql = sql.replace(theirs, ours)
    try:
        found = db.execute(sql).fetchall()
    except sqlite3.Error:
        return None
    finally:
        db.close()
    escape = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n"})
    return "".join("\t".join("\\N" if v is None else str(v).translate(escape) for v in row) + "\n" for row in found)


class Handler(standin_server.Handler):
    def do_POST(self):
        body = self.body()
        while os.path.exists(place + "/hang"):
            time.sleep(0.1)
        if os.path.exists(place + "/away"):
            return self.answer(503, "not now")
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        if os.path.exists(place + "/forget"):
            os.unlink(place + "/forget")
            tables.clear()
        sql = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("query", [""])[0]
        insert = re.match(r"INSERT INTO (\w+)", sql)
        if insert:
            rows = native(body)
            while insert[1] == "loads" and os.path.exists(place + "/last"):
                open(place + "/asked", "w").close()
                time.sleep(0.05)
            tables.setdefault(insert[1], []).extend(rows)
            with open(place + "/rows", "a") as f:
                f.writelines("%s %s\n" % (insert[1], json.dumps(r)) for r in rows)
            return self.answer(200, "")
        sql = body.decode()
        count = re.match(r"SELECT count\(\) FROM (\w+) WHERE load >= (-?\d+) AND load < (-?\d+)", sql)
        if count:
            return self.answer(200, "%d\n" % sum(int(count[2]) <= r["load"] < int(count[3]) for r in tables.get(count[1], [])))
        loads = re.match(r"SELECT load, count\(\) FROM (\w+) WHERE load IN \(([-\d,]+)\) GROUP BY load$", sql)
        if loads:
            wanted, found = {int(v) for v in loads[2].split(",")}, {}
            for r in tables.get(loads[1], []):
                if r["load"] in wanted:
                    found[r["load"]] = found.get(r["load"], 0) + 1
            return self.answer(200, "".join("%d\t%d\n" % it for it in found.items()))
        known = {"SELECT version()": "18.16.1\n", "SELECT max(version) FROM perf_schema": os.environ.get("SCHEMA", "1") + "\n"}
        if sql in known:
            return self.answer(200, known[sql])
        while os.path.exists(place + "/late"):
            open(place + "/asked", "w").close()
            time.sleep(0.05)
        found = select(sql) if sql.startswith("SELECT ") else None
        if found is not None:
            return self.answer(200, found)
        self.answer(500, "Code: 62, e.displayText() = DB::Exception: the stand-in does not know: " + sql)


standin_server.serve(place, Handler)
