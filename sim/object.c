/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layout tables of model objects; see object.h. */
#include <glib.h>
#include <string.h>

#include "sim/object.h"

void object_type_init(struct object_type *type, const char *name, u32 c_size,
		      u32 size)
{
	g_assert(c_size < UINT16_MAX);
	type->name = name;
	type->c_size = c_size;
	type->size = size;
	type->tables = g_malloc(NUM_SKEWS * (size_t)c_size);
	memset(type->tables, NO_LINE, NUM_SKEWS * (size_t)c_size);
	type->offsets = g_new0(u16, c_size);
}

void object_type_fini(struct object_type *type)
{
	g_clear_pointer(&type->tables, g_free);
	g_clear_pointer(&type->offsets, g_free);
}

void object_type_place(struct object_type *type, u32 c_offset, u32 c_size,
		       u32 kernel_offset)
{
	u32 skew, i;

	g_assert(c_offset + c_size <= type->c_size);
	g_assert(kernel_offset < (NO_LINE - 1) * LINE_SIZE);
	for (skew = 0; skew < NUM_SKEWS; skew++)
		for (i = 0; i < c_size; i++)
			type->tables[skew * type->c_size + c_offset + i] =
				(kernel_offset + skew * SKEW_BYTES) >> LINE_SHIFT;
	for (i = 0; i < c_size; i++)
		type->offsets[c_offset + i] = kernel_offset;
}

void object_init(struct object *object, const struct object_type *type,
		 u64 address)
{
	u32 skew = address & (LINE_SIZE - 1);

	g_assert(type->tables && skew % SKEW_BYTES == 0 && address);
	object->type = type;
	object->line = address >> LINE_SHIFT;
	object->skew = skew;
	object->table = type->tables + skew / SKEW_BYTES * (size_t)type->c_size;
	object->state = OBJECT_ALIVE;
}
