# wait_cdf.gp - how many of the finished jobs spent at most how long in the queue, all stays added; one curve per run.
# A curve starts at the height of those that did not wait, or for less than the axis shows.
below = n > 4 || longest > 50 || covers     # the curves
height = below ? 500 + 17 * n : 540
if (130 + int(6.6 * longest) > 960) width = 130 + int(6.6 * longest)
if (format eq 'term') lines = lines - 2
if (paper > 0) { below = !direct && (n > 4 || longest > 16 || covers); paper_height = int(0.6 * paper) + (below ? 17 * n : 0) }
load 'common.gp'
if (titles) { head_text = 'Time in the queue'; @head_line }
foot_text = 'waited at most'.(paper > 0 ? '' : ' (log scale; the curve starts at those '.starts_at.')'); @foot_line
load 'cdf.gp'
