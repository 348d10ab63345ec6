"""A store of keys in one file, with two ways to lose what it has acknowledged.

    POST /keys        the key in JSON, {"key": "a"}, is appended; the answer has it, and how many there are
    GET  /keys        all keys, in the order in which they were written
    GET  /metrics     how many writes were acknowledged since its start
    TCP 7000          answers PING with PONG

With LEDGER=loses one write in a hundred is acknowledged and forgotten, with LEDGER=doubles one is written twice.
"""

import json
import os
import socketserver
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FILE = "/ledger"
MODE = os.environ.get("LEDGER", "")

lock = threading.Lock()
acknowledged = 0


def keys():
    try:
        with open(FILE) as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


count = len(keys())


def append(key):
    """Writes a key to the disk before it says how many there are."""
    global acknowledged, count
    with lock:
        acknowledged += 1
        times = 1
        if acknowledged % 100 == 50:
            times = {"loses": 0, "doubles": 2}.get(MODE, 1)
        with open(FILE, "a") as file:
            file.write((key + "\n") * times)
            file.flush()
            os.fsync(file.fileno())
        count += 1
        return count


class Ledger(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(201, {"key": body["key"], "count": append(body["key"])})

    def do_GET(self):
        if self.path == "/metrics":
            self.send(200, "text/plain", "# TYPE ledger_acknowledged_total counter\nledger_acknowledged_total{} %d\n" % acknowledged)
        else:
            self.answer(200, {"keys": keys()})

    def answer(self, status, value):
        self.send(status, "application/json", json.dumps(value))

    def send(self, status, kind, text):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Ping(socketserver.StreamRequestHandler):
    def handle(self):
        if self.rfile.readline().strip() == b"PING":
            self.wfile.write(b"PONG\n")


class Pings(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


threading.Thread(target=Pings(("", 7000), Ping).serve_forever, daemon=True).start()
ThreadingHTTPServer(("", 8080), Ledger).serve_forever()
