# lines_legend.gp - the legend of lines, a panel without axes, `foot` pixels high and `above` from the bottom: gnuplot breaks the legend of another
# panel that is lower into columns, and cuts it off. `named` is the fact of the names, title or name; `marked` lines have points.
if (!exists('above')) { above = 2 }
if (!exists('marked')) { marked = 0 }
set lmargin at screen 0; set rmargin at screen 1
set tmargin at screen (foot + 2.0) / height; set bmargin at screen (above + 0.0) / height
unset logscale; unset border; unset tics; unset title; unset grid; unset xlabel; unset ylabel; unset arrow; unset label
set xrange [0:1]; set yrange [0:1]
set key inside center center vertical maxcols 1 Left reverse nobox height 0 width 0 spacing (format eq 'svg' ? 0.84 : 0.94) samplen (bw ? 4 : 2.5)
plot for [i=1:n] NaN with linespoints pt mark_of(i) ps (marked ? 0.7 : 0) lw 1.8 dt dash_of(i) lc rgb colour_of(i) title value(named.i)
