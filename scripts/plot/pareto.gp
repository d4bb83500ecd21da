# pareto.gp - two metrics against each other, a point for each run or group; whiskers are 95 % confidence intervals. What no other one
# beats in both has a ring, and a line joins these.
columns_of_key = paper > 0 || longest_point > 40 ? 1 : 2
foot = 17 * ((points + columns_of_key - 1) / columns_of_key) + 10
height = 460 + foot
paper_height = int(0.62 * paper) + foot + 30
if (format eq 'term') lines = lines - 1 + points
load 'common.gp'
if (logarithmic1) { set logscale x }
if (logarithmic2) { set logscale y }
set xrange [logarithmic1 ? least1 / 1.6 : 0:most1 > 0 ? most1 * (logarithmic1 ? 1.6 : 1.1) : 1]
set yrange [logarithmic2 ? least2 / 1.6 : 0:most2 > 0 ? most2 * (logarithmic2 ? 1.6 : 1.1) : 1]
set xlabel axis1.(better1 eq '' || paper > 0 ? '' : '; '.better1)
set ylabel axis2.(better2 eq '' || paper > 0 ? '' : '; '.better2)
if (titles) set title 'One metric against another'
set key below left vertical maxcols columns_of_key Left reverse
if (term) { set key maxcols 1; set bmargin 3 + points }
if (!term) { set lmargin (paper > 0 ? 8 : 11); set rmargin 3; set bmargin at screen (62.0 + foot) / height }
plot $points using ($5 > 0 ? $1 : NaN):2 smooth unique with lines lw 1 dt 2 lc rgb '#888888', \
     $points using 1:2:3 with xerrorbars pt 0 lw 1.2 lc rgb '#666666', $points using 1:2:4 with yerrorbars pt 0 lw 1.2 lc rgb '#666666', \
     $points using ($5 > 0 ? $1 : NaN):2 with points pt 6 ps 2.2 lw 1 lc rgb '#666666', \
     for [i=1:points] $points every ::i-1::i-1 using 1:2 with points pt mark_of(i) ps 1.1 lc rgb colour_of(i) title value('point'.i)
