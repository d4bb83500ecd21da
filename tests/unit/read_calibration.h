/* read_calibration.h - rows of a public measurement below $GPUYARD_SHARED/calibration; if it is not there, the test that
 * asks for it is skipped and says so. */
#pragma once
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls take() with the cells of each row below the header; a cell has no comma. */
__attribute__((unused)) static void calibration_rows(const char *file, void (*take)(void *self, char *const *cell, size_t n), void *self)
{
    const char *shared = getenv("GPUYARD_SHARED");
    char path[1024], line[4096];
    snprintf(path, sizeof path, "%s/calibration/%s", shared ? shared : "../shared", file);
    FILE *f = fopen(path, "r");
    if (!f) {
        print_message("%s is not there: say in GPUYARD_SHARED where the shared files are\n", path);
        skip();
    }
    bool header = true;
    while (fgets(line, sizeof line, f)) {
        char *cell[32];
        size_t n = 0;
        line[strcspn(line, "\r\n")] = '\0';
        for (char *at = line; at && n < 32; n++) {
            cell[n] = at;
            at = strchr(at, ',');
            if (at)
                *at++ = '\0';
        }
        if (!header)
            take(self, cell, n);
        header = false;
    }
    fclose(f);
}
