/* relay.c - see relay.h. */
#include "sim/base/relay.h"

#include "sim/base/memory.h"

#include <pthread.h>
#include <stdlib.h>

struct relay {
    size_t slots;
    pthread_mutex_t lock;         /* of what follows */
    pthread_cond_t wake;          /* one is enough: never both sleep, as half of the slots are there for the one or the other */
    size_t filled, taken;         /* slots so far */
    bool filler_sleeps, taker_sleeps;
    bool ended, stopped;
};

struct relay *relay_new(size_t slots)
{
    struct relay *r = mem_new(1, sizeof *r);
    r->slots = slots;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->wake, NULL);
    return r;
}

void relay_free(struct relay *r)
{
    if (!r)
        return;
    pthread_cond_destroy(&r->wake);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static bool is_half(const struct relay *r, size_t there)
{
    return 2 * there >= r->slots;
}

static size_t full_slots(const struct relay *r)
{
    return r->filled - r->taken;
}

static size_t free_slots(const struct relay *r)
{
    return r->slots - full_slots(r);
}

/* Until it is woken. */
static void sleep_as(struct relay *r, bool *sleeper)
{
    *sleeper = true;
    while (*sleeper)
        pthread_cond_wait(&r->wake, &r->lock);
}

static void wake(struct relay *r, bool *sleeper)
{
    if (*sleeper)
        pthread_cond_signal(&r->wake);
    *sleeper = false;
}

bool relay_wait_free(struct relay *r)
{
    pthread_mutex_lock(&r->lock);
    if (!free_slots(r) && !r->stopped)
        sleep_as(r, &r->filler_sleeps);
    bool goes_on = !r->stopped;
    pthread_mutex_unlock(&r->lock);
    return goes_on;
}

void relay_filled(struct relay *r)
{
    pthread_mutex_lock(&r->lock);
    r->filled++;
    if (is_half(r, full_slots(r)))
        wake(r, &r->taker_sleeps);
    pthread_mutex_unlock(&r->lock);
}

void relay_end(struct relay *r)
{
    pthread_mutex_lock(&r->lock);
    r->ended = true;
    wake(r, &r->taker_sleeps);
    pthread_mutex_unlock(&r->lock);
}

bool relay_wait_filled(struct relay *r)
{
    pthread_mutex_lock(&r->lock);
    if (!full_slots(r) && !r->ended)
        sleep_as(r, &r->taker_sleeps);
    bool there = full_slots(r) > 0;
    pthread_mutex_unlock(&r->lock);
    return there;
}

void relay_taken(struct relay *r)
{
    pthread_mutex_lock(&r->lock);
    r->taken++;
    if (is_half(r, free_slots(r)))
        wake(r, &r->filler_sleeps);
    pthread_mutex_unlock(&r->lock);
}

void relay_stop(struct relay *r)
{
    pthread_mutex_lock(&r->lock);
    r->stopped = true;
    wake(r, &r->filler_sleeps);
    pthread_mutex_unlock(&r->lock);
}
