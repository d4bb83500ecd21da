/* fuzz_numbers.c - any text as a number or a date; what is read and written again reads as the
 * same. */
#include "sim/base/units.h"
#include "tests/fuzz/fuzz.h"
#include "traces/formats/dates.h"

#define WHOLE_MOST INT64_C(999999999999999999) /* as units.h says: 18 digits */

static void there_and_back(int64_t value, int64_t scale)
{
    char text[DECIMAL_MAX];
    int64_t again = ~value;
    size_t n = decimal_format(text, value, scale);
    FUZZ_MUST(n > 0 && n <= DECIMAL_MAX);
    bool too_long = value / scale > WHOLE_MOST || value / scale < -WHOLE_MOST;
    FUZZ_MUST(decimal_parse(text, n, scale, &again) == !too_long && (too_long || again == value));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const int64_t scales[] = { 1, 1000, 1000000, NS_PER_S };
    int64_t value, whole;
    char *text = malloc(length + 1); /* exactly as long: a read past its end is seen */
    FUZZ_MUST(text);
    memcpy(text, bytes, length);
    text[length] = '\0';
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (decimal_parse(text, length, scales[i], &value))
            there_and_back(value, scales[i]);
    if (integer_parse(text, length, &whole)) {
        there_and_back(whole, 1);
        FUZZ_MUST(!decimal_parse(text, length, 1, &value) || value == whole);
    }
    if (date_parse(text, length, &value))
        FUZZ_MUST(value >= -NS_PER_S * 86400 && value <= INT64_C(3155846400) * NS_PER_S);
    free(text);
    return 0;
}
