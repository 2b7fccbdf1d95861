#!/usr/bin/env python3
"""test_repl.py PORISM [NAME...]: `porism repl` line by line, through a pipe and on a terminal."""

import os
import pty
import re
import select
import signal
import subprocess
import tempfile
import time

from command import EXAMPLES, PORISM, Failed, call, holds, main, same, test, write_files


def script(text, status=0, words=()):
    """What the lines print, and what they say."""
    p = subprocess.run([PORISM, "repl", *words], input=text, capture_output=True, text=True, timeout=100)
    if p.returncode != status:
        raise Failed(f"status {p.returncode}, not {status}: {p.stdout[-500:]}{p.stderr[-500:]}")
    return p.stdout, p.stderr


@test
def expressions_and_values():
    out, err = script("# a comment\n\n1 + 2\nit^2\nlet x = 3\nx\nx = [1.0, 2.0, 3.0]\nsum(x^2)\n"
                      "let (q, r) = qr([[3.0, 0.0], [4.0, 5.0]])\nr[1, 0]\nlet {w, b = c} = {w = 1.0, b = 2.0}\nw + c\n"
                      "let p = {a = f32(0.5), b = [1, 2]}\np\np.b[1]\n")
    same(out.splitlines(), ["3", "9", "3", "14.0", "0.0", "3.0", "{a = f32(0.5), b = [1, 2]}", "2"])
    same(err, "")


@test
def values_are_as_in_a_file():
    """A number is known while building, where it has to be; a derivative by it is one all the same."""
    same(script("let n = 4\niota[n]()\nn/8\nfn fib[k](x) = if k < 2 then x else fib[k - 1](x) + fib[k - 2](x)\nfib[n](1)\n"
                "let x = 3\ngrad(x^2, x)\nlet w = [1.0, 2.0]\ngrad(sum(w^2), w)\nfn f(y) = n*y\nf(2)\nlet n = 5\nf(2)\n")[0]
         .splitlines(), ["[0, 1, 2, 3]", "0.5", "5", "6.0", "[2.0, 4.0]", "8", "10"])


@test
def large_values():
    same(script("let big = iota[100000]()\nsum(big)\nlet half = f32(big)/2\nhalf[3]\n")[0].splitlines(),
         ["4999950000", "f32(1.5)"])


@test
def declarations():
    out, err = script("fn f(x: f64[n]) =\n    let s = sum(x)\n    in s^2\nf([1.0, 2.0])\nfn f(x) = 10*x\nf(1)\n"
                      "fn twice(g, x) =\n    g(g(x))\ntwice(f, 2)\nuse optim\nlet by = optim.sgd(rate = 0.5)\n"
                      "by.step(1.0, 1.0, by.start(1.0))\nlet h = (x) => 2*x\nh(4)\ntype pair[n] = {a: f64[n], b: f64}\n"
                      "fn total(p: pair[n]) = sum(p.a) + p.b\ntotal({a = [1.0, 2.0], b = 3.0})\n")
    same(out.splitlines(), ["9.0", "10", "200", "(0.5, ())", "8", "6.0"])
    same(err, "")
    same(script("op half(x) = x/2\nbook mine: algebra\nhalves: half(half(x)) => x/4   real\n\n:graph half(half(y))\n")[0]
         .splitlines()[1], "fn f(y: f64) -> f64 = y/4")


@test
def mistakes():
    """Told as in files, with a mark; what follows is read, and the script fails."""
    out, err = script("1 + * 2\n2\nfn f(x: f64) =\n    undeclared(x)\nf(1)\nsum([1.0, 2.0], 0)\ny + 1\n"
                      "let x = z\nx\n:bogus\n:load none.por\n:type\nfn g(x) = )\n3\n", status=1)
    same(out.splitlines(), ["2", "3"])
    holds(err, "<text>:1:5: found *; wanted an expression\n    1 + * 2\n        ^",
          "input 3:2:5: undeclared is not declared\n        undeclared(x)\n        ^", "axes stand in brackets, as in sum[0](x)",
          "y has no value; let y = ... gives it one", "z has no value", "x has no value", "no command :bogus; :help lists them",
          "none.por: cannot be read", ":type E: an expression was wanted", "input 13:1:11: found )")
    holds(script("help\nquit\n", status=1)[1], "help has no value; the command is :help", "quit has no value; the command is :quit")
    holds(script("sum((1\n", status=1)[1], "this ( is not closed: the text ends before its )")


@test
def commands():
    out = script("let w = [1.0, 2.0]\nfn f(x: f64[n]) = sum(x^3)\n:type w\n:type sum(w)\n:type f\n:grad f\n:grad sum(w^2)\n"
                 ":grad a*b^2 by b\n:grad a*b by a, b\n:graph log(1 + exp(w))\n:list\n:reset\n:list\n:quit\n1\n")[0].splitlines()
    same(out[:9], ["f64[2]", "f64", "fn f(x: f64[n]) -> f64", "fn f_gradient(x: f64[n]) -> f64[n] = 3*x^2", "2*w",
                   "[2.0, 4.0]", "a*(2*b)", "{a = b, b = a}", out[8]])
    same(out[9:], ["fn f(w: f64[2]) -> f64[2] = softplus(w)", "fn f(x: f64[n]) -> f64", "w: f64[2]"])
    holds(script(":explain log(sum(exp(x)))\n")[0], "rules applied", "kernels")
    holds(script(":help\n")[0], ":load FILE", ":grad E by w")


@test
def files_are_loaded():
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, one="use other\nfn f(x: f64) = other.g(x) + 1\nlet start = 2.0\n", other="fn g(x) = 3*x\n")
        same(script(f":load {folder}/one.por\nf(start)\nfn f(x) = x\nf(1)\nstart\n")[0].splitlines(), ["7.0", "1", "2.0"])
        same(script("f(1.0)\n", words=[f"{folder}/one.por"])[0], "4.0\n")
    same(script("", words=["none.por"], status=1)[0], "")
    same(script("loss({w = [1.0], b = 0.0}, [[2.0]], [1.0])\n", words=[f"{EXAMPLES}/logistic.por"])[0][:6], "0.1269")


@test
def tiers_are_the_commands():
    same(script("exp(0.5)\n", words=["--tier", "native"])[0], script("exp(0.5)\n")[0])
    holds(call("repl", "a", "b", status=2)[1], "one file was wanted")


@test
def a_line_takes_no_time():
    """No time is measured: what a line does must not grow with the lines before it but for what is kept."""
    text = "".join(f"let x{i % 7} = {i}\nx{i % 7}^2\n" for i in range(1000))
    same(script(text)[0].splitlines(), [str(i*i) for i in range(1000)])


# ---- on a terminal ---------------------------------------------------------------------------------------------

class Terminal:
    def __init__(self, folder, *words, kind="xterm"):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execve(PORISM, [PORISM, *words], {**os.environ, "TERM": kind, "XDG_STATE_HOME": folder, "LC_ALL": "C.UTF-8"})
        self.until("porism> ")

    def until(self, end, keys="", *parts):
        """What it writes after these keys, up to where it holds these parts, one after the other, and ends so."""
        os.write(self.fd, keys.encode())
        got = ""
        wanted = re.compile(".*".join(map(re.escape, parts)) + ".*" + re.escape(end) + r"\Z", re.S)
        limit = time.monotonic() + 60
        while not wanted.search(got):
            if not select.select([self.fd], [], [], max(0, limit - time.monotonic()))[0]:
                self.kill()
                raise Failed(f"{keys!r}: {got!r} has no {parts} with {end!r} at its end")
            got += os.read(self.fd, 4096).decode()
        return got

    def line(self, text, *parts):
        return self.until("porism> ", text + "\r", *parts)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)

    def ends(self, keys):
        os.write(self.fd, keys.encode())
        got = ""
        while select.select([self.fd], [], [], 60)[0]:
            try:
                if more := os.read(self.fd, 4096):
                    got += more.decode(errors="replace")
                    continue
            except OSError:                            # it has ended
                pass
            os.close(self.fd)
            return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.kill()
        raise Failed(f"{keys!r} does not end it: {got!r}")


@test
def on_a_terminal():
    for kind in "xterm", "dumb":                       # with editing and without
        with tempfile.TemporaryDirectory() as folder:
            t = Terminal(folder, kind=kind)            # porism alone
            t.line("1 + 2", "\n3\r\n")
            t.until("   ...> ", "sum((1 +\r")
            t.line("4))", "\n5\r\n")
            t.until("   ...> ", "let x = (2 +\r")
            t.line("", "the text ends")                # an empty line ends it
            t.line("1 +* 2", "found *; wanted an expression")
            same(t.ends("\x04"), 0)
            for pause in range(20):                    # before the line is edited and after
                t = Terminal(folder, kind=kind)
                time.sleep(pause/10000)
                same(t.ends("\x04"), 0)


@test
def long_work_is_interrupted():
    endless = "scan (t = 1.0) while t > 0 => t + 1"
    for kind in "xterm", "dumb":
        with tempfile.TemporaryDirectory() as folder:
            t = Terminal(folder, kind=kind)
            t.until("\r\n", endless + "\r", endless[-4:])
            time.sleep(0.5)
            t.until("porism> ", "\x03", "interrupted")
            for pause in range(20):                    # wherever the command is with it
                t.until("\r\n", endless + "\r", endless[-4:])
                time.sleep(pause/1000)
                t.until("porism> ", "\x03")
                t.line("6*7", "\n42\r\n")
            for again in range(20):                    # a line that is given up
                t.until("abc", "abc")
                t.until("porism> ", "\x03")
                t.line("6*7", "\n42\r\n")
            same(t.ends(":quit\r"), 0)


@test
def editing():
    with tempfile.TemporaryDirectory() as folder:
        t = Terminal(folder)
        t.line("let weights = {alpha = 1.0, beta = [1.0, 2.0]}")
        if "has no value" in t.line("wei\t.be\t", "\r\n", "\r\n"):               # without libedit a tab is a blank
            same(t.ends("\x04"), 0)
            return
        t.until("softp", "softp")
        t.line("\t(0.0)", "0.6931471805599453")
        t.line("\x1b[A", "0.6931471805599453")         # the line before
        t.line(":li\t", "weights: {alpha: f64, beta: f64[2]")
        t.line("use optim")
        t.line(":type optim.sg\t", "fn sgd")
        t.line("\"\u00b5", "\u00b5", "text")             # a character of two bytes is one
        same(t.ends("\x04"), 0)
        t = Terminal(folder)
        t.line("\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A", "0.6931471805599453")        # of the session before
        same(t.ends("\x04"), 0)


main(__doc__)
