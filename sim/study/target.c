/* target.c - see target.h. */
#include "sim/study/sizing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int take_name(const char *text, size_t length, struct target *to, struct error *err)
{
    const char *at = memchr(text, '@', length);
    size_t name_length = at ? (size_t)(at - text) : length, scope_length = at ? length - name_length - 1 : strlen("all");
    char name[TARGET_NAME_MAX];
    if (name_length >= sizeof name || scope_length >= sizeof to->scope)
        return error_set(err, "this name is too long: '%.60s...'", text);
    memcpy(name, text, name_length);
    name[name_length] = '\0';
    memcpy(to->scope, at ? at + 1 : "all", scope_length);
    to->scope[scope_length] = '\0';
    to->kind = metric_find(name);
    return to->kind ? 0 : error_set(err, "there is no metric '%s', see 'gpuyard list metrics'", name);
}

int target_parse(const char *text, struct target *to, struct error *err)
{
    size_t length = strcspn(text, "<>");
    bool equal = text[length] && text[length + 1] == '=';
    const char *number = text + length + (text[length] ? 1 : 0) + equal;
    char *end;
    *to = (struct target){ .relation = text[length] == '<' ? equal ? RELATION_AT_MOST : RELATION_BELOW
                                       : equal ? RELATION_AT_LEAST : RELATION_ABOVE };
    to->bound = strtod(number, &end);
    if (!text[length] || !length || end == number || *end || !isfinite(to->bound))
        return error_set(err, "want METRIC or METRIC@SCOPE, then <, <=, >= or >, then a number, got '%.100s'", text);
    return take_name(text, length, to, err);
}

static bool holds(const struct target *t, double x)
{
    switch (t->relation) {
    case RELATION_BELOW: return x < t->bound;
    case RELATION_AT_MOST: return x <= t->bound;
    case RELATION_AT_LEAST: return x >= t->bound;
    case RELATION_ABOVE: return x > t->bound;
    }
    return false;
}

struct reached target_reached(const struct target *t, const double *x, size_t n, double confidence)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return (struct reached){ (double)NAN, { (double)NAN, (double)NAN }, false };
    if (n == 1)
        return (struct reached){ x[0], { x[0], x[0] }, holds(t, x[0]) };
    struct paired_t s = paired_t(x, n, 2 * confidence - 1);
    return (struct reached){ s.mean, s.interval, holds(t, t->relation < RELATION_AT_LEAST ? s.interval.high : s.interval.low) };
}
