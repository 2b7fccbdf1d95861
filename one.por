book cand: stable
ex: x^n*exp(x)/expm1(x)^2 => power_over_sinh(x, n)  real if literal(n) and n >= 2 and n <= 16
