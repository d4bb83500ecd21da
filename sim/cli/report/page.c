/* page.c - see page.h: the order of its parts. */
#include "sim/cli/report/page.h"

#include "sim/cli/report/markup.h"

static const char *manifest_text(const struct run_view *v, const char *object, const char *key)
{
    const json_t *in = object ? json_object_get(v->manifest, object) : v->manifest;
    const char *text = json_string_value(json_object_get(in, key));
    return text ? text : "";
}

static void head(struct output *o, const struct page *p)
{
    out_text(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
                "script-src 'unsafe-inline'; img-src data:\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<title>");
    for (size_t i = 0; i < p->n_groups && i < 3; i++) {
        out_text(o, i ? " / " : "");
        html_text(o, p->group[i].label);
    }
    out_text(o, p->n_groups > 3 ? " / ...: gpuyard</title>\n<style>\n"
                                : ": gpuyard</title>\n<style>\n");
    out_text(o, page_css);
    out_text(o, "</style>\n</head>\n<body>\n");
}

static void title(struct output *o, const struct page *p)
{
    out_text(o, "<header>\n<h1>");
    if (p->sweep) {
        out_text(o, "Sweep ");
        html_text(o, p->sweep);
    } else if (p->n_groups == 1) {
        html_text(o, p->group[0].label);
    } else {
        out_printf(o, "%zu policies or settings side by side", p->n_groups);
    }
    out_printf(o, "</h1>\n<p>%zu run%s", p->n_runs, p->n_runs == 1 ? "" : "s");
    if (p->n_views && !p->sweep) {
        out_text(o, " of <b>");
        html_text(o, manifest_text(&p->view[0], "trace", "path"));
        out_text(o, "</b> on <b>");
        html_text(o, manifest_text(&p->view[0], "cluster", "path"));
        out_text(o, "</b>, simulated by gpuyard ");
        html_text(o, manifest_text(&p->view[0], NULL, "version"));
    }
    out_text(o, "</p>\n</header>\n");
}

static void contents(struct output *o, const struct page *p)
{
    const struct { const char *id, *name; bool there; } part[] = {
        { "summary", "Summary", true },
        { "figures", "Figures", p->n_views > 0 || p->sweep },
        { "trust", "Against the record", p->n_trust > 0 },
        { "queues", "Queues and classes", p->n_views > 0 },
        { "waits", "Why jobs waited", p->n_views > 0 },
        { "worst", "Longest waits", p->n_views > 0 },
        { "configuration", "Configuration", p->n_views > 0 },
    };
    out_text(o, "<nav aria-label=\"Contents\">");
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        if (part[i].there)
            out_printf(o, "<a href=\"#%s\">%s</a>", part[i].id, part[i].name);
    out_text(o, "</nav>\n");
}

void page_write(struct output *o, const struct page *p)
{
    head(o, p);
    title(o, p);
    contents(o, p);
    out_text(o, "<main>\n");
    page_warnings(o, p);
    page_comparison(o, p);
    page_figures(o, p);
    if (p->n_trust)
        page_trust(o, p);
    if (p->n_views) {
        page_scopes(o, p);
        page_waits(o, p);
        page_worst(o, p);
        page_configuration(o, p);
    }
    out_text(o, "</main>\n<script>\n");
    out_text(o, page_js);
    out_text(o, "</script>\n</body>\n</html>\n");
}
