"""How far a loop is: a bar of tqdm's where it is installed, else a line on a terminal, or what a function does with it."""
from __future__ import annotations

import sys
import time

SELDOM = 0.1                            # seconds from one showing to the next


class Progress:
    """step(n, loss) after each step, close() after the last."""

    def __init__(self, total, done=0):
        self.total, self.begin, self.n = total, time.monotonic(), done
        self.shown, self.at = done, self.begin

    def step(self, n, loss):
        self.n, self.loss, now = n, loss, time.monotonic()
        if now - self.at >= SELDOM:
            self.at = now
            self.show()

    def close(self):
        if self.n > self.shown:
            self.show()
        self.end()


class Bar(Progress):
    def __init__(self, total, done, tqdm, disable):
        super().__init__(total, done)
        self.bar = tqdm(total=total, unit="step", desc="fit", disable=disable, **({"initial": done} if done else {}))

    def show(self):
        self.bar.set_postfix(loss=f"{self.loss:.6g}", refresh=False)
        self.bar.update(self.n - self.shown)
        self.shown = self.n

    def end(self):
        self.bar.close()


class Line(Progress):
    def show(self):
        seconds = time.monotonic() - self.begin
        sys.stderr.write(f"\r\033[Kstep {self.n} of {self.total}, loss {self.loss:.6g}, {seconds:.1f} s")
        sys.stderr.flush()
        self.shown = self.n

    def end(self):
        if self.shown:
            sys.stderr.write("\n")


class Told(Progress):
    def __init__(self, total, function):
        super().__init__(total)
        self.step = function

    def close(self):
        pass


class Quiet(Told):
    def __init__(self, total):
        super().__init__(total, lambda n, loss: None)


def progress_of(wanted, total, done=0):
    """What `progress` asks for, where so many steps are done.  None: tqdm's bar where it shows one by itself, on terminals and in notebooks."""
    if callable(wanted):
        return Told(total, wanted)
    if wanted is not None and not isinstance(wanted, bool):
        raise TypeError(f"fit: progress: given {wanted!r}, wanted True, False, None or a function of (step, loss)")
    if wanted is False:
        return Quiet(total)
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Line(total, done) if sys.stderr is not None and sys.stderr.isatty() else Quiet(total)
    return Bar(total, done, tqdm, False if wanted else None)
