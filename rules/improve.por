# improve.por - equations by which `porism improve` looks for forms that err less.  They make nothing simpler by
# themselves; the search (src/search) follows each both ways and measures what comes of it.

book improve

tag quotients   # ---- fractions
common_divisor:     a/x + b/y               <=> (a*y + b*x)/(x*y)
common_divisor_sub: a/x - b/y               <=> (a*y - b*x)/(x*y)
divided_sum:        a/x + b/x               <=> (a + b)/x
divided_difference: a/x - b/x               <=> (a - b)/x
quotient_cancel:    x*y/z/x                  => y/z

tag products    # ---- products
distribute:         a*(x + y)               <=> a*x + a*y
distribute_sub:     a*(x - y)               <=> a*x - a*y
shared_factor:      (x + y)*z - x*w          => x*(z - w) + y*z
square:             x*x                     <=> x^2
squares:            x^2 - y^2               <=> (x - y)*(x + y)

tag roots       # ---- roots
conjugate:          sqrt(x) - y              => (x - y^2)/(sqrt(x) + y)
conjugate_minus:    y - sqrt(x)              => (y^2 - x)/(sqrt(x) + y)
conjugate_plus:     sqrt(x) + y              => (x - y^2)/(sqrt(x) - y)
root_square:        sqrt(x)^2                => x
root_quotient:      sqrt(x)/y                => sqrt(x/y^2)                  real if y > 0
size_of_product:    abs(x*y)                <=> abs(x)*abs(y)
root_of_product:    sqrt(x*y)                => sqrt(abs(x))*sqrt(abs(y))
root_of_minus:      sqrt(-(x*y))             => sqrt(abs(x))*sqrt(abs(y))
root_of_quotient:   sqrt(x/y)                => sqrt(abs(x))/sqrt(abs(y))
difference_of_cubes: cbrt(x) - cbrt(y)       => (x - y)/(cbrt(x)^2 + cbrt(x)*cbrt(y) + cbrt(y)^2)
root_below: sqrt(x^2 - y) => where(y <= 0, hypot(x, sqrt(-y)), sqrt(abs(x) - sqrt(y))*sqrt(abs(x) + sqrt(y)))

tag exponentials  # ---- exponentials and logarithms
exp_sum:            exp(x + y)              <=> exp(x)*exp(y)
exp_difference:     exp(x - y)              <=> exp(x)/exp(y)
exp_doubled:    exp(2*x)                <=> exp(x)^2
log_product:        log(x) + log(y)         <=> log(x*y)                      real if x > 0 and y > 0
log_quotient:       log(x) - log(y)         <=> log(x/y)                      real if x > 0 and y > 0
log_difference:     log(x) - log(y)          => log1p((x - y)/y)              real if x > 0 and y > 0
exp_minus_exp:      exp(x) - exp(y)          => exp(y)*expm1(x - y)
exp_of_one_more:    exp(x) - 1              <=> expm1(x)
log_of_one_more:    log(1 + x)              <=> log1p(x)
expm1_by_ratio:     expm1(x)                 => x*where(x == 0, 1, expm1(x)/x)
log_shift:          log(x + y)               => log(x) + log1p(y/x)           real if x > 0
power:              x^y                     <=> exp(y*log(x))                 real if x > 0

tag trigonometry  # ---- trigonometry
sine_difference:    sin(x) - sin(y)          => 2*(sin((x - y)/2)*cos((x + y)/2))
cosine_difference:  cos(x) - cos(y)          => -2*(sin((x - y)/2)*sin((x + y)/2))
tangent_difference: tan(x) - tan(y)          => sin(x - y)/(cos(x)*cos(y))
arctangents:        atan(x) - atan(y)        => atan2(x - y, 1 + x*y)          real if x >= 0 and y >= 0
sine_half:          sin(x)                   => 2*(sin(x/2)*cos(x/2))
tangent:            tan(x)                  <=> sin(x)/cos(x)

# What is out of range in one order of factors is in range in another; looked for at the end.
book arrange

quotient_right:     a/(b/c)                 <=> a*c/b
quotient_left:      a/b/c                   <=> a/(b*c)
quotient_product:   a*b/c                   <=> a*(b/c)
quotient_factor:    a*b/(a*c)                => b/c
quotient_square:    x^2/y^2                  => (x/y)^2
quotient_parts:     (a*b)/(c*d)             <=> (a/c)*(b/d)
