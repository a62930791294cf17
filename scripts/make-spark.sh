#!/bin/sh
# Make an environment that holds Spark itself, apart from ours, which holds only its client: two packages of one name.
# Its interpreter also finds our packages, so that a cluster can be asked by its master's own address.
set -eu
uv=$1
python=$2
spark=$3
"$uv" venv --quiet --clear --python "$python" "$spark"
"$uv" pip install --quiet --python "$spark/bin/python" --no-deps --require-hashes -r requirements-spark.lock
places='import sysconfig; print(sysconfig.get_path("purelib"))'
{ "$python" -c "$places"; echo "$PWD/src"; } >"$("$spark/bin/python" -c "$places")/averment-beside.pth"
