# fairness.gp - left: how many jobs took at most how many times what they would have on GPUs of their own, an equal share; right:
# what each queue held of its fair share, in the mean over time. 1 is fair in both.
panels = rows > 0
width = 150 + int(6.6 * (longest + 22))     # of the legend, with Jain's index
if (width < 960) width = 960
height = 480 + 17 * n
if (panels && height < 150 + 17 * n + 30 * rows) height = 150 + 17 * n + 30 * rows
if (format eq 'term') { lines = lines - 2; panels = 0 }
paper_height = height
load 'common.gp'
foot = (68 + 17.0 * n) / height
left = (86 + 6.6 * longest_queue) / width
below = 1
if (panels) { set multiplot; set lmargin at screen 0.075; set rmargin at screen 0.545 - left / 2 }
head_text = 'Finish-time fairness'; @head_line
foot_text = 'completion time / with an equal share, at most'; @foot_line
if (!term) { set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb '#888888' dt 2 back; set tmargin at screen 1 - 40.0 / height }
least = least < 0.01 ? 0.01 : least
do for [i=1:n] { eval sprintf('title%d = title%d . jain%d', i, i, i) }
load 'cdf.gp'
if (panels) {
    unset arrow
    unset logscale
    unset key
    set lmargin at screen 0.545 + left / 2
    set rmargin at screen 0.975
    set title 'Fair share held by queues'.(others > 0 ? sprintf(' (%d of %d)', rows, rows + others) : '')
    set xlabel 'GPU time held / fair share of it'
    unset ylabel
    set xrange [0:(share_most > 1 ? share_most * 1.1 : 1.1)]
    set xtics autofreq
    set yrange [rows + 0.6:0.4]
    set ytics scale 0 ('' 0)
    do for [k=1:rows] { set ytics add (value('queue'.k) k) }
    set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb '#888888' dt 2 back
    plot for [i=1:n] '$dots'.i using 1:2 with points pt mark_of(i) ps 1.1 lc rgb colour_of(i)
    unset multiplot
}
