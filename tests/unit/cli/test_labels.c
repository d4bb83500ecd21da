/* test_labels.c - names along lines that step once, in the middle of the frame: whether names fit is plain, and where they stand is
 * looked at on its own, with the pixels of labels.h: 7 a character, 14 a line of text, a gap of 5 to the own line, of 6 to others. */
#include "sim/cli/plot/names/labels.h"
#include "sim/cli/plot/names/place.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdlib.h>

enum { LINES_MOST = 4, WIDE = 300, HIGH = 200 };
static const struct frame frame = { WIDE, HIGH };

static const struct level_row {
    const char *name;
    size_t n, characters;
    double y[LINES_MOST], end_y[LINES_MOST];    /* from the left, and from the middle of the frame on */
    bool fit;
} rows[] = {
    { "one line", 1, 10, { 100 }, { 100 }, true },
    { "two lines, far apart", 2, 10, { 50, 150 }, { 50, 150 }, true },
    { "two lines, near: one name above, one below", 2, 10, { 100, 108 }, { 100, 108 }, true },
    { "three lines, near: the middle one has no room", 3, 10, { 100, 108, 104 }, { 100, 108, 104 }, false },
    { "three lines that part", 3, 10, { 100, 100, 100 }, { 20, 100, 180 }, true },
    { "the same line twice", 2, 10, { 100, 100 }, { 100, 100 }, false },
    { "a name wider than the frame", 1, 50, { 100 }, { 100 }, false },
    { "at the bottom", 1, 10, { 0 }, { 0 }, true },
};

static struct line_path *lines_of(const struct level_row *row)
{
    struct line_path *line = calloc(row->n, sizeof *line);
    for (size_t i = 0; i < row->n; i++) {
        line_path_add(&line[i], 0, row->y[i]);
        line_path_add(&line[i], WIDE / 2.0, row->end_y[i]);
        line_path_add(&line[i], WIDE, row->end_y[i]);
        line[i].characters = row->characters;
    }
    return line;
}

/* The height of a line at x; at the step it has both, and what is between. */
static bool line_is_in(const struct level_row *row, size_t i, double left, double right, double low, double high)
{
    double y = row->y[i], end = row->end_y[i];
    bool before = left < WIDE / 2.0 && y > low && y < high, after = right > WIDE / 2.0 && end > low && end < high;
    bool step = left < WIDE / 2.0 && right > WIDE / 2.0 && fmax(y, end) > low && fmin(y, end) < high;
    return before || after || step;
}

static double left_of(const struct line_label *l, double wide)
{
    return l->side > 0 ? l->x : l->side < 0 ? l->x - wide : l->x - wide / 2;
}

static void names_have_room(void **state)
{
    const struct level_row *row = *state;
    struct line_path *line = lines_of(row);
    struct line_label label[LINES_MOST];
    double wide = 7.0 * (double)row->characters;
    assert_int_equal(labels_fit(line, row->n, frame, label), row->fit);
    for (size_t i = 0; row->fit && i < row->n; i++) {
        double left = left_of(&label[i], wide), low = label[i].y - 7, high = label[i].y + 7;
        assert_true(left >= 0 && left + wide <= WIDE && low >= 0 && high <= HIGH);
        for (size_t k = 0; k < row->n; k++) {
            double pad = k == i ? 3.9 : 5.9;
            assert_false(line_is_in(row, k, left - pad, left + wide + pad, low - pad, high + pad));
            if (k < i)
                assert_true(fabs(label[k].y - label[i].y) >= 20 || fabs(left_of(&label[k], wide) - left) >= wide + 6);
        }
        assert_true(line_is_in(row, i, left - 5.1, left + wide + 5.1, low - 5.1, high + 5.1));
    }
    line_paths_free(line, row->n);
}

/* A legend of 10 characters and two names: 60 + 70 pixels wide, 3 x 17 = 51 high, in the lower right corner. */
static void a_legend_may_cover(void **state)
{
    (void)state;
    static const struct { double y, end_y; bool covered; } want[] = { { 30, 60, false }, { 60, 50, true }, { 100, 52, false }, { 20, 20, true } };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct level_row row = { "", 2, 10, { want[i].y, 199 }, { want[i].end_y, 199 }, true };
        struct line_path *line = lines_of(&row);
        line[0].at[1].x = WIDE - 131;     /* the step is left of it */
        assert_int_equal(legend_covers(line, 2, frame, 10), want[i].covered);
        line_paths_free(line, 2);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, names_have_room, rows);
    ADD_TEST(tests, n, a_legend_may_cover);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
