/* training_catalogue.c - what is known about training models, with where each number comes from.
 *
 * models.md 2.3. Tags as in catalogue.c; [K]: general knowledge of the source named, not looked up again.
 * compute_s: measured rows [R stanford-futuredata/gavel:scheduler/simulation_throughputs.json, V100, one GPU]; transformers by
 *   6 x parameters x tokens over 125 TFLOPS at 40 % (decoders) [A; 41 % at 16K H100 is reported in P: Llama 3 report]; the three
 *   of adaptdl from fits of their step times on a 2080Ti, which trains as fast as a V100 [D: least squares, R
 *   siasosp23/artifacts:adaptdl/sched/traces].
 * memory_gib: [R S-Lab-System-Group/Lucid:simulation/analyzer/single_data.csv], where the batch is that of the row.
 * GPT-3-like: split over GPUs as in Narayanan et al., SC'21, table 1, nearest size [K]; the batch of 4M tokens is that of the
 *   whole job.
 * DLRM: 26 tables (Criteo) of vectors of 64 numbers in FP32 [A]; the tables themselves are not reduced. */
#include "sim/models/training/training_models.h"

#include <stddef.h>

#define V100_FLOPS             125e12
#define DECODER_MFU            0.40
#define DECODER_S(n, tokens)   (6 * (n) * (tokens) / (V100_FLOPS * DECODER_MFU))
#define FIT_S(a, b, batch)     ((a) + (b) * (batch))
#define FP32                   4
#define FP16                   2

#define ONE_GPU_A_COPY         .tensor_parallel = 1, .pipeline_parallel = 1
#define SPLIT(tensor, stages)  .tensor_parallel = (tensor), .pipeline_parallel = (stages)
#define GAVEL                  "compute [R gavel]; else [A]"
#define ASSUMED                "[A]"
#define ADAPTDL                "compute [D fits of siasosp23/artifacts, 2080Ti]; else [A]"
#define FORMULA                "compute [D 6 N tokens, MFU 0.40]; else [A]"

/* clang-format off */
const struct training_model training_catalogue[] = {
    { .name = "ResNet-18", .aliases = "ResNet-18 (CIFAR)|cifar10|resnet18_cifar10", .params = 11.2e6, .gradient_bytes = 45e6,
      .batch = 128, .compute_s = 0.056, .communication = "low", .source = GAVEL, ONE_GPU_A_COPY },
    { .name = "ResNet-50", .aliases = "ResNet-50 (ImageNet)|imagenet", .params = 25.557032e6, .gradient_bytes = 25557032.0 * FP32,
      .batch = 64, .compute_s = 0.082, .memory_gib = 8.6, .communication = "low",
      .source = "compute [A: 800 images/s]; memory [R Lucid]", ONE_GPU_A_COPY },
    { .name = "VGG-16", .params = 138.357544e6, .gradient_bytes = 138357544.0 * FP32, .batch = 32, .compute_s = 0.180,
      .communication = "high", .source = ASSUMED, ONE_GPU_A_COPY },
    { .name = "Inception-v3", .aliases = "inception3", .params = 23.8e6, .gradient_bytes = 95e6, .batch = 64, .compute_s = 0.16,
      .communication = "low", .source = ASSUMED, ONE_GPU_A_COPY },
    { .name = "MobileNetV2", .aliases = "mobilenet", .params = 3.5e6, .gradient_bytes = 14e6, .batch = 64, .compute_s = 0.05,
      .memory_gib = 3.0, .communication = "very low", .source = "[A]; memory [R Lucid]", ONE_GPU_A_COPY },
    { .name = "EfficientNet-B0", .params = 5.3e6, .gradient_bytes = 21e6, .batch = 64, .compute_s = 0.05,
      .communication = "very low", .source = ASSUMED, ONE_GPU_A_COPY },
    { .name = "Transformer", .aliases = "Transformer (Multi30k)", .params = 60e6, .gradient_bytes = 240e6, .batch = 64,
      .compute_s = 0.116, .communication = "medium", .source = GAVEL, ONE_GPU_A_COPY },
    { .name = "LM", .aliases = "LM (Wikitext-2)|LSTM", .params = 30e6, .gradient_bytes = 120e6, .batch = 20, .compute_s = 0.0154,
      .communication = "very high", .source = GAVEL, ONE_GPU_A_COPY },
    { .name = "CycleGAN", .params = 28e6, .batch = 1, .compute_s = 0.226, .communication = "none", .source = GAVEL,
      ONE_GPU_A_COPY },
    { .name = "A3C", .params = 1e6, .compute_s = 0.139, .communication = "none", .source = GAVEL, ONE_GPU_A_COPY },
    { .name = "BERT-base", .aliases = "bert", .params = 110e6, .gradient_bytes = 110e6 * FP16, .batch = 32, .compute_s = 0.17,
      .memory_gib = 20.2, .communication = "medium-high", .source = "[A]; memory [R Lucid]", ONE_GPU_A_COPY },
    { .name = "BERT-large", .params = 336e6, .gradient_bytes = 336e6 * FP16, .batch = 8, .compute_s = 0.250,
      .communication = "medium-high", .source = ASSUMED, ONE_GPU_A_COPY },
    { .name = "DeepSpeech2", .params = 35e6, .gradient_bytes = 140e6, .batch = 20, .compute_s = FIT_S(0.06376, 0.01797, 20),
      .communication = "medium", .source = ADAPTDL, ONE_GPU_A_COPY },
    { .name = "YOLOv3", .params = 62e6, .gradient_bytes = 248e6, .batch = 8, .compute_s = FIT_S(0.4107, 0.02305, 8),
      .communication = "medium", .source = ADAPTDL, ONE_GPU_A_COPY },
    { .name = "NCF", .aliases = "NeuMF", .params = 32e6, .gradient_bytes = 128e6, .batch = 32768,
      .compute_s = FIT_S(0.01618, 1.7e-7, 32768), .communication = "high", .source = ADAPTDL, ONE_GPU_A_COPY },
    { .name = "GPT-2-small", .aliases = "GPT-2", .params = 124e6, .gradient_bytes = 124e6 * FP16, .batch = 8 * 1024,
      .compute_s = DECODER_S(124e6, 8 * 1024), .communication = "medium", .source = FORMULA, ONE_GPU_A_COPY },
    { .name = "GPT-2-medium", .params = 355e6, .gradient_bytes = 355e6 * FP16, .batch = 8 * 1024,
      .compute_s = DECODER_S(355e6, 8 * 1024), .communication = "high", .source = FORMULA, ONE_GPU_A_COPY },
    { .name = "GPT-2-XL", .params = 1558e6, .gradient_bytes = 1558e6 * FP16, .batch = 8 * 1024,
      .compute_s = DECODER_S(1558e6, 8 * 1024), .communication = "high", .source = FORMULA, ONE_GPU_A_COPY },
    { .name = "GPT-3-6.7B", .params = 6.7e9, .gradient_bytes = 6.7e9 * FP16, .batch = 4e6, .global_batch = true,
      .compute_s = DECODER_S(6.7e9, 4e6), .communication = "high", .source = FORMULA "; split [K SC'21]", SPLIT(4, 1) },
    { .name = "GPT-3-13B", .params = 13e9, .gradient_bytes = 13e9 * FP16, .batch = 4e6, .global_batch = true,
      .compute_s = DECODER_S(13e9, 4e6), .communication = "high", .source = FORMULA "; split [K SC'21]", SPLIT(8, 1) },
    { .name = "GPT-3-175B", .aliases = "GPT-3", .params = 175e9, .gradient_bytes = 175e9 * FP16, .batch = 4e6, .global_batch = true,
      .compute_s = DECODER_S(175e9, 4e6), .communication = "high", .source = FORMULA "; split [K SC'21]", SPLIT(8, 8) },
    { .name = "DLRM", .params = 10e6, .gradient_bytes = 40e6, .batch = 2048, .compute_s = 0.010,
      .all_to_all_bytes = 4.0 * 2048 * 26 * 64, .communication = "all-to-all", .source = ASSUMED, ONE_GPU_A_COPY },
    { .name = "ViT-B/16", .aliases = "vit", .params = 86e6, .gradient_bytes = 86e6 * FP16, .batch = 64, .compute_s = 0.25,
      .communication = "medium", .source = ASSUMED, ONE_GPU_A_COPY },
    { 0 },
};
/* clang-format on */
