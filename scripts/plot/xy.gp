# xy.gp - one number over another: panels one above the other that share the axis of x, a line for each run.
foot = 17 * n + (note eq '' ? 4 : 30)
panel = paper > 0 ? int(0.5 * paper) : panels == 1 ? 400 : 270
head = titles ? 30 : 6
height = head + panel * panels + 40 + foot
paper_height = height
high_panel = format eq 'term' && panels == 1
load 'common.gp'
set xrange [low:high]
if (!exists('places')) { if (high - low >= 1000) { step = step_of(high); set xtics ('0' 0); do for [i=1:floor(high / step)] { set xtics add (thousands(i * step) i * step) } } }
# Decades and, of few of them, some times these; of a terminal's panel as many as it has lines for.
few_decades = term && lines / panels < 14 ? 10 ** ((lines / panels - 7) / 3.0) : 300
log_words = "set ytics ('1' 1); do for [e=floor(log10(value('low'.p))):ceil(log10(value('high'.p)))] { do for [m in (value('high'.p) / value('low'.p) < 8 ? '1 1.5 2 3 4 5 6 8' : value('high'.p) / value('low'.p) < few_decades ? '1 2 5' : '1')] { set ytics add (thousands(m * 10.0 ** e) m * 10.0 ** e) } }"
unset key
if ((narrow || paper > 0) && high - low < 1000 && !exists('places')) { set xtics step_of(high - low) }
term_mark = marked ? 'linespoints lt line_of(i) pt mark_of(i)' : lettered ? 'points pt mark_of(i)' : 'lines lt line_of(i)'
if (!term) { set multiplot; set lmargin (paper > 0 ? 9 : 11); set rmargin 3 }
if (titles && !term) { set label 1 title_text at screen 0.5, screen 1 - 14.0 / height center font ',11' }
do for [p=1:panels] {
    foot_text = p == panels ? x_name.seed_words : ''; @foot_line
    if (term) { set terminal dumb size columns,lines / (panels > 1 ? 2 : 1) - (p == panels ? 0 : 1) + folds(foot_text); if (p < panels) { set bmargin 2 }; head_text = value('heading'.p); @head_line }
    if (!term) {
        set tmargin at screen 1 - (head + panel * (p - 1.0) + 6) / height
        set bmargin at screen 1 - (head + panel * p - 14.0) / height
        set ylabel value('heading'.p)
        set format x (p == panels ? '%g' : '')
    }
    if (exists('places')) { set xtics ('' place_at1); do for [i=1:places] { set xtics add ((p == panels || term ? value('place'.i) : '') value('place_at'.i)) } }
    unset logscale y
    if (value('logarithmic'.p)) { set logscale y; @log_words } else { eval level_words(value('high'.p)) }
    # A line of a terminal is a larger part of an axis of decades than the room below the least value.
    low_y = value('low'.p) / (term && value('logarithmic'.p) ? (value('high'.p) / value('low'.p)) ** 0.15 : 1)
    set yrange [low_y:value('high'.p)]
    mark = value('mark'.p)
    own(i) = '$xy'.p.'_'.i
    upto = high < diagonal ? high : diagonal
    set arrow 1 from 0,0 to upto,upto nohead lc rgb '#aaaaaa' dt 2 back
    if (!diagonal) { unset arrow 1 }
    if (mark == mark) { set arrow 2 from graph 0,first mark to graph 1,first mark nohead lc rgb '#888888' dt 2 } else { unset arrow 2 }
    if (term) {
        plot for [i=1:marked ? 0 : step_dots] own(i) using 1:2 with lines lt 0 lc rgb colour_of(i), for [i=1:n] own(i) using 1:2 with @term_mark lc rgb colour_of(i)
    } else { if (whiskers) {
        plot for [i=1:n] own(i) using 1:2:3:4 with yerrorbars pt 0 lw 1.2 lc rgb colour_of(i), \
             for [i=1:n] own(i) using 1:2 with linespoints pt mark_of(i) ps 0.8 lw 1.8 dt dash_of(i) lc rgb colour_of(i)
    } else { if (marked) {
        plot for [i=1:n] own(i) using 1:2 with linespoints pt mark_of(i) ps 0.7 lw 1.8 dt dash_of(i) lc rgb colour_of(i)
    } else {
        plot for [i=1:n] own(i) using 1:2 with lines lw 1.8 dt dash_of(i) lc rgb colour_of(i)
    } } }
    unset label 1
}
if (!term) {
    named = 'name'; above = note eq '' ? 2 : 28
    load 'lines_legend.gp'
    unset key
    if (note ne '') { set label 2 note at screen 0.5, screen 10.0 / height center tc rgb '#333333'; plot NaN }
    unset multiplot
}
