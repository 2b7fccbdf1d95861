#!/bin/sh
# Builds the wheel of Python, installs it into a fresh virtual environment and runs its tests there, then once more where
# no C compiler is found; both for each Python that is given: the one wheel is for all that have a GIL, each other has one
# of its own.  What builds it and what it needs (meson-python, ninja, NumPy, pytest, hypothesis) comes from PyPI.
#
#     tools/wheel.sh [PYTHON...]   python3 if not given; the wheels are left in build/wheel
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- python3
rm -rf build/wheel
mkdir -p build/wheel/limited

environment() {
	"$1" -m venv "build/wheel/venv$2" || {
		echo "wheel: $1 -m venv failed: install python3-venv" >&2
		exit 3
	}
}

# wheel N FOLDER [OPTION]: by the N-th environment, unless it is there
wheel() {
	ls "$2"/porism-*.whl >/dev/null 2>&1 && return
	echo 'Building the wheel: about two minutes on two cores'
	"build/wheel/venv$1/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$2" ${3:+"$3"} .
}

tests() {
	"build/wheel/venv$1/bin/python" -B -m pytest -q -p no:cacheprovider tests/python
}

n=0
for python; do
	n=$((n + 1))
	environment "$python" $n
	folder=build/wheel/limited option=
	if "$python" -c 'import sysconfig, sys; sys.exit(sysconfig.get_config_var("Py_GIL_DISABLED") != 1)'; then
		folder=build/wheel/$n option=-Csetup-args=-Dpython.allow_limited_api=false
	fi
	wheel $n "$folder" $option
	build/wheel/venv$n/bin/pip install -q --disable-pip-version-check "$folder"/porism-*.whl pytest hypothesis
	"build/wheel/venv$n/bin/python" -VV
	tests $n
	echo 'and without a C compiler:'
	CC=/nonexistent/cc tests $n
done
ls build/wheel/*/*.whl
