/* parse.c - see parse.h. */
#include "sim/cli/import/kube/parse.h"
#include "sim/base/units.h"

#include <string.h>

#define MOST ((__int128)1 << 62)

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- quantities ---- */

struct number {
    __int128 value;
    int decimals;
}; /* value / 10^decimals */

/* Digits with at most one point among them; returns how many bytes, 0: no number. */
static size_t number_read(const char *text, size_t length, struct number *to)
{
    size_t i = 0;
    bool point = false, digits = false;
    *to = (struct number){ 0, 0 };
    for (; i < length && (is_digit(text[i]) || (text[i] == '.' && !point)); i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        digits = true;
        if (to->value >= MOST || to->decimals >= 18) {
            if (!point)
                return 0;
            continue;
        }
        to->value = to->value * 10 + (text[i] - '0');
        to->decimals += point;
    }
    return digits ? i : 0;
}

static const struct suffix {
    const char *name;
    int exponent, shift;
} suffixes[] = {
    { "", 0, 0 },    { "n", -9, 0 },  { "u", -6, 0 },  { "m", -3, 0 },
    { "k", 3, 0 },   { "M", 6, 0 },   { "G", 9, 0 },   { "T", 12, 0 },
    { "P", 15, 0 },  { "E", 18, 0 },  { "Ki", 0, 10 }, { "Mi", 0, 20 },
    { "Gi", 0, 30 }, { "Ti", 0, 40 }, { "Pi", 0, 50 }, { "Ei", 0, 60 },
};

/* "e3", "E-6" */
static bool exponent_read(const char *text, size_t length, int *exponent)
{
    size_t i = 1;
    bool minus = false;
    *exponent = 0;
    if (length < 2 || (text[0] != 'e' && text[0] != 'E'))
        return false;
    if (text[1] == '-' || text[1] == '+')
        minus = text[i++] == '-';
    if (i == length)
        return false;
    for (; i < length; i++) {
        if (!is_digit(text[i]) || *exponent > 99)
            return false;
        *exponent = *exponent * 10 + (text[i] - '0');
    }
    *exponent = minus ? -*exponent : *exponent;
    return true;
}

static bool suffix_read(const char *text, size_t length, int *exponent, int *shift)
{
    *shift = 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strlen(suffixes[i].name) == length && !memcmp(suffixes[i].name, text, length)) {
            *exponent = suffixes[i].exponent;
            *shift = suffixes[i].shift;
            return true;
        }
    return exponent_read(text, length, exponent);
}

bool quantity_parse(const char *text, size_t length, int64_t scale, int64_t *to)
{
    struct number n;
    int exponent = 0, shift;
    if (length && *text == '+') {
        text++;
        length--;
    }
    size_t digits = number_read(text, length, &n);
    if (!digits || !suffix_read(text + digits, length - digits, &exponent, &shift))
        return false;
    __int128 value = n.value;
    if (value >= MOST >> shift)
        return false;
    value <<= shift;
    if (value > ((__int128)1 << 122) / scale)
        return false;
    value *= scale;
    for (exponent -= n.decimals; exponent > 0 && value; exponent--) {
        if (value >= MOST)
            return false;
        value *= 10;
    }
    for (; exponent < 0 && value; exponent++)
        value /= 10;
    if (value >= MOST)
        return false;
    *to = (int64_t)value;
    return true;
}

/* ---- spans ---- */

static const struct unit {
    const char *name;
    int64_t ns;
} units[] = {
    { "h", 3600 * NS_PER_S }, { "ms", 1000000 }, { "m", 60 * NS_PER_S },
    { "s", NS_PER_S },        { "us", 1000 },    { "ns", 1 },
};

bool go_span_parse(const char *text, size_t length, int64_t *to)
{
    __int128 sum = 0;
    if (length == 1 && *text == '0') {
        *to = 0;
        return true;
    }
    for (size_t i = 0; i < length;) {
        struct number n;
        size_t digits = number_read(text + i, length - i, &n), k = 0;
        i += digits;
        while (k < sizeof units / sizeof *units &&
               strncmp(units[k].name, text + i, strlen(units[k].name)))
            k++;
        if (!digits || k == sizeof units / sizeof *units || strlen(units[k].name) > length - i)
            return false;
        __int128 part = n.value * units[k].ns;
        for (int d = n.decimals; d > 0; d--)
            part /= 10;
        sum += part;
        if (sum >= MOST)
            return false;
        i += strlen(units[k].name);
    }
    if (!length)
        return false;
    *to = (int64_t)sum;
    return true;
}
