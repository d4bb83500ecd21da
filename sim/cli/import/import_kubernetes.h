/* import_kubernetes.h - `import kubernetes`, for cmd_import.c. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct import_kubernetes {
    const char *const *path; /* [n_paths] files and folders */
    size_t n_paths;
    const char *output, *at; /* at: NULL: the latest time in the dump */
    int64_t run_time_ns;
    int queues; /* index into kubernetes_queues; -1: as the objects are */
    bool cpu_jobs;
};
extern const char *const kubernetes_queues[];             /* ends with NULL */
int import_kubernetes(const struct import_kubernetes *x); /* the exit status */
