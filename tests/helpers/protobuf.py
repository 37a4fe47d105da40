# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of protocol buffers, read without a schema."""


def fields(data):
    """(number, value) of a message: an int, or bytes."""
    at = 0

    def varint():
        nonlocal at
        v = shift = 0
        while True:
            b = data[at]
            at += 1
            v |= (b & 127) << shift
            shift += 7
            if b < 128:
                return v

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, "another type of field"
            n = varint()
            at += n
            assert at <= len(data), "a field that goes beyond its message"
            yield key >> 3, data[at - n:at]


def packed(data):
    """The numbers of a packed field."""
    out, v, shift = [], 0, 0
    for b in data:
        v |= (b & 127) << shift
        shift += 7
        if b < 128:
            out.append(v)
            v = shift = 0
    return out
