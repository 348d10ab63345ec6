"""Sends 20 requests to this node's proxy: as many processes as the argument says must have answered, no request may fail."""

import json
import sys
import urllib.request

pids = {json.loads(urllib.request.urlopen("http://127.0.0.1:8000/api", timeout=5).read())["pid"] for _ in range(20)}
assert len(pids) == int(sys.argv[1]), pids
