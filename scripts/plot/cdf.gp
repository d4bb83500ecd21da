# cdf.gp - the drawing that jct_cdf.gp and wait_cdf.gp share: curve.1 .. curve.n, steps in per cent.
if (!term && n > 8) height = 540 + 16 * (n - 8)
@log_time_tics
set xrange [least*0.9999:biggest]   # a tick right at the edge would be lost to rounding
set yrange [0:100]
set ytics 20
set ylabel 'share of jobs (%)'
if (term) set ylabel '%' offset 2,0; set ytics 25
if (term)  set key top left Left reverse at graph 0.0,-0.25 samplen 2 maxrows 8; set bmargin 3 + n
if (!term) set key bottom right Left reverse box lc rgb '#cccccc' opaque height 0.5 samplen 2.5
if (!term && n > 4) set key below left Left reverse nobox maxcols 2
plot for [i=1:n] 'curve.'.i using 1:2 with steps lw 2 dt dash_of(i) lc rgb colour_of(i) title value('title'.i)
