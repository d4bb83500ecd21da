/* federation.h - several clusters as one question: which they are, and by what rule each job goes to one of them.
 *
 *   federation: campus
 *   members:                                              # in order of preference; ties go to the first
 *     - { name: home, cluster: home.yaml }
 *     - { name: cloud, cluster: cloud.yaml, policy: "easy:depth=4" }    # by default the policy of the run
 *   route: spill                                          # queue, least-wait or spill
 *   limit_s: 600                                          # of spill, 0 by default: the longest wait that is put up with
 *   first_run_s: 3600                                     # by default; what a run lasts as long as none has ended
 *   queues: { vision: home, speech: cloud }               # of route queue
 *   others: home                                          # of route queue: queues that are not listed
 *
 * Paths are beside the file. sim/federation/router.h says what each route does. */
#pragma once
#include "sim/cluster/cluster_file.h"

enum { FEDERATION_MEMBERS_MAX = 64 };
enum route { ROUTE_QUEUE, ROUTE_LEAST_WAIT, ROUTE_SPILL };
extern const char *const route_name[];                        /* ends with NULL */
struct federation_member {
    const char *name;             /* a directory of the results is called so */
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
    uint32_t others;              /* ID_NONE: a queue that is not listed is a mistake */
    struct config *config;
    struct arena *memory;
};

/* Of the first bytes of a file: its first key is `federation`. */
bool federation_recognise(const char *head, size_t length);
bool federation_is(const char *path);                         /* a regular file that begins so */
/* set: those whose first key is one of the file's, others are passed over; NULL: none. NULL with err: "file:line:column: ..." */
struct federation *federation_read(const char *path, const struct cluster_settings *set, struct error *err);
void federation_free(struct federation *f);                   /* NULL: does nothing */
/* The setting "NAME.KEY=VALUE" of a member: "KEY=VALUE"; NULL: it is not that member's. */
const char *federation_setting(const struct federation_member *m, const char *text);
bool federation_has_key(const char *setting);                 /* "limit_s=60": one of the file's own */
uint32_t federation_member_of(const struct federation *f, const char *queue);    /* of route queue; ID_NONE: none */
