/* about.c - gpuyard --version: what this program was made of. */
#include "sim/cli/frame/cli.h"
#include "sim/results/version.h"

#include <csv.h>
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <libfyaml.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

void about(void)
{
    char csv[32];
    snprintf(csv, sizeof csv, "%d.%d.%d", CSV_MAJOR, CSV_MINOR, CSV_RELEASE);
    const struct { const char *name, *version; } library[] = {
        { "gsl", gsl_version },
        { "libcsv", csv },
        { "libfyaml", fy_library_version() },
        { "jansson", jansson_version_str() },
        { "zlib", zlibVersion() },
        { "zstd", ZSTD_versionString() },
        { "libcrypto", OpenSSL_version(OPENSSL_FULL_VERSION_STRING) },    /* the number alone */
    };
    printf("gpuyard %s\n", version_text());
    printf("commit %s\n", version_commit());
    printf("compiler %s\n", version_compiler());
    printf("libraries");
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        printf("%s %s %s", i ? "," : "", library[i].name, library[i].version);
    printf("\nschema %d\n", SCHEMA_VERSION);
}
