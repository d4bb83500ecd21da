# compare.gp - a panel for each metric, a bar in it for each run or group of runs; whiskers are 95 % confidence intervals.
most_across = paper > 0 ? 1 : 3
across = panels < most_across ? panels : most_across
width = 40 + int(6.9 * longest) + 290 * across
if (width < 960) width = 960
down = (panels + most_across - 1) / most_across
panel_height = (paper > 0 ? 88 + 22 * n : 96 + 26 * n)
base = paper > 0 && over ne '' ? 24 : 0     # a line below all panels: over what
if (!(paper > 0) && panel_height < 206) panel_height = 206
height = panel_height * down + (many ? 26 : 4) + base
paper_height = height
load 'common.gp'
set yrange [n + 0.6:0.4]
set grid noytics
set style fill solid 1.0 noborder
left = paper > 0 ? (14 + 7.2 * longest) / width : 0.03 + 6.9 * longest / width
panel = (0.985 - left) / across
set multiplot
do for [m=1:panels] {
    column_m = (m - 1) % most_across; row_m = (m - 1) / most_across
    set lmargin at screen left + column_m * panel
    set rmargin at screen left + (column_m + 1) * panel - 0.02
    set tmargin at screen 1 - (row_m * panel_height + (paper > 0 ? 36.0 : 42.0)) / height
    set bmargin at screen 1 - ((row_m + 1) * panel_height - (paper > 0 ? 30.0 : 48.0)) / height
    set ytics scale 0 ('' 0)
    if (column_m == 0) { do for [i=1:n] { set ytics add (value('label'.i) i) } }
    most = value('most'.m); least = value('least'.m)
    # The longest text stands right of the longest whisker.
    bar_px = panel * width - 0.02 * width - 7.0 * value('widest'.m) - 16
    room = bar_px > 20 ? (bar_px + 7.0 * value('widest'.m) + 16) / bar_px : 4
    if (room < (many ? 1.6 : 1.35)) { room = many ? 1.6 : 1.35 }
    set xrange [(least < 0 ? least * 1.15 : 0):(most > 0 ? most * room : 1)]
    if (most > 0) { set xtics step_of(most * room) } else { set xtics autofreq }
    if (value('unit'.m) eq '%' && most <= 100) { set xrange [0:(most * room > (many ? 150 : 135) ? most * room : many ? 150 : 135)]; set xtics 0,(panel * width < (many ? 190 : 175) ? 50 : 25),100 }
    # On paper over the width of the picture: a panel beside long names is narrow.
    if (paper > 0) { set label 3 value('title'.m).(value('unit'.m) ne ' ' ? ' ('.value('unit'.m).')' : '') at screen 0.5, screen 1 - (row_m * panel_height + 20.0) / height center } else { set title value('title'.m) }
    set xlabel (paper > 0 ? '' : over ne '' ? over : value('unit'.m))
    if (m == panels && base) { set label 2 over at screen 0.5, screen (many ? 36.0 : 14.0) / height center }
    if (m == panels && many) { set label 1 (paper > 0 ? 'means with intervals of 95 %' : 'bars: mean over the runs; whiskers: its 95 % confidence interval') at screen 0.5, screen 14.0 / height center tc rgb '#333333' }
    plot '$bars'.m using ($1 / 2):2:(0):1:($2 - 0.36):($2 + 0.36):(bw ? 0xaaaaaa : colour_of(int($2))) with boxxyerror lc rgb variable, \
         '$bars'.m using ($5 > $4 ? $1 : NaN):2:4:5 with xerrorbars pt 0 lw 1.3 lc rgb '#333333', \
         '$bars'.m using ($5 > $1 ? $5 : $1):2:3 with labels left offset 0.7,0 tc rgb '#333333'
}
unset multiplot
