"""The peer that `make bench-peer` times scenarios/peer/ray_gcs_ha.hcl against: Ray's own test of GCS fault tolerance in
containers (python/ray/tests of ray-project/ray, Apache License 2.0: pytest with pytest-docker-tools), brought to today's Ray.
Not one of this project's tests; scripts/bench-peer runs it: IMAGE=<ray image> REDIS=<redis image> pytest -q <this file>
"""
import json, os, threading, time
import pytest
from pytest_docker_tools import container, network

IMAGE, REDIS = os.environ["IMAGE"], os.environ["REDIS"]
DEPLOY = """
import os, sys, ray
from ray import serve
@serve.deployment
class GetPID:
    def __call__(self): return {"pid": os.getpid()}
ray.init(address="auto", namespace="g")
serve.start(detached=True, http_options={"host": "0.0.0.0", "location": "EveryNode"})
serve.run(GetPID.options(num_replicas=%d, ray_actor_options={"num_cpus": 0.1}).bind(), name="app", route_prefix="/api")
"""
CHECK = """
import json, urllib.request
pids = {json.loads(urllib.request.urlopen("http://127.0.0.1:8000/api", timeout=5).read())["pid"] for _ in range(20)}
assert len(pids) == %d, pids
"""
gcs_net = network(scope="session")
redis = container(image=REDIS, network="{gcs_net.name}", command="redis-server --bind 0.0.0.0 --protected-mode no", scope="session")
ENV = {"RAY_REDIS_ADDRESS": "{redis.ips.primary}:6379"}
from pytest_docker_tools.wrappers import Container
class Node(Container):
    def ready(self):
        self._container.reload()
        return self.status == "running" and b"Ray runtime started" in self._container.logs()
NAME = f"gcs{int(time.time())}"
COMMON = "--block --node-manager-port 9379 --object-store-memory 200000000"
head = container(image=IMAGE, name=NAME, network="{gcs_net.name}", wrapper_class=Node, shm_size="1g", scope="session",
    command=f"ray start --head --num-cpus 0 --dashboard-host 0.0.0.0 {COMMON}".split(), environment=dict(ENV, RAY_SERVE_KV_TIMEOUT_S="5"), ports={"8000/tcp": None})
worker = container(image=IMAGE, network="{gcs_net.name}", wrapper_class=Node, shm_size="1g", scope="session",
    command=f"ray start --address {NAME}:6379 --num-cpus 4 {COMMON}".split(), environment=dict(ENV, RAY_gcs_rpc_server_reconnect_timeout_s="600"), ports={"8000/tcp": None})

def py(node, code):
    return node.exec_run(["python", "-c", code])

def test_gcs_ha(head, worker):
    T = time.time(); s = lambda m: print(f"{time.time()-T:7.2f} {m}")
    code, out = py(worker, DEPLOY % 1); assert code == 0, out; s("deployed 1")
    code, out = py(worker, CHECK % 1); assert code == 0, out; s("checked 1")
    head.kill(); s("killed")
    code, out = py(worker, CHECK % 1); assert code == 0, out; s("checked while dead")
    res = []
    t = threading.Thread(target=lambda: res.append(py(worker, DEPLOY % 2))); t.start()
    time.sleep(1); head.restart(); s("restarted")
    t.join(); s("reconfig joined"); assert res[0][0] == 0, res
    code, out = py(worker, CHECK % 2); assert code == 0, out; s("checked 2")
