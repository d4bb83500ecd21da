/* test_session_life.c - what a session does, by schedules worked out by hand, in seconds: culling, patience, preemption, who forgets,
 * the cap; and that every session, whatever is done to it, ends once and spends each instant on one thing. */
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/base/units.h"
#include "sim/sessions/session_life.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <string.h>

static struct arena *memory;      /* of all that is drawn */

/* ---- A world that gives GPUs when the schedule says so, and takes them ---- */

enum { PHASES = 12, ORDERS = 8, START_UP_S = 50 };
struct order { int64_t at_s; char what; };    /* g: granted, t: taken; 0: no more */
struct schedule {
    const char *name;
    int64_t phase_s[PHASES];      /* thinks, runs, thinks, ... */
    int64_t length_s, patience_s, cap_s;
    bool forgotten;
    struct session_culling culling;    /* in seconds */
    struct order order[ORDERS];
    const char *story;
    int64_t spent_s[SESSION_SPENTS];    /* queued, starting, active, idle, released */
};

struct played { char text[1024]; size_t n; struct session_life life; };

static void tell(struct played *p, const char *what)
{
    p->n += (size_t)snprintf(p->text + p->n, sizeof p->text - p->n, "%s%lld %s", p->n ? ", " : "",
                             (long long)(p->life.now_ns / NS_PER_S), what);
}

static const char *word_for(const struct session_life *before, const struct session_life *now, enum session_act act)
{
    static const char *const words[] = {
        [SESSION_CLOSES] = "closes", [SESSION_EXPIRES] = "expires", [SESSION_ABANDONS] = "abandons",
        [SESSION_FORGOTTEN] = "is left", [SESSION_DELETED] = "deleted", [SESSION_RELEASES] = "released",
    };
    if (act != SESSION_TURNS)
        return words[act];
    if (before->place == SESSION_RELEASED)
        return "asks again";
    return now->mind == MIND_RUNS ? "runs" : now->mind == MIND_WANTS ? "wants" : now->mind == MIND_THINKS ? "thinks" : "idles";
}

static void act(struct played *p, const struct session_step *step)
{
    struct session_life before = p->life;
    session_acts(&p->life, step);
    tell(p, word_for(&before, &p->life, step->act));
}

static void give_order(struct played *p, char what, int64_t at_ns, int64_t *usable_at_ns)
{
    *usable_at_ns = TIME_NEVER;
    if (what == 'g') {
        session_granted(&p->life, at_ns);
        *usable_at_ns = at_ns + p->life.of->start_up_ns;
    } else {
        session_taken(&p->life, at_ns);
    }
    tell(p, what == 'g' ? "granted" : "taken");
}

static void play(const struct schedule *s, const struct session *of, const struct session_culling *culling, struct played *p)
{
    const struct order *next = s->order;
    int64_t usable_at_ns = TIME_NEVER;
    p->life = session_begin(of, culling, s->cap_s * NS_PER_S);
    while (p->life.place != SESSION_OVER) {
        struct session_step step;
        int64_t order_ns = next->what ? next->at_s * NS_PER_S : TIME_NEVER, outside_ns = order_ns < usable_at_ns ? order_ns : usable_at_ns;
        bool acts = session_next(&p->life, &step);
        if (acts && step.at_ns <= outside_ns) {
            act(p, &step);
        } else if (order_ns <= usable_at_ns) {
            assert_true(next->what);
            give_order(p, next++->what, order_ns, &usable_at_ns);
        } else {
            session_usable(&p->life, usable_at_ns);
            usable_at_ns = TIME_NEVER;
            tell(p, p->life.mind == MIND_RUNS ? "usable, runs" : "usable");
        }
        if (!session_holds(&p->life))
            usable_at_ns = TIME_NEVER;
    }
}

#define USUAL .length_s = 1000, .patience_s = 300, .cap_s = 86400
#define RELEASE { CULL_RELEASE, 1800, 3600, 60 }
#define KILL    { CULL_KILL, 1800, 3600, 60 }
#define OFF     { CULL_OFF, 1800, 3600, 60 }
/* Start-ups take 50 s. Each story was worked out from session_life.h on paper. */
static const struct schedule schedules[] = {
    { "thinks and runs in turn, then closes", { 240, 20, 300, 600, 60, 20 }, USUAL, false, OFF, { { 0, 'g' } },
      "0 granted, 50 usable, 290 runs, 310 thinks, 610 runs, 1050 closes", { 0, 50, 20 + 440, 240 + 300, 0 } },
    { "waits less than its patience", { 2000 }, USUAL, false, OFF, { { 299, 'g' } },
      "299 granted, 349 usable, 1349 closes", { 299, 50, 0, 1000, 0 } },
    { "waits as long as its patience and goes", { 2000 }, USUAL, false, OFF, { { 0, 0 } },
      "300 abandons", { 300, 0, 0, 0, 0 } },
    { "starting up is not given up", { 2000 }, .length_s = 1000, .patience_s = 10, .cap_s = 86400, false, OFF, { { 9, 'g' } },
      "9 granted, 59 usable, 1059 closes", { 9, 50, 0, 1000, 0 } },
    { "taken while it starts, with no patience left", { 2000 }, .length_s = 1000, .patience_s = 10, .cap_s = 86400, false, OFF, { { 9, 'g' }, { 30, 't' } },
      "9 granted, 30 taken, 30 abandons", { 9, 21, 0, 0, 0 } },
    { "taken while it starts, with patience left", { 2000 }, USUAL, false, OFF, { { 0, 'g' }, { 30, 't' }, { 40, 'g' } },
      "0 granted, 30 taken, 40 granted, 90 usable, 1090 closes", { 10, 80, 0, 1000, 0 } },

    /* usable at 50, idle since: released at the first multiple of 60 from 50 + 1800 on */
    { "idle: released, asks again, goes on", { 4000 - 1000, 20, 5000 }, .length_s = 4000, .patience_s = 300, .cap_s = 86400, false, RELEASE,
      { { 0, 'g' }, { 3100, 'g' } },
      "0 granted, 50 usable, 1860 released, 3050 asks again, 3100 granted, 3150 usable, runs, 3170 thinks, 4050 closes",
      { 50, 100, 20, 1810 + 880, 1190 } },
    { "idle: released, loses patience when back", { 3000, 20, 5000 }, .length_s = 4000, .patience_s = 300, .cap_s = 86400, false, RELEASE,
      { { 0, 'g' } }, "0 granted, 50 usable, 1860 released, 3050 asks again, 3350 abandons", { 300, 50, 0, 1810, 1190 } },
    { "idle: released, then closed", { 3000, 20 }, .length_s = 2500, .patience_s = 300, .cap_s = 86400, false, RELEASE,
      { { 0, 'g' } }, "0 granted, 50 usable, 1860 released, 2550 closes", { 0, 50, 0, 1810, 690 } },
    { "idle: released, then deleted under its user", { 7000, 20 }, .length_s = 7100, .patience_s = 300, .cap_s = 86400, false, RELEASE,
      { { 0, 'g' } }, "0 granted, 50 usable, 1860 released, 3660 deleted", { 0, 50, 0, 1810, 1800 } },
    { "idle: kill has no release", { 7000, 20 }, .length_s = 7100, .patience_s = 300, .cap_s = 86400, false, KILL,
      { { 0, 'g' } }, "0 granted, 50 usable, 3660 deleted", { 0, 50, 0, 3610, 0 } },
    { "idle: off", { 7000, 20, 900 }, .length_s = 7100, .patience_s = 300, .cap_s = 86400, false, OFF,
      { { 0, 'g' } }, "0 granted, 50 usable, 7050 runs, 7070 thinks, 7150 closes", { 0, 50, 20, 7080, 0 } },
    { "idle counts from the end of the last run", { 1780, 20, 1780, 20, 9000 }, .length_s = 5500, .patience_s = 300, .cap_s = 86400, false, RELEASE,
      { { 10, 'g' } }, "10 granted, 60 usable, 1840 runs, 1860 thinks, 3640 runs, 3660 thinks, 5460 released, 5560 closes",
      { 10, 50, 40, 1780 + 1780 + 1800, 100 } },
    { "exactly on the grid is found at once; a run that begins then goes first", { 1810, 20, 9000 }, .length_s = 2000, .patience_s = 300, .cap_s = 86400, false,
      { CULL_RELEASE, 1810, 3600, 60 }, { { 0, 'g' } }, "0 granted, 50 usable, 1860 runs, 1880 thinks, 2050 closes", { 0, 50, 20, 1980, 0 } },
    { "the same, a second later", { 1811, 20, 9000 }, .length_s = 2000, .patience_s = 300, .cap_s = 86400, false,
      { CULL_RELEASE, 1810, 3600, 60 }, { { 0, 'g' }, { 1861, 'g' } },
      "0 granted, 50 usable, 1860 released, 1861 asks again, 1861 granted, 1911 usable, runs, 1931 thinks, 2050 closes", { 0, 100, 20, 1810 + 119, 1 } },

    { "taken in a run: it goes on where it was", { 100, 200, 900, 20 }, USUAL, false, OFF, { { 0, 'g' }, { 200, 't' }, { 260, 'g' } },
      "0 granted, 50 usable, 150 runs, 200 taken, 260 granted, 310 usable, runs, 460 thinks, 1050 closes", { 60, 100, 200, 100 + 590, 0 } },
    { "taken in a run: patience counts from then", { 100, 200, 900, 20 }, USUAL, false, OFF, { { 0, 'g' }, { 200, 't' } },
      "0 granted, 50 usable, 150 runs, 200 taken, 500 abandons", { 300, 50, 50, 100, 0 } },
    { "taken in thought: nobody notices", { 500, 100, 900, 20 }, USUAL, false, OFF, { { 0, 'g' }, { 100, 't' }, { 450, 'g' } },
      "0 granted, 50 usable, 100 taken, 450 granted, 500 usable, 550 runs, 650 thinks, 1050 closes", { 350, 100, 100, 50 + 50 + 400, 0 } },
    { "taken in thought: patience counts from the next run", { 500, 100, 900, 20 }, USUAL, false, OFF, { { 0, 'g' }, { 100, 't' } },
      "0 granted, 50 usable, 100 taken, 550 wants, 850 abandons", { 750, 50, 0, 50, 0 } },
    { "taken, and closed while it waits", { 500, 100, 900, 20 }, USUAL, false, OFF, { { 0, 'g' }, { 850, 't' } },
      "0 granted, 50 usable, 550 runs, 650 thinks, 850 taken, 1050 closes", { 200, 50, 100, 500 + 200, 0 } },
    { "taken, and idle for too long: it stops asking", { 3000, 20, 5000 }, .length_s = 2500, .patience_s = 300, .cap_s = 86400, false, RELEASE,
      { { 0, 'g' }, { 1000, 't' } }, "0 granted, 50 usable, 1000 taken, 1860 released, 2550 closes", { 860, 50, 0, 950, 690 } },
    { "who waits for GPUs is not idle", { 1700, 20, 5000 }, .length_s = 6000, .patience_s = 5000, .cap_s = 86400, false, KILL,
      { { 0, 'g' }, { 1700, 't' }, { 5000, 'g' } },
      "0 granted, 50 usable, 1700 taken, 1750 wants, 5000 granted, 5050 usable, runs, 5070 thinks, 6050 closes", { 3300, 100, 20, 1650 + 980, 0 } },

    { "forgotten: idles until it is released and deleted", { 900, 50, 900, 20 }, USUAL, true, RELEASE, { { 0, 'g' } },
      "0 granted, 50 usable, 950 runs, 1000 thinks, 1050 is left, 2820 released, 4620 deleted", { 0, 50, 50, 900 + 1820, 1800 } },
    { "forgotten: to the cap where nothing culls", { 900, 50, 900, 20 }, USUAL, true, OFF, { { 0, 'g' } },
      "0 granted, 50 usable, 950 runs, 1000 thinks, 1050 is left, 86450 expires", { 0, 50, 50, 86350, 0 } },
    { "forgotten in a run: it ends by itself", { 900, 400, 900, 20 }, USUAL, true, KILL, { { 0, 'g' } },
      "0 granted, 50 usable, 950 runs, 1050 is left, 1350 idles, 4980 deleted", { 0, 50, 400, 900 + 3630, 0 } },
    { "forgotten, taken in a run: nobody loses patience", { 900, 400, 900, 20 }, USUAL, true, KILL, { { 0, 'g' }, { 1000, 't' }, { 9000, 'g' } },
      "0 granted, 50 usable, 950 runs, 1000 taken, 1050 is left, 9000 granted, 9050 usable, runs, 9400 idles, 13020 deleted",
      { 8000, 100, 50 + 350, 900 + 3620, 0 } },
    { "forgotten, but deleted before its user would have gone", { 7000, 20 }, .length_s = 7000, .patience_s = 300, .cap_s = 86400, true, KILL,
      { { 0, 'g' } }, "0 granted, 50 usable, 3660 deleted", { 0, 50, 0, 3610, 0 } },
    { "the cap comes before the user goes", { 100, 5000, 100 }, .length_s = 5000, .patience_s = 300, .cap_s = 2000, false, OFF,
      { { 0, 'g' } }, "0 granted, 50 usable, 150 runs, 2050 expires", { 0, 50, 1900, 100, 0 } },
};

static void by_hand(void **state)
{
    const struct schedule *s = *state;
    struct session_culling culling = s->culling;
    int64_t phase_ns[PHASES];
    uint32_t n = 0;
    for (; n < PHASES && s->phase_s[n]; n++)
        phase_ns[n] = s->phase_s[n] * NS_PER_S;
    culling.release_ns *= NS_PER_S;
    culling.delete_ns *= NS_PER_S;
    culling.period_ns *= NS_PER_S;
    const struct session of = { .length_ns = s->length_s * NS_PER_S, .patience_ns = s->patience_s * NS_PER_S, .start_up_ns = START_UP_S * NS_PER_S,
                                .forgotten = s->forgotten, .n_phases = n, .phase_ns = phase_ns };
    struct played p = { .n = 0 };
    play(s, &of, &culling, &p);
    assert_string_equal(p.text, s->story);
    for (int i = 0; i < SESSION_SPENTS; i++)
        assert_int_equal(p.life.spent_ns[i] / NS_PER_S, s->spent_s[i]);
    assert_int_equal(p.life.left, strstr(s->story, "is left") != NULL);
}

/* ---- Whatever is done to it ---- */

enum { SESSIONS = 3000 };

static void one_at_random(const struct session *of, const struct session_spec *spec, struct random *r, int ends[SESSION_ENDS])
{
    struct session_life l = session_begin(of, &spec->culling, ns_of_seconds(spec->cap_s));
    int64_t outside_ns = of->submit_ns, held_ns = 0, held_since_ns = 0;
    unsigned steps = 0;
    while (l.place != SESSION_OVER) {
        struct session_step step;
        bool held = session_holds(&l), acts = session_next(&l, &step);
        int64_t before_ns = l.now_ns;
        assert_true(++steps < 100000);
        if (acts && step.at_ns <= outside_ns) {
            session_acts(&l, &step);
        } else if (l.place == SESSION_QUEUED) {
            session_granted(&l, outside_ns);
            outside_ns += of->start_up_ns;
        } else if (l.place == SESSION_STARTING && random_below(r, 4)) {
            session_usable(&l, outside_ns);
            outside_ns += (int64_t)random_below(r, 7200) * NS_PER_S;
        } else if (l.place == SESSION_RELEASED) {
            outside_ns += NS_PER_S;
        } else {
            session_taken(&l, outside_ns);
            outside_ns += (int64_t)random_below(r, 900) * NS_PER_S;
        }
        assert_true(l.now_ns >= before_ns);
        if (held && !session_holds(&l))
            held_ns += l.now_ns - held_since_ns;
        if (!held && session_holds(&l))
            held_since_ns = l.now_ns;
    }
    struct session_step none;
    int64_t sum_ns = 0;
    assert_false(session_next(&l, &none));
    for (int i = 0; i < SESSION_SPENTS; i++)
        sum_ns += l.spent_ns[i];
    assert_int_equal(sum_ns, l.now_ns - of->submit_ns);
    assert_int_equal(l.spent_ns[SPENT_STARTING] + l.spent_ns[SPENT_ACTIVE] + l.spent_ns[SPENT_IDLE], held_ns);
    assert_true(l.usable_ns < 0 || l.now_ns <= l.usable_ns + l.cap_ns);
    assert_true(l.left ? of->forgotten && l.end != SESSION_CLOSED : true);
    ends[l.end]++;
}

/* Given, interrupted and taken from at random. */
static void conserves(void **state)
{
    (void)state;
    struct session_spec spec = session_spec_default();
    struct sessions x;
    struct random r;
    int ends[SESSION_ENDS] = { 0 };
    spec.name = "lab";
    spec.rate_per_h = 100;
    spec.cap_s = 20000;
    random_init(&r, 1, "test", 0);
    assert_true(sessions_draw(&x, &spec, 1, TIME_NEVER, 20 * 3600, SESSIONS, memory));
    for (size_t i = 0; i < x.n; i++) {
        spec.culling.how = (enum session_cull)(i % 3);
        one_at_random(&x.session[i], &spec, &r, ends);
    }
    for (int e = 0; e < SESSION_LOST; e++)
        assert_true(ends[e] > 20);    /* each of them is played */
}

/* By hand: taken from 200 on in a run, given at 260, usable at 310: 110 s. At the first start nobody is delayed; lost at 500, once and for
 * all. */
static void delays(void **state)
{
    (void)state;
    const int64_t phase_ns[] = { 100 * NS_PER_S, 200 * NS_PER_S, 900 * NS_PER_S };
    const struct session of = { .length_ns = 1000 * NS_PER_S, .patience_ns = 300 * NS_PER_S, .n_phases = 3, .phase_ns = phase_ns };
    const struct session_culling off = { CULL_OFF, 0, 0, 1 };
    struct session_life l = session_begin(&of, &off, 86400 * NS_PER_S);
    struct session_step step;
    session_granted(&l, 0);
    session_usable(&l, 50 * NS_PER_S);
    assert_true(session_next(&l, &step) && step.at_ns == 150 * NS_PER_S);
    session_acts(&l, &step);
    session_taken(&l, 200 * NS_PER_S);
    session_granted(&l, 260 * NS_PER_S);
    session_usable(&l, 310 * NS_PER_S);
    session_settle(&l, 320 * NS_PER_S);
    assert_int_equal(l.delayed_ns, 110 * NS_PER_S);
    session_taken(&l, 400 * NS_PER_S);
    session_lost(&l, 500 * NS_PER_S);
    assert_int_equal(l.delayed_ns, 210 * NS_PER_S);
    assert_int_equal(l.end, SESSION_LOST);
    assert_false(session_next(&l, &step));
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, by_hand, schedules);
    ADD_TEST(tests, n, delays);
    ADD_TEST(tests, n, conserves);
    memory = arena_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(memory);
    return failed;
}
