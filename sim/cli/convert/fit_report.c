/* fit_report.c - see fit_report.h. */
#include "sim/cli/convert/fit_report.h"
#include "sim/cli/frame/term.h"

#include "traces/native/native.h"

#include <math.h>

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *of_class(const struct fit_class *c)
{
    json_t *o = json_object(), *laws = json_array();
    json_object_set_new(o, "class", json_string(native_classes[c->class]));
    json_object_set_new(o, "jobs", json_integer(c->n_jobs));
    json_object_set_new(o, "mean_s", number(c->mean_s));
    json_object_set_new(o, "median_s", number(c->median_s));
    for (int k = 0; k < FIT_CANDIDATES; k++) {
        const struct fit_law *l = &c->law[k];
        json_t *law = json_object();
        if (l->there) {
            json_object_set_new(law, "law", json_string(fit_law_words[k]));
            json_object_set_new(law, "ks_distance", number(l->distance));
            json_object_set_new(law, "mean_s", number(l->mean_s));
            json_object_set_new(law, "median_s", number(l->median_s));
            json_object_set_new(law, "chosen", json_boolean(k == c->chosen));
            json_array_append(laws, law);
        }
        json_decref(law);
    }
    json_object_set_new(o, "laws", laws);
    return o;
}

static json_t *of_side(const struct fit_side *s)
{
    json_t *o = json_object(), *quantiles = json_array();
    json_object_set_new(o, "n", json_integer((json_int_t)s->n));
    json_object_set_new(o, "mean", number(s->mean));
    for (int k = 0; k < FIT_QUANTILES; k++)
        json_array_append_new(quantiles, number(s->quantile[k]));
    json_object_set_new(o, "quantiles", quantiles);
    return o;
}

json_t *fit_report(const struct fit *f, const struct workload *trace, const struct workload *like)
{
    json_t *o = json_object(), *classes = json_array(), *sides = json_array(),
           *quantiles = json_array();
    json_object_set_new(o, "workload", json_string(f->spec->name));
    for (size_t c = 0; c < f->n_classes; c++)
        json_array_append_new(classes, of_class(&f->class[c]));
    for (int k = 0; k < FIT_QUANTILES; k++)
        json_array_append_new(quantiles, number(fit_quantile[k]));
    for (int which = 0; which < FIT_SAMPLES; which++) {
        struct fit_comparison c;
        json_t *one = json_object();
        fit_compare(trace, like, (enum fit_sample)which, &c);
        json_object_set_new(one, "of", json_string(fit_sample_name[which]));
        json_object_set_new(one, "ks_distance", number(c.distance));
        json_object_set_new(one, "trace", of_side(&c.trace));
        json_object_set_new(one, "synthetic", of_side(&c.synthetic));
        json_array_append_new(sides, one);
        fit_comparison_free(&c);
    }
    json_object_set_new(o, "classes", classes);
    json_object_set_new(o, "quantiles", quantiles);
    json_object_set_new(o, "side_by_side", sides);
    return o;
}

/* ---- as text ---- */

static double real_of(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static void class_text(const json_t *c, FILE *to)
{
    size_t i;
    json_t *law;
    fprintf(to, "%s: %lld job%s, run time mean %.6g s, median %.6g s\n",
            json_string_value(json_object_get(c, "class")),
            (long long)json_integer_value(json_object_get(c, "jobs")),
            plural_ending(json_number_value(json_object_get(c, "jobs"))), real_of(c, "mean_s"),
            real_of(c, "median_s"));
    fprintf(to, "  %-18s %9s %12s %12s\n", "law of run times", "KS", "mean s", "median s");
    json_array_foreach(json_object_get(c, "laws"), i, law)
        fprintf(to, "%c %-18s %9.4f %12.6g %12.6g\n",
                json_is_true(json_object_get(law, "chosen")) ? '*' : ' ',
                json_string_value(json_object_get(law, "law")), real_of(law, "ks_distance"),
                real_of(law, "mean_s"), real_of(law, "median_s"));
    fputc('\n', to);
}

static void side_text(const json_t *side, const char *name, FILE *to)
{
    size_t i;
    json_t *q;
    fprintf(to, "  %-10s %9.4g", name, real_of(side, "mean"));
    json_array_foreach(json_object_get(side, "quantiles"), i, q)
        fprintf(to, " %9.4g", json_number_value(q));
    fputc('\n', to);
}

void fit_report_text(const json_t *report, FILE *to)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(report, "classes"), i, one)
        class_text(one, to);
    fprintf(to, "%-12s %9s", "", "mean");
    json_array_foreach(json_object_get(report, "quantiles"), i, one)
        fprintf(to, " %8.4g%%", 100 * json_number_value(one));
    fputc('\n', to);
    json_array_foreach(json_object_get(report, "side_by_side"), i, one) {
        fprintf(to, "%s: KS %.4f\n", json_string_value(json_object_get(one, "of")),
                real_of(one, "ks_distance"));
        side_text(json_object_get(one, "trace"), "trace", to);
        side_text(json_object_get(one, "synthetic"), "synthetic", to);
    }
}
