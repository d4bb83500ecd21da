/* assets.c - page.css and page.js inside the program, which needs no other file for a page. */
#include "sim/cli/report/page.h"

#define INSIDE(name, file)                                                                         \
    __asm__(".pushsection .rodata\n.global " name "\n" name ":\n.incbin \"" file                   \
            "\"\n.byte 0\n.popsection")

INSIDE("page_css", "sim/cli/report/page.css");
INSIDE("page_js", "sim/cli/report/page.js");
