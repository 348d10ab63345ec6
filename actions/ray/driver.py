"""A Serve driver: connects to the cluster of the node that it runs in and applies a config to Serve.

Reads a JSON object from standard input: namespace, and either config (all of Serve's config) or deployment, options and
application (or null) to lay over what is deployed. Connecting waits for the GCS, however long that takes. The last line
printed is a JSON object: replicas (name of each replica's actor before the change) and applications (as applied), or
error. The exit code is 0 when Serve took the config and 3 when it, or the request, can't be.
"""

import json
import os
import sys

# What is measured in this node must not wait for CPU that the measuring takes.
os.nice(19)

import ray
from pydantic import ValidationError
from ray import serve
from ray.exceptions import RayTaskError
from ray.serve.context import _get_global_client
from ray.serve.schema import ServeDeploySchema

KEPT = ("proxy_location", "http_options", "grpc_options", "target_capacity")


class Refused(Exception):
    """What was asked for can't be."""


def details():
    """Serve's own account of what is deployed, or None where it does not run."""
    client = _get_global_client(raise_if_no_controller_running=False)
    return client and client.get_serve_details()


def overlaid(deployed, application, deployment, options):
    """The config that is deployed, with options laid over one deployment's."""
    apps = (deployed or {}).get("applications", {})
    owners = [a for a in apps if deployment in apps[a]["deployments"] and application in (None, a)]
    if len(owners) != 1:
        known = ", ".join(f"{a}/{d}" for a in sorted(apps) for d in sorted(apps[a]["deployments"])) or "nothing"
        why = "names several deployments; say which application" if owners else "is not deployed"
        raise Refused(f"deployment {deployment!r} {why} (deployed: {known})")
    missing = [a for a in sorted(apps) if not apps[a].get("deployed_app_config")]
    if missing:
        raise Refused(f"Serve has no config of application {missing[0]!r}, which serve.run deployed; give the whole config")

    config = {k: deployed[k] for k in KEPT if deployed.get(k) is not None}
    config["applications"] = [apps[a]["deployed_app_config"] for a in apps]
    app = apps[owners[0]]["deployed_app_config"]
    listed = app.setdefault("deployments", [])
    entry = next((d for d in listed if d["name"] == deployment), None)
    if entry is None:
        entry = {"name": deployment}
        listed.append(entry)
    entry.update(options)
    return config


def replicas(deployed):
    apps = (deployed or {}).get("applications", {})
    return [r["actor_name"] for a in apps.values() for d in a["deployments"].values() for r in d["replicas"]]


def apply(request):
    ray.init(address="auto", namespace=request["namespace"] or None, log_to_driver=False)
    before = details()
    config = request["config"] or overlaid(before, request["application"], request["deployment"], request["options"])
    schema = ServeDeploySchema.model_validate(config)
    if before is None:
        serve.start(
            proxy_location=schema.proxy_location,
            http_options=schema.http_options.model_dump(),
            grpc_options=schema.grpc_options.model_dump(),
        )
    _get_global_client().deploy_apps(schema)
    return {"replicas": replicas(before), "applications": config["applications"]}


try:
    answer = apply(json.load(sys.stdin))
except (Refused, ValidationError, RayTaskError) as e:
    answer = {"error": str(e)}
print("\n" + json.dumps(answer), flush=True)
# Serve has it: nothing here is worth the seconds that an orderly shutdown of the driver takes.
os._exit(3 if "error" in answer else 0)
