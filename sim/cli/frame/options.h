/* options.h - the options of a subcommand as one table: it is parsed from, and help, man page and completion are made of it.
 *
 * "--name value", "--name=value", "-n value", "-nvalue"; letters without a value may be joined ("-qv"). "--" ends the
 * options, "-" is an operand. Names are never abbreviated. What takes one value is given once. */
#pragma once
#include "sim/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,                  /* bool; no value */
    OPTION_TEXT,                  /* const char *: never empty; points into argv */
    OPTION_TEXTS,                 /* struct option_texts: may be given again and again */
    OPTION_WORD,                  /* int: index into words */
    OPTION_INTEGER,               /* int64_t from min to max */
    OPTION_SECONDS,               /* int64_t ns, min to max seconds */
    OPTION_RATIO,                 /* double with at most nine decimals, above min, up to max */
};
struct option_texts { size_t n; const char **text; };

enum option_values {              /* what completion offers */
    VALUES_WORDS, VALUES_FILE, VALUES_DIRECTORY, VALUES_POLICY, VALUES_PLACER, VALUES_COMMAND
};
struct option {                   /* a table ends with a NULL name */
    const char *name;
    char letter;                  /* 0: none */
    const char *argument, *help;  /* argument: how help calls the value */
    enum option_kind kind;
    size_t at;                    /* offset in the struct that is filled */
    int64_t min, max;
    const char *const *words;     /* ends with NULL; of another kind than OPTION_WORD: what completion offers */
    bool required;
    enum option_values values;
};

/* What a command line may hold. */
struct option_set {
    const char *name;             /* of the subcommand, for messages */
    const struct option *options;
    const char *operands;         /* how help calls them: "DIR..."; NULL: takes none */
    size_t min_operands, max_operands;
};
/* What it held. */
struct operands { size_t n; const char **text; };

/* Every set of options has --help besides. */
extern const struct option option_help;

enum options_result { OPTIONS_OK, OPTIONS_HELP, OPTIONS_WRONG };
/* argv[0] is not looked at. What is not given leaves its field of *values as it was. OPTIONS_HELP: --help came first;
 * OPTIONS_WRONG: err says why. Whatever the result, options_free() frees the lists. */
enum options_result options_parse(const struct option_set *set, int argc, char *const *argv, void *values,
                                  struct operands *operands, struct error *err);
void options_free(const struct option_set *set, void *values, struct operands *operands);

/* "'TYPED', did you mean 'BEST'?" or "'TYPED', OTHERWISE"; to hold in a message. `names` ends with NULL. */
#define DID_YOU_MEAN 512
const char *did_you_mean(char to[DID_YOU_MEAN], const char *typed, const char *const *names, const char *otherwise);
/* "a, b or c" of a list that ends with NULL. */
const char *words_or(char to[DID_YOU_MEAN], const char *const *words);
