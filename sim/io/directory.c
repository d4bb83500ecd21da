/* directory.c - see directory.h. */
#include "sim/io/output.h"

#include "sim/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int directory_make(const char *path, size_t *made, struct error *err)
{
    char *part = mem_text(path, strlen(path));
    int failure = 0, cause = 0;    /* of the last, which counts; of the first that explains it */
    size_t new = 0;
    for (size_t i = 1, all = strlen(part); i <= all; i++) {
        if (part[i] && part[i] != '/')
            continue;
        part[i] = '\0';
        failure = mkdir(part, 0777) == 0 ? 0 : errno;
        part[i] = path[i];
        if (!failure && !new)
            new = i;
        if (failure && failure != EEXIST && !cause)
            cause = failure;
    }
    free(part);
    if (made)
        *made = new;
    struct stat st;
    if (failure && failure != EEXIST)
        return error_set(err, "%s: cannot make the directory: %s", path, strerror(failure == ENOENT ? cause : failure));
    if (failure && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)))
        return error_set(err, "%s: want a directory for the results", path);
    return 0;
}
