"""A real S3 server on loopback, in a thread of the test process; it keeps what it holds while it is stopped."""

from __future__ import annotations

import json
import logging
import socket
from functools import cached_property
from itertools import count

from pydantic import SecretStr

from averment.settings import Settings

KEY, SECRET = "AKIDOFTHETESTS", "a-secret-that-no-text-may-show"


class ObjectStore:
    """One server with any number of buckets."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._numbers = count(1)
        self.start()

    def start(self) -> None:
        """Listen, again where it listened before."""
        from moto.server import ThreadedMotoServer

        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=self.port, verbose=False)
        self._server.start()

    def stop(self) -> None:
        """Answer nobody."""
        self._server.stop()

    @property
    def options(self) -> str:
        """What a client must know beside the URL."""
        return json.dumps({"key": KEY, "secret": SECRET, "endpoint_url": f"http://127.0.0.1:{self.port}"})

    def new_url(self) -> str:
        """The URL of a folder in a bucket of its own."""
        bucket = f"averment-{next(self._numbers)}"
        self.client.create_bucket(Bucket=bucket)
        return f"s3://{bucket}/house/files"

    def settings(self, given: Settings, url: str | None = None) -> Settings:
        """The settings with their files here."""
        chosen = {"files_url": url or self.new_url(), "files_options": SecretStr(self.options)}
        return given.model_copy(update=chosen)

    @cached_property
    def client(self):  # The vendor's clients have no static type.
        """The vendor's own client, to look behind our back."""
        import boto3

        return boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{self.port}",
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            region_name="us-east-1",
        )

    def keys(self, url: str) -> list[str]:
        """Every key of the URL's bucket."""
        bucket = url.removeprefix("s3://").partition("/")[0]
        found = self.client.list_objects_v2(Bucket=bucket)
        return sorted(one["Key"] for one in found.get("Contents", ()))
