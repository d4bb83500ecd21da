/* markup.c - see markup.h. */
#include "sim/cli/report/markup.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void html_bytes(struct output *o, const char *text, size_t n)
{
    for (const char *end = text + n; text < end; text++)
        switch (*text) {
        case '&': out_text(o, "&amp;"); break;
        case '<': out_text(o, "&lt;"); break;
        case '>': out_text(o, "&gt;"); break;
        case '"': out_text(o, "&quot;"); break;
        case '\'': out_text(o, "&#39;"); break;
        default:
            if ((unsigned char)*text >= ' ' || *text == '\n')
                out_char(o, *text);
            else
                out_text(o, "\xef\xbf\xbd");    /* U+FFFD */
        }
}

void html_text(struct output *o, const char *text)
{
    html_bytes(o, text, strlen(text));
}

void html_printf(struct output *o, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    out_text(o, text);
}

void json_text(struct output *o, const char *text)
{
    out_char(o, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&')
            html_printf(o, "\\u%04x", c);
        else
            out_char(o, *text);
    }
    out_char(o, '"');
}

void json_number(struct output *o, double value)
{
    if (isfinite(value))
        html_printf(o, "%.5g", fabs(value) < 1e-9 ? 0 : value);
    else
        out_text(o, "null");
}

void json_numbers(struct output *o, const double *value, size_t n)
{
    out_char(o, '[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            out_char(o, ',');
        json_number(o, value[i]);
    }
    out_char(o, ']');
}
