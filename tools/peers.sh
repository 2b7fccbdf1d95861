#!/bin/sh
# peers.sh NAME...: installs what the benches compare with (numpy, scipy, torch, jax, ...), and what tests of others need
# ('hypothesis>=6.151', pytest-json-report; nbclient and ipykernel of notebooks), in build/venv.
set -eu
cd "$(dirname "$0")/.."
[ -x build/venv/bin/python ] || python3 -m venv build/venv || {
	echo 'peers: python3 -m venv failed: install python3-venv' >&2
	exit 3
}
for name in "$@"; do
	plain=${name%%>=*}
	build/venv/bin/python -c "from importlib.metadata import version; version('$plain')" 2>/dev/null ||
		build/venv/bin/pip install -q --disable-pip-version-check "$name"
	build/venv/bin/python -c "from importlib.metadata import version; print('$plain', version('$plain'))"
done
