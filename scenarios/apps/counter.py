"""Detached actor that counts by itself, and leaves its count where it can be read without asking Ray.

    python counter.py start    creates it, on a node with a CPU to spare, and waits until it counts
    python counter.py ask      prints, as JSON, what the actor itself says
"""

import json
import os
import sys
import threading
import time

import ray

FILE = "/tmp/counter.json"


@ray.remote(num_cpus=0.1)
class Counter:
    def __init__(self):
        self.count = 0
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            self.count += 1
            with open(FILE + ".new", "w") as file:
                json.dump(self.state(), file)
            os.replace(FILE + ".new", FILE)
            time.sleep(0.05)

    def state(self):
        return {"pid": os.getpid(), "count": self.count}


ray.init(address="auto", namespace="counter", log_to_driver=False)
if sys.argv[1] == "start":
    counter = Counter.options(name="counter", lifetime="detached").remote()
else:
    counter = ray.get_actor("counter")
print(json.dumps(ray.get(counter.state.remote())))
