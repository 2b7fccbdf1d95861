# flow.por - the flow of y' = sin(y), by Euler's steps, and its derivative by the start.
#
#   porism run examples/flow.por:flow y='[0.1, 1.0]' h=0.1 steps=50
#   porism explain examples/flow.por:gradient --stage stable

fn flow(y: f64[n], h: f64, steps: i64) = scan (y = y, i < steps) => y + h*sin(y)

fn gradient(y: f64[n], h: f64, steps: i64) = grad(sum(flow(y, h, steps)), y)

# The whole way of one particle, a row for each step.
fn path(y: f64, h: f64, steps: i64) = (scan (y = y, i < steps) => {y = y + h*sin(y), way = y}).way
