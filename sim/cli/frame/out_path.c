/* out_path.c - see out_path.h. */
#include "sim/cli/frame/out_path.h"

#include "sim/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An existing path that is no regular file, and is not to be replaced by one. */
static bool is_device(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static struct output *open_device(const char *path, struct error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        return output_stream(fd, path);
    error_set(err, "%s: cannot write it: %s", path, strerror(errno));
    return NULL;
}

struct output *out_path_open(const char *path, struct error *err)
{
    if (!path || !strcmp(path, "-")) {
        struct output *o = output_stream(STDOUT_FILENO, "standard output");
        output_may_be_left(o);
        return o;
    }
    if (is_device(path))
        return open_device(path, err);
    const char *slash = strrchr(path, '/');
    char *directory = slash ? mem_text(path, slash > path ? (size_t)(slash - path) : 1)
                            : mem_text(".", 1);
    struct output *o = output_open(directory, slash ? slash + 1 : path, err);
    free(directory);
    if (o)
        output_pack(o, packing_of(path));
    return o;
}
