#!/bin/sh
# Make the virtual environment and put uv into it. On Debian the venv module is a package of its own: as root it is
# installed, otherwise a clear message says what is missing.
set -eu
python=$1
venv=$2
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "Averment needs Python 3.11 or newer; '$python' is $("$python" --version 2>&1)." >&2
  exit 1
}
if ! "$python" -c 'import ensurepip' 2>/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing python3-venv ..." >&2
    (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv ca-certificates) >/dev/null
  else
    echo "Python's venv module is missing. On Debian: apt-get install python3-venv" >&2
    exit 1
  fi
fi
"$python" -m venv "$venv"
lock=$(dirname "$0")/../requirements-uv.lock
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$lock"
