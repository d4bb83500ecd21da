/* reservations.c - see reservations.h. */
#include "sim/slurm/reservations.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/slurm/hostlist.h"

#include <stdlib.h>
#include <string.h>

#define TIME_WANT "seconds of the epoch or a time like 2026-01-05T10:00:00"
enum { HOUR_S = 3600, DAY_S = 86400, WEEK_S = 604800, EPOCH_DIGITS = 10 };

struct reading {
    struct slurm_reservations *to;
    struct slurm_site *site;
    struct slurm_reservation *now;
    struct slurm_clock clock;
    struct error *err;
};

static int take_time(struct reading *r, const struct conf_pair *p, int64_t *to)
{
    size_t n = strlen(p->value), digits = strspn(p->value, "0123456789");
    char text[32];
    int64_t ns;
    if (n && digits == n && n <= EPOCH_DIGITS) {
        *to = strtoll(p->value, NULL, 10);
        return 0;
    }
    if (n != strlen("2026-01-05T10:00:00") || p->value[10] != 'T')
        return conf_error(p, TIME_WANT, r->err);
    memcpy(text, p->value, n + 1);
    text[10] = ' ';
    if (!r->clock.parse(text, n, &ns) || ns / NS_PER_S < r->clock.zone_s)
        return conf_error(p, TIME_WANT, r->err);
    *to = ns / NS_PER_S - r->clock.zone_s;
    r->to->local_times = true;
    return 0;
}

static void take_flag(struct reading *r, const char *flag, size_t length)
{
    static const struct { const char *word; int64_t every_s; bool keeps; } flags[] = {
        { "DAILY", DAY_S, false }, { "WEEKLY", WEEK_S, false },  { "HOURLY", HOUR_S, false },
        { "IGNORE_JOBS", 0, true }, { "MAINT", 0, false },       { "OVERLAP", 0, false },
        { "SPEC_NODES", 0, false }, { "ALL_NODES", 0, false },   { "MAGNETIC", 0, false },
        { "FLEX", 0, false },
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strlen(flags[i].word) == length && !strncmp(flags[i].word, flag, length)) {
            r->now->every_s = flags[i].every_s ? flags[i].every_s : r->now->every_s;
            r->now->keeps |= flags[i].keeps;
            return;
        }
    site_remark(r->site, "left out: flag %.*s of reservations", (int)(length < 40 ? length : 40),
                flag);
}

static int take_node(void *self, const char *name, size_t length)
{
    struct reading *r = self;
    uint32_t n = intern_find(r->site->names, name, length);
    if (n == INTERN_NONE) {
        site_remark(r->site, "left out: nodes of reservations that the site does not have");
        return 0;
    }
    mem_grow(&r->now->node, &r->now->capacity, r->now->n_nodes, sizeof *r->now->node);
    r->now->node[r->now->n_nodes++] = n;
    return 0;
}

/* A list of names that may use it, without those that may not ("-ann"). */
static const char *names_of(struct reading *r, const struct conf_pair *p)
{
    if (conf_is_nothing(p->value))
        return "";
    if (*p->value != '-')
        return arena_text(r->to->memory, p->value, strlen(p->value));
    site_remark(r->site, "left out: %.20s of reservations that may not use them", p->key);
    return "";
}

static int take_pair(struct reading *r, const struct conf_pair *p)
{
    static const char *const unread[] = { "Groups", "Licenses", "BurstBuffer", "Features" };
    if (conf_is(p, "ReservationName"))
        r->now->name = arena_text(r->to->memory, p->value, strlen(p->value));
    else if (conf_is(p, "StartTime"))
        return take_time(r, p, &r->now->start_s);
    else if (conf_is(p, "EndTime"))
        return take_time(r, p, &r->now->end_s);
    else if (conf_is(p, "Users"))
        r->now->users = names_of(r, p);
    else if (conf_is(p, "Accounts"))
        r->now->accounts = names_of(r, p);
    else if (conf_is(p, "Flags"))
        for (const char *at = p->value; *at; at += strspn(at, ",")) {
            take_flag(r, at, strcspn(at, ","));
            at += strcspn(at, ",");
        }
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (conf_is(p, unread[i]) && !conf_is_nothing(p->value))
            site_remark(r->site, "left out: %s of reservations", unread[i]);
    if (!conf_is(p, "Nodes") || conf_is_nothing(p->value))
        return 0;
    int stopped = 0;
    const char *want = hostlist_each(p->value, strlen(p->value), take_node, r, &stopped);
    return want ? conf_error(p, want, r->err) : stopped;
}

static int take_record(struct reading *r, const struct conf *c, const struct conf_record *record)
{
    const struct conf_pair *name = &c->pair[record->first];
    struct slurm_reservations *to = r->to;
    mem_grow(&to->at, &to->capacity, to->n, sizeof *to->at);
    r->now = &to->at[to->n++];
    *r->now = (struct slurm_reservation){ .name = "", .users = "", .accounts = "", .start_s = -1,
                                          .end_s = -1 };
    for (size_t i = 0; i < record->n; i++)
        if (take_pair(r, &c->pair[record->first + i]))
            return -1;
    for (size_t i = 0; i + 1 < to->n; i++)
        if (strcmp(to->at[i].name, r->now->name) == 0)
            return conf_error(name, "a reservation that is not there yet", r->err);
    if (!*r->now->name || r->now->start_s < 0 || r->now->end_s <= r->now->start_s)
        return conf_error(name, "a reservation with a StartTime and an EndTime after it", r->err);
    if (r->now->every_s && r->now->end_s - r->now->start_s >= r->now->every_s)
        return conf_error(name, "a reservation that ends before it comes again", r->err);
    if (!r->now->n_nodes)
        site_remark(r->site, "left out: reservations without nodes of the site");
    to->n -= !r->now->n_nodes;
    return 0;
}

int slurm_reservations_read(struct slurm_reservations *to, struct slurm_site *site,
                            struct slurm_clock clock, const char *path, struct error *err)
{
    struct conf c = { 0 };
    struct reading r = { .to = to, .site = site, .clock = clock, .err = err };
    to->memory = to->memory ? to->memory : arena_new();
    int result = conf_read(&c, path, CONF_SHOWN, err);
    for (size_t i = 0; result == 0 && i < c.n_records; i++)
        if (c.record[i].n && conf_is(&c.pair[c.record[i].first], "ReservationName"))
            result = take_record(&r, &c, &c.record[i]);
    conf_free(&c);
    return result;
}

void slurm_reservations_free(struct slurm_reservations *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->at[i].node);
    free(r->at);
    if (r->memory)
        arena_free(r->memory);
}
