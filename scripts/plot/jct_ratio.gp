# jct_ratio.gp - how many jobs took at most how many times as long as in the first run.
below = n > 4 || longest > 50 || covers     # the curves
height = below ? 500 + 17 * n : 540
if (130 + int(6.6 * longest) > 960) width = 130 + int(6.6 * longest)
if (format eq 'term') lines = lines - 2
if (paper > 0) { below = !direct && (n > 4 || longest > 16 || covers); paper_height = int(0.6 * paper) + (below ? 17 * n : 0) }
load 'common.gp'
if (titles) { head_text = 'Completion time of each job over that with '.baseline; @head_line }
foot_text = (titles ? 'ratio at most (log scale)' : 'completion time / with '.baseline); @foot_line
load 'cdf.gp'
