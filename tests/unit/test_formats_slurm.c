/* test_formats_slurm.c - logs of sacct: each form of its cells, what is read from them, what is said of them, and what is
 * wrong with them. Expected values: by hand, from the rules in traces/slurm/log.h. */
#include "tests/unit/describe_jobs.h"
#include "tests/unit/read_shared.h"
#include "tests/unit/read_text.h"
#include "tests/unit/round_trip.h"

enum { QUEUE, ARRIVE, ZONE, CLUSTER, SIZE, CPU_JOBS, RUNS, WAITING, RUNNING, PRIORITY, SHARDS, OPTIONS };

/* Either jobs and the remark behind "N rows of sacct: N jobs", or an error. */
struct sample {
    const char *name, *text, *value[OPTIONS], *jobs, *remark, *error;
    uint32_t skipped;
};

/* clang-format off */
#define H     "JobID|JobIDRaw|State|Submit|Start|End|AllocTRES|ReqTRES"
#define GPU   "cpu=4,gres/gpu=1,node=1"
#define ROW(id, state, submit, start, end) id "|" id "|" state "|" submit "|" start "|" end "|" GPU "|" GPU "\n"
/* a job of each test that arrives at 0 and runs for 10 s */
#define ONE   ROW("1", "COMPLETED", "1000", "1000", "1010")
#define ONE_IS "1 0+10 1x1 cpu=4000\n"
#define TIME_WANT "want seconds since 1970, or a time like 2026-01-05T10:00:00, or Unknown, got "
#define SPAN  "want a length of time like 90, 30:00 or 1-12:30:00, got "
#define SIZED(alloc, req) "JobID|State|Submit|Start|End|AllocTRES|ReqTRES\n1|COMPLETED|1|1|2|" alloc "|" req "\n"
#define LEFT  .value[CPU_JOBS] = "yes"

static const struct sample samples[] = {
    { "one job", H "\n" ONE, .jobs = ONE_IS, .remark = "" },
    { "columns in another order, of those that are not read, and of one's own",
      "x_mine|State|JobName|End|Start|Submit|AllocTRES|JobID\nm|COMPLETED|n|1010|1000|1000|" GPU "|1\n", .jobs = ONE_IS, .remark = "" },
    { "names of columns in any case", "JOBID|state|SUBMIT|start|end|alloctres\n1|COMPLETED|1000|1000|1010|" GPU "\n",
      .jobs = ONE_IS, .remark = "" },
    { "-p: a separator at the end of each line", "JobID|State|Submit|Start|End|AllocTRES|\n1|COMPLETED|1000|1000|1010|" GPU "|\n",
      .jobs = ONE_IS, .remark = "" },
    { "--delimiter", "JobID;State;Submit;Start;End;AllocTRES\n1;COMPLETED;1000;1000;1010;" GPU "\n", .jobs = ONE_IS, .remark = "" },
    { "times of day are UTC", "JobID|State|Submit|Start|End|AllocTRES\n"
      "1|COMPLETED|2026-01-05T10:00:00|2026-01-05T10:00:05|2026-01-05T10:00:15|" GPU "\n", .jobs = ONE_IS,
      .remark = "; local times are read as UTC (zone=+HH:MM)" },
    { "times of day of a zone, and with one", "JobID|State|Submit|Start|End|AllocTRES\n"
      "1|COMPLETED|2026-01-05T10:00:00|2026-01-05T10:00:05|2026-01-05T09:00:15+00:00|" GPU "\n", .value[ZONE] = "+01:00",
      .jobs = ONE_IS, .remark = "" },
    { "Elapsed before End", "JobID|State|Submit|Start|End|ElapsedRaw|AllocTRES\n1|COMPLETED|1|1|99|10|" GPU "\n", .jobs = ONE_IS, .remark = "" },
    { "Elapsed, with days", "JobID|State|Submit|Start|Elapsed|AllocTRES\n1|COMPLETED|1|1|1-02:03:04|" GPU "\n",
      .jobs = "1 0+93784 1x1 cpu=4000\n", .remark = "" },
    { "Suspended is no part of it", "JobID|State|Submit|Start|End|Suspended|AllocTRES\n1|COMPLETED|1|1|21|00:00:10|" GPU "\n",
      .jobs = ONE_IS, .remark = "" },
    { "without Submit", "JobID|State|Start|End|AllocTRES\n1|COMPLETED|5|15|" GPU "\n", .jobs = ONE_IS,
      .remark = "; 1 job without Submit arrives at its start" },
    { "without Start", "JobID|State|Submit|ElapsedRaw|AllocTRES\n1|COMPLETED|5|10|" GPU "\n", .jobs = ONE_IS, .remark = "" },
    { "an hour off", "JobID|State|Submit|Start|End|ElapsedRaw|AllocTRES\n1|COMPLETED|1|1|3611|10|" GPU "\n", .jobs = ONE_IS,
      .remark = "; 1 run whose Elapsed is an hour off, as across a change of summer time: want TZ=UTC SLURM_TIME_FORMAT=%s for sacct" },
    { "it arrives when it is eligible", "JobID|State|Submit|Eligible|Start|End|AllocTRES\n1|COMPLETED|1|1|1|11|" GPU "\n"
      "2|COMPLETED|1|8|9|10|" GPU "\n3|COMPLETED|4|Unknown|9|10|" GPU "\n",
      .jobs = "1 0+10 1x1 cpu=4000\n3 3+1 1x1 cpu=4000\n2 7+1 1x1 cpu=4000\n", .remark = "" },
    { "or when it was submitted", "JobID|State|Submit|Eligible|Start|End|AllocTRES\n1|COMPLETED|1|1|1|11|" GPU "\n"
      "2|COMPLETED|2|7|8|9|" GPU "\n", .value[ARRIVE] = "submit", .jobs = "1 0+10 1x1 cpu=4000\n2 1+1 1x1 cpu=4000\n", .remark = "" },
    { "limits", "JobID|State|Submit|Start|End|TimelimitRaw|AllocTRES\n1|COMPLETED|1|1|11|2|" GPU "\n2|TIMEOUT|1|1|77|1|" GPU "\n"
      "3|COMPLETED|1|1|2|UNLIMITED|" GPU "\n4|COMPLETED|1|1|2|Partition_Limit|" GPU "\n5|COMPLETED|1|1|2||" GPU "\n",
      .jobs = "1 0+10 1x1 cpu=4000 estimate=120\n2 0+76 1x1 cpu=4000 estimate=60 failed\n3 0+1 1x1 cpu=4000\n4 0+1 1x1 cpu=4000\n"
      "5 0+1 1x1 cpu=4000\n",
      .remark = "; 2 jobs without a time limit; 1 job has the limit of its partition, which the log does not say" },
    { "Timelimit as text", "JobID|State|Submit|Start|End|Timelimit|AllocTRES\n1|COMPLETED|1|1|11|1-00:00:30|" GPU "\n",
      .jobs = "1 0+10 1x1 cpu=4000 estimate=86460\n", .remark = "" },
    { "states", H "\n" ROW("1", "COMPLETED", "1", "1", "2") ROW("2", "FAILED", "1", "1", "2") ROW("3", "CANCELLED by 0", "1", "1", "2")
      ROW("4", "OUT_OF_MEMORY", "1", "1", "2") ROW("5", "NODE_FAIL", "1", "1", "2") ROW("6", "OUT_OF_ME+", "1", "1", "2")
      ROW("7", "BOOT_FAIL", "1", "1", "2") ROW("8", "DEADLINE", "1", "1", "2") ROW("9", "PREEMPTED", "1", "1", "2"),
      .jobs = "1 0+1 1x1 cpu=4000\n2 0+1 1x1 cpu=4000 failed\n3 0+1 1x1 cpu=4000 cancelled\n4 0+1 1x1 cpu=4000 failed\n"
      "5 0+1 1x1 cpu=4000 failed\n6 0+1 1x1 cpu=4000 failed\n7 0+1 1x1 cpu=4000 failed\n8 0+1 1x1 cpu=4000 failed\n"
      "9 0+1 1x1 cpu=4000 failed\n", .remark = "; 1 job whose last run was broken off counts as failed" },
    { "what never ran", H "\n" ONE ROW("2", "CANCELLED by 7", "1", "None", "9") ROW("3", "PENDING", "1", "Unknown", "Unknown")
      ROW("4", "RUNNING", "1", "2", "Unknown") ROW("5_[4-9%2]", "PENDING", "1", "Unknown", "Unknown"), .jobs = NULL,
      .error = "t.csv:6: JobIDRaw: want the number of a job, got '5_[4-9%2]'" },
    { "what has not ended", H "\n" ONE ROW("2", "CANCELLED by 7", "1", "None", "9") ROW("3", "PENDING", "1", "Unknown", "Unknown")
      ROW("4", "RUNNING", "1", "2", "Unknown") "5_[4-9%2]|5|PENDING|1|Unknown|Unknown||" GPU "\n", .jobs = ONE_IS,
      .remark = "; 1 job left out that ended without a start; 2 jobs left out that wait (pending=yes takes those with a limit)"
      "; 1 job left out that still runs (running=yes takes it)", .skipped = 4 },
    { "but is taken", "JobID|State|Submit|Start|End|Timelimit|AllocTRES|ReqTRES\n1|COMPLETED|1|5|15|1|" GPU "|" GPU "\n"
      "2|PENDING|7|Unknown|Unknown|3||" GPU "\n3|RUNNING|7|8|Unknown|3|" GPU "|" GPU "\n", .value = { [WAITING] = "yes", [RUNNING] = "yes" },
      .jobs = "1 0+10 1x1 cpu=4000 estimate=60\n2 6+180 1x1 cpu=4000 estimate=180\n3 6+7 1x1 cpu=4000 estimate=180\n",
      .remark = "; 2 jobs have not ended: their durations are guesses" },
    { "steps", "JobID|State|Submit|Start|End|AllocTRES\n1|COMPLETED|1|1|11|" GPU "\n1.batch|COMPLETED|1|1|11|cpu=4\n"
      "1.extern|COMPLETED|1|1|11|cpu=4\n1.0|COMPLETED|1|1|11|cpu=4\n1_3.batch|?|||||x\n", .error =
      "t.csv:6: want 6 cells as in the header, got 7: a separator within a name? Leave JobName out of --format" },
    { "steps are left out, whatever they say", "JobID|State|Submit|Start|End|AllocTRES\n1|COMPLETED|1|1|11|" GPU "\n1.batch|?|?|?|?|?\n"
      "1+1.0|?|?|?|?|?\n", .jobs = ONE_IS, .remark = "; 2 rows of steps left out" },
    { "a requeued job: submitted first, the work of the last run", H "\n" ROW("1", "REQUEUED", "100", "100", "150")
      ROW("1", "COMPLETED", "150", "160", "170"), .jobs = ONE_IS, .remark = "; 1 run of a requeued job joined" },
    { "its rows in another order, three runs, and the sum of them", H "\n" ROW("1", "COMPLETED", "270", "300", "310")
      ROW("1", "PREEMPTED", "100", "100", "150") ROW("1", "NODE_FAIL", "149", "160", "270"), .value[RUNS] = "sum",
      .jobs = "1 0+170 1x1 cpu=4000\n", .remark = "; 2 runs of requeued jobs joined" },
    { "runs of their own: what failed is retried, what was preempted is not", H "\n" ROW("1", "REQUEUED", "100", "100", "150")
      ROW("1", "NODE_FAIL", "150", "280", "290") ROW("1", "PREEMPTED", "290", "420", "425") ROW("1", "COMPLETED", "425", "430", "440"),
      .value[RUNS] = "each", .jobs = "1 0+50 1x1 cpu=4000 failed\n1.r1 50+10 1x1 cpu=4000 after=1 failed\n1.r2 190+10 1x1 cpu=4000 after=1.r1\n",
      .remark = "; 1 run of a requeued job joined; 2 runs of requeued jobs are retries" },
    { "the last retry is what others wait for", "JobID|State|Submit|Start|End|AllocTRES|SubmitLine\n"
      "7|REQUEUED|100|100|150|" GPU "|sbatch a\n7|FAILED|150|280|290|" GPU "|sbatch a\n"
      "8|COMPLETED|101|300|310|" GPU "|sbatch -d afternotok:7 b\n", .value[RUNS] = "each",
      .jobs = "7 0+50 1x1 cpu=4000 failed\n8 1+10 1x1 cpu=4000 afternotok=7.r1\n7.r1 50+10 1x1 cpu=4000 after=7 failed\n",
      .remark = "; 1 run of a requeued job is a retry" },
    { "may it be requeued? the last word counts, and batch jobs alone are", "JobID|State|Submit|Start|End|AllocTRES|SubmitLine\n"
      "1|COMPLETED|1|1|2|" GPU "|sbatch --no-requeue a\n2|COMPLETED|1|1|2|" GPU "|sbatch --no-requeue --requeue a\n"
      "3|COMPLETED|1|1|2|" GPU "|/usr/bin/srun --requeue a\n4|COMPLETED|1|1|2|" GPU "|salloc\n5|COMPLETED|1|1|2|" GPU "|sbatch a\n"
      "6|COMPLETED|1|1|2|" GPU "|\n",
      .jobs = "1 0+1 1x1 cpu=4000 max_requeues=0\n2 0+1 1x1 cpu=4000\n3 0+1 1x1 cpu=4000 max_requeues=0\n"
      "4 0+1 1x1 cpu=4000 max_requeues=0\n5 0+1 1x1 cpu=4000\n6 0+1 1x1 cpu=4000\n", .remark = "" },
    { "requeued, and it waits", H "\n" ONE ROW("2", "REQUEUED", "100", "100", "150") ROW("2", "PENDING", "150", "Unknown", "Unknown"),
      .jobs = ONE_IS, .remark = "; 1 job left out that was requeued and waits; 1 run of a requeued job joined", .skipped = 1 },
    { "the number of another job", H "\n" ONE ROW("1", "COMPLETED", "5000", "5000", "5001"),
      .jobs = ONE_IS "1#2 4000+1 1x1 cpu=4000\n", .remark = "" },
    { "a requeue that was submitted before the end of the other is another job", H "\n" ROW("1", "REQUEUED", "100", "100", "150")
      ROW("1", "COMPLETED", "148", "160", "170"),
      .jobs = "1 0+50 1x1 cpu=4000 failed\n1#2 48+10 1x1 cpu=4000\n", .remark = "; 1 job whose last run was broken off counts as failed" },
    { "rows that two logs share", H "\n" ONE ONE ROW("2", "RUNNING", "1005", "1006", "Unknown") ROW("2", "COMPLETED", "1005", "1006", "1007")
      ROW("3", "PENDING", "1005", "Unknown", "Unknown") ROW("3", "FAILED", "1005", "1006", "1007"),
      .jobs = ONE_IS "2 5+1 1x1 cpu=4000\n3 5+1 1x1 cpu=4000 failed\n", .remark = "; 1 row is there twice; 2 rows are older states of others" },
    { "a job that changed its size: all its time, the size of the longest piece", H "\n" "1|1|RESIZING|1000|1000|1002|cpu=8,gres/gpu=2,node=1|\n"
      "1|1|COMPLETED|1000|1002|1010|" GPU "|\n", .jobs = ONE_IS, .remark = "; 1 piece of a resized job joined" },
    { "tasks of an array, the first with the array's number", "JobID|JobIDRaw|State|Submit|Start|End|AllocTRES\n12_1|13|COMPLETED|1|1|2|" GPU "\n"
      "12_2|12|COMPLETED|1|2|3|" GPU "\n", .jobs = "12_2 0+1 1x1 cpu=4000\n12_1 0+1 1x1 cpu=4000\n", .remark = "" },
    { "tasks of an array without JobIDRaw", "JobID|State|Submit|Start|End|AllocTRES\n12_1|COMPLETED|1|1|2|" GPU "\n"
      "12_2|COMPLETED|1|2|3|" GPU "\n", .jobs = "12_1 0+1 1x1 cpu=4000\n12_2 0+1 1x1 cpu=4000\n", .remark = "" },
    { "components of a heterogeneous job", "JobID|JobIDRaw|State|Submit|Start|End|ReqTRES\n"
      "13+1|14|COMPLETED|4|18|24|cpu=2,gres/gpu:a100=4,node=2\n13+0|13|COMPLETED|4|18|24|cpu=1,gres/gpu:v100=1,node=1\n",
      .jobs = "13 0+6 1x1 cpu=1000 @het0 & 2x2 cpu=1000 @het1 type=v100+a100\n", .remark = "" },
    { "sizes: nodes that divide", SIZED("cpu=32,gres/gpu=8,mem=62.50G,node=2", ""), .jobs = "1 0+1 2x4 cpu=16000 mib=32000\n", .remark = "" },
    { "sizes: 3+5 GPUs", SIZED("cpu=8,gres/gpu=8,node=3", ""), .jobs = "1 0+1 any8 cpu=1000\n",
      .remark = "; 1 job whose GPUs or CPUs do not divide by its nodes: only the total is read" },
    { "sizes: typed, both", SIZED("cpu=8,gres/gpu:a100=4,gres/gpu=4,node=1", "cpu=8,gres/gpu:a100=4,gres/gpu=4,node=1"),
      .jobs = "1 0+1 1x4 cpu=8000 type=a100\n", .remark = "" },
    { "sizes: a type that was given and not asked for", SIZED("cpu=8,gres/gpu:a100=4,gres/gpu=4,node=1", "cpu=8,gres/gpu=4,node=1"),
      .jobs = "1 0+1 1x4 cpu=8000\n", .remark = "" },
    { "sizes: several types", SIZED("gres/gpu:a100=4,gres/gpu:v100=2,node=1", ""), .jobs = "1 0+1 1x6\n",
      .remark = "; 1 job with GPUs of several types, read as any" },
    { "sizes: a MIG instance", SIZED("", "gres/gpu:3g.20gb=1"), .jobs = "1 0+1 1x1 milli=3000 mig=3g.20gb\n", .remark = "" },
    { "sizes: exclusive nodes hold more than was asked for", SIZED("cpu=64,gres/gpu=8,node=1", "cpu=1,gres/gpu=1,node=1"),
      .jobs = "1 0+1 1x8 cpu=64000\n", .remark = "; 1 job was given other GPUs than it asked for" },
    { "sizes: as asked", SIZED("cpu=64,gres/gpu=8,node=1", "cpu=1,gres/gpu=1,node=1"), .value[SIZE] = "req",
      .jobs = "1 0+1 1x1 cpu=1000\n", .remark = "; 1 job was given other GPUs than it asked for" },
    { "sizes: memory that only ReqTRES has is the node's, which was not asked for", SIZED("cpu=1,gres/gpu=1,node=1", "cpu=1,gres/gpu=1,mem=62.50G,node=1"),
      .jobs = "1 0+1 1x1 cpu=1000\n", .remark = "" },
    { "sizes: suffixes", SIZED("cpu=1K,gres/gpu=2,mem=0.5T,node=1", ""), .jobs = "1 0+1 1x2 cpu=1024000 mib=524288\n", .remark = "" },
    { "sizes: shards", SIZED("cpu=1,gres/shard=3,node=1", ""), .value[SHARDS] = "8", .jobs = "1 0+1 1x1 milli=375 cpu=1000\n", .remark = "" },
    { "sizes: shards without their number", SIZED("cpu=1,gres/shard=3,node=1", "") "2|COMPLETED|1|1|2|gres/gpu=1|\n", .jobs = "2 0+1 1x1\n",
      .remark = "; 1 job with shards left out (shards=N of a GPU takes it)" },
    { "GPUs of all nodes are more than a number of GPUs holds", "JobID|State|Submit|Start|End|AllocGRES|NNodes\n1|COMPLETED|1|1|11|gpu:5|1000000000\n",
      .error = "t.csv:2: AllocGRES: want up to 1000000000 GPUs on all its nodes, got 'gpu:5'" },
    { "memory of all nodes is more than there is", "JobID|State|Submit|Start|End|AllocGRES|NNodes|ReqMem\n1|COMPLETED|1|1|11|gpu:1|1000000000|1000000000Mn\n",
      .error = "t.csv:2: ReqMem: want memory that a machine can have, got '1000000000Mn'" },
    { "sizes: AllocGRES is of each node", "JobID|State|Submit|Start|End|AllocGRES|NNodes|AllocCPUS\n1|COMPLETED|1|1|11|gpu:a100:4(S:0-1)|2|16\n"
      "2|COMPLETED|1|1|11|gres:gpu:2|1|16\n", .jobs = "1 0+10 2x4 cpu=8000 type=a100\n2 0+10 1x2 cpu=16000\n", .remark = "" },
    { "jobs without GPUs", SIZED("cpu=8,node=1", "") "2|COMPLETED|1|1|2|gres/gpu=1|\n", .jobs = "2 0+1 1x1\n",
      .remark = "; 1 job without GPUs left out (cpu_jobs=yes takes it), which held 50 % of the node-hours" },
    { "jobs without GPUs, taken", SIZED("cpu=8,node=2", ""), LEFT, .jobs = "1 0+1 2x0 cpu=4000\n", .remark = "" },
    { "other resources", SIZED("cpu=8,gres/gpu=1,license/matlab=1,billing=3", ""), .jobs = "1 0+1 1x1 cpu=8000\n",
      .remark = "; 1 cell has resources other than cpu, mem, node and gpu" },
    { "owners", "JobID|State|Submit|Start|End|AllocTRES|User|Account|Partition|QOS\n1|COMPLETED|1|1|2|" GPU "|u|a|p|q\n",
      .jobs = "1 0+1 1x1 cpu=4000 queue=a user=u partition=p qos=q\n", .remark = "" },
    { "owners: by QOS", "JobID|State|Submit|Start|End|AllocTRES|User|Account|Partition|QOS\n1|COMPLETED|1|1|2|" GPU "|u|a|p|q\n",
      .value[QUEUE] = "qos", .jobs = "1 0+1 1x1 cpu=4000 queue=q user=u partition=p qos=q account=a\n", .remark = "" },
    { "owners: without accounts", "JobID|State|Submit|Start|End|AllocTRES|Partition\n1|COMPLETED|1|1|2|" GPU "|p\n",
      .jobs = "1 0+1 1x1 cpu=4000 queue=p partition=p\n", .remark = "" },
    { "owners: a list of partitions of a job that waits", "JobID|State|Submit|Start|End|Timelimit|ReqTRES|Partition\n"
      "1|PENDING|1|Unknown|Unknown|1|" GPU "|p,r\n2|COMPLETED|1|1|2|1|" GPU "|p\n", .value = { [WAITING] = "yes", [QUEUE] = "user" },
      .jobs = "1 0+60 1x1 cpu=4000 estimate=60 partition=p;r\n2 0+1 1x1 cpu=4000 estimate=60 partition=p\n",
      .remark = "; 1 job has not ended: its duration is a guess" },
    { "tasks of an array that wait, in one row", "JobID|JobIDRaw|State|Submit|Start|End|Timelimit|ReqTRES\n"
      "12_[1,4-8:2]|12|PENDING|1|Unknown|Unknown|1|" GPU "\n12_0|13|COMPLETED|1|1|2|1|" GPU "\n", .value = { [WAITING] = "yes" },
      .jobs = "12_1 0+60 1x1 cpu=4000 estimate=60\n12_4 0+60 1x1 cpu=4000 estimate=60\n12_6 0+60 1x1 cpu=4000 estimate=60\n"
      "12_8 0+60 1x1 cpu=4000 estimate=60\n12_0 0+1 1x1 cpu=4000 estimate=60\n",
      .remark = "; 4 jobs have not ended: their durations are guesses" },
    { "two tasks of an array at a time", "JobID|JobIDRaw|State|Submit|Start|End|Timelimit|ReqTRES|SubmitLine\n"
      "12_[4-5%2]|12|PENDING|1|Unknown|Unknown|1|" GPU "|sbatch -d afterok:9 x\n9|9|COMPLETED|1|1|2|1|" GPU "|x\n"
      "12_2|13|RUNNING|1|1|Unknown|1|" GPU "|x\n12_1|14|COMPLETED|1|1|2|1|" GPU "|x\n",
      .value = { [WAITING] = "yes", [RUNNING] = "yes" },
      .jobs = "9 0+1 1x1 cpu=4000 estimate=60\n12_4 0+60 1x1 cpu=4000 estimate=60 afterok=9 limit=2:12\n"
      "12_5 0+60 1x1 cpu=4000 estimate=60 afterok=9 limit=2:12\n12_2 0+1 1x1 cpu=4000 estimate=60 limit=2:12\n"
      "12_1 0+1 1x1 cpu=4000 estimate=60\n", .remark = "; 3 jobs have not ended: their durations are guesses" },
    { "a dependency on a start, and with minutes", "JobID|State|Submit|Start|End|AllocTRES|SubmitLine\n1|COMPLETED|1|1|2|" GPU "|x\n"
      "2|COMPLETED|1|2|3|" GPU "|sbatch -dafter:1 x\n3|COMPLETED|1|2|3|" GPU "|sbatch -d after:1+5,afterok:2 x\n",
      .jobs = "1 0+1 1x1 cpu=4000\n2 0+1 1x1 cpu=4000 afterstart=1\n3 0+1 1x1 cpu=4000 afterok=2\n",
      .remark = "; 1 dependency of another kind left out" },
    { "tasks of an array that wait, in a list that is cut off", "JobID|JobIDRaw|State|Submit|Start|End|Timelimit|ReqTRES\n"
      "12_[1,4,...]|12|PENDING|1|Unknown|Unknown|1|" GPU "\n12_0|13|COMPLETED|1|1|2|1|" GPU "\n", .value = { [WAITING] = "yes" },
      .jobs = "12_0 0+1 1x1 cpu=4000 estimate=60\n", .skipped = 1,
      .remark = "; 1 job left out that waits (pending=yes takes it if it has a limit)" },
    { "more tasks of an array than are taken", "JobID|JobIDRaw|State|Submit|Start|End|Timelimit|ReqTRES\n"
      "12_[0-1000000]|12|PENDING|1|Unknown|Unknown|1|" GPU "\n12_0|13|COMPLETED|1|1|2|1|" GPU "\n", .value = { [WAITING] = "yes" },
      .jobs = "12_0 0+1 1x1 cpu=4000 estimate=60\n", .skipped = 1,
      .remark = "; 1 job left out that waits (pending=yes takes it if it has a limit)" },
    { "priorities", "JobID|State|Submit|Start|End|AllocTRES|Priority\n1|COMPLETED|1|1|2|" GPU "|4294901760\n2|COMPLETED|1|1|2|" GPU "|7\n",
      .value[PRIORITY] = "recorded", .jobs = "1 0+1 1x1 cpu=4000 priority=2147483647\n2 0+1 1x1 cpu=4000 priority=7\n", .remark = "" },
    { "one of several clusters", "Cluster|JobID|State|Submit|Start|End|AllocTRES\na|1|COMPLETED|1|1|11|" GPU "\nb|1|COMPLETED|1|1|2|" GPU "\n",
      .value[CLUSTER] = "a", .jobs = ONE_IS, .remark = "; 1 row of another cluster left out" },
    { "features", "JobID|State|Submit|Start|End|AllocTRES|Constraints\n1|COMPLETED|1|1|2|" GPU "|ib&big\n2|COMPLETED|1|1|2|" GPU "|a|b\n",
      .error = "t.csv:3: want 7 cells as in the header, got 8: a separator within a name? Leave JobName out of --format" },
    { "features of all kinds: see also wishes()", "JobID;State;Submit;Start;End;AllocTRES;Constraints\n1;COMPLETED;1;1;2;" GPU ";ib&big\n2;COMPLETED;1;1;2;" GPU ";a|b\n"
      "3;COMPLETED;1;1;2;" GPU ";[a|b]\n4;COMPLETED;1;1;2;" GPU ";a*2&b\n5;COMPLETED;1;1;2;" GPU ";a&&b\n",
      .jobs = "1 0+1 1x1 cpu=4000\n2 0+1 1x1 cpu=4000\n3 0+1 1x1 cpu=4000\n4 0+1 1x1 cpu=4000\n"
      "5 0+1 1x1 cpu=4000\n", .remark = "; 3 constraints with counts, brackets or parentheses read in part or not" },
    { "dependencies", "JobID|JobIDRaw|State|Submit|Start|End|AllocTRES|SubmitLine\n1|1|COMPLETED|1|1|2|" GPU "|sbatch x.sh\n"
      "2_0|3|COMPLETED|1|1|2|" GPU "|sbatch -a 0-1 x.sh\n2_1|2|COMPLETED|1|1|2|" GPU "|sbatch -a 0-1 x.sh\n"
      "4|4|COMPLETED|1|2|3|" GPU "|sbatch -d afterok:1:2,afternotok:99 x.sh\n5|5|COMPLETED|1|2|3|" GPU "|sbatch --dependency=afterany:1?afterany:4 x.sh\n"
      "6_1|6|COMPLETED|1|2|3|" GPU "|sbatch --dependency aftercorr:2 x.sh\n7|7|COMPLETED|1|2|3|" GPU "|sbatch -d singleton x.sh\n",
      .jobs = "1 0+1 1x1 cpu=4000\n2_1 0+1 1x1 cpu=4000\n2_0 0+1 1x1 cpu=4000\n4 0+1 1x1 cpu=4000 afterok=1 afterok=2_0 afterok=2_1\n"
      "5 0+1 1x1 cpu=4000 or-after=1 or-after=4\n6_1 0+1 1x1 cpu=4000 afterok=2_1\n7 0+1 1x1 cpu=4000\n",
      .remark = "; 1 dependency on a job that is not taken counts as met; 1 dependency of another kind left out" },

    { "error: padded", "JobID           State      Start\n------------ ---------- -----\n1 COMPLETED 2\n",
      .error = "t.csv:1: columns padded with blanks are cut off: run sacct with -P" },
    { "error: no rows", H "\n", .error = "t.csv: want at least one job, got none" },
    { "error: only jobs without GPUs", SIZED("cpu=8,node=1", ""), .error = "t.csv: none of 1 jobs has GPUs: want gres/gpu in AllocTRES or ReqTRES "
      "(AccountingStorageTRES=gres/gpu at the site), AllocGRES, or cpu_jobs=yes" },
    { "error: clusters", "Cluster|JobID|State|Submit|Start|End|AllocTRES\na|1|COMPLETED|1|1|2|" GPU "\nb|1|COMPLETED|1|1|2|" GPU "\n",
      .error = "t.csv: rows of several clusters: want cluster=NAME with one of a, b" },
    { "error: no such cluster", "Cluster|JobID|State|Submit|Start|End|AllocTRES\na|1|COMPLETED|1|1|2|" GPU "\n", .value[CLUSTER] = "c",
      .error = "t.csv: no row of cluster 'c'" },
};
/* clang-format on */

static void read_sample(void **state)
{
    const struct sample *s = *state;
    const struct trace_format *used = NULL;
    struct error err = { "" };
    struct description d = { .n = 0 };
    char sha256[65], expected[1024];
    FILE *f = fopen("t.csv", "wb");
    assert_true(f && fputs(s->text, f) >= 0 && fclose(f) == 0);
    bool options = false;
    for (size_t i = 0; i < OPTIONS; i++)
        options |= s->value[i] != NULL;
    struct workload *w = trace_read_source(
        &(struct trace_source){
            .path = "t.csv", .format = options ? trace_format_find("slurm") : NULL, .value = options ? s->value : NULL },
        &used, sha256, &err);
    assert_string_equal(err.text, s->error ? s->error : "");
    assert_int_equal(w == NULL, s->error != NULL);
    if (!w)
        return;
    assert_string_equal(used->name, "slurm");
    describe_jobs(&d, w);
    assert_string_equal(d.text, s->jobs);
    assert_int_equal(w->n_skipped, s->skipped);
    snprintf(expected, sizeof expected, "%u job%s%s", w->n_jobs, w->n_jobs == 1 ? "" : "s", s->remark);
    assert_non_null(strstr(w->remark, " of sacct: "));
    assert_string_equal(strstr(w->remark, " of sacct: ") + strlen(" of sacct: "), expected);
    round_trip(w);
    workload_free(w);
}

/* What the description of a job does not have. */
static void wishes(void **state)
{
    (void)state;
    static const char text[] = "JobID;State;Submit;Start;End;AllocTRES;Constraints\n1;COMPLETED;1;1;2;gres/gpu=2,node=2;ib&big\n"
                               "2;COMPLETED;1;1;2;gres/gpu=2,node=1;a&c|b\n3;COMPLETED;1;1;2;gres/gpu=2,node=1;a*2&b\n";
    const struct trace_format *used = NULL;
    struct error err = { "" };
    struct workload *w = read_text(text, sizeof text - 1, NULL, &used, &err);
    assert_string_equal(err.text, "");
    const struct shape *shape[3];
    for (job_id j = 0; j < 3; j++)
        shape[j] = &w->shape[w->facts[j].ask->shape];
    assert_int_equal(shape[0]->ask.max_per_node, 1);
    assert_int_equal(shape[1]->ask.max_per_node, 0);
    assert_string_equal(intern_text(w->wishes, shape[0]->selector), "ib=yes;big=yes");
    assert_int_equal(shape[0]->affinity, ID_NONE);
    assert_string_equal(intern_text(w->wishes, shape[1]->affinity), "a&c;b");
    assert_int_equal(shape[2]->selector, ID_NONE);
    assert_int_equal(shape[2]->affinity, ID_NONE);
    workload_free(w);
}

/* The recording of Slurm 22.05.8: its runs.csv has 17 runs with a start that ended, of which the requeued job 9 has two
 * and the heterogeneous job 13 two components; the log lacks what never became eligible. */
static void recorded_forms(void **state)
{
    (void)state;
    char whole[1024], sha256[65];
    const struct trace_format *used = NULL;
    struct error err = { "" };
    struct workload *w = trace_read(shared_path(whole, "../slurm/forms/sacct.txt"), NULL, &used, sha256, &err);
    assert_string_equal(err.text, "");
    assert_string_equal(used->name, "slurm");
    assert_int_equal(w->n_jobs, 16);
    assert_int_equal(w->n_skipped, 0);
    assert_string_equal(w->remark, "18 rows of sacct: 16 jobs; 1 run of a requeued job joined; 1 job without a time limit");
    workload_free(w);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    static const struct CMUnitTest shared[] = { cmocka_unit_test(recorded_forms) };
    size_t n = 0;
    int failed = cmocka_run_group_tests(shared, NULL, NULL) != 0;
    ADD_ROWS(tests, n, read_sample, samples);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(wishes);
    return run_in_directory(tests, n) || failed;
}
