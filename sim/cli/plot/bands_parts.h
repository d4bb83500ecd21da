/* bands_parts.h - between bands.c, which stacks levels, and bands_read.c, which reads them. */
#pragma once
#include "sim/cli/plot/bands.h"
#include "sim/base/intern.h"

enum { BANDS_MOST = 10, FIXED_MOST = 5 };
struct fixed_band { const char *name; unsigned rgb; };
struct run_levels {
    struct series *level;         /* [n_levels] by key; owned */
    size_t n_levels;
    struct series total, up, busy;    /* of GPUs */
    double gpus_most;             /* the most that there were */
};
struct bands {
    const struct kind *kind;
    const struct plot_request *r;
    const struct banding *by;
    struct figure *f;
    struct time_axis axis;
    struct intern *keys;          /* queues or classes by name; of fixed bands their names */
    struct run_levels *run;       /* [r->n] */
    bool down;                    /* of some run not all GPUs are up at some time */
    double *gpu_s;                /* [keys] over all runs; owned */
    size_t *band;                 /* [keys] from 0, the lowest; SIZE_MAX: none; owned */
    size_t n_bands;
    double most;                  /* highest level of any run */
};
struct banding {
    const char *others;           /* "queues": the bands with most GPU time; NULL: fixed ones */
    const char *levels;           /* what is stacked: "GPUs" */
    bool part;                    /* not all GPUs are stacked: without the lines of these */
    bool of_all;                  /* the title's share is of all GPUs, also of those not up */
    struct fixed_band fixed[FIXED_MOST];
    size_t held;                  /* so many fixed bands from the lowest are GPUs held; 0: all */
    int (*read)(struct bands *b, size_t i, struct error *err);    /* run i; 0, or -1 with err */
    /* The title of a panel from shares of the GPU time; NULL: the caller writes it. */
    const char *(*title)(const struct bands *b, size_t i, double allocated, double busy,
                         double above);
};

/* The level of a key of run i, from `at_s` of its clock on. */
void bands_set(struct bands *b, size_t i, uint32_t key, double at_s, double value);
uint32_t bands_key(struct bands *b, const char *name);

/* banding.read */
int bands_read_queues(struct bands *b, size_t i, struct error *err);
int bands_read_classes(struct bands *b, size_t i, struct error *err);
int bands_read_states(struct bands *b, size_t i, struct error *err);
int bands_read_free(struct bands *b, size_t i, struct error *err);
int bands_read_sessions(struct bands *b, size_t i, struct error *err);
/* Total, up and busy GPUs of run i. */
int bands_read_gpus(struct bands *b, size_t i, struct error *err);
