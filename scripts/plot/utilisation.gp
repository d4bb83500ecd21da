# utilisation.gp - GPUs over time, stacked in bands, under the line of all GPUs there are; a panel for each run.
height = n == 1 ? 540 : 90 + (n <= 4 ? 250 : 150) * n
if (longest > 17) width = 960 + 7 * (longest - 17)
widest = n_lines > 1 && longest < 15 ? 15 : longest     # of the lines: 'making progress'
key_columns = 2 * (8.6 * widest + 70) < paper - 80 ? 2 : 1
key_rows = (bands + n_lines + key_columns - 1) / key_columns
paper_height = n * (40 + int(0.36 * paper)) + 44 + 17 * key_rows
load 'common.gp'
set xrange [0:end]
@time_words
set ylabel levels

if (term) load 'utilisation_term.gp'
if (!term) load 'utilisation_panels.gp'
