#!/usr/bin/env python3
"""The text of src/math compiles as CUDA device code, by whatever is there: clang's own front end, nvcc, NVRTC.

    check_cuda.py [WAY...]     of clang, nvcc, nvrtc; all if none is named

A kernel is made for every function that takes and gives numbers, and all are compiled to PTX without contraction.  They
must all be in it, and nothing approximate, flushed to zero or called may be: square roots, quotients and fma are those
that are rounded once, so the bits are those of the processor.  What is not installed is named and skipped; nothing is
run.  The status is 1 if a way failed, and 77 if none was there.
"""
import ctypes
import ctypes.util
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
MATH = os.path.join(ROOT, "src", "math")
BAD = re.compile(r"\.approx|div\.full|\.ftz|\bcall\b")
ATTRIBUTES = ["-D__%s__=__attribute__((%s))" % (w, w) for w in ("device", "global")]
CLANG = ["clang", "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_70", "-O2",
         "-ffp-contract=off", "-Wno-unknown-cuda-version", "-S"] + ATTRIBUTES
NVCC = ["nvcc", "-arch=sm_80", "-fmad=false", "--ptx"]
LIBRARIES = ["/usr/local/cuda/lib64/libnvrtc.so"] + glob.glob(
    os.path.join(sys.prefix, "lib", "python*", "site-packages", "nvidia", "*", "lib", "libnvrtc.so*"))


def program(index):
    """The kernels; index is the expression for the number of the element."""
    text, names = '#include "math.h"\n', []
    for path in sorted(glob.glob(os.path.join(MATH, "*.h"))):
        with open(path, encoding="utf-8") as f:
            header = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        for result, name, parameters in re.findall(r"^M +(\w+) +(\w+)\(([^)]*)\)", header, flags=re.M):
            if "*" in parameters or result == "void":
                continue
            types = [p.split()[0] for p in parameters.split(",")]
            text += 'extern "C" __global__ void k_%s(%s *to%s) { int i = %s; to[i] = %s(%s); }\n' % (
                name, result, "".join(", const %s *x%d" % (t, n) for n, t in enumerate(types)), index, name,
                ", ".join("x%d[i]" % n for n in range(len(types))))
            names.append(name)
    return text, names


def by_command(command, index, folder):
    """PTX from a compiler that is started, or None and why not."""
    source, out = os.path.join(folder, "all.cu"), os.path.join(folder, "all.ptx")
    with open(source, "w", encoding="utf-8") as f:
        f.write(program(index)[0])
    done = subprocess.run(command + ["-I", MATH, source, "-o", out], capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr
    with open(out, encoding="utf-8") as f:
        return f.read(), ""


def find_nvrtc():
    for name in LIBRARIES + [ctypes.util.find_library("nvrtc")]:
        try:
            if name:
                return ctypes.CDLL(name)
        except OSError:
            pass
    return None


def by_nvrtc(library, index="threadIdx.x"):
    """PTX from the library that compiles in memory; headers are given with the text."""
    headers = [os.path.basename(p) for p in sorted(glob.glob(os.path.join(MATH, "*.h")))]
    texts = []
    for name in headers:
        with open(os.path.join(MATH, name), "rb") as f:
            texts.append(f.read())
    made, size = ctypes.c_void_p(), ctypes.c_size_t()
    n, options = len(headers), [b"--gpu-architecture=compute_80", b"-fmad=false"]
    library.nvrtcCreateProgram(ctypes.byref(made), program(index)[0].encode(), b"all.cu", n,
                               (ctypes.c_char_p * n)(*texts), (ctypes.c_char_p * n)(*[h.encode() for h in headers]))
    failed = library.nvrtcCompileProgram(made, len(options), (ctypes.c_char_p * len(options))(*options))
    want, get = ("nvrtcGetProgramLogSize", "nvrtcGetProgramLog") if failed else ("nvrtcGetPTXSize", "nvrtcGetPTX")
    getattr(library, want)(made, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(library, get)(made, text)
    library.nvrtcDestroyProgram(ctypes.byref(made))
    out = text.value.decode()
    return (None, out) if failed else (out, "")


def judge(way, ptx, why):
    names = program("0")[1]
    if ptx is None:
        print("%-6s failed:\n%s" % (way, why[:2000]))
        return False
    missing = [n for n in names if not re.search(r"entry k_%s\b" % n, ptx)]
    bad = sorted(set(BAD.findall(ptx)))
    print("%-6s %d functions%s%s" % (way, len(names) - len(missing), ", missing: " + " ".join(missing) if missing else "",
                                     ", not exact: " + " ".join(bad) if bad else ", all exact"))
    return not missing and not bad


def main(args):
    unknown = [a for a in args if a not in ("clang", "nvcc", "nvrtc")]
    if unknown:
        print(__doc__.strip() if unknown[0] in ("-h", "--help") else "check_cuda: there is no way %s" % unknown[0])
        return unknown[0] not in ("-h", "--help")
    found = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for way, command, index in (("clang", CLANG, "__nvvm_read_ptx_sreg_tid_x()"), ("nvcc", NVCC, "threadIdx.x")):
            if args and way not in args:
                continue
            if not shutil.which(command[0]):
                print("%-6s skipped: not installed" % way)
                continue
            found, failed = found + 1, failed + (not judge(way, *by_command(command, index, folder)))
    if not args or "nvrtc" in args:
        library = find_nvrtc()
        if library:
            found, failed = found + 1, failed + (not judge("nvrtc", *by_nvrtc(library)))
        else:
            print("nvrtc  skipped: not installed")
    return 1 if failed else 0 if found else 77


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
