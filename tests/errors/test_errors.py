#!/usr/bin/env python3
"""What bad input says, and the exit codes: the cases of cases.txt through the command, then NULL into every public
function.  Shows every message.  The last line is `N passed, N failed`.

    test_errors.py BUILD
"""
import glob
import os
import shlex
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

def npy(descr, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data

def files(folder):
    good = "fn f(x: f64, k: i64) = x*k\n\nfn positive(x: f64 if x > 0) = log(x)\n\n"
    good += "fn root(x: f64 if x >= 0) = sqrt(x)\n\nfn handed(y: f64) = root(y) + 1\n\nfn many(x: f64[n]) = 2*x\n\n"
    good += "fn wrong(x: f64) = absent(x)\n\nfn for_ever(x: f64) = for_ever(x)\n"
    twice = "fn a0(x: f64) = x + x\n" + "".join("fn a%d(x: f64) = a%d(a%d(x))\n" % (i, i - 1, i - 1) for i in range(1, 40))
    made = {
        "good.por": good.encode(),
        "twice.por": twice.encode(),
        "broken.por": b"fn f(x: f64) =\n    x + * 2\n",
        "deep.por": ("fn f(x: f64) = " + "("*5000 + "x" + ")"*5000 + "\n").encode(),
        "halves.por": b"fn f(h: f16 if h > 0) = sqrt(h)\nfn g(h: bf16[n] if h > 0) = sum(h)\n",
        "brackets.por": b"fn f[k](x: f64) = k*x\nfn g(x: f64) = f(x)\nfn h[n](x: f64) = f64[n](x)\n",
        "minus.por": b"fn f(x: f64) = " + b"-"*100000 + b"x\n",
        "lists.por": b"fn f(x: f64) = " + b"["*100000 + b"\n",
        "types.por": b"fn f(x: " + b"("*100000 + b"\n",
        "bytes.por": b"fn f(x: f64) = \xff\xfe\n",
        "binary.por": bytes(range(256)),
        "false.por": b"book wrong: algebra\nhalf_log: log(x^2)/2 => log(x)   real\n",
        "use_none.por": b"fn f(x: f64) = x\nuse nothing\n",
        "use_less.por": b"fn f(x: f64) = draw.normal(key(1), x, 1)\n",
        "use_path.por": b"use ../good\nfn f(x: f64) = x\n",
        "use_points.por": b"use a.b\nfn f(x: f64) = x\n",
        "use_self.por": b"use use_self\nfn f(x: f64) = x\n",
        "apart.por": b"fn centred(X: f64[m, n]) = X - mean[1](X)\n"
                     b"fn product(X: f64[m, n], w: f64[k]) = X @ w\n"
                     b"fn walk(x: f64[n], y: f64[m]) = scan (s = 0.0, a in x, b in y) => s + a*b\n"
                     b"fn inner(x: f64[n], y: f64[m]) = dot(x, y)\n"
                     b"fn convert(x: f64[n], y: f64[m]) = f64[n](y) + x\n"
                     b"fn calls(x: f64[n], y: f64[n]) = two(x, y)\n"
                     b"fn two(x: f64[n], y: f64[m]) = concat(x, y) + concat(y, x)\n"
                     b"fn carried(x: f64[n], y: f64[m]) = scan (r = x, i < 3) => y\n"
                     b"fn add(x: f64[n], y: f64[m], k: i64[p]) = x with [k] += y\n"
                     b"fn set(x: f64[n], y: f64[m]) = x with [:] = y\n"
                     b"fn row(x: f64[n], A: f64[m, m]) = A with [0] = x\n"
                     b"fn solve(L: f64[n, n], y: f64[m]) = tri_solve[upper](L, y)\n"
                     b"fn against(x: f64[n], y: f64[m]) = vjp(x^2, x, y)\n"
                     b"fn one(x: f64[k], y: f64[k]) = dot(x, y)\n"
                     b"fn result(x: f64[n], y: f64[m]) -> f64[m] = x\n"
                     b"fn handed(x: f64[n], y: f64[m]) = one(x, y)\n",
        "promise.por": b"fn sizes(x: f64[n] if n > 2) = sum(x)\n"
                       b"fn bound(x: f64, y: f64 if y < x) = x*y\nfn inner(x: f64) = bound(x, 2)\n",
        "use_broken.por": b"use broken\nfn g(x: f64) = broken.f(x)\n",
        "use_binary.por": b"use binary\nfn f(x: f64) = x\n",
        "short.npy": npy("<f8", (4,), b"\0"*8),
        "liar.npy": npy("<f8", (2,), b"\0"*8*9),
        "huge.npy": npy("<f8", (1 << 62, 1 << 62), b""),
        "wraps.npy": npy("<f8", (1 << 61,), b""),
        "past.npy": npy("<f8", (1 << 63,), b""),
        "minus.npy": npy("<f8", (-2, -2), b"\0"*32),
        "axes.npy": npy("<f8", (1,)*40, b"\0"*8),
        "objects.npy": npy("|O", (1,), b"\0"*8),
        "empty.npy": b"",
        "header.npy": b"\x93NUMPY\x01\x00\xff\xff{'descr'",
        "short.npz": b"PK\x03\x04 and then nothing",
        "table.csv": b"a,b\n1,2\n3,4\n",
        "ragged.csv": b"a,b\n1,2\n3\n",
        "quote.csv": b"a,b\n1,\"2\n",
        "fails": b"#!/bin/sh\nexit 1\n",
        "crashes": b"#!/bin/sh\nkill -SEGV $$\n",
        "hangs": b"#!/bin/sh\nexec sleep 1000\n",
    }
    for name, data in made.items():
        path = os.path.join(folder, name)
        with open(path, "wb") as f:
            f.write(data)
        os.chmod(path, 0o755 if data.startswith(b"#!") else 0o644)

class Case:
    """What is run: the words, variables of its environment, and whether %d/full has no room: it is a disk that is full or,
    where this user may mount none, a folder for a program that may write no bytes into files."""

    def __init__(self, words):
        self.words, self.code, self.texts, self.environment, self.full = words, None, [], {}, False

    def command(self, porism, folder, disks):
        if not self.full:
            return [porism] + self.words
        disk = os.path.join(folder, "full")
        os.makedirs(disk, exist_ok=True)
        if not disks:
            return ["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "sh", porism] + self.words
        fill = 'mount -t tmpfs -o size=64k none "$0" && head -c 70000 /dev/zero >"$0/filler" 2>"$0/../said"; exec "$@"'
        return ["unshare", mounting(), "sh", "-c", fill, disk, porism] + self.words

def mounting():
    """unshare's option for a name space in which this user may mount; root needs no other user's."""
    return "-m" if os.geteuid() == 0 else "-rm"

def may_mount(folder):
    """Whether there are such name spaces here; containers often have none."""
    return subprocess.run(["unshare", mounting(), "mount", "-t", "tmpfs", "none", folder], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0

def cases(folder):
    now = None
    with open(os.path.join(HERE, "cases.txt"), encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("$ "):
                if now:
                    yield now
                now = Case(shlex.split(line[2:].replace("%d", folder)))
            elif line.startswith("exit "):
                now.code = int(line[5:])
            elif line.startswith("says "):
                now.texts.append(line[5:].replace("%d", folder))
            elif line.startswith("env "):
                name, value = line[4:].replace("%d", folder).split("=", 1)
                now.environment[name] = value
            elif line == "full":
                now.full = True
    yield now

def run_case(porism, case, folder, disks):
    """Why it failed, or None; and the message."""
    try:
        run = subprocess.run(case.command(porism, folder, disks), capture_output=True, text=True, errors="replace", timeout=1000,
                             cwd=ROOT, env=dict(os.environ, **case.environment))
    except subprocess.TimeoutExpired:
        return "took more than 1000 seconds", ""
    said = run.stderr if run.stderr.strip() else run.stdout
    if run.returncode != case.code:
        return "exit %d, wanted %d" % (run.returncode, case.code), said
    if not said.strip():
        return "no message", said
    if said.count("\n") > 12:
        return "a message of %d lines" % said.count("\n"), said
    for bad in ("ERROR: ", "runtime error", "Assertion", "internal error"):
        if bad in said:
            return bad, said
    for text in case.texts:
        text = text if disks or not case.full else text.replace("No space left", "File too large")
        if text not in said:
            return "it does not say %s" % text, said
    return None, said

def nulls(build, folder):
    source, program = os.path.join(folder, "null.c"), os.path.join(folder, "null")
    headers = sorted(glob.glob(os.path.join(ROOT, "include", "*.h")))
    subprocess.run([sys.executable, os.path.join(HERE, "make_null_test.py"), source, *headers], check=True)
    with open(os.path.join(build, "libporism.so"), "rb") as f:      # a sanitizer's runtime comes with the program
        library = f.read()
    sanitizer = ["-fsanitize=address,undefined"] if b"__asan_init" in library else []
    made = subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-w", *sanitizer, "-I" + os.path.join(ROOT, "include"), source,
                           "-o", program, "-L" + build, "-lporism", "-Wl,-rpath," + build], capture_output=True,
                          text=True)
    if made.returncode:
        print(made.stderr[-2000:])
        return 0, 1
    run = subprocess.run([program], capture_output=True, text=True, errors="replace", cwd=ROOT)
    lines = run.stdout.strip().split("\n")
    for line in lines[:-1]:
        print("  NULL: " + line)
    words = lines[-1].split()
    if len(words) != 4:
        print("  NULL: the program ended with %d" % run.returncode)
        return 0, 1
    return int(words[0]), int(words[2])

def main(build):
    build = os.path.abspath(build)
    passed, faults = 0, []
    with tempfile.TemporaryDirectory() as folder:
        files(folder)
        disks = may_mount(folder)
        for case in cases(folder):
            why, said = run_case(os.path.join(build, "porism"), case, folder, disks)
            name = shlex.join(case.words).replace(folder, "%d")
            print("$ " + "".join("%s=%s " % x for x in case.environment.items()).replace(folder, "%d") + "porism " + name)
            print("".join("    %s\n" % line for line in said.replace(folder, "%d").rstrip().split("\n")), end="")
            print("    exit %d%s\n" % (case.code, ", but: " + why if why else ""))
            if why:
                faults.append("porism %s: %s" % (name, why))
            passed += not why
        good, bad = nulls(build, folder)
    print("NULL into every function: %d good, %d bad" % (good, bad))
    for fault in faults:
        print(fault)
    print("%d passed, %d failed" % (passed + good, len(faults) + bad))
    return 1 if faults or bad else 0

sys.exit(main(sys.argv[1]))
