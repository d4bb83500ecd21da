# fit.gp - a trace alone, or beside what was drawn from the laws fitted to it: run times, GPUs, gaps between arrivals, hours of the day.
height = 760
load 'common.gp'
array panel[3] = ['run', 'gpus', 'gap']
array titles[3] = ['Run time', 'GPUs of a job', 'Time between arrivals']
set multiplot layout 2,2
set key bottom right Left reverse samplen 2
if (sides == 1) { unset key }
do for [p=1:3] {
    set title titles[p]
    set ylabel (p == 3 ? 'share of the gaps (%)' : 'share of jobs (%)')
    set xlabel (p == 2 ? 'at most (log scale)' : 'within (log scale)')
    unset xtics; set xtics nomirror
    if (!term) { set xtics tc rgb '#333333' }
    if (p == 2) { set logscale x; set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 0.5, 0.25, 0.1) }
    if (p != 2) { @log_time_tics
        set xtics rotate by -30 }
    set xrange [value(panel[p].'_least'):value(panel[p].'_most')]
    set yrange [0:100]
    plot for [side=1:sides] '$'.panel[p].side using 1:2 with steps lw 2 lc rgb colour_of(side) title word('trace synthetic', side)
}
unset logscale x
set title 'Hour of the day'
set ylabel 'share of jobs (%)'
set xlabel 'hour (UTC)'
set xtics norotate
unset xtics; set xtics nomirror 0,4,24
set xrange [0:24]
set yrange [0:*]
if (sides > 1) { set key top right }
plot for [side=1:sides] '$hour'.side using 1:2 with steps lw 2 lc rgb colour_of(side) title word('trace synthetic', side)
unset multiplot
