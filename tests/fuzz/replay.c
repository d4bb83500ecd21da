/* replay.c - a main() for a fuzz target where there is no libFuzzer: gives it every file of a
 * directory, one by one. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>

static void replay(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "rb");
    FUZZ_MUST(f && fseek(f, 0, SEEK_END) == 0);
    size_t length = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(length + !length);
    FUZZ_MUST(bytes && fread(bytes, 1, length, f) == length);
    fclose(f);
    fprintf(stderr, "%s\n", path); /* the last one named is the one that broke it */
    LLVMFuzzerTestOneInput(bytes, length);
    free(bytes);
}

int main(int argc, char **argv)
{
    unsigned n = 0;
    struct dirent **entry;
    int entries = argc == 2 ? scandir(argv[1], &entry, NULL, alphasort) : -1;
    FUZZ_MUST(entries > 2);
    for (int i = 0; i < entries; i++) {
        if (entry[i]->d_name[0] != '.') {
            replay(argv[1], entry[i]->d_name);
            n++;
        }
        free(entry[i]);
    }
    free(entry);
    printf("%u passed, 0 failed\n", n);
    return 0;
}
