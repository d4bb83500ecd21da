/* accounts.h - a tree of accounts with users as leaves, and what of their shares each has had: two
 * factors from 0 to 1 by which a batch scheduler orders jobs, the greater the less the user has
 * had.
 *
 * Fair Tree: LF = S / U, S an account's part of its siblings' shares, U its part of its parent's
 * usage (0 if the parent has none); 0 if S is 0, else infinite if U is 0. Accounts are visited from
 * the root, the greatest LF first, so all users of a better account outrank all users of a worse
 * one. The factor is rank / users, the best rank being the number of users. Ties: siblings with
 * equal LF share a rank; of accounts with equal LF the first user of the second shares the rank
 * given last, which is that of the last user of the first, and the next ones count on; a user with
 * the LF of an account shares the rank of the account's first user, and goes first
 * (SchedMD/slurm:src/plugins/priority/multifactor/fair_tree.c, where tied accounts are not merged,
 * though doc/html/fair_tree.shtml says so: _count_tied_accounts stops at the first account).
 *
 * Classic: 2^-(E / S), S and U taken over the whole tree, E = U + (E of the parent - U) x part of
 * the siblings' shares; E = U below the root (SchedMD/slurm:doc/html/classic_fair_share.shtml, with
 * dampening 1).
 *
 * A fair tree that is kept is cheaper: families keep the order in which they were visited last, which
 * changes little; and a user's factor follows from its siblings, those of the accounts above it, and
 * how many users each of these has. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define NO_ACCOUNT UINT32_MAX

struct account {
    uint32_t parent;              /* before it in the array; NO_ACCOUNT: the root, which is [0] */
    bool user;
    double shares;
    double usage;                 /* of a user, given */
    double factor;                /* of a user, computed */
    double period_factor;         /* the same as a period began; kept for the caller, as is `changed` */
    bool changed;
    double used;                  /* usage as it was counted last; of an account, the sum of its users' */
    double below;                 /* shares of its children */
    double level, part, effective;    /* LF or S; part of the siblings' shares; E */
    uint32_t users;               /* itself, or those below it */
    bool odd;                     /* some of these have no shares, or an account above them */
    bool linked;                  /* among the children of `under` */
    uint32_t under;
    uint32_t first, next;         /* children, and siblings, the last of the array first */
    uint32_t best, after;         /* the same as they were visited last, new ones in front */
};

/* Of all users. room: for n pointers. Zeroed at first but for what is given; new accounts are added at the end. */
void fair_tree_factors(struct account *a, uint32_t n, struct account **room);
void classic_factors(struct account *a, uint32_t n, struct account **room);

/* After fair_tree_factors(): what has changed since is counted. u: a user with another usage, or an account that is new and
 * has no children yet. Not for others with another parent or other shares. */
void fair_tree_count(struct account *a, uint32_t u);
/* By what is counted: of all users. */
void fair_tree_rank(struct account *a, uint32_t n, struct account **room);
/* The same of one user. false: those before it have to be known. */
bool fair_tree_factor(const struct account *a, uint32_t u, double *factor);
