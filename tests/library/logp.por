# Module logp: each density with its derivatives by all that it takes, by mpmath from the textbook formulas.
use logp

#: x=0.5 mean=1.0 sd=2.0 => (-1.6433357137646181, 0.125, -0.125, -0.46875) within 2e-13
#: x=-30.0 mean=1.0 sd=0.5 => (-1922.2257913526447, 124.0, -124.0, 7686.0) within 2e-13
fn normal(x: f64, mean: f64, sd: f64) =
    let y = logp.normal(x, mean, sd)
    in (y, grad(y, x), grad(y, mean), grad(y, sd))

#: x=0.5 mean=1.0 scale=2.0 => (-1.6362943611198906, 0.5, -0.5, -0.375) within 2e-13
#: x=7.0 mean=1.0 scale=0.3 => (-19.489174376234009, -3.3333333333333333, 3.3333333333333333, 63.333333333333333) within 2e-13
fn laplace(x: f64, mean: f64, scale: f64) =
    let y = logp.laplace(x, mean, scale)
    in (y, grad(y, x), grad(y, mean), grad(y, scale))

#: x=0.5 mean=1.0 rate=2.0 skew=1.5 => (-0.74670937434020309, 1.3333333333333333, -1.3333333333333333, 0.16666666666666667, 0.18803418803418803) within 2e-13
#: x=3.0 mean=1.0 rate=0.5 skew=0.7 => (-2.1485982444560455, -0.35, 0.35, 0.6, -0.51102588686481304) within 2e-13
fn asymmetric_laplace(x: f64, mean: f64, rate: f64, skew: f64) =
    let y = logp.asymmetric_laplace(x, mean, rate, skew)
    in (y, grad(y, x), grad(y, mean), grad(y, rate), grad(y, skew))

#: x=0.5 mean=1.0 scale=2.0 => (-2.0950260203176324, 0.062176500885798104, -0.062176500885798104, -0.48445587477855047) within 2e-13
#: x=300.0 mean=1.0 scale=0.5 => (-597.30685281944005, -2.0, 2.0, 1194.0) within 2e-13
fn logistic(x: f64, mean: f64, scale: f64) =
    let y = logp.logistic(x, mean, scale)
    in (y, grad(y, x), grad(y, mean), grad(y, scale))

#: x=0.5 mean=1.0 scale=2.0 => (-1.8985016882257803, 0.23529411764705882, -0.23529411764705882, -0.44117647058823529) within 2e-13
#: x=1000000.0 mean=1.0 scale=0.5 => (-29.468896182337144, -2.0000020000015e-6, 2.0000020000015e-6, 1.999999999999) within 2e-13
fn cauchy(x: f64, mean: f64, scale: f64) =
    let y = logp.cauchy(x, mean, scale)
    in (y, grad(y, x), grad(y, mean), grad(y, scale))

#: x=0.5 freedom=3.0 mean=1.0 scale=2.0 => (-1.7352746045889264, 0.16326530612244898, 0.02977631246878155, -0.16326530612244898, -0.45918367346938776) within 2e-13
#: x=40.0 freedom=1.5 mean=1.0 scale=0.5 => (-10.768751933280005, -0.064086763618437269, -3.2251012646917691, 0.064086763618437269, 2.998767562238107) within 2e-13
#: x=0.5 freedom=1000000.0 mean=1.0 scale=2.0 => (-1.6433359940380546, 0.12500011718749268, 2.8027343562813032e-13, -0.12500011718749268, -0.46874997070312683) within 2e-13
fn student_t(x: f64, freedom: f64, mean: f64, scale: f64) =
    let y = logp.student_t(x, freedom, mean, scale)
    in (y, grad(y, x), grad(y, freedom), grad(y, mean), grad(y, scale))

#: x=0.5 mean=1.0 scale=2.0 => (-1.7271725972476868, 0.14201270834387074, -0.14201270834387074, -0.46449682291403231) within 2e-13
#: x=20.0 mean=1.0 scale=0.5 => (-37.306852819440055, -1.9999999999999999, 1.9999999999999999, 73.999999999999998) within 2e-13
#: x=-3.0 mean=1.0 scale=2.0 => (-6.0822032794905955, 3.1945280494653251, -3.1945280494653251, 5.8890560989306502) within 2e-13
fn gumbel(x: f64, mean: f64, scale: f64) =
    let y = logp.gumbel(x, mean, scale)
    in (y, grad(y, x), grad(y, mean), grad(y, scale))

#: x=0.5 mean=1.0 sd=2.0 skew=3.0 => (-2.434636763124329, 2.1181669478318106, -2.1181669478318106, 0.02954173695795264, -0.33219449130530176) within 2e-13
#: x=-20.0 mean=1.0 sd=2.0 skew=3.0 => (-556.53886989610177, 52.547523545749041, -52.547523545749041, 551.24899723036493, -331.08266482024329) within 2e-13
fn skew_normal(x: f64, mean: f64, sd: f64, skew: f64) =
    let y = logp.skew_normal(x, mean, sd, skew)
    in (y, grad(y, x), grad(y, mean), grad(y, sd), grad(y, skew))

#: x=0.5 mean=1.0 sd=2.0 rate=0.7 => (-2.0330341228911489, 0.33357479198335449, -0.33357479198335449, -0.20861101078085766, 0.59427226063801062) within 2e-13
#: x=30.0 mean=1.0 sd=2.0 rate=0.7 => (-19.676674943938732, -0.7, 0.7, 0.98, -24.771428571428571) within 2e-13
#: x=-20.0 mean=1.0 sd=2.0 rate=0.7 => (-58.88409299518702, 5.291443316743124, -5.291443316743124, 55.502134182362429, 1.2627981615989324) within 2e-13
fn exponential_normal(x: f64, mean: f64, sd: f64, rate: f64) =
    let y = logp.exponential_normal(x, mean, sd, rate)
    in (y, grad(y, x), grad(y, mean), grad(y, sd), grad(y, rate))

#: x=0.5 mean=1.0 sharpness=2.0 => (-0.90670548411155633, 0.958851077208406, -0.958851077208406, 0.17980790392636473) within 2e-13
#: x=-3.0 mean=1.0 sharpness=300.0 => (-494.16055091849515, -227.04074859237848, 227.04074859237848, -1.6519755606541454) within 2e-13
fn von_mises(x: f64, mean: f64, sharpness: f64) =
    let y = logp.von_mises(x, mean, sharpness)
    in (y, grad(y, x), grad(y, mean), grad(y, sharpness))

#: x=0.5 mean=1.0 sd=2.0 => (-1.2772819550844342, -1.1534264097200273, -0.42328679513998633, -0.14165657812023849) within 2e-13
#: x=1e-08 mean=1.0 sd=0.5 => (-736.13079172573677, 7668272297.5809462, -77.682722975809462, 3015.3027244681776) within 2e-13
#: x=-1.0 mean=1.0 sd=2.0 => (-inf, 0, 0, 0)
fn lognormal(x: f64, mean: f64, sd: f64) =
    let y = logp.lognormal(x, mean, sd)
    in (y, grad(y, x), grad(y, mean), grad(y, sd))

#: x=0.5 sd=2.0 => (-0.95018853320467274, -0.125, -0.46875) within 2e-13
#: x=9.0 sd=0.5 => (-161.53264417208478, -36.0, 646.0) within 2e-13
#: x=-1.0 sd=2.0 => (-inf, 0, 0)
fn half_normal(x: f64, sd: f64) =
    let y = logp.half_normal(x, sd)
    in (y, grad(y, x), grad(y, sd))

#: x=0.5 scale=2.0 => (-1.205354507665835, -0.23529411764705882, -0.44117647058823529) within 2e-13
#: x=10000000.0 scale=0.5 => (-33.380921187766042, -1.999999999999995e-7, 1.99999999999999) within 2e-13
#: x=-1.0 scale=2.0 => (-inf, 0, 0)
fn half_cauchy(x: f64, scale: f64) =
    let y = logp.half_cauchy(x, scale)
    in (y, grad(y, x), grad(y, scale))

#: x=0.5 freedom=3.0 scale=2.0 => (-1.0421274240289811, -0.16326530612244898, 0.02977631246878155, -0.45918367346938776) within 2e-13
#: x=40.0 freedom=1.5 scale=0.5 => (-10.138884059684587, -0.062485354994923065, -3.2504028479182904, 2.9988283995938452) within 2e-13
#: x=-1.0 freedom=3.0 scale=2.0 => (-inf, 0, 0, 0)
fn half_student_t(x: f64, freedom: f64, scale: f64) =
    let y = logp.half_student_t(x, freedom, scale)
    in (y, grad(y, x), grad(y, freedom), grad(y, scale))

#: x=0.5 rate=2.0 => (-0.30685281944005469, -2.0, 3.8893845486632136e-42) within 2e-13
#: x=100.0 rate=0.5 => (-50.693147180559945, -0.5, -98.0) within 2e-13
#: x=-1.0 rate=2.0 => (-inf, 0, 0)
fn exponential(x: f64, rate: f64) =
    let y = logp.exponential(x, rate)
    in (y, grad(y, x), grad(y, rate))

#: x=0.5 shape=3.0 rate=2.0 => (-1.0, 2.0, -0.92278433509846714, 1.0) within 2e-13
#: x=1e-06 shape=0.3 rate=2.0 => (8.7830015499248999, -700002.0, -9.6198391552041958, 0.149999) within 2e-13
#: x=50.0 shape=60.0 rate=1.5 => (-4.3965650546990101, -0.32, 0.23150003215277215, -10.0) within 2e-13
#: x=-1.0 shape=3.0 rate=2.0 => (-inf, 0, 0, 0)
fn gamma(x: f64, shape: f64, rate: f64) =
    let y = logp.gamma(x, shape, rate)
    in (y, grad(y, x), grad(y, shape), grad(y, rate))

#: x=0.5 shape=3.0 scale=2.0 => (0.15888308335967186, 2.131382732667441e-39, 0.46351002602142348, -0.5) within 2e-13
#: x=100.0 shape=0.3 scale=2.0 => (-6.8945750824346107, -0.0128, -0.40949878322801307, 0.14) within 2e-13
#: x=-1.0 shape=3.0 scale=2.0 => (-inf, 0, 0, 0)
fn inverse_gamma(x: f64, shape: f64, scale: f64) =
    let y = logp.inverse_gamma(x, shape, scale)
    in (y, grad(y, x), grad(y, shape), grad(y, scale))

#: x=0.5 freedom=3.0 => (-1.5155121234846454, 0.5, -0.71139216754923357) within 2e-13
#: x=20.0 freedom=7.0 => (-6.1376580504219053, -0.375, 0.59971422617440125) within 2e-13
#: x=-1.0 freedom=3.0 => (-inf, 0, 0)
fn chi_squared(x: f64, freedom: f64) =
    let y = logp.chi_squared(x, freedom)
    in (y, grad(y, x), grad(y, freedom))

#: x=0.5 freedom=3.0 => (-0.18607058180480947, -3.0, -0.01824498698928826) within 2e-13
#: x=0.02 freedom=7.0 => (-11.022885209880226, 1025.0, 1.0578595921114788) within 2e-13
#: x=-1.0 freedom=3.0 => (-inf, 0, 0)
fn inverse_chi_squared(x: f64, freedom: f64) =
    let y = logp.inverse_chi_squared(x, freedom)
    in (y, grad(y, x), grad(y, freedom))

#: x=0.5 shape=3.0 scale=2.0 => (-2.3827486141316169, 3.90625, -1.031300178394059, -1.4765625) within 2e-13
#: x=4.0 shape=0.7 scale=2.0 => (-2.8822710713791323, -0.35928833872468243, 0.99569769225660619, 0.21857667744936487) within 2e-13
#: x=-1.0 shape=3.0 scale=2.0 => (-inf, 0, 0, 0)
fn weibull(x: f64, shape: f64, scale: f64) =
    let y = logp.weibull(x, shape, scale)
    in (y, grad(y, x), grad(y, shape), grad(y, scale))

#: x=0.5 shape=3.0 scale=2.0 => (-58.049357447412273, 376.0, -87.003211417219776, -94.5) within 2e-13
#: x=40.0 shape=0.7 scale=2.0 => (-6.2653897921520414, -0.040350600954297367, -1.1992166112707037, 0.30701201908594734) within 2e-13
#: x=-1.0 shape=3.0 scale=2.0 => (-inf, 0, 0, 0)
fn frechet(x: f64, shape: f64, scale: f64) =
    let y = logp.frechet(x, shape, scale)
    in (y, grad(y, x), grad(y, shape), grad(y, scale))

#: x=0.5 scale=2.0 => (-2.1106915416798359, 1.875, -0.96875) within 2e-13
#: x=9.0 scale=1.5 => (-16.613705638880109, -3.8888888888888889, 22.666666666666667) within 2e-13
#: x=-1.0 scale=2.0 => (-inf, 0, 0)
fn rayleigh(x: f64, scale: f64) =
    let y = logp.rayleigh(x, scale)
    in (y, grad(y, x), grad(y, scale))

#: x=0.5 scale=2.0 => (-3.722777255444454, 3.875, -1.46875) within 2e-13
#: x=9.0 scale=1.5 => (-15.047737522296782, -3.7777777777777778, 22.0) within 2e-13
#: x=-1.0 scale=2.0 => (-inf, 0, 0)
fn maxwell(x: f64, scale: f64) =
    let y = logp.maxwell(x, scale)
    in (y, grad(y, x), grad(y, scale))

#: x=0.5 shape=3.0 scale=2.0 => (-2.3981319872035474, 3.8153846153846154, -1.010305816675176, -1.4538461538461538) within 2e-13
#: x=100000.0 shape=40.0 scale=2.0 => (-440.61517738726762, -0.00041, -10.794778284410283, 20.0) within 2e-13
#: x=1e-05 shape=1.5 scale=2.0 => (-6.3907184175775474, 49999.996645898071, -11.539405705927428, -0.74999998322949036) within 2e-13
#: x=-1.0 shape=3.0 scale=2.0 => (-inf, 0, 0, 0)
fn log_logistic(x: f64, shape: f64, scale: f64) =
    let y = logp.log_logistic(x, shape, scale)
    in (y, grad(y, x), grad(y, shape), grad(y, scale))

#: x=0.5 mean=1.0 shape=2.0 => (-0.032644172084782123, 1.201819825536933e-39, -1.0, 1.9446922743316068e-42) within 2e-13
#: x=0.01 mean=2.0 shape=1.5 => (-68.060325700168453, 7349.8125, -0.373125, -49.167916666666667) within 2e-13
#: x=-1.0 mean=1.0 shape=2.0 => (-inf, 0, 0, 0)
fn inverse_normal(x: f64, mean: f64, shape: f64) =
    let y = logp.inverse_normal(x, mean, shape)
    in (y, grad(y, x), grad(y, mean), grad(y, shape))

#: x=0.5 above=3.0 below=4.0 => (-0.57092891789019575, -0.90909090909090909, 0.065510023086384725, 0.044595650850484352) within 2e-13
#: x=30.0 above=2.0 below=9.0 => (-11.20285059993572, -0.15942028985507246, -0.86703091227202431, -0.48703999744694512) within 2e-13
#: x=-1.0 above=3.0 below=4.0 => (-inf, 0, 0, 0)
fn f_ratio(x: f64, above: f64, below: f64) =
    let y = logp.f_ratio(x, above, below)
    in (y, grad(y, x), grad(y, above), grad(y, below))

#: x=2.5 shape=3.0 least=2.0 => (-0.48710909714867464, -1.6, 0.11018978201912358, 1.5) within 2e-13
#: x=100000.0 shape=0.5 least=1.5 => (-17.759802823961206, -1.5e-5, -9.107460356862064, 0.33333333333333333) within 2e-13
#: x=1.0 shape=3.0 least=2.0 => (-inf, 0, 0, 0)
fn pareto(x: f64, shape: f64, least: f64) =
    let y = logp.pareto(x, shape, least)
    in (y, grad(y, x), grad(y, shape), grad(y, least))

#: x=0.25 a=2.0 b=3.0 => (0.52324814376454784, 1.3333333333333333, -0.30296102778655729, 0.29565126088155241) within 2e-13
#: x=0.999 a=0.5 b=40.0 => (-268.13300576463933, -39000.500500500501, 5.6514150186210735, -6.8951771600837466) within 2e-13
#: x=1.5 a=2.0 b=3.0 => (-inf, 0, 0, 0)
fn beta(x: f64, a: f64, b: f64) =
    let y = logp.beta(x, a, b)
    in (y, grad(y, x), grad(y, a), grad(y, b))

#: x=0.25 a=2.0 b=3.0 => (0.27638806583302204, 2.9333333333333333, -0.70145511297057187, 0.26879481219576216) within 2e-13
#: x=0.9 a=0.5 b=4.0 => (-8.1633895787984105, -31.366943856397452, 7.7379862514605675, -2.7197390057290897) within 2e-13
#: x=1.5 a=2.0 b=3.0 => (-inf, 0, 0, 0)
fn kumaraswamy(x: f64, a: f64, b: f64) =
    let y = logp.kumaraswamy(x, a, b)
    in (y, grad(y, x), grad(y, a), grad(y, b))

#: x=0.5 low=-1.0 high=3.0 => (-1.3862943611198906, 0, 0.25, -0.25) within 2e-13
#: x=2.5 low=2.0 high=3.0 => (0, 0, 1.0, -1.0) within 2e-13
#: x=1.5 low=2.0 high=3.0 => (-inf, 0, 0, 0)
fn uniform(x: f64, low: f64, high: f64) =
    let y = logp.uniform(x, low, high)
    in (y, grad(y, x), grad(y, low), grad(y, high))

#: x=0.5 low=-1.0 top=1.0 high=3.0 => (-0.98082925301172624, 0.66666666666666667, 0.083333333333333333, -0.5, -0.25) within 2e-13
#: x=2.5 low=-1.0 top=1.0 high=3.0 => (-2.0794415416798359, -2.0, 0.25, 0.5, 1.25) within 2e-13
#: x=-1.5 low=-1.0 top=1.0 high=3.0 => (-inf, 0, 0, 0, 0)
fn triangular(x: f64, low: f64, top: f64, high: f64) =
    let y = logp.triangular(x, low, top, high)
    in (y, grad(y, x), grad(y, low), grad(y, top), grad(y, high))

#: x=0.5 mean=1.0 sd=2.0 low=-1.0 high=3.0 => (-1.261620567462492, 0.125, -0.125, -0.11431254738639661, 0.1772187263068017, -0.1772187263068017) within 2e-13
#: x=21.0 mean=1.0 sd=2.0 low=20.0 high=22.0 => (-3.3060252590607629, -5.0, 0.19849533830312656, 3.8859237117511857, 4.8017226595683568, -0.00021799787148333536) within 2e-13
#: x=-0.5 mean=30.0 sd=2.0 low=-1.0 high=3.0 => (-23.241293832481504, 7.625, -0.83835868485197231, 24.161592245505079, 1.726294637441537e-12, -6.786641315149754) within 2e-13
#: x=4.0 mean=1.0 sd=2.0 low=-1.0 high=3.0 => (-inf, 0, 0, 0, 0, 0)
fn truncated_normal(x: f64, mean: f64, sd: f64, low: f64, high: f64) =
    let y = logp.truncated_normal(x, mean, sd, low, high)
    in (y, grad(y, x), grad(y, mean), grad(y, sd), grad(y, low), grad(y, high))

#: x=1.0 p=0.3 => (-1.203972804325936, -0.84729786038720361, 3.3333333333333333) within 2e-13
#: x=0.0 p=0.3 => (-0.35667494393873238, -0.84729786038720361, -1.4285714285714286) within 2e-13
#: x=2.0 p=0.3 => (-inf, 0, 0)
fn bernoulli(x: f64, p: f64) =
    let y = logp.bernoulli(x, p)
    in (y, grad(y, x), grad(y, p))

#: x=1.0 z=-40.0 => (-40.0, -40.0, 1.0) within 2e-13
#: x=0.0 z=2.0 => (-2.1269280110429725, 2.0, -0.88079707797788244) within 2e-13
fn bernoulli_logit(x: f64, z: f64) =
    let y = logp.bernoulli_logit(x, z)
    in (y, grad(y, x), grad(y, z))

#: x=2.0 n=5.0 p=0.3 => (-1.1753853474740234, -0.51396452705387028, 0.093325056061267621, 2.380952380952381) within 2e-13
#: x=40.0 n=100.0 p=0.9 => (-77.57896378882129, 2.5985519513515812, -1.7950779883061632, -555.55555555555556) within 2e-13
#: x=7.0 n=5.0 p=0.3 => (-inf, 0, 0, 0)
fn binomial(x: f64, n: f64, p: f64) =
    let y = logp.binomial(x, n, p)
    in (y, grad(y, x), grad(y, n), grad(y, p))

#: x=2.0 n=5.0 z=0.3 => (-1.3691911293485899, 0.63333333333333333, -0.40435524446852712, -0.87221258405829494) within 2e-13
#: x=40.0 n=100.0 z=-30.0 => (-1135.2094375828749, -29.598672625984638, 0.50750710468778887, 39.999999999990642) within 2e-13
#: x=7.0 n=5.0 z=0.3 => (-inf, 0, 0, 0)
fn binomial_logit(x: f64, n: f64, z: f64) =
    let y = logp.binomial_logit(x, n, z)
    in (y, grad(y, x), grad(y, n), grad(y, z))

#: x=2.0 n=5.0 a=0.5 b=3.0 => (-2.239046072189558, -0.66962769445322395, 0.076026850852380351, 1.6897324897324897, -0.1936008436008436) within 2e-13
#: x=40.0 n=100.0 a=2.0 b=7.0 => (-4.5485808950211283, -0.070166377387722721, 0.017964761703319017, 0.75682104846949488, -0.22168520012742057) within 2e-13
#: x=7.0 n=5.0 a=0.5 b=3.0 => (-inf, 0, 0, 0, 0)
fn beta_binomial(x: f64, n: f64, a: f64, b: f64) =
    let y = logp.beta_binomial(x, n, a, b)
    in (y, grad(y, x), grad(y, n), grad(y, a), grad(y, b))

#: x=2.0 rate=1.5 => (-1.3822169643436165, -0.51731922699030276, 0.33333333333333333) within 2e-13
#: x=300.0 rate=250.0 => (-8.4675745863940586, -0.18398729753572417, 0.2) within 2e-13
#: x=-1.0 rate=1.5 => (-inf, 0, 0)
fn poisson(x: f64, rate: f64) =
    let y = logp.poisson(x, rate)
    in (y, grad(y, x), grad(y, rate))

#: x=2.0 z=0.5 => (-1.3418684512600735, -0.42278433509846714, 0.35127872929987185) within 2e-13
#: x=0.0 z=-50.0 => (-1.9287498479639178e-22, -49.422784335098467, -1.9287498479639178e-22) within 2e-13
#: x=-1.0 z=0.5 => (-inf, 0, 0)
fn poisson_log(x: f64, z: f64) =
    let y = logp.poisson_log(x, z)
    in (y, grad(y, x), grad(y, z))

#: x=0.0 zero=0.3 rate=1.5 => (-0.78484345177691573, 1.702948214551432, -0.34238087494419928) within 2e-13
#: x=4.0 zero=0.3 rate=1.5 => (-3.4128683418540205, -1.4285714285714286, 1.6666666666666667) within 2e-13
#: x=0.0 zero=1e-12 rate=40.0 => (-27.631016867583317, 999995751663.79318, -4.2483362068501384e-6) within 2e-13
#: x=-1.0 zero=0.3 rate=1.5 => (-inf, 0, 0)
fn zero_inflated_poisson(x: f64, zero: f64, rate: f64) =
    let y = logp.zero_inflated_poisson(x, zero, rate)
    in (y, grad(y, zero), grad(y, rate))

#: x=2.0 p=0.3 => (-1.9173226922034008, -0.35667494393873238, 0.47619047619047619) within 2e-13
#: x=40.0 p=0.01 => (-5.007183620128149, -0.010050335853501441, 59.595959595959596) within 2e-13
#: x=-1.0 p=0.3 => (-inf, 0, 0)
fn geometric(x: f64, p: f64) =
    let y = logp.geometric(x, p)
    in (y, grad(y, x), grad(y, p))

#: x=2.0 n=3.5 p=0.3 => (-2.863561518306544, 0.33163386954455161, -0.69603629638942806, 8.8095238095238095) within 2e-13
#: x=40.0 n=0.5 p=0.01 => (-5.1245281157508148, -0.022472216955110983, 1.0472453329665657, 9.595959595959596) within 2e-13
#: x=-1.0 n=3.5 p=0.3 => (-inf, 0, 0, 0)
fn negative_binomial(x: f64, n: f64, p: f64) =
    let y = logp.negative_binomial(x, n, p)
    in (y, grad(y, x), grad(y, n), grad(y, p))

#: x=2.0 mean=3.5 n=0.7 => (-2.138068615484055, -0.30832272290128075, -0.071428571428571429, 0.58219011060387777) within 2e-13
#: x=40.0 mean=30.0 n=10000000.0 => (-4.2727414482838804, -0.30012904237598857, 0.33333233333633332, -2.9999746001358994e-13) within 2e-13
#: x=0.0 mean=3.0 n=2.0 => (-1.8325814637483101, 0.48917437623400932, -0.4, -0.31629073187415507) within 2e-13
#: x=-1.0 mean=3.5 n=0.7 => (-inf, 0, 0, 0)
fn negative_binomial_mean(x: f64, mean: f64, n: f64) =
    let y = logp.negative_binomial_mean(x, mean, n)
    in (y, grad(y, x), grad(y, mean), grad(y, n))

#: x=2.0 all=20.0 good=7.0 n=5.0 => (-0.94833908558727188, -0.3123015873015873, -0.028345162749187517, 0.058358308358308358, 0.060739260739260739) within 2e-13
#: x=40.0 all=1000.0 good=300.0 n=120.0 => (-2.8494325145513072, -0.18098599765607747, -0.0064964761428880116, 0.021576002373490729, 0.053424739591652232) within 2e-13
#: x=8.0 all=20.0 good=7.0 n=9.0 => (-inf, 0, 0, 0, 0)
fn hypergeometric(x: f64, all: f64, good: f64, n: f64) =
    let y = logp.hypergeometric(x, all, good, n)
    in (y, grad(y, x), grad(y, all), grad(y, good), grad(y, n))

#: x=2.0 low=1.0 high=6.0 => (-1.791759469228055, 0, 0.16666666666666667, -0.16666666666666667) within 2e-13
#: x=7.0 low=1.0 high=6.0 => (-inf, 0, 0, 0)
fn discrete_uniform(x: f64, low: f64, high: f64) =
    let y = logp.discrete_uniform(x, low, high)
    in (y, grad(y, x), grad(y, low), grad(y, high))

fn low(A: f64[3, 3]) = [A[0, 0], A[1, 0], A[1, 1], A[2, 0], A[2, 1], A[2, 2]]

#: x='[1,2,3]' m='[0,0.5,1]' L='[[1,0,0],[0.5,2,0],[0.1,0.2,0.3]]' => (-20.870989975848028, 0.125, 1.75, -20.0, -0.125, -1.75, 20.0, -1.125, -1.75, -1.375, 20.0, 10.0, 116.66666666666667) within 1e-12
fn multivariate_normal(x: f64[3], m: f64[3], L: f64[3, 3]) =
    let y = logp.multivariate_normal(x, m, L)
    in (y, grad(y, x), grad(y, m), low(grad(y, L)))

#: x='[[1,2,3],[0,0,0]]' m='[0,0.5,1]' L='[[1,0,0],[0.5,2,0],[0.1,0.2,0.3]]' => [-20.870989975848028, -7.2911288647369164] within 1e-12
fn rows(x: f64[2, 3], m: f64[3], L: f64[3, 3]) = logp.multivariate_normal(x, m, L)

#: x='[1,2,3]' v=3.5 m='[0,0.5,1]' L='[[1,0,0],[0.5,2,0],[0.1,0.2,0.3]]' => (-10.042962436994338, 0.019938650306748466, 0.27914110429447853, -3.1901840490797546, -0.42234180806208679, -1.0199386503067485, -0.27914110429447853, -0.63957055214723926, 3.1901840490797546, 1.5950920245398773, 15.807770961145194) within 1e-12
fn multivariate_student_t(x: f64[3], v: f64, m: f64[3], L: f64[3, 3]) =
    let y = logp.multivariate_student_t(x, v, m, L)
    in (y, grad(y, x), grad(y, v), low(grad(y, L)))

#: L='[[1,0,0],[0.6,0.8,0],[0.48,0.6,0.64]]' v=5.5 V='[[1,0,0],[0.5,2,0],[0.1,0.2,0.3]]' => (-11.265432712714826, 0.71805555555555556, 0.38611111111111111, 2.2527777777777778, -4.1111111111111111, -5.7777777777777778, -4.7673611111111111, -2.0177857735895707, -4.7180555555555556, -0.38611111111111111, -2.9204166666666667, 4.1111111111111111, 2.5166666666666667, 11.922222222222222) within 1e-12
fn wishart_cholesky(L: f64[3, 3], v: f64, V: f64[3, 3]) =
    let y = logp.wishart_cholesky(L, v, V)
    in (y, low(grad(y, L)), grad(y, v), low(grad(y, V)))

#: L='[[1,0,0],[0.6,0.8,0],[0.48,0.6,0.64]]' e=1.7 => (-2.0089399576813548, 0, 0, 3.0, 0, 0, 2.1875, -0.4981362815176155) within 1e-12
fn lkj_cholesky(L: f64[3, 3], e: f64) =
    let y = logp.lkj_cholesky(L, e)
    in (y, low(grad(y, L)), grad(y, e))

#: x='[0.2,0.3,0.5]' a='[0.5,2,3]' => (0.90675363490529447, -2.5, 3.3333333333333333, 4.0, 1.9651652621690742, -0.015663990842652008, -0.0048383670766613251) within 1e-12
fn dirichlet(x: f64[3], a: f64[3]) = let y = logp.dirichlet(x, a) in (y, grad(y, x), grad(y, a))

#: x='[3,0,4]' p='[0.2,0.3,0.5]' => (-4.0455543980526687, 15.0, 0, 8.0) within 1e-12
fn multinomial(x: f64[3], p: f64[3]) = let y = logp.multinomial(x, p) in (y, grad(y, p))

#: z=0.3 cuts='[-1,0.5,2]' => (-1.5410084538329922, -1.091629782140038, -1.2184073576933118, -1.8677860293862659, -0.78583498304255861, -0.2360009857300807, 0.3953687322289432, 0.8455347349164653, 0.78583498304255861, 0, 0, -0.50138193374630963, 0.73738291947639034, 0, 0, -0.83705091410134615, 0.44168218187240295, 0, 0, -0.8455347349164653) within 1e-12
#: z=-40.0 cuts='[-1,0.5,2]' => (-1.1548224173015786e-17, -39.252482458925454, -40.752482458925454, -42.0, -1.1548224173015786e-17, 0.99999999999999999, 1.0, 1.0, 1.1548224173015786e-17, 0, 0, -1.2872169167888682, 0.28721691678886825, 0, 0, -1.2872169167888682, 0.28721691678886824, 0, 0, -1.0) within 1e-12
#: z=60.0 cuts='[-1,0.5,2]' => (-61.0, -59.752482458925454, -58.252482458925454, -6.4702349256454603e-26, -1.0, -1.0, -1.0, 6.4702349256454603e-26, 1.0, 0, 0, -0.28721691678886824, 1.2872169167888682, 0, 0, -0.28721691678886824, 1.2872169167888682, 0, 0, -6.4702349256454603e-26) within 1e-12
fn ordered_logistic(z: f64, cuts: f64[3]) =
    let y = logp.ordered_logistic(iota[4](), z, cuts)
    in (y, [k < 4] => grad(y[k], z), [k < 4] => grad(y[k], cuts))

#: z='[0,1,2]' => (-2.4076059644443803, -0.4076059644443803) within 1e-14
fn categorical(z: f64[3]) = (logp.categorical(0, z), logp.categorical(2, z))

# A Dirichlet density whose parameters are one number: lgamma(3) of a uniform one
#: => 0.6931471805599453 within 1e-15
fn dirichlet_uniform() = logp.dirichlet([0.2, 0.3, 0.5], 1)
