# Module stats, by numpy and scipy.stats.
use stats

let sample = [2.5, -1.0, 4.0, 0.5, 2.5, 7.0, -3.5, 1.25]

# numpy.quantile, median
#native: => ([-3.5, 0.125, 1.875, 4.75, 7], 1.875) within 1e-15
fn quantiles() =
    (stats.quantile(sample, [0, 0.25, 0.5, 0.875 + 0.0178571428571428571, 1]), stats.median(sample))

#: => ([-3.5, -1, 0.5, 1.25, 2.5, 2.5, 4, 7], [4, 1, 6, 2, 5, 7, 0, 3])
fn order() = (stats.ascending(sample), stats.ranks(sample))

# The derivative goes to the two numbers between which it lies.
#: x='[3,1,2]' => [0.5, 0, 0.5]
fn quantile_slope(x: f64[n]) = grad(stats.quantile(x, 0.75), x)

# numpy.searchsorted, left and right, of a matrix
#: => ([0, 1, 3, 4], [0, 3, 3, 4])
fn places() =
    (stats.places_below([1.0, 2.0, 2.0, 5.0], [[0.5, 2.0], [3.0, 9.0]]),
     stats.places_upto([1.0, 2.0, 2.0, 5.0], [[0.5, 2.0], [3.0, 9.0]]))

# numpy.cov of columns
#: => [7, 7.666666666666667, -1.5, 7.666666666666667, 9, -0.5, -1.5, -0.5, 2.9166666666666665] within 1e-15
fn covariance() = stats.covariance([[1.0, 2, 3], [4, 6, 5], [7, 8, 1], [2, 2, 2]])

#: => [1, 0.9659092088013584, -0.3319700011034929, 0.9659092088013584, 1, -0.0975900072948533, -0.3319700011034929, -0.0975900072948533, 1] within 1e-15
fn correlation() = stats.correlation([[1.0, 2, 3], [4, 6, 5], [7, 8, 1], [2, 2, 2]])

#: => (0.043978689020066575, -0.4250749242495928, 0.6786564290734661) within 1e-14
fn moments() = (stats.skewness(sample), stats.kurtosis(sample), stats.correlated(sample, sample^2))

# numpy.bincount, histogram; NaN and what is outside belong nowhere
#: => ([1, 2, 0, 1], [2, 2, 4], [0, 1, 0])
fn tables() = (stats.bincount[4]([1, 3, 1, 0]), stats.histogram(sample, [-4.0, 0, 2.5, 7]),
               stats.histogram([1.0, nan, 9, -9], [-4.0, 0, 2.5, 7]))

#: => error: index 4
fn too_large() = stats.bincount[4]([1, 4])

#: => ([10, 10, 15, 5, 0], 12.5)
fn lines() =
    (stats.interp([-1.0, 0, 0.5, 2.5, 9], [0.0, 1, 3], [10.0, 20, 0]),
     stats.interp(0.25, [0.0, 1, 3], [10.0, 20, 0]))

# By the height of the points: the shares of the line.
#: y='[10,20,0]' => [0.75, 0.25, 0]
fn line_slope(y: f64[3]) = grad(stats.interp(0.25, [0.0, 1, 3], y), y)

#: => ([1, 2, 6], [1, 1, 3], [1, -2, -2], [-3, 5])
fn running() = (stats.cumprod([1.0, 2, 3]), stats.cummax([1.0, -2, 3]), stats.cummin([1.0, -2, 3]),
                stats.differences([1.0, -2, 3]))

# numpy.trapezoid, convolve
#: => (6.5, [1, 2.5, 4, 1.5], [1.5, 2.5], [1, -0.46876037172253565, -0.08034627724305786]) within 1e-15
fn series() = (stats.trapezoid([1.0, 2, 3], [0.0, 1, 3]), stats.convolve([1.0, 2, 3], [1.0, 0.5]),
               stats.moving_mean[2]([1.0, 2, 3]), stats.autocorrelation[3](sample))
