/* completion.c - completion for bash, from the same tables as --help; names of policies and placers are put in. */
#include "policies/registry.h"
#include "sim/cli/frame/cli.h"

#include <stdio.h>

/* Command substitution with the words that fit. */
static void put_values(enum option_values values, const char *const *words)
{
    size_t i = 0;
    printf("COMPREPLY=($(compgen %s", values == VALUES_FILE ? "-f" : values == VALUES_DIRECTORY ? "-d" : "-W '");
    switch (values) {
    case VALUES_FILE:
    case VALUES_DIRECTORY:
        break;
    case VALUES_POLICY:
        for (; builtin_policies[i]; i++)
            printf("%s ", builtin_policies[i]->name);
        break;
    case VALUES_PLACER:
        for (; builtin_placers[i]; i++)
            printf("%s ", builtin_placers[i]->name);
        break;
    case VALUES_COMMAND:
        for (; commands[i]; i++)
            printf("%s ", commands[i]->name);
        break;
    case VALUES_WORDS:
        for (; words && words[i]; i++)
            printf("%s ", words[i]);
        break;
    }
    printf("%s -- \"$cur\"))", values == VALUES_FILE || values == VALUES_DIRECTORY ? "" : "'");
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
        put_values(o->values, o->words);
        printf("; return ;;\n");
    }
    printf("        esac\n        case $cur in\n        -*) COMPREPLY=($(compgen -W '");
    for (const struct option *o = c->set.options; o->name; o++)
        printf("--%s ", o->name);
    printf("--%s' -- \"$cur\")) ;;\n        *) ", option_help.name);
    put_values(c->operand_values, c->words);
    printf(" ;;\n        esac ;;\n");
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
