"""Forms of the notation in which a number acts as a size, a bound, a count or an index; and what each must give.

A form is an expression over `x: f64[n]` with {k} where the number goes, and a model: a function of the list x and the
number that gives the elements in row order, or REFUSED.  Numbers are of data, so nothing of them is known while the
function is built.  What has to hold is docs/notation.md's: a size, count or bound that is computed is a position, not
clamped; one that begins with a minus counts from the end; an index lies within its axis, if there is anything to be taken there.
"""

LEAST, MOST = -2**63, 2**63 - 1
REFUSED, SKIPPED = "refused", "skipped"
AGREED = "agreed"       # where nothing is taken an index need not be checked: the ways are to do the same
LONG = 2**12            # what is longer is refused for its memory, or not asked for


class Form:
    def __init__(self, text, model, index=False, linear=True, slope=None, asks=False):
        self.text, self.model, self.index = text, model, index
        # a condition asks for the number as a value, which wraps, and a side as a size, which is exact
        self.asks = asks
        # of the sum, by x, where it asks for less than the value: it uses less
        self.slope = slope
        # the derivative of its sum: it is linear in x, and asks for the number
        others = (" with ", "reshape", "f64[{k}](x)", "f64[1](", "concat[0](x[:{k}], x[{k}:])", "len(x[", "typeof(",
                  "len(y)")
        self.linear = linear and "x" in text and not any(t in text for t in others)


def inside(k, low, high):
    return low <= k <= high


def cut(x, start, stop, step=1):
    """x[start:stop:step] of positions: start and stop lie within x, the end of it included."""
    n = len(x)
    if step > 0:
        return x[start:stop:step] if 0 <= start <= stop <= n else REFUSED
    if not 0 <= start < n or (stop is not None and not 0 <= stop <= start):
        return REFUSED
    return x[start:stop:step] if stop is not None else x[start::step]


def put(x, start, stop, step, change):
    """x with the elements of a slice changed."""
    at = cut(list(range(len(x))), start, stop, step)
    return at if at == REFUSED else [change(v) if i in at else v for i, v in enumerate(x)]


def filled(k, times, value):
    """k*times elements; a size below 0, or an array past all memory, is refused."""
    return REFUSED if k < 0 or k*times > 2**44 else SKIPPED if k*times > LONG else [value]*(k*times)


def folded(k, value):
    """A fold of k elements that are never stored."""
    return REFUSED if k < 0 or k > 2**48 else SKIPPED if k > 10**6 else [value(k)]


def seven(v):
    return 7.0


def more(v):
    return v + 7.0


def alike(x, k, value):
    """Of two sizes that have to be one, k and that of x."""
    return value if k == len(x) else REFUSED


def back(x, k):
    """Of `-k` as a bound."""
    return len(x) - k


def length(taken):
    """How many elements are taken, as a number."""
    return taken if taken in (REFUSED, SKIPPED) else [float(len(taken))]


def length_or(taken, wanted):
    """What is wanted where something is taken, perhaps of its length."""
    return taken if taken in (REFUSED, SKIPPED) else wanted(len(taken)) if callable(wanted) else wanted


def ones(count):
    """As many ones as a length tells."""
    return count if count in (REFUSED, SKIPPED) else [1.0]*int(count[0])


def zeros(count, axes=1):
    """As many zeros as a length tells, along each of so many axes."""
    return count if count in (REFUSED, SKIPPED) else [0.0]*int(count[0])**axes


def counting(count, more=0):
    """1, 2, ..., as many as a length tells and so many more."""
    return count if count in (REFUSED, SKIPPED) else [i + 1.0 for i in range(int(count[0]) + more)]


def summed(taken):
    """Of what is taken the sum."""
    return taken if taken in (REFUSED, SKIPPED) else [sum(taken)]


def wrapped(v):
    return (v - LEAST) % 2**64 + LEAST


def exact(k, taken):
    """What is taken where k is a size: as a value it may have wrapped."""
    return taken if inside(k, LEAST, MOST) else REFUSED


def element(x, k):
    return [x[k]] if inside(k, 0, len(x) - 1) else REFUSED


FORMS = [
    # what a condition decides: the side that is not taken, the pass that is not made
    Form("f64[1](if {k} >= 0 then sum(x[:{k}]) else -1.0)", lambda x, k:
         exact(k, summed(cut(x, 0, k))) if wrapped(k) >= 0 else [-1.0], linear=False, asks=True),
    Form("f64[1](if {k} < 0 then -1.0 else x[{k}])", lambda x, k: element(x, k) if k >= 0 else [-1.0], linear=False,
         index=True),
    Form("f64[1](if {k} < 0 then sum(x) else sum(x[{k}:]) + 0*sum(f64[{k}](1)[:{k}]))", lambda x, k:
         exact(k, summed(cut(x, k, len(x)))) if wrapped(k) >= 0 else [sum(x)], asks=True),
    Form("f64[1](if {k} > 3 then -1.0 else if {k} < 0 then -2.0 else sum(x[:min({k}, 9)]))", lambda x, k:
         [-1.0] if wrapped(k) > 3 else exact(k, summed(cut(x, 0, k))) if wrapped(k) >= 0 else [-2.0], linear=False,
         asks=True),
    # a count has to be one, however few passes there are
    Form("f64[1](scan (s = 0.0, i < {k}) while i < 3 => s + 1.0)", lambda x, k:
         [float(min(k, 3))] if inside(k, 0, 2**48) else REFUSED, linear=False),
    Form("f64[1]((scan (s = 0.0, q = {k}) while q < len(x) => {{s = s + x[q], q = q + 1}}).s)", lambda x, k:
         [0.0] if k >= len(x) else summed(cut(x, k, len(x))), index=True),
    Form("(scan (q = 0) while q < min({k}, 3) => {{q = q + 1, t = 1.0*q}}).t", lambda x, k:
         [float(i) for i in range(max(min(k, 3), 0))], linear=False, index=True),
    # lengths as sizes, which ask what the array asks; and types of such arrays
    Form("f64[len(x[{k}:])](1)", lambda x, k: ones(length(cut(x, k, len(x))))),
    Form("f64(iota[len(x[{k}:])]()) + 1", lambda x, k: counting(length(cut(x, k, len(x))))),
    Form("f64[1](sum(one_hot[len(x[:{k}]) + 4](3)))", lambda x, k: length_or(cut(x, 0, k), [1.0]), index=True),
    Form("[i < len(x[-{k}:]) + 1] => i + 1.0", lambda x, k: counting(length(cut(x, back(x, k), len(x))), 1)),
    Form("x[:len(x[{k}:])//2]", lambda x, k: length_or(cut(x, k, len(x)), lambda n: x[:n//2]), linear=False),
    Form("f64[2*len(x[{k}:{k}+2])](1)", lambda x, k: length_or(cut(x, k, k + 2), [1.0]*4)),
    Form("typeof(x[{k}:])(1)", lambda x, k: ones(length(cut(x, k, len(x))))),
    Form("typeof(x[{k}:])(0)", lambda x, k: zeros(length(cut(x, k, len(x)))), linear=False),
    Form("f64[len(x[:{k}])](0)", lambda x, k: zeros(length(cut(x, 0, k))), linear=False),
    Form("let y = x[{k}:] in grad(sum(y), y)", lambda x, k: ones(length(cut(x, k, len(x)))), linear=False),
    Form("let y = x[{k}:] in hessian(sum(2*y), y)", lambda x, k: zeros(length(cut(x, k, len(x))), 2), linear=False),
    Form("((y) => f64[len(y)](1))(x[{k}:])", lambda x, k: ones(length(cut(x, k, len(x))))),
    # lengths as numbers
    Form("f64[1](len(x[:{k}]))", lambda x, k: length(cut(x, 0, k))),
    Form("f64[1](len(x[{k}:]))", lambda x, k: length(cut(x, k, len(x)))),
    Form("f64[1](len(x[-{k}:]*2))", lambda x, k: length(cut(x, back(x, k), len(x)))),
    Form("f64[1](len(x[{k}::-1]))", lambda x, k: length(cut(x, k, None, -1))),
    Form("f64[1](size[0](x[:-{k}]))", lambda x, k: length(cut(x, 0, back(x, k)))),
    Form("f64[1](len(concat(x[:{k}], x)) - len(x))", lambda x, k: length(cut(x, 0, k))),
    # views
    Form("x[:{k}]", lambda x, k: cut(x, 0, k)),
    Form("x[{k}:]", lambda x, k: cut(x, k, len(x))),
    Form("x[-{k}:]", lambda x, k: cut(x, back(x, k), len(x))),
    Form("x[:-{k}]", lambda x, k: cut(x, 0, back(x, k))),
    Form("x[{k}:{k} + 2]", lambda x, k: cut(x, k, k + 2)),
    Form("x[{k}:{k}]", lambda x, k: cut(x, k, k)),
    Form("x[{k}:-1]", lambda x, k: cut(x, k, len(x) - 1)),
    Form("x[::-1][{k}:]", lambda x, k: cut(x[::-1], k, len(x))),
    Form("x[:{k}:2]", lambda x, k: cut(x, 0, k, 2)),
    Form("x[{k}::2]", lambda x, k: cut(x, k, len(x), 2)),
    Form("x[{k}:{k} + 2:3]", lambda x, k: cut(x, k, k + 2, 3)),
    Form("x[{k}::-1]", lambda x, k: cut(x, k, None, -1)),
    Form("x[{k}::-2]", lambda x, k: cut(x, k, None, -2)),
    Form("x[:{k}:-1]", lambda x, k: cut(x, len(x) - 1, k, -1)),
    Form("x[:{k}:-2]", lambda x, k: cut(x, len(x) - 1, k, -2)),
    Form("(x[:, _]*x)[:{k}, {k}:]", lambda x, k: REFUSED if not inside(k, 0, len(x)) else
         [a*b for a in x[:k] for b in x[k:]], linear=False),
    Form("slice[{k}, 2, 1](x)", lambda x, k: cut(x, k, k + 2)),
    Form("slice[0, {k}, 2](x)", lambda x, k: x[:2*k:2] if inside(k, 0, (len(x) + 1)//2) else REFUSED),
    Form("slice[{k}, 2, -1](x)", lambda x, k: [x[k], x[k - 1]] if inside(k, 1, len(x) - 1) else REFUSED),
    Form("pad[{k}, 1, 1](x)", lambda x, k: z if (z := filled(k, 1, 0.0)) in (REFUSED, SKIPPED) else z + x + [0.0]),
    Form("pad[1, {k}, 1](x)", lambda x, k: z if (z := filled(k, 1, 0.0)) in (REFUSED, SKIPPED) else [0.0] + x + z),
    Form("expand[0, {k}](x)", lambda x, k: SKIPPED if not x and k > LONG else
         z if (z := filled(k, max(len(x), 1), 0.0)) in (REFUSED, SKIPPED) else x*k),
    Form("reshape[{k}, 1](x)", lambda x, k: x if k == len(x) else REFUSED),
    Form("reshape[2, {k}](x)", lambda x, k: x if 2*k == len(x) else REFUSED),
    Form("f64[{k}](x)", lambda x, k: x if k == len(x) else REFUSED),
    Form("concat[0](x[:{k}], x)", lambda x, k: z if (z := cut(x, 0, k)) == REFUSED else z + x),
    Form("concat[0](x[:{k}], x[{k}:])", lambda x, k: x if inside(k, 0, len(x)) else REFUSED),
    Form("flip[0](x[:{k}])", lambda x, k: z if (z := cut(x, 0, k)) == REFUSED else z[::-1]),
    Form("x[:{k}][:1]", lambda x, k: x[:1] if inside(k, 1, len(x)) else REFUSED),
    Form("cumsum[0](x[{k}:])", lambda x, k: z if (z := cut(x, k, len(x))) == REFUSED else
         [float(sum(z[:i + 1])) for i in range(len(z))]),
    # changed copies
    Form("x with [{k}:] = 7.0", lambda x, k: put(x, k, len(x), 1, seven)),
    Form("x with [{k}:] += 7.0", lambda x, k: put(x, k, len(x), 1, more)),
    Form("x with [:{k}] = 7.0", lambda x, k: put(x, 0, k, 1, seven)),
    Form("x with [:{k}] += 7.0", lambda x, k: put(x, 0, k, 1, more)),
    Form("x with [-{k}:] = 7.0", lambda x, k: put(x, back(x, k), len(x), 1, seven)),
    Form("x with [{k}:{k} + 2] += 7.0", lambda x, k: put(x, k, k + 2, 1, more)),
    Form("x with [{k}::2] = 7.0", lambda x, k: put(x, k, len(x), 2, seven)),
    Form("x with [{k}::2] += 7.0", lambda x, k: put(x, k, len(x), 2, more)),
    Form("x with [:{k}:2] += 7.0", lambda x, k: put(x, 0, k, 2, more)),
    Form("x with [{k}::-1] = 7.0", lambda x, k: put(x, k, None, -1, seven)),
    Form("x with [{k}::-1] += 7.0", lambda x, k: put(x, k, None, -1, more)),
    Form("x with [{k}] = 7.0", lambda x, k: put(x, k, k + 1, 1, seven) if k < len(x) else REFUSED, index=True),
    Form("x with [{k}] += 7.0", lambda x, k: put(x, k, k + 1, 1, more) if k < len(x) else REFUSED, index=True),
    Form("x with [[{k}, 0]] += 7.0", lambda x, k: REFUSED if not inside(k, 0, len(x) - 1) else
         [v + 7*(i == k) + 7*(i == 0) for i, v in enumerate(x)], index=True),
    # constructors
    Form("f64[{k}](1)", lambda x, k: filled(k, 1, 1.0)),
    Form("f64[{k}, 2](1)", lambda x, k: filled(k, 2, 1.0)),
    Form("f64[2, {k}](x[0])", lambda x, k: SKIPPED if not x else filled(k, 2, x[0])),
    Form("f64(iota[{k}]())", lambda x, k: z if (z := filled(k, 1, 0.0)) in (REFUSED, SKIPPED) else
         [float(i) for i in range(k)]),
    Form("one_hot[{k}](1)", lambda x, k: z if (z := filled(k, 1, 0.0)) in (REFUSED, SKIPPED) else
         [float(i == 1) for i in range(k)]),
    Form("one_hot[3]({k})", lambda x, k: [float(i == k) for i in range(3)], index=True),
    Form("floor(uniform[f64[{k}]](key(1)))", lambda x, k: filled(k, 1, 0.0)),
    Form("floor(uniform[f64[2, {k}]](key(1)))", lambda x, k: filled(k, 2, 0.0)),
    Form("f64(permutation[{k}](key(1)))*0", lambda x, k: filled(k, 1, 0.0)),
    Form("eye[{k}]()[:, :1]", lambda x, k: REFUSED if k < 1 or k > 2**45 else SKIPPED if k > 64 else
         [1.0] + [0.0]*(k - 1)),
    Form("sum(f64[{k}](2))", lambda x, k: folded(k, lambda k: 2.0*k)),
    Form("sum(f64(iota[{k}]()))", lambda x, k: folded(k, lambda k: k*(k - 1)/2.0)),
    Form("sum(expand[0, {k}](x))", lambda x, k: folded(k, lambda k: float(k*sum(x))) if x else SKIPPED),
    # counts
    Form("scan (r = 0.0, i < {k}) => r + 1.0", lambda x, k: folded(k, float)),
    Form("(scan (r = 0.0, i < {k}) => {{r = r + 1.0, t = r}}).t", lambda x, k:
         z if (z := filled(k, 1, 0.0)) in (REFUSED, SKIPPED) else [float(i) for i in range(k)]),
    # what no pass reaches, with bad sizes: of names, and of k
    Form("scan (r = 1.0, i < min(max({k}, 0), 0)) => (scan (q = sum((scan (p = 1.0, j < len(x) - 99) => {{p = 0.5, t = 2.0}}).t)"
         ", v in x) => 0.5)", lambda x, k: AGREED, index=True, linear=False),
    Form("scan (r = 1.0, i < min(max({k}, 0), 0)) => (scan (q = sum(f64[{k} - 99](2)), v in x) => q)", lambda x, k: AGREED,
         index=True, linear=False),
    Form("scan (r = 0.0, v in x[:{k}]) => r + v", lambda x, k: z if (z := cut(x, 0, k)) == REFUSED else
         [float(sum(z))]),
    Form("get[0](top_k[{k}](x))", lambda x, k: sorted(x, reverse=True)[:k] if inside(k, 0, len(x)) else REFUSED),
    # folds of views
    Form("sum(x[:{k}])", lambda x, k: z if (z := cut(x, 0, k)) == REFUSED else [float(sum(z))]),
    Form("sum(x[{k}:]*x[{k}:])", lambda x, k: z if (z := cut(x, k, len(x))) == REFUSED else
         [float(sum(v*v for v in z))], linear=False),
    Form("x[:{k}] @ x[:{k}]", lambda x, k: z if (z := cut(x, 0, k)) == REFUSED else [float(sum(v*v for v in z))],
         linear=False),
    # two sizes that have to be one, of which rewriting or a uniform constant might forget one; a derivative asks for
    # what it uses, and so for nothing of a term that does not depend on x
    Form("x + f64[{k}](1)", lambda x, k: alike(x, k, [v + 1 for v in x]), linear=False),
    Form("f64[{k}](1) - x", lambda x, k: alike(x, k, [1 - v for v in x]), linear=False),
    Form("x*0 + f64[{k}](2)", lambda x, k: alike(x, k, [2.0]*len(x)), slope=lambda x, k: [0.0]*len(x)),
    Form("f64[len(x)](3) + f64[{k}](2)", lambda x, k: alike(x, k, [5.0]*len(x)), linear=False),
    Form("f64[{k}](f64[len(x)](2))", lambda x, k: alike(x, k, [2.0]*len(x)), linear=False),
    Form("reshape[{k}, 2](f64[len(x), 2](2))", lambda x, k: alike(x, k, [2.0]*2*len(x)), linear=False),
    Form("f64[len(x)](1)[::-1] + f64[{k}](1)", lambda x, k: alike(x, k, [2.0]*len(x)), linear=False),
    Form("f64[{k}, len(x)](1).T + f64[len(x), len(x)](1)", lambda x, k: alike(x, k, [2.0]*len(x)**2), linear=False),
    Form("max(x, f64[{k}](0))", lambda x, k: alike(x, k, x)),
    Form("where(x > 0, x, f64[{k}](0))", lambda x, k: alike(x, k, x), slope=lambda x, k: [1.0]*len(x)),
    Form("x + f64(iota[{k}]()) - f64(iota[{k}]())", lambda x, k: alike(x, k, x), slope=lambda x, k: [1.0]*len(x)),
    Form("(x + f64(iota[{k}]()))[:1]", lambda x, k: alike(x, k, x[:1]) if x else AGREED, linear=False),
    Form("f64[len(x)](3) @ f64[{k}](2)", lambda x, k: alike(x, k, [6.0*len(x)]), linear=False),
    Form("f64[1, len(x)](3) @ f64[{k}, 2](2)", lambda x, k: alike(x, k, [6.0*len(x)]*2), linear=False),
    Form("x @ f64[{k}](1)", lambda x, k: alike(x, k, [float(sum(x))])),
    Form("sum((x + f64[{k}](1))*0)", lambda x, k: alike(x, k, [0.0]), linear=False),
    Form("scan (s = x, i < 1) => f64[{k}](1)", lambda x, k: alike(x, k, [1.0]*len(x)), linear=False),
    Form("x with [:] = f64[{k}](7)", lambda x, k: alike(x, k, [7.0]*len(x))),
    Form("f64[len(x)](1)[{k}:]", lambda x, k: cut([1.0]*len(x), k, len(x)), linear=False),
    Form("sum(f64[len(x)](0)[{k}:])", lambda x, k: [0.0] if inside(k, 0, len(x)) else REFUSED, linear=False),
    # indices
    Form("x[{k}]", lambda x, k: [x[k]] if inside(k, 0, len(x) - 1) else REFUSED, index=True),
    Form("x[[{k}, 0]]", lambda x, k: [x[k], x[0]] if inside(k, 0, len(x) - 1) else REFUSED, index=True),
    Form("x[iota[{k}]()]", lambda x, k: x[:k] if inside(k, 0, len(x)) else
         SKIPPED if inside(k, LONG, 2**44) else REFUSED),
    Form("x[iota[2]() + {k}]", lambda x, k: x[k:k + 2] if inside(k, 0, len(x) - 2) else REFUSED, index=True),
    Form("x[:1][{k}]", lambda x, k: REFUSED if k != 0 or not x else [x[0]], index=True),
    Form("x[_][{k}]", lambda x, k: x if k == 0 or not x else REFUSED, index=True),
    Form("x[_][{k}, :1]", lambda x, k: x[:1] if k == 0 and x else REFUSED, index=True),
    Form("f64[3](1)[{k}]", lambda x, k: [1.0] if inside(k, 0, 2) else REFUSED, index=True),
    Form("f64(iota[3]()[{k}])", lambda x, k: [float(k)] if inside(k, 0, 2) else REFUSED, index=True),
    Form("[1.0, 2.0][{k}]", lambda x, k: [k + 1.0] if inside(k, 0, 1) else REFUSED, index=True),
    Form("expand[0, 3](x)[{k}]", lambda x, k: x if inside(k, 0, 2) or not x else REFUSED, index=True),
    Form("(x[:, _]*x)[{k}, :]", lambda x, k: AGREED if not x else
         [x[k]*v for v in x] if inside(k, 0, len(x) - 1) else REFUSED, index=True, linear=False),
    # of which only a part is taken, or nothing: what is used is checked, all of it
    Form("x[[0, {k}]][:1]", lambda x, k: x[:1] if inside(k, 0, len(x) - 1) else REFUSED, index=True),
    Form("x[[{k}, 0]][1]", lambda x, k: x[:1] if inside(k, 0, len(x) - 1) else REFUSED, index=True),
    Form("x[[{k}, 0]][[1]]", lambda x, k: x[:1] if inside(k, 0, len(x) - 1) else REFUSED, index=True),
    Form("(2*x[[0, {k}]])[::-1][1:]", lambda x, k: [2*x[0]] if inside(k, 0, len(x) - 1) else REFUSED, index=True),
    Form("x[[0, {k}]][:0]", lambda x, k: [] if inside(k, 0, len(x) - 1) else REFUSED, index=True),
    Form("(x[:, _]*x)[{k}, :] + 0*sum(x[:, _]*x)", lambda x, k: AGREED if not x else
         [x[k]*v for v in x] if inside(k, 0, len(x) - 1) else REFUSED, index=True, linear=False),
    Form("(x[:, _]*x)[[{k}]][0]", lambda x, k: AGREED if not x else
         [x[k]*v for v in x] if inside(k, 0, len(x) - 1) else REFUSED, index=True, linear=False),
    Form("x[{k}] + x[len(x):]", lambda x, k: [] if inside(k, 0, len(x) - 1) else REFUSED, index=True),
    Form("x[{k}] + x", lambda x, k: [x[k] + v for v in x] if inside(k, 0, len(x) - 1) else REFUSED, index=True),
    Form("one_hot[len(x)](i64(x[{k}]))", lambda x, k: [float(i == k + 1) for i in range(len(x))]
         if inside(k, 0, len(x) - 1) else REFUSED, index=True, linear=False),
    Form("floor(uniform[f64[len(x)]](key(i64(x[{k}]))))", lambda x, k: [0.0 for v in x] if inside(k, 0, len(x) - 1) else
         REFUSED, index=True, linear=False),
    Form("(x + 1)[::-1][{k}]", lambda x, k: [x[::-1][k] + 1] if inside(k, 0, len(x) - 1) else REFUSED, index=True),
    Form("concat[0](x, x)[{k}]", lambda x, k: [(x + x)[k]] if inside(k, 0, 2*len(x) - 1) else REFUSED, index=True),
    Form("(x with [{k}] = 7.0)[{k}]", lambda x, k: [7.0] if inside(k, 0, len(x) - 1) else REFUSED, index=True),
    Form("(x with [[{k}]] += 7.0)[:1]", lambda x, k: [x[0] + 7*(k == 0)] if inside(k, 0, len(x) - 1) else REFUSED,
         index=True),
]

# What is done to k before it is a size; exact: what leaves 64 bits is refused.
NUMBERS = [
    ("k", lambda k, n: k),
    ("(k + 1)", lambda k, n: k + 1),
    ("(2*k)", lambda k, n: 2*k),
    ("(k//2)", lambda k, n: k//2),
    ("min(k, len(x))", min),
    ("(k - 1)", lambda k, n: k - 1),
    ("(3 - k)", lambda k, n: 3 - k),
    ("(k*k)", lambda k, n: k*k),
    ("max(k, -7)", lambda k, n: max(k, -7)),
    ("(k % 5)", lambda k, n: k % 5),
    ("(k + len(x))", lambda k, n: k + n),
]


def numbers(n):
    """The numbers that k gets where x has n elements: bad ones and good ones."""
    return sorted({-1, -n - 1, -n, n + 1, n, n - 1, 0, 1, 2, LEAST, LEAST + 1, MOST, MOST - 1, 2**62, -2**62, 2**61 + 1,
                   2**32, -2**31})
