#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""file-to-pipe.py FILE PIPE attr|tracing: a little-endian recording as the stream that a writer
without names would have made of it: attrs, the tracing data, records. The last argument says
which of the first two comes first."""
import sys

from perfdata import *

source, target, first = sys.argv[1:]
parts = Parts(source)
r = Recording()
for attr, ids in parts.attrs:
    r.put(HEADER_ATTR, 0, attr + ids)
attrs, r.out = r.out, []
if TRACING_DATA in parts.features:
    tracing = parts.features[TRACING_DATA]
    tracing += b'\0' * (-len(tracing) % 8)
    # Its size is told in the record; the data itself stands behind it.
    r.put(HEADER_TRACING_DATA, 0, r.pack('I', len(tracing)))
    r.raw(tracing)
r.out = (attrs + r.out if first == 'attr' else r.out + attrs) + [parts.data]
r.write_pipe(target)
