/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layouts and costs of a kernel version; see layout.h. */
#include <string.h>

#include "stack/layout.h"
#include "stack/site_index.h"
#include "stack/table.h"

struct field {
	char *name;
	u32 offset;
	u32 size;
	bool own_line;
	bool absent;		/* this kernel's struct has no such member */
	const char *path;	/* the table that places it, interned */
};

struct layout_struct {
	char *name;
	u32 size;
	bool absent;		/* this kernel has no such struct */
	const char *path;	/* the table that has it whole, interned */
	const char *changed;	/* the last that has a row of it, interned */
	GPtrArray *fields;	/* struct field *, in file order */
	GHashTable *by_name;	/* the same, borrowed */
};

struct layout {
	const char *path;	/* of the table read last, interned */
	bool refines;		/* there was one before */
	GHashTable *structs;	/* struct layout_struct * by name */
	bool own_lines;		/* some field has a line of its own */
};

GQuark kernel_error_quark(void)
{
	return g_quark_from_static_string("kernel-error");
}

static void field_free(void *p)
{
	struct field *field = p;

	g_free(field->name);
	g_free(field);
}

static void layout_struct_free(void *p)
{
	struct layout_struct *s = p;

	g_hash_table_unref(s->by_name);
	g_ptr_array_unref(s->fields);
	g_free(s->name);
	g_free(s);
}

void layout_free(struct layout *layout)
{
	if (!layout)
		return;
	g_hash_table_unref(layout->structs);
	g_free(layout);
}

static struct layout_struct *find_struct(const struct layout *layout,
					 const char *name)
{
	return g_hash_table_lookup(layout->structs, name);
}

/* The row of a field, which may say that there is none. */
static struct field *find_field(const struct layout_struct *s, const char *name)
{
	return s ? g_hash_table_lookup(s->by_name, name) : NULL;
}

/* The field, if this kernel has it. */
static struct field *find_placed(const struct layout_struct *s,
				 const char *name)
{
	struct field *field = find_field(s, name);

	return field && !field->absent && !s->absent ? field : NULL;
}

u32 layout_size(const struct layout *layout, const char *name)
{
	const struct layout_struct *s = find_struct(layout, name);

	return s ? s->size : 0;
}

bool layout_has(const struct layout *layout, const struct kernel *kernel,
		const char *name)
{
	const char *field = strchr(name, '.');
	g_autofree char *head = NULL;
	int site;

	if (field) {
		head = g_strndup(name, field - name);
		return find_placed(find_struct(layout, head), field + 1);
	}
	head = g_strndup(name, strlen(name) - strlen("()"));
	site = function_site_first(head);
	return site >= 0 && !kernel->absent_functions[site];
}

/* ---- reading tables ---- */

static struct layout_struct *add_struct(struct layout *layout, const char *name)
{
	struct layout_struct *s = g_new0(struct layout_struct, 1);

	s->name = g_strdup(name);
	s->path = layout->path;
	s->fields = g_ptr_array_new_with_free_func(field_free);
	s->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	g_hash_table_replace(layout->structs, s->name, s);
	return s;
}

/* The struct that a row is of: the base's, this table's, or a new one.  NULL
 * and *wrong where the row must not stand there. */
static struct layout_struct *row_struct(struct layout *layout, const char *name,
					bool whole, const char **wrong)
{
	struct layout_struct *s = find_struct(layout, name);

	*wrong = NULL;
	if (!layout->refines)
		return s ? s : add_struct(layout, name);
	if (!s && !whole) {
		*wrong = "the base kernel has no such struct; its row (whole) "
			 "must come first";
		return NULL;
	}
	if (!whole)
		return s;
	if (s && s->changed == layout->path) {
		*wrong = "the row (whole) replaces the base kernel's struct, "
			 "so it must come before the fields, and once";
		return NULL;
	}
	return add_struct(layout, name);
}

static bool layout_row(void *arg, const char *path, u32 line, char **columns,
		       GError **error)
{
	struct layout *layout = arg;
	bool whole = g_str_equal(columns[3], "(whole)");
	bool absent = g_str_equal(columns[1], "-");
	struct layout_struct *s;
	struct field *field;
	u32 offset = 0, size = 0;
	const char *wrong;

	if (absent ? !g_str_equal(columns[2], "-") :
	    !table_number(columns[1], &offset) ||
	    !table_number(columns[2], &size))
		return table_error(error, path, line, "offset and size must be "
				   "numbers, or both '-' where this kernel has "
				   "no such field");
	s = row_struct(layout, columns[0], whole, &wrong);
	if (!s)
		return table_error(error, path, line, wrong);
	s->changed = layout->path;
	if (whole) {
		s->size = size;
		s->absent = absent;
		return true;
	}
	field = find_field(s, columns[3]);
	if (field && field->path == layout->path)
		return table_error(error, path, line, "this field stands twice");
	if (!field) {
		field = g_new0(struct field, 1);
		field->name = g_strdup(columns[3]);
		g_ptr_array_add(s->fields, field);
		g_hash_table_insert(s->by_name, field->name, field);
	}
	field->offset = offset;
	field->size = size;
	field->absent = absent;
	field->path = layout->path;
	return true;
}

struct layout *layout_new(void)
{
	struct layout *layout = g_new0(struct layout, 1);

	layout->structs = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
						layout_struct_free);
	return layout;
}

/* A struct that begins with one that the table replaces lies elsewhere too. */
static bool check_derived(const struct layout *layout, GError **error)
{
	int id;

	for (id = 0; id < NUM_STRUCTS; id++) {
		const struct layout_struct *s, *base;

		if (struct_base(id) < 0)
			continue;
		s = find_struct(layout, struct_name(id));
		base = find_struct(layout, struct_name(struct_base(id)));
		if (!s || !base || base->path != layout->path ||
		    s->path == layout->path)
			continue;
		g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_DATA,
			    "%s: %s is replaced, but not %s, which begins with "
			    "it; add its row (whole) and its fields",
			    layout->path, base->name, s->name);
		return false;
	}
	return true;
}

bool layout_read(struct layout *layout, const char *path, GError **error)
{
	layout->refines = layout->path != NULL;
	layout->path = g_intern_string(path);
	return read_table(path, layout_row, layout, error) &&
	       (!layout->refines || check_derived(layout, error));
}

/* ---- overrides ---- */

static bool setting_error(GError **error, const struct kernel_setting *setting,
			  const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool setting_error(GError **error, const struct kernel_setting *setting,
			  const char *format, ...)
{
	g_autofree char *what = NULL;
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_SETTING,
		    "%s: layout.%s = %s: %s", setting->where, setting->key,
		    setting->value, what);
	return false;
}

static u32 align_line(u32 offset)
{
	return (offset + LINE_SIZE - 1) & ~(LINE_SIZE - 1);
}

static bool derives_from(int id, int base)
{
	for (; id >= 0; id = struct_base(id))
		if (id == base)
			return true;
	return false;
}

/* A field and its parts: "hh", "hh.hh_len". */
static bool is_part(const struct field *part, const struct field *of)
{
	size_t len = strlen(of->name);

	return part == of || (g_str_has_prefix(part->name, of->name) &&
			      part->name[len] == '.');
}

/* The alignment that a field's place and size show. */
static u32 alignment(const struct field *field)
{
	u32 align = 8;

	while (field->offset % align ||
	       (field->size < 8 && field->size % align))
		align /= 2;
	return align;
}

/* By place; members of a union by falling alignment. */
static int by_place(const void *a, const void *b)
{
	const struct field *x = *(const struct field *const *)a;
	const struct field *y = *(const struct field *const *)b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (int)alignment(y) - (int)alignment(x);
}

/* Moves what lies at `from` or behind it by so many bytes, and by a few more
 * from the first field on that would lose its alignment, as a compiler does. */
static void shift(struct layout_struct *s, u32 from, u32 by)
{
	g_autoptr(GPtrArray) sorted = g_ptr_array_new();
	u32 i;

	for (i = 0; i < s->fields->len; i++)
		g_ptr_array_add(sorted, s->fields->pdata[i]);
	g_ptr_array_sort(sorted, by_place);
	for (i = 0; i < sorted->len; i++) {
		struct field *field = sorted->pdata[i];
		u32 align = alignment(field);

		if (field->offset < from)
			continue;
		by = (by + align - 1) & ~(align - 1);
		field->offset += by;
	}
	s->size = (s->size + by + 7) & ~7u;
}

/* Structs that begin with one that has grown grow with it. */
static void shift_derived(struct layout *layout, int id, u32 old_size, u32 by)
{
	int other;

	for (other = 0; other < NUM_STRUCTS; other++) {
		struct layout_struct *larger =
			find_struct(layout, struct_name(other));

		if (larger && other != id && derives_from(other, id))
			shift(larger, old_size, by);
	}
}

void layout_add_field(struct layout *layout, const char *name)
{
	const char *dot = strchr(name, '.');
	g_autofree char *head = dot ? g_strndup(name, dot - name) : NULL;
	struct layout_struct *s = head ? find_struct(layout, head) : NULL;
	struct field *field = dot ? find_placed(s, dot + 1) : NULL;
	u32 old_size, i;

	if (!field || !s->size || field->offset != s->size)
		return;
	old_size = s->size;
	s->size += field->size;
	for (i = 0; i < s->fields->len; i++) {
		struct field *behind = s->fields->pdata[i];

		if (behind->offset >= old_size && !is_part(behind, field))
			behind->offset += field->size;
	}
	shift_derived(layout, struct_find(head), old_size, field->size);
}

static bool pad_after(struct layout *layout, struct layout_struct *s,
		      const char *name, const struct kernel_setting *setting,
		      GError **error)
{
	struct field *field = find_placed(s, name);
	u32 end, old_size = s->size;

	if (!field)
		return setting_error(error, setting,
				     "struct %s has no field '%s'", s->name,
				     name);
	end = field->offset + field->size;
	shift(s, end, align_line(end) - end);
	shift_derived(layout, struct_find(s->name), old_size, s->size - old_size);
	return true;
}

static bool move_field(struct layout *layout, struct layout_struct *s,
		       const char *name,
		       const struct kernel_setting *setting, GError **error)
{
	struct field *field = find_placed(s, name);
	u32 offset, i, old;

	if (!field)
		return setting_error(error, setting,
				     "struct %s has no field '%s'", s->name,
				     name);
	if (g_str_equal(setting->value, "own line")) {
		field->own_line = true;
		layout->own_lines = true;
		return true;
	}
	if (!g_str_has_prefix(setting->value, "offset ") ||
	    !table_number(setting->value + strlen("offset "), &offset) ||
	    offset > 8192)
		return setting_error(error, setting, "must be \"own line\" or "
				     "\"offset N\" with N up to 8192");
	old = field->offset;
	for (i = 0; i < s->fields->len; i++) {	/* and the parts of it */
		struct field *part = s->fields->pdata[i];

		if (is_part(part, field))
			part->offset = part->offset - old + offset;
	}
	s->size = MAX(s->size, offset + field->size);
	return true;
}

bool layout_override(struct layout *layout,
		     const struct kernel_setting *setting, GError **error)
{
	const char *dot = strchr(setting->key, '.');
	g_autofree char *name = g_strndup(setting->key, dot ?
					  (gsize)(dot - setting->key) :
					  strlen(setting->key));
	struct layout_struct *s = find_struct(layout, name);

	if (!s || struct_find(name) < 0)
		return setting_error(error, setting,
				     "no modelled struct is called '%s'", name);
	if (dot)
		return move_field(layout, s, dot + 1, setting, error);
	if (g_str_has_prefix(setting->value, "pad after "))
		return pad_after(layout, s,
				 setting->value + strlen("pad after "),
				 setting, error);
	return setting_error(error, setting,
			     "must be \"pad after FIELD\"; to move a field, "
			     "write %s.FIELD = own line", name);
}

/* ---- types ---- */

/* A field on a line of its own stands behind everything else. */
static u32 place_own_lines(const struct layout *layout, int id, u32 size,
			   const struct field *wanted, u32 *offset)
{
	for (; layout->own_lines && id >= 0; id = struct_base(id)) {
		const struct layout_struct *s =
			find_struct(layout, struct_name(id));
		u32 i;

		for (i = 0; s && i < s->fields->len; i++) {
			const struct field *field = s->fields->pdata[i];

			if (!field->own_line)
				continue;
			size = align_line(size);
			if (wanted && is_part(wanted, field))
				*offset = size + wanted->offset - field->offset;
			size = align_line(size + field->size);
		}
	}
	return size;
}

bool layout_has_struct(const struct layout *layout, const char *name)
{
	const struct layout_struct *s = find_struct(layout, name);

	return s && !s->absent;
}

u32 layout_placed_size(const struct layout *layout, enum struct_id id)
{
	return place_own_lines(layout, id, layout_size(layout, struct_name(id)),
			       NULL, NULL);
}

void layout_each(const struct layout *layout, enum struct_id id,
		 const char *name,
		 void (*field)(void *arg, const char *name, u32 offset,
			       u32 size), void *arg)
{
	const struct layout_struct *s = find_struct(layout, name);
	u32 i;

	for (i = 0; s && i < s->fields->len; i++) {
		const struct field *f = s->fields->pdata[i];
		u32 offset = f->offset;

		if (f->absent)
			continue;
		place_own_lines(layout, id, layout_size(layout,
							struct_name(id)), f,
				&offset);
		field(arg, f->name, offset, f->size);
	}
}

static void mark_absent(struct kernel *kernel, const struct member_sites *sites)
{
	u32 i;

	kernel->absent_sites[sites->first - __start_access_sites] = true;
	for (i = 0; i < sites->num_more; i++)
		kernel->absent_sites[sites->more[i]] = true;
}

static bool place_member(const struct layout *layout, struct kernel *kernel,
			 int id, const struct member_sites *sites,
			 GError **error)
{
	const struct access_site *site = sites->first;
	struct object_type *type = &kernel->types[id];
	const struct layout_struct *s = find_struct(layout, site->type);
	const struct field *field = find_field(s, site->member);
	u32 offset;

	if ((field && field->absent) || (s && s->absent)) {
		mark_absent(kernel, sites);
		return true;
	}
	if (!field) {
		g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_DATA,
			    "%s: %s.%s is used by %s (%s:%u) but not placed; "
			    "add a row with its offset and size",
			    s ? s->path : layout->path, site->type, site->member,
			    site->function, site->file, site->source_line);
		return false;
	}
	offset = field->offset;
	place_own_lines(layout, id, layout_size(layout, struct_name(id)), field,
			&offset);
	if (site->offset + site->size <= type->c_size)
		object_type_place(type, site->offset, site->size, offset);
	return true;
}

bool layout_apply(const struct layout *layout, struct kernel *kernel,
		  GError **error)
{
	int id;

	kernel->absent_sites = g_new0(bool, num_access_sites());
	for (id = 0; id < NUM_STRUCTS; id++) {
		u32 size = layout_size(layout, struct_name(id));
		u32 i, n;
		const struct member_sites *const *members = members_of(id, &n);

		/* A few bytes more, for an array at the struct's end. */
		object_type_init(&kernel->types[id], struct_name(id),
				 struct_c_size(id) + 16,
				 place_own_lines(layout, id, size, NULL, NULL));
		for (i = 0; i < n; i++)
			if (!place_member(layout, kernel, id, members[i],
					  error))
				return false;
	}
	return true;
}
