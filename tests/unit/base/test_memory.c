/* test_memory.c - allocation that ends the program, arenas, interned texts. */
#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the end of memory, in a child process: a message, the handler, status 1 ---- */

static void resize_too_much(void)
{
    mem_resize(NULL, SIZE_MAX / 2, 3);
}
static void grow_too_much(void)
{
    void *array = NULL;
    size_t capacity = SIZE_MAX / 2 + 1;
    mem_grow(&array, &capacity, capacity, 1);
}
static void text_too_long(void)
{
    mem_text("", SIZE_MAX);
}
static const struct failure_row { const char *name; void (*exhaust)(void); } failure_rows[] = {
    { "mem_resize: product overflows", resize_too_much },
    { "mem_grow: doubling overflows", grow_too_much },
    { "mem_text: length overflows", text_too_long },
};

static void handler(void)
{
    fputs("cleaned\n", stderr);
    resize_too_much(); /* a handler that fails itself must not be called again */
}

static void ends_the_program(void **state)
{
    const struct failure_row *row = *state;
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fd[1], STDERR_FILENO);
        mem_on_failure(handler);
        row->exhaust();
        _exit(0);
    }
    close(fd[1]);
    char said[256] = "";
    size_t n = 0;
    for (ssize_t got; n < sizeof said - 1 && (got = read(fd[0], said + n, sizeof said - 1 - n)) > 0;)
        n += (size_t)got;
    close(fd[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_string_equal(said, "cleaned\ngpuyard: out of memory\n");
}

static void blocks(void **state)
{
    (void)state;
    unsigned char *zeros = mem_new(100, 3);
    for (int i = 0; i < 300; i++)
        assert_int_equal(zeros[i], 0);
    zeros = mem_resize(zeros, 0, 3);
    assert_non_null(zeros);
    free(zeros);
    void *nothing = mem_new(0, 8);
    assert_non_null(nothing);
    free(nothing);
    char *text = mem_text("abcdef", 3);
    assert_string_equal(text, "abc");
    free(text);

    int *array = NULL;
    size_t capacity = 0, count = 0;
    for (int i = 0; i < 10000; i++) {
        mem_grow(&array, &capacity, count, sizeof *array);
        array[count++] = i;
    }
    for (int i = 0; i < 10000; i++)
        assert_int_equal(array[i], i);
    free(array);
}

/* ---- arena ---- */

struct piece { unsigned char *at; size_t bytes; unsigned char mark; bool text; };

/* Every piece is filled with its own mark: pieces that overlapped would overwrite each other's. */
static void arena_round(struct arena *a, struct random *r)
{
    enum { N = 3000 };
    static struct piece piece[N];
    char source[301];
    memset(source, 'x', sizeof source);
    for (int i = 0; i < N; i++) {
        struct piece *p = &piece[i];
        *p = (struct piece){ .bytes = random_below(r, i % 500 ? 300 : 200000), .mark = (unsigned char)(i % 251 + 1) };
        p->text = p->bytes <= 300 && random_below(r, 2);
        if (p->text) {
            p->at = (unsigned char *)arena_text(a, source, p->bytes);
            assert_int_equal(strlen((char *)p->at), p->bytes);
        } else {
            p->at = arena_alloc(a, p->bytes);
            assert_int_equal((uintptr_t)p->at % (p->bytes < 64 ? alignof(max_align_t) : 64), 0);
            for (size_t k = 0; k < p->bytes; k++)
                assert_true(p->at[k] == 0);
        }
        memset(p->at, p->mark, p->bytes);
    }
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < piece[i].bytes; k++)
            assert_true(piece[i].at[k] == piece[i].mark);
}

static void arena(void **state)
{
    (void)state;
    struct random r;
    struct arena *a = arena_new();
    assert_int_equal(arena_bytes(a), 0);
    random_init(&r, 1, "arena", 0);
    arena_round(a, &r);
    size_t bytes = arena_bytes(a);
    assert_true(bytes > 0);
    for (int i = 0; i < 5; i++) {
        arena_reset(a);
        random_init(&r, 1, "arena", 0);
        arena_round(a, &r);
        assert_int_equal(arena_bytes(a), bytes); /* the same again fits into what is there */
    }
    arena_free(a);
    arena_free(NULL);
}

static void arena_packs_texts(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    arena_reset(a); /* of an empty one */
    char *first = arena_text(a, "abc", 3), *second = arena_text(a, "", 0), *third = arena_text(a, "d", 1);
    assert_ptr_equal(second, first + 4);
    assert_ptr_equal(third, second + 1);
    assert_true(arena_alloc(a, 0) != arena_alloc(a, 0));
    arena_free(a);
}

/* ---- intern ---- */

static void intern(void **state)
{
    (void)state;
    struct intern *t = intern_new();
    assert_int_equal(intern_find(t, "a", 1), INTERN_NONE);
    assert_int_equal(intern_add(t, "abc", 1), 0);
    assert_int_equal(intern_add(t, "", 0), 1);
    assert_int_equal(intern_add(t, NULL, 0), 1);
    assert_int_equal(intern_add(t, "a\0b", 3), 2);
    assert_int_equal(intern_add(t, "a", 1), 0);
    assert_int_equal(intern_find(t, "a\0b", 3), 2);
    assert_int_equal(intern_find(t, "a\0c", 3), INTERN_NONE);
    assert_string_equal(intern_text(t, 0), "a");
    assert_string_equal(intern_text(t, 1), "");
    assert_int_equal(intern_count(t), 3);
    const char *before = intern_text(t, 0);

    enum { N = 50000 };
    char text[32];
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < N; i++) {
            int length = snprintf(text, sizeof text, "job-%d", i);
            assert_int_equal(intern_add(t, text, (size_t)length), i + 3);
        }
    for (int i = 0; i < N; i++) {
        int length = snprintf(text, sizeof text, "job-%d", i);
        assert_int_equal(intern_find(t, text, (size_t)length), i + 3);
        assert_string_equal(intern_text(t, (uint32_t)i + 3), text);
    }
    assert_int_equal(intern_count(t), N + 3);
    assert_ptr_equal(intern_text(t, 0), before);
    intern_free(t);
    intern_free(NULL);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, ends_the_program, failure_rows);
    ADD_TEST(tests, n, blocks);
    ADD_TEST(tests, n, arena);
    ADD_TEST(tests, n, arena_packs_texts);
    ADD_TEST(tests, n, intern);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
