"""Times of several sides, taken in turns: what else the machine does then meets all of them."""
import time


def calls(f):
    """n -> seconds of n calls of f, from Python."""
    def many(n):
        start = time.perf_counter()
        for _ in range(n):
            f()
        return time.perf_counter() - start
    return many


def processor(side):
    """The side, by the seconds that this process and its threads had a processor."""
    def many(n):
        start = time.process_time()
        side(n)
        return time.process_time() - start
    return many


def enough(side, least):
    """So many calls take `least` seconds."""
    side(1)
    n = 1
    while (t := side(n)) < least and n < 1 << 24:
        n = max(n*2, int(n*least/max(t, 1e-9)))
    return n


def in_turns(sides, good=lambda times: True, least=0.01, rounds=5, rest=0):
    """Seconds of a call of each side (a function as calls() gives): the least of some rounds; of up to three times as
    many while the times are not good.  rest: seconds before each, in which the threads of the one before end."""
    count = []
    for side in sides:
        time.sleep(rest)
        count.append(enough(side, least))
    times = [float("inf")]*len(sides)
    for turn in range(3*rounds):
        if turn >= rounds and good(times):
            break
        for i, side in enumerate(sides):
            time.sleep(rest)
            times[i] = min(times[i], side(count[i])/count[i])
    return times
