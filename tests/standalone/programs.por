# Programs as C that need no data: each makes what it works on from the number s.
fn ramp(s: f64) = s*(f64(iota[200]()) - 100)/16

fn row(s: f64) = softmax(f32(ramp(s)))
fn half(s: f64) = let x = f16(ramp(s)) in tanh(x)*x + exp(-x*x)
fn brain(s: f64) = let x = bf16(ramp(s)) in f32(sigmoid(x) + x/3)
fn whole(s: f64) = let x = i32(ramp(s)*17) in (x*x*x % 1009)//7 + x
fn divided(s: f64) =
    let k = i64(s*8) - 20 in let x = i64(ramp(s)*1e12) in x//k + x % k + i64(i32(x % 1000003)//i32(k))
fn euler(s: f64) = scan (y = ramp(s), i < 40) => y + 0.05*sin(y)
fn special(s: f64) = let x = ramp(s) in erf(x) + atan(x) + log1p(x*x) + cbrt(x) + sinh(x/8)
fn draw(s: f64) = normal[f64[200]](key(7)) + s
fn slope(s: f64) = grad(sum(row(s)*cos(ramp(s))), s)
