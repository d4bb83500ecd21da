# jct_cdf.gp - how many of the finished jobs were done within how long after submission; one curve per run.
below = n > 4 || longest > 50   # a large legend would cover the curves
height = below ? 500 + 17 * n : 540
if (130 + int(6.6 * longest) > 960) width = 130 + int(6.6 * longest)
if (format eq 'term') lines = lines - 1 + n
load 'common.gp'
set title 'Job completion time: from submission to end'
set xlabel 'completed within (log scale)'
load 'cdf.gp'
