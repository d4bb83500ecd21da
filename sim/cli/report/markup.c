/* markup.c - see markup.h. */
#include "sim/cli/report/markup.h"

#include "sim/base/utf8.h"
#include "sim/cli/frame/term.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ==== Text and JSON ==== */

void html_bytes(struct output *o, const char *text, size_t n)
{
    for (const char *end = text + n; text < end; text++) {
        size_t length = utf8_character(text, (size_t)(end - text));
        if (length > 1) {
            out_bytes(o, text, length);
            text += length - 1;
            continue;
        }
        switch (*text) {
        case '&': out_text(o, "&amp;"); break;
        case '<': out_text(o, "&lt;"); break;
        case '>': out_text(o, "&gt;"); break;
        case '"': out_text(o, "&quot;"); break;
        case '\'': out_text(o, "&#39;"); break;
        default:
            if (length && ((unsigned char)*text >= ' ' || *text == '\n'))
                out_char(o, *text);
            else
                out_text(o, "\xef\xbf\xbd");    /* U+FFFD */
        }
    }
}

void html_text(struct output *o, const char *text)
{
    html_bytes(o, text, strlen(text));
}

void json_text(struct output *o, const char *text)
{
    out_char(o, '"');
    for (size_t left = strlen(text), n; left; text += n, left -= n) {
        unsigned char c = (unsigned char)*text;
        n = utf8_character(text, left);
        if (n != 1)
            out_bytes(o, n ? text : "?", n ? n : 1);
        n = n ? n : 1;
        if (n > 1 || c >= 0x80)
            continue;
        if (c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&')
            out_printf(o, "\\u%04x", c);
        else
            out_char(o, *text);
    }
    out_char(o, '"');
}

enum { NUMBER_MAX = 32, REPEATED = 4 };
static const char *number_text(char to[NUMBER_MAX], double value)
{
    if (isfinite(value))
        snprintf(to, NUMBER_MAX, "%.5g", fabs(value) < 1e-9 ? 0 : value);
    else
        snprintf(to, NUMBER_MAX, "null");
    return to;
}

void json_numbers(struct output *o, const double *value, size_t n)
{
    char text[NUMBER_MAX], next[NUMBER_MAX];
    out_char(o, '[');
    for (size_t i = 0, times; i < n; i += times) {
        number_text(text, value[i]);
        for (times = 1; i + times < n && !strcmp(text, number_text(next, value[i + times]));)
            times++;
        if (times < REPEATED) {
            times = 1;
            out_printf(o, "%s%s", i ? "," : "", text);
        } else {
            out_printf(o, "%s[%zu,%s]", i ? "," : "", times, text);
        }
    }
    out_char(o, ']');
}

/* ==== Values and tables ==== */

bool metric_is_share(const char *metric)
{
    static const char *const begins[] = { "util_",
                                          "slo_",
                                          "goodput",
                                          "quota_satisfaction",
                                          "waited_share",
                                          "session_slo_",
                                          "session_active_share",
                                          "replica_duty",
                                          "finish_time_fairness_kept" };
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (!strncmp(metric, begins[i], strlen(begins[i])))
            return true;
    return false;
}

/* 1234567.8 -> "1,234,568" */
static void with_commas(char to[VALUE_MAX], double value)
{
    char digits[VALUE_MAX / 2];
    size_t n = (size_t)snprintf(digits, sizeof digits, "%.0f", value), out = 0;
    for (size_t i = 0; i < n && i < sizeof digits - 1; i++) {
        to[out++] = digits[i];
        if ((n - i) % 3 == 1 && i + 1 < n && digits[i] != '-')
            to[out++] = ',';
    }
    to[out] = '\0';
}

const char *value_text(char to[VALUE_MAX], const char *metric, const char *unit, double value)
{
    char time[HUMAN_MAX];
    if (isnan(value))
        snprintf(to, VALUE_MAX, "-");
    else if (!strcmp(unit, "s") && fabs(value) < 0.9995 && value != 0)
        snprintf(to, VALUE_MAX, "%.3g ms", 1000 * value);
    else if (!strcmp(unit, "s"))
        snprintf(to, VALUE_MAX, "%s", human_time(time, value));
    else if (!*unit && metric_is_share(metric))
        snprintf(to, VALUE_MAX, value > 0.99 && value < 0.99995 ? "%.2f %%" : "%.1f %%",
                 100 * value);
    else if (fabs(value) >= 999.95 && fabs(value) < 1e15)
        with_commas(to, value);
    else
        snprintf(to, VALUE_MAX, "%.4g", value);
    return to;
}

static void table_open(struct output *o, const char *caption, const char *class)
{
    out_text(o, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"");
    html_text(o, caption);
    out_printf(o, "\"><table%s>\n<caption>", class);
    html_text(o, caption);
    out_text(o, "</caption>\n");
}

void table_begin(struct output *o, const char *caption)
{
    table_open(o, caption, "");
}

void table_begin_sortable(struct output *o, const char *caption)
{
    table_open(o, caption, " class=\"sortable\"");
}

void table_end(struct output *o)
{
    out_text(o, "</tbody></table></div>\n");
}
