/* columns.c - the first line of a log: see log.h. */
#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "traces/formats/format.h"
#include "traces/slurm/log.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is read first, in the order of enum log_column. */
static const char *const names[] = {
    "JobID", "JobIDRaw", "Cluster", "User", "Account", "Partition", "QOS", "Submit", "Eligible",
    "Start", "End", "Elapsed", "ElapsedRaw", "Suspended", "Timelimit", "TimelimitRaw", "State",
    "ExitCode", "ReqTRES", "AllocTRES", "AllocGRES", "ReqGRES", "NNodes", "AllocNodes", "ReqNodes",
    "NCPUS", "AllocCPUS", "ReqCPUS", "ReqMem", "NodeList", "Priority", "Flags", "Reason",
    "Reservation", "Constraints", "SubmitLine",
    /* known to sacct, and not read */
    "AdminComment", "AssocID", "AveCPU", "AveCPUFreq", "AveDiskRead", "AveDiskWrite", "AvePages",
    "AveRSS", "AveVMSize", "BlockID", "Comment", "ConsumedEnergy", "ConsumedEnergyRaw", "Container",
    "CPUTime", "CPUTimeRAW", "DBIndex", "DerivedExitCode", "Extra", "FailedNode", "GID", "Group",
    "JobName", "Layout", "Licenses", "MaxDiskRead", "MaxDiskReadNode", "MaxDiskReadTask",
    "MaxDiskWrite", "MaxDiskWriteNode", "MaxDiskWriteTask", "MaxPages", "MaxPagesNode",
    "MaxPagesTask", "MaxRSS", "MaxRSSNode", "MaxRSSTask", "MaxVMSize", "MaxVMSizeNode",
    "MaxVMSizeTask", "McsLabel", "MinCPU", "MinCPUNode", "MinCPUTask", "NTasks", "Planned",
    "PlannedCPU", "PlannedCPURAW", "QOSRAW", "QOSREQ", "ReqCPUFreq", "ReqCPUFreqGov",
    "ReqCPUFreqMax", "ReqCPUFreqMin", "ReservationId", "Reserved", "Restarts", "ResvCPU",
    "ResvCPURAW", "SegmentSize", "SLUID", "StdErr", "StdIn", "StdOut", "SystemComment", "SystemCPU",
    "TotalCPU", "TRESUsageInAve", "TRESUsageInMax", "TRESUsageInMaxNode", "TRESUsageInMaxTask",
    "TRESUsageInMin", "TRESUsageInMinNode", "TRESUsageInMinTask", "TRESUsageInTot",
    "TRESUsageOutAve", "TRESUsageOutMax", "TRESUsageOutMaxNode", "TRESUsageOutMaxTask",
    "TRESUsageOutMin", "TRESUsageOutMinNode", "TRESUsageOutMinTask", "TRESUsageOutTot", "UID",
    "UserCPU", "WCKey", "WCKeyID", "WorkDir", NULL
};

static size_t name_index(const char *text, size_t length)
{
    size_t i = 0;
    while (names[i] && (strlen(names[i]) != length || strncasecmp(names[i], text, length) != 0))
        i++;
    return i;
}

char log_separator(const char *head, size_t length)
{
    size_t i = 0;
    while (i < length && (isalnum((unsigned char)head[i]) || head[i] == '_'))
        i++;
    return i < length && i && head[i] != '\n' && head[i] != '\r' ? head[i] : '\0';
}

static size_t first_line(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return (size_t)((newline ? newline : end) - at);
}

/* As sacct prints without -P: the second line is dashes and blanks. */
static bool is_padded(const char *head, size_t length)
{
    const char *end = head + length, *second = head + first_line(head, end);
    if (second == end)
        return false;
    second++;
    size_t n = first_line(second, end), dashes = 0;
    for (size_t i = 0; i < n; i++) {
        if (!memchr("- \r", second[i], 3))
            return false;
        dashes += second[i] == '-';
    }
    return dashes >= 3;
}

int log_recognise(const char *head, size_t length)
{
    if (length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
        head += 3, length -= 3;
    const char separator = log_separator(head, length);
    size_t left = first_line(head, head + length), i;
    bool found[C_READ] = { false };
    left -= left && head[left - 1] == '\r';
    if (!separator)
        return 0;
    if (separator == ' ')
        return !strncasecmp(head, "JobID", 5) && is_padded(head, length) ? 2 : 0;
    while (left) {
        const char *stop = memchr(head, separator, left);
        size_t n = stop ? (size_t)(stop - head) : left;
        i = name_index(head, n);
        if (!names[i] && n && (n < 2 || memcmp(head, "x_", 2) != 0))
            return 0;
        if (i < C_READ)
            found[i] = true;
        head += n + (stop != NULL);
        left -= n + (stop != NULL);
    }
    bool size = found[C_ALLOC_TRES] || found[C_REQ_TRES] || found[C_ALLOC_GRES] ||
                found[C_NNODES] || found[C_ALLOC_CPUS];
    return (found[C_JOBID] || found[C_RAW]) && (found[C_STATE] || found[C_END]) && size ? 2 : 0;
}

static int unknown(const struct row *header, const char *name, struct error *err)
{
    const char *near = suggest(name, names);
    if (near)
        return error_set(err, "%s:%zu: no column of sacct is called '%.40s', did you mean '%s'?",
                         header->file, header->line, name, near);
    return error_set(err,
                     "%s:%zu: no column of sacct is called '%.40s': want its names, or one that "
                     "begins with x_",
                     header->file, header->line, name);
}

static int take_name(const struct row *header, size_t i, struct log_columns *to, struct error *err)
{
    const struct cell *cell = &header->cell[i];
    size_t k = name_index(cell->text, cell->length);
    if (!names[k])
        return strncmp(cell->text, "x_", 2) == 0 ? 0 : unknown(header, cell->text, err);
    if (k >= C_READ)
        return 0;
    if (to->at[k] != TABLE_NO_COLUMN)
        return error_set(err, "%s:%zu: column '%.40s' is named twice", header->file, header->line,
                         cell->text);
    to->at[k] = i;
    return 0;
}

/* One of a list of columns that ends with C_READ. */
static int need(const struct row *header, const struct log_columns *c, const int *one_of,
                struct error *err)
{
    char list[128];
    size_t n = 0;
    for (size_t i = 0; one_of[i] != C_READ; i++) {
        if (c->at[one_of[i]] != TABLE_NO_COLUMN)
            return 0;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s'%s'",
                              !n                          ? ""
                              : one_of[i + 1] == C_READ ? " or "
                                                        : ", ",
                              names[one_of[i]]);
    }
    return error_set(err, "%s:%zu: want a column %s", header->file, header->line, list);
}

static int need_all(const struct row *header, const struct log_columns *c, struct error *err)
{
    static const int id[] = { C_JOBID, C_RAW, C_READ }, state[] = { C_STATE, C_READ },
                     from[] = { C_START, C_SUBMIT, C_READ },
                     ran[] = { C_ELAPSED_RAW, C_ELAPSED, C_END, C_READ },
                     elapsed[] = { C_ELAPSED_RAW, C_ELAPSED, C_START, C_READ },
                     size[] = { C_ALLOC_TRES, C_REQ_TRES, C_ALLOC_GRES, C_READ };
    const int *const all[] = { id, state, from, ran, elapsed, size };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (need(header, c, all[i], err) != 0)
            return -1;
    return 0;
}

int log_header(const struct row *header, struct log_columns *to, struct error *err)
{
    to->n = header->n;
    to->open_end = header->n > 1 && header->cell[header->n - 1].length == 0;
    for (size_t k = 0; k < C_READ; k++)
        to->at[k] = TABLE_NO_COLUMN;
    for (size_t i = 0; i < header->n - to->open_end; i++)
        if (take_name(header, i, to, err) != 0)
            return -1;
    return need_all(header, to, err);
}
