# utilisation.gp - GPUs allocated over time, stacked by queue, under the line of all GPUs there are; a panel for each run.
load 'vars.gp'
height = n == 1 ? 540 : 90 + 250 * n
load here.'/common.gp'
set xrange [0:end]
set yrange [0:most * 1.04]
set ylabel 'GPUs'
time_label = sprintf('time since the start (%s)', unit) . (mean_over eq '' ? '' : '; each step is the mean over '.mean_over)

if (term) load here.'/utilisation_term.gp'
if (!term) load here.'/utilisation_panels.gp'
