# gantt.gp - which GPU was held when and by which job: a lane for each GPU, or, of a large cluster, how much of each node.
height = 90 + int(lanes * lane_px)
if (height < (view eq 'heat' ? 340 : 240)) height = view eq 'heat' ? 340 : 240
paper_height = height < 300 ? height : 300
load 'common.gp'
if (titles) set title title_text
set xrange [0:end]
@time_words
below_axis = (titles || part eq '' ? '' : "\n".part).(paper > 0 && view eq 'lanes' && bands > 0 ? "\n " : '')     # apart from the legend
set xlabel time_name.below_axis
set ytics scale 0 ('' 0)
do for [k=1:n_tics] { set ytics add (value('tic'.k) value('tic_at'.k)) }
unset grid
if (view eq 'lanes') {
    set yrange [lanes:0]
    set style fill solid 1.0 noborder
    if (boxes <= 300) { set style fill solid 1.0 border rgb '#ffffff' }
    if (paper > 0) { set key below left vertical maxcols 2 Left reverse samplen 1.2 } else { set key outside right top Left reverse samplen 1.2 width 1 }
    hatched_boxes = ''; legend_of = ''
    do for [k=1:bands] { if (hatched('queue_hatch'.k)) { hatched_boxes = hatched_boxes.sprintf("$boxes using ($6 == %d ? $1 / unit_s : NaN):3:($1 / unit_s):($2 / unit_s):3:4 with boxxyerror %s fc rgb queue_colour%d, ", k, filled('queue_hatch'.k), k) }
        legend_of = legend_of.legend_box('queue', k).sprintf('queue%d, ', k) }
    texts_of = paper > 0 ? '' : "$texts using ($1 / unit_s):2:4:3 with labels font ',8' tc rgb variable, "
    eval 'plot $boxes using ($1 / unit_s):3:($1 / unit_s):($2 / unit_s):3:4:5 with boxxyerror lc rgb variable lw 0.7, '.hatched_boxes \
        ."$lines using (0):1:(end):(0) with vectors nohead lw 0.5 lc rgb '#999999', ".texts_of.legend_of.'NaN'
} else {
    set yrange [lanes - 0.5:-0.5]
    set cbrange [0:100]
    set cblabel 'GPUs held (%)'.(paper > 0 ? '' : ', mean over '.bin_s)
    set colorbox noborder
    set palette defined (0 '#ffffff', 0.25 '#c6dbef', 0.5 '#6baed6', 0.75 '#2171b5', 1 '#08306b')
    if (bw) { set palette defined (0 '#ffffff', 1 '#000000') }
    plot $heat using ($1 / unit_s):2:3 with image
}
