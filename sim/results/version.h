/* version.h - what this program is, for manifests and --version. The build defines GPUYARD_VERSION and GPUYARD_COMMIT. */
#pragma once
#define SCHEMA_VERSION 3          /* of the result files; see docs/outputs.md */
const char *version_text(void);   /* "0.1.0" */
const char *version_commit(void);
const char *version_compiler(void);
