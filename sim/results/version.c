/* version.c - see version.h. */
#include "sim/results/version.h"

const char *version_text(void)
{
    return GPUYARD_VERSION;
}

const char *version_commit(void)
{
    return GPUYARD_COMMIT;
}

const char *version_compiler(void)
{
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}
