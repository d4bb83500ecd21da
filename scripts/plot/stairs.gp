# stairs.gp - the corners of the steps of $NAME1 .. $NAMEn, columns 1 and 2 or `stair_column`, as lines $stair_NAME1 .. $stair_NAMEn; `stair_of` is NAME. With
# stair_bands of the tops of that many bands, column 3, from 0 to 0, where some are hatched: gnuplot fills steps one by one, and between them what lies
# under them shows.
if (!exists('stair_bands')) { stair_bands = 0 }
if (!exists('stair_column')) { stair_column = 2 }
if (stair_bands ? hatching : dashes) {
    do for [i_stair=1:(stair_bands ? stair_bands : n)] {
        eval sprintf('set print $stair_%s%d; stair_rows = |$%s%d|', stair_of, i_stair, stair_of, i_stair)
        eval sprintf('stair_row(k) = $%s%d[k]', stair_of, i_stair)
        do for [k_stair=1:stair_rows] {
            stair_x = word(stair_row(k_stair), 1)
            if (k_stair > 1) { print stair_x.' '.stair_y }
            stair_y = word(stair_row(k_stair), stair_bands ? 3 : stair_column)
            print stair_x.' '.stair_y
        }
        unset print
    }
}
