/* span.h - lengths of time as Slurm writes them.
 *
 *   90                 so many of `unit_s` seconds: a time limit is in minutes, TimelimitRaw too,
 *                      ElapsedRaw in seconds
 *   MM:SS  HH:MM:SS    minutes and seconds, hours before them
 *   D-HH  D-HH:MM  D-HH:MM:SS
 *   UNLIMITED INFINITE -1
 *
 * After SchedMD/slurm:src/common/parse_time.c (time_str2secs). A time limit is whole minutes,
 * rounded up. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPAN_UNLIMITED (-1)
#define SPAN_WANT      "a length of time like 90, 30:00, 1-12 or 1-12:30:00, or UNLIMITED"

/* false: no length of time, or of 100 years and more */
bool span_parse(const char *text, size_t length, int64_t unit_s, int64_t *seconds);
int64_t span_whole_minutes(int64_t seconds);      /* rounded up; SPAN_UNLIMITED stays */
