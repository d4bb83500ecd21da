/* test_formats.c - small traces of each format, and what is read from them. What is wrong with a trace is told in
 * test_formats_errors.c. Expected values: by hand, from the texts beside them. */
#include "tests/unit/describe_jobs.h"
#include "tests/unit/read_text.h"
#include "tests/unit/round_trip.h"

struct sample {
    const char *name, *format, *text, *jobs;
}; /* format NULL: told by the first bytes */

#define N       "job_id,submit_s,duration_s,gpus"
#define SWF_END " -1 -1 -1\n" /* partition, preceding job, think time */

static const struct sample good[] = {
    { "native: required columns", NULL, N "\na,0,10,1\nb,5.5,0.25,8\n", "a 0+10 1x1\nb 5.5+0.25 any8\n" },
    { "native: any order", NULL, "gpus,duration_s,x_note,submit_s,job_id\n4,3,hello,2,z\n", "z 2+3 any4\n" },
    { "native: byte order mark, CRLF, blank line", NULL, "\xef\xbb\xbf" N "\r\n\r\na,0,1,1\r\n", "a 0+1 1x1\n" },
    { "native: a fraction of a GPU", NULL, N "\na,0,1,0.25\n", "a 0+1 1x1 milli=250\n" },
    { "native: no GPU", NULL, N ",cpus_per_task\na,0,1,0,1.5\n", "a 0+1 1x0 cpu=1500\n" },
    { "native: no GPU and no share", NULL, N ",gpu_milli\na,0,1,0,0\n", "a 0+1 1x0\n" },
    { "native: GPUs as pandas writes them", NULL, N "\na,0,1,2.0\n", "a 0+1 any2\n" },
    { "native: share by gpu_milli", NULL, N ",gpu_milli\na,0,1,1,300\nb,0,1,0.5,500\n",
      "a 0+1 1x1 milli=300\nb 0+1 1x1 milli=500\n" },
    { "native: sizes", NULL, N ",tasks,min_tasks,max_tasks,min_gpus,max_gpus,moldable\na,0,1,4,4,2,8,,,\nb,0,1,4,,,,2,9,no\nc,0,1,1,,,,,3,\n"
      "d,0,1,4,2,1,,,,yes\ne,0,1,2,1,1,1,,,\nf,0,1,3,,,,3,3,\ng,0,1,1,1,,2,,,true\n",
      "a 0+1 4x1 min=2 sizes=2-8\nb 0+1 any4 sizes=2-9\nc 0+1 any1 sizes=1-3\nd 0+1 2x2 sizes=1-2 moldable\ne 0+1 1x2\nf 0+1 any3\n"
      "g 0+1 1x1 sizes=1-2 moldable\n" },
    { "native: tasks", NULL, N ",tasks,min_tasks\na,0,1,16,2,1\nb,0,1,16,16,\n", "a 0+1 2x8 min=1\nb 0+1 16x1\n" },
    { "native: GPUs of each task", NULL, N ",gpus_per_task\na,0,1,16,8\nb,0,1,2,0.5\nc,0,1,0,0\nd,0,1,4,\n",
      "a 0+1 2x8\nb 0+1 4x1 milli=500\nc 0+1 1x0\nd 0+1 any4\n" },
    { "native: tasks and GPUs of each", NULL, N ",tasks,gpus_per_task\na,0,1,16,4,4\nb,0,1,0,3,0\n",
      "a 0+1 4x4\nb 0+1 3x0\n" },
    /* without tasks the amounts are the job's: 10 CPUs over 4 GPUs, and 3 GiB over 4 */
    { "native: CPUs and memory", NULL, N ",tasks,cpus_per_task,mem_gib_per_task\na,0,1,4,2,10,3\nb,0,1,4,,10,3\n",
      "a 0+1 2x2 cpu=10000 mib=3072\nb 0+1 any4 cpu=2500 mib=768\n" },
    { "native: who and where", NULL, N ",gpu_type,user,queue\na,0,1,1,V100|A100,ann,\"prod,eu\"\nb,0,1,1,,,\n",
      "a 0+1 1x1 type=V100|A100 queue=prod,eu user=ann\nb 0+1 1x1\n" },
    { "native: how", NULL,
      N ",class,priority,preemptible,estimate_s,deadline_s,status\na,5,1,1,inference,-3,no,60,7.5,failed\n"
        "b,5,1,1,Batch,,TRUE,,,cancelled\nc,5,1,1,interactive,9,0,,1,completed\n",
      "a 5+1 1x1 priority=-3 inference fixed estimate=60 deadline=7.5 failed\nb 5+1 1x1 batch cancelled\n"
      "c 5+1 1x1 priority=9 interactive fixed deadline=1\n" },
    { "native: topology", NULL, N ",topology\na,0,1,8,required:rack\nb,0,1,8,preferred:island\nc,0,1,8,\n",
      "a 0+1 any8 required=rack\nb 0+1 any8 preferred=island\nc 0+1 any8\n" },
    { "native: memory of a GPU, model, data", NULL, N ",gpu_mem_gib,model,data_gib\na,0,1,1,40,bert,0.5\nb,0,1,0,40,,\n",
      "a 0+1 1x1 model=bert gpu_mib=40960 data_mib=512\nb 0+1 1x0\n" },
    { "native: depends_on, ahead and behind", NULL, N ",depends_on\na,9,1,1,b;c\nb,5,1,1,\nc,7,1,1,b\nd,0,1,1,a\n",
      "d 0+1 1x1 after=a\nb 5+1 1x1\nc 7+1 1x1 after=b\na 9+1 1x1 after=b after=c\n" },
    { "native: depends_on, with outcomes", NULL,
      N ",depends_on,user\na,0,1,1,,\nb,0,1,1,afterok:a,\nc,0,1,1,\"afternotok:a:b,afterany:a;b\",\n"
        "d,0,1,1,a?afterok:b,\ne,0,1,1,singleton:x;afterok:a,ann\nf,0,1,1,singleton,ann\ng,0,1,1,after:a;limit:2:x:y,\n",
      "a 0+1 1x1\nb 0+1 1x1 afterok=a\nc 0+1 1x1 afternotok=a afternotok=b after=a after=b\n"
      "d 0+1 1x1 or-after=a or-afterok=b\ne 0+1 1x1 user=ann afterok=a singleton=x\nf 0+1 1x1 user=ann singleton=\n"
      "g 0+1 1x1 afterstart=a limit=2:x:y\n" },
    { "native: depends_on, names with signs stay names", NULL,
      N ",depends_on\n\"x,y\",0,1,1,\np?q,0,1,1,\nafterok:a,0,1,1,\nsingleton,0,1,1,\na:b,0,1,1,\n"
        "z,0,1,1,\"x,y;p?q;afterok:a;singleton;afterok:a:b\"\n",
      "x,y 0+1 1x1\np?q 0+1 1x1\nafterok:a 0+1 1x1\nsingleton 0+1 1x1\na:b 0+1 1x1\n"
      "z 0+1 1x1 after=x,y after=p?q after=afterok:a after=singleton afterok=a:b\n" },
    { "native: wishes", NULL, N ",tasks,node_selector,affinity,tolerations,max_per_node,anti_affinity\n"
      "a,0,1,4,4,zone=a,10:disk=ssd,*,2,none\nb,0,1,2,2,,,,,node\n", "a 0+1 4x1\nb 0+1 2x1\n" },
    { "native: what pods say of pods", NULL, N ",max_unavailable,pod_labels,pod_affinity,pod_anti_affinity,pod_spread\n"
      "a,0,1,4,2,app=a;tier=1,50:app=b@zone,app=a@node,1@rack;soft:2@node\nb,0,1,2,0,,app=a@rack,,\n",
      "a 0+1 any4 max_unavailable=2\nb 0+1 any2 max_unavailable=0\n" },
    { "native: tasks that differ", NULL, N ",tasks,cpus_per_task,group\na,0,1,16,2,4,.\na,0,1,4,,1,.\nb,0,1,4,,8,\n",
      "a 0+1 2x8 cpu=4000 & 1x4 cpu=1000\nb 0+1 any4 cpu=2000\n" },
    { "native: groups", NULL, N ",tasks,min_tasks,group\na,0,1,2,2,1,x\na,0,1,0,1,,y\n", "a 0+1 2x1 @x & 1x0 @y x(min=1) min=2\n" },
    /* tasks go by group, groups by first sight; a minimum is the sum of those of its rows */
    { "native: a group of two kinds of tasks", NULL, N ",tasks,min_tasks,group\na,0,1,4,2,1,x\na,0,1,8,1,,y\na,0,1,6,3,2,x\n",
      "a 0+1 2x2 @x & 3x2 @x & 1x8 @y x(min=3) min=4\n" },
    { "native: a GPU type of each group", NULL, N ",group,gpu_type\na,0,1,2,x,V100\na,0,1,4,y,A100|H100\na,0,1,1,z,\n",
      "a 0+1 1x2 @x & 1x4 @y & 1x1 @z type=V100+A100|H100+any\n" },
    { "native: groups in groups", NULL,
      N ",topology,group\na,0,1,8,,r1/enc\na,0,1,1,required:node,r1/dec\na,0,1,8,,r2/enc\na,0,1,0,preferred:rack,r1\n"
        "a,0,1,0,required:pod,.\n",
      "a 0+1 1x8 required=pod @r1/enc & 1x1 required=pod @r1/dec & 1x8 required=pod @r2/enc .(required=pod) "
      "r1(preferred=rack) r1/dec(required=node)\n" },
    { "native: slices", NULL,
      N ",tasks,topology,slices\na,0,1,16,16,preferred:rack,rack:8;node:4\nb,0,1,8,,,\nc,0,1,4,4,required:pod,island:2\n",
      "a 0+1 16x1 preferred=rack slices=rack:8 node:4\nb 0+1 any8\nc 0+1 4x1 required=pod slices=island:2\n" },
    { "native: leader and workers", NULL,
      N ",tasks,topology,slices,podset_group,group\na,0,1,1,1,required:rack,,y,lead\na,0,1,8,8,required:rack,node:4,y,work\n"
        "a,0,1,2,2,,node:2,,other\n",
      "a 0+1 1x1 together=1 @lead & 8x1 slices=node:4 together=1 @work & 2x1 slices=node:2 @other "
      "lead(required=rack) work(required=rack)\n" },
    { "native: each row says which nodes its tasks may use", NULL,
      N ",tasks,node_selector,affinity,tolerations,group\na,0,1,2,2,zone=a,,,.\na,0,1,1,1,,zone=b,old,.\na,0,1,1,1,,,,.\n"
        "b,0,1,2,2,zone=a,,,.\nb,0,1,1,1,zone=a,,,.\n",
      "a 0+1 2x1 selector:zone=a & 1x1 affinity:zone=b tolerations:old & 1x1\n"
      "b 0+1 2x1 selector:zone=a & 1x1 selector:zone=a\n" },
    { "native: a row of an inner group may repeat what all rows say", NULL,
      N ",topology,node_selector,group\na,0,1,1,,zone=a,x/y\na,0,1,1,,zone=a,x/z\na,0,1,0,required:rack,zone=a,x\n",
      "a 0+1 1x1 @x/y selector:zone=a & 1x1 @x/z selector:zone=a x(required=rack)\n" },
    { "native: shares, and what belongs to the job", NULL,
      N ",gpu_milli,group,gpu_mem_gib,gpu_type,max_per_node,user\na,0,1,0.5,,x,1,V100,1,ann\na,0,1,1,250,y,1,V100,1,ann\n"
        "a,0,1,0,,z,1,V100,1,ann\n",
      "a 0+1 1x1 milli=500 @x & 1x1 milli=250 @y & 1x0 @z type=V100 user=ann gpu_mib=1024\n" },
    { "native: jobs with groups and without, in any order of time", NULL,
      N ",group\na,5,1,1,x\na,5,1,2,y\nb,3,1,2,x\nb,3,1,4,x\nc,4,1,2,\n",
      "b 3+1 1x2 @x & 1x4 @x\nc 4+1 any2\na 5+1 1x1 @x & 1x2 @y\n" },
    { "native: instances count their g", NULL, N ",gpus_per_task,mig\na,0,1,4,,1g.10gb\nb,0,1,6,2,3g.40gb\nc,0,1,1,,7g.9gb\nd,0,1,0,,1g.10gb\n",
      "a 0+1 any4 mig=1g.10gb\nb 0+1 3x2 milli=3000 mig=3g.40gb\nc 0+1 1x1 milli=7000 mig=7g.9gb\nd 0+1 1x0\n" },
    { "native: a share as memory", NULL, N ",gpus_per_task,gpu_share_mem_gib\na,0,1,1,,2.5\nb,0,1,3,,10\nc,0,1,4,2,10\nd,0,1,0,,10\n",
      "a 0+1 1x1 share_mib=2560\nb 0+1 3x1 share_mib=10240\nc 0+1 2x2 share_mib=10240\nd 0+1 1x0\n" },
    { "native: how busy it keeps a GPU, and what it fills", NULL, N ",duty,mem_bw_duty,gpu_mem_used_gib\na,0,1,1,0.7,0,5.5\nb,0,1,1,,0.000001,\nc,0,1,0,1,,2\n",
      "a 0+1 1x1 used_mib=5632 duty=700000 bandwidth=0\nb 0+1 1x1 bandwidth=1\nc 0+1 1x0 duty=1000000\n" },
    { "native: the same share of several GPUs", NULL, N ",gpus_per_task,gpu_milli\na,0,1,2,2,500\nb,0,1,6,3,250\nc,0,1,2,,500\n",
      "a 0+1 1x2 milli=500\nb 0+1 2x3 milli=250\nc 0+1 2x1 milli=500\n" },
    { "native: running already", NULL,
      N ",tasks,running_on,started_s,leaving_s\na,5,1,4,2,0:0-1;1:0 2,-3.5,\nb,5,1,1,,7,,\nc,6,1,70,,0:0-63;1:x6,,0\n",
      "a 5+1 2x2 on=0:2:3 on=1:2:5 ran=8.5\nb 5+1 1x1 on=7:0:0\nc 6+1 any70 on=0:64:ffffffffffffffff on=1:6:0 leaving=0\n" },
    { "native: prices of its own", NULL,
      N ",checkpoint,interval_s,save_s,grace_s,restart_s\na,0,1,1,periodic,60,2,3,4.5\nb,0,1,1,,,,,\nc,0,1,1,none,,,0,\n",
      "a 0+1 1x1 checkpoint=2 interval=60 save=2 grace=3 restart=4.5\nb 0+1 1x1\nc 0+1 1x1 checkpoint=0 grace=0\n" },
    { "native: what is read and written", NULL,
      N ",data_gib,data_set,epochs,image,checkpoint_gib\na,0,1,1,150,imagenet,90,train:1,0.5\nb,0,1,1,150,imagenet,,,\n"
        "c,0,1,1,,,,,0\n",
      "a 0+1 1x1 data_mib=153600 set=imagenet epochs=90 image=train:1 checkpoint_mib=512\n"
      "b 0+1 1x1 data_mib=153600 set=imagenet\nc 0+1 1x1 checkpoint_mib=0\n" },
    { "native: later columns may be empty", NULL, N ",mig,group,running_on\na,0,1,1,,,\n", "a 0+1 1x1\n" },
    { "native: order by time, then by row", NULL, N "\na,5,1,1\nb,3,1,1\nc,5,2,1\nd,3,2,1\n",
      "b 3+1 1x1\nd 3+2 1x1\na 5+1 1x1\nc 5+2 1x1\n" },
    { "philly: relative to the earliest, queue by cluster, numbered", NULL,
      "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
      "2017-10-09 06:13:03,2951.0,2,5902.0,6214e9\n",
      "2 0+2951 any2 queue=6214e9\n1 2932+66 1x1 queue=11cb48\n" },
    /* 2016 is a leap year: 28 Feb 12:00 to 1 Mar is a day and a half, 129,600 s; 2100-like rules: 2000 was one too */
    { "philly: leap years", "philly-csv",
      "timestamp,duration,num_gpus,cluster\n2016-02-28 12:00:00,1,1,a\n2016-02-29 00:00:00,1,1,a\n2016-03-01 "
      "00:00:00,1,1,a\n",
      "1 0+1 1x1 queue=a\n2 43200+1 1x1 queue=a\n3 129600+1 1x1 queue=a\n" },
    /* 1999-12-31 to 2001-01-01 are 367 days, as 2000 had 366: 31,708,800 s */
    { "philly: the year 2000", "philly-csv",
      "timestamp,duration,num_gpus,cluster\n1999-12-31 00:00:00,1,1,a\n2000-02-29 00:00:00,1,1,a\n2001-01-01 "
      "00:00:00,1,1,a\n",
      "1 0+1 1x1 queue=a\n2 5184000+1 1x1 queue=a\n3 31708800+1 1x1 queue=a\n" },
    { "helios-sim", NULL, "jobname,vc,gpu_num,submit_time,duration\nj5649,6214e9,1,0,30\nj1,11cb48,8,70,61\n",
      "j5649 0+30 1x1 queue=6214e9\nj1 70+61 any8 queue=11cb48\n" },
    { "helios-sim: other columns and order", NULL, "duration,submit_time,vc,extra,jobname,gpu_num\n30,0,,x,j,1\n",
      "j 0+30 1x1\n" },
    { "tiresias", NULL, "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n0,8,30,133,vgg11,147,23\n",
      "0 30+147 any8 model=vgg11\n" },
    { "tiresias: needed columns only", NULL, "job_id,num_gpu,submit_time,duration\n0,1,30,147\n", "0 30+147 1x1\n" },
    { "pai-sim", NULL,
      "job_id,user,gpu_type,num_inst,num_gpu,num_cpu,submit_time,duration,wait_time,user_dur,group_dur,group_gpu_dur\n"
      "0,6214e9,MISC,1,8.0,32.0,0,30,0.0,3119.79,3028.67,30.0\n1,u,V100,4,0.25,1.5,7,61,0,0,0,0\n"
      "2,u,,3,2,6,9,1,0,0,0,0\n3,,CPU,1,0,2,9,1,0,0,0,0\n",
      "0 0+30 any8 cpu=4000 user=6214e9\n1 7+61 4x1 milli=250 cpu=1500 type=V100 user=u\n2 9+1 3x2 cpu=6000 user=u\n"
      "3 9+1 1x0 cpu=2000 type=CPU\n" },
    /* simulator.py, set_job_list_arrival_time(): by (submit_time, job_id); an id that is no number goes first, by row */
    { "pai-sim: equal times go by job_id", "pai-sim", "job_id,num_inst,num_gpu,submit_time,duration\n10,1,1,5,1\n9,1,1,5,2\n"
      "3,1,1,6,3\n2,1,1,4,4\nx,1,1,5,5\n", "2 4+4 1x1\nx 5+5 1x1\n9 5+2 1x1\n10 5+1 1x1\n3 6+3 1x1\n" },
    { "swf: comments, requested size and time, fate, names", NULL,
      "; Version: 2.2\n  ; another\n 7 10 -1 30 4 -1 -1 8 60 -1 1 12 3 -1 2" SWF_END
      "8 11 -1 31 4 -1 -1 -1 -1 -1 0 -1 3 -1 -1" SWF_END "9 12 -1 32 1 -1 -1 0 0 -1 5 5 3 -1 0" SWF_END,
      "7 10+30 any8 queue=2 user=12 estimate=60\n8 11+31 any4 failed\n9 12+32 1x1 queue=0 user=5 cancelled\n" },
    { "swf: ties by job number, fields behind the 18th", NULL,
      "10 5 0 1 1 1 1 1 9 1 1 1 1 1 -1 1 1 1 {3,4} q_1d 1:ppn=64\n9 5 0 1 1 1 1 1 9 1 1 1 1 1 -1 1 1 1 {3} q x\n",
      "9 5+1 1x1 user=1 estimate=9\n10 5+1 1x1 user=1 estimate=9\n" },
    { "swf: who never ran, and parts, are left out", NULL,
      "1 0 -1 0 4 -1 -1 4 60 -1 5 1 1 -1 -1" SWF_END "2 0 -1 -1359980917 4 -1 -1 4 60 -1 1 1 1 -1 -1" SWF_END
      "3 0 -1 9 -1 -1 -1 -1 60 -1 1 1 1 -1 -1" SWF_END "4 0 -1 9 1 -1 -1 1 -1 -1 1 -1 1 -1 -1" SWF_END
      "4 0 -1 5 1 -1 -1 1 -1 -1 2 -1 1 -1 -1" SWF_END "4 0 -1 4 1 -1 -1 1 -1 -1 3 -1 1 -1 -1" SWF_END,
      "4 0+9 1x1\n" },
};

static void read_sample(void **state)
{
    const struct sample *s = *state;
    const struct trace_format *used = NULL;
    struct error err = { "" };
    struct description d = { .n = 0 };
    struct workload *w = read_text(s->text, strlen(s->text), s->format, &used, &err);
    assert_string_equal(err.text, "");
    assert_memory_equal(used->name, s->name, strcspn(s->name, ":")); /* "philly: ..." is philly-csv */
    describe_jobs(&d, w);
    assert_string_equal(d.text, s->jobs);
    round_trip(w);
    workload_free(w);
}

/* Cells of a megabyte: in a name they are kept, in a number or a header they are cut in the message. */
static void long_cells(void **state)
{
    (void)state;
    enum { LONG = 1 << 20 };
    static const struct {
        const char *before, *after;
    } around[] = {
        { N "\n", ",0,1,1\n" },
        { N "\na,", ",1,1\n" },
        { N ",", "\n" },
        { N ",class\na,0,1,1,", "\n" },
        { N ",topology\na,0,1,1,required:", "\n" },
        { N "\n1,0,1,1\n1,0,1,1\n", ",0,1,1\n" },
        { "jobname,vc,gpu_num,submit_time,duration\n", ",a,1,0,1\n" },
        { "timestamp,duration,num_gpus,gpu_time,cluster\n", ",1,1,1,a\n" },
        { "", "" },
        { "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 ", "\n" },
        { ";", "\n" },
    };
    char *text = malloc(LONG + 200);
    assert_non_null(text);
    for (size_t i = 0; i < COUNT(around); i++) {
        size_t n = strlen(around[i].before), m = strlen(around[i].after);
        memcpy(text, around[i].before, n);
        memset(text + n, '9', LONG);
        memcpy(text + n + LONG, around[i].after, m);
        struct error err = { "" };
        const struct trace_format *used;
        struct workload *w = read_text(text, n + LONG + m, NULL, &used, &err);
        assert_int_equal(w == NULL, err.text[0] != '\0');
        if (i == 0)
            assert_int_equal(strlen(w->truth[0].name), LONG);
        workload_free(w);
    }
    free(text);
}

static void finding(void **state)
{
    (void)state;
    for (size_t i = 0; trace_formats[i]; i++)
        assert_ptr_equal(trace_format_find(trace_formats[i]->name), trace_formats[i]);
    assert_null(trace_format_find("nativ"));
    struct error err = { "" };
    const struct trace_format *used;
    char sha256[65];
    assert_null(trace_read("nowhere.csv", NULL, &used, sha256, &err));
    assert_string_equal(err.text, "nowhere.csv: cannot open: No such file or directory");
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, read_sample, good);
    ADD_TEST(tests, n, long_cells);
    ADD_TEST(tests, n, finding);
    return run_in_directory(tests, n);
}
