# leapfrog.por - Hamiltonian motion: leapfrog steps of a particle, and Hamiltonian Monte Carlo by them.
#
#   porism run examples/leapfrog.por:pendulum q=1.0 p=0.0 ε=0.1 steps=100

# U may take any structure: arithmetic on structures goes leaf by leaf.
fn leapfrog(U, q, p, ε: f64, steps: i64) =
    let dU = (q) => grad(U(q), q)
    let end = scan (q = q, p = p - ε/2*dU(q), i < steps) =>
        let q = q + ε*p
        in {q, p = p - ε*dU(q)}
    in (end.q, end.p + ε/2*dU(end.q))

fn energy(q: f64, p: f64) = p^2/2 + 1 - cos(q)

# A pendulum: where it is, how fast it swings, and by how much the energy has drifted.
fn pendulum(q: f64, p: f64, ε: f64, steps: i64) =
    let (q1, p1) = leapfrog((q) => 1 - cos(q), q, p, ε, steps)
    in {q = q1, p = p1, drift = energy(q1, p1) - energy(q, p)}

fn hmc(U, q, ε: f64, steps: i64, k: key) =
    let p0 = normal[typeof(q)](k[0])
    let (q1, p1) = leapfrog(U, q, p0, ε, steps)
    let drop = U(q) + dot(p0, p0)/2 - U(q1) - dot(p1, p1)/2
    in where(log(uniform[f64](k[1])) < drop, q1, q)

# Draws from a normal distribution with these means and deviations.
fn sample(q: f64[n], mean: f64[n], sd: f64[n], ε: f64, draws: i64, k: key) =
    let U = (q) => sum(((q - mean)/sd)^2)/2
    in scan (q = q, i < draws) =>
        let q = hmc(U, q, ε, 10, k[i])
        in {q, chain = q}
