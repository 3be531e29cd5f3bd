/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites by name; see site_index.h. */
#include <glib.h>
#include <string.h>

#include "stack/site_index.h"
#include "stack/layout.h"

struct site_index {
	GHashTable *structs;		/* struct_id + 1 by name */
	GHashTable *functions;		/* the first site + 1 by name */
	int *next;			/* by function site */
	GPtrArray *members[NUM_STRUCTS];	/* struct member_sites * */
};

static guint member_hash(const void *p)
{
	const struct access_site *site = ((const struct member_sites *)p)->first;

	return g_str_hash(site->type) * 31 + g_str_hash(site->member);
}

static gboolean member_equal(const void *a, const void *b)
{
	const struct access_site *x = ((const struct member_sites *)a)->first;
	const struct access_site *y = ((const struct member_sites *)b)->first;

	return x->offset == y->offset && x->size == y->size &&
	       g_str_equal(x->member, y->member) &&
	       g_str_equal(x->type, y->type);
}

/* Tables hold what they find plus one; -1: nothing. */
static int lookup(GHashTable *table, const char *name)
{
	return GPOINTER_TO_INT(g_hash_table_lookup(table, name)) - 1;
}

static void add_structs(struct site_index *index)
{
	int id;

	index->structs = g_hash_table_new(g_str_hash, g_str_equal);
	for (id = 0; id < NUM_STRUCTS; id++)
		g_hash_table_insert(index->structs, (char *)struct_name(id),
				    GINT_TO_POINTER(id + 1));
}

static void add_functions(struct site_index *index)
{
	int i, n = (int)num_function_sites();

	index->functions = g_hash_table_new(g_str_hash, g_str_equal);
	index->next = g_new(int, n);
	for (i = n - 1; i >= 0; i--) {
		char *name = (char *)__start_function_sites[i].name;

		index->next[i] = lookup(index->functions, name);
		g_hash_table_insert(index->functions, name,
				    GINT_TO_POINTER(i + 1));
	}
}

/* Larger members first, so that a member's parts, which come later, lie where
 * the layout says; a total order, whatever the order of the linker. */
static int by_size(const void *a, const void *b)
{
	const struct access_site *x =
		(*(const struct member_sites *const *)a)->first;
	const struct access_site *y =
		(*(const struct member_sites *const *)b)->first;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return strcmp(x->member, y->member);
}

/* Each member once, by the struct that its sites name. */
static void add_own_members(GPtrArray *const *own, GHashTable *structs)
{
	g_autoptr(GHashTable) known = g_hash_table_new(member_hash,
						       member_equal);
	u32 i, n = num_access_sites();

	for (i = 0; i < n; i++) {
		struct member_sites one = {
			.first = &__start_access_sites[i],
		};
		struct member_sites *same = g_hash_table_lookup(known, &one);
		int id;

		if (same) {
			same->more = g_renew(u32, same->more,
					     same->num_more + 1);
			same->more[same->num_more++] = i;
			continue;
		}
		same = g_memdup2(&one, sizeof(one));
		g_hash_table_add(known, same);
		id = lookup(structs, one.first->type);
		if (id >= 0)
			g_ptr_array_add(own[id], same);
	}
}

/* A struct has its own members and those of the structs that it begins
 * with. */
static void add_members(struct site_index *index)
{
	GPtrArray *own[NUM_STRUCTS];
	int id, base;

	for (id = 0; id < NUM_STRUCTS; id++)
		own[id] = g_ptr_array_new();
	add_own_members(own, index->structs);
	for (id = 0; id < NUM_STRUCTS; id++) {
		index->members[id] = g_ptr_array_new();
		for (base = id; base >= 0; base = struct_base(base))
			g_ptr_array_extend(index->members[id], own[base], NULL,
					   NULL);
		g_ptr_array_sort(index->members[id], by_size);
	}
	for (id = 0; id < NUM_STRUCTS; id++)
		g_ptr_array_unref(own[id]);
}

static const struct site_index *get_index(void)
{
	static struct site_index *index;

	if (g_once_init_enter(&index)) {
		struct site_index *made = g_new0(struct site_index, 1);

		add_structs(made);
		add_functions(made);
		add_members(made);
		g_once_init_leave(&index, made);
	}
	return index;
}

const struct member_sites *const *members_of(int id, u32 *n)
{
	const GPtrArray *members = get_index()->members[id];

	*n = members->len;
	return (const struct member_sites *const *)members->pdata;
}

int struct_find(const char *name)
{
	return lookup(get_index()->structs, name);
}

int function_site_first(const char *name)
{
	return lookup(get_index()->functions, name);
}

int function_site_next(int site)
{
	return get_index()->next[site];
}
