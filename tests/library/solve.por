# Module solve: roots against closed forms or mpmath's, derivatives against those of the implicit function.
use solve

#: a=2.0 => (1.4142135623730951, true) within 4e-16
#: a=5.0 => (nan, false)
#: a=1.0 => (1, true)
#: a=0.0 => (0, true)
#: a=4.0 => (2, true)
fn bisection(a: f64) =
    let r = solve.bisection((x) => x*abs(x) - a, 0, 2)
    in (r.x, r.met)

# cos(x) = x; mpmath.findroot
#: => 0.73908513321516064 within 3e-16
fn bisection_falling() = solve.bisection((x) => cos(x) - x, 0, 1).x

# infinite ends, a function that is NaN at one
#: a=8.0 => (8, true)
#: a=-1e300 => (-1e300, true)
fn bisection_of_all(a: f64) =
    let r = solve.bisection((x) => x - a, -inf, inf)
    in (r.x, r.met)

#: a=1.0 => (nan, false)
fn bisection_nan(a: f64) =
    let r = solve.bisection((x) => a - sqrt(x), -1, 3)
    in (r.x, r.met)

# sqrt(a): its derivatives of orders one to three
#native: a=2.0 => (0.35355339059327373, -0.088388347648318433, 0.066291260736238828) within 1e-14
fn bisection_derived(a: f64) =
    let r = (a) => solve.bisection((x) => x*x - a, 0, 2).x
    let g = (a) => grad(r(a), a)
    let h = (a) => grad(g(a), a)
    in (g(a), h(a), grad(h(a), a))

#: a=2.0 => 0.35355339059327373 within 1e-15
fn bisection_forward(a: f64) = jvp(solve.bisection((x) => x*x - a, 0, 2).x, a, 1)

#: a=2.0 => (1.4142135623730951, true) within 4e-16
#: a=1e-8 => (1e-4, true) within 1e-19
fn newton(a: f64) =
    let r = solve.newton((x) => x*x - a, 1.0)
    in (r.x, r.met)

# atan(x) from far off, where whole steps run away
#: => (0, true) within 1e-14
fn newton_damped() =
    let r = solve.newton(atan, 20.0)
    in (r.x, r.met)

fn circle_and_line(a: f64[2]) = (x) => [x[0]^2 + x[1]^2 - a[0], x[0] - x[1]*a[1]]

# sqrt(a0/(1 + a1^2))*[a1, 1]
#: a='[4, 2]' => {x = [1.7888543819998317, 0.89442719099991586], steps = 5, met = true} within 1e-15
fn newton_vector(a: f64[2]) = solve.newton(circle_and_line(a), [1.0, 2.0])

#: a='[4, 2]' => [[0.22360679774997896, 0.17888543819998318], [0.11180339887498948, -0.35777087639996635]] within 1e-15
#: a='[1, 3]' => [[0.47434164902525688, 0.031622776601683794], [0.15811388300841897, -0.094868329805051374]] within 1e-15
fn newton_jacobian(a: f64[2]) = jacobian(solve.newton(circle_and_line(a), [1.0, 2.0]).x, a)

#: a='[4, 2]' => [[0.22360679774997896, 0.17888543819998318], [0.11180339887498948, -0.35777087639996635]] within 1e-15
fn newton_forward(a: f64[2]) = jacobian[forward](solve.newton(circle_and_line(a), [1.0, 2.0]).x, a)

#: a='[4, 2]' => (1.7888543819998317, 0.89442719099991586, true, true) within 1e-14
fn broyden(a: f64[2]) =
    let r = solve.broyden(circle_and_line(a), [1.0, 2.0])
    in (r.x, r.met, r.steps < 12)

#: a='[4, 2]' => [[0.22360679774997896, 0.17888543819998318], [0.11180339887498948, -0.35777087639996635]] within 1e-14
fn broyden_jacobian(a: f64[2]) = jacobian(solve.broyden(circle_and_line(a), [1.0, 2.0]).x, a)

# cos(a*x) = x; mpmath.findroot, and -x*sin(a*x)/(1 + a*sin(a*x))
#: a=1.0 => (0.73908513321516064, true, -0.29747434150983229) within 1e-13
fn fixed_point(a: f64) =
    let r = solve.fixed_point((x) => cos(a*x), 1.0)
    in (r.x, r.met, grad(r.x, a))

# diverges
#: => (false, 100)
fn fixed_point_none() =
    let r = solve.fixed_point((x) => 3*x + 1, 1.0, most = 100)
    in (r.met, r.steps)

#: M='[[4, 1], [1, 3]]' b='[1, 2]' => {x = [0.090909090909090909, 0.63636363636363636], steps = 2, met = true} within 1e-15
#: M='[[4, 1], [1, 3]]' b='[0, 0]' => {x = [0, 0], steps = 0, met = true}
fn conjugate(M: f64[n, n], b: f64[n]) = solve.conjugate_gradients((v) => M @ v, b, typeof(b)(0))

# A^-1 @ [1, 1]
#: M='[[4, 1], [1, 3]]' b='[1, 2]' => [0.18181818181818182, 0.27272727272727271] within 1e-14
fn conjugate_gradient(M: f64[n, n], b: f64[n]) =
    grad(sum(solve.conjugate_gradients((v) => M @ v, b, typeof(b)(0)).x), b)

# of a structure
#: M='[[4, 1], [1, 3]]' b='[1, 2]' => [0.090909090909090909, 0.63636363636363636, 0.18181818181818182, 0.77272727272727271] within 1e-14
fn conjugate_structure(M: f64[n, n], b: f64[n]) =
    let s = {u = b, w = 2*b + 1}
    let r = solve.conjugate_gradients((v) => {u = M @ v.u, w = 2*(M @ v.w)}, s, typeof(s)(0))
    in concat(r.x.u, r.x.w)

# numpy.linalg.solve, of rationals: [41, -13, 60]/151
#native: M='[[4, 1, 0], [1, 3, 5], [0, -7, 1]]' b='[1, 2, 1]' => {x = [0.27152317880794702, -0.086092715231788075, 0.39735099337748347], steps = 3, met = true} within 1e-14
#: M='[[0, 1, 0], [0, 0, 1], [1, 0, 0]]' b='[1, 2, 3]' => {x = [3, 1, 2], steps = 3, met = true} within 1e-14
#: M='[[1, 0, 0], [0, 1, 0], [0, 0, 1]]' b='[1, 2, 3]' => {x = [1, 2, 3], steps = 1, met = true} within 1e-14
#: M='[[1, 0, 0], [0, 1, 0], [0, 0, 1]]' b='[0, 0, 0]' => {x = [0, 0, 0], steps = 0, met = true}
fn gmres(M: f64[n, n], b: f64[n]) = solve.gmres((v) => M @ v, b, typeof(b)(0))

#: M='[[4, 1, 0], [1, 3, 5], [0, -7, 1]]' b='[1, 2, 1]' => (0.27152317880794702, -0.086092715231788075, 0.39735099337748347, true) within 1e-13
fn gmres_begun_anew(M: f64[n, n], b: f64[n]) =
    let r = solve.gmres[2]((v) => M @ v, b, typeof(b)(0))
    in (r.x, r.met)

# -z*x^T and z = M.T^-1 @ [1, 1, 1]
#: M='[[4, 1, 0], [1, 3, 5], [0, -7, 1]]' b='[1, 2, 1]' => [[-0.05394500241217491, 0.017104512959957898, -0.078943905969036452], [-0.055743169159247406, 0.017674663391956492, -0.081575369501337663], [0.0071926669882899879, -0.0022806017279943863, 0.010525854129204859], [0.19867549668874172, 0.20529801324503311, -0.026490066225165563]] within 1e-14
fn gmres_gradient(M: f64[n, n], b: f64[n]) = grad(sum(solve.gmres((v) => M @ v, b, typeof(b)(0)).x), M, b)

# The steps of a matrix of 200 rows, and how far off its solution is.
#: => true
fn gmres_long() =
    let n = 200
    let A = (v) => 3*v + concat(v[1:], [0.0]) - concat([0.0], v[:-1])/2
    let b = sin(f64(iota[n]()))
    let r = solve.gmres[20](A, b, f64[n](0))
    in r.met and norm(A(r.x) - b) < 1e-11 and r.steps < 80

# A root without a matrix: value, and derivatives as by the matrix
#: w='[1, 2, 3]' b='[0.5, -1, 2]' => (true, true, true) within 1e-9
fn implicit_free(w: f64[3], b: f64[3]) =
    let f = (x: f64[3]) => sinh(x)*w + x[0]*0.3 - b
    let x = solve.newton(f, 0*b).x
    let y = solve.implicit_free(f, x)
    in (norm(y - x) == 0, norm(jacobian(y, w) - jacobian(x, w)) < 1e-12,
        norm(hessian(sum(sin(y)), b) - hessian(sum(sin(x)), b)) < 1e-12)

# A derivative by a computed value that only a loop uses which may have no pass
#: x='[1.0, 2.0]' n='i64(2)' => [0.17332778320558917, 1.9099776517745954]
fn by_a_guarded(x: f64[n], n: i64) =
    let w = x/f64(n)
    in grad(sum(scan (s = f64[n](1), i < 3) => scan (s = s, j < i) => scan (s = s, j < 2) => sin(w*s)), w)

# L, the solution, log(det) and their gradients by the lower half, by numpy.linalg
#native: A='[[4,2,1],[2,5,3],[1,3,6]]' b='[1,2,3]' => (2, 0, 0, 1, 2, 0, 0.5, 1.25, 2.0463381929681126, 0.08955223880597013, 0.10447761194029856, 0.4328358208955223, 4.204692619390967) within 1e-14
fn cholesky(A: f64[n, n], b: f64[n]) =
    let L = solve.cholesky(A)
    in (L, solve.by_cholesky(L, b), solve.log_det(L))

# -z*z.T with z the solution, both halves in the lower
#native: A='[[4,2,1],[2,5,3],[1,3,6]]' b='[1,2,3]' => [-0.008019603475161504, 0, 0, -0.018712408108710193, -0.010915571396747618, 0, -0.07752283359322788, -0.09044330585876588, -0.18734684785030067] within 1e-14
fn cholesky_gradient(A: f64[n, n], b: f64[n]) = grad(dot(b, solve.by_cholesky(solve.cholesky(A), b)), A)

# log(det) of [[a, b], [b, c]] is log(a*c - b^2): its Hessian
#: q='[4,2,5]' => [-0.09765625, 0.078125, -0.015625, 0.078125, -0.1875, 0.0625, -0.015625, 0.0625, -0.0625] within 1e-14
fn cholesky_hessian(q: f64[3]) =
    hessian((q) => solve.log_det(solve.cholesky([[q[0], 0], [q[1], q[2]]])), q)

#: A='[[4,2],[2,-5]]' => [2, 0, 1, nan]
fn not_positive(A: f64[n, n]) = solve.cholesky(A)

# The ends in either order; what runs away, or has no slope, is not met.
#: => (0.83666002653407556, true, false, false, false) within 3e-16
fn not_met() =
    let r = solve.bisection((x) => x^2 - 0.7, 5, 0)
    in (r.x, r.met, solve.newton((x) => 3.0, 1.0).met,
        solve.newton((x) => if x > 0 then x + 1 else 1.0, -1.0).met,
        solve.fixed_point((x) => 2*x, 1.0).met)

# numpy.linalg.det and slogdet; of the last no pivot is left
#: A=[[1,2],[3,4]] => (-2, -1, 0.69314718055994531) within 4e-16
#: A=[[0,2,1],[1,0,3],[4,1,0]] => (25, 1, 3.2188758248682006) within 4e-16
#: A=[[1,2],[2,4]] => (0, 0, -inf)
#: A=[[-3]] => (-3, -1, 1.0986122886681098) within 4e-16
fn determinants(A: f64[n, n]) =
    let r = solve.slogdet(A)
    in (solve.det(A), r.sign, r.log)

#: => (1, 1, 0)
fn determinants_of_nothing() =
    let r = solve.slogdet(f64[0, 0](0))
    in (solve.det(f64[0, 0](0)), r.sign, r.log)

# The adjugate, turned, also where there is no inverse; the inverse, turned; a second derivative.
#: A=[[1,2],[3,4]] => ([[4, -3], [-2, 1]], [[-2, 1.5], [1, -0.5]], 1) within 4e-15
fn determinants_derived(A: f64[n, n]) =
    let d = (A) => grad(solve.det(A), A)
    in (d(A), grad(solve.slogdet(A).log, A), grad(d(A)[0, 0], A)[1, 1])
#: A=[[1,2],[2,4]] => [[4, -2], [-2, 1]] within 1e-14
fn adjugate(A: f64[n, n]) = grad(solve.det(A), A)
