/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shapes of structs from BTF, which libbpf reads; see shape.h. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "stack/shape.h"

/* No kernel comes near; a file that is wrong could go on for ever. */
#define MAX_STEPS 64		/* from a type to what it points at or names */
#define MAX_MEMBERS 10000

struct reader {
	const struct btf *btf;
	struct btf_dump *dump;	/* writes types as C has them */
	GString *text;		/* what it wrote */
};

static const char *name_of(const struct reader *r, u32 name_off)
{
	const char *name = btf__name_by_offset(r->btf, name_off);

	return name ? name : "";
}

static void G_GNUC_PRINTF(2, 0) add_text(void *ctx, const char *format,
					 va_list args)
{
	g_string_append_vprintf(ctx, format, args);
}

static char *type_text(struct reader *r, u32 id)
{
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts, .field_name = "");

	g_string_truncate(r->text, 0);
	if (btf_dump__emit_type_decl(r->dump, id, &opts))
		return NULL;
	return g_strstrip(g_strdup(r->text->str));
}

/* Pointers, names and arrays lead somewhere. */
static bool leads_somewhere(const struct reader *r, u32 id)
{
	u32 i;

	for (i = 0; i < MAX_STEPS; i++) {
		const struct btf_type *t = btf__type_by_id(r->btf, id);

		if (!t)
			return false;
		if (btf_is_array(t))
			id = btf_array(t)->type;
		else if (btf_is_mod(t) || btf_is_typedef(t) || btf_is_ptr(t))
			id = t->type;
		else
			return true;
	}
	return false;
}

/* The type behind names and qualifiers. */
static u32 skip_names(const struct reader *r, u32 id)
{
	const struct btf_type *t = btf__type_by_id(r->btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t))) {
		id = t->type;
		t = btf__type_by_id(r->btf, id);
	}
	return id;
}

/* Writes down the dimensions of an array; the type of what is in it. */
static u32 element(const struct reader *r, u32 id, GString *dims)
{
	const struct btf_type *t = btf__type_by_id(r->btf, skip_names(r, id));

	while (t && btf_is_array(t)) {
		g_string_append_printf(dims, "[%u]", btf_array(t)->nelems);
		id = btf_array(t)->type;
		t = btf__type_by_id(r->btf, skip_names(r, id));
	}
	return id;
}

static bool read_members(struct reader *r, struct shape *shape,
			 const struct btf_type *t, u32 at, u32 depth);

/* A struct without a name of its own: its members are those of the outer one,
 * with the member's name before theirs if that has one. */
static bool read_inner(struct reader *r, struct shape *shape,
		       const struct btf_type *t, const char *name, u32 at,
		       u32 depth)
{
	u32 first = shape->members->len;

	if (depth >= SHAPE_MAX_DEPTH || !read_members(r, shape, t, at, depth))
		return false;
	if (*name)
		shape_prefix(shape, first, shape->members->len, name);
	return true;
}

/* One with a name.  `of` is its type without the dimensions, `inner` what is
 * behind that. */
static void add_named(struct reader *r, struct shape *shape,
		      const struct shape_member *like, u32 of,
		      const struct btf_type *inner)
{
	struct shape_member *m = shape_add_member(shape, like->name,
						  like->offset, like->size);
	bool nameless = btf_is_composite(inner) && !inner->name_off &&
			of == skip_names(r, of);

	m->bit = like->bit;
	m->bits = like->bits;
	g_free(m->dims);
	m->dims = like->dims;
	if (nameless)
		m->type = g_strdup(btf_is_union(inner) ? "union" : "struct");
	else
		m->type = type_text(r, of);
	if (btf_is_composite(inner) && inner->name_off)
		m->of = g_strdup(name_of(r, inner->name_off));
}

static bool read_member(struct reader *r, struct shape *shape,
			const struct btf_type *t, u32 i, u32 at, u32 depth)
{
	const char *name = name_of(r, btf_members(t)[i].name_off);
	u32 id = btf_members(t)[i].type, bit = btf_member_bit_offset(t, i), of;
	struct shape_member m = { .bits = btf_member_bitfield_size(t, i) };
	g_autoptr(GString) dims = g_string_new(NULL);
	const struct btf_type *inner;
	gint64 size;

	if (!leads_somewhere(r, id) || shape->members->len >= MAX_MEMBERS)
		return false;
	size = btf__resolve_size(r->btf, id);
	of = element(r, id, dims);
	inner = btf__type_by_id(r->btf, skip_names(r, of));
	if (size < 0)
		return false;
	m.size = (u32)size;
	m.offset = at + bit / 8;
	if (m.bits && size) {	/* the unit that a compiler loads */
		m.offset = at + bit / 8 / m.size * m.size;
		m.bit = bit % (8 * m.size);
	}
	if (*name) {
		m.name = g_strdup(name);
		m.dims = g_strdup(dims->str);
		add_named(r, shape, &m, of, inner);
	}
	if (!btf_is_composite(inner) || (*name && inner->name_off))
		return true;
	return read_inner(r, shape, inner, name, m.offset, depth + 1);
}

static bool read_members(struct reader *r, struct shape *shape,
			 const struct btf_type *t, u32 at, u32 depth)
{
	u32 i;

	for (i = 0; i < btf_vlen(t); i++)
		if (!read_member(r, shape, t, i, at, depth))
			return false;
	return true;
}

static bool read_types(struct reader *r, struct shape_set *set, GError **error)
{
	u32 id;

	for (id = 1; id < btf__type_cnt(r->btf); id++) {
		const struct btf_type *t = btf__type_by_id(r->btf, id);
		struct shape *shape;

		if (!btf_is_composite(t) || !t->name_off)
			continue;
		shape = shape_add(set, name_of(r, t->name_off));
		shape->size = t->size;
		shape->whole = true;
		if (!read_members(r, shape, t, 0, 0)) {
			g_set_error(error, SHAPE_ERROR, SHAPE_ERROR_FORMAT,
				    "%s: type %u, %.60s: a member has no type "
				    "or no size, or structs lie too deep in "
				    "one another", set->source, id,
				    shape->name);
			return false;
		}
		shape_sort(shape);
	}
	return true;
}

static struct shape_set *read_btf(const struct btf *btf, const char *path,
				  GError **error)
{
	g_autoptr(ShapeSet) set = shape_set_new(path);
	struct reader r = { .btf = btf, .text = g_string_new(NULL) };
	bool ok;

	r.dump = btf_dump__new(btf, add_text, r.text, NULL);
	ok = r.dump && read_types(&r, set, error);
	if (!r.dump)
		g_set_error(error, SHAPE_ERROR, SHAPE_ERROR_FORMAT,
			    "%s: cannot name the types: %s", path,
			    g_strerror(errno));
	btf_dump__free(r.dump);
	g_string_free(r.text, TRUE);
	return ok ? g_steal_pointer(&set) : NULL;
}

struct shape_set *shapes_of_btf(const char *path, GError **error)
{
	g_autofree char *text = NULL;
	struct shape_set *set;
	struct btf *btf;

	/* What the file system says is clearer than what libbpf makes of it. */
	if (!g_file_get_contents(path, &text, NULL, error))
		return NULL;
	libbpf_set_print(NULL);
	btf = btf__parse(path, NULL);
	if (!btf) {
		g_set_error(error, SHAPE_ERROR, SHAPE_ERROR_FORMAT,
			    "%s: no BTF in it that can be read (%s); give an "
			    "ELF file with a section .BTF, such as a vmlinux, "
			    "or BTF alone, such as /sys/kernel/btf/vmlinux",
			    path, g_strerror(errno));
		return NULL;
	}
	set = read_btf(btf, path, error);
	btf__free(btf);
	return set;
}
