/* dates.c - see dates.h. */
#include "traces/formats/dates.h"

#include <ctype.h>
#include <string.h>

/* Days from 1970-01-01 in the Gregorian calendar. The year is taken to begin in March, so that a
 * leap day is its last; 153 days are any five months from March on (Howard Hinnant,
 * "chrono-compatible low-level date algorithms"). */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719468;
}

static int64_t days_of(int64_t year, int64_t month)
{
    return days_from_civil(year + month / 12, month % 12 + 1, 1) - days_from_civil(year, month, 1);
}

#define DATE "0000-00-00 00:00:00" /* a digit for each 0 */
#define ZONE "00:00"               /* behind its sign */

static bool is_like(const char *text, const char *pattern)
{
    for (size_t i = 0; pattern[i]; i++)
        if (pattern[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != pattern[i])
            return false;
    return true;
}

static int64_t digits(const char *text, size_t from, size_t to)
{
    int64_t value = 0;
    for (size_t i = from; i < to; i++)
        value = value * 10 + (text[i] - '0');
    return value;
}

/* How far the zone is ahead of UTC; 0 without a zone. */
static bool parse_zone(const char *text, size_t length, int64_t *minutes)
{
    *minutes = 0;
    if (length == 0)
        return true;
    if (length != sizeof ZONE || (*text != '+' && *text != '-') || !is_like(text + 1, ZONE))
        return false;
    int64_t hour = digits(text, 1, 3), minute = digits(text, 4, 6);
    *minutes = (hour * 60 + minute) * (*text == '-' ? -1 : 1);
    return hour <= 14 && minute <= 59;
}

bool date_parse(const char *text, size_t length, int64_t *ns)
{
    enum { LENGTH = sizeof DATE - 1 };
    int64_t ahead;
    if (length < LENGTH || !is_like(text, DATE) ||
        !parse_zone(text + LENGTH, length - LENGTH, &ahead))
        return false;
    int64_t year = digits(text, 0, 4), month = digits(text, 5, 7), day = digits(text, 8, 10);
    int64_t hour = digits(text, 11, 13), minute = digits(text, 14, 16),
            second = digits(text, 17, 19);
    if (year < 1970 || year > 2069 || month < 1 || month > 12 || day < 1 ||
        day > days_of(year, month))
        return false;
    if (hour > 23 || minute > 59 || second > 59)
        return false;
    minute += (days_from_civil(year, month, day) * 24 + hour) * 60 - ahead;
    *ns = (minute * 60 + second) * NS_PER_S;
    return true;
}

bool date_parse_fine(const char *text, size_t length, int64_t *ns)
{
    enum { LENGTH = sizeof DATE - 1 };
    char whole[sizeof DATE + sizeof ZONE];
    size_t digits_of = 0;
    int64_t part_ns = 0;
    if (length > LENGTH && text[LENGTH] == '.') {
        while (LENGTH + 1 + digits_of < length &&
               isdigit((unsigned char)text[LENGTH + 1 + digits_of]))
            digits_of++;
        if (digits_of == 0 || !decimal_parse(text + LENGTH, digits_of + 1, NS_PER_S, &part_ns))
            return false;
        digits_of++;
    }
    if (length - digits_of >= sizeof whole || length < LENGTH)
        return false;
    memcpy(whole, text, LENGTH);
    memcpy(whole + LENGTH, text + LENGTH + digits_of, length - LENGTH - digits_of);
    if (!date_parse(whole, length - digits_of, ns))
        return false;
    *ns += part_ns;
    return true;
}

void take_date(const struct columns *c, unsigned column, int64_t *ns)
{
    size_t at = c->at[column];
    const struct cell *cell = &c->row->cell[at];
    if (!date_parse(cell->text, cell->length, ns))
        (void)cell_error(c->row, at, DATE_WANT, c->err);
}

bool date_is_none(const char *text)
{
    return !*text || strcmp(text, "None") == 0;
}

bool take_date_if_any(const struct columns *c, unsigned column, int64_t *ns)
{
    if (date_is_none(c->row->cell[c->at[column]].text))
        return false;
    take_date(c, column, ns);
    return true;
}

void take_start(const struct columns *c, int64_t start_ns, struct job_row *job)
{
    if (!c->err->text[0] && start_ns != TIME_NEVER && start_ns >= job->submit_ns)
        job->recorded_wait_ns = start_ns - job->submit_ns;
}
