#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# What Pyroscope takes: POST /push.v1.PusherService/Push, JSON with profiles of pprof in base64. Each is kept as DIR/N.pb.gz, and is
# a line of DIR/profiles: "N ID SAMPLES SUM-OF-EACH-VALUE LABELS". More than 16000 samples or 4 MB, or a profile that does not hold together, is
# answered with 400, and so are a stack of more than 1000 frames and whatever is of the service "late", as profiles older than an hour are. While there is a file DIR/away with a number, the answer is 503 where it has so many.
#	pyroscope-standin.py DIR
import base64, gzip, json, os, sys
import standin_server
from protobuf import fields, packed

place = sys.argv[1]
taken = 0


def look(profile):
    """Samples, sums of values; what does not hold together is an AssertionError."""
    all_fields = list(fields(profile))
    strings = [v.decode() for k, v in all_fields if k == 6]
    assert strings[0] == "", "the first string is not empty"
    places = {dict(fields(v))[1] for k, v in all_fields if k == 4}
    functions = {dict(fields(v))[1]: dict(fields(v)) for k, v in all_fields if k == 5}
    types = [v for k, v in all_fields if k == 1]
    for k, v in all_fields:
        if k == 4:
            assert dict(fields(dict(fields(v))[4]))[1] in functions, "a line of no function"
    assert all(strings[f[2]] for f in functions.values()), "a function without a name"
    sums, samples = [0] * len(types), 0
    for k, v in all_fields:
        if k == 2:
            s = dict(fields(v))
            assert set(packed(s[1])) <= places, "a sample in no place"
            assert len(packed(s[1])) <= 1000, "a stack of too many frames"
            sums = [a + b for a, b in zip(sums, packed(s[2]))]
            samples += 1
    return samples, sums


class Handler(standin_server.Handler):
    def do_POST(self):
        global taken
        body = self.body()
        if self.path != "/push.v1.PusherService/Push" or self.headers["Content-Type"] != "application/json":
            return self.answer(404, "")
        if os.path.exists(place + "/away") and taken >= int(open(place + "/away").read()):
            return self.answer(503, '{"code":"unavailable"}')
        if self.headers["Authorization"] not in (None, "Basic " + base64.b64encode(b"me:secret").decode()):
            return self.answer(401, '{"code":"unauthenticated"}')
        for series in json.loads(body)["series"]:
            labels = {l["name"]: l["value"] for l in series["labels"]}
            for sample in series["samples"]:
                raw = base64.b64decode(sample["rawProfile"], validate=True)
                profile = gzip.decompress(raw)
                try:
                    samples, sums = look(profile)
                    assert samples <= 16000, "too many samples"
                    assert len(profile) <= 4 << 20, "too many bytes"
                    assert labels.get("service_name") != "late", "too old"
                except (AssertionError, KeyError, IndexError) as e:
                    return self.answer(400, json.dumps({"code": "invalid_argument", "message": repr(e)}))
                with open("%s/%d.pb.gz" % (place, taken), "wb") as f:
                    f.write(raw)
                with open(place + "/profiles", "a") as f:
                    print(taken, sample["ID"], samples, *sums, self.headers["X-Scope-OrgID"],
                          *("%s=%s" % l for l in sorted(labels.items())), file=f)
                taken += 1
        self.answer(200, "{}")


standin_server.serve(place, Handler)
