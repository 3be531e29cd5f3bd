/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects older than the checked run, for --check: what they point to at its
 * end and did not at its start they have taken a reference to by right.
 */
#ifndef SIM_CHECK_OLD_H
#define SIM_CHECK_OLD_H

#include "sim/object.h"
#include "sim/types.h"

struct check_old;
struct check_refs;

struct check_old *check_old_new(void);
void check_old_free(struct check_old *old);

/* It is alive at the barrier that comes next; c_size bytes are its own. */
void check_old_add(struct check_old *old, const struct object *o, u32 c_size);
/* It is about to be freed; nothing is done when it is no old one. */
void check_old_forget(struct check_old *old, const struct object *o);
/* Remembers what each of them holds now. */
void check_old_barrier(struct check_old *old);
/* Tells of each pointer that has come or gone since the barrier. */
void check_old_compare(const struct check_old *old, struct check_refs *refs);

#endif
