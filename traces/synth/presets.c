/* presets.c - workload files fitted to published numbers of real clusters: models.md 6.1 and 6.4.
 *
 * Run times: one lognormal law. Its parameters are solved so that, cut at the longest job, all jobs
 * have the published mean and median, and each fate its share of the jobs and of the GPU time
 * (multiple = share of the GPU time / share of the jobs). Numbers of jobs, times, GPUs and fates:
 * InternLM/AcmeTrace:data/cluster_summary.csv;
 * S-Lab-System-Group/HeliosArtifact:analysis/1_compare_different_clusters/helios_cluster_summary.csv.
 * Shares of sizes: models.md 6.4 with their sources, scaled to the published mean. Hours:
 * calendar.h, equal for all. Sweeps, weekends, users, projects and the correlation of size and run
 * time are assumptions (6.2, 6.3, 6.5), as is the load of 0.8. */
#include "traces/synth/synth.h"

#include <stddef.h>

#define BEGIN(name, jobs, gpus)                                                                                        \
    "workload: " name "\njobs: " jobs "\nload: { target: 0.8, gpus: " gpus " }\n"                                      \
    "arrivals:\n"                                                                                                      \
    "  daily: [.903, .842, .669, .592, .564, .553, .553, .504, .559, .809, 1.120, 1.236,\n"                            \
    "          1.200, 1.217, 1.330, 1.431, 1.500, 1.338, 1.098, 1.197, 1.313, 1.228, 1.142, 1.101]\n"                  \
    "  weekly: [1, 1, 1, 1, 1, .7, .7]\n"                                                                              \
    "  sweeps: { probability: 0.1, mean_jobs: 10, within_s: 5, run_times: own }\n"
#define TIMES(mean, median, most)                                                                  \
    "durations: { law: lognormal, mean_s: " mean ", median_s: " median                             \
    ", least_s: 1, most_s: " most " }\n"
/* Shares of the jobs, and multiples. */
#define FATES(completed, of_completed, cancelled, of_cancelled, failed, of_failed)                                     \
    "fates:\n  completed: { share: " completed ", multiple: " of_completed " }\n"                                      \
    "  cancelled: { share: " cancelled ", multiple: " of_cancelled " }\n"                                              \
    "  failed: { share: " failed ", multiple: " of_failed " }\n"

#define PHILLY_SIZES "gpus: { 1: .70, 2: .10, 4: .15, 8: .05 }\nmean_gpus: 1.928\n"
#define HELIOS_SIZES(mean)                                                                         \
    "gpus: { 1: .70, 2: .07, 4: .08, 8: .10, 16: .025, 32: .015, 64: .007, 128: .003 "             \
    "}\nmean_gpus: " mean "\n"
#define HELIOS_MOST "4320009"

const struct synth_preset synth_presets[] = {
    { "philly", "Microsoft 2017, one lognormal law: mean 18006 s, median 874 s, 1.928 GPUs",
      BEGIN("philly", "112956", "2816") PHILLY_SIZES TIMES("18006", "874", "4240676")
          FATES(".604", ".531", ".090", "3.264", ".305", "1.265") },
    { "philly-mix",
      "Microsoft 2017, three lognormal laws fitted to its run times: mean 12508 s before it is cut",
      BEGIN("philly-mix", "112956", "2816") PHILLY_SIZES
      "durations: { law: philly-mix, least_s: 1 }\n" },
    { "helios-venus", "SenseTime 2020, Venus: mean 13041 s, median 204 s, 6.736 GPUs",
      BEGIN("helios-venus", "125303", "1022") HELIOS_SIZES("6.736") TIMES(
          "13041", "204", HELIOS_MOST) FATES(".526", ".981", ".272", "1.465", ".202", ".422") },
    { "helios-earth", "SenseTime 2020, Earth: mean 5131 s, median 234 s, 2.101 GPUs",
      BEGIN("helios-earth", "427148", "997") HELIOS_SIZES("2.101") TIMES("5131", "234", HELIOS_MOST)
          FATES(".735", ".679", ".136", "3.082", ".129", ".632") },
    { "helios-saturn", "SenseTime 2020, Saturn: mean 5253 s, median 124 s, 4.010 GPUs",
      BEGIN("helios-saturn", "698896", "2080") HELIOS_SIZES("4.010") TIMES(
          "5253", "124", HELIOS_MOST) FATES(".582", ".893", ".272", "1.427", ".145", ".634") },
    { "helios-uranus", "SenseTime 2020, Uranus: mean 9164 s, median 280 s, 4.038 GPUs",
      BEGIN("helios-uranus", "329117", "2119") HELIOS_SIZES("4.038") TIMES(
          "9164", "280", HELIOS_MOST) FATES(".607", ".839", ".201", "1.923", ".192", ".542") },
    { "pai",
      "Alibaba 2020: mean 4787 s, median 481 s, 0.683 GPUs, half of the jobs at most half a GPU",
      BEGIN("pai", "1037085", "6742") "gpus: { 0.1: .05, 0.25: .25, 0.5: .25, 1: .42, 2: .01, 4: "
                                      ".01, 8: .01 }\nmean_gpus: 0.683\n" TIMES("4787", "481",
                                                                                "626371") },
    { "seren", "Shanghai AI Laboratory 2023, Seren: mean 1414 s, median 122 s, 5.68 GPUs",
      BEGIN("seren", "663813",
            "2288") "gpus: { 1: .68, 2: .06, 4: .06, 8: .13, 16: .03, 32: .02, 64: .012, 128: "
                    ".005, 256: .0025, 512: .0005 }\nmean_gpus: 5.68\n" TIMES("1414", "122",
                                                                              "1209604")
                        FATES(".497", ".427", ".075", "8.848", ".429", ".290") },
    { "kalos", "Shanghai AI Laboratory 2023, Kalos: mean 1260 s, median 124 s, 26.77 GPUs",
      BEGIN("kalos", "19907",
            "2416") "gpus: { 1: .548, 8: .22, 16: .06, 32: .05, 64: .05, 128: .03, 256: .03, 512: "
                    ".01, 1024: .002 }\nmean_gpus: 26.77\n" TIMES("1260", "124", "625740")
                        FATES(".541", ".578", ".062", "9.797", ".397", ".201") },
    /* Times: those of openb_pod_list_default.csv that ran; fractions of a GPU: models.md 4.7, the rest of them as halves. */
    { "openb", "Alibaba 2023, pods: mean 28949 s, median 616 s, shares of a GPU and CPU-only tasks",
      BEGIN("openb", "8152",
            "6212") "gpus: { 0: .1335, 0.81: .1320, 0.47: .0917, 0.32: .0403, 0.65: .0309, 0.23: "
                    ".0171, 0.46: .0154, 0.5: .0502,\n"
                    "        1: .4797, 2: .0020, 4: .0018, 8: .0054 }\ncpus_per_gpu: "
                    "8\nmemory_gib_per_gpu: 32\n" TIMES("28949", "616", "12537496") },
    { NULL, NULL, NULL },
};
