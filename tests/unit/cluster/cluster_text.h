/* cluster_text.h - a cluster from a text, by way of a file in a directory of its own, and the domains of
 * a cluster as a text. */
#pragma once
#include "sim/cluster/cluster_file.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/tmp/gpuyard-test-XXXXXX";

static struct cluster *read_text(const char *name, const char *text, struct error *err)
{
    char path[64], sha256[65];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
    struct cluster *c = cluster_read(path, NULL, sha256, err);
    unlink(path);
    return c;
}

/* Each domain of a level as FIRST-LAST. */
static void domains(char to[256], const struct cluster *c, enum level l)
{
    size_t n = 0;
    to[0] = '\0';
    for (domain_id d = 0; d < c->n_domains; d++)
        if (c->domain[d].level == l)
            n += (size_t)snprintf(to + n, 256 - n, "%s%u-%u", n ? " " : "", c->domain[d].first, c->domain[d].end - 1);
}
