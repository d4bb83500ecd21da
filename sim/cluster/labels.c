/* labels.c - see labels.h. The texts are short and evaluated once per shape and kind of node, so
 * they stay texts. */
#include "sim/cluster/labels.h"

#include <stdlib.h>
#include <string.h>

struct span { const char *at; size_t n; };

static struct span span_of(const char *text)
{
    return (struct span){ text, strlen(text) };
}

static bool same(struct span a, struct span b)
{
    return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

/* Takes the part before the next `mark`, or all; false: the text is empty. */
static bool take(struct span *rest, char mark, struct span *part)
{
    if (!rest->at)
        return false;
    const char *end = memchr(rest->at, mark, rest->n);
    *part = (struct span){ rest->at, end ? (size_t)(end - rest->at) : rest->n };
    *rest = end ? (struct span){ end + 1, rest->n - part->n - 1 } : (struct span){ NULL, 0 };
    return true;
}

/* Splits at the first `mark`; false: there is none, and *before is all. */
static bool split(struct span all, char mark, struct span *before, struct span *after)
{
    const char *at = all.n ? memchr(all.at, mark, all.n) : NULL;
    *before = at ? (struct span){ all.at, (size_t)(at - all.at) } : all;
    *after = at ? (struct span){ at + 1, all.n - before->n - 1 } : (struct span){ "", 0 };
    return at != NULL;
}

static struct span items_of(const char *text)
{
    return *text ? span_of(text) : (struct span){ NULL, 0 };
}

static bool is_name(struct span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (strchr("=!<>&|;:*, \t", s.at[i]))
            return false;
    return s.n > 0;
}

/* ---- Labels ---- */

static bool label_find(const char *labels, struct span key, struct span *value)
{
    struct span rest = items_of(labels), item, name;
    while (take(&rest, ';', &item)) {
        split(item, '=', &name, value);
        if (same(name, key))
            return true;
    }
    return false;
}

bool labels_have(const char *labels, const char *key)
{
    struct span value;
    return label_find(labels, span_of(key), &value);
}

bool labels_agree(const char *a, const char *b, const char *key)
{
    struct span x, y;
    return label_find(a, span_of(key), &x) && label_find(b, span_of(key), &y) && same(x, y);
}

const char *labels_wrong(const char *text)
{
    struct span rest = items_of(text), item, key, value;
    while (take(&rest, ';', &item))
        if (!split(item, '=', &key, &value) || !is_name(key) || !is_name(value))
            return "key=value with ';' between";
    return NULL;
}

const char *selector_wrong(const char *text)
{
    return labels_wrong(text);
}

bool selector_holds(const char *selector, const char *labels)
{
    struct span rest = items_of(selector), item, key, want, value;
    while (take(&rest, ';', &item)) {
        split(item, '=', &key, &want);
        if (!label_find(labels, key, &value) || !same(value, want))
            return false;
    }
    return true;
}

/* ---- Affinity ---- */

enum operator { IS_ONE_OF, IS_NONE_OF, EXISTS, IS_ABSENT, IS_MORE, IS_LESS };
struct need { enum operator op; struct span key, values; };

static bool number(struct span s, long long *n)
{
    char text[19], *end;         /* no more digits than fit */
    if (!s.n || s.n >= sizeof text)
        return false;
    memcpy(text, s.at, s.n);
    text[s.n] = '\0';
    *n = strtoll(text, &end, 10);
    return !*end && text[0] != '+';
}

static bool all_names(struct span values)
{
    for (struct span one; take(&values, '|', &one);)
        if (!is_name(one))
            return false;
    return true;
}

static bool need_read(struct span text, struct need *to)
{
    long long ignored;
    if (text.n && text.at[0] == '!') {
        *to = (struct need){ .op = IS_ABSENT, .key = { text.at + 1, text.n - 1 } };
        return is_name(to->key);
    }
    if (split(text, '>', &to->key, &to->values) || split(text, '<', &to->key, &to->values)) {
        to->op = text.at[to->key.n] == '>' ? IS_MORE : IS_LESS;
        return is_name(to->key) && number(to->values, &ignored);
    }
    to->op = EXISTS;
    if (!split(text, '=', &to->key, &to->values))
        return is_name(to->key);
    bool none = to->key.n && to->key.at[to->key.n - 1] == '!';
    to->op = none ? IS_NONE_OF : IS_ONE_OF;
    to->key.n -= none;
    return is_name(to->key) && all_names(to->values);
}

static bool need_holds(const struct need *need, const char *labels)
{
    struct span value, values = need->values, one;
    long long has, bound;
    bool found = label_find(labels, need->key, &value), among = false;
    switch (need->op) {
    case EXISTS:
        return found;
    case IS_ABSENT:
        return !found;
    case IS_MORE: case IS_LESS:
        if (!found || !number(value, &has) || !number(values, &bound))
            return false;
        return need->op == IS_MORE ? has > bound : has < bound;
    case IS_ONE_OF: case IS_NONE_OF:
        while (found && take(&values, '|', &one))
            among |= same(one, value);
        return among == (need->op == IS_ONE_OF);
    }
    return false;
}

/* A term's weight, 0 if it is required; what follows is in *needs. false: no such weight. */
static bool weight_read(struct span term, long long *weight, struct span *needs)
{
    struct span before;
    *weight = 0;
    if (!split(term, ':', &before, needs)) {
        *needs = term;
        return true;
    }
    return number(before, weight) && *weight >= 1 && *weight <= 100;
}

const char *affinity_wrong(const char *text)
{
    struct span rest = items_of(text), term, needs, one;
    long long weight;
    struct need need;
    while (take(&rest, ';', &term)) {
        if (!weight_read(term, &weight, &needs))
            return "a weight from 1 to 100 before ':'";
        while (take(&needs, '&', &one))
            if (!need_read(one, &need))
                return "key=a|b, key!=a|b, key, !key, key>N or key<N, with '&' and ';' between";
    }
    return NULL;
}

static bool needs_hold(struct span needs, const char *labels)
{
    struct need need;
    for (struct span one; take(&needs, '&', &one);)
        if (!need_read(one, &need) || !need_holds(&need, labels))
            return false;
    return true;
}

bool affinity_holds(const char *affinity, const char *labels)
{
    struct span rest = items_of(affinity), term, needs;
    long long weight;
    bool required = false;
    while (take(&rest, ';', &term)) {
        if (!weight_read(term, &weight, &needs) || weight)
            continue;
        required = true;
        if (needs_hold(needs, labels))
            return true;
    }
    return !required;
}

int64_t affinity_weight(const char *affinity, const char *labels)
{
    struct span rest = items_of(affinity), term, needs;
    long long weight;
    int64_t sum = 0;
    while (take(&rest, ';', &term))
        if (weight_read(term, &weight, &needs) && weight && needs_hold(needs, labels))
            sum += weight;
    return sum;
}

/* ---- Flavors ---- */

static bool known_needs_hold(struct span needs, const char *labels, bool *any)
{
    struct need need;
    struct span value;
    *any = false;
    for (struct span one; take(&needs, '&', &one);) {
        if (!need_read(one, &need) || !label_find(labels, need.key, &value))
            continue;
        *any = true;
        if (!need_holds(&need, labels))
            return false;
    }
    return true;
}

static bool known_affinity_holds(const char *affinity, const char *labels)
{
    struct span rest = items_of(affinity), term, needs;
    long long weight;
    bool none = true, holds = false, any;
    while (take(&rest, ';', &term)) {
        if (!weight_read(term, &weight, &needs) || weight)
            continue;
        none = false;
        holds |= known_needs_hold(needs, labels, &any);
        if (!any)
            return true;
    }
    return none || holds;
}

bool flavor_selected(const char *labels, const char *selector, const char *affinity)
{
    struct span rest = items_of(selector), item, key, want, value;
    while (take(&rest, ';', &item)) {
        split(item, '=', &key, &want);
        if (label_find(labels, key, &value) && !same(value, want))
            return false;
    }
    return known_affinity_holds(affinity, labels);
}

/* ---- Taints ---- */

struct taint { struct span key, value, effect, seconds; bool has_value, has_effect, has_seconds; };

static struct taint taint_read(struct span item)
{
    struct taint t;
    struct span left;
    t.has_effect = split(item, ':', &left, &t.effect);
    t.has_seconds = t.has_effect && split(t.effect, '@', &t.effect, &t.seconds);
    t.has_value = split(left, '=', &t.key, &t.value);
    return t;
}

static bool prefers(struct span effect)
{
    return same(effect, span_of("PreferNoSchedule"));
}

static bool is_effect(struct span effect)
{
    return prefers(effect) || same(effect, span_of("NoSchedule")) ||
           same(effect, span_of("NoExecute"));
}

static bool taint_named(const struct taint *t)
{
    return is_name(t->key) && (!t->has_value || is_name(t->value)) &&
           (!t->has_effect || is_effect(t->effect));
}

/* Whole seconds, up to nine digits; -1: not so. */
static int64_t seconds_of(struct span s)
{
    int64_t x = 0;
    if (s.n < 1 || s.n > 9)
        return -1;
    for (size_t i = 0; i < s.n; i++) {
        if (s.at[i] < '0' || s.at[i] > '9')
            return -1;
        x = 10 * x + (s.at[i] - '0');
    }
    return x;
}

const char *taints_wrong(const char *text)
{
    struct span rest = items_of(text), item;
    while (take(&rest, ';', &item)) {
        struct taint t = taint_read(item);
        if (!t.has_effect || t.has_seconds || !taint_named(&t))
            return "key[=value]:Effect (NoSchedule, PreferNoSchedule or NoExecute)";
    }
    return NULL;
}

const char *tolerations_wrong(const char *text)
{
    struct span rest = items_of(text), item;
    while (strcmp(text, "*") != 0 && take(&rest, ';', &item)) {
        struct taint t = taint_read(item);
        if (!taint_named(&t) || (t.has_seconds && (!same(t.effect, span_of("NoExecute")) ||
                                                   seconds_of(t.seconds) < 0)))
            return "* or key[=value][:Effect] (NoSchedule, PreferNoSchedule, NoExecute or "
                   "NoExecute@SECONDS)";
    }
    return NULL;
}

/* As taint_tolerated_s(). */
static int64_t tolerated_s(const struct taint *taint, const char *tolerations)
{
    struct span rest = items_of(tolerations), item;
    if (strcmp(tolerations, "*") == 0)
        return INT64_MAX;
    while (take(&rest, ';', &item)) {
        struct taint t = taint_read(item);
        if (same(t.key, taint->key) && (!t.has_value || same(t.value, taint->value)) &&
            (!t.has_effect || same(t.effect, taint->effect)))
            return t.has_seconds ? seconds_of(t.seconds) : INT64_MAX;
    }
    return -1;
}

static bool tolerated(const struct taint *taint, const char *tolerations)
{
    return tolerated_s(taint, tolerations) >= 0;
}

int64_t taint_tolerated_s(const char *taint, const char *tolerations)
{
    struct taint t = taint_read(span_of(taint));
    return tolerated_s(&t, tolerations);
}

/* Taints that are not tolerated: PreferNoSchedule ones, or the others. */
static uint32_t untolerated(const char *taints, const char *tolerations, const char *more,
                            bool advice)
{
    struct span rest = items_of(taints), item;
    uint32_t n = 0;
    while (take(&rest, ';', &item)) {
        struct taint t = taint_read(item);
        n += prefers(t.effect) == advice && !tolerated(&t, tolerations) && !tolerated(&t, more);
    }
    return n;
}

bool taints_tolerated(const char *taints, const char *tolerations)
{
    return taints_tolerated_by(taints, tolerations, "");
}

bool taints_tolerated_by(const char *taints, const char *tolerations, const char *more)
{
    return untolerated(taints, tolerations, more, false) == 0;
}

uint32_t taints_avoided(const char *taints, const char *tolerations)
{
    return untolerated(taints, tolerations, "", true);
}
