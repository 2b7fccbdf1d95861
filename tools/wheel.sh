#!/bin/sh
# Builds the wheel of Python, installs it into a fresh virtual environment and runs its tests there, then once more where
# no C compiler is found; both for each Python that is given: the one wheel is for all.  What builds it and what it needs
# (meson-python, ninja, NumPy, pytest, hypothesis) comes from PyPI.
#
#     tools/wheel.sh [PYTHON...]   python3 if not given; the wheel is left in build/wheel
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- python3
rm -rf build/wheel
mkdir -p build/wheel

environment() {
	"$1" -m venv "build/wheel/venv$2" || {
		echo "wheel: $1 -m venv failed: install python3-venv" >&2
		exit 3
	}
}

tests() {
	"build/wheel/venv$1/bin/python" -B -m pytest -q -p no:cacheprovider tests/python
}

environment "$1" 1
echo 'Building the wheel: about two minutes on two cores'
build/wheel/venv1/bin/pip wheel -q --disable-pip-version-check --no-deps -w build/wheel .
n=0
for python; do
	n=$((n + 1))
	[ $n -eq 1 ] || environment "$python" $n
	build/wheel/venv$n/bin/pip install -q --disable-pip-version-check build/wheel/porism-*.whl pytest hypothesis
	"build/wheel/venv$n/bin/python" -VV
	tests $n
	echo 'and without a C compiler:'
	CC=/nonexistent/cc tests $n
done
ls build/wheel/*.whl
