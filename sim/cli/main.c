/* main.c - gpuyard: finds the subcommand, parses its options, runs it, and checks that its
 * output was written. */
#include "sim/cli/commands.h"
#include "sim/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A standard descriptor that is closed must not become a result file. It is opened in the wrong
 * direction, so that using it is still an error. */
static void hold_standard_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_FAILED);
}

/* A reader that has ended early, such as head, has what it wanted: no failure. */
static int flush_stdout(int status)
{
    errno = 0;
    bool failed = ferror(stdout) != 0;
    if ((fflush(stdout) == 0 && !failed) || errno == EPIPE)
        return status;
    complain(EXIT_FAILED, "cannot write to standard output%s%s", errno ? ": " : "",
             errno ? strerror(errno) : "");
    return status ? status : EXIT_FAILED;
}

static int run_command(const struct command *c, int argc, char **argv)
{
    struct error err = { "" };
    void *options = mem_new(1, c->options_size);
    struct invocation in = { .argc = argc, .argv = argv, .options = options, .commands = commands };
    int status = EXIT_OK;
    if (c->options_size)
        memcpy(options, c->defaults, c->options_size);
    switch (options_parse(&c->set, argc - 1, argv + 1, options, &in.operands, &err)) {
    case OPTIONS_HELP:
        help_command(c);
        break;
    case OPTIONS_WRONG:
        status = complain(EXIT_USAGE, "%s", err.text);
        break;
    case OPTIONS_OK:
        status = c->run(&in);
        break;
    }
    options_free(&c->set, options, &in.operands);
    free(options);
    return status;
}

static int dispatch(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : NULL;
    if (!first)
        return complain(EXIT_USAGE, "want a command, see 'gpuyard --help'");
    if (!strcmp(first, "--help") || !strcmp(first, "-h"))
        help_program(commands);
    else if (!strcmp(first, "--version") || !strcmp(first, "-V"))
        about();
    else
        return command_find(commands, first)
                   ? run_command(command_find(commands, first), argc, argv)
                   : command_unknown(commands, first);
    return EXIT_OK;
}

/* JSON values are never NULL for want of memory: mem_resize() ends the program. */
static void *json_memory(size_t bytes)
{
    return mem_resize(NULL, bytes, 1);
}

/* The locale stays C: setlocale() is never called, so that numbers are read and written alike
 * everywhere. */
int main(int argc, char **argv)
{
    hold_standard_descriptors();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);     /* the write fails, and says why */
    json_set_alloc_funcs(json_memory, free);
    /* usually one write, so that errno has the reason if it fails */
    setvbuf(stdout, NULL, _IOFBF, (size_t)1 << 20);
    return flush_stdout(dispatch(argc, argv));
}
