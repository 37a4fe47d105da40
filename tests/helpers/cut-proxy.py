#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# A way to a server at a port of 127.0.0.1 that breaks once, behind BYTES of what clients sent, all connections together: what
# came before has arrived, the connection ends on both sides. Others are turned away (libcurl sends once more by itself)
# until there is a file PORT-FILE.again; then everything passes. With a PID that process is killed at the break.
#	cut-proxy.py PORT-FILE PORT BYTES [PID]
import os, signal, socket, sys, threading

name, port, left = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
victim = int(sys.argv[4]) if len(sys.argv) > 4 else 0
lock = threading.Lock()
broken = False


def end(*socks):
    for s in socks:
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def allowed(n):
    """How many of n bytes go on; less than n once, at the break."""
    global left, broken
    with lock:
        if broken or n < left:
            left -= n
            return n
        broken = True
        return left


def up(client, server):
    try:
        while data := client.recv(1 << 16):
            n = allowed(len(data))
            server.sendall(data[:n])
            if n < len(data):
                if victim:
                    os.kill(victim, signal.SIGKILL)
                break
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
