/* texts.c - see texts.h. */
#include "sim/cli/import/kube/texts.h"

#include "sim/base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *text_kept(struct kube_site *s, const char *text)
{
    return intern_text(s->names, intern_add(s->names, text, strlen(text)));
}

void text_begin(struct kube_text *t)
{
    *t = (struct kube_text){ 0 };
    t->f = mem_stream(&t->text, &t->length);
}

void text_between(struct kube_text *t, char mark)
{
    if (t->any)
        fputc(mark, t->f);
    t->any = true;
}

const char *text_end(struct kube_site *s, struct kube_text *t)
{
    mem_stream_end(t->f, &t->text);
    const char *result = text_kept(s, t->text);
    free(t->text);
    return result;
}

bool kube_is_name(const char *text)
{
    return *text && !strpbrk(text, "=!<>&|;:*@, \t");
}

const char *label_value(const char *text)
{
    return text && *text ? text : KUBE_EMPTY;
}

/* ---- labels, taints, tolerations ---- */

const char *kube_labels(struct kube_site *s, struct kube_reader *r, struct kube_value *map)
{
    struct kube_text t;
    text_begin(&t);
    for (struct kube_value *v = kube_first(map); v; v = kube_next(v)) {
        const char *value = label_value(kube_item_text(r, v));
        if (!kube_is_name(v->key) || !kube_is_name(value)) {
            kube_error(r, v, "want a label, got '%.60s' = '%.60s'", v->key, value);
            break;
        }
        text_between(&t, ';');
        fprintf(t.f, "%s=%s", v->key, value);
    }
    return text_end(s, &t);
}

static const char *const effects[] = { "NoSchedule", "PreferNoSchedule", "NoExecute", NULL };

const char *kube_taints(struct kube_site *s, struct kube_reader *r, struct kube_value *list)
{
    struct kube_text t;
    text_begin(&t);
    for (struct kube_value *v = kube_first(list); v; v = kube_next(v)) {
        const char *key = kube_text(r, v, "key"), *value = kube_text(r, v, "value");
        int effect = 0;
        bool said = kube_word(r, v, "effect", effects, &effect);
        if (r->err->text[0])
            break;
        if (!said || !key || !kube_is_name(key) || (value && *value && !kube_is_name(value))) {
            kube_error(r, v, "want a taint with key and effect");
            break;
        }
        text_between(&t, ';');
        fprintf(t.f, "%s%s%s:%s", key, value && *value ? "=" : "", value ? value : "",
                effects[effect]);
    }
    return text_end(s, &t);
}

#define SECONDS_MOST 999999999 /* sim/cluster/labels.c takes no more */

/* tolerationSeconds, -1: for ever; what is below 0 is 0
 * (kubernetes/kubernetes:pkg/controller/tainteviction/taint_eviction.go, getMinTolerationTime). */
static int64_t toleration_seconds(struct kube_reader *r, struct kube_value *v, int effect)
{
    int64_t seconds = -1;
    if (!kube_integer(r, v, "tolerationSeconds", INT64_MIN, INT64_MAX, &seconds))
        return -1;
    if (effect < 0 || strcmp(effects[effect], "NoExecute") != 0)
        kube_error(r, v, "want tolerationSeconds with effect NoExecute alone");
    return seconds < 0 ? 0 : seconds < SECONDS_MOST ? seconds : SECONDS_MOST;
}

static void put_toleration(struct kube_text *t, const char *key, const char *value, int effect,
                           int64_t seconds)
{
    text_between(t, ';');
    fputs(key, t->f);
    if (value && *value)
        fprintf(t->f, "=%s", value);
    if (effect >= 0)
        fprintf(t->f, ":%s", effects[effect]);
    if (seconds >= 0)
        fprintf(t->f, "@%" PRId64, seconds);
}

const char *kube_tolerations(struct kube_site *s, struct kube_reader *r, struct kube_value *list)
{
    static const char *const operators[] = { "Equal", "Exists", NULL };
    struct kube_text t;
    bool every = false;
    text_begin(&t);
    for (struct kube_value *v = kube_first(list); v; v = kube_next(v)) {
        const char *key = kube_text(r, v, "key"), *value = kube_text(r, v, "value");
        int exists = 0, effect = -1;
        kube_word(r, v, "operator", operators, &exists);
        struct kube_value *e = kube_get(r, v, "effect");
        if (e && !(e->kind == KUBE_SCALAR && !*e->text))
            kube_word(r, v, "effect", effects, &effect);
        int64_t seconds = toleration_seconds(r, v, effect);
        if (r->err->text[0])
            break;
        bool all = !key || !*key;
        if ((all && !exists) || (!all && !kube_is_name(key)) ||
            (value && *value && !kube_is_name(value))) {
            kube_error(r, v, "want a toleration with a key, or with operator Exists");
            break;
        }
        if (all && effect >= 0)
            remark(&s->remarks, "guessed: tolerations of one effect of all taints tolerate all "
                                "effects, and for ever");
        every |= all;
        if (!all)
            put_toleration(&t, key, exists ? NULL : value, effect, seconds);
    }
    const char *some = text_end(s, &t);
    return every ? "*" : some;
}

/* ---- needs ---- */

void text_put_values(struct kube_reader *r, struct kube_text *t, struct kube_value *values)
{
    bool any = false;
    for (struct kube_value *v = kube_first(values); v; v = kube_next(v), any = true) {
        const char *value = label_value(kube_item_text(r, v));
        if (!kube_is_name(value))
            kube_error(r, v, "want the value of a label, got '%.60s'", value);
        fprintf(t->f, "%s%s", any ? "|" : "", value);
    }
}

void text_put_need(struct kube_reader *r, struct kube_text *t, struct kube_value *v)
{
    static const char *const operators[] = { "In", "NotIn", "Exists", "DoesNotExist",
                                             "Gt", "Lt",    NULL };
    const char *key = kube_text(r, v, "key");
    struct kube_value *values = kube_list(r, v, "values");
    int op = -1;
    kube_word(r, v, "operator", operators, &op);
    if (r->err->text[0])
        return;
    bool needs = op == 0 || op == 1 || op == 4 || op == 5;
    if (op < 0 || !key || !kube_is_name(key) || (needs && !kube_first(values))) {
        kube_error(r, v, "want an expression with key, operator and values");
        return;
    }
    fprintf(t->f, "%s%s", op == 3 ? "!" : "", key);
    fputs(op == 0 ? "=" : op == 1 ? "!=" : op == 4 ? ">" : op == 5 ? "<" : "", t->f);
    if (op < 4 && needs) {
        text_put_values(r, t, values);
        return;
    }
    int64_t bound = 0;
    const char *text = needs ? kube_item_text(r, kube_first(values)) : NULL;
    if (needs && (!text || !integer_parse(text, strlen(text), &bound)))
        kube_error(r, values, "want a whole number");
    if (needs)
        fprintf(t->f, "%" PRId64, bound);
}
