/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sites of FUNCTION() and of the accesses by name.  They are constants of
 * the program, so the index is made once, when the first kernel is loaded.
 */
#ifndef STACK_SITE_INDEX_H
#define STACK_SITE_INDEX_H

#include "sim/account.h"

/* Access sites that name the same member at the same place. */
struct member_sites {
	const struct access_site *first;
	u32 *more;		/* the others, by index */
	u32 num_more;
};

/* Those that name members of a struct or of one that it begins with; a
 * struct_id that has none gives *n = 0. */
const struct member_sites *const *members_of(int id, u32 *n);

/* The struct_id of a name, -1 if no modelled struct is called so. */
int struct_find(const char *name);

/* The sites of a function: the first, then the next one; -1 after the last. */
int function_site_first(const char *name);
int function_site_next(int site);

#endif
