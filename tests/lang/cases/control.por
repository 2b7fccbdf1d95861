type robot[n, u] = {A: f64[n, n], B: f64[n, u], Q: f64[n, n], R: f64[u, u], x: f64[n]}

# Riccati recursion backwards over the horizon; the last gain is the first one applied
fn control[horizon = 20](r: robot[n, u]) =
    let {A, B, Q, R, x} = r
    let end = scan (P = Q, K = f64[u, n](0), i < horizon) =>
        let L = cholesky(R + B.T @ P @ B)
        let K = solve[upper](L.T, solve[lower](L, B.T @ P @ A))
        let F = A - B @ K
        in {P = Q + F.T @ P @ F + K.T @ R @ K, K}
    in -end.K @ x

fn fleet(robots: robot[n, u][b]) = [r in robots] => control(r)
