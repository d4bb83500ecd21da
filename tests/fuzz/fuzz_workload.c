/* fuzz_workload.c - any bytes as a workload file: what is read can be drawn from, written, and
 * reads back as the same. */
#include "tests/fuzz/fuzz.h"
#include "sim/sessions/session_life.h"
#include "traces/synth/synth.h"

#include <unistd.h>

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)    /* see fuzz_cluster.c */
{
    return "leak:libfyaml";
}

enum { JOBS = 30, TEXT = 1 << 20 };

static struct synth_spec *spec_of(const void *bytes, size_t length)
{
    struct error err = { "" };
    struct input *in = input_from_bytes(bytes, length, "fuzz", &err);
    struct synth_spec *s = in ? synth_spec_read(in, &err) : NULL;
    input_close(in);
    fuzz_said(!s, &err);
    return s;
}

static size_t written(const struct synth_spec *s, char *text)
{
    struct error err = { "" };
    FILE *f = tmpfile();
    FUZZ_MUST(f);
    struct output *o = output_stream(fileno(f), "fuzz");
    synth_spec_write(o, s);
    FUZZ_MUST(output_commit(o, &err) == 0);
    rewind(f);
    size_t n = fread(text, 1, TEXT, f);
    fclose(f);
    return n;
}

/* Few jobs, and no load with a mean that takes a million draws: those are for the unit tests. */
static void draw(struct synth_spec *s)
{
    struct error err = { "" };
    struct synth_jobs jobs;
    const struct synth_wish wish = { .seed = 1, .jobs = JOBS };
    if (!s->n_classes || s->load.target > 0 || (s->arrivals.kind == ARRIVE_MMPP && s->rate_per_h < 1))
        return;
    s->load.gpus = 0;
    int failed = synth_draw(s, &wish, &jobs, &err);
    fuzz_said(failed, &err);
    FUZZ_MUST(failed || (jobs.n > 0 && jobs.n <= JOBS));
    for (size_t i = 0; !failed && i < jobs.n; i++) {
        FUZZ_MUST(jobs.job[i].submit_ns >= 0 && jobs.job[i].duration_ns >= 0);
        FUZZ_MUST(i == 0 || jobs.job[i - 1].submit_ns <= jobs.job[i].submit_ns);
        FUZZ_MUST(jobs.job[i].class < s->n_classes && jobs.job[i].size < s->class[jobs.job[i].class].n_sizes);
    }
    synth_jobs_free(&jobs);
}

/* The first few live as they would if they had GPUs at once; none of thousands of phases. */
static void draw_sessions(const struct synth_spec *s)
{
    struct arena *memory = arena_new();
    for (size_t g = 0; g < s->n_sessions; g++) {
        const struct session_spec *spec = &s->sessions[g].is;
        struct sessions drawn;
        if (spec->cap_s > 1000 * session_cycle_s(spec))
            continue;
        (void)sessions_draw(&drawn, spec, 1, s->start_ns, 1e6, JOBS, memory);
        for (size_t k = 0; k < drawn.n; k++) {
            struct session_life l = session_begin(&drawn.session[k], &drawn.culling, drawn.cap_ns);
            session_granted(&l, l.now_ns);
            session_usable(&l, l.now_ns + l.of->start_up_ns);
            for (struct session_step step; session_next(&l, &step); session_acts(&l, &step))
                FUZZ_MUST(step.at_ns >= l.now_ns && (l.place != SESSION_RELEASED || l.releases));
            FUZZ_MUST(l.place == SESSION_OVER);
        }
    }
    arena_free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static char first[TEXT], second[TEXT];
    struct synth_spec *s = spec_of(bytes, length), *again = NULL;
    if (!s)
        return 0;
    if (s->services || s->trace) {        /* are not written */
        synth_spec_free(s);
        return 0;
    }
    size_t n = written(s, first);
    if (n < TEXT && !s->services && !s->trace) {    /* which are not written */
        again = spec_of(first, n);
        FUZZ_MUST(again);
        FUZZ_MUST(written(again, second) == n && memcmp(first, second, n) == 0);
    }
    draw(s);
    draw_sessions(s);
    synth_spec_free(s);
    synth_spec_free(again);
    return 0;
}
