/* write_site.c - see write_row.h. */
#include "traces/native/write_row.h"

static struct own_site site(const struct row_of *j)
{
    return workload_site(j->w, j->extra->site);
}

bool site_has_partition(const struct row_of *j)
{
    return site(j).partition != ID_NONE;
}

void site_put_partition(struct output *o, const struct row_of *j)
{
    out_csv(o, intern_text(j->w->wishes, site(j).partition));
}

bool site_has_qos(const struct row_of *j)
{
    return site(j).qos != ID_NONE;
}

void site_put_qos(struct output *o, const struct row_of *j)
{
    out_csv(o, intern_text(j->w->wishes, site(j).qos));
}

bool site_has_account(const struct row_of *j)
{
    return site(j).account != ID_NONE;
}

void site_put_account(struct output *o, const struct row_of *j)
{
    out_csv(o, intern_text(j->w->wishes, site(j).account));
}

bool site_has_nice(const struct row_of *j)
{
    return site(j).nice != 0;
}

void site_put_nice(struct output *o, const struct row_of *j)
{
    out_integer(o, site(j).nice);
}

static struct own_input input(const struct row_of *j)
{
    return workload_input(j->w, (job_id)(j->facts - j->w->facts));
}

bool input_has_data_set(const struct row_of *j)
{
    return input(j).data_set != ID_NONE;
}

void input_put_data_set(struct output *o, const struct row_of *j)
{
    out_csv(o, workload_data_set(j->w, input(j).data_set));
}

bool input_has_epochs(const struct row_of *j)
{
    return input(j).epochs != 0;
}

void input_put_epochs(struct output *o, const struct row_of *j)
{
    out_integer(o, input(j).epochs);
}

bool input_has_image(const struct row_of *j)
{
    return input(j).image != ID_NONE;
}

void input_put_image(struct output *o, const struct row_of *j)
{
    out_csv(o, workload_image(j->w, input(j).image));
}
