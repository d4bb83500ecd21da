/* request_lines.c - see request_lines.h. */
#include "sim/serving/request_lines.h"

#include "sim/base/memory.h"

struct requests_present requests_none(void)
{
    return (struct requests_present){ .unused = NO_REQUEST };
}

uint32_t requests_enter(struct requests_present *p, const struct service_request *ask,
                        uint64_t number)
{
    uint32_t r = p->unused;
    if (r == NO_REQUEST) {
        mem_grow(&p->at, &p->room, p->n, sizeof *p->at);
        r = (uint32_t)p->n++;
    } else {
        p->unused = p->at[r].next;
    }
    p->at[r] = (struct present){ .ask = *ask, .number = number, .next = NO_REQUEST };
    return r;
}

void requests_leave(struct requests_present *p, uint32_t r)
{
    p->at[r].next = p->unused;
    p->unused = r;
}

struct request_lines request_lines_none(void)
{
    return (struct request_lines){ { NO_REQUEST, NO_REQUEST, 0 }, { NO_REQUEST, NO_REQUEST, 0 } };
}

void request_line_append(struct requests_present *p, struct request_line *l, uint32_t r)
{
    p->at[r].next = NO_REQUEST;
    *(l->n++ ? &p->at[l->last].next : &l->first) = r;
    l->last = r;
}

uint32_t request_line_pop(struct requests_present *p, struct request_line *l)
{
    uint32_t r = l->first;
    if (r == NO_REQUEST)
        return r;
    l->first = p->at[r].next;
    if (--l->n == 0)
        l->last = NO_REQUEST;
    return r;
}

/* Numbers ascend with the time of arrival. */
void request_lines_insert(struct requests_present *p, struct request_lines *lines, uint32_t r)
{
    struct request_line *l = p->at[r].began ? &lines->again : &lines->fresh;
    if (l->n == 0 || p->at[l->last].number < p->at[r].number) {
        request_line_append(p, l, r);
        return;
    }
    uint32_t *at = &l->first;
    while (p->at[*at].number < p->at[r].number)
        at = &p->at[*at].next;
    p->at[r].next = *at;
    *at = r;
    l->n++;
}

uint32_t request_lines_pop(struct requests_present *p, struct request_lines *l)
{
    return request_line_pop(p, l->again.n ? &l->again : &l->fresh);
}

static bool line_remove(struct requests_present *p, struct request_line *l, uint32_t r)
{
    uint32_t before = NO_REQUEST, at = l->first;
    while (at != NO_REQUEST && at != r) {
        before = at;
        at = p->at[at].next;
    }
    if (at == NO_REQUEST)
        return false;
    *(before == NO_REQUEST ? &l->first : &p->at[before].next) = p->at[at].next;
    if (l->last == at)
        l->last = before;
    l->n--;
    return true;
}

void request_lines_remove(struct requests_present *p, struct request_lines *l, uint32_t r)
{
    if (!line_remove(p, &l->again, r))
        line_remove(p, &l->fresh, r);
}
