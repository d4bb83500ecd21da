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
    struct relay *h = mem_new(1, sizeof *h);
    h->slots = slots;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->wake, NULL);
    return h;
}

void relay_free(struct relay *h)
{
    if (!h)
        return;
    pthread_cond_destroy(&h->wake);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

static bool is_half(const struct relay *h, size_t there)
{
    return 2 * there >= h->slots;
}

static size_t full_slots(const struct relay *h)
{
    return h->filled - h->taken;
}

static size_t free_slots(const struct relay *h)
{
    return h->slots - full_slots(h);
}

/* Until it is woken. */
static void sleep_as(struct relay *h, bool *sleeper)
{
    *sleeper = true;
    while (*sleeper)
        pthread_cond_wait(&h->wake, &h->lock);
}

static void wake(struct relay *h, bool *sleeper)
{
    if (*sleeper)
        pthread_cond_signal(&h->wake);
    *sleeper = false;
}

bool relay_wait_free(struct relay *h)
{
    pthread_mutex_lock(&h->lock);
    if (!free_slots(h) && !h->stopped)
        sleep_as(h, &h->filler_sleeps);
    bool goes_on = !h->stopped;
    pthread_mutex_unlock(&h->lock);
    return goes_on;
}

void relay_filled(struct relay *h)
{
    pthread_mutex_lock(&h->lock);
    h->filled++;
    if (is_half(h, full_slots(h)))
        wake(h, &h->taker_sleeps);
    pthread_mutex_unlock(&h->lock);
}

void relay_end(struct relay *h)
{
    pthread_mutex_lock(&h->lock);
    h->ended = true;
    wake(h, &h->taker_sleeps);
    pthread_mutex_unlock(&h->lock);
}

bool relay_wait_filled(struct relay *h)
{
    pthread_mutex_lock(&h->lock);
    if (!full_slots(h) && !h->ended)
        sleep_as(h, &h->taker_sleeps);
    bool there = full_slots(h) > 0;
    pthread_mutex_unlock(&h->lock);
    return there;
}

void relay_taken(struct relay *h)
{
    pthread_mutex_lock(&h->lock);
    h->taken++;
    if (is_half(h, free_slots(h)))
        wake(h, &h->filler_sleeps);
    pthread_mutex_unlock(&h->lock);
}

void relay_stop(struct relay *h)
{
    pthread_mutex_lock(&h->lock);
    h->stopped = true;
    wake(h, &h->filler_sleeps);
    pthread_mutex_unlock(&h->lock);
}
