/* test_data_cache.c - a node's cache, by hand and against the plainest model of it. */
#include "sim/base/random.h"
#include "sim/models/data_cache.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>
#include <string.h>

/* Room for 10. "a3": read a, of 3 bytes, and leave it. "a": use it if it is there, and leave it. "+a3": read and go on using
 * it; "-a": leave it. What is there at the end, the least recently used first. By hand. */
static const struct row { const char *name, *steps, *left; } rows[] = {
    { "empty", "", "" },
    { "all fit", "a3 b3 c4", "abc" },
    { "the oldest goes", "a3 b3 c4 d1", "bcd" },
    { "used, so not the oldest", "a3 b3 c4 a d1", "cad" },
    { "reading it again is a use", "a3 b3 c4 a3 d3", "cad" },
    { "two go for one", "a3 b3 c4 d6", "cd" },
    { "all go", "a3 b3 c4 d10", "d" },
    { "too large: nobody goes", "a3 b3 c4 d11", "abc" },
    { "in use: the next one goes", "+a3 b3 c4 d1", "acd" },
    { "in use: no room for it", "+a3 +b3 c4 d5", "abc" },
    { "in use: all that is left", "+a3 +b3 c4 d4", "abd" },
    { "left: the oldest again", "+a3 b3 c4 -a d1", "bcd" },
    { "used twice, left once", "+a3 +a3 -a b3 c4 d1", "acd" },
    { "of no size", "a0 b10 c0", "abc" },
};

static void take(struct data_cache *c, const char *step)
{
    bool holds = *step == '+', leaves = *step == '-';
    uint32_t id = (uint32_t)step[holds || leaves];
    const char *size = step + (holds || leaves) + 1;
    bool reads = *size >= '0' && *size <= '9';
    int64_t bytes = strtol(size, NULL, 10);
    if (leaves)
        data_cache_leave(c, id);
    else if ((reads ? data_cache_keep(c, id, bytes) : data_cache_use(c, id)) && !holds)
        data_cache_leave(c, id);
}

static void by_hand(void **state)
{
    const struct row *r = *state;
    struct data_cache c = { .room = 10 };
    for (const char *step = r->steps; *step; step = strchr(step, ' ') ? strchr(step, ' ') + 1 : step + strlen(step))
        take(&c, step);
    char left[16] = "";
    for (uint32_t i = 0; i < c.n; i++)
        left[i] = (char)c.item[i].id;
    assert_string_equal(left, r->left);
    data_cache_free(&c);
}

static void keeps_nothing(void **state)
{
    (void)state;
    struct data_cache c = { .room = 0 };
    assert_false(data_cache_keep(&c, 1, 1));
    assert_false(data_cache_has(&c, 1));
    data_cache_free(&c);
}

/* A table with the time of each one's last use, searched from end to end. */
enum { IDS = 12, ROOM = 20, STEPS = 200000 };
struct model { bool in[IDS]; uint32_t users[IDS]; int64_t bytes[IDS], last[IDS], clock; };

static int64_t used_by(const struct model *m, bool in_use_only)
{
    int64_t sum = 0;
    for (int i = 0; i < IDS; i++)
        sum += m->in[i] && (!in_use_only || m->users[i]) ? m->bytes[i] : 0;
    return sum;
}

static bool model_keep(struct model *m, int id)
{
    if (!m->in[id]) {
        if (used_by(m, true) + m->bytes[id] > ROOM)
            return false;
        while (used_by(m, false) + m->bytes[id] > ROOM) {
            int oldest = -1;
            for (int i = 0; i < IDS; i++)
                if (m->in[i] && !m->users[i] && (oldest < 0 || m->last[i] < m->last[oldest]))
                    oldest = i;
            m->in[oldest] = false;
        }
        m->in[id] = true;
    }
    m->users[id]++;
    m->last[id] = m->clock;
    return true;
}

static void as_the_model(void **state)
{
    (void)state;
    struct model m = { .clock = 0 };
    struct data_cache c = { .room = ROOM };
    struct random r;
    random_init(&r, 7, "data cache", 0);
    unsigned refused = 0, evicted = 0;
    for (int i = 0; i < IDS; i++)
        m.bytes[i] = 1 + i % 7;
    for (; m.clock < STEPS; m.clock++) {
        int id = (int)random_below(&r, IDS);
        if (m.users[id] && random_below(&r, 8)) {
            m.users[id]--;
            data_cache_leave(&c, (uint32_t)id);
            continue;
        }
        uint32_t n = c.n;
        bool had = data_cache_has(&c, (uint32_t)id), kept = data_cache_keep(&c, (uint32_t)id, m.bytes[id]);
        assert_int_equal(kept, model_keep(&m, id));
        refused += !kept;
        evicted += kept && !had && c.n <= n;
        for (int i = 0; i < IDS; i++)
            assert_int_equal(data_cache_has(&c, (uint32_t)i), m.in[i]);
        assert_int_equal(c.used, used_by(&m, false));
        assert_true(c.used <= ROOM);
    }
    assert_true(refused > 1000 && evicted > 1000);         /* both happen */
    data_cache_free(&c);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, by_hand, rows);
    ADD_TEST(tests, n, keeps_nothing);
    ADD_TEST(tests, n, as_the_model);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
