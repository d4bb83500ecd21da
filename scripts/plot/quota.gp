# quota.gp - a panel for each queue: GPUs held, within the deserved quota and beyond it, under what was asked for; the quota
# and the fair share that the policy told as lines. What is asked for beyond the panel, `room` times the rest, is cut off.
if (paper > 0) { across = paper < 600 ? 1 : across }
down = (n + across - 1) / across
panel_height = paper > 0 ? 110 : across == 1 ? 190 : 160
one_column = paper < (format eq 'svg' ? 480 : 394)       # a legend of five rows
key_height = paper <= 0 || paper >= 600 ? 0 : one_column ? 68 : 36
head = titles ? 54 : 30
height = head + 36 + key_height + panel_height * down
paper_height = height
load 'common.gp'
set style fill solid 1.0 noborder
fill_within = tone(0x0072b2, 0x505050); fill_beyond = tone(0xe69f00, 0xa0a0a0); fill_asked = tone(0xdddddd, 0xe4e4e4); fair_line = tone(0xcc79a7, 0x000000); fair_dash = bw ? 3 : 1
set grid back
set xrange [0:end]
@time_words
set multiplot
if (titles) set label 1 heading at screen 0.5, screen 1 - 16.0 / height center font ',11'
greatest = 0
do for [k=1:n] { if (value('most'.k) > greatest) { greatest = value('most'.k) } }
left = axis_margin(greatest * room)
set label 2 'GPUs' at screen 7.0 / width, screen 1 - (head + (panel_height * down - 42.0) / 2) / height center rotate by 90
set label 3 time_label.(titles ? cut_words : '') at screen 0.5, screen (40.0 + key_height) / height center
do for [k=1:n] {
    column_k = (k - 1) % across; row_k = (k - 1) / across
    set lmargin at screen (left + column_k * (width - left - 3.0) / across) / width
    set rmargin at screen (left + (column_k + 1) * (width - left - 3.0) / across - 48) / width
    set tmargin at screen 1 - (head + row_k * panel_height + 0.0) / height
    set bmargin at screen 1 - (head + (row_k + 1) * panel_height - 42.0) / height
    set format x (k + across > n ? '%g' : '')
    if (k + across > n) { @time_words } else { @time_marks }
    set title value('title'.k) offset 0,-0.6
    most = value('most'.k)
    set yrange [0:(most > 0 ? most * room : 1)]
    step = most > 0 ? 10.0 ** floor(log10(most * room)) : 1
    step = most * room / step < 2 ? step / 2 : most * room / step > 4 ? step * 2 : step
    set ytics 0,step
    if (most * room >= 1000) { eval level_list(step, floor(most * room / step)) }
    file = '$queue'.k
    plot file using ($1 / unit_s):4 with fillsteps fc rgb fill_asked, \
         file using ($1 / unit_s):3 with fillsteps fc rgb fill_beyond, \
         file using ($1 / unit_s):2 with fillsteps fc rgb fill_within, \
         file using ($1 / unit_s):6 with steps lw 1.6 lc rgb 'black', \
         file using ($1 / unit_s):(value('fair'.k) ? $5 : NaN) with steps lw 1.4 dt fair_dash lc rgb fair_line
    unset label 1; unset label 2; unset label 3
}
# The legend: a panel without axes at the bottom.
set lmargin at screen 0; set rmargin at screen 1
set tmargin at screen (30.0 + key_height) / height; set bmargin at screen 4.0 / height
unset border; unset tics; unset title; unset grid
set key center center horizontal Left reverse samplen 1.6 width -2
if (key_height) { set key maxrows (one_column ? 5 : 3) }
set yrange [0:1]
fair_share = any_fair ? ", NaN with lines lw 1.4 dt fair_dash lc rgb fair_line title 'fair share'" : ''
beyond = any_quota ? ", NaN with boxes fc rgb fill_beyond title 'held beyond it'" : ''
quota_line = any_quota ? ", NaN with lines lw 1.6 lc rgb 'black' title 'deserved quota'" : ''
plot NaN with boxes fc rgb fill_within title (any_quota ? 'held within the quota' : 'held') @beyond, \
     NaN with boxes fc rgb fill_asked title 'asked for' @quota_line @fair_share
unset multiplot
