/* scaler.h - how many replicas a service should have: a fixed number, a profile by the hour, the horizontal autoscaler or a
 * forecast.
 *
 * It looks every period. What it sees are differences of struct serving_load since its last look. With idle_ns the service goes to
 * none when no request has come or waited for so long, and back to one, whatever else is said, at the first look that sees one. */
#pragma once
#include "sim/serving/forecast.h"
#include "sim/serving/hpa.h"
#include "sim/serving/serving.h"

enum scaler_kind { SCALE_NONE, SCALE_PROFILE, SCALE_HPA, SCALE_FORECAST };
/* Of the ready replicas on the mean: DUTY, the share of the time in which they serve at all; CONCURRENCY, the requests being
 * served as a share of those that may be at once. Of the service: RATE, requests per second and QUEUE, requests waiting, for each replica. */
enum scaler_metric { SCALER_DUTY, SCALER_CONCURRENCY, SCALER_RATE, SCALER_QUEUE, SCALER_METRICS };

struct scaler_config {
    enum scaler_kind kind;
    uint32_t least, most, initial;    /* initial: of NONE, all along */
    int64_t period_ns;                /* of its looks */
    int64_t idle_ns;                  /* TIME_NEVER: it never goes to none for that */
    enum scaler_metric metric[HPA_METRICS_MOST];    /* of HPA: what hpa.metric[] reads */
    struct hpa_config hpa;
    struct forecast_config forecast;  /* its bin is a multiple of the period */
    double headroom;                  /* of FORECAST: the rate is multiplied by it */
    double replica_rate;              /* likewise: requests per second of one replica; 0: replicas_for_slo() */
    int64_t lead_ns;                  /* likewise: how far ahead; a start-up */
    uint32_t n_profile, *profile;     /* [n_profile] of PROFILE: replicas in each hour; 24 of the day or 168 of the week from Monday on */
    double first_hour;                /* of the week, when the service begins */
};
extern const struct scaler_config scaler_defaults;    /* NONE, one replica; HPA: duty 0.6; forecast: headroom 1.2, 60 s ahead */

struct scaler;
struct scaler *scaler_new(const struct scaler_config *config, const struct service *s, int64_t now_ns);    /* both borrowed */
void scaler_free(struct scaler *x);                          /* NULL: does nothing */
uint32_t scaler_wants(const struct scaler *x);               /* as of the last look; at first the initial number */
/* ready: as of now; there: those and what is still to become one. */
uint32_t scaler_look(struct scaler *x, const struct serving_load *load, uint32_t ready, uint32_t there);

/* The least number of replicas with which the share of the SLO keeps it by Erlang C and Allen and Cunneen (queueing.h), each a
 * server for as many requests at once as it can take, of the time that each takes then; the quick estimate of models.md 4.3,
 * wait quantile + time of one alone. `most` if more were needed. */
uint32_t replicas_for_slo(const struct service *s, double rate, double gap_c2, uint32_t most);
