#!/bin/sh
# Programs as C that need nothing: a model, and those of tests/standalone.  check_standalone.sh [BUILD]
#
# Built by cc alone they must give the bits of the library; need nothing but libc's memory functions and libm; call no
# malloc; keep nothing between calls; and give the same bits on 64-bit ARM, built by a cross compiler and run under an
# emulator.  The last line is `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
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

# every variable in it is constant (of addresses: once it is loaded), but `found`: which instruction set the machine
# has: the same for all threads
reentrant() {
	kept=$(nm -f sysv "$1" | awk -F'|' '$7 ~ /^\.(t?data|t?bss)|COM/ && $7 !~ /^\.data\.rel\.ro/ {print $1}' |
		grep -vE '^found[.0-9]* *$' || true)
	[ -z "$kept" ] || { echo "it keeps $kept"; return 1; }
}

# the programs of tests/standalone and what the library answers
programs() {
	for each in $names; do
		"$porism" run "tests/standalone/programs.por:$each" s=1.25 -o "$out/$each.npy" &&
			"$porism" build "tests/standalone/programs.por:$each" --name "$each" -o "$out" || return 1
	done
}
built() {                       # built COMPILER... PROGRAM
	# shellcheck disable=SC2046,SC2086
	"$@" "-DPROGRAMS=$(printf 'X(%s) ' $names)" tests/standalone/run.c $(printf "$out/%s.c " $names) -lm
}
answers() {                     # answers COMMAND...
	# shellcheck disable=SC2046
	"$@" $(for each in $names; do echo "$each=$out/$each.npy"; done)
}

check 'a model' "$porism" run $digits.por:init 'k=key(3)' -o "$out/model.npz"
check 'its scores' "$porism" run $digits.por:scores "p=@$out/model.npz" X=@$digits.npz:x -o "$out/scores.npy"
check 'the pictures' "$porism" eval X X=@$digits.npz:x -o "$out/pictures.npy"
check 'the model as C' "$porism" build $digits.por:scores "p=@$out/model.npz" 'X: u8[m, 64]' --name digits_model -o "$out"
check 'cc alone' cc -o "$out/here" -I"$out" examples/digits/standalone.c "$out/digits_model.c" -lm
check 'the same bits' "$out/here" "$out/pictures.npy" "$out/scores.npy"
check 'an object file' cc -O2 -c -o "$out/model.o" "$out/digits_model.c"
check 'it needs nothing' lean "$out/model.o"
check 'it keeps nothing' reentrant "$out/model.o"
for flag in -ffast-math -Ofast -ffinite-math-only -mfpmath=387; do
	check "it refuses $flag" sh -c "! cc $flag -c -o '$out/refused.o' '$out/digits_model.c' 2>'$out/said' && grep -q '#error' '$out/said'"
done
check 'as C++ too' sh -c "echo '#include \"digits_model.h\"' | g++ -std=c++17 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ -I$out -"
check 'a cross compiler for 64-bit ARM' aarch64-linux-gnu-gcc -static -o "$out/arm" -I"$out" examples/digits/standalone.c \
	"$out/digits_model.c" -lm
check 'the same bits on 64-bit ARM' qemu-aarch64 "$out/arm" "$out/pictures.npy" "$out/scores.npy"

names=$(sed -n 's|^fn \([a-z]*\)(s: f64).*|\1|p' tests/standalone/programs.por | grep -v '^ramp$' | tr '\n' ' ')
check 'programs as C' programs
check 'programs: cc alone' built cc -o "$out/programs"
check 'programs: the same bits' answers "$out/programs"
check 'programs: a cross compiler' built aarch64-linux-gnu-gcc -static -o "$out/programs_arm"
check 'programs: the same bits on 64-bit ARM' answers qemu-aarch64 "$out/programs_arm"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
