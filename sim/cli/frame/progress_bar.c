/* progress_bar.c - see progress_bar.h. */
#include "sim/cli/frame/progress_bar.h"

#include "sim/cli/frame/term.h"
#include "sim/engine/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EVERY_NS (NS_PER_S / 4)
#define FIRST_NS (NS_PER_S / 2)
enum { BAR_MIN = 10, BAR_MAX = 30, PARTS = 5 };

static const char *rate_text(char to[HUMAN_MAX], double rate, const char *what)
{
    const char *unit = rate >= 1e6 ? "M" : rate >= 1e4 ? "k" : "";
    double value = rate / (*unit == 'M' ? 1e6 : *unit ? 1e3 : 1);
    snprintf(to, HUMAN_MAX, "%.*f%s %s/s", value < 10 ? 1 : 0, value, unit, what);
    return to;
}

static size_t put_bar(char *to, size_t size, double share, size_t columns, bool colour)
{
    char bar[BAR_MAX + 1];
    size_t inside = columns - 2, full = (size_t)(share * (double)inside);
    for (size_t i = 0; i < inside; i++)
        bar[i] = i < full ? '=' : i == full ? '>' : ' ';
    bar[inside] = '\0';
    return (size_t)snprintf(to, size, colour ? "[\033[32m%s\033[0m] " : "[%s] ", bar);
}

const char *progress_bar_line(char to[PROGRESS_MAX], struct progress_facts f, unsigned width,
                              bool colour)
{
    char time[HUMAN_MAX], left[HUMAN_MAX], rate[HUMAN_MAX], part[PARTS][64];
    double share = f.all ? (double)f.done / (double)f.all : 0,
           speed = f.elapsed_s > 0 ? (double)f.done / f.elapsed_s : 0;
    double left_s = f.done ? (double)(f.all - f.done) / speed : (double)NAN;
    snprintf(part[0], sizeof part[0], "%3.0f%%", floor(100 * share));
    const char *what = f.what ? f.what : "jobs";
    snprintf(part[1], sizeof part[1], "  %llu/%llu %s", (unsigned long long)f.done,
             (unsigned long long)f.all, what);
    snprintf(part[2], sizeof part[2], "  %s left",
             human_time(left, f.done ? ceil(left_s) : left_s));
    snprintf(part[3], sizeof part[3], "%s%s", f.now_ns < 0 ? "" : "  at ",
             f.now_ns < 0 ? "" : human_time(time, seconds(f.now_ns)));
    snprintf(part[4], sizeof part[4], "  %s", rate_text(rate, speed, what));
    /* from left to right: the remaining time is last */
    static const unsigned char shown[PARTS] = { 0, 1, 3, 4, 2 };
    size_t room = width ? width - 1 : 0, used = strlen(part[0]), n = 0;
    bool fits[PARTS] = { used <= room };
    for (unsigned i = 1; i < PARTS && fits[i - 1]; i++) {
        fits[i] = used + strlen(part[i]) <= room;
        used += fits[i] ? strlen(part[i]) : 0;
    }
    to[0] = '\0';
    size_t bar = fits[PARTS - 1] && room > used + 1 ? room - used - 1 : 0;
    if (bar >= BAR_MIN)
        n = put_bar(to, PROGRESS_MAX, share, bar < BAR_MAX ? bar : BAR_MAX, colour);
    for (unsigned i = 0; i < PARTS; i++)
        if (fits[shown[i]])
            n += (size_t)snprintf(to + n, PROGRESS_MAX - n, "%s", part[shown[i]]);
    return to;
}

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

void progress_bar_begin(struct progress_bar *p, uint64_t jobs, bool quiet)
{
    *p = (struct progress_bar){ .all = jobs, .on = !quiet && term_moves(STDERR_FILENO), .colour = term_colour(STDERR_FILENO) };
    p->began_ns = clock_ns();
    p->drawn_ns = p->began_ns + FIRST_NS - EVERY_NS;
}

static bool is_time(const struct progress_bar *p, int64_t *now_ns)
{
    *now_ns = p->on ? clock_ns() : 0;
    return p->on && *now_ns - p->drawn_ns >= EVERY_NS;
}

static void draw(struct progress_bar *p, struct progress_facts facts, int64_t now_ns)
{
    char line[PROGRESS_MAX];
    facts.all = p->all;
    facts.elapsed_s = seconds(now_ns - p->began_ns);
    fprintf(stderr, "\r%s\033[K",
            progress_bar_line(line, facts, term_width(STDERR_FILENO), p->colour));
    fflush(stderr);
    p->visible = true;
    p->drawn_ns = now_ns;
}

void progress_bar_show(void *self, const struct sched *s)
{
    struct progress_bar *p = self;
    int64_t now_ns;
    if (!is_time(p, &now_ns))
        return;
    struct run_level level = run_level(s);
    draw(p, (struct progress_facts){ .now_ns = level.now_ns, .done = level.done }, now_ns);
}

void progress_bar_count(struct progress_bar *p, uint64_t done, const char *what)
{
    int64_t now_ns;
    if (is_time(p, &now_ns))
        draw(p, (struct progress_facts){ .now_ns = -1, .done = done, .what = what }, now_ns);
}

void progress_bar_end(struct progress_bar *p)
{
    if (p->visible)
        fputs("\r\033[K", stderr);
    p->visible = p->on = false;
}
