/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs touch which field of one object; see sharing.h. */
#include <string.h>

#include "scenarios/sharing.h"
#include "sim/observe.h"

#define WORDS (MAX_CPUS / 64)

struct cpus { u64 words[WORDS]; };

/* One access site at one line of one object. */
struct touch {
	u64 key;		/* line and site */
	struct cpus cpus;
};

struct sharing {
	struct observer observer;
	struct machine *machine;	/* NULL: it has ended */
	u64 left;
	GHashTable *touches;	/* key -> struct touch *, owned */
};

static void note_access(void *arg, const struct cpu *cpu,
			const struct object *o, u32 line,
			const struct access_site *site)
{
	struct sharing *sharing = arg;
	const u64 key = (u64)line << 32 | (u64)(site - __start_access_sites);
	struct touch *touch = g_hash_table_lookup(sharing->touches, &key);

	(void)o;
	if (!touch) {
		touch = g_new0(struct touch, 1);
		touch->key = key;
		g_hash_table_insert(sharing->touches, &touch->key, touch);
	}
	touch->cpus.words[cpu->id / 64] |= 1ull << cpu->id % 64;
	if (!--sharing->left)
		sharing_end(sharing);
}

static void note_call(void *arg, const struct cpu *cpu)
{
	(void)arg;
	(void)cpu;
}

struct sharing *sharing_begin(struct machine *machine, u64 accesses)
{
	struct sharing *sharing = g_new0(struct sharing, 1);

	sharing->observer = (struct observer){
		.access = note_access, .call = note_call, .arg = sharing,
	};
	sharing->machine = machine;
	sharing->left = accesses;
	sharing->touches = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						 NULL, g_free);
	machine_observe(machine, &sharing->observer);
	return sharing;
}

void sharing_end(struct sharing *sharing)
{
	if (sharing->machine)
		machine_observe(sharing->machine, NULL);
	sharing->machine = NULL;
}

void sharing_free(struct sharing *sharing)
{
	if (!sharing)
		return;
	sharing_end(sharing);
	g_hash_table_unref(sharing->touches);
	g_free(sharing);
}

/* ---- sets of CPUs ---- */

static void cpus_add(struct cpus *into, const struct cpus *from)
{
	for (u32 i = 0; i < WORDS; i++)
		into->words[i] |= from->words[i];
}

static bool cpus_has(const struct cpus *cpus, u32 id)
{
	return id < MAX_CPUS && cpus->words[id / 64] >> id % 64 & 1;
}

static u32 cpus_count(const struct cpus *cpus)
{
	u32 n = 0;

	for (u32 i = 0; i < WORDS; i++)
		n += (u32)__builtin_popcountll(cpus->words[i]);
	return n;
}

/* "0-5,12" */
static char *cpus_text(const struct cpus *cpus)
{
	GString *text = g_string_new(NULL);

	for (u32 i = 0; i < MAX_CPUS; i++) {
		u32 last = i;

		if (!cpus_has(cpus, i))
			continue;
		while (cpus_has(cpus, last + 1))
			last++;
		g_string_append_printf(text, "%s%u", text->len ? "," : "", i);
		if (last > i)
			g_string_append_printf(text, "-%u", last);
		i = last;
	}
	return g_string_free(text, FALSE);
}

/* ---- all together ---- */

/* A field, and the most CPUs that one line of one object has seen at it. */
struct field_most {
	u32 users, writers, strangers;
};

/* A field at one line of one object. */
struct field {
	u32 id;			/* index of its struct field_most */
	struct cpus users, writers;
};

struct row {
	u32 field;
	struct cpus cpus;
};

/* Rows and fields by name, and by site once they have been looked up there. */
struct finish {
	char *const *types;
	const char *host;
	GArray *sharings;
	guint first;		/* the host's first row there */
	GArray *rows;		/* struct row */
	GArray *most;		/* struct field_most */
	GHashTable *names;	/* "type field", "type field function file" */
	u32 *row_of_site;	/* 1 + index; 0: not yet */
};

static int compare_touches(const void *a, const void *b)
{
	const struct touch *x = *(struct touch *const *)a;
	const struct touch *y = *(struct touch *const *)b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* The index of a name, or `next` if it is new; takes the name. */
static u32 index_of(struct finish *f, char *name, u32 next)
{
	gpointer found;

	if (g_hash_table_lookup_extended(f->names, name, NULL, &found)) {
		g_free(name);
		return GPOINTER_TO_UINT(found);
	}
	g_hash_table_insert(f->names, name, GUINT_TO_POINTER(next));
	return next;
}

static u32 add_row(struct finish *f, const struct access_site *site,
		   const char *type)
{
	u32 n = f->rows->len;
	u32 field = index_of(f, g_strdup_printf("%s %s", type, site->member),
			     f->most->len);
	u32 index = index_of(f, g_strdup_printf("%s %s %s %s", type,
						site->member, site->function,
						site->file), n);

	if (field == f->most->len)
		g_array_set_size(f->most, field + 1);
	if (index == n) {
		struct result_sharing sharing = {
			.host = g_strdup(f->host), .type = g_strdup(type),
			.field = g_strdup(site->member),
			.function = g_strdup(site->function),
			.file = g_strdup(site->file),
			.owner = g_strdup(site->type),
		};
		struct row row = { .field = field };

		g_array_append_val(f->sharings, sharing);
		g_array_append_val(f->rows, row);
	}
	return index;
}

static struct row *row_of(struct finish *f, const struct touch *touch)
{
	u32 site = (u32)touch->key;

	if (!f->row_of_site[site]) {
		const struct access_site *s = &__start_access_sites[site];

		f->row_of_site[site] = 1 + add_row(f, s, f->types[site] ?
						   f->types[site] : s->type);
	}
	return &g_array_index(f->rows, struct row, f->row_of_site[site] - 1);
}

/* CPUs of a field that have nothing to do with another field of the line which
 * somebody else writes: for them the line moves in vain. */
static u32 count_strangers(const GArray *fields, const struct field *field)
{
	struct cpus strangers = { { 0 } };

	for (guint i = 0; i < fields->len; i++) {
		const struct field *other =
			&g_array_index(fields, struct field, i);

		if (other == field || !cpus_count(&other->writers))
			continue;
		for (u32 j = 0; j < WORDS; j++)
			strangers.words[j] |= field->users.words[j] &
					      ~other->users.words[j];
	}
	return cpus_count(&strangers);
}

static struct field *field_of(GArray *fields, u32 id)
{
	struct field field = { .id = id };

	for (guint i = 0; i < fields->len; i++) {
		struct field *found = &g_array_index(fields, struct field, i);

		if (found->id == id)
			return found;
	}
	g_array_append_val(fields, field);
	return &g_array_index(fields, struct field, fields->len - 1);
}

static void add_touch(struct finish *f, GArray *fields,
		      const struct touch *touch)
{
	u32 kind = __start_access_sites[(u32)touch->key].kind;
	struct row *row = row_of(f, touch);
	struct field *field = field_of(fields, row->field);

	cpus_add(&row->cpus, &touch->cpus);
	cpus_add(&field->users, &touch->cpus);
	if (kind == ACCESS_WRITE || kind == ACCESS_ATOMIC)
		cpus_add(&field->writers, &touch->cpus);
}

/* What there is of one line in `fields`. */
static void end_line(struct finish *f, GArray *fields)
{
	for (guint i = 0; i < fields->len; i++) {
		const struct field *field =
			&g_array_index(fields, struct field, i);
		struct field_most *most =
			&g_array_index(f->most, struct field_most, field->id);

		most->users = MAX(most->users, cpus_count(&field->users));
		most->writers = MAX(most->writers,
				    cpus_count(&field->writers));
		most->strangers = MAX(most->strangers,
				      count_strangers(fields, field));
	}
	g_array_set_size(fields, 0);
}

static GPtrArray *sorted(GHashTable *table)
{
	GPtrArray *touches = g_ptr_array_new();
	GHashTableIter iter;
	gpointer touch;

	g_hash_table_iter_init(&iter, table);
	while (g_hash_table_iter_next(&iter, NULL, &touch))
		g_ptr_array_add(touches, touch);
	g_ptr_array_sort(touches, compare_touches);
	return touches;
}

static void fill_rows(struct finish *f)
{
	for (guint i = 0; i < f->rows->len; i++) {
		const struct row *row = &g_array_index(f->rows, struct row, i);
		const struct field_most *most =
			&g_array_index(f->most, struct field_most, row->field);
		struct result_sharing *into =
			&g_array_index(f->sharings, struct result_sharing,
				       f->first + i);

		into->cpus = cpus_text(&row->cpus);
		into->users = most->users;
		into->writers = most->writers;
		into->strangers = most->strangers;
	}
}

void sharing_finish(const struct sharing *sharing, char *const *types,
		    const char *host, GArray *sharings)
{
	g_autoptr(GPtrArray) touches = sorted(sharing->touches);
	g_autoptr(GArray) fields = g_array_new(FALSE, FALSE,
					       sizeof(struct field));
	struct finish f = {
		.types = types, .host = host, .sharings = sharings,
		.first = sharings->len,
		.rows = g_array_new(FALSE, FALSE, sizeof(struct row)),
		.most = g_array_new(FALSE, TRUE, sizeof(struct field_most)),
		.names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					       NULL),
		.row_of_site = g_new0(u32, num_access_sites()),
	};
	u64 line = 0;

	for (guint i = 0; i < touches->len; i++) {
		const struct touch *touch = touches->pdata[i];

		if (touch->key >> 32 != line)
			end_line(&f, fields);
		line = touch->key >> 32;
		add_touch(&f, fields, touch);
	}
	end_line(&f, fields);
	fill_rows(&f);
	g_hash_table_unref(f.names);
	g_array_unref(f.rows);
	g_array_unref(f.most);
	g_free(f.row_of_site);
}
