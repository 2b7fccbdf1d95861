"""The expressions of bench_accuracy.py: a name, the expression, and the domain of each variable; v is a vector."""

REAL, POSITIVE, UNIT, BALL, ABOVE = ({"x": d} for d in ("real", "positive", "unit", "ball", "above"))
TWO, PAIR, VECTOR = {"x": "real", "y": "real"}, {"x": "positive", "y": "positive"}, {"v": "real"}
BY_DOMAIN = (
    (POSITIVE, """
        log(1 + x)
        log(1 + 1/x)
        log(x + 1) - log(x)
        sqrt(x + 1) - sqrt(x)
        1/sqrt(x) - 1/sqrt(x + 1)
        sqrt(x + 1) - 1
        sqrt(x^2 + 1) - x
        log(tanh(x))
        log(sinh(x))
        (x + 1)*log(x + 1) - x*log(x)
        log(1 - exp(-x))
        log(exp(x) - 1)
        x - log(exp(x) - 1)
        log(1 + x) - x
        1 - sqrt(x)/sqrt(1 + x)
        cbrt(x + 1) - cbrt(x)
        atan(x + 1) - atan(x)
        sqrt(x^2 + x) - x
        log(1 + sqrt(x))
        x/(1 + x)
        1 - x/(1 + x)
        1/x - 1/(x + 1)
        log(x/(1 + x))
        sqrt(x + sqrt(x))
        (1 - exp(-x))/x
        x/(exp(x) - 1)
        1/(exp(x) - 1)
        1/x - 1/(exp(x) - 1)
        exp(1/x) - 1
        log(1 + 1/x^2)
        1/(1 + exp(-x)) - 0.5
        sqrt(1 + exp(-x))
        (exp(x) - 1)/(exp(x) + 1)
    """),
    (REAL, """
        exp(x) - 1
        1 - exp(x)
        log(1 + exp(x))
        1/(1 + exp(-x))
        exp(x)/(1 + exp(x))
        1 - 1/(1 + exp(-x))
        log(1/(1 + exp(-x)))
        log(1 - 1/(1 + exp(-x)))
        exp(x)/(1 + exp(x))^2
        sqrt(x^2 + 1)
        sqrt(x^2 + 1) - 1
        1/sqrt(1 + x^2)
        x/sqrt(1 + x^2)
        log(1 + x^2)
        1/(1 + x^2)
        x/(1 + x^2)
        x^2/(1 + x^2)
        1 - 1/(1 + x^2)
        1 - cos(x)
        (1 - cos(x))/x^2
        (1 - cos(x))/sin(x)
        x - sin(x)
        sin(x)/x
        x - tan(x)
        1/x - 1/tan(x)
        1 - sin(x)^2
        cos(x)^2 - sin(x)^2
        1/sin(x)^2 - 1
        (exp(x) - exp(-x))/2
        (exp(x) + exp(-x))/2
        (exp(x) - exp(-x))/(exp(x) + exp(-x))
        exp(x) - 2 + exp(-x)
        log(cosh(x))
        1 - tanh(x)
        1 + tanh(x)
        1 - tanh(x)^2
        log(1 + exp(-x^2))
        exp(x) - 1 - x
        (exp(x) - 1)/x
        (exp(x) - 1 - x)/x^2
        log(x + sqrt(x^2 + 1))
        cosh(x) - 1
        sinh(x) - x
        x - atan(x)
        tanh(x)/x
        1/cosh(x)
        x*exp(-x^2)
        log(3 + exp(x))
        log(1 + exp(x)) - x
        x/(1 + exp(-x))
        x/(1 + abs(x))
        sqrt(1 + exp(x)) - 1
        atan(x)/x
        1/(x + 1) - 1/x
        1/(x + 1) - 2/x + 1/(x - 1)
        exp(2*x) - exp(x)
        log(exp(x) + exp(-x))
    """),
    (UNIT, """
        log(1 - x)
        log(x/(1 - x))
        log(x) - log(1 - x)
        1 - sqrt(1 - x)
        1 - sqrt(1 - x^2)
        acos(1 - x)
        sqrt(1 - x^2)
        -x*log(x) - (1 - x)*log(1 - x)
        acos(x)
        log(1 - x^2)
        (1 - x)^3 - 1
    """),
    (BALL, """
        log((1 + x)/(1 - x))
        asin(x) - x
        log(1 + x) - log(1 - x)
        log(1 + x)/x
        1/(1 + x) - 1/(1 - x)
        sqrt(1 + x) - sqrt(1 - x)
    """),
    (ABOVE, """
        log(x + sqrt(x^2 - 1))
        sqrt(x^2 - 1)
        x - sqrt(x^2 - 1)
        sqrt(x) - sqrt(x - 1)
    """),
    (TWO, """
        sqrt(x^2 + y^2)
        x^2 - y^2
        log(exp(x) + exp(y))
        exp(x)/(exp(x) + exp(y))
        log(1 + exp(x)) - x*y
        x^2/(x^2 + y^2)
        x/sqrt(x^2 + y^2)
        sin(x + y) - sin(x)
        cos(x + y) - cos(x)
    """),
    (PAIR, """
        log(x + y) - log(x)
        sqrt(x + y) - sqrt(x)
        x/(x + y) - 1
        x*log(x/y) - x + y
    """),
    (VECTOR, """
        log(sum(exp(v)))
        log(mean(exp(v)))
        sqrt(sum(v^2))
        mean(v^2) - mean(v)^2
        sum(exp(v)*v)/sum(exp(v))
        sum(v)^2 - sum(v^2)
    """),
)
EXPRESSIONS = [("%s%d" % ("vector" if "v" in names else "-".join(names.values()), i + 1), line.strip(), names)
               for names, text in BY_DOMAIN for i, line in enumerate(text.strip().split("\n"))]
