/* options.h - the options of a subcommand as one table, from which the command line is parsed
 * and the help is made.
 *
 * "--name value", "--name=value", "-n value", "-nvalue". Letters without a value may be joined
 * ("-qv"). "--" ends the options, "-" is an operand. Names are never abbreviated. An option with
 * one value is given at most once. */
#pragma once
#include "sim/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {                /* the type of the field that is filled */
    OPTION_FLAG,                  /* bool; no value */
    OPTION_TEXT,                  /* const char *: never empty; points into argv */
    OPTION_TEXTS,                 /* struct option_texts: may be given several times */
    OPTION_WORD,                  /* int: index into words */
    OPTION_INTEGER,               /* int64_t from min to max */
    OPTION_SECONDS,               /* int64_t ns, from min to max seconds */
    OPTION_RATIO,                 /* double with at most nine decimals, above min, up to max */
};
struct option_texts { size_t n; const char **text; };

enum option_values {              /* what completion offers */
    VALUES_WORDS, VALUES_FILE, VALUES_DIRECTORY, VALUES_POLICY, VALUES_PLACER, VALUES_COMMAND
};
struct option {                   /* a table ends with a NULL name */
    const char *name;
    char letter;                  /* 0: none */
    const char *argument, *help;  /* argument: the name of the value in the help */
    enum option_kind kind;
    size_t at;                    /* offset of the field in the command's struct */
    int64_t min, max;
    /* ends with NULL; for kinds other than OPTION_WORD only completion offers them */
    const char *const *words;
    bool required;
    enum option_values values;
    const char *instead;          /* an option that has this one in it: never both, and with it this
                                     one is not required; NULL: none */
};

struct option_set {
    const char *name;             /* of the subcommand, for messages */
    const struct option *options;
    const char *operands;         /* their name in the help: "DIR..."; NULL: takes none */
    size_t min_operands, max_operands;
};
struct operands { size_t n; const char **text; };    /* text points into argv */

extern const struct option option_help;    /* --help, which every set has */

enum options_result { OPTIONS_OK, OPTIONS_HELP, OPTIONS_WRONG };
/* argv[0] is ignored. An option that is not given leaves its field of *values unchanged.
 * OPTIONS_HELP: --help is given before any mistake; OPTIONS_WRONG: err has the message. In every
 * case options_free() frees the lists. */
enum options_result options_parse(const struct option_set *set, int argc, char *const *argv,
                                  void *values,
                                  struct operands *operands, struct error *err);
void options_free(const struct option_set *set, void *values, struct operands *operands);

/* "'TYPED', did you mean 'BEST'?" or "'TYPED', OTHERWISE": the end of a message. `names` ends
 * with NULL. */
#define DID_YOU_MEAN 512
const char *did_you_mean(char to[DID_YOU_MEAN], const char *typed, const char *const *names,
                         const char *otherwise);
/* "a, b or c" of a list that ends with NULL. */
const char *words_or(char to[DID_YOU_MEAN], const char *const *words);
