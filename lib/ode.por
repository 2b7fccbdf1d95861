# Ordinary differential equations: y' = f(t, y) from t0 to t1, which may lie on either side of t0.
#
# y is any structure, f gives one like it.  Derivatives are those of the numbers that come out, steps being held as they
# are: discrete gradients.  `adjoint` solves the adjoint equation instead, and keeps no states.
#
# Those whose steps follow the error give
#   y         where they came to
#   t         and when
#   refused   how many steps were too long, and taken anew, shorter
#   path      what `at` reads; what nobody reads of it is not kept
#   met       whether t is t1: with `most` steps, or where the solution ends before, it is not
# An error of atol + rtol*abs(y) is allowed in a step, as the root mean square of all numbers.

# ---- steps of one length

# The classical method of order 4; `path` has y after each step, and t (Kutta 1901).
#     ode.rk4((t, y) => -y, 1.0, 0.0, 1.0).y is 0.3678794412023552
fn rk4(f, y, t0, t1, steps = 100) =
    let h = (t1 - t0)/steps
    let end = scan (y = y, i < steps) =>
        let t = t0 + i*h
        let k1 = f(t, y)
        let k2 = f(t + h/2, y + h/2*k1)
        let k3 = f(t + h/2, y + h/2*k2)
        let k4 = f(t + h, y + h*k3)
        let y = y + h/6*(k1 + 2*k2 + 2*k3 + k4)
        in {y, path = y, t = t0 + (i + 1)*h}
    in {y = end.y, path = {t = end.t, y = end.path}}

# q'' = force(q), q' = v: half a step of v, a step of q, half a step of v.  It keeps volume, and turns back exactly;
# `path` has q after each step (Hairer, Lubich and Wanner 2006).
#     ode.leapfrog((q) => -q, 1.0, 0.0, 0.1, 10).q is 0.5399512509335086
fn leapfrog(force, q, v, h, steps) =
    let end = scan (q = q, v = v, a = force(q), i < steps) =>
        let half = v + h/2*a
        let q = q + h*half
        let a = force(q)
        in {q, v = half + h/2*a, a, path = q}
    in {q = end.q, v = end.v, path = end.path}

# ---- steps whose length follows the error

# How large e is beside what may be wrong of y and of what it becomes: 1 where it just may.
fn weighed(e, y, new, rtol, atol) =
    sqrt(sum((e/(atol + rtol*max(abs(y), abs(new))))^2)/max(1, sum(typeof(y)(1))))

# The first length: what changes y by about a hundredth of what it is (Hairer, Norsett and Wanner 1993, II.4).
fn first_step(y, k, rtol, atol, far) =
    let (size, speed) = (weighed(y, y, y, rtol, atol), weighed(k, y, y, rtol, atol))
    in min(if size < 1e-5 or speed < 1e-5 then 1e-6 else size/speed/100, far)

# Steps until t1: `step(t, y, k, h)` gives {y, k, off, dense}, y' at the end, an estimate of its error of the given order,
# and what `path` keeps.  A step that is more off than it may be is not taken; the next is shorter.
fn adapt(f, step, order, y, t0, t1, rtol, atol, most) =
    let (t0, t1) = (f64(t0), f64(t1))
    let way = if t1 < t0 then -1.0 else 1.0
    let k = f(t0, y)
    let first = way*first_step(y, k, rtol, atol, abs(t1 - t0))
    let end = scan (t = t0, y = y, k = k, h = stop_gradient(first), refused = 0, i < most)
            while (t1 - t)*way > 0 =>
        let last = (t + 1.01*h - t1)*way >= 0
        let h = if last then t1 - t else h
        let new = step(t, y, k, h)
        let off = stop_gradient(weighed(new.off, y, new.y, rtol, atol))
        let good = off <= 1
        let by = if off < inf then clip(0.9*off^(-1/order), 0.2, if good then 5 else 1) else 0.2
        in {t = if not good then t else if last then t1
            else t + h, y = where(good, new.y, y), k = where(good, new.k, k),
            h = stop_gradient(h)*by, refused = refused + i64(not good),
            path = {t, h, until = if good then t + h else t, dense = new.dense}}
    in {y = end.y, t = end.t, refused = end.refused, path = end.path, met = end.t == t1}

# Dormand and Prince, order 5 with an estimate of order 4.
fn dormand_prince_step(f) = (t, y, k1, h) =>
    let k2 = f(t + h/5, y + h/5*k1)
    let k3 = f(t + 3/10*h, y + h*(3/40*k1 + 9/40*k2))
    let k4 = f(t + 4/5*h, y + h*(44/45*k1 - 56/15*k2 + 32/9*k3))
    let k5 = f(t + 8/9*h, y + h*(19372/6561*k1 - 25360/2187*k2 + 64448/6561*k3 - 212/729*k4))
    let k6 = f(t + h, y + h*(9017/3168*k1 - 355/33*k2 + 46732/5247*k3 + 49/176*k4 - 5103/18656*k5))
    let change = h*(35/384*k1 + 500/1113*k3 + 125/192*k4 - 2187/6784*k5 + 11/84*k6)
    let k7 = f(t + h, y + change)
    let bend = h*k1 - change
    in {y = y + change, k = k7,
        off = h*(71/57600*k1 - 71/16695*k3 + 71/1920*k4 - 17253/339200*k5 + 22/525*k6 - 1/40*k7),
        dense = {c0 = y, c1 = change, c2 = bend, c3 = change - h*k7 - bend,
                 c4 = h*(69997945/29380423*k7 - 12715105075/11282082432*k1 + 87487479700/32700410799*k3
                         - 10690763975/1880347072*k4 + 701980252875/199316789632*k5 -
                         1453857185/822651844*k6)}}

# Order 5, with steps by an estimate of order 4 (Dormand and Prince 1980).
#     ode.dormand_prince((t, y) => -y, 1.0, 0.0, 1.0).y is 0.36787953583713134
fn dormand_prince(f, y, t0, t1, rtol = 1e-6, atol = 1e-9, most = 10000) =
    adapt(f, dormand_prince_step(f), 5, y, t0, t1, rtol, atol, most)

# y at t between t0 and t1, of the path of dormand_prince, of order 4, or of rodas, of order 3 (Shampine 1986).
#     ode.at(ode.dormand_prince((t, y) => -y, 1.0, 0.0, 1.0).path, 0.5) is 0.6065307182160244
fn at(path, t) =
    let way = sign(path.h[0])
    let i = min(count(path.until*way <= t*way), len(path.t) - 1)
    let u = (t - path.t[i])/path.h[i]
    let c = path.dense
    in c.c0[i] + u*(c.c1[i] + (1 - u)*(c.c2[i] + u*(c.c3[i] + (1 - u)*c.c4[i])))

# ---- stiff equations: of a vector

# Rodas, a method of Rosenbrock's kind of order 4 with an estimate of order 3, stable for every stiff part (Hairer and
# Wanner 1996, IV.7): six linear systems with one matrix, that of f's Jacobian.
fn rodas_step(f) = (t, y, k1, h) =>
    let (Q, R) = qr(eye[len(y)]()/(h/4) - jacobian(f(t, y), y))
    let slope = jvp(f(t, y), t, 1)
    let inverse = (v) => tri_solve[upper](R, v @ Q)
    let u1 = inverse(k1 + 0.25*h*slope)
    let u2 = inverse(f(t + 0.386*h, y + 1.544*u1) - 5.6688/h*u1 - 0.1043*h*slope)
    let u3 = inverse(f(t + 0.21*h, y + 0.9466785280815826*u1 + 0.2557011698983284*u2)
                     - (2.430093356833875*u1 + 0.2063599157091915*u2)/h + 0.1035*h*slope)
    let u4 = inverse(f(t + 0.63*h, y + 3.314825187068521*u1 + 2.896124015972201*u2 + 0.9986419139977817*u3)
                     - (0.1073529058151375*u1 + 9.594562251023355*u2 + 20.47028614809616*u3)/h -
                     0.0362*h*slope)
    let near = y + 1.221224509226641*u1 + 6.019134481288629*u2 + 12.53708332932087*u3 - 0.6878860361058950*u4
    let u5 = inverse(f(t + h, near)
                     + (7.496443313967647*u1 - 10.24680431464352*u2 - 33.99990352819905*u3 +
                        11.70890893206160*u4)/h)
    let u6 = inverse(f(t + h, near + u5) + (8.083246795921522*u1 - 7.981132988064893*u2 - 31.52159432874371*u3
                                            + 16.31930543123136*u4 - 6.058818238834054*u5)/h)
    let new = near + u5 + u6
    let k = f(t + h, new)
    let change = new - y
    let bend = h*k1 - change
    in {y = new, k, off = u6, dense = {c0 = y, c1 = change, c2 = bend, c3 = change - h*k - bend, c4 = 0*y}}

# Stiff equations of a vector: of order 4, linearly implicit, with steps by an estimate of order 3.
#     ode.rodas((t, y) => [-1e4*(y[0] - cos(t))], [0.0], 0.0, 1.0).y is [0.5403864910963324]
fn rodas(f, y: T[n], t0, t1, rtol = 1e-6, atol = 1e-9, most = 10000) =
    adapt(f, rodas_step(f), 4, y, t0, t1, rtol, atol, most)

# ---- the adjoint equation

# The gradient of dot(u, y(t1)) of y' = f(t, y, p) by y(t0) and p: y, what it is weighed by, and the gradient by p go
# back from t1 together, and no states are kept: {y, dy, dp, met} (Pontryagin and others 1962).
#     ode.adjoint((t, y, p) => -p*y, 1.0, 2.0, 0.0, 1.0, 1.0) is {y = 0.13533535218241424, dy = 0.1353353093547482, dp = -0.13533539980328996, met = true}
fn adjoint(f, y, p, t0, t1, u, rtol = 1e-6, atol = 1e-9, most = 10000) =
    let there = dormand_prince((t, y) => f(t, y, p), y, t0, t1, rtol, atol, most)
    let back = (t, s) =>
        let (y, q) = (s.y, p)
        let (dy, dp) = vjp(f(t, y, q), y, q, s.u)
        in {y = f(t, s.y, p), u = -dy, p = -dp}
    let start = {y = there.y, u, p = typeof(p)(0)}
    let here = dormand_prince(back, start, t1, t0, rtol, atol, most)
    in {y = there.y, dy = here.y.u, dp = here.y.p, met = there.met and here.met}
