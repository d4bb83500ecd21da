# utilisation_panels.gp - the panels on paper or screen, lines of all GPUs above the bands; the legend stands once, right of the topmost.
set style fill solid 1.0 noborder
set grid front
set lmargin (most1 < 10000 ? 9 : 11)     # as wide as its numbers
right = longest > 17 ? longest + 7 : 24         # characters of the legend
set rmargin right
set multiplot layout n,1
if (paper > 0) { unset ylabel; axis_words = levels; @axis_name; set lmargin at screen axis_margin(most1) / width; set rmargin at screen 1 - 14.0 / width }
panel = (height - 44 - 17.0 * key_rows) / n     # of a paper, where the legend stands below
stair_bands = bands
do for [i=1:n] { stair_of = 'band'.i.'_'; load 'stairs.gp' }
do for [i=1:n] {
    set title (titles ? value('panel'.i) : n > 1 ? value('run'.i) : '') offset 0,(paper > 0 ? title_drop : 0)
    eval level_words(value('most'.i) * 1.04)
    if (paper > 0) { set format x (i == n ? '%g' : '')
        if (i == n) { @time_words } else { @time_marks }
        set tmargin at screen 1 - ((i - 1) * panel + (titles || n > 1 ? 24 : 8)) / height
        set bmargin at screen 1 - (i * panel - 18) / height }
    set yrange [0:value('most'.i) * 1.04]
    set xlabel (i == n ? time_label : '')
    if (paper > 0) { if (i == n) { set key at screen 0.5,screen 4.0 / height bottom center horizontal maxcols key_columns Left reverse samplen 1.5 } else { unset key } } else { unset key }
    lines_of = ''
    do for [l=1:n_lines] { lines_of = lines_of.sprintf("'$line%d_%d' using ($1 / unit_s):2 with steps lw line_width%d dt line_dash%d lc rgb line_colour%d title line%d, ", i, l, l, l, l, l) }
    bands_of = ''
    do for [k=bands:1:-1] { if (k > 0) { bands_of = bands_of.stack_band(i, k) } }
    do for [l=1:n_lines] { bands_of = bands_of.sprintf("'$line%d_%d' using ($1 / unit_s):2 with steps lw line_width%d dt line_dash%d lc rgb line_colour%d, ", i, l, l, l, l) }
    eval 'plot '.lines_of.bands_of.'NaN'        # NaN: there may be no band
}
if (paper <= 0) { legend_px = 8.0 * right - 14; load 'bands_legend.gp' }
unset multiplot
