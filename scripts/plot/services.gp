# services.gp - a column for each inference service; from the top: requests, latency (log scale), the share that kept the SLO, replicas.
width = n == 1 ? 800 : n == 2 ? 1000 : 120 + 300 * n
height = 860
if (format eq 'term') lines = lines - 2
paper_height = height
load 'common.gp'
dash_of_p99 = bw ? 2 : 1
set xrange [0:end]
@time_words
time_label = time_name.(mean_over eq '' ? '' : '; each step is of '.mean_over)
array top[4] = [62, 252, 452, 622]
array bottom[4] = [212, 412, 582, 752]
log_latency_tics = "set logscale y; set ytics ('1 ms' 1e-3, '3 ms' 3e-3, '10 ms' 0.01, '30 ms' 0.03, '0.1 s' 0.1, '0.3 s' 0.3, '1 s' 1, '3 s' 3, '10 s' 10, \
  '30 s' 30, '1 min' 60, '5 min' 300, '30 min' 1800, '1 h' 3600, '1 d' 86400)"
if (most_latency <= 0) { most_latency = 1 }
if (term) {
    set terminal dumb size columns,lines - 2
    set tmargin 2; set bmargin 2
    set title 'Latency, 99th percentile'
    @log_latency_tics
    set yrange [least_latency / 1.5:most_latency * 1.5]
    plot for [k=1:n] '$service'.k using ($1 / unit_s):4 with steps lt line_of(k) lc rgb colour_of(k)
    unset logscale y
    set terminal dumb size columns,lines
    set title 'Requests that kept the SLO (%)'
    set ytics autofreq
    set yrange [0:102]
    foot_text = time_label; @foot_line
    plot for [k=1:n] '$service'.k using ($1 / unit_s):5 with steps lt line_of(k) lc rgb colour_of(k)
} else {
    set multiplot
    set style fill solid 1.0 noborder
    if (titles) { set label 1 heading at screen 0.5, screen 1 - 14.0 / height center font ',11' }
    stair_of = 'service'; stair_column = 4; load 'stairs.gp'
    p99_column = dashes ? 2 : 4
    do for [k=1:n] {
        file = '$service'.k; p99_file = stepped('service', k)
        set lmargin at screen (84.0 + (k - 1) * (width - 92.0) / n) / width
        set rmargin at screen (84.0 + k * (width - 92.0) / n - 58) / width
        do for [r=1:4] {
            set tmargin at screen 1 - top[r] / (height + 0.0)
            set bmargin at screen 1 - bottom[r] / (height + 0.0)
            set title (r == 1 ? value('name'.k).(titles ? "\n".value('said'.k) : '') : '') offset 0,title_drop
            set xlabel (r == 4 && n == 1 ? time_label : '')
            set format x (r == 4 ? '%g' : '')
            if (r == 4) { @time_words } else { @time_marks }
            set format y (r == 1 || r == 4 || k == 1 ? '%g' : '')
            most_rate = value('most_rate'.k); most_replicas = value('most_replicas'.k)
            unset logscale y
            set ytics autofreq
            if (r == 1) {
                set ylabel (k == 1 ? 'requests/s' : '')
                set yrange [0:(most_rate > 0 ? most_rate * 1.06 : 1)]
                eval level_words(most_rate * 1.06)
                plot file using ($1 / unit_s):2 with steps lw 1.3 lc rgb '#444444'
            }
            if (r == 2) {
                set ylabel (k == 1 ? 'latency' : '')
                @log_latency_tics
                if (k > 1) { set ytics ('' 1e-3, '' 3e-3, '' 0.01, '' 0.03, '' 0.1, '' 0.3, '' 1, '' 3, '' 10, '' 30, '' 60, '' 300, '' 1800, '' 3600, '' 86400) }
                set yrange [least_latency / 1.3:most_latency * 1.3]
                plot file using ($1 / unit_s):3 with steps lw 1.4 lc rgb tone('#0072b2', '#000000'), p99_file using ($1 / unit_s):(column(p99_column)) with @step_style lw 1.4 dt dash_of_p99 lc rgb tone('#d55e00', '#808080')
            }
            if (r == 3) {
                set ylabel (k == 1 ? 'kept the SLO (%)' : '')
                set yrange [0:104]
                plot file using ($1 / unit_s):5 with steps lw 1.4 lc rgb tone('#009e73', '#000000')
            }
            if (r == 4) {
                set ylabel (k == 1 ? 'replicas' : '')
                set yrange [0:(most_replicas > 0 ? most_replicas * 1.1 : 1)]
                plot file using ($1 / unit_s):7 with fillsteps fc rgb tone('#a6cee3', '#cccccc'), file using ($1 / unit_s):6 with steps lw 1.3 lc rgb 'black'
            }
            unset label 1
        }
    }
    set lmargin at screen 0; set rmargin at screen 1
    set tmargin at screen 44.0 / height; set bmargin at screen 4.0 / height
    unset border; unset tics; unset title; unset grid; unset xlabel; unset ylabel
    set key center center horizontal Left reverse samplen (bw ? 3 : 1.6) width -1 maxrows 1
    if (n > 1) { set label 2 time_label at screen 0.5, screen 62.0 / height center tc rgb '#333333' }
    set xrange [0:1]; set yrange [0:1]
    plot NaN with lines lw 1.4 lc rgb tone('#0072b2', '#000000') title 'median', NaN with lines lw 1.4 dt dash_of_p99 lc rgb tone('#d55e00', '#808080') title '99th percentile', \
         NaN with boxes fc rgb tone('#a6cee3', '#cccccc') title 'replicas ready', NaN with lines lw 1.3 lc rgb 'black' title 'replicas wanted'
    unset multiplot
}
