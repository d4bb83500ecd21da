/* place.c - see place.h. */
#include "sim/cli/plot/names/place.h"

#include <math.h>

struct box { double left, right, y; };

static struct box box_of(const struct spot *s, int side)
{
    double near = s->x + side * BESIDE_PX, far = near + side * CHARACTER_PX * (double)s->characters;
    return (struct box){ fmin(near, far), fmax(near, far), s->y };
}

static bool overlap(struct box a, struct box b)
{
    return a.left < b.right && b.left < a.right && fabs(a.y - b.y) < LINE_PX;
}

static bool fits(const struct spot *spot, size_t n, double wide, const int *side, size_t i)
{
    struct box own = box_of(&spot[i], side[i]);
    if (own.left < 0 || own.right > wide)
        return false;
    for (size_t k = 0; k < n; k++) {
        struct box mark = { spot[k].x - MARK_PX, spot[k].x + MARK_PX, spot[k].y };
        if ((k < i && overlap(own, box_of(&spot[k], side[k]))) || (k != i && overlap(own, mark)))
            return false;
    }
    return true;
}

bool names_beside(const struct spot *spot, size_t n, double wide, int *side)
{
    for (size_t i = 0; i < n; i++) {
        side[i] = 1;
        if (fits(spot, n, wide, side, i))
            continue;
        side[i] = -1;
        if (!fits(spot, n, wide, side, i))
            return false;
    }
    return true;
}

bool names_apart(const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (fabs(y[i] - y[k]) < LINE_PX)
                return false;
    return true;
}
