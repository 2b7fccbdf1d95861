"""A headless Chromium, driven through a pair of pipes: pages are opened, scripts run in them, clicks made."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def find():
    """The program, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    """With `with`: it ends, and its folder goes, when that is left.  What a page says on its console and what goes
    wrong in it is in `said`."""

    def __init__(self, width=1500, height=950, dark=False):
        self.folder = tempfile.mkdtemp(prefix="page.")
        self.said = []
        self.number = 0
        self.rest = b""
        inward, self.to = os.pipe()
        self.of, outward = os.pipe()

        def place():
            # fds 3 and 4 are what --remote-debugging-pipe reads and writes
            a, b = os.dup(inward), os.dup(outward)
            os.dup2(a, 3)
            os.dup2(b, 4)

        command = [find(), "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--disable-dev-shm-usage", "--user-data-dir=" + self.folder, "--window-size=%d,%d" % (width, height),
                   "--hide-scrollbars"] + (["--force-dark-mode"] if dark else [])
        self.process = subprocess.Popen(command, preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(inward)
        os.close(outward)
        target = self.ask("Target.createTarget", url="about:blank", newWindow=True, width=width, height=height)["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")

    session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.of)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self, seconds):
        """The next message, or None when none has come in that time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            import select
            if not select.select([self.of], [], [], max(0, end - time.monotonic()))[0]:
                return None
            part = os.read(self.of, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.rest += part
        one, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(one)
        self.note(message)
        return message

    def note(self, message):
        """Keeps what is said or goes wrong, and whatever is asked of a network."""
        what, given = message.get("method"), message.get("params", {})
        if what == "Runtime.exceptionThrown":
            self.said.append("exception: " + json.dumps(given["exceptionDetails"])[:600])
        elif what == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.said.append(given["type"] + ": " + json.dumps(given["args"])[:600])
        elif what == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.said.append("log: " + given["entry"]["text"])
        elif what == "Network.requestWillBeSent" and not given["request"]["url"].startswith(("file:", "data:", "about:")):
            self.said.append("network: " + given["request"]["url"])

    def ask(self, method, **given):
        """A command of the protocol, and what it gives."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read(60)
            if answer is None:
                raise RuntimeError("no answer to " + method)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + json.dumps(answer["error"]))
                return answer["result"]

    def open(self, path):
        """Loads a file and waits until it is drawn."""
        self.ask("Page.navigate", url="file://" + os.path.abspath(path))
        while True:
            message = self.read(60)
            if message is None:
                raise RuntimeError(path + " is not loaded")
            if message.get("method") == "Page.loadEventFired":
                return

    def run(self, script):
        """The value of an expression of JavaScript."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(script + ": " + json.dumps(answer["exceptionDetails"])[:600])
        return answer["result"].get("value")

    def click(self, selector, which=0):
        """A click of the mouse in the middle of what the selector finds."""
        at = self.run("(() => { const e = document.querySelectorAll(%s)[%d]; if (!e) return null; "
                      "const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()"
                      % (json.dumps(selector), which))
        if at is None:
            raise RuntimeError("nothing to click: " + selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", clickCount=1)

    def key(self, text):
        """A key pressed."""
        key = {"\r": "Enter"}.get(text, text)
        given = {"text": text} if len(text) == 1 else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **given)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self, path):
        """What is seen, as a file."""
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))
