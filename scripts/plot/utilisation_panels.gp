# utilisation_panels.gp - the panels on paper or screen, lines of all GPUs above the bands; the legend stands once, right of the topmost.
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
    lines_of = ''
    do for [l=1:n_lines] { lines_of = lines_of.sprintf("'$line%d_%d' using ($1 / unit_s):2 with steps lw line_width%d lc rgb line_colour%d title line%d, ", i, l, l, l, l) }
    bands_of = ''
    do for [k=bands:1:-1] { if (k > 0) { bands_of = bands_of.sprintf("'$band%d_%d' using ($1 / unit_s):3 with fillsteps fc rgb band_colour%d title band%d, ", i, k, k, k) } }
    do for [l=1:n_lines] { bands_of = bands_of.sprintf("'$line%d_%d' using ($1 / unit_s):2 with steps lw line_width%d lc rgb line_colour%d, ", i, l, l, l) }
    eval 'plot '.lines_of.bands_of.'NaN'        # NaN: there may be no band
}
unset multiplot
