# lib/logp.por                          log-densities, elementwise
fn normal(x, mean, sd) = -((x - mean)/sd)^2/2 - log(sd) - log(2*pi)/2
fn half_cauchy(x, scale) = log(2/(pi*scale)) - log1p((x/scale)^2)
fn exponential(x, rate) = log(rate) - rate*x
