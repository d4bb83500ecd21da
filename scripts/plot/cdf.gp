# cdf.gp - the drawing that all distributions share: $curve1 .. $curveN, steps in per cent.
if (!exists('panels')) panels = 0
if (!exists('own_tics')) own_tics = 0
if (times) { @log_time_tics; @coarse_time_tics; @fine_time_tics; if (own_tics > 0) { set xtics (own_tic1 own_tic_at1); do for [i=2:own_tics] { set xtics add (value('own_tic'.i) value('own_tic_at'.i)) } } } else { set logscale x; @log_ratio_tics }
set xrange [least*0.9999:biggest]   # a tick right at the edge would be lost to rounding
set yrange [0:101.5]   # a curve along the top is seen
set ytics 20
set ylabel 'share of jobs (%)'
set key bottom right Left reverse box lc rgb '#cccccc' opaque height 0.5 samplen (bw ? 4 : 2.5)
if (direct) { unset key; set lmargin at screen 66.0 / width; set rmargin at screen 1 - 14.0 / width; set bmargin at screen 48.0 / height; set tmargin at screen 1 - 8.0 / height; @direct_names }
if (below && !term) { set key below left vertical maxcols 1 Left reverse nobox samplen (bw ? 4 : 2.5); set bmargin at screen (62 + 17.0 * n) / height }
if (term) { unset key; unset ylabel; set ytics ('0 %%' 0, '25' 25, '50' 50, '75' 75, '100' 100) }
legend_apart = below && panels == 0 && !term
if (legend_apart) { set multiplot; unset key }
if (!exists('spread')) spread = 0
band_words = '; bands: from the lowest to the highest seed'
if (spread && !term && titles) { if (panels) { head_text = head_text.band_words; @head_line } else { foot_text = foot_text.band_words; @foot_line } }
bands_of = ''
do for [i=1:n] { if (spread && value('spread'.i)) { bands_of = bands_of.sprintf("'$spread%d' using 1:2:3 with filledcurves fs transparent solid 0.18 noborder lc rgb colour_of(%d), ", i, i) } }
marked_key = panels && bw      # the other panel has marks
stair_of = 'curve'; load 'stairs.gp'
if (term) { plot for [i=1:step_dots] '$curve'.i using 1:2 with steps lt 0 lc rgb colour_of(i), for [i=1:n] '$curve'.i using 1:2 with @step_mark lc rgb colour_of(i) } else {
eval 'plot '.bands_of."for [i=1:n] stepped('curve', i) using 1:2 with ".step_style." lw 2 dt dash_of(i) lc rgb colour_of(i) title ".(marked_key ? "''" : "value('title'.i)").(marked_key ? ", for [i=1:n] NaN with linespoints pt mark_of(i) lw 2 dt dash_of(i) lc rgb colour_of(i) title value('title'.i)" : '') }
if (legend_apart) { foot = 17 * n; named = 'title'; load 'lines_legend.gp'; unset multiplot }
