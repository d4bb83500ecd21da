# sweep.gp - a panel for each metric: its mean over the seeds as a line for each combination of what varies, in a band of its 95 %
# confidence interval. Values that are no numbers stand side by side, with whiskers.
most_across = paper > 0 ? (paper < 700 ? 1 : 2) : 3
across = panels < most_across ? panels : most_across
down = (panels + most_across - 1) / most_across
rows = (n + across - 1) / across
width = across == 1 ? 720 : across == 2 ? 960 : 1200
if (paper > 0) { width = paper }
one_row = n * (7 * longest + 60) < width - 60
foot = direct ? (seeds > 1 ? 24 : 4) : (one_row ? 17 : n > 12 ? 17 * ((n + 1) / 2) : 17 * n) + (seeds > 1 ? 40 : 20)
panel_height = paper > 0 ? int(0.55 * width / across) + 60 : 330
height = panel_height * down + foot
paper_height = height
if (format eq 'term') lines = 20
load 'common.gp'
set style fill transparent solid 0.18 noborder
if (logarithmic) { set logscale x }
if (words) {
    set xrange [0.5:places + 0.5]
    set xtics scale 0
    if (places > 4) { set xtics rotate by -25 }
} else { set xrange [(logarithmic ? low / 1.08 : low - (high - low) * 0.03 - (high == low)):(logarithmic ? high * 1.08 : high + (high - low) * 0.03 + (high == low))] }
# Tics stand at values that runs had.
set xtics (value('place1') place_at1)
do for [p=2:tics] { set xtics add (value('place'.p) value('place_at'.p)) }
shift(l) = words ? (l - (n + 1) / 2.0) * 0.6 / (n + 1) : 0
if (!term) { set multiplot }
foot_text = x_name; @foot_line
do for [m=1:panels] {
    if (!term) {
        column_m = (m - 1) % most_across; row_m = (m - 1) / most_across
        set lmargin at screen (column_m + 0.0) / across + (paper > 0 ? 66.0 : 74.0) / width
        set rmargin at screen (column_m + 1.0) / across - (direct ? 26 + 7.0 * longest : 18.0) / width
        set tmargin at screen 1 - (row_m * panel_height + (paper > 0 ? 30.0 : 36.0)) / height
        set bmargin at screen 1 - ((row_m + 1) * panel_height - (paper > 0 ? 52.0 : 56.0)) / height
    }
    head_text = value('title'.m).(term && value('unit'.m) ne ' ' && value('unit'.m) ne '' ? ' ('.value('unit'.m).')' : ''); @head_line; set title offset 0,(paper > 0 ? title_drop : term ? -0.5 : 0)
    if (!term) { set ylabel value('unit'.m) }
    most = value('most'.m); least = value('least'.m)
    set yrange [(least < 0 ? least * 1.1 : 0):(most > 0 ? most * 1.06 : 1)]
    if (value('unit'.m) eq '%' && most <= 100 && most > 60 && !term) { set yrange [(least < 0 ? least * 1.1 : 0):104] }
    file(l) = sprintf('$line%d_%d', m, l); scale = value('scale'.m)
    if (term) {
        plot for [l=1:n] file(l) using 1:($2 / scale) with linespoints lt line_of(l) pt mark_of(l) lc rgb colour_of(l)
    } else { if (words) {
        plot for [l=1:n] file(l) using ($1 + shift(l)):($2 / scale):($3 / scale):($4 / scale) with yerrorbars pt mark_of(l) ps 0.9 lw 1.4 lc rgb colour_of(l)
    } else {
        plot for [l=1:n] file(l) using 1:($3 / scale):($4 / scale) with filledcurves lc rgb colour_of(l), \
             for [l=1:n] file(l) using 1:($2 / scale) with linespoints pt mark_of(l) ps 0.6 lw 2 dt dash_of(l) lc rgb colour_of(l), \
             for [l=1:n] file(l) using (direct && $1 == high ? $1 : NaN):($2 / scale):(value('name'.l)) with labels left offset 0.8,0 tc rgb colour_of(l)
    } }
}
if (!term) {
    # The legend: a panel without axes at the bottom.
    set lmargin at screen 0; set rmargin at screen 1
    set tmargin at screen (foot + 0.0) / height; set bmargin at screen 4.0 / height
    unset logscale; unset border; unset tics; unset title; unset grid; unset xlabel; unset ylabel
    set xrange [0:1]; set yrange [0:1]
    if (one_row) { set key center center horizontal maxrows 1 Left reverse samplen 2.5 } else { if (n > 12) { set key center center vertical maxcols 2 Left reverse samplen 2.5 } else { set key center center vertical maxcols 1 Left reverse samplen 2.5 } }
    if (seeds > 1) { set label 1 (paper > 0 ? sprintf('mean over %d seeds with its interval of 95 %%', seeds) : sprintf('%s: mean over %d seeds; %s: its 95 %% confidence interval', (words ? 'points' : 'lines'), seeds, (words ? 'whiskers' : 'bands'))) \
        at screen 0.5, screen 14.0 / height center tc rgb '#333333' }
    plot for [l=1:n] NaN with linespoints pt mark_of(l) ps 0.6 lw 2 dt dash_of(l) lc rgb colour_of(l) title (direct ? '' : value('name'.l))
    unset multiplot
}
