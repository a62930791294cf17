#!/bin/sh
# The tests use a real jail and a real browser. As root on Debian they are installed; otherwise the tests that need them
# say that they were skipped and why.
set -eu
missing=
command -v bwrap >/dev/null || missing="$missing bubblewrap"
command -v chromium >/dev/null || missing="$missing chromium"
command -v setpriv >/dev/null || missing="$missing util-linux"
# The browser driver's own Node needs it, and Debian's base does not have it.
if ! find /usr/lib /lib -name 'libatomic.so.1' 2>/dev/null | grep -q .; then missing="$missing libatomic1"; fi
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing$missing ..." >&2
  apt-get update -qq >/dev/null
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
  echo "not installed (needs root):$missing; tests that use them will be skipped and say so." >&2
fi
