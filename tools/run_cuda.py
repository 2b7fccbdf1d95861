#!/usr/bin/env python3
"""The functions of src/math give the same bits on a GPU as on the processor.

    run_cuda.py [cuda|clang]      cuda if none is named; clang's library takes the place of the device, to try this tool

gcc's results are what the other's are held to: of every operator's function, at numbers of all sizes and signs, whole
ones, ends of ranges, NaN and infinities.  NaNs are one.  `cuda` compiles with NVRTC and runs on the first device, and
times some functions there beside a copy of as many bytes.  The status is 1 if bits differ, and 77 if there was nothing
to compare with.
"""
import ctypes
import ctypes.util
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import check_cuda

N = 1 << 12                             # elements of each argument
MANY = 1 << 26                          # of what is timed
TIMED = "exp_f64 log_f64 sin_f64 erf_f64 lgamma_f64 exp_f32 log_f32 sin_f32 erf_f32 tanh_f32".split()
FLOATS = {"double": ("d", "Q", 8), "float": ("f", "I", 4)}
SIZES = {"double": 8, "float": 4, "C64": 8, "C128": 16, **{f"{u}int{8*b}_t": b for u in ("", "u") for b in (1, 2, 4, 8)}}


def signatures():
    """Of what computes an operator: name -> the types of its arguments, and of its result."""
    text = check_cuda.program("0")[0]
    with open(os.path.join(check_cuda.ROOT, "src", "ir", "ops.h"), encoding="utf-8") as f:
        names = re.findall(r"^OP\(\w+, +(\w+),", f.read(), flags=re.M)
    operators = re.compile(rf"({'|'.join(names)})_(bool|b?f16|[iufc]\d+)$|cast_")
    found = re.findall(r"void k_(\w+)\((\w+) \*to((?:, const \w+ \*x\d+)+)\)", text)
    return {name: (re.findall(r"const (\w+)", arguments), result) for name, result, arguments in found
            if operators.match(name)}


def number(kind, r):
    """A float of all sizes: half of them of any bits, others near 1, whole, or at an end."""
    letter, bits, size = FLOATS[kind]
    way = r.randrange(8)
    if way < 3:
        return r.randbytes(size)
    if way < 5:
        return struct.pack(letter, r.choice((-1, 1))*2.0**r.uniform(-20, 9))
    if way == 5:
        return struct.pack(letter, r.randrange(-200, 200)/2)
    if way == 6:
        return struct.pack(letter, r.choice((-1, 1))*(1 + r.choice((-1, 1))*2.0**r.uniform(-24, -1)))
    ends = (0, 1, 1 << 8*size - 1) + ((0x7ff << 52, (0x7ff << 52) - 1, 1 << 52, 0x7ff8 << 48) if size == 8 else
                                     (0xff << 23, (0xff << 23) - 1, 1 << 23, 0x7fc << 20))
    return struct.pack(bits, r.choice(ends) | r.randrange(2) << 8*size - 1)


def argument(name, kind, r):
    """N elements.  A byte that is no number of 8 bits is a bool."""
    if kind in FLOATS:
        return b"".join(number(kind, r) for _ in range(N))
    if kind in ("C64", "C128"):
        return b"".join(number("float" if kind == "C64" else "double", r) for _ in range(2*N))
    if kind == "uint8_t" and not re.search(r"_[iu]8", name):
        return bytes(r.randrange(2) for _ in range(N))
    size = SIZES[kind]
    small = (r.randrange(-70, 70).to_bytes(size, "little", signed=True) for _ in range(N // 2))
    return r.randbytes(size*(N - N // 2)) + b"".join(small)


def without_nans(name, kind, data):
    """As numbers, with each NaN as None."""
    if kind in ("C64", "C128"):
        kind = "float" if kind == "C64" else "double"
    if kind in FLOATS:
        letter, bits, size = FLOATS[kind]
        n = len(data) // size
        values, raw = struct.unpack(f"{n}{letter}", data), struct.unpack(f"{n}{bits}", data)
        return [b if v == v else None for v, b in zip(values, raw)]
    raw = struct.unpack(f"{len(data) // SIZES[kind]}{dict(zip((1, 2, 4, 8), 'BHIQ'))[SIZES[kind]]}", data)
    if kind == "uint16_t" and re.search(r"_b?f16", name):
        inf = 0x7f80 if "bf16" in name else 0x7c00
        return [b if b & 0x7fff <= inf else None for b in raw]
    return list(raw)


class Processor:
    """A shared library by gcc or clang."""

    def __init__(self, compiler, folder):
        text = check_cuda.program("i")[0].replace('extern "C" __global__ ', "")
        text = re.sub(r"\) \{ int i = i; (.*?) \}\n", r", int n) { for (int i = 0; i < n; i++) { \1 } }\n", text)
        source, out = os.path.join(folder, "all.c"), os.path.join(folder, f"{compiler}.so")
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        subprocess.run([compiler, "-std=gnu11", "-O2", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC", "-w", "-I",
                        check_cuda.MATH, source, "-o", out, "-lm"], check=True)
        self.library = ctypes.CDLL(out)

    def run(self, name, arguments, size):
        to = ctypes.create_string_buffer(N*size)
        getattr(self.library, f"k_{name}")(to, *arguments, N)
        return to.raw


class Device:
    """The first one, by the driver's own interface."""

    def __init__(self, driver, ptx):
        self.driver, self.module = driver, ctypes.c_void_p()
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.ask("cuInit", 0)
        self.ask("cuDeviceGet", ctypes.byref(device), 0)
        title = ctypes.create_string_buffer(100)
        self.ask("cuDeviceGetName", title, 100, device)
        self.name = title.value.decode()
        self.ask("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.ask("cuCtxSetCurrent", context)
        self.ask("cuModuleLoadData", ctypes.byref(self.module), ptx.encode())

    def ask(self, what, *arguments):
        code = getattr(self.driver, what)(*arguments)
        if code:
            raise OSError(f"{what}: error {code} of CUDA's driver")

    def hold(self, size, data=None):
        at = ctypes.c_uint64()
        self.ask("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(size))
        if data:
            self.ask("cuMemcpyHtoD_v2", at, data, ctypes.c_size_t(size))
        return at

    def start(self, name, held, n):
        kernel, pointers = ctypes.c_void_p(), (ctypes.c_void_p * len(held))(*[ctypes.addressof(h) for h in held])
        self.ask("cuModuleGetFunction", ctypes.byref(kernel), self.module, f"k_{name}".encode())
        self.ask("cuLaunchKernel", kernel, n // 256, 1, 1, 256, 1, 1, 0, None, pointers, None)

    def run(self, name, arguments, size):
        held = [self.hold(N*size, bytes(N*size))] + [self.hold(len(a), a) for a in arguments]
        self.start(name, held, N)
        to = ctypes.create_string_buffer(N*size)
        self.ask("cuMemcpyDtoH_v2", to, held[0], ctypes.c_size_t(N*size))
        for h in held:
            self.ask("cuMemFree_v2", h)
        return to.raw

    def seconds(self, work, times=20):
        """Of one of several runs, the median, by the device's clock."""
        found, ends = [], [ctypes.c_void_p(), ctypes.c_void_p()]
        for e in ends:
            self.ask("cuEventCreate", ctypes.byref(e), 0)
        for _ in range(times):
            self.ask("cuEventRecord", ends[0], None)
            work()
            self.ask("cuEventRecord", ends[1], None)
            self.ask("cuEventSynchronize", ends[1])
            took = ctypes.c_float()
            self.ask("cuEventElapsedTime", ctypes.byref(took), *ends)
            found.append(took.value/1000)
        return sorted(found)[times // 2]

    def table(self):
        """How long some functions take for many elements, beside a copy of as many bytes."""
        r = random.Random(7)
        for name in TIMED:
            kind = "double" if name.endswith("64") else "float"
            letter, _, size = FLOATS[kind]
            part = b"".join(struct.pack(letter, r.uniform(0.01, 20)) for _ in range(1 << 16))
            x, to = self.hold(MANY*size), self.hold(MANY*size)
            for at in range(0, MANY*size, len(part)):
                self.ask("cuMemcpyHtoD_v2", ctypes.c_uint64(x.value + at), part, ctypes.c_size_t(len(part)))
            ours = self.seconds(lambda: self.start(name, [to, x], MANY))
            copy = self.seconds(lambda: self.ask("cuMemcpyDtoDAsync_v2", to, x, ctypes.c_size_t(MANY*size), None))
            print(f"       {name:12} {MANY/ours/1e9:6.1f} billion elements a second, {ours/copy:5.2f} of a copy "
                  f"({2*MANY*size/copy/1e9:.0f} GB/s)")
            for h in (x, to):
                self.ask("cuMemFree_v2", h)


def compare(way, one, other, found):
    differ = []
    for name, (arguments, result) in found.items():
        r = random.Random(name)
        given = [argument(name, kind, r) for kind in arguments]
        a, b = (without_nans(name, result, m.run(name, given, SIZES[result])) for m in (one, other))
        if a != b:
            at = next(i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1])
            differ.append(f"{name}: element {at}: {a[at]!r} by gcc, {b[at]!r}; {sum(p != q for p, q in zip(a, b))} differ")
    print(f"{way:6} {len(found)} functions, {N} elements each: {len(differ)} differ")
    for line in differ:
        print("       " + line)
    return not differ


def device():
    """A device with the functions on it, or None and why not."""
    nvrtc = check_cuda.find_nvrtc()
    if not nvrtc:
        return None, "NVRTC is not installed"
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None, "no driver is installed"
    ptx, why = check_cuda.by_nvrtc(nvrtc, "blockIdx.x*blockDim.x + threadIdx.x")
    if not ptx:
        return None, why
    try:
        return Device(driver, ptx), ""
    except OSError as e:
        return None, str(e)


def main(args):
    way = args[0] if args else "cuda"
    if len(args) > 1 or way not in ("clang", "cuda"):
        print(__doc__.strip())
        return way not in ("-h", "--help")
    missing = [c for c in ("gcc", way) if c != "cuda" and not shutil.which(c)]
    gpu, why = device() if way == "cuda" else (None, "")
    if missing or why:
        print(f"{way:6} not run: {why or missing[0] + ' is not installed'}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        if gpu:
            print(f"cuda   on {gpu.name}")
        good = compare(way, Processor("gcc", folder), gpu or Processor(way, folder), signatures())
        if gpu:
            gpu.table()
    return not good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
