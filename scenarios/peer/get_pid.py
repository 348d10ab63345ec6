"""The application of deploy.py, for Serve's REST API."""

import os

from ray import serve


@serve.deployment
class GetPID:
    def __call__(self):
        return {"pid": os.getpid()}


app = GetPID.bind()
