# Programs that branches and loops by values make possible, against independent ones.
use solve

# How many steps to 1, and the largest number on the way (Lagarias 1985)
#: n='i64(27)' => (111, 9232)
#: n='i64(1)' => (0, 1)
#: n='i64(837799)' => (524, 2974984576)
fn collatz(n: i64) =
    let end = scan (n = n, most = n, steps = 0) while n != 1 =>
        let n = if n % 2 == 0 then n//2 else 3*n + 1
        in {n, most = max(most, n), steps = steps + 1}
    in (end.steps, end.most)

# The number below n with the longest way
#: n='i64(1000)' => (871, 178)
fn longest(n: i64) =
    let steps = (scan (i < n) => {s = (scan (m = i + 1, s = 0) while m != 1 =>
        {m = if m % 2 == 0 then m//2 else 3*m + 1, s = s + 1}).s}).s
    in (argmax(steps) + 1, max(steps))

#: a='i64(1071)' b='i64(462)' => 21
#: a='i64(7)' b='i64(0)' => 7
#: a='i64(4807526976)' b='i64(2971215073)' => 1
fn gcd(a: i64, b: i64) = (scan (a = a, b = b) while b != 0 => {a = b, b = a % b}).a

# A particle is thrown from the ground with 20 m/s at an angle, through air, and goes on by explicit steps until it lands.
fn lands(angle, g) =
    let h = 0.01
    let end = scan (x = 0.0, y = 0.0, u = 20*cos(angle), v = 20*sin(angle), x0 = 0.0, y0 = 0.0)
            while y >= 0 =>
        let drag = sqrt(u*u + v*v)/100
        in {x = x + h*u, y = y + h*v, u = u - h*drag*u, v = v - h*(g + drag*v), x0 = x, y0 = y}
    in end.x0 + (end.x - end.x0)*end.y0/(end.y0 - end.y)

# The angle that brings it 25 m far, by Newton's steps, with the slope in one of the modes.
fn aim(slope, g) =
    (scan (a = 0.5, d = 1.0) while abs(d) > 1e-13 =>
        let d = (lands(a, g) - 25)/slope(a, g)
        in {a = a - d, d}).a

fn by_reverse(a, g) = grad(lands(a, g), a)
fn by_forward(a, g) = jvp(lands(a, g), a, 1)

# The same with 50 digits in Python; the derivative by g is of each mode through Newton's steps of each mode.
#native: g=9.81 => (0.40886667437056705, 0.40886667437056705) within 1e-15
fn aimed(g: f64) = (aim(by_reverse, g), aim(by_forward, g))

#native: g=9.81 => (0.0556087602706402, 0.0556087602706402, 0.0556087602706402, 0.0556087602706402, 0.0556087602706402) within 1e-15
fn aimed_derived(g: f64) = (
    grad(aim(by_reverse, g), g), grad(aim(by_forward, g), g),
    jvp(aim(by_reverse, g), g, 1), jvp(aim(by_forward, g), g, 1),
    grad(solve.newton((a) => lands(a, g) - 25, 0.5).x, g))

# and its second derivative, by each mode of each
#: g=9.81 => (0.0064598285938, 0.0064598285938, 0.0064598285938, 0.0064598285938) within 1e-12
fn aimed_twice(g: f64) =
    let reverse = (g) => grad(aim(by_reverse, g), g)
    let forward = (g) => jvp(aim(by_forward, g), g, 1)
    in (grad(reverse(g), g), jvp(reverse(g), g, 1), grad(forward(g), g), jvp(forward(g), g, 1))

# A derivative by a computed value that one side alone uses, and one within it
#: x='[1.0, 2.0]' y=2.0 => [0.8919615208882853, 0.047303427641225304]
#: x='[1.0, 2.0]' y=2.5 => [0, 0]
fn by_a_side(x: f64[n], y: f64) =
    let w = x/y
    let z = if y > 3 then x else if y > 2 then x*2 else (scan (s = x, j < 2) => sin(w*s))
    in grad(sum(z), w)
