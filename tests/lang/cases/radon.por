use logp

type radon[c] = {μ: f64, log_τ: f64, α: f64[c], β: f64, log_σ: f64}

fn log_density(q: radon[c], county: i32[n], cellar: f64[n], y: f64[n]) =
    let τ = exp(q.log_τ)
    let σ = exp(q.log_σ)
    in logp.normal(q.μ, 0, 10) + logp.normal(q.β, 0, 10)
        + logp.half_cauchy(τ, 5) + q.log_τ                 # τ and σ are positive: their Jacobians
        + logp.half_cauchy(σ, 5) + q.log_σ
        + sum(logp.normal(q.α, q.μ, τ))
        + sum(logp.normal(y, q.α[county] + q.β*cellar, σ))

# U may take any structure: arithmetic on structures goes leaf by leaf
fn leapfrog(U, q, p, ε: f64, steps: i64) =
    let dU = (q) => grad(U(q), q)
    let end = scan (q = q, p = p - ε/2*dU(q), i < steps) =>
        let q = q + ε*p
        in {q, p = p - ε*dU(q)}
    in (end.q, end.p + ε/2*dU(end.q))

fn hmc(U, q, ε: f64, steps: i64, k: key) =
    let p0 = normal[typeof(q)](k[0])
    let (q1, p1) = leapfrog(U, q, p0, ε, steps)
    let drop = U(q) + dot(p0, p0)/2 - U(q1) - dot(p1, p1)/2
    in where(log(uniform[f64](k[1])) < drop, q1, q)

fn sample(q: radon[c], county: i32[n], cellar: f64[n], y: f64[n], ε: f64, draws: i64, k: key) =
    let U = (q) => -log_density(q, county, cellar, y)
    in scan (q = q, i < draws) =>
        let q = hmc(U, q, ε, 10, k[i])
        in {q, chain = q}
