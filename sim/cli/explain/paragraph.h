/* paragraph.h - a story as text: wrapped paragraphs with labels, names without control
 * characters, times and numbers. */
#pragma once
#include "sim/cli/frame/term.h"

#include <jansson.h>
#include <stdio.h>

double      story_number(const json_t *o, const char *key);  /* NaN: none */
const char *story_text(const json_t *o, const char *key);    /* "": none */

/* What is written to the stream of a paragraph is printed wrapped beside the label; an empty
 * paragraph prints nothing. */
struct paragraph { char *text; size_t length; FILE *to; };
FILE *paragraph_begin(struct paragraph *p);
void  paragraph_end(struct paragraph *p, const char *label, size_t indent);

void write_name(FILE *to, const char *name);                 /* a long name is cut */
void write_duration(FILE *to, double s);                     /* "3.2 min" */
#define INSTANT_MAX 400
/* Of a story with dates the date, UTC, to the second: "2017-10-03 07:01:55"; else seconds, to the
 * microsecond: "276480.5 s". NaN: "-" */
const char *instant_text(char to[INSTANT_MAX], const json_t *story, double s);
#define HOURS_MAX 400
const char *gpu_hours_text(char to[HOURS_MAX], double h);    /* "1234.5 GPU h", "0.0123 GPU h" */
void write_gpus(FILE *to, double gpus);                      /* "2.5 GPUs" */
void print_waits(const json_t *story, size_t indent);        /* a line for each reason of "waits" */
/* the result files that were missing */
void print_missing(const json_t *story);
