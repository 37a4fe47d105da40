# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of protocol buffers, read without a schema."""


def varint(data, at):
    """A number of seven bits a byte, and where it ends."""
    v = shift = 0
    while True:
        b = data[at]
        at += 1
        v |= (b & 127) << shift
        shift += 7
        if b < 128:
            return v, at


def fields(data):
    """(number, value) of a message: an int, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        n, at = varint(data, at)
        if key & 7 == 0:
            yield key >> 3, n
        else:
            assert key & 7 == 2, "another type of field"
            at += n
            assert at <= len(data), "a field that goes beyond its message"
            yield key >> 3, data[at - n:at]


def packed(data):
    """The numbers of a packed field."""
    at = 0
    out = []
    while at < len(data):
        v, at = varint(data, at)
        out.append(v)
    return out
