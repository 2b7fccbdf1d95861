"""A compiled function beside those of peers, on the same arrays, in one run."""
from timing import calls, in_turns, processor
import binding as p


def beside(table, text, case, name, given, outs, peers, bound):
    """A row: function `name` of a text and the best of the peers, processor time.  A peer, by its name, is a function
    without arguments that gives the results in our order, or None where it is not here."""
    try:
        ours = p.Program(text, name)
    except p.Failed as e:
        return table.failed(case, e)
    ours.call(given, outs)
    peers = {who: run for who, run in peers.items() if run}
    if not peers:
        return table.add(case, 0, None, bound)
    for who, run in peers.items():
        for ours_is, theirs_is in zip(outs, run()):
            if abs(ours_is - theirs_is).max() > 1e-3*abs(theirs_is).max():
                return table.failed(case, f"{who} has another result")
    sides = [processor(side) for side in [ours.calls(given, outs), *map(calls, peers.values())]]
    t = in_turns(sides, lambda t: t[0] <= bound*min(t[1:]), least=0.05)
    print("    " + ", ".join(f"{who} {seconds*1e6:.4g}" for who, seconds in zip(["ours", *peers], t)), flush=True)
    return table.add(case, t[0]*1e6, min(t[1:])*1e6, bound)


def by_jax(jax, given, theirs):
    """What beside() asks of JAX (or of None): the jitted function, waited for."""
    if not jax:
        return None
    jitted, at = jax.jit(theirs), [jax.numpy.asarray(v) for v in given]
    return lambda: jax.tree_util.tree_leaves(jax.block_until_ready(jitted(*at)))
