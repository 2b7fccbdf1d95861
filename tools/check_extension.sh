#!/bin/sh
# The extension of Python under AddressSanitizer and UndefinedBehaviorSanitizer: compiles python/core once more with both,
# over the library of a build that has none, and runs the tests of the package with it.
#
#     tools/check_extension.sh [BUILD]      build/release if not given; needs gcc and a Python with NumPy and pytest
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/release}")
python=
for p in python3 /usr/bin/python3 build/venv/bin/python; do
	[ -n "$python" ] || ! "$p" -c 'import sys, numpy, pytest; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || python=$p
done
[ -n "$python" ] || { echo 'extension: no Python with NumPy and pytest' >&2; exit 3; }
folder=build/asan-python
rm -rf "$folder"
mkdir -p "$folder"
cp -r "$build/python/porism" "$folder/porism"
rm -f "$folder"/porism/_core*.so
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
gcc -shared -fPIC -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -DPy_LIMITED_API=0x030b0000 \
	-I"$headers" -Iinclude python/core/*.c "$build/libporism.a" -lpthread -ldl -lm -lxxhash -o "$folder/porism/_core.abi3.so"
# What Python itself keeps to its end is no leak of ours: test_lasting counts those.  Left out: what counts the memory
# of the process, of which the sanitizer keeps what was freed, and what gives a process an environment of its own.
tests='tests/python/test_call.py tests/python/test_effects.py tests/python/test_explicit.py tests/python/test_jit.py tests/python/test_lasting.py
	tests/python/test_operators.py tests/python/test_own.py tests/python/test_random.py tests/python/test_transforms.py'
# shellcheck disable=SC2086
CYCLES=200 PYTHONPATH=$folder LD_PRELOAD=$(gcc -print-file-name=libasan.so) \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0 \
	UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
	timeout 1200 "$python" -B -m pytest -q -p no:cacheprovider $tests \
	--deselect tests/python/test_call.py::test_nothing_is_kept --deselect tests/python/test_call.py::test_without_a_compiler
