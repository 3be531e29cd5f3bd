/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What old objects have come to point to; see check_old.h.
 *
 * The barrier copies them all, since a count may be seen for the first time
 * later.  A freed one has let go of what it pointed to, so its copy counts to
 * the end: a pointer that moves from it to another one is no new one.
 */
#include <glib.h>
#include <string.h>

#include "sim/check_old.h"
#include "sim/check_refs.h"

struct old_object {
	const struct object *o;	/* NULL: freed */
	u32 c_size;
	u32 words;		/* in the copy */
	gsize copy;		/* the first of them */
};

struct check_old {
	GArray *objects;	/* struct old_object */
	GArray *copies;		/* uintptr_t */
	GHashTable *index;	/* object -> number in objects + 1 */
};

struct check_old *check_old_new(void)
{
	struct check_old *old = g_new0(struct check_old, 1);

	old->objects = g_array_new(FALSE, FALSE, sizeof(struct old_object));
	old->copies = g_array_new(FALSE, FALSE, sizeof(uintptr_t));
	old->index = g_hash_table_new(NULL, NULL);
	return old;
}

void check_old_free(struct check_old *old)
{
	g_array_unref(old->objects);
	g_array_unref(old->copies);
	g_hash_table_unref(old->index);
	g_free(old);
}

void check_old_add(struct check_old *old, const struct object *o, u32 c_size)
{
	struct old_object new = { .o = o, .c_size = c_size };

	g_array_append_val(old->objects, new);
	g_hash_table_insert(old->index, (void *)o,
			    GUINT_TO_POINTER(old->objects->len));
}

void check_old_forget(struct check_old *old, const struct object *o)
{
	guint at = GPOINTER_TO_UINT(g_hash_table_lookup(old->index, o));

	if (!at)
		return;
	g_array_index(old->objects, struct old_object, at - 1).o = NULL;
	g_hash_table_remove(old->index, o);
}

/* The words of a model object behind its head. */
static const uintptr_t *words_of(const struct object *o)
{
	return (const void *)(o + 1);
}

static u32 num_words(const struct old_object *object)
{
	u32 size = MIN(object->c_size, object->o->type->c_size);

	return size < sizeof(*object->o) ? 0 :
	       (u32)((size - sizeof(*object->o)) / sizeof(uintptr_t));
}

void check_old_barrier(struct check_old *old)
{
	guint i, live = 0;

	g_array_set_size(old->copies, 0);
	for (i = 0; i < old->objects->len; i++) {
		struct old_object object = g_array_index(old->objects,
							 struct old_object, i);

		if (!object.o)
			continue;
		object.words = num_words(&object);
		object.copy = old->copies->len;
		g_array_append_vals(old->copies, words_of(object.o),
				    object.words);
		g_array_index(old->objects, struct old_object, live++) = object;
		g_hash_table_insert(old->index, (void *)object.o,
				    GUINT_TO_POINTER(live));
	}
	g_array_set_size(old->objects, live);
}

void check_old_compare(const struct check_old *old, struct check_refs *refs)
{
	guint i, j;

	for (i = 0; i < old->objects->len; i++) {
		const struct old_object *object =
			&g_array_index(old->objects, struct old_object, i);

		for (j = 0; j < object->words; j++) {
			uintptr_t before = g_array_index(old->copies, uintptr_t,
							 object->copy + j);
			uintptr_t now = object->o ? words_of(object->o)[j] : 0;

			if (now == before)
				continue;
			check_refs_moved(refs, before, -1);
			check_refs_moved(refs, now, 1);
		}
	}
}
