"""Models a question asks for: what predicts what, how the rows are split, and which kind is fitted."""

from __future__ import annotations

import re
from typing import Any

from averment.agents.analyst.statistic.asked import Asked
from averment.agents.analyst.statistic.vocabulary import FIGURES, MODELS, first_of
from averment.agents.analyst.statistic.wording import Wording


def read_model(wording: Wording) -> dict[str, Any] | None:
    """The model, or None when target or features are not said."""
    if not wording.says(r"predict|regression|classif|random forest|decision tree|machine learning"):
        return None
    target = _target(wording)
    features = [name for name in _features(wording, target) if name != target]
    if target is None or not features:
        return None
    kind = first_of(MODELS, wording.body) or "linear"
    if kind in {"tree", "forest"}:
        classes = wording.says(r"classif|accuracy score") and not wording.says("regressor|regression")
        kind = f"{kind}_{'classifier' if classes else 'regressor'}"
    model: dict[str, Any] = {"kind": kind, "target": target, "features": features, **_split(wording)}
    if wording.says(r"label encod|encode .{0,40}(?:0|1)|binary"):
        model["encode"] = "codes"
    if wording.says(r"one-?hot"):
        model["encode"] = "columns"
    if wording.says(r"standardi[sz]|standardscaler|standard scaler"):
        model["scale"] = "standard"
    elif wording.says(r"min-?max|normali[sz]ing the (?:data|features)"):
        model["scale"] = "minmax"
    for key, pattern in (("max_depth", r"max[_ ]depth\D{0,12}(\d+)"), ("trees", r"(\d+) (?:trees|estimators)")):
        found = re.search(pattern, wording.folded)
        if found:
            model[key] = int(found[1])
    return model


def _split(wording: Wording) -> dict[str, Any]:
    text = wording.folded
    found: dict[str, Any] = {}
    seed = re.search(r"(?:random[_ ]?state|random seed|seed)\D{0,30}?(\d+)", text)
    found["seed"] = int(seed[1]) if seed else 42
    for pattern, share in (
        (r"test[_ ]size\D{0,12}(0?\.\d+)", lambda m: float(m[1])),
        (r"(\d+)\s?%[^.%]{0,40}\btest", lambda m: float(m[1]) / 100),
        (r"test\w*[^.%]{0,20}?\(?(\d+)\s?%", lambda m: float(m[1]) / 100),
        (r"(\d+)\s?%[^.%]{0,40}\btrain", lambda m: 1 - float(m[1]) / 100),
        (
            r"\b(\d)0?\s?[:/-]\s?(\d)0?\b(?=[^.]{0,60}(?:split|ratio|train|using))",
            lambda m: int(m[2]) / (int(m[1]) + int(m[2])),
        ),
        (r"split[^.]{0,60}?\b(\d)0\s?[:/-]\s?(\d)0\b", lambda m: int(m[2]) / (int(m[1]) + int(m[2]))),
        (r"ratio[^.]{0,20}?\b(\d)0?\s?[:/-]\s?(\d)0?\b", lambda m: int(m[2]) / (int(m[1]) + int(m[2]))),
    ):
        said = re.search(pattern, text)
        if said:
            size = float(share(said))
            # Of a share near a "test" the training's own may be meant when it is the larger one.
            found["test_size"] = round(size if size <= 0.5 else 1 - size, 6)
            return found
    if re.search(r"train\w*[^.]{0,40}test|split the (?:data|dataset)", text):
        found["test_size"] = 0.2 if "split" in text else 0.25
    return found


def _target(wording: Wording) -> str | None:
    for pattern in (
        r"(?:target|dependent|response|outcome)(?: or target)? variable[^.]{0,40}?(?:is|should be|:|"
        r"as)\s*(?P<rest>[^.]*)",
        r"(?P<before>[^.]*?)\b(?:is|as) the (?:target|dependent|response)",
        r"regress\w*\s+(?:model\s+)?(?:of|for)\s+(?P<rest>.*?)\s+on\b",
        r"predict\w*\s+(?P<rest>[^.]*)",
        r"(?:regression|model)[^.]{0,30}\b(?:for|of)\s+(?P<rest>[^.]*)",
    ):
        for sentence in wording.sentences:
            found = re.search(pattern, sentence, re.IGNORECASE)
            if found is None:
                continue
            groups = found.groupdict()
            text = groups.get("rest") or groups.get("before") or ""
            named = next((names for least in (0.95, 0.8, 0.6) if (names := _targets(wording, text, least))), [])
            if named:
                return named[-1] if groups.get("before") else named[0]
    return None


def _targets(wording: Wording, text: str, minimum: float) -> list[str]:
    named = wording.columns.named(text, minimum=minimum)
    return [name for name in named if (column := wording.columns.of(name)) is None or column.inferred_type != "id"]


def _features(wording: Wording, target: str | None) -> list[str]:
    for pattern in (
        r"(?:independent|predictor|explanatory|input)(?: variables?| features?|s)?[^.]{0,30}?(?:are|is|should be|"
        r":)\s*(?P<rest>[^.]*)",
        r"features?\s*[:(]?\s*(?P<rest>[^.]*)",
        r"(?P<before>[^.]*?)(?:are|as|is) the (?:independent|predictor|features)",
        r"regress\w*\s+(?:model\s+)?(?:of|for)\s+.*?\s+on\b(?P<rest>[^.]*)",
        r"\b(?:based on|using|from|given|with)\b(?P<rest>[^.]*)",
    ):
        for place, sentence in enumerate(wording.sentences):
            if not re.search(r"predict|regress|feature|variable|model", sentence, re.IGNORECASE):
                continue
            found = re.search(pattern, sentence, re.IGNORECASE)
            if found is None:
                continue
            text = found.groupdict().get("rest") or found.groupdict().get("before") or ""
            named = wording.columns.named(text, minimum=0.6)
            if not named and sentence.rstrip().endswith(":"):
                named = _listed(wording, place)
            if [name for name in named if name != target]:
                return named
    return []


def _listed(wording: Wording, place: int) -> list[str]:
    """Columns listed one a line below a sentence that ends in a colon."""
    found: list[str] = []
    for line in wording.sentences[place + 1 :]:
        named = wording.columns.named(line)
        if len(named) != 1 or len(line.split()) > 3:
            break
        found += named
    return found


def model_part(asked: Asked, words: str, wording: Wording, model: dict[str, Any]) -> str | None:
    """Which figure of the model a value is."""
    if re.search(r"\bcoef|\bslope|\bweight", words) and not re.search(r"correlation|pearson", words):
        text = " ".join(word for word in asked.words if not re.match(r"coef|slope|weight", word, re.IGNORECASE))
        named = [name for name in wording.columns.named(text, minimum=0.5) if name in model["features"]]
        if not named and len(model["features"]) == 1:
            named = model["features"]
        return f"coefficient:{named[0]}" if named else None
    part = first_of(FIGURES, words) or first_of(FIGURES, asked.inner.replace("_", " "))
    if part is not None:
        return part
    if re.search(r"pearson|correlation", words) and wording.says(r"between the predicted and"):
        return "r"
    return None
