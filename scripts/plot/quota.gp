# quota.gp - a panel for each queue: GPUs held, within the deserved quota and beyond it, under what was asked for; the quota
# and the fair share that the policy told as lines. What is asked for beyond the panel is cut off.
down = (n + across - 1) / across
panel_height = across == 1 ? 190 : 160
height = 90 + panel_height * down
load 'common.gp'
set style fill solid 1.0 noborder
set grid back
set xrange [0:end]
time_label = sprintf('time since the start (%s)', unit) . (mean_over eq '' ? '' : '; each step is the mean over '.mean_over)
set multiplot
set label 1 heading at screen 0.5, screen 1 - 16.0 / height center font ',11'
set label 2 'GPUs' at screen 12.0 / 960, screen 0.5 center rotate by 90
set label 3 time_label at screen 0.5, screen 40.0 / height center
do for [k=1:n] {
    column_k = (k - 1) % across; row_k = (k - 1) / across
    set lmargin at screen (66.0 + column_k * 891.0 / across) / 960
    set rmargin at screen (66.0 + (column_k + 1) * 891.0 / across - 48) / 960
    set tmargin at screen 1 - (54.0 + row_k * panel_height) / height
    set bmargin at screen 1 - (54.0 + (row_k + 1) * panel_height - 42) / height
    set format x (k + across > n ? '%g' : '')
    set title value('title'.k) offset 0,-0.6
    most = value('most'.k)
    set yrange [0:(most > 0 ? most * 1.25 : 1)]
    step = most > 0 ? 10.0 ** floor(log10(most * 1.25)) : 1
    step = most * 1.25 / step < 2 ? step / 2 : most * 1.25 / step > 4 ? step * 2 : step
    set ytics 0,step
    file = '$queue'.k
    plot file using ($1 / unit_s):4 with fillsteps fc rgb '#dddddd', \
         file using ($1 / unit_s):3 with fillsteps fc rgb '#e69f00', \
         file using ($1 / unit_s):2 with fillsteps fc rgb '#0072b2', \
         file using ($1 / unit_s):6 with steps lw 1.6 lc rgb 'black', \
         file using ($1 / unit_s):(value('fair'.k) ? $5 : NaN) with steps lw 1.4 lc rgb '#cc79a7'
    unset label 1; unset label 2; unset label 3
}
# The legend: a panel without axes at the bottom.
set lmargin at screen 0; set rmargin at screen 1
set tmargin at screen 30.0 / height; set bmargin at screen 4.0 / height
unset border; unset tics; unset title; unset grid
set key center center horizontal Left reverse samplen 1.6 width -2
set yrange [0:1]
fair_share = any_fair ? ", NaN with lines lw 1.4 lc rgb '#cc79a7' title 'fair share'" : ''
beyond = any_quota ? ", NaN with boxes fc rgb '#e69f00' title 'held beyond it'" : ''
quota_line = any_quota ? ", NaN with lines lw 1.6 lc rgb 'black' title 'deserved quota'" : ''
plot NaN with boxes fc rgb '#0072b2' title (any_quota ? 'held within the quota' : 'held') @beyond, \
     NaN with boxes fc rgb '#dddddd' title 'asked for' @quota_line @fair_share
unset multiplot
