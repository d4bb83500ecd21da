/* duties.c - see duties.h. */
#include "sim/models/sharing.h"

#include <stddef.h>
#include <string.h>

/* [R S-Lab-System-Group/Lucid:simulation/analyzer/single_data.csv]: utilisation of processors and of memory, and memory used, of
 * training in FP32 on one GPU of 24 GB. models.md 7. GB there are 1e9 bytes. */
#define GB(tenths) ((uint32_t)((tenths)*100000000ull >> 20))
/* clang-format off */
const struct model_duty duty_catalogue[] = {
    /* model         batch  u        v              memory */
    { "ResNet-50",     64, { 1000000, 810000 }, GB(86) },
    { "BERT",          32, { 1000000, 620000 }, GB(202) },
    { "MobileNetV2",   64, {  700000, 400000 }, GB(30) },
    { "LSTM",          64, {  970000, 750000 }, GB(39) },
    { "DCGAN",         64, {  730000, 310000 }, GB(23) },
    { "NeuMF",         64, {  100000,  20000 }, (uint32_t)(2050000000ull >> 20) },
    { "PPO",            0, {  120000,      0 }, (uint32_t)(2050000000ull >> 20) },
    { "PointNet",      64, {   80000,  70000 }, GB(63) },
    { 0 },
};
/* clang-format on */

const struct model_duty *duty_find(const struct sharing *s, const char *model)
{
    for (uint32_t i = 0; i < s->n_duties; i++)
        if (strcmp(s->duty[i].model, model) == 0)
            return &s->duty[i];
    for (const struct model_duty *d = duty_catalogue; d->model; d++)
        if (strcmp(d->model, model) == 0)
            return d;
    return NULL;
}
