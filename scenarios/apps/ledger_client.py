"""Two writers of a ledger, as a workload's program: one JSON line for each write that has ended.

    python ledger_client.py http://HOST:8080/keys
"""

import json
import signal
import sys
import threading
import time
import urllib.error
import urllib.request

stopping = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stopping.set())
output = threading.Lock()


def write(url, key):
    """Writes a key; returns what a line says of it."""
    request = urllib.request.Request(url, json.dumps({"key": key}).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=0.3) as answer:
            return {"ok": True, "key": json.load(answer)["key"]}
    except urllib.error.URLError as e:
        refused = isinstance(e.reason, ConnectionRefusedError)
        return {"ok": False, "class": "refused" if refused else "timeout", "unknown": not refused, "error": str(e)}
    except OSError as e:
        return {"ok": False, "class": "reset", "unknown": True, "error": str(e)}


def work(worker):
    n = 0
    while not stopping.is_set():
        start = time.time()
        line = write(sys.argv[1], "client-%d-%d" % (worker, n))
        line.update(worker=worker, start=start, end=time.time())
        with output:
            print(json.dumps(line), flush=True)
        n += 1
        stopping.wait(0.05)


workers = [threading.Thread(target=work, args=(i,)) for i in range(2)]
for w in workers:
    w.start()
for w in workers:
    w.join()
