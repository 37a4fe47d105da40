#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the queries of contrib/sql answer, against what perf's own reports say: for tests/system/fleet-pull.sh.

	fleet-answers.py ROWS top REPORT-JSON		function, cost, samples, hosts
	fleet-answers.py ROWS releases WAS-JSON NOW-JSON	function, share, share, difference, samples
	fleet-answers.py ROWS branches PREAGG		branches of a build: taken and missed, in all
	fleet-answers.py ROWS losses HOST SAMPLES LOST

ROWS: the answer, values of a row with tabs or bars between. Prints "agree", or the first that does not."""
import json, math, re, sys

rows = [re.split(r"[\t|]", line.rstrip("\n")) for line in open(sys.argv[1]) if line.strip()]
what, args = sys.argv[2], sys.argv[3:]


def functions(path):
    """Period and samples by name, over all events."""
    out = {}
    for event in json.load(open(path))["events"]:
        for row in event["rows"]:
            name = row["symbol"][4:]
            cost, n = out.get(name, (0, 0))
            out[name] = (cost + row["weight"], n + row["samples"])
    return out


def differ(*values):
    print("differ:", *values)
    sys.exit()


def near(a, b):
    return math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-6)


if not rows:
    differ("no rows")
if what == "top":
    known = functions(args[0])
    for name, cost, n, hosts in rows:
        if name not in known or not near(cost, known[name][0]) or int(n) != known[name][1] or hosts != "1":
            differ(name, cost, n, hosts, known.get(name))
    if not near(rows[0][1], max(c for c, _ in known.values())):
        differ("first", rows[0])
elif what == "releases":
    was, now = functions(args[0]), functions(args[1])
    total = [sum(c for c, _ in x.values()) for x in (was, now)]
    for name, a, b, delta, n in rows:
        x, y = was.get(name, (0, 0)), now.get(name, (0, 0))
        if not near(a, 100 * x[0] / total[0]) or not near(b, 100 * y[0] / total[1]) or int(n) != x[1] + y[1] or \
                not near(delta, 100 * y[0] / total[1] - 100 * x[0] / total[0]):
            differ(name, a, b, delta, n, x, y)
elif what == "branches":
    lines = [line.split() for line in open(args[0])]
    taken = sum(int(f[-2]) for f in lines if f[0] == "B" and "X:0" not in f)
    missed = sum(int(f[-1]) for f in lines if f[0] == "B" and "X:0" not in f)
    got = [sum(float(r[i]) for r in rows) for i in (3, 4)]
    if not near(got[0], taken) or not near(got[1], missed):
        differ(got, taken, missed)
elif what == "losses":
    row = [r for r in rows if r[0] == args[0]]
    if not row or row[0][1] != args[1] or row[0][2] != args[2] or \
            not near(row[0][3], 100 * int(args[2]) / (int(args[1]) + int(args[2]))):
        differ(rows, args)
print("agree")
