# queue_length.gp - how many jobs wait, and below it for how many GPUs, over time; one line for each run.
load 'vars.gp'
height = 640
load here.'/common.gp'
set xrange [0:end]
time_label = sprintf('time since the start (%s)', unit) . (mean_over eq '' ? '' : '; each step is the mean over '.mean_over)
array file[2] = ['jobs', 'gpus']
array titles[2] = ['Jobs waiting', 'GPUs they wait for']
array labels[2] = ['jobs', 'GPUs']
set key outside top center horizontal Left reverse samplen 2.5
if (!term) set lmargin 11; set multiplot layout 2,1
if (term) set lmargin 8; set rmargin 1; set tmargin 2; set xtics nomirror
do for [p=1:2] {
    set title titles[p]
    set xlabel (p == 2 ? time_label : '')
    if (term) { set title titles[p].(n > 1 ? '' : ': '.title1) offset 0,-0.5; set bmargin 1 + p; unset key }
    if (term) { set terminal dumb size columns,lines / 2 + (p == 2 ? n : -1) }
    if (term && p == 2 && n > 1) { set key below left vertical Left reverse maxcols 1; set bmargin 3 + n }
    if (!term) { set ylabel labels[p] }
    most = value(file[p].'_most')
    set yrange [0:(most > 0 ? most * 1.05 : 1)]
    plot for [i=1:n] file[p].'.'.i using 1:2 with steps lw 1.5 dt dash_of(i) lc rgb colour_of(i) \
        title value('title'.i).': mean '.(term ? value('jobs_mean'.i).' jobs, '.value('gpus_mean'.i).' GPUs' : value(file[p].'_mean'.i))
}
if (!term) unset multiplot
