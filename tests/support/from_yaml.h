/* from_yaml.h - a cluster from the text of a file. */
#pragma once
#include "sim/cluster/cluster_file.h"

#include <string.h>

/* NULL with err, with places such as "c.yaml:line:column". */
static inline struct cluster *cluster_of_text(const char *text, struct error *err)
{
    struct input *in = input_from_bytes(text, strlen(text), "c.yaml", err);
    struct cluster *c = in ? cluster_from_yaml(in, "small", NULL, err) : NULL;
    input_close(in);
    return c;
}
