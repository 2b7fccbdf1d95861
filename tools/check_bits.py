#!/usr/bin/env python3
"""The scalar functions of src/math give the same bits whatever compiles them: gcc and clang, -O0 to -O3, no vectors,
128, 256 and 512 bits, with and without a machine's fma, and 64-bit ARM under an emulator.

    check_bits.py [COUNT [WORD...]]    inputs a function (1000000); only builds whose name has one of the words

Builds at -O2 take all inputs; those at other levels, on ARM and without fma a hundredth of them (1000 at least).
polygamma takes a hundredth of either: it costs three times as much as all the others together.

Every real function of one or two arguments is found in the headers.  Inputs are the same everywhere: random bits, and
uniform numbers of [-8, 8).  A build prints a checksum for each function, any NaN counting as one; all must be equal to
those of the first build, which runs both numbers of inputs.  What is not installed is named and skipped.  The last
line counts: `N builds the same, N differ`.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
COMMON = ["-std=gnu11", "-w", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
AVX2 = ["-mavx2", "-mfma"]
AVX512 = AVX2 + ["-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl"]
WIDE = AVX512 + ["-mprefer-vector-width=512"]
LOOPS = ["-ftree-vectorize", "-fvect-cost-model=dynamic"]           # gcc makes vectors of few loops at -O2
# The first, at -O2, take all inputs; the others a hundredth.  "no fma": baseline x86, every fma a call.
BUILDS = [
    ("gcc 512 -O2", ["gcc", "-O2"] + LOOPS + WIDE),
    ("gcc 256 -O2", ["gcc", "-O2"] + LOOPS + AVX2),
    ("clang 512 -O2", ["clang", "-O2"] + WIDE),
    ("clang 256 -O2", ["clang", "-O2"] + AVX2),
    ("gcc 128 -O2", ["gcc", "-O2", "-mprefer-vector-width=128"] + LOOPS + AVX2),
    ("clang 128 -O2", ["clang", "-O2", "-mprefer-vector-width=128"] + AVX2),
    ("gcc scalar -O2", ["gcc", "-O2", "-fno-tree-vectorize"] + AVX2),
    ("clang scalar -O2", ["clang", "-O2", "-fno-vectorize", "-fno-slp-vectorize"] + AVX2),
    ("gcc no fma -O3", ["gcc", "-O3"]),
    ("clang no fma -O3", ["clang", "-O3"]),
    ("gcc 512 -O0", ["gcc", "-O0"] + AVX512),
    ("gcc 512 -O1", ["gcc", "-O1"] + AVX512),
    ("gcc 512 -O3", ["gcc", "-O3"] + WIDE),
    ("clang 512 -O0", ["clang", "-O0"] + AVX512),
    ("clang 512 -O1", ["clang", "-O1"] + AVX512),
    ("clang 512 -O3", ["clang", "-O3"] + WIDE),
    ("gcc arm64 -O2", ["aarch64-linux-gnu-gcc", "-O2", "-static"] + LOOPS),
    ("gcc arm64 -O3", ["aarch64-linux-gnu-gcc", "-O3", "-static"]),
]
DEAR = ("polygamma_f32", "polygamma_f64", "zeta_gamma_f64")

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "%s/src/math/math.h"

enum { BLOCK = 2048, LANES = 32 };

/* word i of the inputs (the finisher of S. Vigna's splitmix64) */
static uint64_t word(uint64_t i)
{
	uint64_t z = (i + 1)*0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30)*0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27)*0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Results go into LANES sums, each turned and added to, so that order and place count. */
#define PART(T, U, D, SHIFT) \
	static T x##D[BLOCK], y##D[BLOCK], o##D[BLOCK]; \
	static void fill##D(T *to, uint64_t from) \
	{ \
		for (int i = 0; i < BLOCK; i++) { \
			uint64_t u = word(from + i); U bits = (U)(u >> SHIFT); \
			if (i & 1) memcpy(&to[i], &bits, sizeof bits); \
			else to[i] = (T)((double)(int64_t)u*0x1p-60); \
		} \
	} \
	static __attribute__((noinline)) void sum##D(uint64_t *lanes) \
	{ \
		U h[LANES]; \
		for (int k = 0; k < LANES; k++) h[k] = (U)lanes[k]; \
		for (int i = 0; i < BLOCK; i += LANES) \
			for (int k = 0; k < LANES; k++) { \
				U bits; memcpy(&bits, &o##D[i + k], sizeof bits); \
				h[k] = (h[k] << 5 | h[k] >> (8*sizeof(U) - 5)) + (o##D[i + k] != o##D[i + k] ? (U)-2 : bits); \
			} \
		for (int k = 0; k < LANES; k++) lanes[k] = h[k]; \
	}
PART(float, uint32_t, _f32, 32)
PART(double, uint64_t, _f64, 0)
#define LOOP(D, f, ...) static __attribute__((noinline)) void loop_##f(void) { for (int i = 0; i < BLOCK; i++) o##D[i] = f(__VA_ARGS__); }
%s
typedef struct Function { const char *name; void (*loop)(void), (*sum)(uint64_t *); long one_in; uint64_t lanes[LANES]; } Function;
static Function functions[] = {
%s};

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000000, first = argc > 2 ? atol(argv[2]) : 0, step = argc > 3 ? atol(argv[3]) : 1;
	long all = sizeof functions/sizeof *functions;
	for (long i = 0; i < n; i += BLOCK) {
		fill_f32(x_f32, 4*i); fill_f32(y_f32, 4*i + BLOCK); fill_f64(x_f64, 4*i + 2*BLOCK); fill_f64(y_f64, 4*i + 3*BLOCK);
		for (long k = first; k < all; k += step)
			if (i/BLOCK %% functions[k].one_in == 0) functions[k].loop(), functions[k].sum(functions[k].lanes);
	}
	for (long k = first; k < all; k += step) {
		uint64_t h = 0;
		for (int l = 0; l < LANES; l++) h = (h ^ functions[k].lanes[l])*0x100000001b3u, h ^= h >> 31;
		printf("%%s %%016llx\n", functions[k].name, (unsigned long long)h);
	}
	return 0;
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
        calls += '\t{ "%s", loop_%s, sum%s, %d, { 0 } },\n' % (name, name, d, 100 if name in DEAR else 1)
    return PROGRAM % (ROOT, loops, calls), len(found)


def sums_of(binary, arm, count):
    """The checksums; a process for each processor has every so manieth function."""
    n = os.cpu_count() or 1
    runs = [subprocess.Popen((["qemu-aarch64"] if arm else []) + [binary, str(count), str(k), str(n)], text=True,
                             stdout=subprocess.PIPE) for k in range(n)]
    texts = [run.communicate()[0] for run in runs]
    if any(run.returncode for run in runs):
        sys.exit("check_bits: %s failed" % binary)
    return dict(line.split() for text in texts for line in text.splitlines())


def missing(name, command):
    """Why a build cannot be run here, or None."""
    if not shutil.which(command[0]) or ("arm64" in name and not shutil.which("qemu-aarch64")):
        return "not installed"
    if "512" in name and "avx512dq" not in open("/proc/cpuinfo", encoding="ascii").read():
        return "not on this machine"
    return None


def main(args):
    if args and not args[0].isdigit():
        print(__doc__.strip() if args[0] in ("-h", "--help") else "check_bits: COUNT is a whole number, not %s" % args[0])
        return args[0] not in ("-h", "--help")
    count, words = int(args[0]) if args else 1000000, args[1:]
    text, functions = program()
    same = differ = 0
    first = {}                                       # by the number of inputs: what the first build gave
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "bits.c"), os.path.join(folder, "bits")
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        for name, command in BUILDS:
            if words and not any(w in name for w in words):
                continue
            why = missing(name, command)
            if why:
                print("%-18s skipped: %s" % (name, why))
                continue
            full = "-O2" in name and "arm64" not in name
            inputs = count if full else max(count//100, 1000)
            subprocess.run(command + COMMON + [source, "-o", binary, "-lm"], check=True)
            start = time.monotonic()
            sums = sums_of(binary, "arm64" in name, inputs)
            if not first:
                first[max(count//100, 1000)] = sums_of(binary, "arm64" in name, max(count//100, 1000))
            wanted = first.setdefault(inputs, sums)
            wrong = sorted(f for f in wanted if sums.get(f) != wanted[f])
            same, differ = same + (not wrong), differ + bool(wrong)
            print("%-18s %9d inputs, %4.0f s: %d functions, %s" % (
                name, inputs, time.monotonic() - start, len(sums), "the same" if not wrong else "differ: " + " ".join(wrong)), flush=True)
    print("%d builds the same, %d differ (%d functions)" % (same, differ, functions))
    return 1 if differ or not same else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
