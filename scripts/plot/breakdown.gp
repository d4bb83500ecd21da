# breakdown.gp - completion time and wait by size, class or queue: boxes from the 25th to the 75th percentile with the median, whiskers
# from the 5th to the 95th; a box for each run in each row.
across = paper > 0 && paper < 700 ? 1 : 2
down = 2 / across
row_px = 12 + (paper > 0 ? 11 : 14) * n
panel_height = 90 + row_px * parts
if (panel_height < 160) panel_height = 160
zero_row = paper > 0 && zero_words ne '' ? 17 : 0      # a column has no room for it beside the rest
foot = 22 + zero_row + 17 * n
height = panel_height * down + foot
paper_height = height
load 'common.gp'
left = (24 + 7.2 * longest) / width
panel = (1.0 - left) / across
half = 0.32 / (n + 1)
set style fill solid (bw ? 0.25 : 0.35) border
set grid noytics
set multiplot
set yrange [parts + 0.6:0.4]
do for [m=1:2] {
    column_m = (m - 1) % across; row_m = (m - 1) / across
    set lmargin at screen left + column_m * panel
    set rmargin at screen left + (column_m + 1) * panel - 18.0 / width
    set tmargin at screen 1 - (row_m * panel_height + (titles ? 36.0 : 14.0)) / height
    set bmargin at screen 1 - ((row_m + 1) * panel_height - 44.0) / height
    least = value('least'.m); biggest = value('most'.m)
    @log_time_tics
    axis_px = panel * width - 18
    @coarse_time_tics
    @fine_time_tics
    set xrange [least:biggest]
    set ytics scale 0 ('' 0)
    if (column_m == 0) { do for [k=1:parts] { set ytics add (value('part'.k) k) } }
    set title (titles ? value('heading'.m) : '')
    set xlabel (titles ? '' : value('measure'.m))
    above(x) = x > least ? x : least
    plot for [i=1:n] '$boxes'.m.'_'.i using (above($4)):1:(above($2)):(above($6)) with xerrorbars pt 0 lw 1 lc rgb colour_of(i), \
         for [i=1:n] '$boxes'.m.'_'.i using (above($4)):1:(above($3)):(above($5)):($1 - half):($1 + half) with boxxyerror lw 1 dt dash_of(i) lc rgb colour_of(i), \
         for [i=1:n] '$boxes'.m.'_'.i using (above($4)):($1 - half):(0):(2 * half) with vectors nohead lw 2.5 lc rgb colour_of(i)
}
set lmargin at screen 0; set rmargin at screen 1
set tmargin at screen (foot + 0.0) / height; set bmargin at screen 4.0 / height
unset logscale; unset border; unset tics; unset title; unset grid; unset xlabel; unset ylabel
set xrange [0:1]; set yrange [0:1]
set key center center vertical maxcols 1 Left reverse samplen 1.5
set label 1 (paper > 0 ? 'quartiles, median; 5th to 95th percentile' : 'boxes: quartiles and median; whiskers: 5th to 95th percentile').(zero_row ? "\n".zero_words[3:] : zero_words) at screen 0.5, screen (10.0 + zero_row) / height center tc rgb '#333333'
set bmargin at screen (18.0 + zero_row) / height
plot for [i=1:n] NaN with boxes lc rgb colour_of(i) dt dash_of(i) title value('title'.i)
unset multiplot
