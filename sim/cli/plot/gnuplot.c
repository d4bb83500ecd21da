/* gnuplot.c - see gnuplot.h. */
#include "sim/cli/plot/gnuplot.h"

#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/out_path.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define A_SCRIPT "plot/common.gp"

/* ---- Where the scripts are ---- */

static bool is_scripts(const char *directory)
{
    char path[SCRIPTS_PATH];
    int n = snprintf(path, sizeof path, "%s/" A_SCRIPT, directory);
    return n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0;
}

int scripts_find(char to[SCRIPTS_PATH])
{
    static const char *const near[] = { "../share/gpuyard/scripts", "scripts", "../scripts",
                                        "../../scripts" };
    const char *given = getenv("GPUYARD_SCRIPTS");
    if (given && *given) {
        snprintf(to, SCRIPTS_PATH, "%s", given);
        return is_scripts(to) ? EXIT_OK
                              : complain(EXIT_FAILED,
                                         "%s: no plotting scripts there (GPUYARD_SCRIPTS)", given);
    }
    char self[SCRIPTS_PATH / 2];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof near / sizeof *near; i++) {
        snprintf(to, SCRIPTS_PATH, "%s/%s", self, near[i]);
        if (is_scripts(to))
            return EXIT_OK;
    }
    return complain(EXIT_FAILED,
                    "no plotting scripts beside %s: say where they are in GPUYARD_SCRIPTS", self);
}

/* ---- The process ---- */

enum { COMMANDS, PICTURE, SAID, STREAMS };    /* standard input, output and error of gnuplot */

/* A file without a name. -1: there can be none; says why. */
static int nameless_file(void)
{
    const char *directory = getenv("TMPDIR");
    char path[SCRIPTS_PATH];
    snprintf(path, sizeof path, "%s/gpuyard-plot.XXXXXX",
             directory && *directory ? directory : "/tmp");
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);    /* no signal between its two lives */
    int fd = mkstemp(path);
    int why = errno;
    if (fd >= 0)
        unlink(path);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (fd < 0)
        return complain(-1, "%s: cannot make a file: %s", path, strerror(why));
    int above = fcntl(fd, F_DUPFD_CLOEXEC, STREAMS); /* the child has 0, 1 and 2 for other things */
    close(fd);
    return above >= 0 ? above : complain(-1, "%s: cannot make a file: %s", path, strerror(errno));
}

/* In the child: only what may be called between fork() and exec(). */
static _Noreturn void become_gnuplot(const int *fd, const char *folder)
{
    static char name[] = "gnuplot", plain[] = "-d";
    static const int usual[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM };
    char *const argv[] = { name, plain, NULL };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        signal(usual[i], SIG_DFL);
    bool ready = chdir(folder) == 0;
    for (int i = 0; ready && i < STREAMS; i++)
        ready = lseek(fd[i], 0, SEEK_SET) == 0 && dup2(fd[i], i) >= 0;
    if (ready)
        execvp(name, argv);
    _exit(127);
}

static char *all_of(int fd, size_t *length)
{
    struct stat about;
    *length = 0;
    if (fstat(fd, &about) != 0 || lseek(fd, 0, SEEK_SET) != 0)
        return mem_new(1, 1);
    char *bytes = mem_new((size_t)about.st_size + 1, 1);
    for (ssize_t n = 1; *length < (size_t)about.st_size && n > 0; *length += n > 0 ? (size_t)n : 0)
        n = read(fd, bytes + *length, (size_t)about.st_size - *length);
    return bytes;
}

static int gnuplot_failed(const struct kind *k, int status, int said)
{
    size_t length;
    char *text = all_of(said, &length);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && !length)
        complain(EXIT_FAILED, "cannot start gnuplot: is it installed?");
    else {
        complain(EXIT_FAILED, "gnuplot could not draw %s:", k->name);
        fwrite(text, 1, length, stderr);
    }
    free(text);
    return EXIT_FAILED;
}

static int run_gnuplot(const struct kind *k, const char *scripts, const int *fd)
{
    char folder[SCRIPTS_PATH + 8];
    int status = 0;
    snprintf(folder, sizeof folder, "%s/plot", scripts);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(fd, folder);
    if (child < 0)
        return complain(EXIT_FAILED, "cannot start gnuplot: %s", strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? EXIT_OK
                                                         : gnuplot_failed(k, status, fd[SAID]);
}

int picture_format(const char *path)
{
    static const char *const endings[] = { [PLOT_PNG] = "png",
                                           [PLOT_SVG] = "svg",
                                           [PLOT_PDF] = "pdf" };
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(ending + 1, endings[i]))
            return (int)i;
    return -1;
}

/* ---- What came of it ---- */

/* The date of a PDF stands in the file as "(D:YYYYMMDDhhmmss": the same number of digits, so that
 * offsets stay right. */
static void fix_date(char *bytes, size_t length)
{
    static const char before[] = "(D:", date[] = "19700101000000";
    for (size_t i = 0; i + sizeof before + sizeof date < length; i++)
        if (!memcmp(bytes + i, before, sizeof before - 1) &&
            strspn(bytes + i + sizeof before - 1, "0123456789") >= sizeof date - 1)
            memcpy(bytes + i + sizeof before - 1, date, sizeof date - 1);
}

/* gnuplot begins each plot with a form feed; lines of a terminal end without blanks. */
static size_t plain_text(char *bytes, size_t length)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\f')
            continue;
        while (bytes[i] == '\n' && n && bytes[n - 1] == ' ')
            n--;
        bytes[n++] = bytes[i];
    }
    return n;
}

static int write_whole(const char *path, const char *bytes, size_t length, const char *more)
{
    struct error err = { "" };
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    bool file = path && strcmp(path, "-") != 0;
    if (file)
        sigprocmask(SIG_BLOCK, &ends, &before); /* half a file has no name that could stay behind */
    struct output *o = out_path_open(path, &err);
    if (o) {
        out_bytes(o, bytes, length);
        out_text(o, more);
    }
    int result = o ? output_commit(o, &err) : -1;
    if (file)
        sigprocmask(SIG_SETMASK, &before, NULL);
    return result ? complain(EXIT_FAILED, "%s", err.text) : EXIT_OK;
}

static int draw(struct figure *f, const struct kind *k, const struct canvas *canvas,
                const char *scripts, const char *path, const int *fd)
{
    struct error err = { "" };
    struct output *to = output_stream(fd[COMMANDS], "the commands for gnuplot");
    figure_commands(f, k->script, to);
    if (output_commit(to, &err))
        return complain(EXIT_FAILED, "%s", err.text);
    int status = run_gnuplot(k, scripts, fd);
    if (status != EXIT_OK)
        return status;
    size_t length;
    char *bytes = all_of(fd[PICTURE], &length);
    if (canvas->format == PLOT_PDF)
        fix_date(bytes, length);
    if (canvas->format == PLOT_TERM)
        length = plain_text(bytes, length);
    status =
        write_whole(path, bytes, length, canvas->format == PLOT_TERM ? figure_legend_text(f) : "");
    free(bytes);
    return status;
}

static int write_csv(struct figure *f, const struct kind *k, const char *path)
{
    struct error err = { "" };
    struct output *o = out_path_open(path, &err);
    if (o)
        figure_csv(f, k->columns, o);
    return o && output_commit(o, &err) == 0 ? EXIT_OK : complain(EXIT_FAILED, "%s", err.text);
}

int figure_draw(struct figure *f, const struct kind *k, const struct canvas *canvas,
                const char *scripts, const char *path)
{
    int fd[STREAMS] = { -1, -1, -1 }, status = EXIT_OK;
    if (canvas->format == PLOT_CSV)
        return write_csv(f, k, path);
    char *text = canvas->format == PLOT_TERM ? figure_drawn_text(f) : NULL;
    if (text)
        return write_whole(path, text, plain_text(text, strlen(text)), figure_legend_text(f));
    for (int i = 0; i < STREAMS && status == EXIT_OK; i++) {
        fd[i] = nameless_file();
        status = fd[i] < 0 ? EXIT_FAILED : EXIT_OK;
    }
    if (status == EXIT_OK)
        status = draw(f, k, canvas, scripts, path, fd);
    for (int i = 0; i < STREAMS; i++)
        if (fd[i] >= 0)
            close(fd[i]);
    return status;
}
