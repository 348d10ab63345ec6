"""Deploys GetPID with as many replicas as the argument says, as a driver: what the peer's test runs, word for word."""

import os
import sys

import ray
from ray import serve


@serve.deployment
class GetPID:
    def __call__(self):
        return {"pid": os.getpid()}


ray.init(address="auto", namespace="g")
serve.start(detached=True, http_options={"host": "0.0.0.0", "location": "EveryNode"})
serve.run(
    GetPID.options(num_replicas=int(sys.argv[1]), ray_actor_options={"num_cpus": 0.1}).bind(),
    name="app",
    route_prefix="/api",
)
