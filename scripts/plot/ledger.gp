# ledger.gp - a bar for each run, of all its GPU time by account, in per cent.
width = 700 + int(6.6 * longest)
if (width < 960) width = 960
height = 140 + 34 * n
load 'common.gp'
set title 'Where GPU time went'
set lmargin at screen 0.03 + 6.6 * longest / width
set rmargin at screen 0.97
set tmargin at screen 1 - 40.0 / height
set bmargin at screen 94.0 / height
set xrange [0:100]
set yrange [n + 0.6:0.4]
set xlabel 'share of all GPU time (%)'
set ytics scale 0 ('' 0)
do for [i=1:n] { set ytics add (value('label'.i) i) }
set grid noytics
set key at screen 0.5, screen 26.0 / height center horizontal Left reverse samplen 1.2 width -1 maxrows 2
set style fill solid 1.0 border rgb '#ffffff'
plot $bars using (($1 + $2) / 2):3:1:2:($3 - 0.36):($3 + 0.36):4 with boxxyerror lc rgb variable lw 0.6, \
     $bars using (($1 + $2) / 2):3:5:6 with labels font ',8' tc rgb variable, \
     for [k=1:shown] NaN with boxes fs solid 1.0 noborder fc rgb value('account_colour'.k) title value('account'.k)
