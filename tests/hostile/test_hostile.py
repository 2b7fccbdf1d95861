#!/usr/bin/env python3
"""Sizes, bounds, counts and indices that come from data, good and bad ones, in the four ways of computing.

    test_hostile.py BUILD [--sample | --all] [--seed N] [--places NAME,...] [--slice I/N] [--keep] [PART-OF-A-FORM...]

Forms (forms.py) with numbers in several places of a program are computed by the evaluator, interpreted, natively and
as C that stands alone, with the numbers from -2^63 to 2^63 - 1; BUILD has tests/hostile_ways, under a sanitizer or not.
What a bad number gives must be an error in each way; what a good one gives is compared by value with the model.
The last line is `refused N of N`; exit 1 where a way took what it should refuse, or the other way round, where values
differ, a sanitizer complains, or a call does not end.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from forms import AGREED, FORMS, LEAST, MOST, NUMBERS, REFUSED, SKIPPED, numbers, wrapped

CALL_ERRORS = ("1", "5", "11")        # POR_ERR_MEMORY, _VALUE, _CALL
OTHERS = (REFUSED, SKIPPED, AGREED)   # that are no elements
WAYS = ["reference", "interpreted", "native", "standalone"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]


class Function:
    """A form in a place of a program, with a number made of k."""

    def __init__(self, name, text, model, form):
        self.name, self.text, self.model, self.asks = name, text, model, form.asks
        self.index = form.index or "iota" in form.text


def applied(form, x, v):
    """What the form gives for the number v, which is exact."""
    if not LEAST <= v <= MOST and not form.asks:
        if not form.index:
            return REFUSED
        v = wrapped(v)                    # a value, which wraps
    return form.model(x, v)


def several(results):
    """The elements of all, refused if one is."""
    for other in (SKIPPED, REFUSED, AGREED):
        if other in results:
            return other
    return [v for r in results for v in r]


def total(result):
    return result if result in OTHERS else [float(sum(result))]


def slope(form, x, v):
    """The derivative of the sum of a form that is linear in x, or adds to it."""
    if form.slope:
        return form.slope(x, v)
    at = total(applied(form, x, v))
    if at in OTHERS:
        return at
    return [total(applied(form, x[:i] + [x[i] + 1] + x[i + 1:], v))[0] - at[0] for i in range(len(x))]


def expression(form, number):
    return form.text.format(k=number)


# Places: of a form, a number's text and its meaning, the definition of a function NAME and its model.

def plain(name, f, number, of):
    return f"fn {name}(x: f64[n], k: i64) = {expression(f, number)}", lambda x, k: applied(f, x, of(k, len(x)))


def called(name, f, number, of):
    text = f"fn inner_{name}(x: f64[m], j: i64) = {expression(f, 'j')}\n"
    return text + f"fn {name}(x: f64[n], k: i64) = inner_{name}(x, {number})", \
        lambda x, k: applied(f, x, of(k, len(x)))


def named(name, f, number, of):
    return f"fn {name}(x: f64[n], k: i64) = let j = {number} in {expression(f, 'j')}", \
        lambda x, k: applied(f, x, of(k, len(x)))


def counted(name, f, number, of):
    return f"fn {name}(x: f64[n], k: i64) = let j = {number} + sum(i64(x > 1e9)) in {expression(f, 'j')}", \
        lambda x, k: applied(f, x, of(k, len(x)))


def looped(name, f, number, of):
    return f"fn {name}(x: f64[n], k: i64) = scan (s = 0.0, p < 2) => s + sum({expression(f, number)})", \
        lambda x, k: total(several([applied(f, x, of(k, len(x)))]*2))


def passes(name, f, number, of):
    return f"fn {name}(x: f64[n], k: i64) = scan (s = 0.0, p < 2) => s + sum({expression(f, f'({number} + p)')})", \
        lambda x, k: total(several([applied(f, x, of(k, len(x)) + p) for p in range(2)]))


def traced(name, f, number, of):
    return f"fn {name}(x: f64[n], k: i64) = (scan (s = 0.0, p < 2) => {{s = s + 1.0, t = {expression(f, number)}}}).t", \
        lambda x, k: several([applied(f, x, of(k, len(x)))]*2)


def graded(name, f, number, of):
    return f"fn {name}(x: f64[n], k: i64) = grad(sum({expression(f, number)}), x)", \
        lambda x, k: slope(f, x, of(k, len(x)))


PLACES = [plain, called, named, counted, looped, passes, traced, graded]


def chosen(args):
    """The functions: every form as it is, and in two other places with numbers by chance; or all, or a sample."""
    forms = [f for f in FORMS if not args.part or any(p in f.text for p in args.part)]
    rng = random.Random(args.seed)
    only = args.places and args.places.split(",")
    out = []
    for f in forms:
        places = [p for p in PLACES[1:] if p is not graded or f.linear]
        for p in [plain] + (places if args.all or only else rng.sample(places, 2)):
            if only and p.__name__ not in only:
                continue
            taken = NUMBERS if args.all else [NUMBERS[0]] if p is plain else [rng.choice(NUMBERS)]
            for number, of in taken:
                name = f"g{len(out)}"
                text, model = p(name, f, number, of)
                out.append(Function(name, text, model, f))
    return rng.sample(out, min(len(out), 24)) if args.sample else out


def calls_of(functions, sizes):
    """(function, n, k, what it must give)"""
    out = []
    for f in functions:
        for n in sizes:
            x = [float(i + 1) for i in range(n)]
            for k in numbers(n):
                wanted = f.model(x, k)
                if wanted != SKIPPED:
                    out.append((f, n, k, wanted))
    return out


# ---- running --------------------------------------------------------------------------------------------

class Outcomes:
    def __init__(self):
        self.of = {}                     # (name, n, k, way): (refused, values) or text of what went wrong
        self.bad = []

    def read(self, text):
        """Notes what was printed; gives the call that was not answered, if there is one."""
        at = None
        for line in text.split("\n"):
            w = line.split(" ")
            if w[0] == "call":
                at = tuple(w[1:5])
            elif w[0] == "refused" and at:
                self.of[at], at = (w[1], line), None
            elif w[0] == "=" and at:
                shape, _, values = line[2:].partition(":")
                self.of[at], at = (None, [float(v) for v in values.split()], shape.split()), None
        return at


def is_sanitized(build):
    """Then native code is too: what it reads and writes beyond its arrays is seen."""
    with open(os.path.join(build, "meson-info", "intro-buildoptions.json"), encoding="utf-8") as f:
        return any(o["name"] == "b_sanitize" and "address" in str(o["value"]) for o in json.load(f))


def environment(sanitized=False):
    compiler = " ".join([os.environ.get("CC") or "gcc", *(SANITIZERS if sanitized else [])])
    return dict(os.environ, CC=compiler, ASAN_OPTIONS="allocator_may_return_null=1:max_allocation_size_mb=4096:detect_leaks=0",
                UBSAN_OPTIONS="print_stacktrace=1", PORISM_CACHE=os.path.join(tempfile.gettempdir(), "porism_hostile_cache"))


def complaint(text):
    """What a sanitizer says first, or the library's last words."""
    found = re.search(r"(runtime error: .*|ERROR: AddressSanitizer: .*|SUMMARY: .*)", text)
    where = re.search(r"(\S+:\d+:\d+): runtime error", text)
    return (where.group(1) + ": " if where else "") + (found.group(1) if found else text.strip()[-200:])


def run_calls(command, calls, folder, name, outcomes, env):
    """All calls; after one that ends the process those behind it are run anew."""
    while calls:
        path = os.path.join(folder, name + ".calls")
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(f"{c[0].name} {c[1]} {c[2]}\n" for c in calls)
        r = subprocess.run(command(path), capture_output=True, text=True, errors="replace", env=env)
        lost = outcomes.read(r.stdout)
        if r.returncode == 0 and "runtime error" in r.stderr:
            outcomes.bad.append(f"{name}: {complaint(r.stderr)}")
        if r.returncode == 0:
            return
        if not lost or lost[1] == "-":
            outcomes.bad.append(f"{name}: exit {r.returncode} {complaint(r.stderr)}")
            return
        why = "it does not end" if r.returncode == -14 else f"exit {r.returncode} {complaint(r.stderr)}"
        outcomes.of[lost] = ("lost", why)
        left = [i for i, c in enumerate(calls) if (c[0].name, str(c[1]), str(c[2])) == lost[:3]]
        calls = calls[left[0] + 1:]


def run_ways(build, functions, calls, folder, name, outcomes):
    source = os.path.join(folder, name + ".por")
    with open(source, "w", encoding="utf-8") as f:
        f.write("\n".join(g.text for g in functions) + "\n")
    ways = os.path.join(build, "tests", "hostile_ways")
    run_calls(lambda path: [ways, source, path, folder], calls, folder, name, outcomes, environment(is_sanitized(build)))


# ---- C that stands alone ----------------------------------------------------------------------------------

ROOM = 64                # the most that a computed size may be: good ones are less


def signature(header, name):
    """The parameters of NAME_workspace and NAME."""
    need = re.search(rf"int64_t {name}_workspace\(([^)]*)\);", header).group(1)
    main = re.search(rf"int {name}\(([^)]*)\);", header).group(1)
    return [p.strip() for p in need.split(",") if p.strip() != "void"], [p.strip() for p in main.split(",")]


def door(header, name):
    """A C function that calls NAME with x, n, k."""
    def given(p):
        if p == "int64_t n":
            return "n"
        if p in ("int64_t k", "const int64_t *k"):
            return "&k" if "*" in p else "k"
        if p == "const double *x":
            return "x"
        if p == "double *out1":
            return "out"
        if p.startswith("int64_t *"):
            return "&computed"
        if p.startswith("int64_t "):
            return str(ROOM)
        return "w"
    need, main = signature(header, name)
    return (f"int64_t {name}_workspace({', '.join(need) or 'void'});\nint {name}({', '.join(main)});\n"
            f"static int call_{name}(const double *x, int64_t n, int64_t k, double *out)\n{{\n"
            f"\tint64_t computed = 0, bytes = {name}_workspace({', '.join(map(given, need))});\n"
            f"\tvoid *w = malloc(bytes < 0 ? 0 : bytes < 1 << 30 ? (uint64_t)bytes : 0);\n"
            f"\tint code = bytes >= 1 << 30 ? 1 : {name}({', '.join(map(given, main))});\n"
            f"\t(void)computed, free(w);\n"
            f"\tif (bytes < 0 && !code) printf(\"no workspace, but \");\n\treturn code;\n}}\n")


MAIN = r"""
static const struct { const char *name; int (*call)(const double *, int64_t, int64_t, double *); } all[] = {%s};

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "r") : 0;
	char name[128];
	long long n, k, room;
	while (f && fscanf(f, "%%127s %%lld %%lld %%lld", name, &n, &k, &room) == 4) {
		double *x = malloc((size_t)n*8), *out = malloc((size_t)room*8);
		for (int i = 0; i < n; i++) x[i] = i + 1;
		printf("call %%s %%lld %%lld standalone\n", name, n, k), fflush(stdout);
		alarm(20);
		for (unsigned i = 0; i < sizeof all/sizeof *all; i++) {
			if (strcmp(all[i].name, name)) continue;
			int code = all[i].call(x, n, k, out);
			if (code) printf("refused %%d\n", code);
			else {
				printf("= :");
				for (int j = 0; j < room; j++) printf(" %%.17g", out[j]);
				putchar('\n');
			}
		}
		free(x), free(out);
	}
	return 0;
}
"""


def build_standalone(functions, folder, name, outcomes):
    """One program that calls them all; None: it does not build."""
    good, text, objects = [], "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n", []
    # the C for any machine, as the compiler makes it at -O1: what is asked for is what it does with numbers
    flags = ["-O1", "-g", "-w", "-std=gnu11", "-ffp-contract=off", *SANITIZERS]
    compiler = (os.environ.get("CC") or "gcc").split()
    for f in functions:
        path = os.path.join(folder, f.name)
        if not os.path.exists(path + ".h"):
            continue
        with open(path + ".c", encoding="utf-8") as c:
            code = c.read().replace("#pragma GCC optimize(\"O3\", ", "#pragma GCC optimize(")
        with open(path + ".c", "w", encoding="utf-8") as c:
            c.write(code)
        r = subprocess.run([*compiler, *flags, "-U__x86_64__", "-c", "-o", path + ".o", path + ".c"], capture_output=True, text=True)
        if r.returncode:
            outcomes.bad.append(f"{f.name}: as C: {r.stderr[:300]}")
            continue
        with open(path + ".h", encoding="utf-8") as h:
            text += door(h.read(), f.name)
        good.append(f), objects.append(path + ".o")
    main = os.path.join(folder, name + "_main.c")
    with open(main, "w", encoding="utf-8") as f:
        f.write(text + MAIN % ", ".join(f"{{\"{g.name}\", call_{g.name}}}" for g in good))
    program = os.path.join(folder, name + "_main")
    r = subprocess.run([*compiler, *flags, "-o", program, main, *objects, "-lm"], capture_output=True, text=True)
    if r.returncode:
        outcomes.bad.append(f"{name}: {r.stderr[:2000]}")
        return None
    return program


def run_standalone(functions, calls, folder, name, outcomes):
    program = build_standalone(functions, folder, name, outcomes)
    here = {f.name for f in functions if os.path.exists(os.path.join(folder, f.name + ".o"))}
    calls = [c for c in calls if c[0].name in here]
    while program and calls:
        path = os.path.join(folder, name + ".room")
        with open(path, "w", encoding="utf-8") as f:
            for g, n, k, wanted in calls:
                # an index is met when its result is written, and a pass of a loop has written before the next begins
                late = g.index or "scan" in g.text
                first = outcomes.of.get((g.name, str(n), str(k), WAYS[0]))
                if wanted == AGREED and first and first[0] is None:
                    wanted = first[1]
                room = len(wanted) if wanted not in OTHERS else 4096 if late else 0
                f.write(f"{g.name} {n} {k} {room}\n")
        r = subprocess.run([program, path], capture_output=True, text=True, errors="replace", env=environment())
        lost = outcomes.read(r.stdout)
        if r.returncode == 0:
            return
        if not lost:
            outcomes.bad.append(f"{name}: exit {r.returncode} {complaint(r.stderr)}")
            return
        why = "it does not end" if r.returncode == -14 else f"exit {r.returncode} {complaint(r.stderr)}"
        outcomes.of[lost] = ("lost", why)
        left = [i for i, c in enumerate(calls) if (c[0].name, str(c[1]), str(c[2])) == lost[:3]]
        calls = calls[left[0] + 1:]


# ---- judging -----------------------------------------------------------------------------------------------

def call_failed(outcome):
    """An error of the call, as the library or the C that stands alone says it; not one of the library's own."""
    return len(outcome[1].split()) == 2 or outcome[0] in CALL_ERRORS


def lays_out_both(call, way, outcome):
    """C that stands alone has its workspace made before it knows which side is taken: it refuses, for memory, numbers
    with which the other side would need more than there is."""
    return way == WAYS[3] and call[0].asks and abs(call[2]) >= 2**31 and outcome[0] == "1"


def judge(call, way, outcome, first):
    """None, or what is wrong; first: what the first of the ways gave."""
    wanted = call[3]
    if wanted == AGREED:
        wanted = REFUSED if first is None or first[0] is not None else first[1]
    if outcome is None:
        return "no answer"
    if outcome[0] == "lost":
        return outcome[1]
    if wanted == REFUSED:
        if outcome[0] is None:
            return f"it computes {outcome[1][:6]}"
        return None if call_failed(outcome) else outcome[1]
    if outcome[0] is not None and lays_out_both(call, way, outcome):
        return None
    if outcome[0] is not None:
        return f"wanted {wanted[:6]}: {outcome[1]}"
    same = len(outcome[1]) == len(wanted) and all(abs(a - b) <= 1e-9*abs(b) for a, b in zip(outcome[1], wanted))
    return None if same else f"{outcome[1][:6]}, wanted {wanted[:6]}"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--sample", action="store_true")
    p.add_argument("--all", action="store_true")
    p.add_argument("--seed", type=int, default=16)
    p.add_argument("--places")
    p.add_argument("--slice", default="1/1")
    p.add_argument("--keep", action="store_true")
    p.add_argument("--no-standalone", action="store_true")
    p.add_argument("part", nargs="*")
    args = p.parse_intermixed_args()
    at, of = map(int, args.slice.split("/"))
    functions = chosen(args)[at - 1::of]
    sizes = [3, 1, 0]
    folder = tempfile.mkdtemp(prefix="hostile")
    outcomes = Outcomes()
    parts = [functions[i:i + 12] for i in range(0, len(functions), 12)]

    def part(i):
        calls = calls_of(parts[i], sizes)
        run_ways(args.build, parts[i], calls, folder, f"part{i}", outcomes)
        if not args.no_standalone:
            run_standalone(parts[i], calls, folder, f"part{i}", outcomes)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(part, range(len(parts))))
    refused = [0, 0]
    same = [0, 0]
    told = {}
    ways = WAYS[:3] if args.no_standalone else WAYS
    for f in functions:
        for w in ways[:3]:
            o = outcomes.of.get((f.name, "-", "-", w))
            if o:
                told.setdefault(f.text, []).append(f"{w}: {o[1]}")
    for c in calls_of(functions, sizes):
        for w in ways:
            first, given = [outcomes.of.get((c[0].name, str(c[1]), str(c[2]), v)) for v in (ways[0], w)]
            wrong = judge(c, w, given, first)
            count = refused if c[3] == REFUSED else same
            count[0] += wrong is None
            count[1] += 1
            if wrong:
                told.setdefault(c[0].text, []).append(f"n={c[1]} k={c[2]} {w}: {wrong}")
    for text, lines in told.items():
        print(text)
        for line in lines[:4]:
            print("    " + line)
        if len(lines) > 4:
            print(f"    and {len(lines) - 4} more")
    for line in outcomes.bad:
        print(line)
    if args.keep:
        print(folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    print("functions %d" % len(functions))
    print("same %d of %d" % tuple(same))
    print("refused %d of %d" % tuple(refused))
    sys.exit(bool(told or outcomes.bad))


main()
