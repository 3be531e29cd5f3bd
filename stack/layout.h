/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel version's data: where each member of each struct lies, and what
 * each function costs; and what a scenario changes of the layouts.
 */
#ifndef STACK_LAYOUT_H
#define STACK_LAYOUT_H

#include "stack/kernel.h"

struct layout;

struct layout *layout_new(void);

/*
 * Reads a structs.tsv: struct, offset, size, field; lines that start with '#'
 * are comments, the field "(whole)" gives a struct's size.  Offset and size
 * are both "-" where this kernel has no such field, or no such struct: a
 * member that only other kernels have is said to be absent, never left out.
 *
 * The first table is that of the kernel without a base.  In those read later
 * a row "(whole)" ahead of its fields takes the place of all that was known of
 * the struct; without one, rows replace or add single members.
 */
bool layout_read(struct layout *layout, const char *path, GError **error);
void layout_free(struct layout *layout);

/*
 * Changes a layout as one line of [layout] says:
 *	STRUCT.FIELD = own line		moves it to a line of its own, behind
 *	STRUCT.FIELD = offset N		moves it
 *	STRUCT = pad after FIELD	what follows it starts a new line
 */
bool layout_override(struct layout *layout,
		     const struct kernel_setting *setting, GError **error);

/*
 * A field, "sock.sk_rcu", that a patch brings: where the table has it right at
 * the end of its struct, beyond the size, the struct grows by it, and those
 * that begin with that struct.  Otherwise it was there before.
 */
void layout_add_field(struct layout *layout, const char *name);

/* Fills the kernel's types: every member that an access site names is placed,
 * or it is an error that names it. */
bool layout_apply(const struct layout *layout, struct kernel *kernel,
		  GError **error);

/* Whether a kernel has a field, "tnode.kv.key", or a function, "udp_sendmsg()":
 * its layout places it, its costs know it. */
bool layout_has(const struct layout *layout, const struct kernel *kernel,
		const char *name);

/* Size of a struct, 0 if the layout has none such. */
u32 layout_size(const struct layout *layout, const char *name);

/* A struct that this kernel has. */
bool layout_has_struct(const struct layout *layout, const char *name);
/* The size of a type, with the lines of its own that overrides gave. */
u32 layout_placed_size(const struct layout *layout, enum struct_id id);
/* Calls for each field that the tables place in a struct, which `id` is or
 * begins with; where it lies in `id`, overrides counted. */
void layout_each(const struct layout *layout, enum struct_id id,
		 const char *name,
		 void (*field)(void *arg, const char *name, u32 offset,
			       u32 size), void *arg);

/* Reads a costs.tsv (function, instructions, stores, source) and charges each
 * modelled function so, whatever an earlier table says.  Both numbers are "-"
 * where this kernel has no such function. */
bool costs_read(struct kernel *kernel, const char *path, GError **error);
/* After the last: a function without a row is an error, which says that it
 * belongs into `path`. */
bool costs_check(const struct kernel *kernel, const char *path, GError **error);

/* After a run: nothing was used that this kernel's tables call absent.  That
 * would be a bug of the model, so it is no error but the end. */
void layout_check_absent(const struct kernel *kernel);

/* The struct that stands first in this one, -1 if none does. */
int struct_base(enum struct_id id);
const char *struct_name(enum struct_id id);
u32 struct_c_size(enum struct_id id);

#endif
