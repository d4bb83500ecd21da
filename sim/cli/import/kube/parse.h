/* parse.h - texts of the Kubernetes API as numbers. Each returns false for any other text, and then
 * leaves *to unchanged. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A quantity: a decimal number with a suffix n u m k M G T P E, Ki Mi Gi Ti Pi Ei or an exponent
 * (kubernetes/apimachinery:pkg/api/resource/quantity.go), in parts of 1/scale, rounded down. 0 or
 * more, below 2^62 parts. */
bool quantity_parse(const char *text, size_t length, int64_t scale, int64_t *to);
/* A span as Go's time.ParseDuration reads it, of units h m s ms us ns, in ns; without a sign. */
bool go_span_parse(const char *text, size_t length, int64_t *to);
