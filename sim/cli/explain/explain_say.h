/* explain_say.h - plain words about a story: labelled paragraphs, names that cannot harm the terminal, times and numbers. */
#pragma once
#include <jansson.h>
#include <stdio.h>

double      story_number(const json_t *o, const char *key);  /* NaN: none */
const char *story_text(const json_t *o, const char *key);    /* "": none */

/* A paragraph under construction: what is written to `to` stands beside the label, wrapped; nothing is written for none. */
struct paragraph { char *text; size_t length; FILE *to; };
FILE *say_begin(struct paragraph *p);
void  say_end(struct paragraph *p, const char *label, size_t indent);

void say_name(FILE *to, const char *name);                   /* cut if it is long */
void say_duration(FILE *to, double s);                       /* for people */
#define INSTANT_MAX 400
const char *instant_text(char to[INSTANT_MAX], double s);    /* to the microsecond, "276480.5 s"; NaN: "-" */
#define HOURS_MAX 400
const char *gpu_hours_text(char to[HOURS_MAX], double h);    /* "1234.5 GPU h", "0.0123 GPU h" */
void say_gpus(FILE *to, double gpus);                        /* "2.5 GPUs" */
const char *say_plural(double n);                            /* "s", unless n is 1 */
void say_missing(const json_t *story);                       /* the files that were not there */
