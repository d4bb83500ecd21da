/* federation.h - several clusters in one run: its members, and the rule that routes each job to one
 * of them.
 *
 *   federation: campus
 *   members:                                   # in order of preference, which breaks ties
 *     - { name: home, cluster: home.yaml }
 *     - { name: cloud, cluster: cloud.yaml, policy: "easy:depth=4" }    # default: that of the run
 *   route: spill                               # queue, least-wait or spill
 *   limit_s: 600                               # of spill: the longest acceptable wait; default 0
 *   first_run_s: 3600                          # a run time as long as no job has ended; default
 *   queues: { vision: home, speech: cloud }    # of route queue
 *   others: home                               # of route queue: queues that are not listed
 *
 * Paths are relative to the file. The routes are defined in sim/federation/router.h. */
#pragma once
#include "sim/cluster/cluster_file.h"

enum { FEDERATION_MEMBERS_MAX = 64 };
enum route { ROUTE_QUEUE, ROUTE_LEAST_WAIT, ROUTE_SPILL };
extern const char *const route_name[];                        /* ends with NULL */
struct federation_member {
    const char *name;             /* also of its directory in the results */
    const char *cluster;          /* path */
    const char *policy;           /* "NAME:KEY=VALUE"; NULL: that of the run */
};
struct federation_queue { const char *name; uint32_t member; };
struct federation {
    const char *name, *path;
    char sha256[65];
    enum route route;
    int64_t limit_ns, first_run_ns;
    size_t n, n_queues;
    struct federation_member *member;
    struct federation_queue *queue;
    uint32_t others;  /* member of queues that are not listed; ID_NONE: they are an error */
    struct config *config;
    struct arena *memory;
};

/* Whether the first bytes of a file have `federation` as first key. */
bool federation_recognise(const char *head, size_t length);
bool federation_is(const char *path);  /* it is a regular file with this first key */
/* set: settings of keys of other files are ignored; NULL: none. NULL with err: "file:line:column:
 * ..." */
struct federation *federation_read(const char *path, const struct cluster_settings *set,
                                   struct error *err);
void federation_free(struct federation *f);                   /* NULL: does nothing */
/* The setting "NAME.KEY=VALUE" of a member: "KEY=VALUE"; NULL: another member's. */
const char *federation_setting(const struct federation_member *m, const char *text);
bool federation_has_key(const char *setting);  /* "limit_s=60": a key of the federation file */
/* of route queue; ID_NONE: none */
uint32_t federation_member_of(const struct federation *f, const char *queue);
