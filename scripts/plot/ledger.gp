# ledger.gp - a bar for each run, of parts: all its GPU time by account in per cent, its mean wait by reason, its preemptions by cause.
width = 700 + int(6.6 * longest)
if (width < 960) width = 960
# Of the legend: how wide gnuplot takes an entry for, and so in how many rows it breaks it, in the width of the bars.
key_spread = shown > 5 ? -1 : 1
longest_account = 0
do for [k=1:shown] { if (strlen(value('account'.k)) > longest_account) { longest_account = strlen(value('account'.k)) } }
key_columns = int((0.97 * width - 29 - 6.6 * longest) / (8.0 * (longest_account + 4 + key_spread)))
key_columns = key_columns < 1 ? 1 : key_columns
key_rows = paper > 0 ? shown : (shown + key_columns - 1) / key_columns
key_rows = key_rows < 2 ? 2 : key_rows
height = shown == 0 ? 100 : 106 + 34 * n + 17 * key_rows
paper_height = 66 + 17 * key_rows + 30 * n
load 'common.gp'
if (titles) set title heading
set lmargin at screen paper > 0 ? (16 + 7.0 * longest) / width : 0.03 + 6.6 * longest / width
set rmargin at screen 1 - (paper > 0 ? 16.0 : 29.0) / width
set tmargin at screen 1 - (titles ? 40.0 : 8.0) / height
set bmargin at screen (paper > 0 ? 54.0 + 17 * key_rows : 60.0 + 17 * key_rows) / height
set xrange [0:axis_end]
set yrange [n + 0.6:0.4]
set xlabel axis
if (paper > 0) { set xtics step_of(axis_end) }
set ytics scale 0 ('' 0)
do for [i=1:n] { set ytics add (value('label'.i) i) }
set grid noytics
# Nothing to draw has no axis, and the title stands in the middle.
if (shown == 0) { set lmargin at screen 0.03; set rmargin at screen 0.97; set bmargin at screen 0; unset xlabel; unset ytics; unset xtics; unset grid; unset border; set label 1 none at screen 0.5, graph 0.5 center tc rgb '#333333' }
set key at screen 0.5, screen (paper > 0 ? 4.0 + 8.5 * key_rows : 9.0 + 8.5 * key_rows) / height center horizontal Left reverse samplen 1.2 width key_spread maxrows key_rows
set style fill solid 1.0 border rgb '#ffffff'
# Hatched parts, where there are more than greys; a text upon them has a background.
hatches = 0
do for [k=1:shown] { if (hatched('account_hatch'.k)) { hatches = k } }
set style textbox opaque noborder margins 0.4,0.4
text_font = sprintf(',%g', (paper > 0 && format eq 'pdf' ? 1.5 : 1) * (paper > 0 && format eq 'png' ? 300 / 96.0 : 1) * (paper > 0 ? font_pt : 8))
of_part(k, x) = strcol(7) eq value('account'.k) ? x : NaN
of_text(k, x) = strlen(strcol(5)) ? of_part(k, x) : NaN
hatched_parts = ''; legend_of = ''
do for [k=2:shown:2] { if (k <= hatches) { hatched_parts = hatched_parts.sprintf("$bars using (of_part(%d, ($1 + $2) / 2 / axis_scale)):3:($1 / axis_scale):($2 / axis_scale):($3 - 0.36):($3 + 0.36) with boxxyerror fc rgb 'white', \
    $bars using (of_part(%d, ($1 + $2) / 2 / axis_scale)):3:($1 / axis_scale):($2 / axis_scale):($3 - 0.36):($3 + 0.36) with boxxyerror fs pattern %d border rgb '#ffffff' fc rgb %d lw 0.6, ", \
    k, k, hatched('account_hatch'.k), value('account_colour'.k)) } }
hatched_texts = hatches ? "for [k=2:hatches:2] $bars using (of_text(k, ($1 + $2) / 2 / axis_scale)):3:5 with labels boxed font text_font, " : ''
do for [k=1:shown] { legend_of = legend_of.legend_box('account', k).sprintf('account%d, ', k) }
eval 'plot $bars using (($1 + $2) / 2 / axis_scale):3:($1 / axis_scale):($2 / axis_scale):($3 - 0.36):($3 + 0.36):4 with boxxyerror lc rgb variable lw 0.6, ' \
    .hatched_parts.'$bars using (($1 + $2) / 2 / axis_scale):3:5:6 with labels font text_font tc rgb variable, '.hatched_texts.legend_of.'NaN'
