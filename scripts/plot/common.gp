# common.gp - what all plots share: terminal, fonts, colours, grid, axes in units of time.
# Expects format, columns, lines, ansi, paper, paper_in, font_pt, titles, bw; width and height in pixels may be set before (default
# 960 x 540). Pixels are those of text of 10 points on a screen (96 a inch). A paper has its own width, `paper` such pixels, and `shrink`
# of them are one of its own; paper_height is its height, unless the script says another: three fifths of the width.
if (!exists('paper')) { paper = 0; paper_in = 0; font_pt = 10; titles = 1; bw = 0 }
if (!exists('width'))  width = 960
if (!exists('height')) height = 540
if (paper > 0) {
    width = paper
    height = exists('paper_height') ? paper_height : int(0.6 * paper)
}
if (paper > 0) mean_over = ''       # the caption says it
shrink = paper > 0 ? font_pt / 10.0 : 1
set encoding utf8
fine = paper > 0 ? 300 / 96.0 * shrink : 1      # dots of a PNG a pixel
if (format eq 'png') set terminal pngcairo noenhanced size int(width * fine + 0.5),int(height * fine + 0.5) \
    font sprintf('DejaVu Sans,%g', 10 * fine) linewidth fine pointscale fine background rgb 'white'
if (format eq 'svg') set terminal svg noenhanced size int(width * shrink + 0.5),int(height * shrink + 0.5) \
    font sprintf('DejaVu Sans,%g', paper > 0 ? font_pt * 96 / 72.0 : 12) linewidth shrink background rgb 'white'
# pdfcairo draws a font at two thirds of its size.
if (format eq 'pdf') set terminal pdfcairo noenhanced size (paper > 0 ? paper_in : width / 96.0),height * shrink / 96.0 \
    font sprintf('DejaVu Sans,%g', paper > 0 ? font_pt * 1.5 : 8) linewidth (paper > 0 ? 1.5 * shrink : 1) background rgb 'white'
term = format eq 'term'
if (term && ansi)  set terminal dumb noenhanced size columns,lines ansirgb
if (term && !ansi) set terminal dumb noenhanced size columns,lines mono

set border 3
set tics nomirror
set key noautotitle
if (!term) { set format '%h' }      # gnuplot's own begins with a blank, which moves a number aside of its tic
# On a terminal the program writes the legend below, and what is wider than the axis goes on in the next line.
narrow = term && columns < 60
# Where SVG has small text gnuplot takes it for higher than it is.
if (format eq 'svg' && paper > 0) { set key spacing 0.8; set xlabel offset 0,0.5; set ylabel offset 0.6,0 }
title_drop = format eq 'svg' ? -0.7 : -0.5      # of a panel on paper
if (term) { unset key; set tics scale 0.5; set title offset 0,-0.5 }
last_blank(s, k) = k < 2 ? strlen(s) + 1 : s[k:k] eq ' ' ? k : last_blank(s, k - 1)
line_end(s) = last_blank(s, columns - 8) - 1
fits(s) = !term || strlen(s) < columns - 8
fold(s) = fits(s) ? s : s[1:line_end(s)]."\n".fold(s[line_end(s) + 2:*])
folds(s) = fits(s) ? 0 : 1 + folds(s[line_end(s) + 2:*])
head_line = "set title fold(head_text); if (term) { set tmargin 2 + folds(head_text) }"
foot_line = "set xlabel fold(foot_text); if (term) { set bmargin 3 + folds(foot_text) }"
frame = "set border 3 lc rgb '#666666'; set xtics nomirror autofreq tc rgb '#333333'; set ytics nomirror autofreq tc rgb '#333333'; set grid lc rgb '#e0e0e0' lt 1 lw 0.6"
if (!term) { set tics tc rgb '#333333'; @frame }

# Lines: Okabe and Ito's colours without the yellow; the ninth line on is dashed. A terminal may be dark or light: Tol's
# "bright", and no colour for text.
array line_colour[8] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000, 0x999999]
array term_colour[9] = [0x4477aa, 0xee6677, 0x228833, 0xccbb44, 0x66ccee, 0xaa3377, 0xee7733, 0x009988, 0x997700]
# A step for about four tics, of 1, 2 or 5 times a power of ten.
step_of(most) = four_of(most / 4.0, 10.0 ** floor(log10(most / 4.0)))
four_of(x, ten) = x <= ten * 1.0001 ? ten : x <= 2 * ten ? 2 * ten : x <= 5 * ten ? 5 * ten : 10 * ten

# Without colours: greys, and each line its own dashes.
array line_grey[4] = [0x000000, 0x707070, 0x000000, 0x707070]
if (bw) { do for [i=1:8] { line_colour[i] = line_grey[(i - 1) % 4 + 1] } }
colour_of(i) = term ? term_colour[(i - 1) % 9 + 1] : line_colour[(i - 1) % 8 + 1]
dash_of(i) = bw ? 1 + (i - 1) % 5 : 1 + (i - 1) / 8 % 4
array marks[6] = [7, 4, 9, 6, 5, 8]
mark_of(i) = term ? (i - 1) % 26 + 1 : bw ? marks[(i - 1) % 6 + 1] : 7
line_of(i) = (i - 1) % 7 + 1       # of a terminal: its character
tone(rgb, grey) = bw ? grey : rgb
# Of more bands than there are greys some are hatched: band_hatch1, ..
hatched(name) = exists(name) ? value(name) : 0
filled(name) = hatched(name) > 0 ? sprintf('fs pattern %d noborder', hatched(name)) : 'fs solid 1.0 noborder'
legend_box(name, k) = sprintf("NaN with boxes %s fc rgb %s_colour%d title ", filled(name.'_hatch'.k), name, k)
# A band of a stack, under those below it, as a part of a plot command. The hatching of SVG is transparent, so white lies under it.
hatching = hatched('band_hatch2') > 0
band_shape(i, k) = hatching ? sprintf("'$stair_band%d_%d' using ($1 / unit_s):2 with filledcurves y1=0", i, k) : sprintf("'$band%d_%d' using ($1 / unit_s):3 with fillsteps", i, k)
white_band(i, k) = hatched('band_hatch'.k) ? band_shape(i, k)." fs solid 1.0 noborder fc rgb 'white', " : ''
stack_band(i, k) = white_band(i, k).band_shape(i, k).sprintf(" %s fc rgb band_colour%d title band%d, ", filled('band_hatch'.k), k, k)

# Steps. gnuplot's own begin their dashes anew at each step, so that short ones look solid: where lines have dashes, stairs.gp makes lines of them.
# On a terminal more lines than there are characters are of dots, with letters at their steps.
if (!exists('lettered')) lettered = 0
dashes = exists('n') && !term && (bw || n > 8)
stepped(of, i) = dashes ? sprintf('$stair_%s%d', of, i) : sprintf('$%s%d', of, i)
step_style = dashes ? 'lines' : 'steps'
step_dots = lettered ? n : 0
step_mark = lettered ? 'points pt mark_of(i)' : 'steps lt line_of(i)'

# Tics of an axis of time that has dates or begins elsewhere than at 0 are told: with their words, or, above another panel, without.
if (!exists('n_times')) n_times = 0
time_words = "if (n_times > 0) { set xtics (value('time1') time_at1); do for [i_time=2:n_times] { set xtics add (value('time'.i_time) value('time_at'.i_time)) } }"
time_marks = "if (n_times > 0) { set xtics ('' time_at1); do for [i_time=2:n_times] { set xtics add ('' value('time_at'.i_time)) } }"

# What stands below an axis, and there of which runs it is not; below one of time also how long its steps are.
if (!exists('one_seed')) one_seed = ''
if (!exists('time_name')) time_name = ''
if (!exists('mean_over')) mean_over = ''
seed_words = one_seed eq '' ? '' : '; '.one_seed
time_label = time_name . (mean_over eq '' ? '' : '; each step is the mean over '.mean_over) . seed_words

# Levels from a thousand on with separators; `most` of the axis is its end.
thousands(x) = x < 1000 ? sprintf('%g', x) : thousands(floor(x / 1000)).sprintf(',%03d', int(x) % 1000)
if (!exists('high_panel')) high_panel = term     # of a terminal: there is room for twice as many
level_step(most) = step_of(high_panel ? most / 2.0 : most)
level_words(most) = most < 1000 ? (paper > 0 || term ? sprintf('set ytics %g', level_step(most)) : 'set ytics autofreq') : level_list(level_step(most), floor(most / level_step(most)))
level_list(step, n) = n < 1 ? "set ytics ('0' 0)" : level_list(step, n - 1).sprintf("; set ytics add ('%s' %.0f)", thousands(n * step), n * step)

# A logarithmic time axis says 1 min, 1 h, 1 d rather than powers of ten.
log_time_tics = "set logscale x; set xtics ('1 µs' 1e-6, '10 µs' 1e-5, '0.1 ms' 1e-4, '1 ms' 1e-3, '10 ms' 0.01, '0.1 s' 0.1, \
  '1 s' 1, '10 s' 10, '1 min' 60, '10 min' 600, '1 h' 3600, '6 h' 21600, '1 d' 86400, '7 d' 604800, '30 d' 2592000, '1 y' 31536000, '10 y' 315360000)"
# Where the axis is short for its decades, those alone that are far apart; over all the width of a paper's picture but its margin.
if (!exists('axis_px')) axis_px = term ? 7 * (columns - 10) : (paper > 0 ? paper : width) - 80
coarse_time_tics = "if (axis_px / log10(biggest / least) < 58) { set xtics ('1 µs' 1e-6, '1 ms' 1e-3, '0.1 s' 0.1, '1 s' 1, '1 min' 60, '1 h' 3600, '1 d' 86400, '30 d' 2592000, '1 y' 31536000) }"
# And where it is long, some more.
fine_time_tics = "px_decade = biggest / least < 300 ? axis_px / log10(biggest / least) : 0; \
  if (px_decade > 160) { set xtics add ('2 s' 2, '5 s' 5, '20 s' 20, '2 min' 120, '5 min' 300, '20 min' 1200, '2 h' 7200, '12 h' 43200, '2 d' 172800) }; \
  if (px_decade > 400) { set xtics add ('3 s' 3, '7 s' 7, '15 s' 15, '30 s' 30, '3 min' 180, '7 min' 420, '15 min' 900, '30 min' 1800, '3 h' 10800, '4 h' 14400, '9 h' 32400) }"
# One of ratios has as many tics as there is room for; beside another panel that is less.
log_ratio_tics = "decades = log10(biggest / least) / (panels ? 0.4 : 1); \
  if (decades < (narrow ? 1.7 : 2.7)) { set xtics (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, '1,000' 1e3) } \
  else { if (decades < (paper > 0 || narrow ? 3 : panels ? 4 : 6)) { set xtics (0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, '1,000' 1e3, '3,000' 3e3, '10,000' 1e4, '100,000' 1e5, '1e6' 1e6) } \
  else { set xtics ('1e-6' 1e-6, '1e-5' 1e-5, 0.0001, 0.001, 0.01, 0.1, 1, 10, 100, '1,000' 1e3, '10,000' 1e4, '1e5' 1e5, '1e6' 1e6) } }"

# The name of the left axis of a paper: gnuplot's own leaves the picture where its tics are long. Left of a panel are 66 pixels, and 8 more beside five digits.
axis_margin(most) = most < 10000 ? 66.0 : 74.0
axis_name = "set label 99 axis_words at screen 7.0 / width, graph 0.5 center rotate by 90"

# Names beside their lines, where the figure has found room for all of them.
if (!exists('direct')) direct = 0
side_of(i) = value('label_side'.i) > 0 ? 'left' : value('label_side'.i) < 0 ? 'right' : 'center'
name_command(i, x_unit) = sprintf('set label %d title%d at first label_x%d / %.0f,label_y%d %s tc rgb colour_of(%d)', i, i, i, x_unit, i, side_of(i), i)
direct_names = "do for [i_name=1:n] { eval name_command(i_name, 1) }"
direct_times = "do for [i_name=1:n] { eval name_command(i_name, unit_s) }"
