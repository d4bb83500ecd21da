/* show_world.c - of the summary, what the parts of the physical world that were on have to say. */
#include "sim/cli/run/show.h"

#include <math.h>
#include <stdio.h>

/* What the section progress of the cluster file has asked for. */
static void locality(const struct shown *x, size_t width)
{
    double placement = show_value(x, "placement_slowdown");
    if (!isnan(placement))
        show_line(width, "locality", "%.3f times as long by placement, %.3f by sharing links, %.1f GPU h in all", placement,
             show_value(x, "link_slowdown"), show_value(x, "locality_gpu_h"));
}

/* Where the cluster file has a section failures. */
static void faults(const struct shown *x, size_t width)
{
    char up[SHOW_NUMBER];
    double nodes = show_value(x, "node_failures"), jobs_stopped = show_value(x, "job_failures");
    if (isnan(nodes))
        return;
    show_line(width, "failures", "%.0f of nodes; %.0f times a job was stopped; %s of GPU time up", nodes, jobs_stopped,
         show_percent(up, show_value(x, "availability")));
    show_line(width, "", "%.1f GPU h lost by failures, %.1f h held until found, %.0f job%s given up", show_value(x, "lost_by_failures_gpu_h"),
         show_value(x, "detection_gpu_h"), show_value(x, "jobs_given_up"), show_value(x, "jobs_given_up") == 1 ? "" : "s");
}

/* What the sections power and prices of the cluster file have asked for. */
static void bills(const struct shown *x, size_t width)
{
    char jobs_part[SHOW_NUMBER];
    double kwh = show_value(x, "energy_kwh"), usd = show_value(x, "cost_usd"), useful_usd = show_value(x, "cost_per_useful_gpu_h_usd");
    if (!isnan(kwh))
        show_line(width, "energy", "%.1f kWh (%s for jobs), %.1f kW mean, %.1f kW peak, %.1f kg CO2", kwh,
             show_percent(jobs_part, show_value(x, "energy_jobs_kwh") / kwh), show_value(x, "power_mean_w") / 1000, show_value(x, "power_peak_w") / 1000,
             show_value(x, "carbon_kg"));
    if (isnan(usd))
        return;
    if (isnan(useful_usd))
        show_line(width, "cost", "%.2f USD", usd);
    else
        show_line(width, "cost", "%.2f USD, %.2f USD per useful GPU h", usd, useful_usd);
}

/* What checkpoints, images and data have taken. */
static void transfers(const struct shown *x, size_t width)
{
    char part[SHOW_NUMBER];
    double written = show_value(x, "checkpoints"), pulls = show_value(x, "image_pulls"), read = show_value(x, "read_gib");
    if (!isnan(written))
        show_line(width, "checkpoints", "%.0f written (%.1f GiB), %.0f cut short, %.1f h stalled", written, show_value(x, "written_gib"),
             show_value(x, "checkpoints_cut_short"), show_value(x, "checkpoint_gpu_h"));
    if (!isnan(pulls))
        show_line(width, "images", "%.0f pulled, %.1f h waited for", pulls, show_value(x, "pull_gpu_h"));
    if (!isnan(read))
        show_line(width, "data", "%.1f GiB read, %s from nodes that had kept it", read, show_percent(part, show_value(x, "cache_hit_share")));
}

/* GPUs with several tenants, or cut into instances as jobs ask. */
static void shared_gpus(const struct shown *x, size_t width)
{
    double jobs = show_value(x, "sharing_jobs"), speed = show_value(x, "sharing_speed_mean"), made = show_value(x, "mig_reconfigurations");
    if (!isnan(jobs))
        show_line(width, "sharing", "%.0f jobs shared GPUs, mean speed %.3f, %.0f out of memory", jobs, isnan(speed) ? 1 : speed,
             show_value(x, "sharing_out_of_memory"));
    if (!isnan(made))
        show_line(width, "MIG", "%.0f instances made, %.1f GPU h waiting for that", made, show_value(x, "mig_reconfigure_gpu_hours"));
}

/* What a workload file with sessions has asked for. */
static void sessions(const struct shown *x, size_t width)
{
    char met[SHOW_NUMBER], active[SHOW_NUMBER];
    double n = show_value(x, "sessions"), slo = show_value(x, "session_slo_attainment"), share = show_value(x, "session_active_share");
    if (isnan(n))
        return;
    show_line(width, "sessions", "%.0f, %s started in time; %.0f abandoned, %.0f culled, %.0f expired, %.0f lost", n, show_percent(met, isnan(slo) ? 1 : slo),
         show_value(x, "sessions_abandoned"), show_value(x, "sessions_culled"), show_value(x, "sessions_expired"), show_value(x, "sessions_lost"));
    show_line(width, "", "%.1f GPU h held; active for %s of the time in use", show_value(x, "session_gpu_h_held"), show_percent(active, isnan(share) ? 0 : share));
}

/* Of all services together. */
static double of_services(const struct shown *x, const char *metric)
{
    return summary_value(x->summary, metric, "class=inference");
}

static void services(const struct shown *x, size_t width)
{
    char kept[SHOW_NUMBER], busy[SHOW_NUMBER];
    double arrived = of_services(x, "requests_arrived");
    if (isnan(arrived))
        return;
    show_line(width, "services", "%.0f requests: %s kept their SLO; %.0f dropped, %.0f unfinished", arrived, show_percent(kept, of_services(x, "slo_attainment")),
              of_services(x, "requests_dropped"), of_services(x, "requests_unfinished"));
    show_line(width, "", "replicas ready for %.1f h, serving for %s of it; %.0f cold starts", of_services(x, "replica_h"),
              show_percent(busy, of_services(x, "replica_duty")), of_services(x, "cold_starts"));
}

void show_world(const struct shown *x, size_t width)
{
    locality(x, width);
    transfers(x, width);
    shared_gpus(x, width);
    faults(x, width);
    bills(x, width);
    services(x, width);
    sessions(x, width);
}
