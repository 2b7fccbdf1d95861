type option =
    {spot: f64 if spot > 0, strike: f64 if strike > 0, rate: f64, vol: f64 if vol > 0, time: f64 if time > 0}

fn Φ(x) = erfc(-x/sqrt(2))/2

fn price(o: option) =
    let s = o.vol*sqrt(o.time)
    let d1 = (log(o.spot/o.strike) + o.rate*o.time)/s + s/2
    in o.spot*Φ(d1) - o.strike*exp(-o.rate*o.time)*Φ(d1 - s)

fn greeks(o: option) =
    let value = price(o)
    in {value, first = grad(value, o), second = hessian(value, o)}

fn quotes(all: option[n]) =
    let g = [o in all] => greeks(o)
    in {price = g.value, delta = g.first.spot, vega = g.first.vol, gamma = g.second.spot.spot,
        vanna = g.second.spot.vol}
