/* requests WHAT TIMES - how fast services are. Prints how much was done, and the least CPU time of TIMES in seconds.
 *   queue   requests one by one: M/M/16 at .9, one queue
 *   choices the same, each to the shorter of two queues
 *   flow    a day of 100 services at 1000 requests/s each, of lognormal service times, as flows, looked at every 15 s, with
 *           figures for each minute; replicas come and go every hour */
#include "sim/base/units.h"
#include "sim/serving/serving.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct service usual(const char *name, double rate, struct law law)
{
    struct service s = service_default();
    s.name = name;
    s.demand.rate = rate;
    s.time.law = law;
    s.slo.latency_s = 2 * law_mean_below(&law, INFINITY);
    return s;
}

static double one_by_one(enum dispatch dispatch)
{
    struct service s = usual("requests", 14.4, (struct law){ 1, { { .kind = LAW_EXPONENTIAL, .weight = 1, .scale = 1, .a = 1 } } });
    s.mode = SERVICE_REQUESTS;
    s.dispatch = dispatch;
    s.timeout_s = INFINITY;
    struct serving *v = serving_new(&s, 1);
    for (uint32_t i = 0; i < 16; i++)
        serving_replica_ready(v, i, 1);
    for (int64_t minute = 1; minute <= 2400; minute++) {
        serving_advance(v, minute * 60 * NS_PER_S);
        serving_take_figures(v);
    }
    double n = serving_total(v).served;
    serving_free(v);
    return n;
}

static double a_day_of_flow(void)
{
    enum { SERVICES = 100, TICKS = 86400 / 15 };
    double n = 0;
    for (int k = 0; k < SERVICES; k++) {
        char name[16];
        snprintf(name, sizeof name, "service %d", k);
        struct service s = usual(name, 1000, law_lognormal_of(.05, .03));
        static const double week[7] = { 1, 1, 1, 1, 1, 1, 1 };
        s.demand.calendar = calendar_of(calendar_helios_daily, week, 0, TIME_NEVER);
        s.demand.arrivals.kind = k % 2 ? ARRIVE_MMPP : ARRIVE_POISSON;
        struct serving *v = serving_new(&s, 1);
        for (uint32_t i = 0; i < 80; i++)
            serving_replica_ready(v, i, 1);
        for (int64_t tick = 1; tick <= TICKS; tick++) {
            serving_advance(v, tick * 15 * NS_PER_S);
            if (tick % 4 == 0)
                serving_take_figures(v);
            if (tick % 480 == 0)
                serving_replica_gone(v, 79);
            if (tick % 480 == 240)
                serving_replica_ready(v, tick == 240 ? 80 : 79, 1);
        }
        n += serving_total(v).served;
        serving_free(v);
    }
    return n;
}

int main(int argc, char **argv)
{
    double least_s = INFINITY, n = 0;
    if (argc != 3)
        return 2;
    for (int i = 0; i < atoi(argv[2]); i++) {
        clock_t begin = clock();
        n = !strcmp(argv[1], "flow") ? a_day_of_flow() : one_by_one(!strcmp(argv[1], "choices") ? DISPATCH_RANDOM2 : DISPATCH_CENTRAL);
        least_s = fmin(least_s, (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    printf("%.0f %.4f\n", n, least_s);
    return 0;
}
