#!/bin/sh
# Builds the wheel of Python, installs it into a fresh virtual environment and runs its tests there.  What builds it and
# what it needs (meson-python, ninja, NumPy, pytest) comes from PyPI.
#
#     tools/wheel.sh [PYTHON]      python3 if not given; the wheel is left in build/wheel
set -eu
cd "$(dirname "$0")/.."
python=${1:-python3}
rm -rf build/wheel
mkdir -p build/wheel
"$python" -m venv build/wheel/venv || {
	echo 'wheel: python3 -m venv failed: install python3-venv' >&2
	exit 3
}
echo 'Building the wheel: about two minutes on two cores'
build/wheel/venv/bin/pip wheel -q --disable-pip-version-check --no-deps -w build/wheel .
build/wheel/venv/bin/pip install -q --disable-pip-version-check build/wheel/porism-*.whl pytest
build/wheel/venv/bin/python -B -m pytest -q -p no:cacheprovider tests/python
ls build/wheel/*.whl
