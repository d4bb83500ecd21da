# sessions.gp - what interactive sessions do over time, a panel for each run; below, how long they took to start, and how they ended.
panel_height = n <= 4 ? 250 : 150
foot_height = 330
bar = n == 1 ? 30 : 17                     # pixels of a bar of the ends
if (foot_height < 100 + rows * (n * bar + 12)) foot_height = 100 + rows * (n * bar + 12)
height = 20 + panel_height * n + foot_height + 20 * n
width = 104 + 6.9 * widest
if (width < 960) width = 960
paper_height = height
load 'common.gp'
end = !term && over_s > 0 ? over_s / unit_s : end    # when the last session is over
set xrange [0:end]
@time_words

if (term) {
    load 'utilisation_term.gp'
} else {
    set style fill solid 1.0 noborder
    set multiplot
    set grid front
    set lmargin at screen 76.0 / width
    set rmargin at screen 1 - 160.0 / width
    set ylabel levels
    stair_bands = bands
    do for [i=1:n] { stair_of = 'band'.i.'_'; load 'stairs.gp' }
    do for [i=1:n] {
        set tmargin at screen 1 - (20.0 + panel_height * (i - 1) + 18) / height
        set bmargin at screen 1 - (20.0 + panel_height * i - 44) / height
        set title value('panel'.i)
        set yrange [0:most * 1.04]
        set xlabel (i == n ? time_label : '')
        quarter = most / 4.0
        if (n > 4 && quarter > 1) { ten = 10.0 ** floor(log10(quarter)); set ytics ten * (quarter < 2 * ten ? 2 : quarter < 5 * ten ? 5 : 10) } else { eval level_words(most * 1.04) }
        unset key
        bands_of = ''
        do for [k=bands:1:-1] { if (k > 0) { bands_of = bands_of.stack_band(i, k) } }
        eval 'plot '.bands_of.'NaN'        # NaN: there may be no band
    }
    legend_px = 150.0
    load 'bands_legend.gp'
    @frame; set lmargin at screen 76.0 / width
    set tmargin at screen (foot_height + 20.0 * n - 46) / height
    set bmargin at screen (20.0 * n + 62) / height
    set title 'Time to start'
    set rmargin at screen 0.5
    @log_time_tics
    if (biggest / least < 300) { set xtics add ('2 s' 2, '5 s' 5, '20 s' 20, '2 min' 120, '5 min' 300, '20 min' 1200, '2 h' 7200) }
    if (biggest / least < 12) { set xtics add ('30 s' 30, '40 s' 40, '3 min' 180, '40 min' 2400) }
    set xrange [least*0.9999:biggest]
    set yrange [0:101]
    set ytics (0, 25, 'P50' 50, 75, 'P90' 90, 'P99' 99)
    set ylabel 'share of those that started (%)'
    set xlabel 'from the request until it can be used, at most'
    set key at screen 40.0 / width, screen (20.0 * n + 8) / height left top vertical maxcols 1 Left reverse samplen 2.5
    if (!any_started) { set label 1 'none has started' at graph 0.5, graph 0.5 center tc rgb '#666666' }
    plot for [i=1:n] '$curve'.i using 1:(value('started'.i) > 0 ? $2 : NaN) with steps lw 2 dt dash_of(i) lc rgb colour_of(i) \
            title value('title'.i).(value('starts'.i) eq '' ? '' : ': '.value('starts'.i)), \
         for [i=1:n] '$marks'.i using 1:2 with points pt 7 ps 0.8 lc rgb colour_of(i)
    unset key
    unset label 1
    unset logscale
    set lmargin at screen 0.5 + 110.0 / width
    set rmargin at screen 1 - 20.0 / width
    set title 'How they ended'
    set xlabel 'sessions'
    unset ylabel
    set xrange [0:most_ended * (paper > 0 ? 1.8 : 1.3)]
    if (paper > 0) { set xtics step_of(most_ended * 1.8) } else { set xtics autofreq }
    if (most_ended < 7) { set xtics 1 }
    set yrange [rows + 0.6:0.4]
    set grid noytics
    set ytics scale 0 ('' 0)
    do for [k=1:rows] { set ytics add (value('ended'.k) k) }
    half = n == 1 ? 0.3 : 0.4 / n
    plot for [i=1:n] '$bars'.i using ($2 / 2.0):1:(0):2:($1 - half):($1 + half) with boxxyerror fc rgb colour_of(i), \
         for [i=1:n] '$bars'.i using 2:1:3 with labels left offset 0.7,0 tc rgb '#333333'
    unset multiplot
}
