/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shapes of structs, and those of a kernel's tables; see shape.h. */
#include <string.h>

#include "stack/kernel_data.h"
#include "stack/layout.h"
#include "stack/shape.h"

G_DEFINE_QUARK(shape-error-quark, shape_error)

/* ---- sets ---- */

static void member_clear(void *p)
{
	struct shape_member *member = p;

	g_free(member->name);
	g_free(member->type);
	g_free(member->of);
	g_free(member->dims);
}

static void shape_free(void *p)
{
	struct shape *shape = p;

	g_array_unref(shape->members);
	g_free(shape->name);
	g_free(shape);
}

struct shape_set *shape_set_new(const char *source)
{
	struct shape_set *set = g_new0(struct shape_set, 1);

	set->source = g_strdup(source);
	set->shapes = g_ptr_array_new_with_free_func(shape_free);
	set->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	return set;
}

void shape_set_free(struct shape_set *set)
{
	g_hash_table_unref(set->by_name);
	g_ptr_array_unref(set->shapes);
	g_free(set->source);
	g_free(set);
}

struct shape *shape_add(struct shape_set *set, const char *name)
{
	struct shape *shape = g_new0(struct shape, 1);

	shape->name = g_strdup(name);
	shape->members = g_array_new(FALSE, TRUE, sizeof(struct shape_member));
	g_array_set_clear_func(shape->members, member_clear);
	g_ptr_array_add(set->shapes, shape);
	if (!g_hash_table_contains(set->by_name, name))
		g_hash_table_insert(set->by_name, shape->name, shape);
	return shape;
}

struct shape_member *shape_add_member(struct shape *shape, char *name,
				      u32 offset, u32 size)
{
	struct shape_member member = {
		.name = name, .offset = offset, .size = size,
		.dims = g_strdup(""),
	};

	g_array_append_val(shape->members, member);
	return &g_array_index(shape->members, struct shape_member,
			      shape->members->len - 1);
}

void shape_prefix(struct shape *shape, u32 first, u32 end, const char *name)
{
	u32 i;

	for (i = first; i < end; i++) {
		struct shape_member *member =
			&g_array_index(shape->members, struct shape_member, i);
		char *old = member->name;

		member->name = g_strconcat(name, ".", old, NULL);
		g_free(old);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct shape_member *x = a, *y = b;
	u32 at_x = x->offset * 8 + x->bit, at_y = y->offset * 8 + y->bit;

	if (at_x != at_y)
		return at_x < at_y ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return strcmp(x->name, y->name);
}

void shape_sort(struct shape *shape)
{
	g_array_sort(shape->members, by_place);
}

/* ---- finding ---- */

const struct shape *shape_find(const struct shape_set *set, const char *name)
{
	return g_hash_table_lookup(set->by_name, name);
}

static const struct shape_member *find_member(const struct shape *shape,
					      const char *name)
{
	u32 i;

	for (i = 0; i < shape->members->len; i++) {
		const struct shape_member *member =
			&g_array_index(shape->members, struct shape_member, i);

		if (g_str_equal(member->name, name))
			return member;
	}
	return NULL;
}

/* What a name of struct sock, or of one that begins with it, is called in
 * struct sock_common; NULL: it is no such name. */
static char *common_name(const char *name)
{
	static const char *const heads[] = { "sk_", "inet_" };
	u32 i;

	for (i = 0; i < G_N_ELEMENTS(heads); i++)
		if (g_str_has_prefix(name, heads[i]))
			return g_strconcat("skc_", name + strlen(heads[i]),
					   NULL);
	return NULL;
}

static bool place(const struct shape_set *set, const struct shape *shape,
		  const char *name, u32 depth, struct shape_member *at);

/* "a.b" where `a` is a struct that has a shape of its own. */
static bool place_within(const struct shape_set *set, const struct shape *shape,
			 const char *name, u32 depth, struct shape_member *at)
{
	const char *dot;

	for (dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		g_autofree char *head = g_strndup(name, dot - name);
		const struct shape_member *outer = find_member(shape, head);
		const struct shape *inner = outer && outer->of ?
			shape_find(set, outer->of) : NULL;

		if (!inner || !place(set, inner, dot + 1, depth + 1, at))
			continue;
		at->offset += outer->offset;
		return true;
	}
	return false;
}

static bool place(const struct shape_set *set, const struct shape *shape,
		  const char *name, u32 depth, struct shape_member *at)
{
	const struct shape_member *member = find_member(shape, name);
	const struct shape *first;
	g_autofree char *common = NULL;

	if (member) {
		*at = *member;
		return true;
	}
	if (depth >= SHAPE_MAX_DEPTH)
		return false;
	if (place_within(set, shape, name, depth, at))
		return true;
	if (g_str_equal(shape->name, "sock_common"))
		common = common_name(name);
	if (common && place_within(set, shape, common, depth, at))
		return true;
	if (common && (member = find_member(shape, common))) {
		*at = *member;
		return true;
	}
	if (!shape->members->len)
		return false;
	member = &g_array_index(shape->members, struct shape_member, 0);
	first = member->of && !member->offset ? shape_find(set, member->of) :
		NULL;
	return first && place(set, first, name, depth + 1, at);
}

bool shape_place(const struct shape_set *set, const struct shape *shape,
		 const char *name, struct shape_member *at)
{
	return place(set, shape, name, 0, at);
}

/* ---- of a kernel's tables ---- */

static void add_placed(void *arg, const char *name, u32 offset, u32 size)
{
	shape_add_member(arg, g_strdup(name), offset, size);
}

struct shape_set *shapes_of_kernel(const struct kernel_config *config,
				   GError **error)
{
	g_autofree char *name = g_path_get_basename(config->folder);
	struct layout *layout = kernel_layout(config, error);
	struct shape_set *set;
	int id, part;

	if (!layout)
		return NULL;
	set = shape_set_new(name);
	for (id = 0; id < NUM_STRUCTS; id++) {
		struct shape *shape;

		if (!layout_has_struct(layout, struct_name(id)))
			continue;
		shape = shape_add(set, struct_name(id));
		shape->size = layout_placed_size(layout, id);
		for (part = id; part >= 0; part = struct_base(part))
			layout_each(layout, id, struct_name(part), add_placed,
				    shape);
		shape_sort(shape);
	}
	layout_free(layout);
	return set;
}
