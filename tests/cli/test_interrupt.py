#!/usr/bin/env python3
"""SIGINT ends every command, whatever it is at: exit 130, no temporary file and no compiler left behind.

What is started here would run for hours, so each has begun its work when the signal comes; that it ends at all is what
is checked, and that it says so."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from command import Failed, PORISM, holds, main, test

FOLDER = tempfile.mkdtemp(prefix="porism-interrupt-")
CACHE, TMP, WORK = (os.path.join(FOLDER, name) for name in ("cache", "tmp", "work"))
ENDLESS = "scan (r = x, i < 1000000000000) => 0.5*r + 1.0"
FILES = {
    "loop.por": f"fn f(x: f64) = {ENDLESS}\nfn loss(w: f64[n]) = sum(w^2)\n",
    "calls.por": "fn f0(x: f64, n: f64) = sin(x*n)\n"
                 + "".join(f"fn f{i}(x: f64, n: f64) = f{i - 1}(x, 2*n) + f{i - 1}(x, 2*n + 1)\n" for i in range(1, 61))
                 + "fn f(x: f64) = f60(x, 1)\n",
    "slow.por": "fn loss(w: f64[n], a: f64) = sum(w^2) + (scan (r = a, i < 1000000000000) => 0.5*r)\n"
                "use optim\nlet train = {minimise = loss, by = optim.sgd(rate = 0.1), steps = 1000}\n",
}
# a compiler that never ends, and starts another that does not either
COMPILER = "#!/bin/sh\nsleep 3000 &\necho $! >> %s/pids\necho $$ >> %s/pids\nwait\n" % (FOLDER, FOLDER)


def setup():
    for folder in (CACHE, TMP, WORK):
        os.mkdir(folder, 0o700)
    for name, text in FILES.items():
        with open(os.path.join(WORK, name), "w") as f:
            f.write(text)
    path = os.path.join(FOLDER, "endless-cc")
    with open(path, "w") as f:
        f.write(COMPILER)
    os.chmod(path, 0o755)
    return path


def files():
    found = [os.path.join(top, name) for folder in (CACHE, TMP, WORK) for top, _, names in os.walk(folder) for name in names]
    return sorted(f for f in found if os.path.basename(f) not in FILES)


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(*words, compiler=None, with_signal=signal.SIGINT):
    """The command after a signal that comes when it has worked for a while: its status and what it said."""
    env = dict(os.environ, PORISM_CACHE=CACHE, TMPDIR=TMP)
    if compiler:
        env["CC"] = compiler
    command = subprocess.Popen([PORISM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=WORK, env=env,
                               preexec_fn=lambda: signal.signal(with_signal, signal.SIG_DFL))  # a job behind & has it ignored
    while True:
        started = os.path.exists(os.path.join(FOLDER, "pids")) if compiler else processor_seconds(command.pid) > 0.2
        if started or command.poll() is not None:
            break
        time.sleep(0.02)
    if command.poll() is not None:
        raise Failed(f"{words}: it has ended: {command.communicate()}")
    command.send_signal(with_signal)
    out, err = command.communicate()
    return command.returncode, err.decode()


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends(*words, **how):
    before = files()
    status, err = interrupted(*words, **how)
    if status != 128 + how.get("with_signal", signal.SIGINT):
        raise Failed(f"{words}: status {status}: {err}")
    holds(err, "interrupted")
    left = [f for f in files() if f not in before and not f.endswith(".so")]
    if left:
        raise Failed(f"{words} left {left}")


@test
def calls_end():
    for tier in "interpret", "native", "background", "reference":
        ends("eval", ENDLESS, "x=1", "--tier", tier)
    ends("run", "loop.por:f", "x=1")
    ends("grad", "scan (r = x, i < 1000000000000) => 0.5*r + 1.0", "x=1", "--tier", "interpret")
    ends("explain", "loop.por:f", "x=1")
    ends("check", ENDLESS, "x: f64")


@test
def elaboration_ends():
    for command in "eval", "explain", "check", "build", "view":
        ends(command, "calls.por:f", "--max-bytes", "100G", "--max-seconds", "100000")


@test
def checks_of_rules_end():
    ends("rules", "check")


@test
def a_step_of_a_fit_ends():
    ends("fit", "slow.por:train", "w=[1.0, 2.0]", "a=1.0")


@test
def sigterm_ends_too():
    ends("eval", ENDLESS, "x=1", with_signal=signal.SIGTERM)


@test
def compilers_end_with_it():
    for words in (("eval", "sin(x)", "x=1", "--tier", "native"), ("eval", ENDLESS, "x=1")):
        pids = os.path.join(FOLDER, "pids")
        ends(*words, compiler=COMPILER_PATH)
        with open(pids) as f:
            started = [int(pid) for pid in f.read().split()]
        os.remove(pids)
        while any(alive(pid) for pid in started):      # they have a signal, which may take a while on a busy machine
            time.sleep(0.02)


COMPILER_PATH = setup()
try:
    main(__doc__)
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
