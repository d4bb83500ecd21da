# bands_legend.gp - the legend of bands and of the lines above them, `legend_px` wide, right of the panels of a screen: a panel without axes, as
# high as it needs. gnuplot breaks the legend of a panel that is lower into columns, over the panel.
unset border; unset tics; unset title; unset grid; unset xlabel; unset ylabel
set lmargin at screen 1 - legend_px / width; set rmargin at screen 1
set tmargin at screen 1 - 30.0 / height; set bmargin at screen 1 - (60.0 + 17 * (bands + n_lines)) / height
set key inside at graph 0, graph 1 left top vertical maxcols 1 Left reverse samplen 1.2
legend_of = ''
do for [l=1:n_lines] { legend_of = legend_of.sprintf("NaN with lines lw line_width%d dt line_dash%d lc rgb line_colour%d title line%d, ", l, l, l, l) }
do for [k=bands:1:-1] { if (k > 0) { legend_of = legend_of.legend_box('band', k).sprintf('band%d, ', k) } }
eval 'plot '.legend_of.'NaN'
