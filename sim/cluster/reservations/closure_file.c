/* closure_file.c - see closure_file.h. */
#include "sim/cluster/reservations/closure_file.h"

const char *const closure_running_words[] = { "stop", "keep", NULL };

int closure_complete(struct config_value entry, struct file_closure *f, const char *what,
                     struct error *err)
{
    struct closure *c = &f->is;
    if (c->until_ns <= c->from_ns)
        return config_error(entry, err, "want 'until_s' after 'from_s'");
    if (c->every_ns && c->every_ns <= c->until_ns - c->from_ns + c->drain_ns)
        return config_error(entry, err, "want 'every_s' longer than the draining and the %s", what);
    c->keeps = f->running > 0;
    return 0;
}
