# Functions that are named as what the notation has: their printed forms are theirs.

fn exp(x: f64) = sin(x) + 1
fn sum(x: f64[n]) = x*2
fn calls_them(x: f64[n]) = sum([v in x] => exp(v))
fn abs(x: f64) = let f = kept((v) => sin(v)*2 + v) in f(f(x))
fn max(x: f64, y: f64) = if x > y then x else y
fn mean(x: f64[n]) = tanh(x)
fn pi(x: f64) = x
fn key(i: i64) = i + 1
fn iota(x: f64[n]) = [i < n] => x[i]*i
