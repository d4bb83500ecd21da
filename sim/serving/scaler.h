/* scaler.h - how many replicas a service should have: a fixed number, a profile by the hour, the
 * horizontal autoscaler or a forecast.
 *
 * It decides once a period, from the difference of two struct serving_load. With idle_ns the
 * service is scaled to zero when no request has arrived or waited for that long, and to at least
 * one at the first decision that sees a request. */
#pragma once
#include "sim/serving/forecast.h"
#include "sim/serving/hpa.h"
#include "sim/serving/serving.h"

enum scaler_kind { SCALE_NONE, SCALE_PROFILE, SCALE_HPA, SCALE_FORECAST };
/* Mean over ready replicas: DUTY, share of the time in which it serves (its
 * GPU, if it runs step by step); CONCURRENCY, requests in
 * service as a share of its slots. Of the service, per replica: RATE, requests per second; QUEUE,
 * waiting requests. Of replicas that run step by step: KV_USE, share of the KV cache in use, mean
 * over ready replicas; TOKENS, output tokens per second, per replica; FIRST_TOKEN, PER_TOKEN, means
 * of the requests that ended since the last decision: none ended, no change. */
enum scaler_metric {
    SCALER_DUTY, SCALER_CONCURRENCY, SCALER_RATE, SCALER_QUEUE,
    SCALER_KV_USE, SCALER_TOKENS, SCALER_FIRST_TOKEN, SCALER_PER_TOKEN, SCALER_METRICS
};

struct scaler_config {
    enum scaler_kind kind;
    uint32_t least, most, initial;    /* initial: NONE keeps it */
    int64_t period_ns;                /* between decisions */
    int64_t idle_ns;                  /* TIME_NEVER: no scale to zero */
    enum scaler_metric metric[HPA_METRICS_MOST];    /* HPA: of hpa.metric[] */
    struct hpa_config hpa;
    struct forecast_config forecast;  /* its bin is a multiple of the period */
    double headroom;                  /* FORECAST: factor of the rate */
    double replica_rate; /* FORECAST: requests per second of one replica; 0: replicas_for_slo() */
    int64_t lead_ns;                  /* FORECAST: how far ahead; a start-up */
    /* PROFILE: [n_profile] replicas by hour; 24 of the day or 168 of the week from Monday on */
    uint32_t n_profile, *profile;
    double first_hour;                /* hour of the week at the start of the service */
};
/* NONE, one replica; HPA: duty 0.6; forecast: headroom 1.2, 60 s ahead */
extern const struct scaler_config scaler_defaults;

struct scaler;
/* both borrowed */
struct scaler *scaler_new(const struct scaler_config *config, const struct service *s,
                          int64_t now_ns);
void scaler_free(struct scaler *x);                          /* NULL: does nothing */
/* of the last decision; at first the initial number */
uint32_t scaler_wants(const struct scaler *x);
/* One decision. ready: ready replicas; there: with pending and starting ones. */
uint32_t scaler_look(struct scaler *x, const struct serving_load *load, uint32_t ready,
                     uint32_t there);

/* The smallest number of replicas with which the share of the SLO meets it, by Erlang C and Allen
 * and Cunneen (queueing.h). A replica is as many servers as it has slots, with the service time of
 * full slots; the estimate of models.md 4.3, wait quantile + time of one request alone. `most` if
 * more are needed. */
uint32_t replicas_for_slo(const struct service *s, double rate, double gap_c2, uint32_t most);
