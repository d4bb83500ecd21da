/* minmax.h - the smaller and the larger of two numbers of one type. For doubles C has fmin() and
 * fmax(). */
#pragma once
#include <stddef.h>
#include <stdint.h>

static inline int32_t  min_i32(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t  max_i32(int32_t a, int32_t b) { return a > b ? a : b; }
static inline uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline int64_t  min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t  max_i64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline size_t   min_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t   max_size(size_t a, size_t b) { return a > b ? a : b; }
