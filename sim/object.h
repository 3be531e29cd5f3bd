/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model objects: a C struct whose members lie, in the kernel being modelled,
 * on certain cache lines.
 *
 * struct object stands first in each.  Its table gives, for the C offset of a
 * member, the number of the kernel line counted from the object's first line:
 * one byte looked up for each access.  Where an object does not start at a
 * line's first byte (small slab objects), another of the type's tables serves,
 * one for each multiple of four bytes: pointers are no shorter anywhere.
 */
#ifndef SIM_OBJECT_H
#define SIM_OBJECT_H

#include "sim/types.h"

enum object_state {
	OBJECT_NONE,
	OBJECT_ALIVE,
	OBJECT_FREE,
	OBJECT_FREE_TYPESAFE,	/* freed, but readers may still look at it */
};

struct object_type;

struct object {
	const u8 *table;	/* line by C offset */
	u32 line;		/* number of its first line */
	u8 state;
	u8 skew;		/* bytes from the line's start to the object */
	u8 unused[2];
	const struct object_type *type;
};

#define SKEW_BYTES 4u		/* what an object's address is a multiple of */
#define NUM_SKEWS (LINE_SIZE / SKEW_BYTES)

#define NO_LINE 0xffu		/* in a table: the layout has no such member */

struct object_type {
	const char *name;	/* "udp_sock" */
	u32 c_size;		/* of the model's struct */
	u32 size;		/* of the kernel's */
	u8 *tables;		/* [NUM_SKEWS][c_size], NO_LINE where
				 * nothing lies */
	u16 *offsets;		/* [c_size]: kernel offset of the member */
	u32 number;		/* in the account of the run that saw it last */
	const struct object *within;	/* NULL, or an object in whose memory
				 * the only one of this type lies */
};

/* A type with no member placed yet. */
void object_type_init(struct object_type *type, const char *name, u32 c_size,
		      u32 size);
void object_type_fini(struct object_type *type);
/* Says where a member lies; the kernel offset may be beyond `size` after a
 * layout override moved it.  At most 254 lines. */
void object_type_place(struct object_type *type, u32 c_offset, u32 c_size,
		       u32 kernel_offset);

/* Gives an object its type and place; `address` is a multiple of
 * SKEW_BYTES. */
void object_init(struct object *object, const struct object_type *type,
		 u64 address);

static inline u64 object_address(const struct object *object)
{
	return (u64)object->line << LINE_SHIFT | object->skew;
}

#endif
