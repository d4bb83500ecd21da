/* tres.h - trackable resources (TRES) of Slurm: "cpu=32,mem=62.50G,node=2,gres/gpu:a100=8".
 *
 * Amounts may have decimals and a suffix K, M, G, T or P, powers of 1024. Memory without a suffix
 * is MiB. gres/gpu is the number of GPUs, gres/gpu:TYPE that of a type; where both are said, the
 * untyped one is the total. A type like 3g.20gb is a MIG instance. Of jobs before Slurm 21.08 and
 * in configurations the same is written gpu:a100:4(S:0-1) (gres_parse()). Names that are not listed
 * in `struct tres` are left out and counted. Source of names and suffixes:
 * SchedMD/slurm:src/common/slurmdb_defs.c, src/common/slurm_protocol_defs.c, src/interfaces/gres.c.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRES_UNSAID (-1)
#define TRES_WANT   "resources like cpu=32,mem=62.50G,gres/gpu=4"
#define GRES_WANT   "resources like gpu:4 or gpu:a100:4 with ',' between"

struct tres {
    int64_t cpus, mem_mib, nodes, gpus, shards, mps;    /* TRES_UNSAID: not said */
    const char *type;             /* of the GPUs, within the text; NULL: none is said */
    size_t type_length;
    unsigned types;               /* distinct GPU types that are said */
    unsigned others;              /* names that are none of these, of jobs' billing and the like not
                                     counted */
    bool typed;                   /* of tres_parse(): no untyped total is said, gpus is their sum */
    bool no_consume;              /* of gres_parse(): GPUs that are not counted */
};
/* true, also for an empty text: all is unsaid; false: malformed. */
bool tres_parse(const char *text, size_t length, struct tres *to);
bool gres_parse(const char *text, size_t length, struct tres *to);
/* "62.50G" in MiB. false: no amount of memory. */
bool mem_parse(const char *text, size_t length, int64_t *mib);
