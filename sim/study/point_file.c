/* point_file.c - see point_file.h. */
#include "sim/study/point_file.h"

#include "sim/base/memory.h"
#include "sim/io/output.h"
#include "sim/results/rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LONG = 4096, KEY_LENGTH = 64 };
static const char magic[] = "gpuyard point 1 ", last_line[] = "end\n";

/* ---- Writing ---- */

/* Two points may have the same definition and run at the same time. */
static struct output *begin(const char *directory, const char *key, bool failed, const char *text,
                            struct error *err)
{
    struct output *o = output_open_shared(directory, key, err);
    if (!o)
        return NULL;
    out_text(o, magic);
    out_text(o, key);
    out_text(o, failed ? " failed " : " done ");
    out_integer(o, (int64_t)strlen(text));
    out_char(o, '\n');
    out_text(o, text);
    return o;
}

static int end(struct output *o, struct error *err)
{
    out_text(o, last_line);
    return output_commit(o, err);
}

int point_file_write(const char *directory, const char *key, const char *configuration,
                     const struct summary *m, struct error *err)
{
    struct output *o = begin(directory, key, false, configuration, err);
    if (!o)
        return -1;
    rows_summary_csv(o, m);
    return end(o, err);
}

int point_file_write_failure(const char *directory, const char *key, const char *why,
                             struct error *err)
{
    struct output *o = begin(directory, key, true, why, err);
    return o ? end(o, err) : -1;
}

/* ---- Reading ---- */

static char *read_whole(FILE *f, size_t *length)
{
    char *text = NULL;
    size_t capacity = 0, n;
    *length = 0;
    do {
        while (capacity < *length + 4096)
            mem_grow(&text, &capacity, capacity, 1);
        n = fread(text + *length, 1, capacity - *length - 1, f);
        *length += n;
    } while (n > 0);
    text[*length] = '\0';
    return text;
}

/* The parts point into the text, each ended with NUL. */
static bool split_result(struct point_result *to, size_t length, const char *key)
{
    char *text = to->memory, *line_end = strchr(text, '\n');
    size_t head = strlen(magic), end = strlen(last_line), bytes;
    if (length < head + end || !line_end || memcmp(text, magic, head) != 0 ||
        strncmp(text + head, key, KEY_LENGTH) != 0 || strcmp(text + length - end, last_line) != 0)
        return false;
    char state[8] = "";
    if (sscanf(text + head + KEY_LENGTH, " %7s %zu", state, &bytes) != 2 ||
        bytes > length - end - (size_t)(line_end + 1 - text))
        return false;
    char *body = line_end + 1, *rest = body + bytes;
    text[length - end] = '\0';
    to->failed = !strcmp(state, "failed");
    if (to->failed) {
        to->why = body;
        return !*rest;
    }
    to->rows = rest;
    if (strcmp(state, "done") != 0 || !strchr(rest, '\n'))
        return false;
    to->configuration = mem_new(bytes + 1, 1);
    memcpy(to->configuration, body, bytes);
    return true;
}

int point_file_read(const char *directory, const char *key, struct point_result *to,
                    struct error *err)
{
    char path[PATH_LONG];
    size_t length;
    *to = (struct point_result){ .memory = NULL };
    snprintf(path, sizeof path, "%s/%s", directory, key);
    FILE *f = fopen(path, "r");
    if (!f && errno == ENOENT)
        return 1;
    if (!f)
        return error_set(err, "%s: cannot read it: %s", path, strerror(errno));
    to->memory = read_whole(f, &length);
    fclose(f);
    if (split_result(to, length, key))
        return 0;
    point_result_free(to);
    return error_set(err, "%s: incomplete result of a point", path);
}

void point_result_free(struct point_result *r)
{
    free(r->configuration);
    free(r->memory);
    *r = (struct point_result){ .memory = NULL };
}
