/* paragraph.c - see paragraph.h. */
#include "sim/cli/explain/paragraph.h"
#include "sim/cli/frame/term.h"
#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_WIDTH_MAX = 40 };

double story_number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

const char *story_text(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

FILE *paragraph_begin(struct paragraph *p)
{
    return p->to = mem_stream(&p->text, &p->length);
}

void paragraph_end(struct paragraph *p, const char *label, size_t indent)
{
    mem_stream_end(p->to, &p->text);
    if (p->length)
        text_wrap(stdout, p->text, *label ? (size_t)printf("  %s", label) : 0, indent,
                  term_width(STDOUT_FILENO));
    free(p->text);
}

void write_name(FILE *to, const char *name)
{
    text_put(to, *name ? name : "(no name)", NAME_WIDTH_MAX);
}

void write_duration(FILE *to, double s)
{
    char text[HUMAN_MAX];
    fputs(human_time(text, s), to);
}

const char *instant_text(char to[INSTANT_MAX], const json_t *story, double s)
{
    double origin_s = story_number(story, "origin_unix_s");
    struct tm date;
    if (isnan(s))
        return strcpy(to, "-");
    if (!isnan(origin_s)) {
        time_t at = (time_t)floor(origin_s + s + .5);
        strftime(to, INSTANT_MAX, "%Y-%m-%d %H:%M:%S", gmtime_r(&at, &date));
        return to;
    }
    size_t n = (size_t)snprintf(to, INSTANT_MAX, "%.6f", s);
    while (to[n - 1] == '0')
        n--;
    n -= to[n - 1] == '.';
    strcpy(to + n, " s");
    return to;
}

const char *gpu_hours_text(char to[HOURS_MAX], double h)
{
    snprintf(to, HOURS_MAX, h < 10 ? "%.3g GPU h" : "%.1f GPU h", h);
    return to;
}

void write_gpus(FILE *to, double gpus)
{
    fprintf(to, "%.*f GPU%s", gpus == floor(gpus) ? 0 : 2, gpus, plural_ending(gpus));
}

void print_waits(const json_t *story, size_t indent)
{
    const json_t *list = json_object_get(story, "waits");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *part = json_array_get(list, i);
        struct paragraph p;
        FILE *to = paragraph_begin(&p);
        write_duration(to, story_number(part, "s"));
        fprintf(to, ": %s", story_text(part, "because"));
        paragraph_end(&p, "", indent);
    }
}

void print_missing(const json_t *story)
{
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    const json_t *list = json_object_get(story, "missing");
    for (size_t i = 0; i < json_array_size(list); i++)
        fprintf(to, "%s%s", i ? ", " : "without ", json_string_value(json_array_get(list, i)));
    paragraph_end(&p, "", 2);
}
