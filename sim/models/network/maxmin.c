/* maxmin.c - see maxmin.h. */
#include "sim/models/network/maxmin.h"

#include <math.h>
#include <stdbool.h>

#define ALIKE (1 + 1e-12)         /* levels this near are equal: rounding must not separate them */

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double takes(const struct maxmin_flow *f, uint32_t i)
{
    return f->takes ? f->takes[i] : 1;
}

/* Of a link with a flow that still grows. */
static double level_of(const struct maxmin *m, uint32_t link)
{
    double left = m->left[link] > 0 ? m->left[link] : 0;
    return m->rising[link] > 0 ? left / m->rising[link] : INFINITY;
}

/* The level at which the link is full if all flows that still grow do so equally. */
static double narrowest(const struct maxmin *m, const struct maxmin_flow *f)
{
    double level = INFINITY;
    for (uint32_t i = 0; i < f->n_links; i++)
        level = lesser(level, level_of(m, f->link[i]));
    return level;
}

static void fill(const struct maxmin *m, size_t i, size_t *growing, double share)
{
    struct maxmin_flow *f = m->flow[i];
    f->share = share;
    for (uint32_t k = 0; k < f->n_links; k++) {
        m->left[f->link[k]] -= takes(f, k) * share;
        m->rising[f->link[k]] -= takes(f, k);
    }
    m->flow[i] = m->flow[--*growing];
    m->flow[*growing] = f;
}

/* One level up. The first flows of the list grow; filled ones move behind them. */
static void rise(const struct maxmin *m, size_t *growing)
{
    double level = INFINITY;
    for (size_t i = 0; i < *growing; i++)
        level = lesser(level, narrowest(m, m->flow[i]));
    bool contented = false;
    for (size_t i = *growing; i-- > 0;)
        if (m->flow[i]->demand <= level) {
            fill(m, i, growing, m->flow[i]->demand);
            contented = true;
        }
    if (contented)
        return;
    for (size_t i = 0; i < *growing; i++)
        m->flow[i]->share = narrowest(m, m->flow[i]);        /* before any of them is filled */
    for (size_t i = *growing; i-- > 0;)
        if (m->flow[i]->share <= level * ALIKE)
            fill(m, i, growing, level);
}

void maxmin_share(const struct maxmin *m)
{
    size_t growing = m->n_flows;
    for (size_t i = 0; i < m->n_flows; i++)
        for (uint32_t k = 0; k < m->flow[i]->n_links; k++) {
            uint32_t l = m->flow[i]->link[k];
            m->left[l] = m->capacity[l];
            m->rising[l] = 0;
        }
    for (size_t i = 0; i < m->n_flows; i++)
        for (uint32_t k = 0; k < m->flow[i]->n_links; k++)
            m->rising[m->flow[i]->link[k]] += takes(m->flow[i], k);
    while (growing)
        rise(m, &growing);
}
