#!/bin/sh
# Installs into a folder of its own and builds the examples in C and C++ against what lies there, found by
# pkg-config; then runs each, and does what README.md says, from an empty folder:  check_install.sh [BUILD].
# Also: the header alone is clean C and C++; both libraries define por_* alone, so that a program may have functions
# of any other name; the page of the manual and completion hold.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/release}")
stage=$build/stage
rm -rf "$stage"
meson install -C "$build" --no-rebuild --quiet --destdir "$stage"
pc=$(find "$stage" -name porism.pc | head -1)
sed -i "s|^prefix=|&$stage|" "$pc"
export PKG_CONFIG_PATH="${pc%/*}"
lib=${pc%/pkgconfig/porism.pc}
bin=$(find "$stage" -path '*/bin/porism' -printf '%h\n')
flags="$(pkg-config --cflags --libs porism) -Wl,-rpath,$lib"
out=$stage/examples
mkdir -p "$out"

echo '#include <porism.h>' >"$out/header.c"
cp "$out/header.c" "$out/header.cpp"
# shellcheck disable=SC2046,SC2086
{
	gcc -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags porism) "$out/header.c"
	g++ -std=c++17 -pedantic -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags porism) "$out/header.cpp"
	for f in examples/c/*.c; do
		name=$(basename "$f" .c)
		gcc -std=c11 -Wall -Wextra -Werror "$f" $flags -lm -o "$out/$name"
	done
	for f in examples/c/*.cpp; do
		[ -e "$f" ] || continue
		g++ -std=c++17 -pedantic -Wall -Wextra -Werror "$f" $flags -o "$out/$(basename "$f" .cpp)_cpp"
	done
}
for f in "$out"/*; do
	[ -x "$f" ] || continue
	echo "-- $(basename "$f")"
	"$f"
done
# a program as C: written by the library, built without it
(
	cd "$stage"
	# shellcheck disable=SC2086
	gcc -std=c11 -Wall -Wextra -Werror "$OLDPWD/examples/c/standalone/export.c" $flags -o export
	./export
	gcc -std=c11 -Wall -Wextra -Werror -I. "$OLDPWD/examples/c/standalone/use.c" logistic.c -lm -o use
	echo '-- standalone'
	./use
)
alien=$(nm -D --defined-only "$lib/libporism.so" | awk '$2 != "A" {print $3}' | grep -v '^por_' || true)
[ -z "$alien" ] || { echo "exported besides por_*: $alien"; exit 1; }
alien=$(nm --defined-only --extern-only "$lib/libporism.a" | awk 'NF == 3 {print $3}' | grep -v '^por_' || true)
[ -z "$alien" ] || { echo "the static library defines besides por_*: $alien"; exit 1; }
# a program with functions of names that the library has inside
cat >"$out/names.c" <<'END'
#include <porism.h>
#include <stdio.h>
int fail(void), arena_new(void), dtype_bytes(void);
int fail(void) { return 1; }
int arena_new(void) { return 2; }
int dtype_bytes(void) { return 3; }
int main(void)
{
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *y = por_mul(x, x);
	por_program *p = por_compile(g, 1, &x, 1, &y, NULL);
	double v = 3, z = 0;
	por_array in = por_view(&v, POR_F64, 0, NULL), out = por_view(&z, POR_F64, 0, NULL);
	if (!p || por_call(p, NULL, 1, &in, 1, &out) || z != 9) return 1;
	por_program_free(p);
	por_close(g);
	return fail() + arena_new() + dtype_bytes() != 6;
}
END
# shellcheck disable=SC2046
gcc -std=c11 -Wall -Wextra -Werror "$out/names.c" $(pkg-config --cflags porism) "$lib/libporism.a" \
	$(pkg-config --static --libs porism | sed 's/-lporism//') -o "$out/names"
"$out/names"
# the page of the manual, completion, README word by word
man=$(find "$stage" -path '*/man1/porism.1*')
grep -q '^.SS explain' "$man" || { echo "no page of the manual: $man"; exit 1; }
if command -v groff >/dev/null; then
	said=$(groff -man -Tascii -ww "$man" 2>&1 >/dev/null)
	[ -z "$said" ] || { echo "$man: $said"; exit 1; }
fi
if command -v bash >/dev/null; then
	done=$(cd examples && bash -c '. "$1"; COMP_LINE="porism run flow.por:gr" COMP_POINT=22
		COMP_WORDS=(porism run flow.por : gr) COMP_CWORD=4; _porism; echo "${COMPREPLY[*]}"' bash \
		"$(find "$stage" -name porism.bash)")
	[ "$done" = gradient ] || { echo "bash completes flow.por:gr as '$done'"; exit 1; }
fi
PATH="$bin:$PATH" LD_LIBRARY_PATH="$lib" tools/check_readme.py
readelf -d "$lib/libporism.so" | grep -q 'SONAME.*libporism.so.0' || { echo 'no SONAME'; exit 1; }
# what is installed is taken away again, whole, also below a folder of our name, as a clone is
listed=$build/installed
[ ! -e "$listed" ] || cp "$listed" "$stage/listed"
tools/install.sh "$build" "$stage/porism" >/dev/null
tools/install.sh --remove "$build" >/dev/null
left=$(find "$stage" -path "$stage/porism/*" ! -type d)
[ -z "$left" ] || { echo "left after it was removed: $left"; exit 1; }
[ ! -e "$stage/listed" ] || mv "$stage/listed" "$listed"
echo 'installed, and the examples run'
