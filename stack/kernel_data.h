/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a kernel's data comes from: its own folder, and those of the kernels
 * that it refines ("base" in kernel.ini), one beside the other.  What a folder
 * says takes the place of what its base says:
 *	kernel.ini	each key, but version and base, which are its own
 *	structs.tsv	each struct, or single members of one; see layout.h
 *	costs.tsv	each function
 */
#ifndef STACK_KERNEL_DATA_H
#define STACK_KERNEL_DATA_H

#include "stack/kernel.h"

struct layout;

/* Finds the bases and reads kernel.ini of all: version, configuration, HZ and
 * allocator are set, and kernel->folders. */
bool kernel_read_ini(struct kernel *kernel, const char *folder, GError **error);

/* Then layouts and costs, as the scenario changes them. */
bool kernel_read_tables(struct kernel *kernel,
			const struct kernel_config *config, GError **error);

/* Only the layouts; free with layout_free(). */
struct layout *kernel_read_layout(const struct kernel *kernel,
				  const struct kernel_config *config,
				  GError **error);

/* The layouts of a kernel that is not started.  NULL and a KERNEL_ERROR. */
struct layout *kernel_layout(const struct kernel_config *config,
			     GError **error);

/* "slab" or "slub"? */
bool kernel_is_allocator(const char *name);

#endif
