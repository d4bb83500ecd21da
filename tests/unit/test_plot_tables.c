/* test_plot_tables.c - the tables of every kind of plot, against values worked out by hand.
 *
 * One run of eight GPUs on one node, 300 s long. Job a (queue red, training) holds GPUs 0 to 2 from 0 to 100 s; c (red, training)
 * half of GPU 3 from 100 s to the end, when it still runs; b (queue blue, interactive) waits 200 s and holds GPUs 4 to 7 to the
 * end. Four sessions: three start after 10, 30 and 20 s. */
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/runs.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file { const char *name, *text; };
static const struct file files[] = {
    { "run/manifest.json", "{ \"policy\": \"p\", \"policy_text\": \"p\", \"placement\": \"q\", \"seed\": 1 }" },
    { "run/nodes.csv", "node,gpus,counted,useful_gpu_s,start_gpu_s,free_gpu_s\n0,8,0,600,150,1650\n" },
    { "run/jobs.csv", "job_id,queue,class,state,jct_s,wait_s,bounded_slowdown,finish_time_fairness\n"
                      "a,red,training,completed,100,0,1,1\n"
                      "b,blue,interactive,completed,300,200,3,2\n"
                      "c,red,training,running,,,,\n" },
    { "run/intervals.csv", "job_id,node,gpus,gpu_ids,gpu_milli,start_s,end_s\n"
                           "a,0,3,0-2,1000,0,100\nb,0,4,4-7,1000,200,300\nc,0,1,3,500,100,300\n" },
    { "run/timeseries.csv", "time_s,gpus_total,gpus_up,gpus_allocated,gpus_busy,jobs_waiting,gpus_waiting,power_w,sessions_queued,"
                            "sessions_starting,sessions_active,sessions_idle,sessions_released,carbon_g_per_h,cost_gpus_usd_per_h,"
                            "cost_pools_usd_per_h,cost_energy_usd_per_h\n"
                            "0,8,8,3,3,1,4,1000,4,0,0,0,0,500,3,,0.25\n100,8,8,0.5,0.5,1,4,400,0,0,1,1,2,200,0.5,,0.125\n"
                            "200,8,8,4.5,4,0,0,1200,0,0,1,1,2,600,4.5,,0.5\n300,8,8,0,0,0,0,200,0,0,0,0,0,100,0,,0\n" },
    { "run/queues.csv", "time_s,queue,gpus_allocated,gpus_deserved,gpus_demand,gpus_fair_share\n"
                        "0,red,3,2,3.5,\n0,blue,0,4,4,3\n100,red,0.5,2,0.5,\n200,blue,4,4,4,4\n300,red,0,2,0,\n300,blue,0,4,0,4\n" },
    { "run/summary.csv", "metric,scope,value,unit,n\nenergy_kwh,all,0.05,kWh,\njain_index,all,0.9,,\n"
                         "gpu_h_held,queue=red,1,GPU h,\nfair_share_held,queue=red,0.75,,\n"
                         "gpu_h_held,queue=blue,2,GPU h,\nfair_share_held,queue=blue,0.5,,\n" },
    { "run/services.csv", "time_s,service,arrived,served,dropped,latency_p50_s,latency_p99_s,slo_attainment,replicas_wanted,replicas_ready\n"
                          "60,chat,60,60,0,0.1,0.5,1,2,1\n120,chat,120,90,30,0.2,1,0.5,2,2\n" },
    { "run/sessions.csv", "outcome,slo_met,releases,preemptions,starting_gpu_s,active_gpu_s,idle_gpu_s,time_to_start_s\n"
                          "closed,1,0,0,160,900,0,10\nculled,1,1,0,100,0,1000,30\nclosed,1,0,0,100,0,1340,20\nabandoned,0,0,0,0,0,0,\n" },
    { "lanes/nodes.csv", "node,gpus,counted\n0,4,1\n1,2,0\n" },
    { "lanes/jobs.csv", "job_id,queue\na,x\nb,x\nc,y\nd,x\ne,y\nf,y\n" },
    { "lanes/intervals.csv", "job_id,node,gpus,gpu_ids,gpu_milli,start_s,end_s\n"
                             "a,0,2,,1000,0,100\nb,0,1,,1000,50,150\nd,1,1,0,300,0,100\ne,1,1,0,600,50,100\n"
                             "c,0,2,,1000,100,200\nf,0,2,,1000,160,200\n" },
    { "s1/manifest.json", "{ \"policy\": \"p\", \"policy_text\": \"p:k=2\", \"placement\": \"q\", \"seed\": 1 }" },
    { "s2/manifest.json", "{ \"policy\": \"p\", \"policy_text\": \"p:k=2\", \"placement\": \"q\", \"seed\": 2 }" },
    { "s3/manifest.json", "{ \"policy\": \"p\", \"policy_text\": \"p:k=2\", \"placement\": \"q\", \"seed\": 3 }" },
    { "other/manifest.json", "{ \"policy\": \"r\", \"policy_text\": \"r\", \"placement\": \"q\", \"seed\": 1 }" },
    { "s1/summary.csv", "metric,scope,value,unit,n\nwait_mean_s,all,1,s,1\n" },
    { "s2/summary.csv", "metric,scope,value,unit,n\nwait_mean_s,all,2,s,1\n" },
    { "s3/summary.csv", "metric,scope,value,unit,n\nwait_mean_s,all,3,s,1\n" },
    { "other/summary.csv", "metric,scope,value,unit,n\nwait_mean_s,all,7,s,1\n" },
    { "kinds/manifest.json", "{ \"policy\": \"p\", \"policy_text\": \"p\", \"placement\": \"q\", \"seed\": 1, \"counts\": { \"jobs\": 4 }, "
                             "\"configuration\": \"policy:\\nwarmup_jobs: 1\\n\" }" },
    { "kinds/jobs.csv", "job_id,state,jct_s,wait_s,bounded_slowdown\nfirst,completed,90,0,1\na,completed,400,0,1\n"
                        "b,failed,600,100,2\nc,pending,,,\nservice/0,completed,9999,0,\nsession,completed,70,0,\n" },
    { "late/manifest.json", "{ \"policy\": \"p\", \"policy_text\": \"p\", \"placement\": \"q\", \"seed\": 1 }" },
    { "late/timeseries.csv", "time_s,gpus_total\n0,8\n300,8\n" },
    { "late/summary.csv", "metric,scope,value,unit,n\ngpu_h_held,queue=red,1,GPU h,\n" },
    { "late/queues.csv", "time_s,queue,gpus_allocated,gpus_deserved,gpus_demand,gpus_fair_share\n100,red,3,2,3,\n200,red,5,4,5,\n300,red,0,4,0,\n" },
    { "design/sweep.csv", "point,name,load,policy,seed,metric,scope,value,unit,n\n"
                          "0,a,0.8,fifo,1,wait_mean_s,all,1,s,1\n1,b,0.8,fifo,2,wait_mean_s,all,3,s,1\n2,c,1.2,fifo,1,wait_mean_s,all,7,s,1\n"
                          "3,d,1.2,fifo,2,wait_mean_s,all,9,s,1\n4,e,1,fifo,1,wait_mean_s,all,5,s,1\n5,f,1,fifo,2,wait_mean_s,all,5,s,1\n" },
    { "r1/manifest.json", "{ \"policy\": \"p\", \"policy_text\": \"p\", \"placement\": \"q\", \"seed\": 1 }" },
    { "r2/manifest.json", "{ \"policy\": \"r\", \"policy_text\": \"r\", \"placement\": \"q\", \"seed\": 1 }" },
    { "r1/jobs.csv", "job_id,state,jct_s,wait_s,bounded_slowdown,gpus,class,queue,wait_order_s,wait_gpus_s\na,completed,100,0,1,1,train,red,0,0\n"
                     "b,completed,200,100,2,3,train,red,40,60\nc,completed,300,200,2,4,infer,,200,0\nd,running,,,,4,infer,,,\n" },
    { "r2/jobs.csv", "job_id,state,jct_s,wait_s,bounded_slowdown\na,completed,50,0,1\nb,completed,400,300,4\nc,running,,,\ne,completed,10,0,1\n" },
    { "r3/manifest.json", "{ \"policy\": \"r\", \"policy_text\": \"r\", \"placement\": \"q\", \"seed\": 1 }" },
    { "r3/jobs.csv", "job_id,state,jct_s,wait_s,bounded_slowdown\na,completed,50,0,1\nb,completed,400000,399800,2000\n" },
    { "r1/timeseries.csv", "time_s,gpus_total,jobs_running,jobs_waiting\n0,8,1,2\n100,8,3,0\n200,8,0,0\n" },
    { "r1/summary.csv", "metric,scope,value,unit,n\npreemptions_reclaim,all,3,,1\npreemptions_reclaim,queue=red,2,,1\npreemptions_move,all,1,,1\n" },
    { "n1/manifest.json", "{ \"policy\": \"n\", \"policy_text\": \"n\", \"placement\": \"q\", \"seed\": 2 }" },
    { "n2/manifest.json", "{ \"policy\": \"n\", \"policy_text\": \"n\", \"placement\": \"q\", \"seed\": 1 }" },
    { "n1/summary.csv", "metric,scope,value,unit,n\nwait_mean_s,all,3,s,1\n" },
    { "n2/summary.csv", "metric,scope,value,unit,n\nwait_mean_s,all,2,s,1\n" },
    { "f1/manifest.json", "{ \"policy\": \"a\", \"policy_text\": \"a\", \"placement\": \"q\", \"seed\": 1 }" },
    { "f1/summary.csv", "metric,scope,value,unit,n\njct_mean_s,all,10,s,1\nfinish_time_fairness_p95,all,1,,1\n" },
    { "f2/manifest.json", "{ \"policy\": \"b\", \"policy_text\": \"b\", \"placement\": \"q\", \"seed\": 1 }" },
    { "f2/summary.csv", "metric,scope,value,unit,n\njct_mean_s,all,5,s,1\nfinish_time_fairness_p95,all,3,,1\n" },
    { "f3/manifest.json", "{ \"policy\": \"c\", \"policy_text\": \"c\", \"placement\": \"q\", \"seed\": 1 }" },
    { "f3/summary.csv", "metric,scope,value,unit,n\njct_mean_s,all,12,s,1\nfinish_time_fairness_p95,all,2,,1\n" },
    { "load/manifest.json", "{ \"policy\": \"p\", \"policy_text\": \"p\", \"placement\": \"q\", \"seed\": 1 }" },
    { "load/jobs.csv", "job_id,state,bounded_slowdown,gpus,submit_s,start_s,end_s,jct_s,slowdown,run_s\nb,completed,1,1,5,5,105,100,1,100\n"
                       "a,completed,2,4,0,50,200,200,2,150\nc,running,,2,5,5,,,,195\nd,failed,1,4,9,9,10,1,1,1\n" },
    { "load/timeseries.csv", "time_s,gpus_total,gpus_allocated\n0,8,4\n5,8,5\n8,8,6\n200,8,0\n" },
    { "load/summary.csv", "metric,scope,value,unit,n\nmttf_h,gpus<=8,12,h,1\n" },
    { "swept/sweep.csv", "point,name,load,policy,seed,metric,scope,value,unit,n\n"
                         "0,a,2,fifo,1,wait_mean_s,all,1,s,1\n1,b,1,fifo,1,wait_mean_s,all,5,s,1\n2,c,2,fifo,2,wait_mean_s,all,3,s,1\n"
                         "3,d,2,sjf,1,wait_mean_s,all,4,s,1\n3,d,2,sjf,1,util_alloc,all,0.5,,1\n" },
};

#define RUN "\"p, q\","
static const struct row {
    const char *name, *kind, *directory[4], *want;
} rows[] = {
    /* Two of two jobs have ended. The axis begins at 50, of 1, 2 and 5 times a power of ten the next below 100, so that a curve
     * has a beginning, and ends 15 % right of the last. */
    { "jct_cdf", "jct_cdf", { "run" }, "run,jct_s,percent,percent_low,percent_high\n" RUN "50,0,,\n" RUN "100,50,,\n" RUN "300,100,,\n" RUN "345,100,,\n" },
    /* Of the trace's four jobs one is of the warm-up and one has not started; the replica and the session are no jobs of it. */
    { "jct_cdf: the jobs that the summary counts", "jct_cdf", { "kinds" },
      "run,jct_s,percent,percent_low,percent_high\n" RUN "200,0,,\n" RUN "400,50,,\n" RUN "600,100,,\n" RUN "690,100,,\n" },
    /* Half have not waited: the curve begins there. */
    { "wait_cdf", "wait_cdf", { "run" }, "run,wait_s,percent,percent_low,percent_high\n" RUN "100,50,,\n" RUN "200,100,,\n" RUN "230,100,,\n" },
    { "slowdown_cdf", "slowdown_cdf", { "run" }, "run,bounded_slowdown,percent,percent_low,percent_high\n" RUN "1,50,,\n" RUN "3,100,,\n" RUN "3.45,100,,\n" },
    /* Both queues have 400 GPU s: the first of queues.csv is the lower band. 750 of 800 GPU s of progress are less than 98 %. */
    { "utilisation", "utilisation", { "run" },
      "run,band,time_s,value,top\n" RUN "red,0,3,3\n" RUN "red,100,0.5,0.5\n" RUN "red,200,0.5,0.5\n" RUN "red,300,0,0\n" RUN "red,300,0,0\n"
      RUN "blue,0,0,3\n" RUN "blue,100,0,0.5\n" RUN "blue,200,4,4.5\n" RUN "blue,300,0,0\n" RUN "blue,300,0,0\n"
      RUN "all GPUs,0,8,\n" RUN "all GPUs,300,8,\n" RUN "making progress,0,3,\n" RUN "making progress,100,0.5,\n"
      RUN "making progress,200,4,\n" RUN "making progress,300,0,\n" RUN "making progress,300,0,\n" },
    /* The same holds by class: 3 x 100 + 0.5 x 200 and 4 x 100 GPU s. */
    { "utilisation_class", "utilisation_class", { "run" },
      "run,band,time_s,value,top\n" RUN "training,0,3,3\n" RUN "training,100,0.5,0.5\n" RUN "training,200,0.5,0.5\n" RUN "training,300,0,0\n"
      RUN "training,300,0,0\n" RUN "interactive,0,0,3\n" RUN "interactive,100,0,0.5\n" RUN "interactive,200,4,4.5\n" RUN "interactive,300,0,0\n"
      RUN "interactive,300,0,0\n" RUN "all GPUs,0,8,\n" RUN "all GPUs,300,8,\n" RUN "making progress,0,3,\n" RUN "making progress,100,0.5,\n"
      RUN "making progress,200,4,\n" RUN "making progress,300,0,\n" RUN "making progress,300,0,\n" },
    /* Half a GPU of b starts up from 200 s on; a job waits until then. Nothing is out of service. */
    { "utilisation_state", "utilisation_state", { "run" },
      "run,band,time_s,value,top\n" RUN "making progress,0,3,3\n" RUN "making progress,100,0.5,0.5\n" RUN "making progress,200,4,4\n"
      RUN "making progress,300,0,0\n" RUN "making progress,300,0,0\n" RUN "held without progress,0,0,3\n" RUN "held without progress,100,0,0.5\n"
      RUN "held without progress,200,0.5,4.5\n" RUN "held without progress,300,0,0\n" RUN "held without progress,300,0,0\n"
      RUN "free while jobs wait,0,5,8\n" RUN "free while jobs wait,100,7.5,8\n" RUN "free while jobs wait,200,0,4.5\n"
      RUN "free while jobs wait,300,0,0\n" RUN "free while jobs wait,300,0,0\n" RUN "\"free, no job waits\",0,0,8\n"
      RUN "\"free, no job waits\",100,0,8\n" RUN "\"free, no job waits\",200,3.5,8\n" RUN "\"free, no job waits\",300,8,8\n"
      RUN "\"free, no job waits\",300,8,8\n" RUN "all GPUs,0,8,\n" RUN "all GPUs,300,8,\n" },
    /* Free: GPUs 3 to 7; then all but 3, of which half is; then 0, 1 and 2, and the half. That all eight are free is of no length. */
    { "fragmentation", "fragmentation", { "run" },
      "run,band,time_s,value,top\n" RUN "parts of shared GPUs,0,0,0\n" RUN "parts of shared GPUs,100,0.5,0.5\n"
      RUN "parts of shared GPUs,200,0.5,0.5\n" RUN "parts of shared GPUs,300,0,0\n" RUN "parts of shared GPUs,300,0,0\n"
      RUN "2 or 3 together,0,0,0\n" RUN "2 or 3 together,100,0,0.5\n" RUN "2 or 3 together,200,3,3.5\n" RUN "2 or 3 together,300,0,0\n"
      RUN "2 or 3 together,300,0,0\n" RUN "4 to 7 together,0,5,5\n" RUN "4 to 7 together,100,7,7.5\n" RUN "4 to 7 together,200,0,3.5\n"
      RUN "4 to 7 together,300,0,0\n" RUN "4 to 7 together,300,0,0\n" },
    /* 600, 150 and 1650 of 2400 GPU s. */
    { "ledger", "ledger", { "run" },
      "run,account,from_percent,to_percent,gpu_s\n" RUN "useful work,0,25,600\n" RUN "starting,25,31.25,150\n" RUN "free,31.25,100,1650\n" },
    { "queue_length", "queue_length", { "run" },
      "run,time_s,jobs_waiting,gpus_waiting\n" RUN "0,1,\n" RUN "200,0,\n" RUN "300,0,\n" RUN "0,,4\n" RUN "200,,0\n" RUN "300,,0\n" },
    { "energy", "energy", { "run" },
      "run,time_s,power_kw\n" RUN "0,1\n" RUN "100,0.4\n" RUN "200,1.2\n" RUN "300,0.2\n" RUN "300,0.2\n" },
    { "carbon", "carbon", { "run" },
      "run,time_s,carbon_kg_per_h\n" RUN "0,0.5\n" RUN "100,0.2\n" RUN "200,0.6\n" RUN "300,0.1\n" RUN "300,0.1\n" },
    /* GPUs and energy; there are no pools. */
    { "cost", "cost", { "run" },
      "run,time_s,cost_usd_per_h\n" RUN "0,3.25\n" RUN "100,0.625\n" RUN "200,5\n" RUN "300,0\n" RUN "300,0\n" },
    /* Of three GPUs red has two within its quota; no policy told its fair share. */
    { "quota", "quota", { "run" },
      "queue,time_s,held_within_quota,held,demand,fair_share,quota\n" "red,0,2,3,3.5,,2\nred,100,0.5,0.5,0.5,,2\nred,300,0,0,0,,2\n"
      "red,300,0,0,0,,2\nblue,0,0,0,4,3,4\nblue,200,4,4,4,4,4\nblue,300,0,0,0,4,4\nblue,300,0,0,0,4,4\n" },
    /* The quota of the first row holds before it; then each row has its own. */
    { "quota: as it is at each time", "quota", { "late" },
      "queue,time_s,held_within_quota,held,demand,fair_share,quota\nred,0,0,0,0,,2\nred,100,2,3,3,,2\nred,200,4,5,5,,4\nred,300,0,0,0,,4\n"
      "red,300,0,0,0,,4\n" },
    /* Ratios begin at nine tenths of the smallest. The queue with more GPU time comes first. */
    { "fairness", "fairness", { "run" },
      "run,finish_time_fairness,percent,queue,fair_share_held\n" RUN "0.9,0,,\n" RUN "1,50,,\n" RUN "2,100,,\n" RUN "2.3,100,,\n"
      RUN ",,blue,0.5\n" RUN ",,red,0.75\n" },
    /* Intervals of a minute, told at their ends. */
    { "services", "services", { "run" },
      "service,time_s,requests_per_s,latency_p50_s,latency_p99_s,slo_kept_percent,replicas_wanted,replicas_ready\n"
      "chat,0,1,0.1,0.5,100,2,1\nchat,60,2,0.2,1,50,2,2\n" },
    /* Quantiles of type 7 of 10, 20 and 30 s: 20, 10 + 1.8 x 10 and 10 + 1.98 x 10. Bands: 100 s x 4 queued, then 200 s. */
    { "sessions", "sessions", { "run" },
      "run,band,time_s,value,top,time_to_start_s,percent,quantile_s,quantile_percent,outcome,sessions\n"
      RUN "active,0,0,0,,,,,,\n" RUN "active,100,1,1,,,,,,\n" RUN "active,300,0,0,,,,,,\n" RUN "active,300,0,0,,,,,,\n"
      RUN "\"idle, hold GPUs\",0,0,0,,,,,,\n" RUN "\"idle, hold GPUs\",100,1,2,,,,,,\n" RUN "\"idle, hold GPUs\",300,0,0,,,,,,\n"
      RUN "\"idle, hold GPUs\",300,0,0,,,,,,\n" RUN "wait for GPUs,0,4,4,,,,,,\n" RUN "wait for GPUs,100,0,2,,,,,,\n"
      RUN "wait for GPUs,300,0,0,,,,,,\n" RUN "wait for GPUs,300,0,0,,,,,,\n" RUN "gave GPUs back,0,0,4,,,,,,\n"
      RUN "gave GPUs back,100,2,4,,,,,,\n" RUN "gave GPUs back,300,0,0,,,,,,\n" RUN "gave GPUs back,300,0,0,,,,,,\n"
      RUN ",,,,5,0,,,,\n" RUN ",,,,10,33.33333333333333,,,,\n" RUN ",,,,20,66.66666666666667,,,,\n" RUN ",,,,30,100,,,,\n" RUN ",,,,34.5,100,,,,\n"
      RUN ",,,,,,20,50,,\n" RUN ",,,,,,28,90,,\n" RUN ",,,,,,29.8,99,,\n"
      RUN ",,,,,,,,closed,2\n" RUN ",,,,,,,,culled,1\n" RUN ",,,,,,,,abandoned,1\n" },
    /* Lane 0 is on top; c takes half of lane 3. */
    { "gantt", "gantt", { "run" },
      "node,queue,job,start_s,end_s,lane_top,lane_bottom,percent\n0,red,a,0,100,0,3,\n0,red,c,100,300,3,3.5,\n0,blue,b,200,300,4,8,\n" },
    /* On a counted node a hold gets the lowest lanes that are free: c those of a, f that of b and the last. Jobs that share a GPU lie
     * above each other: e begins at the 0.3 of d. */
    { "gantt: counted nodes, and shares", "gantt", { "lanes" },
      "node,queue,job,start_s,end_s,lane_top,lane_bottom,percent\n0,x,a,0,100,0,2,\n1,x,d,0,100,4,4.3,\n1,y,e,50,100,4.3,4.9,\n"
      "0,x,b,50,150,2,3,\n0,y,c,100,200,0,2,\n0,y,f,160,200,2,4,\n" },
    /* 1, 2 and 3 have mean 2 and s = 1; t(2 degrees, 0.975) = 4.30265273 (Abramowitz and Stegun, table 26.10: 4.303): 2 +- 2.48413771. */
    { "compare", "compare", { "s1", "s2", "s3", "other" },
      "metric,scope,unit,run,n,mean,half_width\nwait_mean_s,all,s,\"p:k=2, q (3 runs)\",3,2,2.4841377118\nwait_mean_s,all,s,\"r, q\",1,7,\n" },
    { "compare: what is alone has no interval", "compare", { "s1", "other" },
      "metric,scope,unit,run,n,mean,half_width\nwait_mean_s,all,s,\"p:k=2, q\",1,1,\nwait_mean_s,all,s,\"r, q\",1,7,\n" },
    /* Seeds are a group; loads stand by size, 1 before 1.2, and their name is in the label, for the policy is the same. 1 and 3:
     * 2 +- t(1 degree, 0.975) x s / sqrt(2) = 12.7062047 x 1. */
    { "compare: the points of a sweep", "compare", { "design" },
      "metric,scope,unit,run,n,mean,half_width\nwait_mean_s,all,s,load = 0.8 (2 runs),2,2,12.7062047362\n"
      "wait_mean_s,all,s,load = 1 (2 runs),2,5,0\nwait_mean_s,all,s,load = 1.2 (2 runs),2,8,12.7062047362\n" },
    /* Quantiles of type 7. One job of one GPU; two of 3 and 4: of 200 and 300 s, and of waits of 100 and 200 s. */
    { "by_size", "by_size", { "r1" },
      "run,measure,part,jobs,p5,p25,p50,p75,p95\n" RUN "jct_s,1 GPU,1,100,100,100,100,100\n" RUN "jct_s,3 to 4 GPUs,2,205,225,250,275,295\n"
      RUN "wait_s,1 GPU,1,0,0,0,0,0\n" RUN "wait_s,3 to 4 GPUs,2,105,125,150,175,195\n" },
    { "by_class", "by_class", { "r1" },
      "run,measure,part,jobs,p5,p25,p50,p75,p95\n" RUN "jct_s,train,2,105,125,150,175,195\n" RUN "jct_s,infer,1,300,300,300,300,300\n"
      RUN "wait_s,train,2,5,25,50,75,95\n" RUN "wait_s,infer,1,200,200,200,200,200\n" },
    { "by_queue", "by_queue", { "r1" },
      "run,measure,part,jobs,p5,p25,p50,p75,p95\n" RUN "jct_s,red,2,105,125,150,175,195\n" RUN "jct_s,(no queue),1,300,300,300,300,300\n"
      RUN "wait_s,red,2,5,25,50,75,95\n" RUN "wait_s,(no queue),1,200,200,200,200,200\n" },
    /* 240 and 60 s of three finished jobs. */
    { "wait_reasons", "wait_reasons", { "r1" }, "run,reason,from_s,to_s,mean_s\n" RUN "order,0,80,80\n" RUN "gpus,80,100,20\n" },
    { "preemptions", "preemptions", { "r1" }, "run,cause,from,to,preemptions\n" RUN "reclaim,0,3,3\n" RUN "move,3,4,1\n" },
    { "jobs", "jobs", { "r1" },
      "run,time_s,jobs_running,jobs_waiting\n" RUN "0,1,\n" RUN "100,3,\n" RUN "200,0,\n" RUN "200,0,\n" RUN "0,,2\n" RUN "100,,0\n" RUN "200,,0\n" },
    /* 50 over 100 and 400 over 200 s; c has not ended, and e is not in the first. From nine tenths of the smallest on. */
    { "jct_ratio", "jct_ratio", { "r1", "r2" },
      "run,jct_ratio,percent,percent_low,percent_high\n" RUN "0.45,0,,\n" RUN "1,100,,\n" RUN "2.3,100,,\n\"r, q\",0.45,0,,\n\"r, q\",0.5,50,,\n\"r, q\",2,100,,\n\"r, q\",2.3,100,,\n" },
    /* 50 over 100 and 400,000 over 200 s: ratios below 1 are seen, however far the others go. */
    { "jct_ratio: far apart", "jct_ratio", { "r1", "r3" },
      "run,jct_ratio,percent,percent_low,percent_high\n" RUN "0.45,0,,\n" RUN "1,100,,\n" RUN "2300,100,,\n\"r, q\",0.45,0,,\n\"r, q\",0.5,50,,\n\"r, q\",2000,100,,\n\"r, q\",2300,100,,\n" },
    /* By seed, not by place: 2 over 1 of seed 1, and 3 over 2 of seed 2: exp of the mean of their logarithms, sqrt(3), and of its
     * bounds, (ln 2 + ln 1.5) / 2 +- 12.7062047 x (ln 2 - ln 1.5) / 2; 12.7062047 is t(1 degree, 0.975). */
    { "normalised", "normalised", { "s1", "s2", "n1", "n2" },
      "metric,scope,run,n,mean,low,high\nwait_mean_s,all,\"p:k=2, q (2 runs)\",2,1,1,1\nwait_mean_s,all,\"n, q (2 runs)\",2,1.73205080757,0.27849156386,10.7723191267\n" },
    /* The third is worse than the first in both. */
    { "pareto", "pareto", { "f1", "f2", "f3" },
      "run,x,half_x,y,half_y,on_front\n\"a, q\",10,,1,,yes\n\"b, q\",5,,3,,yes\n\"c, q\",12,,2,,no\n" },
    /* 4 GPUs at 0 s; 1 and 2 at 5 s, of which 5 of 8 are then held; 4 more at 9 s, after the row of 8 s. */
    { "arrived_load", "arrived_load", { "load" },
      "run,time_s,arrived_percent,allocated_percent\n" RUN "0,0,0\n" RUN "0,50,50\n" RUN "5,87.5,62.5\n" RUN "9,137.5,75\n" },
    /* The minute of 60 requests kept the SLO; of 120 in the next half did. */
    { "service_load", "service_load", { "run" },
      "run,service,requests_per_s,goodput_per_s,latency_p99_s\n" RUN "chat,1,1,\n" RUN "chat,2,1,\n" RUN "chat,1,,0.5\n" RUN "chat,2,,1\n" },
    /* a: 200 s at a slowdown of 2 are 100 s of service, in the 150 s from its start. What failed or runs is no part of it. */
    { "reliability", "reliability", { "load" },
      "run,size,mttf_h,ettr_percent\n" RUN "2-8,12,\n" RUN "1,,100\n" RUN "2-8,,66.6666666667\n" },
    /* The axis is the load, in order of its values. 1 and 3 have mean 2 and s / sqrt(2) = 1; t(1 degree, 0.975) = 12.7062047. */
    { "sweep", "sweep", { "swept" },
      "metric,scope,unit,line,x,n,mean,low,high\nwait_mean_s,all,s,fifo,1,1,5,5,5\nwait_mean_s,all,s,fifo,2,2,2,-10.7062047362,14.7062047362\n"
      "wait_mean_s,all,s,sjf,2,1,4,4,4\n" },
};

/* A part of the time. */
static const struct part { const char *name; struct row row; double from_s, to_s; } parts[] = {
    /* From 50 to 250 s: what holds then from its beginning on, and to its end. */
    { "energy: a part", { "energy", "energy", { "run" }, "run,time_s,power_kw\n" RUN "0,1\n" RUN "50,0.4\n" RUN "150,1.2\n" RUN "200,1.2\n" }, 50, 250 },
    { "jobs: a part", { "jobs", "jobs", { "r1" },
      "run,time_s,jobs_running,jobs_waiting\n" RUN "0,1,\n" RUN "50,3,\n" RUN "100,3,\n" RUN "0,,2\n" RUN "50,,0\n" RUN "100,,0\n" }, 50, 150 },
    /* 3 x 50 + 0.5 x 150 and 4 x 50 GPU s are held, 3 x 50 + 0.5 x 100 + 4 x 50 of them are progress. */
    { "utilisation: a part", { "utilisation", "utilisation", { "run" },
      "run,band,time_s,value,top\n" RUN "red,0,3,3\n" RUN "red,50,0.5,0.5\n" RUN "red,150,0.5,0.5\n" RUN "red,200,0.5,0.5\n"
      RUN "blue,0,0,3\n" RUN "blue,50,0,0.5\n" RUN "blue,150,4,4.5\n" RUN "blue,200,4,4.5\n"
      RUN "all GPUs,0,8,\n" RUN "all GPUs,200,8,\n" RUN "making progress,0,3,\n" RUN "making progress,50,0.5,\n"
      RUN "making progress,150,4,\n" RUN "making progress,200,4,\n" }, 50, 250 },
    { "quota: a part", { "quota", "quota", { "run" },
      "queue,time_s,held_within_quota,held,demand,fair_share,quota\n" "red,0,2,3,3.5,,2\nred,50,0.5,0.5,0.5,,2\nred,200,0.5,0.5,0.5,,2\n"
      "blue,0,0,0,4,3,4\nblue,150,4,4,4,4,4\nblue,200,4,4,4,4,4\n" }, 50, 250 },
    /* f begins after it. */
    { "gantt: a part", { "gantt", "gantt", { "lanes" },
      "node,queue,job,start_s,end_s,lane_top,lane_bottom,percent\n0,x,a,0,50,0,2,\n1,x,d,0,50,4,4.3,\n1,y,e,0,50,4.3,4.9,\n"
      "0,x,b,0,100,2,3,\n0,y,c,50,100,0,2,\n" }, 50, 150 },
    /* The minute that ends at 120 s is in it, that at 60 s is not. */
    { "services: a part", { "services", "services", { "run" },
      "service,time_s,requests_per_s,latency_p50_s,latency_p99_s,slo_kept_percent,replicas_wanted,replicas_ready\n"
      "chat,0,2,0.2,1,50,2,2\n" }, 60, 120 },
};

/* ---- The table of a kind ---- */

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; plot_kinds[i]; i++)
        if (!strcmp(plot_kinds[i]->name, name))
            return plot_kinds[i];
    fail_msg("no kind %s", name);
    return NULL;
}

static char *read_back(FILE *f)
{
    char *text = NULL;
    size_t capacity = 0;
    rewind(f);
    if (getdelim(&text, &capacity, '\0', f) < 0)
        fail_msg("an empty table");
    return text;
}

/* What a kind says of these directories, as CSV or, with a script, as commands for gnuplot; free() it. */
static char *made(const char *name, const char *const *directory, const char *script, struct window shown)
{
    static const char *const metric[] = { "wait_mean_s" };
    const struct kind *k = kind_of(name);
    struct plot_request r = { .canvas = { .format = script ? PLOT_SVG : PLOT_CSV }, .metrics = 1, .metric = metric,
                              .window = shown };
    static const char *const opposed[] = { "jct_mean_s", "finish_time_fairness_p95" };
    if (!strcmp(name, "pareto")) {
        r.metrics = 2;
        r.metric = opposed;
    }
    struct arena *memory = arena_new();
    struct error err = { "" };
    char *path[4] = { NULL };
    for (; r.n < 4 && directory[r.n]; r.n++)
        path[r.n] = mem_text(directory[r.n], strlen(directory[r.n]));
    r.run = plot_runs(memory, path, r.n, &r.groups, &r.group_label);
    struct figure *f = figure_new(&r.canvas);
    if (k->make(k, &r, f, &err))
        fail_msg("%s: %s", name, err.text);
    FILE *file = tmpfile();
    assert_non_null(file);
    struct output *o = output_stream(fileno(file), "a file");
    if (script)
        figure_commands(f, script, o);
    else
        figure_csv(f, k->columns, o);
    assert_int_equal(output_commit(o, &err), 0);
    char *text = read_back(file);
    fclose(file);
    figure_free(f);
    arena_free(memory);
    for (size_t i = 0; i < r.n; i++)
        free(path[i]);
    return text;
}

/* Cells are told apart by commas, also those within quotes: both sides have them. */
static void assert_same_cell(const char *line, const char *got, size_t n, const char *want, size_t m)
{
    char x[200], y[200], *x_end, *y_end;
    assert_true(n < sizeof x && m < sizeof y);
    snprintf(x, sizeof x, "%.*s", (int)n, got);
    snprintf(y, sizeof y, "%.*s", (int)m, want);
    double a = strtod(x, &x_end), b = strtod(y, &y_end);
    bool numbers = *x && *y && !*x_end && !*y_end;
    if (numbers ? fabs(a - b) > 1e-9 * fabs(b) : strcmp(x, y) != 0)
        fail_msg("%.*s: want %s, got %s", (int)strcspn(line, "\n"), line, y, x);
}

static void assert_same_table(const char *got, const char *want)
{
    const char *line = got;
    while (*got && *want) {
        size_t n = strcspn(got, ",\n"), m = strcspn(want, ",\n");
        assert_same_cell(line, got, n, want, m);
        got += n;
        want += m;
        if (*got != *want)
            fail_msg("%.*s: another number of cells", (int)strcspn(line, "\n"), line);
        line = *got == '\n' ? got + 1 : line;
        got += *got != '\0';
        want += *want != '\0';
    }
    if (*got || *want)
        fail_msg("want '%s', got '%s'", want, got);
}

static void table(void **state)
{
    const struct row *row = *state;
    char *got = made(row->kind, row->directory, NULL, (struct window){ 0 });
    assert_same_table(got, row->want);
    free(got);
}

static void part_of_time(void **state)
{
    const struct part *part = *state;
    struct window shown = { .has_from = true, .has_to = true, .from_s = part->from_s, .to_s = part->to_s };
    char *got = made(part->row.kind, part->row.directory, NULL, shown);
    assert_same_table(got, part->row.want);
    free(got);
}

/* ---- What is no table of a few rows ---- */

static double number_at(const char *text, size_t line, size_t column)
{
    while (line-- > 0)
        text = strchr(text, '\n') + 1;
    while (column-- > 0)
        text = strchr(text, ',') + 1;
    return strtod(text, NULL);
}

/* 400 steps of 0.75 s. In the 134th, from 99.75 s, are 0.25 s of 3 GPUs and 0.5 s of half a GPU: (0.75 + 0.25) / 0.75 of 8. */
static void heat_of_nodes(void **state)
{
    (void)state;
    char *got = made("nodes", (const char *const[]){ "run", NULL }, NULL, (struct window){ 0 });
    size_t lines = 0;
    for (const char *at = got; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 401);
    assert_near(number_at(got, 1, 3), 37.5, 1e-12);
    assert_near(number_at(got, 134, 1), 99.75, 1e-12);
    assert_near(number_at(got, 134, 3), 100 * (1 / .75) / 8, 1e-9);
    assert_near(number_at(got, 400, 3), 56.25, 1e-9);
    free(got);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* A label that would be two commands is one text between single quotes, in which they are doubled; its line ends are blanks. */
static void names_are_texts(void **state)
{
    (void)state;
    mkdir("bad", 0777);
    write_text("bad/manifest.json", "{ \"policy\": \"it's\\n`touch x`\\u0007$(touch y)@z\", \"seed\": 1 }");
    write_text("bad/jobs.csv", files[2].text);
    char *got = made("jct_cdf", (const char *const[]){ "bad", NULL }, "jct_cdf.gp", (struct window){ 0 });
    assert_non_null(strstr(got, "\ntitle1 = 'it''s `touch x` $(touch y)@z: 2 jobs, 1 unfinished left out'\n"));
    assert_non_null(strstr(got, "\n$curve1 << end_of_rows\n50 0 NaN NaN\n100 50 NaN NaN\n300 100 NaN NaN\n345 100 NaN NaN\nend_of_rows\nload 'jct_cdf.gp'\n"));
    free(got);
}

static void the_list_has_the_names_of_the_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; plot_kinds[i] || plot_kind_names[i]; i++) {
        assert_string_equal(plot_kinds[i]->name, plot_kind_names[i]);
        assert_true(plot_kinds[i]->make && *plot_kinds[i]->columns && *plot_kinds[i]->script && plot_kinds[i]->file[0]);
    }
}

/* A kind without a row here is not tested. */
static void every_kind_is_tested(void **state)
{
    (void)state;
    for (size_t i = 0; plot_kinds[i]; i++) {
        bool found = !strcmp(plot_kinds[i]->name, "nodes");
        for (size_t k = 0; k < COUNT(rows); k++)
            found = found || !strcmp(rows[k].kind, plot_kinds[i]->name);
        if (!found)
            fail_msg("no row for %s", plot_kinds[i]->name);
    }
}

/* ---- The files ---- */

static char folder[] = "/tmp/gpuyard-plot-tables.XXXXXX";

static int write_files(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    for (size_t i = 0; i < COUNT(files); i++) {
        char directory[64];
        snprintf(directory, sizeof directory, "%.*s", (int)strcspn(files[i].name, "/"), files[i].name);
        mkdir(directory, 0777);
        write_text(files[i].name, files[i].text);
    }
    return 0;
}

static int remove_files(void **state)
{
    static const char *const directories[] = { "run", "lanes", "s1", "s2", "s3", "other", "swept", "bad", "kinds", "late", "design",
                                             "r1",    "r2",    "r3",   "n1", "n2", "f1", "f2",    "f3", "load" };
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++)
        unlink(files[i].name);
    unlink("bad/manifest.json");
    unlink("bad/jobs.csv");
    for (size_t i = 0; i < COUNT(directories); i++)
        rmdir(directories[i]);
    return chdir("/") || rmdir(folder);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, table, rows);
    ADD_ROWS(tests, n, part_of_time, parts);
    ADD_TEST(tests, n, heat_of_nodes);
    ADD_TEST(tests, n, names_are_texts);
    ADD_TEST(tests, n, the_list_has_the_names_of_the_kinds);
    ADD_TEST(tests, n, every_kind_is_tested);
    return cmocka_run_group_tests(tests, write_files, remove_files);
}
