/* test_formats_more.c - the formats with dates, attempts, deadlines and pods: small traces, and what is read from them.
 * What is wrong with a trace is told in test_formats_more_errors.c, the public files are read in
 * test_formats_more_public.c. Expected values: by hand; published examples are marked. */
#include "tests/unit/describe_jobs.h"
#include "tests/unit/read_text.h"
#include "tests/unit/round_trip.h"

struct sample {
    const char *name, *text, *jobs;
    uint32_t skipped;
}; /* told by the first bytes; the name begins with the format's */

/* clang-format off */
#define HELIOS "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
#define SEREN  "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n"
#define KALOS  "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time," \
               "start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n"
#define OPENB  "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time," \
               "scheduled_time\n"
#define DLRM   "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit," \
               "memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time," \
               "scheduled_time,deletion_time\n"
#define CHRONUS "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list," \
                "expect_value_list,best_effort,job_type\n"
#define JOB(id, submitted, attempts) "{\"status\": \"Pass\", \"vc\": \"v\", \"jobid\": \"" id "\", \"attempts\": [" \
               attempts "], \"submitted_time\": \"" submitted "\", \"user\": \"u\"}"
#define TRY(start, end, detail) "{\"start_time\": " start ", \"end_time\": " end ", \"detail\": [" detail "]}"
#define ON(ip, gpus) "{\"ip\": \"" ip "\", \"gpus\": [" gpus "]}"
#define EIGHT "\"gpu0\", \"gpu1\", \"gpu2\", \"gpu3\", \"gpu4\", \"gpu5\", \"gpu6\", \"gpu7\""

static const struct sample good[] = {
    /* the three jobs of HeliosData's README; 26 and 27 s after the first, CPUs shared out over the GPUs */
    { "helios: as published", HELIOS
      "1425511,uXBbc,vcJkd,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-10 04:55:09,36848,0\n"
      "1425512,uVMrF,vchbv,4,16,1,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0\n"
      "1425513,uzqls,vcpDC,1,1,1,CANCELLED,2020-06-09 18:41:28,2020-06-09 18:41:28,2020-06-17 14:15:21,675233,0\n",
      "1425511 0+36848 1x1 cpu=1000 queue=vcJkd user=uXBbc\n"
      "1425512 26+249 any4 cpu=4000 queue=vchbv user=uVMrF failed\n"
      "1425513 27+675233 1x1 cpu=1000 queue=vcpDC user=uzqls cancelled\n", 0 },
    { "helios: without GPUs, on one node and on three", HELIOS
      "1,u,v,0,10,1,TIMEOUT,2020-06-09 18:41:01,2020-06-09 18:41:01,,5,0\n"
      "2,u,v,0,10,3,NODE_FAIL,2020-06-09 18:41:01,2020-06-09 18:41:01,,5,0\n",
      "1 0+5 1x0 cpu=10000 queue=v user=u failed\n2 0+5 3x0 cpu=3334 queue=v user=u failed\n", 0 },
    { "helios: never started", HELIOS "1,u,v,1,1,1,CANCELLED,2020-06-09 18:41:01,None,2020-06-09 18:41:03,,\n"
      "2,u,v,1,1,1,CANCELLED,2020-06-09 18:41:05,,,,\n"
      "3,u,v,1,,,COMPLETED,2020-06-09 18:42:01,2020-06-09 18:42:01,,5,0\n", "3 0+5 1x1 queue=v user=u\n", 2 },
    /* AcmeTrace's README; the first began 2023-02-28 16:18:22 UTC; 00:23:58 is 336 s later */
    { "acme: Seren as published", SEREN
      "5778432,u5907,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,2023-03-01 00:18:54+08:00,"
      "2023-03-01 00:20:51+08:00,117,32,936.0\n"
      "5778469,u5907,1,8,128,Other,COMPLETED,2023-03-01 00:23:58+08:00,2023-03-01 00:24:11+08:00,"
      "2023-03-01 01:09:04+08:00,2693,13,21544.0\n",
      "5778432 0+117 any8 cpu=16000 user=u5907 failed\n5778469 336+2693 any8 cpu=16000 user=u5907\n", 0 },
    /* likewise: `duration` 18 and 82 there hold the 10 and 12 s in the queue; 11:28:42 is 1664 s after 11:00:58 */
    { "acme: Kalos as published", KALOS
      "dlctk696s0jbvitv,uf794,8,64,960,1000,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 11:01:08+00:00,"
      "2023-05-17 11:01:16+00:00,2023-05-17 11:01:16+00:00,,18,10.0,1152.0\n"
      "dlc1t2ypl09b8qtp,uf794,8,64,960,1000,100.0,Other,CANCELLED,2023-05-17 11:28:42+00:00,2023-05-17 11:28:54+00:00,"
      "2023-05-17 11:30:04+00:00,,2023-05-17 11:30:04+00:00,82,12.0,5248.0\n",
      "dlctk696s0jbvitv 0+8 any64 cpu=15000 user=uf794 failed\n"
      "dlc1t2ypl09b8qtp 1664+70 any64 cpu=15000 user=uf794 cancelled\n", 0 },
    /* noon at +08:00, -04:30 and UTC: 04:00, 16:30 and 12:00 */
    { "acme: zones, no end, no start, nodes as pandas writes them", SEREN
      "a,u,1.0,1,,Other,COMPLETED,2023-03-01 12:00:00+08:00,2023-03-01 12:00:00+08:00,2023-03-01 04:00:09,0,0,\n"
      "b,u,1.0,1,,Other,COMPLETED,2023-03-01 12:00:00-04:30,2023-03-01 12:00:00-04:30,,7,0,\n"
      "c,u,2.0,0,8,Other,COMPLETED,2023-03-01 12:00:00,2023-03-01 12:00:00,2023-03-01 12:00:01,7,0,\n"
      "d,u,1.0,1,8,Other,CANCELLED,2023-03-01 12:00:00,,2023-03-01 12:00:01,7,0,\n",
      "a 0+9 1x1 user=u\nc 28800+1 2x0 cpu=4000 user=u\nb 45000+7 1x1 user=u\n", 1 },
    { "openb: whole, shared, none, several", OPENB
      "w,12000,16384,1,1000,,LS,Running,0,20,0\ns,6000,12288,1,460,V100M16|V100M32,BE,Failed,5,20,7\n"
      "n,8000,30517,0,0,,Burstable,Succeeded,6,16,6\nm,64000,1024,8,1000,G2,Guaranteed,Running,7,8,7\n",
      "w 0+20 1x1 cpu=12000 mib=16384 priority=1 inference fixed\n"
      "s 5+13 1x1 milli=460 cpu=6000 mib=12288 type=V100M16|V100M32 batch failed\n"
      "n 6+10 1x0 cpu=8000 mib=30517\nm 7+1 1x8 cpu=64000 mib=1024 type=G2 fixed\n", 0 },
    { "openb: never scheduled", OPENB "p,1,1,1,1000,,LS,Pending,3,9,\nr,1,1,1,1000,,,,3,9,4\n",
      "r 3+5 1x1 cpu=1 mib=1\n", 1 },
    { "dlrm: before the window, in it, and beyond it", DLRM
      "i0,HN,app_0,12,12,1,1,25,25,120.0,120.0,640.0,800.0,8,,,\n"
      "i1,CN,app_1,64,64,0,0,1,1,937.5,320.0,255.0,300.0,-1,610.0,683.0,91730.0\n"
      "i2,CN,app_1,64,64,0,0,1,1,320.0,320.0,255.0,300.0,-1,475.00000000000006,475.00000000000006,\n"
      "i3,HN,app_0,12,12,1,1,25,25,120.0,120.0,640.0,800.0,8,,,75.0\n",
      "i0 0+2678400 1x1 cpu=12000 mib=122880 user=app_0 priority=1 inference fixed\n"
      "i3 0+75 1x1 cpu=12000 mib=122880 user=app_0 priority=1 inference fixed\n"
      "i2 475+2677925 1x0 cpu=64000 mib=327680 user=app_1 priority=1 inference fixed\n"
      "i1 610+91047 1x0 cpu=64000 mib=960000 user=app_1 priority=1 inference fixed\n", 0 },
    { "elasticflow: both layouts", "job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,"
      "duration,iteration\n0,0,1282877,vgg16,771220,256,1,976570,976570,1282877\n", "0 0+976570 1x1 deadline=771220 model=vgg16\n", 0 },
    { "elasticflow: the other one", "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration\n"
      "1,3717550,1548,ncf,3717583,32768,8,66\n", "1 3717550+66 any8 deadline=3717583 model=ncf\n", 0 },
    /* 7505 min = 450,300 s; strict until 7505 + 235 min = 464,400 s; soft until 2 + 159 = 161 min; best: none */
    { "chronus", CHRONUS "1,vc_6214e9,1,7505,760,alexnet,106,6,235,10,0,strict\n0,v,4,2,5,m,96,5,159-189-229,10-8-5,0,soft\n"
      "3,v,1,918,5,m,146,5,918,10,1,best\n4,v,0,9,5,m,68,5,166,10,0,strict\n5,v,2,0.5,5,m,0.25,5,1,10,0,strict\n",
      "5 30+15 any2 queue=v deadline=90 model=m\n0 120+5760 any4 queue=v deadline=9660 model=m\n"
      "3 55080+8760 1x1 queue=v model=m\n1 450300+6360 1x1 queue=vc_6214e9 deadline=464400 model=alexnet\n", 1 },
    /* philly-traces' README: 74 s, then 2 days and 5:39:42, 193,182 s */
    { "philly: as published", "[{\"status\": \"Pass\", \"vc\": \"ee9e8c\", \"jobid\": \"application_1506638472019_14199\",\n"
      "\"attempts\": [" TRY("\"2017-10-07 01:12:09\"", "\"2017-10-07 01:13:23\"", ON("m47", EIGHT)) ",\n"
      TRY("\"2017-10-07 01:13:30\"", "\"2017-10-09 06:53:12\"", ON("m412", EIGHT)) "],\n"
      "\"submitted_time\": \"2017-10-07 01:11:39\", \"user\": \"ce2f4c\"}]\n",
      "application_1506638472019_14199 0+193256 any8 queue=ee9e8c user=ce2f4c\n", 0 },
    { "philly: two nodes, attempts without times or GPUs, order", " [ \n"
      JOB("a", "2017-10-07 00:00:10", TRY("null", "\"2017-10-07 00:01:00\"", "") ","
          TRY("\"2017-10-07 00:02:00\"", "\"2017-10-07 00:02:05\"", ON("m1", EIGHT) "," ON("m2", EIGHT)) ","
          TRY("\"None\"", "\"2017-10-07 00:03:00\"", ON("m1", "\"gpu0\"")) ","
          TRY("\"2017-10-07 00:04:00\"", "\"2017-10-07 00:04:02\"", "")) " ,\n"
      "{\"user\": null, \"jobid\": \"b\", \"status\": \"Killed\", \"submitted_time\": \"2017-10-07 00:00:00\","
      "\"attempts\": [" TRY("\"2017-10-07 00:00:00\"", "\"2017-10-07 00:00:01\"", ON("m1", "")) "]},"
      "{\"status\": \"Failed\", \"vc\": \"w\", \"jobid\": \"c\", \"submitted_time\": \"2017-10-07 00:00:00\", \"attempts\":"
      "[" TRY("\"2017-10-07 00:00:00\"", "\"2017-10-07 00:00:01\"", ON("m1", "\"gpu3\"")) "]}]",
      "b 0+1 1x0 cancelled\nc 0+1 1x1 queue=w failed\na 10+7 any16 queue=v user=u\n", 0 },
    { "philly: no attempts, none with both times, none with GPUs, still running", "["
      JOB("a", "2017-10-07 00:00:10", "") ","
      JOB("b", "None", TRY("\"\"", "\"2017-10-07 00:01:00\"", ON("m1", "\"gpu0\""))) ","
      JOB("c", "2017-10-07 00:00:10", TRY("\"2017-10-07 00:00:00\"", "\"2017-10-07 00:01:00\"", "")) ","
      JOB("d", "2017-10-07 00:00:10", TRY("\"2017-10-07 00:00:00\"", "\"2017-10-07 00:01:00\"", ON("m", "\"gpu0\"")) ","
          TRY("\"2017-10-07 00:02:00\"", "\"None\"", ON("m", "\"gpu0\""))) ","
      JOB("e", "2017-10-07 00:00:10", TRY("\"2017-10-07 00:00:00\"", "\"2017-10-07 00:01:00\"", ON("m", "\"gpu0\"")))
      "]", "e 0+60 1x1 queue=v user=u\n", 4 },
};
/* clang-format on */

static void read_sample(void **state)
{
    const struct sample *s = *state;
    const struct trace_format *used = NULL;
    struct error err = { "" };
    struct description d = { .n = 0 };
    struct workload *w = read_text(s->text, strlen(s->text), NULL, &used, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(strlen(used->name), strcspn(s->name, ":"));
    assert_memory_equal(used->name, s->name, strlen(used->name));
    describe_jobs(&d, w);
    assert_string_equal(d.text, s->jobs);
    round_trip(w);
    assert_int_equal(w->n_skipped, s->skipped);
    workload_free(w);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, read_sample, good);
    return run_in_directory(tests, n);
}
