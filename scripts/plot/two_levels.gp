# two_levels.gp - two levels over time, one above the other, such as jobs that wait and GPUs that they wait for; a line for each run.
height = 605 + 17 * n
panel = paper > 0 ? int(0.4 * paper) : 285
paper_height = 2 * panel + 35 + (direct ? 0 : 17 * n)
high_panel = 0
load 'common.gp'
array file[2] = ['upper', 'lower']
set xrange [0:end]
@time_words
if (!term) { set lmargin 11; set multiplot; unset key }
if (paper > 0) { set lmargin at screen axis_margin(most1 > most2 ? most1 : most2) / width; set rmargin at screen 1 - 14.0 / width }
if (term) { set lmargin 8; set rmargin 1; set tmargin 2 }
do for [p=1:2] { stair_of = file[p]; load 'stairs.gp' }
do for [p=1:2] {
    unset label
    set title (titles ? value('heading'.p) : '')
    foot_text = p == 2 ? time_label : ''; @foot_line
    if (term) { set terminal dumb size columns,lines / 2 - 1 + (p == 2) + folds(foot_text); if (p == 1) { set bmargin 2 } }
    if (!term) {
        axis_words = titles ? value('unit'.p) : value('heading'.p)
        if (paper > 0) { @axis_name } else { set ylabel axis_words }
        set tmargin at screen 1 - (titles * 28 + 12.0 + panel * (p - 1)) / height
        set bmargin at screen 1 - (panel * p - 35.0) / height
    }
    if (direct == p) { @direct_times }
    most = value('most'.p)
    set yrange [0:(most > 0 ? most * 1.05 : 1)]
    if (most == 0 || (most >= 1 && most < 5)) { set ytics 1 } else { eval level_words(most * 1.05) }      # whole jobs and GPUs
    if (term) { plot for [i=1:step_dots] '$'.file[p].i using ($1 / unit_s):2 with steps lt 0 lc rgb colour_of(i), for [i=1:n] '$'.file[p].i using ($1 / unit_s):2 with @step_mark lc rgb colour_of(i) } else {
    plot for [i=1:n] stepped(file[p], i) using ($1 / unit_s):2 with @step_style lw 1.5 dt dash_of(i) lc rgb colour_of(i) }
}
if (!term && !direct) { foot = 17 * n; named = 'title'; load 'lines_legend.gp' }
if (!term) unset multiplot
