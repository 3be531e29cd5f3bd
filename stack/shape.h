/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shape of a struct as some kernel has it: which member lies where.  A set
 * of them comes from the tables of a kernel here (shape.c), from what pahole
 * prints (shape_pahole.c) or from BTF (shape_btf.c).
 */
#ifndef STACK_SHAPE_H
#define STACK_SHAPE_H

#include <glib.h>

#include "sim/types.h"

#define SHAPE_MAX_DEPTH 32	/* structs in structs */

struct shape_member {
	char *name;		/* "sk_backlog.tail" for a member of a member */
	char *type;		/* in C, NULL: not known */
	char *of;		/* the struct's name where it is one, or NULL */
	char *dims;		/* "[2][4]", or "" */
	u32 offset, size;	/* in bytes, of all elements */
	u32 bit, bits;		/* of a bit-field: the first bit of the unit
				 * that lies there, and how many; else 0 */
};

struct shape {
	char *name;
	u32 size;
	bool whole;		/* what lies between members is a hole; else it
				 * may be a member that the source leaves out */
	GArray *members;	/* struct shape_member, sorted by
				 * shape_sort() */
};

struct shape_set {
	char *source;		/* "linux-6.1", "FILE" */
	GPtrArray *shapes;	/* struct shape *, in order of the source */
	GHashTable *by_name;	/* the first of each name */
};

struct kernel_config;

/* The structs that a kernel's tables place, patched as the configuration says;
 * those that it lacks are left out.  NULL and a KERNEL_ERROR. */
struct shape_set *shapes_of_kernel(const struct kernel_config *config,
				   GError **error);

/* What pahole prints, with or without --hex, --expand_types and the like; in
 * an error, SHAPE_ERROR or one of files, stand file and line. */
struct shape_set *shapes_of_pahole(const char *path, GError **error);

/* An ELF file with a section .BTF, or BTF alone: a vmlinux, or the kernel's
 * own /sys/kernel/btf/vmlinux. */
struct shape_set *shapes_of_btf(const char *path, GError **error);

void shape_set_free(struct shape_set *set);
typedef struct shape_set ShapeSet;	/* one word, for g_autoptr() */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ShapeSet, shape_set_free)

#define SHAPE_ERROR shape_error_quark()
GQuark shape_error_quark(void);
enum shape_error {
	SHAPE_ERROR_FORMAT,	/* the file is not what it is said to be */
};

const struct shape *shape_find(const struct shape_set *set, const char *name);

/*
 * Where a member lies by the name that the model has for it, in the struct
 * itself, in a struct within ("sk_lock.slock") or in that which it begins with
 * (sk_lock in struct udp_sock).  The kernel's own macros are followed, by
 * which sk_prot is __sk_common.skc_prot.  `at` gets offset, size and bits;
 * its texts are those of the member found, and not to be freed.
 */
bool shape_place(const struct shape_set *set, const struct shape *shape,
		 const char *name, struct shape_member *at);

/* ---- for those who fill one ---- */

struct shape_set *shape_set_new(const char *source);
/* A new struct of the set.  The first of a name is the one that is found. */
struct shape *shape_add(struct shape_set *set, const char *name);
/* A new member at the end, whose texts are the shape's from then on; the rest
 * is for the caller to fill in. */
struct shape_member *shape_add_member(struct shape *shape, char *name,
				      u32 offset, u32 size);
/* Members from `first` to before `end` are parts of one of this name. */
void shape_prefix(struct shape *shape, u32 first, u32 end, const char *name);
/* By place, and of those at one place the larger first: a struct ahead of what
 * is in it. */
void shape_sort(struct shape *shape);

#endif
