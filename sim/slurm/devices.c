/* devices.c - gres.conf and topology.conf, over the nodes of a site: see site.h. */
#include "sim/slurm/site.h"

#include "sim/base/memory.h"
#include "sim/slurm/hostlist.h"

#include <string.h>
#include <strings.h>

/* ---- gres.conf: the type of GPUs that slurm.conf does not say ---- */

struct typing {
    struct slurm_site *s;
    const struct conf_pair *hosts;
    const char *type;
    bool gpu;
    struct error *err;
};

static void set_type(struct typing *t, struct site_node *n)
{
    if (t->gpu && n->gpus && !*n->type)
        n->type = t->type;
}

static int type_node(void *self, const char *name, size_t length)
{
    struct typing *t = self;
    uint32_t n = intern_find(t->s->names, name, length);
    if (n == INTERN_NONE)
        return error_set(t->err, "%s:%zu:%zu: NodeName: want nodes of the site, got '%.60s'",
                         t->hosts->file, t->hosts->line, t->hosts->column, name);
    set_type(t, &t->s->node[n]);
    return 0;
}

static int take_gres_line(struct slurm_site *s, const struct conf *c, const struct conf_record *r,
                          struct error *err)
{
    static const char *const read[] = { "NodeName", "Name", "Type", "File", "Count", NULL };
    const struct conf_pair *hosts = conf_find(c, r, "NodeName"), *name = conf_find(c, r, "Name"),
                           *type = conf_find(c, r, "Type");
    struct typing t = { s, hosts,
                        type ? arena_text(s->memory, type->value, strlen(type->value)) : "",
                        name && strcasecmp(name->value, "gpu") == 0, err };
    int stopped = 0;
    for (size_t i = 0; i < r->n; i++) {
        bool known = false;
        for (size_t k = 0; read[k]; k++)
            known |= conf_is(&c->pair[r->first + i], read[k]);
        if (!known)
            site_remark(s, "left out: key %.40s of gres.conf", c->pair[r->first + i].key);
    }
    if (name && !t.gpu)
        site_remark(s, "left out: Name=%.40s of gres.conf", name->value);
    if (!hosts) {
        for (size_t n = 0; n < s->n_nodes; n++)
            set_type(&t, &s->node[n]);
        return 0;
    }
    const char *want = hostlist_each(hosts->value, strlen(hosts->value), type_node, &t, &stopped);
    return want ? conf_error(hosts, want, err) : stopped;
}

int site_read_gres(struct slurm_site *s, const char *path, struct error *err)
{
    struct conf c = { 0 };
    int result = conf_read(&c, path, CONF_FILE, err);
    for (size_t i = 0; i < c.n_records && result == 0; i++)
        if (c.record[i].n)
            result = take_gres_line(s, &c, &c.record[i], err);
    conf_free(&c);
    return result;
}

/* ---- topology.conf: a tree of switches, leaf switches below ---- */

struct wiring {
    struct slurm_site *s;
    const struct conf_pair *p;
    uint32_t number;
    struct error *err;
};

static int wire_node(void *self, const char *name, size_t length)
{
    struct wiring *w = self;
    uint32_t n = intern_find(w->s->names, name, length);
    if (n == INTERN_NONE)
        return error_set(w->err, "%s:%zu:%zu: Nodes: want nodes of the site, got '%.60s'",
                         w->p->file, w->p->line, w->p->column, name);
    if (w->s->node[n].leaf == SITE_NONE)
        w->s->node[n].leaf = w->number;
    else
        site_remark(w->s, "nodes on several switches are on the first of them");
    return 0;
}

static int wire_switch(void *self, const char *name, size_t length)
{
    struct wiring *w = self;
    uint32_t leaf = intern_find(w->s->switches, name, length),
             above = intern_find(w->s->above, name, length);
    if (leaf == INTERN_NONE && above == INTERN_NONE)
        return error_set(w->err, "%s:%zu:%zu: Switches: want switches of the file, got '%.60s'",
                         w->p->file, w->p->line, w->p->column, name);
    uint32_t *up = leaf != INTERN_NONE ? &w->s->up[leaf] : &w->s->over[above].up;
    if (*up == SITE_NONE)
        *up = w->number;
    else
        site_remark(w->s, "switches below several others are below the first of them");
    return 0;
}

static const struct conf_pair *parts_of(const struct conf *c, const struct conf_record *r,
                                        bool leaves)
{
    return conf_find(c, r, leaves ? "Nodes" : "Switches");
}

static int name_switch(struct slurm_site *s, const struct conf *c, const struct conf_record *r,
                       struct error *err)
{
    const struct conf_pair *name = conf_find(c, r, "SwitchName");
    bool leaf = parts_of(c, r, true);
    if (!name)
        return conf_error(&c->pair[r->first], "a line that begins with SwitchName", err);
    if (!*name->value)
        return conf_error(name, "a value", err);
    size_t length = strlen(name->value);
    if (intern_find(s->switches, name->value, length) != INTERN_NONE ||
        intern_find(s->above, name->value, length) != INTERN_NONE)
        return conf_error(name, "a switch that is not there yet", err);
    if (!leaf && !parts_of(c, r, false))
        return 0;
    uint32_t number = intern_add(leaf ? s->switches : s->above, name->value, length);
    if (leaf) {
        mem_grow(&s->up, &s->up_capacity, number, sizeof *s->up);
        s->up[number] = SITE_NONE;
    } else {
        mem_grow(&s->over, &s->over_capacity, number, sizeof *s->over);
        s->over[number] = (struct site_above){ SITE_NONE, 0 };
    }
    return 0;
}

static int wire(struct slurm_site *s, const struct conf *c, const struct conf_record *r,
                struct error *err)
{
    bool leaf = parts_of(c, r, true);
    const struct conf_pair *p = parts_of(c, r, leaf);
    int stopped = 0;
    if (!p)
        return 0;
    const char *name = conf_find(c, r, "SwitchName")->value;
    struct wiring w = { s, p, intern_find(leaf ? s->switches : s->above, name, strlen(name)), err };
    const char *want =
        hostlist_each(p->value, strlen(p->value), leaf ? wire_node : wire_switch, &w, &stopped);
    return want ? conf_error(p, want, err) : stopped;
}

/* Levels of the switches above leaves. */
static int find_levels(struct slurm_site *s, const char *path, struct error *err)
{
    uint32_t n_above = intern_count(s->above);
    for (uint32_t leaf = 0; leaf < intern_count(s->switches); leaf++) {
        uint32_t level = 1;
        for (uint32_t a = s->up[leaf]; a != SITE_NONE; a = s->over[a].up, level++) {
            if (level > n_above)
                return error_set(err,
                                 "%s: want a tree of switches, got switch '%.60s' above itself",
                                 path, intern_text(s->above, a));
            s->over[a].level = level > s->over[a].level ? level : s->over[a].level;
        }
    }
    return 0;
}

uint32_t site_switch(const struct slurm_site *s, uint32_t leaf, uint32_t level)
{
    uint32_t here = leaf, up = s->up[leaf];
    for (; up != SITE_NONE && s->over[up].level <= level; up = s->over[up].up)
        here = intern_count(s->switches) + up;
    uint32_t own = here == leaf ? 0 : s->over[here - intern_count(s->switches)].level;
    return own < level && up == SITE_NONE ? SITE_NONE : here;
}

int site_read_topology(struct slurm_site *s, const char *path, struct error *err)
{
    struct conf c = { 0 };
    int result = conf_read(&c, path, CONF_FILE, err);
    for (size_t i = 0; i < c.n_records && result == 0; i++)
        result = c.record[i].n ? name_switch(s, &c, &c.record[i], err) : 0;
    for (size_t i = 0; i < c.n_records && result == 0; i++)
        result = c.record[i].n ? wire(s, &c, &c.record[i], err) : 0;
    if (result == 0)
        result = find_levels(s, path, err);
    for (size_t n = 0; n < s->n_nodes && result == 0; n++)
        if (s->node[n].leaf == SITE_NONE)
            site_remark(s, "nodes on no switch are racks of their own");
    conf_free(&c);
    return result;
}
