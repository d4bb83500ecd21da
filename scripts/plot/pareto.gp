# pareto.gp - two metrics against each other, a point for each run or group; whiskers are 95 % confidence intervals. What no other one
# beats in both has a ring, and a line joins these.
foot = direct ? 0 : 17 * points + 10
height = 460 + foot
paper_height = int(0.62 * paper) + foot + 30
if (format eq 'term') lines = lines - 1
load 'common.gp'
if (logarithmic1) { set logscale x }
if (logarithmic2) { set logscale y }
set xrange [low1:high1]
set yrange [low2:high2]
name_of(axis, better) = axis.(better eq '' || paper > 0 ? '' : '; '.better)
foot_text = name_of(axis1, better1); @foot_line
if (titles) { head_text = term ? name_of(axis2, better2) : 'One metric against another'; @head_line }
if (!term) { set ylabel name_of(axis2, better2); set key below left vertical maxcols 1 Left reverse }
if (direct) { unset key }       # names stand beside their points
name_at(i, side) = value('side'.i) == side ? value('point'.i) : ''
if (!term) { set lmargin (paper > 0 ? 8 : 11); set rmargin 3; set bmargin at screen (62.0 + foot) / height }
if (term) { plot for [i=1:points] $points every ::i-1::i-1 using 1:2 with points pt mark_of(i) lc rgb colour_of(i) } else {
plot $points using ($5 > 0 ? $1 : NaN):2 smooth unique with lines lw 1 dt 2 lc rgb '#888888', \
     $points using 1:2:3 with xerrorbars pt 0 lw 1.2 lc rgb '#666666', $points using 1:2:4 with yerrorbars pt 0 lw 1.2 lc rgb '#666666', \
     $points using ($5 > 0 ? $1 : NaN):2 with points pt 6 ps 2.2 lw 1 lc rgb '#666666', \
     for [i=1:points] $points every ::i-1::i-1 using 1:2 with points pt mark_of(i) ps 1.1 lc rgb colour_of(i) title value('point'.i), \
     $points using 1:2:(direct ? name_at(int($0) + 1, 1) : '') with labels left offset 1.4,0, \
     $points using 1:2:(direct ? name_at(int($0) + 1, -1) : '') with labels right offset -1.4,0 }
