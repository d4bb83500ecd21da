# slowdown_cdf.gp - how many of the finished jobs took at most how many times as long as their service; one curve per run.
below = n > 4 || longest > 50 || covers     # the curves
height = below ? 500 + 17 * n : 540
if (130 + int(6.6 * longest) > 960) width = 130 + int(6.6 * longest)
if (format eq 'term') lines = lines - 2
if (paper > 0) { below = !direct && (n > 4 || longest > 16 || covers); paper_height = int(0.6 * paper) + (below ? 17 * n : 0) }
load 'common.gp'
if (titles) { head_text = 'Bounded slowdown'; @head_line }
foot_text = (paper > 0 ? 'bounded slowdown, at most' : 'completion time / service time, at most (log scale; jobs under 10 s as if they took 10 s)'); @foot_line
load 'cdf.gp'
