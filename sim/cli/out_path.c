/* out_path.c - see out_path.h. */
#include "sim/cli/out_path.h"

#include "sim/core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct output *out_path_open(const char *path, struct error *err)
{
    if (!path || !strcmp(path, "-"))
        return output_stream(STDOUT_FILENO, "standard output");
    const char *slash = strrchr(path, '/');
    char *directory = slash ? mem_text(path, slash > path ? (size_t)(slash - path) : 1) : mem_text(".", 1);
    struct output *o = output_open(directory, slash ? slash + 1 : path, err);
    free(directory);
    if (o)
        output_pack(o, packing_of(path));
    return o;
}
