"""Times of several sides, taken in turns: what else the machine does then meets all of them."""
import statistics
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


def in_pairs(a, b, least=0.003, pairs=200, most=1000, error=0.003):
    """Seconds of a call of a and of b, the ratio, and its standard error: medians over pairs that are timed one after the
    other, each second pair the other way round.  More pairs until the error is small.  Of n ratios whose middle half is q
    wide the median's standard error is 0.93*q/sqrt(n), as of a normal distribution."""
    count = [enough(side, least) for side in (a, b)]
    times, ratios = ([], []), []
    while len(ratios) < most:
        for i in (0, 1) if len(ratios) % 2 else (1, 0):
            times[i].append((a, b)[i](count[i])/count[i])
        ratios.append(times[0][-1]/times[1][-1])
        if len(ratios) < pairs or len(ratios) % 20:
            continue
        quartile = statistics.quantiles(ratios, n=4)
        found = 0.93*(quartile[2] - quartile[0])/len(ratios)**0.5
        if found <= error:
            break
    return *map(statistics.median, times), statistics.median(ratios), found
