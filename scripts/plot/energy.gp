# energy.gp - what all nodes draw over time; one line for each run.
height = 420 + 17 * n
if (format eq 'term') lines = lines - 1 + n
paper_height = int(0.5 * paper) + 17 * n + 20
load 'common.gp'
if (titles) set title 'Power drawn by all nodes'
set xrange [0:end]
set yrange [0:(most > 0 ? most * 1.05 : 1)]
set ylabel 'kW'
set xlabel sprintf('time since the start (%s)', unit) . (mean_over eq '' ? '' : '; each step is the mean over '.mean_over)
set key below left vertical maxcols 1 Left reverse samplen 2.5
if (!term) { set lmargin (paper > 0 ? 8 : 11); set rmargin 3; set bmargin at screen (62 + 17.0 * n) / height }
if (term) { set ylabel 'kW' offset 2,0; set bmargin 3 + n }
plot for [i=1:n] '$power'.i using ($1 / unit_s):2 with steps lw 1.5 dt dash_of(i) lc rgb colour_of(i) title value('title'.i)
