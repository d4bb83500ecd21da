/* completion.c - completion for bash, from the same tables as --help; names of policies and placers are put in. */
#include "policies/registry.h"
#include "sim/cli/cli.h"

#include <stdio.h>

static void put_words(const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        printf("%s%s", i ? " " : "", words[i]);
}

/* What may follow an option: the body of its branch. */
static void put_values(const struct option *o)
{
    printf("COMPREPLY=($(compgen ");
    switch (o->values) {
    case VALUES_FILE:
        printf("-f");
        break;
    case VALUES_DIRECTORY:
        printf("-d");
        break;
    case VALUES_POLICY:
        printf("-W '");
        for (size_t i = 0; builtin_policies[i]; i++)
            printf("%s%s", i ? " " : "", builtin_policies[i]->name);
        printf("'");
        break;
    case VALUES_PLACER:
        printf("-W '");
        for (size_t i = 0; builtin_placers[i]; i++)
            printf("%s%s", i ? " " : "", builtin_placers[i]->name);
        printf("'");
        break;
    case VALUES_ANY:
        printf("-W '");
        if (o->words)
            put_words(o->words);
        printf("'");
        break;
    }
    printf(" -- \"$cur\"))");
}

static void put_command(const struct command *c)
{
    printf("    %s)\n        case $prev in\n", c->name);
    for (const struct option *o = c->set.options; o->name; o++) {
        if (o->kind == OPTION_FLAG)
            continue;
        printf("        --%s", o->name);
        if (o->letter)
            printf("|-%c", o->letter);
        printf(") ");
        put_values(o);
        printf("; return ;;\n");
    }
    printf("        esac\n        case $cur in\n        -*) COMPREPLY=($(compgen -W '");
    for (const struct option *o = c->set.options; o->name; o++)
        printf("--%s ", o->name);
    printf("--%s' -- \"$cur\")) ;;\n        *) COMPREPLY=($(compgen ", option_help.name);
    if (c->words) {
        printf("-W '");
        put_words(c->words);
        printf("'");
    } else
        printf(c->set.most_operands ? "-d" : "-W ''");
    printf(" -- \"$cur\")) ;;\n        esac ;;\n");
}

void help_completion(void)
{
    printf("# bash completion for gpuyard; made by 'gpuyard help --completion bash'\n"
           "_gpuyard()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
           "    COMPREPLY=()\n"
           "    # bash breaks words at '='\n"
           "    if [ \"$cur\" = '=' ]; then cur=; elif [ \"$prev\" = '=' ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; commands[i]; i++)
        printf("%s ", commands[i]->name);
    printf("--help --version' -- \"$cur\"))\n        return\n    fi\n    case $command in\n");
    for (size_t i = 0; commands[i]; i++)
        put_command(commands[i]);
    printf("    esac\n}\ncomplete -o filenames -F _gpuyard gpuyard\n");
}
