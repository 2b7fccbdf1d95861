"""What became of a function as a page of HTML, and that in a notebook."""
from __future__ import annotations

import html
import time

MANY, SECONDS = 100, 0.5                # calls that are timed


def page_of(function, options, texts, leaves=None):
    """The page of a function of a graph.  `texts`: the user's, by file; `leaves`: arguments with which it is called."""
    options = {k: v for k, v in options.items() if k not in ("keep_stages", "profile")}
    program = function.compile(**options, keep_stages=2, profile=leaves is not None)
    if leaves is not None:
        program.wait(30)
        end = time.monotonic() + SECONDS
        for k in range(1 if function.effects else MANY):    # what it prints is printed once
            program(*leaves)
            if time.monotonic() > end:
                break
    return program.page(function.name, list(texts), list(texts.values()))


def in_frame(page):
    """For _repr_html_: the page within one of a notebook, where neither sees the other's names and styles."""
    return (f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" '
            'style="width: 100%; height: 640px; border: 1px solid #8885; border-radius: 6px"></iframe>')
