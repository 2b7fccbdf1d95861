#!/bin/sh
# build.sh BUILD TARGET SECONDS WHAT: builds a target of Ninja's and says, where there is something to do, what it is,
# in how many steps, the first time about how long it takes (SECONDS: of one core) and at last how long it took.
set -eu
build=$1
target=$2
work=$3
what=$4

ninja -C "$build" build.ninja >"$build/regenerate.log" 2>&1 || { cat "$build/regenerate.log"; exit 1; }
steps=$(ninja -C "$build" -n "$target" | sed -n 's/^\[[0-9]*\/\([0-9]*\)\].*/\1/p' | tail -1)
[ -n "$steps" ] || exit 0

cores=$(nproc 2>/dev/null || echo 1)
long=
if [ ! -e "$build/$target.built" ]; then
	about=$((work / cores))
	[ "$about" -ge 20 ] || about=20                 # the longest single step
	long=": about $(((about + 9) / 10 * 10)) s on $cores cores"
fi
echo "Building $what, $steps steps$long"
begin=$(date +%s)
ninja -C "$build" "$target" || exit 1
: >"$build/$target.built"
echo "Built in $(($(date +%s) - begin)) s"
