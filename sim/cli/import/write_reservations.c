/* write_reservations.c - reservations of a site as the section of a cluster file, with times as
 * from the end of the log: see import.h. */
#include "sim/base/memory.h"
#include "sim/cli/import/import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Positions in each group of the cluster file. */
static void put_nodes(const struct import *im, struct output *o, const struct slurm_reservation *r)
{
    bool *in = mem_new(im->n_present + (size_t)1, sizeof *in), first = true;
    for (size_t i = 0; i < r->n_nodes; i++)
        if (im->number[r->node[i]] != SITE_NONE)
            in[im->number[r->node[i]]] = true;
    out_text(o, ", nodes: {");
    for (uint32_t g = 0, end; g < im->n_present; g = end) {
        bool any = false;
        end = import_group_end(im, g);
        for (uint32_t n = g; n < end; n++) {
            if (!in[n])
                continue;
            if (any) {
                out_printf(o, ",%" PRIu32, n - g);
                continue;
            }
            out_text(o, first ? " " : ", ");
            import_group_name(im, o, g, end);
            out_printf(o, ": \"%" PRIu32, n - g);
            any = true;
            first = false;
        }
        out_text(o, any ? "\"" : "");
    }
    out_text(o, " }");
    free(in);
}

typedef bool name_is_known(const struct import *im, const char *name);

static bool any_name(const struct import *im, const char *name)
{
    (void)im;
    (void)name;
    return true;
}

static void put_names(struct import *im, struct output *o, const char *key, const char *list,
                      name_is_known *known)
{
    bool any = false;
    for (const char *name; (name = import_next_name(im, &list));) {
        if (!known(im, name)) {
            site_remark(im->site, "left out: account %.60s of a reservation, which has no jobs",
                        name);
            continue;
        }
        out_printf(o, any ? ", " : ", %s: [ ", key);
        any = true;
        out_quoted(o, name);
    }
    out_text(o, any ? " ]" : "");
}

static void put_one(struct import *im, struct output *o, const struct slurm_reservation *r)
{
    int64_t now_s = im->log->latest_s, start_s = r->start_s - now_s;
    bool accounts = !im->plain && im->accounts.n_assocs;
    out_text(o, "  - { name: ");
    out_quoted(o, r->name);
    put_nodes(im, o, r);
    out_printf(o, ", from_s: %" PRId64 ", until_s: %" PRId64, start_s > 0 ? start_s : 0,
               r->end_s - now_s);
    if (r->every_s)
        out_printf(o, ", every_s: %" PRId64, r->every_s);
    out_text(o, r->keeps ? ", running: keep" : "");
    put_names(im, o, "users", r->users, any_name);
    put_names(im, o, accounts ? "accounts" : "queues", r->accounts,
              accounts ? import_has_account : import_has_queue);
    out_text(o, " }\n");
    if (*r->users && *r->accounts)
        site_remark(im->site, "guessed: of reservations with users and accounts one is enough");
}

uint32_t import_reservations(struct import *im, struct output *o)
{
    uint32_t n = 0;
    for (size_t i = 0; i < im->reservations.n; i++) {
        struct slurm_reservation *r = &im->reservations.at[i];
        bool here = false;
        if (r->every_s && r->end_s <= im->log->latest_s) {
            int64_t later_s = (im->log->latest_s - r->end_s) / r->every_s * r->every_s + r->every_s;
            r->start_s += later_s;
            r->end_s += later_s;
        }
        for (size_t k = 0; k < r->n_nodes; k++)
            here |= im->number[r->node[k]] != SITE_NONE;
        if (r->end_s <= im->log->latest_s || !here || strpbrk(r->name, "=!<>&|;:*, ")) {
            site_remark(im->site, "left out: reservations that are over, have no node that is up, "
                                  "or a name that is no label");
            continue;
        }
        out_text(o, n++ ? "" : "reservations:\n");
        put_one(im, o, r);
    }
    return n;
}
