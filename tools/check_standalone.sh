#!/bin/sh
# A model as C that needs nothing:  check_standalone.sh [BUILD]
#
# Built by cc alone it must give the bits of the library, from baseline and best instruction set; need nothing but
# libc's memory and string functions and libm; call no malloc; and give the same bits on 64-bit ARM, built by a cross
# compiler and run under an emulator.  The last line is `N passed, N failed`.
set -u
cd "$(dirname "$0")/.."
build=${1:-build/release}
out=$build/standalone
porism=$build/porism
digits=examples/digits/digits
passed=0
failed=0
mkdir -p "$out"

check() {
	name=$1
	shift
	if "$@" >"$out/log" 2>&1; then
		passed=$((passed + 1))
		echo "ok    $name"
	else
		failed=$((failed + 1))
		echo "FAIL  $name"
		tail -5 "$out/log"
	fi
}

# nothing but what is named here is undefined in the object file
lean() {
	alien=$(nm -u "$1" | awk '{print $2}' | grep -vE \
		'^(_GLOBAL_OFFSET_TABLE_|mem(cpy|set|move|cmp)|fmaf?|sqrtf?|floorf?|ceilf?|rintf?|truncf?|__stack_chk_fail)$' || true)
	[ -z "$alien" ] || { echo "it needs $alien"; return 1; }
}

check 'a model' "$porism" run $digits.por:init 'k=key(3)' -o "$out/model.npz"
check 'its scores' "$porism" run $digits.por:scores "p=@$out/model.npz" X=@$digits.npz:x -o "$out/scores.npy"
check 'the pictures' "$porism" eval X X=@$digits.npz:x -o "$out/pictures.npy"
check 'the model as C' "$porism" build $digits.por:scores "p=@$out/model.npz" 'X: u8[m, 64]' --name digits_model -o "$out"
check 'cc alone' cc -o "$out/here" -I"$out" examples/digits/standalone.c "$out/digits_model.c" -lm
check 'the same bits' "$out/here" "$out/pictures.npy" "$out/scores.npy"
check 'an object file' cc -O2 -c -o "$out/model.o" "$out/digits_model.c"
check 'it needs nothing' lean "$out/model.o"
check 'as C++ too' sh -c "echo '#include \"digits_model.h\"' | g++ -std=c++17 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ -I$out -"
check 'a cross compiler for 64-bit ARM' aarch64-linux-gnu-gcc -static -o "$out/arm" -I"$out" examples/digits/standalone.c \
	"$out/digits_model.c" -lm
check 'the same bits on 64-bit ARM' qemu-aarch64 "$out/arm" "$out/pictures.npy" "$out/scores.npy"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
