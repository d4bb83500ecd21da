# utilisation_panels.gp - the panels on paper or screen; the legend stands once, right of the topmost.
set style fill solid 1.0 noborder
set grid front
set lmargin 9
set rmargin (longest > 17 ? longest + 7 : 24)
set multiplot layout n,1
do for [i=1:n] {
    set title value('panel'.i)
    set yrange [0:value('most'.i) * 1.04]
    set xlabel (i == n ? time_label : '')
    if (i == 1) { set key outside right top Left reverse samplen 1.2 width 1 } else { unset key }
    plot 'capacity.'.i using 1:(bare ? NaN : $2) with steps lw 1.5 lc rgb 'black' title (bare ? '' : 'all GPUs'), \
         'capacity.'.i using 1:(down ? $3 : NaN) with steps lw 1 lc rgb '#d55e00' title (down ? 'GPUs up' : ''), \
         for [k=bands:1:-1] 'stack.'.i using 1:(column(k + 1)) with fillsteps fc rgb value('queue_colour'.k) title value('queue'.k), \
         'capacity.'.i using 1:(bare ? NaN : $2) with steps lw 1.5 lc rgb 'black', \
         'capacity.'.i using 1:(down ? $3 : NaN) with steps lw 1 lc rgb '#d55e00', \
         'capacity.'.i using 1:(idle ? $4 : NaN) with steps lw 1.0 lc rgb '#e69f00' title (idle ? 'making progress' : '')
}
unset multiplot
