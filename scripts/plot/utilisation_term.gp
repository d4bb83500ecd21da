# utilisation_term.gp - the same in characters: a letter for each band, a panel for each run; the program adds the legend.
# Margins are set so that the panel has exactly one character for each cell.
cells = columns - 10
set lmargin 8; set rmargin 1; set bmargin 2
set xrange [0:cells]
set yrange [0:panel_rows]
unset ylabel
unset border
step = 10.0 ** floor(log10(most)); step = most / step < 2 ? step / 2 : most / step > 5 ? step * 2 : step
set ytics ('0' 0)
do for [y=1:5] { if (y * step < most * (1 - 1.5 / panel_rows)) { set ytics add (thousands(y * step) y * step * panel_rows / most) } }
set ytics add (thousands(most) panel_rows)
tick = 10.0 ** floor(log10(end)); tick = end / tick < 2 ? tick / 5 : end / tick < 5 ? tick / 2 : tick
if (n_times > 0) {
    set xtics (time1 time_at1 / end * cells)
    do for [x=2:n_times] { set xtics add (value('time'.x) value('time_at'.x) / end * cells) }
} else {
    set xtics ('0' 0)
    set for [x=1:10] xtics add (sprintf('%g', x * tick) x * tick / end * cells)
}
do for [i=1:n] {
    head_text = value('panel'.i); @head_line
    foot_text = levels.' over '.time_label
    if (i == n) { @foot_line }
    set terminal dumb size columns,panel_rows + 4 + folds(head_text) + (i == n ? 1 + folds(foot_text) : 0)
    plot '$cells'.i using 1:2:3:4 with labels tc rgb variable
}
