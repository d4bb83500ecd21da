# compare.gp - a bar for each run: GPU time allocated, mean time in the queue, mean completion time.
load 'vars.gp'
width = longest > 25 ? 1200 : 960
height = 110 + 26 * n
if (height < 220) height = 220
load here.'/common.gp'
set yrange [n + 0.6:0.4]
set ytics scale 0 ('' 0)
set grid noytics
set style fill solid 1.0 noborder
left = 0.03 + 6.9 * longest / width
panel = (0.985 - left) / 3
set tmargin at screen 1 - 46.0 / height
set bmargin at screen 52.0 / height
set multiplot
do for [m=1:3] {
    set lmargin at screen left + (m - 1) * panel
    set rmargin at screen left + m * panel - 0.02
    if (m == 1) { do for [i=1:n] { set ytics add (value('label'.i) i) } } else { unset ytics }
    most = value('most'.m)
    set xrange [0:(most > 0 ? most * 1.3 : 1)]
    if (m == 1) { set xrange [0:130]; set xtics 0,25,100 } else { set xtics autofreq }
    set title value('title'.m)
    set xlabel value('unit'.m)
    plot 'bars.'.m using ($1 / 2):2:(0):1:($2 - 0.36):($2 + 0.36):(colour_of(int($2))) with boxxyerror lc rgb variable, \
         '' using 1:2:3 with labels left offset 0.5,0 tc rgb '#333333'
}
unset multiplot
