# SPDX-License-Identifier: GPL-2.0-or-later
"""What stand-ins of engines share: an HTTP server on a free port of 127.0.0.1, which DIR/port tells when it listens; with DIR/server.crt
and DIR/server.key it speaks TLS."""
import http.server
import os


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))


def serve(place, handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if os.path.exists(place + "/server.crt"):
        import ssl
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(place + "/server.crt", place + "/server.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(place + "/port.new", "w") as f:
        print(server.server_address[1], file=f)
    os.rename(place + "/port.new", place + "/port")
    server.serve_forever()
