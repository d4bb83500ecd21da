# utilisation_panels.gp - the panels on paper or screen; the legend stands once, right of the topmost. The grid lies over the bands, and the lines of
# all GPUs over the grid, drawn by themselves: where a line lies on a tic the grid would hide it.
set style fill solid 1.0 noborder
set grid front
set lmargin (most1 < 10000 ? 9 : 11)     # as wide as its numbers
right = longest > 17 ? longest + 7 : 24         # characters of the legend
set rmargin right
set multiplot
if (paper > 0) { unset ylabel; axis_words = levels; @axis_name; set lmargin at screen axis_margin(most1) / width; set rmargin at screen 1 - 14.0 / width }
panel = (height - 44 - 17.0 * key_rows) / n     # of a paper, where the legend stands below
head = paper > 0 ? (titles || n > 1 ? 24 : 8) : (titles || n > 1 ? 47 : 14)
tail = paper > 0 ? 18 : 25
if (paper <= 0) { panel = (height - 26.0) / n }
stair_bands = bands
do for [i=1:n] { stair_of = 'band'.i.'_'; load 'stairs.gp' }
do for [i=1:n] {
    set title (titles ? value('panel'.i) : n > 1 ? value('run'.i) : '') offset 0,(paper > 0 ? title_drop : 0)
    eval level_words(value('most'.i) * 1.04)
    set format x (paper > 0 && i < n ? '' : '%g')
    if (paper > 0 && i < n) { @time_marks } else { @time_words }
    set tmargin at screen 1 - ((i - 1) * panel + head) / height
    set bmargin at screen 1 - (i * panel - tail) / height
    set yrange [0:value('most'.i) * 1.04]
    set xlabel (i == n ? time_label : '')
    if (paper > 0) { if (i == n) { set key at screen 0.5,screen 4.0 / height bottom center horizontal maxcols key_columns Left reverse samplen 1.5 } else { unset key } } else { unset key }
    lines_of = ''; named_lines = ''
    do for [l=1:n_lines] {
        a_line = sprintf("'$line%d_%d' using ($1 / unit_s):2 with steps lw line_width%d dt line_dash%d lc rgb line_colour%d", i, l, l, l, l)
        lines_of = lines_of.a_line.', '; named_lines = named_lines.a_line.sprintf(' title line%d, ', l)
    }
    bands_of = ''
    do for [k=bands:1:-1] { if (k > 0) { bands_of = bands_of.stack_band(i, k) } }
    eval 'plot '.named_lines.bands_of.'NaN'     # NaN: there may be no band
    unset grid; unset key; unset title; unset xlabel; unset ylabel; unset label 99; unset border; unset tics
    if (n_lines) { eval 'plot '.lines_of.'NaN' }
    @frame; set grid front; set ylabel (paper > 0 ? '' : levels); if (paper > 0) { @axis_name }
}
if (paper <= 0) { legend_px = 8.0 * right - 14; load 'bands_legend.gp' }
unset multiplot
