# locality.gp - for scripts/locality: bars of mean completion times, a group for each oversubscription, a panel for each kind of
# job; whiskers are 95 % intervals. bars.heavy and bars.light: x, minutes, half width, colour, text; what passes the top is cut
# and says how much it is. facts.gp: most, and the groups and placers.
load 'facts.gp'
width = 1080
height = 460
load here.'/common.gp'
set yrange [0:most]
set xrange [0.3:groups + 0.7]
set xtics scale 0
set xtics () ; do for [i=1:groups] { set xtics add (group[i] i) }
set xlabel 'uplink oversubscription'
set grid noxtics
set style fill solid 1.0 noborder
top(mean, half) = mean + half > most * 0.95 ? most * 0.95 : mean + half
set tmargin at screen 0.84
set bmargin at screen 0.13
set multiplot
panels = 'heavy light'
title = "'much to exchange: VGG-16, BERT-large' 'little: ResNet-50, Inception-v3'"
do for [p=1:2] {
    set lmargin at screen 0.065 + (p - 1) * 0.475
    set rmargin at screen 0.515 + (p - 1) * 0.475
    set title word(title, p) offset 0,0.4
    set ylabel (p == 1 ? 'mean completion time, minutes' : '') offset 1,0
    if (p == 2) { set format y '' }
    unset label
    if (p == 1) {
        do for [i=1:placers] {
            set label i placer[i] at screen 0.085 + 0.1 * (i - 1), 0.955 left tc rgb '#333333'
            set object i rectangle from screen 0.065 + 0.1 * (i - 1), 0.94 to screen 0.08 + 0.1 * (i - 1), 0.97 fc rgb colour_of(i) fs solid 1.0 noborder
        }
    } else { do for [i=1:placers] { unset object i } }
    plot 'bars.'.word(panels, p) using 1:($2 / 2 > most / 2 ? most / 2 : $2 / 2):(0.09):(($2 > most ? most : $2) / 2):(colour_of(int($4))) \
             with boxxyerror lc rgb variable, \
         '' using 1:($2 > most ? NaN : $2 - $3):(0):(top($2, $3) - $2 + $3) with vectors nohead lw 1.2 lc rgb '#333333', \
         '' using 1:($2 > most ? NaN : top($2, $3) + most * 0.025):5 with labels font 'DejaVu Sans,8' tc rgb '#333333', \
         '' using 1:($2 > most ? most * 0.97 : NaN):5 with labels font 'DejaVu Sans,8' tc rgb '#ffffff'
}
unset multiplot
