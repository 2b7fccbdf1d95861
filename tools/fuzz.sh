#!/bin/sh
# fuzz.sh SECONDS [NAME]: runs every fuzzer of what is read (or one) for so many seconds; exit 1 if one finds a fault.
# fuzz_program, which compiles and calls what it reads, is a hunt of its own: fuzz.sh SECONDS fuzz_program.
# The last line is `N passed, N failed`.  Needs clang and its libFuzzer.
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=${1:-60}
only=${2:-}
dir=build/fuzz
if ! command -v clang >/dev/null 2>&1; then
	echo 'fuzz: there is no clang (tools/setup.sh all installs it)'
	echo '0 passed, 1 failed'
	exit 1
fi
mkdir -p build
if [ ! -f $dir/build.ninja ]; then
	CC=clang meson setup $dir -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 \
		>$dir.log 2>&1 || { cat $dir.log; echo '0 passed, 1 failed'; exit 1; }
fi
targets=$(for f in tests/fuzz/fuzz_*.c; do
	n=${f##*/}
	[ "${n%.c}" = fuzz_program ] && [ "$only" != fuzz_program ] || echo "tests/${n%.c}"
done)
# shellcheck disable=SC2086
ninja -C $dir $targets >build/fuzz.out 2>&1 || { tail -40 build/fuzz.out; echo '0 passed, 1 failed'; exit 1; }
passed=0
failed=0
for t in $targets; do
	name=${t#tests/}
	[ -z "$only" ] || [ "$only" = "$name" ] || continue
	corpus=build/corpus/$name
	mkdir -p "$corpus"
	seeds=tests/fuzz/seeds/${name#fuzz_}
	[ "$name" = fuzz_notation ] && seeds=tests/lang/cases
	more=
	if [ "$name" = fuzz_program ]; then
		seeds=build/corpus/forms
		mkdir -p $seeds
		python3 tools/split.py tests/lang/cases/forms.por $seeds || exit 1
		more=-entropic=0                # whose weights, of 200,000 features, take nine tenths of the time
	fi
	[ -d "$seeds" ] || seeds=
	# shellcheck disable=SC2086
	if "$dir/$t" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
		$more -artifact_prefix="build/corpus/$name-" "$corpus" $seeds >"build/$name.out" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/$name.out")
		echo "$name: $runs inputs in $seconds s, no fault"
		passed=$((passed + 1))
	else
		echo "$name: a fault:"
		tail -30 "build/$name.out"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
