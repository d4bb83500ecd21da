/* hostlist.h - Slurm's lists of hosts: "n[01-04,7],gpu[1-2]-ib".
 *
 * Commas outside brackets separate entries. An entry without brackets is a name. Brackets hold
 * numbers and ranges of numbers; each number is written with at least as many digits as the left
 * end of its range, so [01-10] is 01, 02, ..., 10. Several brackets multiply, and the last varies
 * fastest. A range that descends, or has a shorter right end, is an error; so are brackets in
 * brackets, an empty entry, and more than HOSTS_MAX names. The order is that of the list: Slurm
 * numbers its nodes by it. After SchedMD/slurm:src/common/hostlist.c. */
#pragma once
#include <stddef.h>

#define HOSTS_MAX     65536
#define HOST_NAME_MAX_LENGTH 255

/* name: ended with NUL, valid during the call. Not 0 ends the walk. */
typedef int host_seen(void *self, const char *name, size_t length);

/* NULL: every name was seen, or `seen` ended the walk (*result is then not 0); else what is wanted,
 * for a message "want ...". result NULL: not wanted. Names that were seen before a mistake stay
 * seen. */
const char *hostlist_each(const char *text, size_t length, host_seen *seen, void *self,
                          int *result);
/* The number of names. NULL as above. */
const char *hostlist_count(const char *text, size_t length, size_t *n);
