#!/bin/sh
# peers.sh NAME...: installs what the benches compare with (numpy, scipy, torch, jax, ...) in build/venv.
set -eu
cd "$(dirname "$0")/.."
[ -x build/venv/bin/python ] || python3 -m venv build/venv || {
	echo 'peers: python3 -m venv failed: install python3-venv' >&2
	exit 3
}
for name in "$@"; do
	build/venv/bin/python -c "import $name" 2>/dev/null || build/venv/bin/pip install -q "$name"
	build/venv/bin/python -c "import $name; print('$name', $name.__version__)"
done
