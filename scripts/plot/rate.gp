# rate.gp - power, carbon or cost of the whole cluster over time; one line for each run.
height = 420 + 17 * n
if (format eq 'term') lines = lines - 2
paper_height = int(0.5 * paper) + (direct ? 0 : 17 * n) + 20
load 'common.gp'
if (titles) { head_text = title_text.(term ? ' ('.level_unit.')' : ''); @head_line }
set xrange [0:end]
@time_words
set yrange [0:(most > 0 ? most * 1.05 : 1)]
set ylabel level_unit
foot_text = time_label; @foot_line
if (!term) { unset key; set multiplot; set lmargin 11; set rmargin 3; set bmargin at screen (62 + 17.0 * n) / height }
if (paper > 0) { unset ylabel; axis_words = level_unit; @axis_name; set lmargin at screen axis_margin(most) / width; set rmargin at screen 1 - 14.0 / width }
if (term) { unset ylabel }
if (direct) { set bmargin at screen 48.0 / height; set tmargin at screen 1 - 8.0 / height; @direct_times }
eval level_words(most > 0 ? most * 1.05 : 1)
stair_of = 'rate'; load 'stairs.gp'
if (term) { plot for [i=1:step_dots] '$rate'.i using ($1 / unit_s):2 with steps lt 0 lc rgb colour_of(i), for [i=1:n] '$rate'.i using ($1 / unit_s):2 with @step_mark lc rgb colour_of(i) } else {
plot for [i=1:n] stepped('rate', i) using ($1 / unit_s):2 with @step_style lw 1.5 dt dash_of(i) lc rgb colour_of(i) }
if (!term && !direct) { foot = 17 * n; named = 'title'; load 'lines_legend.gp' }
if (!term) unset multiplot
