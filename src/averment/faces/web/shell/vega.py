"""The script that draws charts in the browser, as vl-convert ships it; made once and kept."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from averment.errors.extras import needs


def vega_bundle(cache: Path) -> bytes:
    """Vega, Vega-Lite and Vega-Embed as one ES module, made once for each version of them.

    Raises:
        MissingExtra: what draws charts is not installed.
    """
    with needs("charts"):
        import vl_convert

    place = cache / f"vega-{vl_convert.get_vega_version()}-{vl_convert.get_vega_embed_version()}.js"
    with contextlib.suppress(OSError):
        return place.read_bytes()
    script = vl_convert.javascript_bundle().encode()  # pyright: ignore[reportCallIssue]  # Its stub hides a default.
    # Where there is no room or no right to write, it is made again the next time.
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        unfinished = place.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(script)
        unfinished.replace(place)
    return script
