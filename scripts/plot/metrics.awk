# metrics.awk - what plots of metrics share: how they are called, "METRIC" or "METRIC@SCOPE", and intervals of their means.

function metric_of(name)    { sub(/@.*/, "", name); return name }
function scope_of(name)     { return sub(/^[^@]*@/, "", name) ? name : "all" }
function title_of(name)
{
    return name == "util_alloc" ? "GPU time allocated" : name == "wait_mean_s" ? "mean time in the queue" : \
        name == "jct_mean_s" ? "mean job completion time" : name
}

function is_share(name)    { return name ~ /^(util_|goodput$|quota_satisfaction$|waited_share$|slo_)/ }

# So many digits, but all before the point.
function short(x, digits)    { return x >= 10 ^ digits ? commas(x) : sprintf("%." digits "g", x) }

# P(|T| <= t) for n degrees of freedom: Abramowitz and Stegun 26.7.3 and 26.7.4.
function t_within(t, n,    theta, c, s, term, sum, k)
{
    theta = atan2(t, sqrt(n))
    c = cos(theta)
    s = sin(theta)
    term = n % 2 ? c : 1
    for (k = n % 2 ? 3 : 2; k < n; k += 2) {
        sum += term
        term *= c * c * (k - 1) / k
    }
    if (n > 1)
        sum += term
    return n % 2 ? 2 / 3.14159265358979 * (theta + s * sum) : s * sum
}
function t_quantile(n,    low, high, k)
{
    high = 13
    for (k = 0; k < 60; k++)
        if (t_within((low + high) / 2, n) < 0.95)
            low = (low + high) / 2
        else
            high = (low + high) / 2
    return high
}
