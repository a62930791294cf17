"""The script that draws charts in the browser, as vl-convert ships it."""

from __future__ import annotations


def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one ES module."""
    import vl_convert

    return vl_convert.javascript_bundle()
