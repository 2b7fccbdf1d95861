#!/bin/sh
# peers.sh NAME...: installs what the benches compare with (numpy, scipy, torch, jax, ...), and what tests of others need
# ('hypothesis>=6.151', pytest-json-report; nbclient and ipykernel of notebooks), in build/venv; VENV=build/venv-pymc:
# in another environment, as PyMC needs, which has a PyTensor of its own.
set -eu
cd "$(dirname "$0")/.."
venv=${VENV:-build/venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" || {
	echo 'peers: python3 -m venv failed: install python3-venv' >&2
	exit 3
}
for name in "$@"; do
	plain=${name%%>=*}
	"$venv/bin/python" -c "from importlib.metadata import version; version('$plain')" 2>/dev/null ||
		"$venv/bin/pip" install -q --disable-pip-version-check "$name"
	"$venv/bin/python" -c "from importlib.metadata import version; print('$plain', version('$plain'))"
done
