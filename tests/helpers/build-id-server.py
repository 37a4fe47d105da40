#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""build-id-server.py DIR PORTFILE: answers /buildid/ID/KIND with DIR/ID/KIND as a debuginfod server
does, on a port of 127.0.0.1 that it writes to PORTFILE; what was asked for goes to PORTFILE.log."""
import http.server
import os
import sys

top, port_file = sys.argv[1:]


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        words = self.path.split('/')
        with open(port_file + '.log', 'a') as log:
            log.write(self.path + '\n')
        path = os.path.join(top, *words[2:4]) if len(words) == 4 and '..' not in words else ''
        if not os.path.isfile(path):
            self.send_error(404)
            return
        with open(path, 'rb') as f:
            body = f.read()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(('127.0.0.1', 0), Answer)
with open(port_file + '.new', 'w') as f:
    f.write('%d\n' % server.server_port)
os.rename(port_file + '.new', port_file)
server.serve_forever()
