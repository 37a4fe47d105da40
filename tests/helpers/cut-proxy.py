#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# A way to a ClickHouse server at a port of 127.0.0.1 that breaks once, in the middle of the table that the N-th INSERT brings,
# all connections counted together: half of it has arrived, the connection ends on both sides. Others are turned away
# (libcurl sends once more by itself) until there is a file PORT-FILE.again; then everything passes. With a PID that process
# is killed at the break. What was broken is told on stdout: "HALF of LENGTH bytes: POST ...".
# "+N" for N: it breaks when so many bytes of one connection went up, whatever they are, "HALF" of them.
#	cut-proxy.py PORT-FILE PORT N [PID]
import os, signal, socket, sys, threading

name, port, left = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
victim = int(sys.argv[4]) if len(sys.argv) > 4 else 0
most = left if sys.argv[3].startswith("+") else 0
lock = threading.Lock()
broken = False


def end(*socks):
    for s in socks:
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def breaks(line):
    """Whether the request of this line is the one."""
    global left, broken
    with lock:
        if not broken and b'INSERT' in line:
            left -= 1
            broken = left == 0
            return broken
    return False


def requests(client):
    """(head, body) of each; libcurl says how long bodies are."""
    data = b''
    while True:
        while b'\r\n\r\n' not in data:
            more = client.recv(1 << 16)
            if not more:
                return
            data += more
        head, _, data = data.partition(b'\r\n\r\n')
        length = next(int(v) for k, _, v in (line.partition(b':') for line in head.split(b'\r\n'))
                      if k.lower() == b'content-length')
        while len(data) < length:
            more = client.recv(1 << 16)
            if not more:
                return
            data += more
        yield head, data[:length]
        data = data[length:]


def up_bytes(client, server):
    global broken
    sent = 0
    try:
        while data := client.recv(1 << 12):
            sent += len(data)
            if sent > most and not broken:
                broken = True
                print(f"{sent} bytes", flush=True)
                if victim:
                    os.kill(victim, signal.SIGKILL)
                break
            server.sendall(data)
    except OSError:
        pass
    end(client, server)


def up(client, server):
    if most:
        return up_bytes(client, server)
    try:
        for head, body in requests(client):
            line = head.split(b'\r\n')[0]
            if breaks(line):
                server.sendall(head + b'\r\n\r\n' + body[:len(body) // 2])
                print(f"{len(body) // 2} of {len(body)} bytes: {line.decode()}", flush=True)
                if victim:
                    os.kill(victim, signal.SIGKILL)
                break
            server.sendall(head + b'\r\n\r\n' + body)
    except OSError:
        pass
    end(client, server)


def down(client, server):
    try:
        while data := server.recv(1 << 16):
            client.sendall(data)
    except OSError:
        pass
    end(client, server)


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(16)
with open(name + ".new", "w") as f:
    print(listener.getsockname()[1], file=f)
os.rename(name + ".new", name)
while True:
    client = listener.accept()[0]
    if broken and not os.path.exists(name + ".again"):
        client.close()
        continue
    try:
        server = socket.create_connection(("127.0.0.1", port))
    except OSError:
        client.close()
        continue
    for work in up, down:
        threading.Thread(target=work, args=(client, server), daemon=True).start()
