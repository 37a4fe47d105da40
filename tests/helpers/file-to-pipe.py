#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""file-to-pipe.py FILE PIPE attr|tracing: a little-endian recording as the stream that a writer
without names would have made of it: attrs, the tracing data, records. The last argument says
which of the first two comes first."""
import struct
import sys

f = open(sys.argv[1], "rb").read()
_, _, entry = struct.unpack("<8s2Q", f[:24])
attr_off, attr_size, data_off, data_size = struct.unpack("<4Q", f[24:56])
bits = struct.unpack("<4Q", f[72:104])

attrs = b""
for at in range(attr_off, attr_off + attr_size, entry):
    attr = f[at:at + entry - 16]
    ids_off, ids_size = struct.unpack("<2Q", f[at + entry - 16:at + entry])
    body = attr + f[ids_off:ids_off + ids_size]
    attrs += struct.pack("<I2H", 64, 0, 8 + len(body)) + body

tracing, section = b"", data_off + data_size
for feature in range(256):
    if not bits[feature // 64] >> feature % 64 & 1:
        continue
    off, size = struct.unpack("<2Q", f[section:section + 16])
    section += 16
    if feature == 1:
        padded = size + -size % 8
        tracing = struct.pack("<I2HI", 66, 0, 12, padded) + f[off:off + size].ljust(padded, b"\0")

parts = [attrs, tracing] if sys.argv[3] == "attr" else [tracing, attrs]
records = f[data_off:data_off + data_size]
open(sys.argv[2], "wb").write(struct.pack("<8sQ", b"PERFILE2", 16) + b"".join(parts) + records)
