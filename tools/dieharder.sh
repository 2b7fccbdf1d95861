#!/bin/sh
# Tests of R. G. Brown's dieharder on every stream of random words; skipped where the program is not installed.
#
#     tools/dieharder.sh CHECK_RANDOM [TEST...]    numbers of tests, as dieharder -l lists them
set -eu
check=$1
shift
[ $# -gt 0 ] || exit 0
command -v dieharder >/dev/null 2>&1 || { echo 'dieharder: skipped: not installed'; exit 0; }
failed=0
streams=$("$check" --streams)
stream=0
while [ "$stream" -lt "$streams" ]; do
	for test in "$@"; do
		lines=$("$check" --raw "$stream" 2>/dev/null | dieharder -g 200 -d "$test" | grep -E 'PASSED|WEAK|FAILED' || true)
		echo "$lines" | sed "s/^/stream $stream: /"
		case $lines in *FAILED* | '') failed=1 ;; esac
	done
	stream=$((stream + 1))
done
exit $failed
