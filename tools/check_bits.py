#!/usr/bin/env python3
"""The scalar functions of src/math give the same bits whatever compiles them: gcc and clang, -O0 to -O3, no vectors,
128, 256 and 512 bits, with and without a machine's fma, and 64-bit ARM under an emulator.

    check_bits.py [COUNT [WORD...]]    inputs a function (1000000); only builds whose name has one of the words

Every real function of one or two arguments is found in the headers.  Inputs are the same everywhere: random bits, and
uniform numbers of [-8, 8).  A build prints a checksum for each function, any NaN counting as one; all must be equal to
those of the first.  What is not installed is named and skipped.  The last line counts: `N builds the same, N differ`.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
COMMON = ["-std=gnu11", "-w", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
AVX2 = ["-mavx2", "-mfma"]
AVX512 = AVX2 + ["-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl"]
BUILDS = [
    ("gcc scalar fma -O2", ["gcc", "-O2", "-fno-tree-vectorize"] + AVX2),
    ("gcc 128 -O3", ["gcc", "-O3"]),
    ("gcc 256 -O3", ["gcc", "-O3"] + AVX2),
    ("gcc 512 -O3", ["gcc", "-O3", "-mprefer-vector-width=512"] + AVX512),
    ("gcc 512 -O0", ["gcc", "-O0"] + AVX512),
    ("gcc 512 -O1", ["gcc", "-O1"] + AVX512),
    ("clang 128 -O2", ["clang", "-O2"]),
    ("clang 256 -O2", ["clang", "-O2"] + AVX2),
    ("clang 512 -O3", ["clang", "-O3", "-mprefer-vector-width=512"] + AVX512),
    ("gcc arm64 -O3", ["aarch64-linux-gnu-gcc", "-O3", "-static"]),
]

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "%s/src/math/math.h"

enum { BLOCK = 4096 };
static uint64_t state;
static uint64_t next(void)
{
	state = state*6364136223846793005u + 1442695040888963407u;
	uint64_t x = state ^ state >> 29;
	return x*0xbf58476d1ce4e5b9u ^ x >> 32;
}

#define PART(T, U, D, SHIFT) \
	static T x##D[BLOCK], y##D[BLOCK], o##D[BLOCK]; \
	static void fill##D(T *to) \
	{ \
		for (int i = 0; i < BLOCK; i++) { \
			uint64_t u = next(); U bits = (U)(u >> SHIFT); \
			if (i & 1) memcpy(&to[i], &bits, sizeof bits); \
			else to[i] = (T)((double)(int64_t)u*0x1p-60); \
		} \
	} \
	static uint64_t sum##D(uint64_t h) \
	{ \
		for (int i = 0; i < BLOCK; i++) { \
			U bits; memcpy(&bits, &o##D[i], sizeof bits); \
			h = (h ^ (o##D[i] != o##D[i] ? (U)-2 : bits))*0x100000001b3u; h ^= h >> 31; \
		} \
		return h; \
	} \
	static void run##D(const char *name, void (*loop)(void), long n) \
	{ \
		uint64_t h = 0; \
		state = 1; \
		for (long i = 0; i < n; i += BLOCK) { fill##D(x##D); fill##D(y##D); loop(); h = sum##D(h); } \
		printf("%%s %%016llx\n", name, (unsigned long long)h); \
	}
PART(float, uint32_t, _f32, 32)
PART(double, uint64_t, _f64, 0)
#define LOOP(D, f, ...) static __attribute__((noinline)) void loop_##f(void) { for (int i = 0; i < BLOCK; i++) o##D[i] = f(__VA_ARGS__); }
%s
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000000;
%s	return 0;
}
"""


def program():
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "math", "*.h"))):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for kind in ("float", "double"):
            found += re.findall(r"^M %s +(\w+_f(?:32|64))\(%s \w+(, %s \w+)?\)" % (kind, kind, kind), text, flags=re.M)
    loops = calls = ""
    for name, second in found:
        d = name[-4:]
        loops += "LOOP(%s, %s, x%s[i]%s)\n" % (d, name, d, ", y%s[i]" % d if second else "")
        calls += '\trun%s("%s", loop_%s, n);\n' % (d, name, name)
    return PROGRAM % (ROOT, loops, calls), len(found)


def main(args):
    count, words = args[0] if args else "1000000", args[1:]
    text, functions = program()
    same = differ = 0
    first = None
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "bits.c")
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        for name, command in BUILDS:
            if words and not any(w in name for w in words):
                continue
            arm = "arm64" in name
            if not shutil.which(command[0]) or (arm and not shutil.which("qemu-aarch64")):
                print("%-20s skipped: not installed" % name)
                continue
            if "512" in name and "avx512dq" not in open("/proc/cpuinfo", encoding="ascii").read():
                print("%-20s skipped: not on this machine" % name)
                continue
            binary = os.path.join(folder, "bits")
            subprocess.run(command + COMMON + [source, "-o", binary, "-lm"], check=True)
            run = (["qemu-aarch64"] if arm else []) + [binary, count]
            sums = dict(line.split() for line in subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines())
            first = first or sums
            wrong = sorted(f for f in first if sums.get(f) != first[f])
            same, differ = same + (not wrong), differ + bool(wrong)
            print("%-20s %d functions, %s" % (name, len(sums), "the same" if not wrong else "differ: " + " ".join(wrong)), flush=True)
    print("%d builds the same, %d differ (%d functions, %s inputs each)" % (same, differ, functions, count))
    return 1 if differ or not same else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
