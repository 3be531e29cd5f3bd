/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * References taken and dropped; see check_refs.h.
 *
 * A count is looked at when somebody is about to change it: what it has changed
 * by since the look before is what the one before did.  So nothing here knows
 * how a change is written, and what code that is not charged does to a count
 * falls to whoever changed it last.
 *
 * References have no names, so which of those taken was never dropped is found
 * by the calls: from the outermost on, the only callee below which the count
 * grew by as much as it has grown in all is followed to the next.  Where two
 * have, or none, the function that calls them is named.
 *
 * A reference may be held by right when a run ends: by what was made in it and
 * lives on, such as a CPU's own copy of a route that points to the one it is
 * of; and by what is older and has come to point to it, such as a node of a tree
 * to which a leaf is lent.  So an object that no more references have come to
 * than pointers has not leaked any.  Pointers that old objects have lost are not
 * counted against new ones: not each of them held a reference.
 */
#include <glib.h>
#include <string.h>

#include "sim/account.h"
#include "sim/check_refs.h"
#include "sim/cpu.h"
#include "sim/machine.h"

struct declared {
	const char *type, *member;
};

/* What one place in the code did to one count, called in one way. */
struct change {
	const struct call_node *node;
	u32 site;
	s64 taken, dropped;
};

struct count {
	const struct object *o;
	const s32 *word;
	u32 site;
	u32 at;			/* in the array of all */
	bool born;		/* in this run */
	s32 base;		/* at the barrier */
	s32 value;		/* before the last change */
	s32 held;		/* by what is new; known when it is reported */
	s32 moved;		/* pointers more in what is older; as above */
	u32 last;		/* who made it: index + 1 in changes */
	GArray *changes;	/* struct change */
};

struct check_refs {
	GArray *declared;	/* struct declared */
	GHashTable *sites;	/* site + 1 -> 1: no count, 2: one */
	GHashTable *index;	/* object -> struct count * */
	GPtrArray *counts;	/* the same as first seen; NULL: freed */
};

/* A way of calls, from the outermost; of all objects of one type. */
struct path {
	char **calls;
	u32 depth;
	const struct call_node *outermost;
	s64 taken, dropped;
};

/* Of all objects of one type. */
struct leak {
	s64 growth;
	s64 left;		/* of that, what nobody is seen to hold */
};

static void count_free(void *p)
{
	struct count *count = p;

	if (!count)
		return;
	g_array_unref(count->changes);
	g_free(count);
}

struct check_refs *check_refs_new(void)
{
	struct check_refs *refs = g_new0(struct check_refs, 1);

	refs->declared = g_array_new(FALSE, FALSE, sizeof(struct declared));
	refs->sites = g_hash_table_new(NULL, NULL);
	refs->index = g_hash_table_new(NULL, NULL);
	refs->counts = g_ptr_array_new();
	return refs;
}

void check_refs_free(struct check_refs *refs)
{
	guint i;

	for (i = 0; i < refs->counts->len; i++)
		count_free(refs->counts->pdata[i]);
	g_ptr_array_unref(refs->counts);
	g_array_unref(refs->declared);
	g_hash_table_unref(refs->sites);
	g_hash_table_unref(refs->index);
	g_free(refs);
}

void check_refs_declare(struct check_refs *refs, const char *type,
			const char *member)
{
	struct declared declared = { type, member };

	g_array_append_val(refs->declared, declared);
}

/* ---- while it runs ---- */

static bool is_count(struct check_refs *refs, u32 site)
{
	const struct access_site *s = &__start_access_sites[site];
	void *key = GUINT_TO_POINTER(site + 1);
	guint known = GPOINTER_TO_UINT(g_hash_table_lookup(refs->sites, key));
	guint i;

	if (known)
		return known == 2;
	known = 1;
	for (i = 0; i < refs->declared->len; i++) {
		const struct declared *d = &g_array_index(refs->declared,
							  struct declared, i);

		if (!strcmp(d->type, s->type) && !strcmp(d->member, s->member))
			known = 2;
	}
	g_hash_table_insert(refs->sites, key, GUINT_TO_POINTER(known));
	return known == 2;
}

/* Puts what has been done since down to who did it. */
static void settle(struct count *count)
{
	s32 value = *count->word, delta = value - count->value;

	count->value = value;
	if (!count->last || !delta)
		return;
	if (delta > 0)
		g_array_index(count->changes, struct change,
			      count->last - 1).taken += delta;
	else
		g_array_index(count->changes, struct change,
			      count->last - 1).dropped -= delta;
}

static u32 change_of(struct count *count, const struct call_node *node,
		     u32 site)
{
	struct change new = { .node = node, .site = site };
	guint i;

	for (i = 0; i < count->changes->len; i++) {
		const struct change *c = &g_array_index(count->changes,
							struct change, i);

		if (c->node == node && c->site == site)
			return i + 1;
	}
	g_array_append_val(count->changes, new);
	return count->changes->len;
}

void check_refs_access(struct check_refs *refs, const struct cpu *cpu,
		       const struct object *o, u32 site)
{
	const struct access_site *s = &__start_access_sites[site];
	struct count *count;

	if (!is_count(refs, site))
		return;
	g_assert(s->size == sizeof(s32));
	/* Counts are stored once, when the object begins. */
	if (s->kind == ACCESS_WRITE)
		check_refs_forget(refs, o);
	count = g_hash_table_lookup(refs->index, o);
	if (!count) {
		count = g_new0(struct count, 1);
		count->o = o;
		count->word = (const s32 *)(const void *)
			      ((const u8 *)o + s->offset);
		count->site = site;
		count->born = s->kind == ACCESS_WRITE;
		count->base = count->born ? 0 : *count->word;
		count->value = count->base;
		count->changes = g_array_new(FALSE, FALSE,
					     sizeof(struct change));
		g_hash_table_insert(refs->index, (void *)o, count);
		count->at = refs->counts->len;
		g_ptr_array_add(refs->counts, count);
	} else {
		settle(count);
	}
	count->last = change_of(count, cpu->node, site);
}

void check_refs_forget(struct check_refs *refs, const struct object *o)
{
	struct count *count = g_hash_table_lookup(refs->index, o);

	if (!count)
		return;
	g_hash_table_remove(refs->index, o);
	refs->counts->pdata[count->at] = NULL;
	while (refs->counts->len &&
	       !refs->counts->pdata[refs->counts->len - 1])
		g_ptr_array_set_size(refs->counts,
				     (gint)refs->counts->len - 1);
	count_free(count);
}

void check_refs_barrier(struct check_refs *refs)
{
	guint i;

	for (i = 0; i < refs->counts->len; i++) {
		struct count *count = refs->counts->pdata[i];

		if (!count)
			continue;
		count->value = count->base = *count->word;
		count->born = false;
		count->last = 0;
		g_array_set_size(count->changes, 0);
	}
}

/* ---- what is held by right ---- */

/* A pointer with a flag in its lowest bit is none: it says that it holds no
 * reference (SKB_DST_NOREF). */
void check_refs_holder(struct check_refs *refs, const struct object *o,
		       u32 c_size)
{
	const uintptr_t *words = (const void *)o;
	u32 i;

	c_size = MIN(c_size, o->type->c_size);
	for (i = sizeof(*o) / sizeof(*words); i < c_size / sizeof(*words);
	     i++) {
		struct count *count = g_hash_table_lookup(refs->index,
						(const void *)words[i]);

		if (count && count->o != o)
			count->held++;
	}
}

void check_refs_moved(struct check_refs *refs, uintptr_t pointer, s32 n)
{
	struct count *count = g_hash_table_lookup(refs->index,
						  (const void *)pointer);

	if (count)
		count->moved += n;
}

/* What is left of it that nobody has a right to: a new object that lives on
 * stands in a table, which holds it. */
static s64 growth_of(const struct count *count)
{
	return (s64)count->value - count->base - (count->born ? 1 : 0);
}

static s64 left_of(const struct count *count)
{
	return growth_of(count) - count->held - MAX(count->moved, 0);
}

/* ---- ways of calls ---- */

static void path_free(void *p)
{
	struct path *path = p;

	g_strfreev(path->calls);
	g_free(path);
}

static struct path *path_new(const struct change *change)
{
	const char *function = __start_access_sites[change->site].function;
	struct path *path = g_new0(struct path, 1);
	GPtrArray *calls = g_ptr_array_new();
	const struct call_node *node = change->node;

	if (!node->site || strcmp(node->site->name, function))
		g_ptr_array_add(calls, g_strdup(function));
	for (; node && node->site; node = node->parent) {
		g_ptr_array_add(calls, g_strdup(node->site->name));
		path->outermost = node;
	}
	path->depth = calls->len;
	path->calls = g_new0(char *, path->depth + 1);
	for (u32 i = 0; i < path->depth; i++)
		path->calls[i] = calls->pdata[path->depth - 1 - i];
	g_ptr_array_unref(calls);
	path->taken = change->taken;
	path->dropped = change->dropped;
	return path;
}

static bool has_prefix(const struct path *path, char **calls, u32 depth)
{
	u32 i;

	if (path->depth < depth)
		return false;
	for (i = 0; i < depth; i++)
		if (strcmp(path->calls[i], calls[i]))
			return false;
	return true;
}

static void sum_below(GPtrArray *paths, char **calls, u32 depth, s64 *taken,
		      s64 *dropped)
{
	guint i;

	*taken = *dropped = 0;
	for (i = 0; i < paths->len; i++) {
		const struct path *path = paths->pdata[i];

		if (has_prefix(path, calls, depth)) {
			*taken += path->taken;
			*dropped += path->dropped;
		}
	}
}

/* The only callee that what is left is below; NULL: none, or several. */
static const struct path *descend(GPtrArray *paths, const struct path *from,
				  u32 depth, const struct leak *leak)
{
	const struct path *only = NULL;
	s64 taken, dropped;
	guint i;

	for (i = 0; i < paths->len; i++) {
		const struct path *path = paths->pdata[i];

		if (path->depth <= depth ||
		    (depth && !has_prefix(path, from->calls, depth)))
			continue;
		if (only && has_prefix(path, only->calls, depth + 1))
			continue;
		sum_below(paths, path->calls, depth + 1, &taken, &dropped);
		if (taken - dropped < leak->left ||
		    taken - dropped > leak->growth)
			continue;
		if (only)
			return NULL;
		only = path;
	}
	return only;
}

/* How often the outermost function was called, of all threads. */
static u64 calls_of(GPtrArray *paths, const struct path *way)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	u64 calls = 0;
	guint i;

	for (i = 0; i < paths->len; i++) {
		const struct path *path = paths->pdata[i];

		if (has_prefix(path, way->calls, 1) &&
		    g_hash_table_add(seen, (void *)path->outermost))
			calls += path->outermost->calls;
	}
	return calls;
}

/* ---- the report ---- */

static bool has_several(GPtrArray *paths, const struct path *way, u32 depth)
{
	guint i;

	for (i = 0; i < paths->len; i++) {
		const struct path *path = paths->pdata[i];

		if (has_prefix(path, way->calls, depth) && path->depth > depth)
			return true;
	}
	return false;
}

/* " (ip6_pol_route 20, ip6_append_data 40)": who did it, in the order in which
 * they began to; nothing where the way itself ends at the only one. */
static void add_names(GString *text, GPtrArray *paths, const struct path *way,
		      u32 depth, bool drops)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	guint i, j;

	if (way->depth == depth && !has_several(paths, way, depth))
		return;
	for (i = 0; i < paths->len; i++) {
		const struct path *path = paths->pdata[i];
		const char *name = path->calls[path->depth - 1];
		s64 times = 0;

		if (!has_prefix(path, way->calls, depth) ||
		    !(drops ? path->dropped : path->taken) ||
		    !g_hash_table_add(seen, (void *)name))
			continue;
		for (j = i; j < paths->len; j++) {
			const struct path *p = paths->pdata[j];

			if (has_prefix(p, way->calls, depth) &&
			    !strcmp(p->calls[p->depth - 1], name))
				times += drops ? p->dropped : p->taken;
		}
		g_string_append_printf(text, "%s%s %" G_GINT64_FORMAT,
				       g_hash_table_size(seen) > 1 ? ", " :
				       " (", name, (gint64)times);
	}
	g_string_append_c(text, ')');
}

/* "taken in F <- its caller <- ...: 60 (by whom), released 40 (by whom)". */
static void add_way(GString *text, GPtrArray *paths, const struct path *way,
		    u32 depth, s64 taken, s64 dropped)
{
	u32 i;

	g_string_append(text, ", taken in ");
	for (i = depth; i-- > 0;)
		g_string_append_printf(text, "%s%s", way->calls[i],
				       i ? " <- " : "");
	g_string_append_printf(text, ": %" G_GINT64_FORMAT, (gint64)taken);
	add_names(text, paths, way, depth, false);
	if (!dropped) {
		g_string_append(text, ", never released");
		return;
	}
	g_string_append_printf(text, ", released there %" G_GINT64_FORMAT,
			       (gint64)dropped);
	add_names(text, paths, way, depth, true);
}

/* What was found there has leaked; what else the counts have grown by is held
 * by right. */
static void add_place(GString *text, GPtrArray *paths, const struct path *way,
		      u32 depth)
{
	u64 calls = calls_of(paths, way), rate;
	s64 taken, dropped;

	sum_below(paths, way->calls, depth, &taken, &dropped);
	if (calls) {
		rate = ((u64)(taken - dropped) * 1000 + calls / 2) / calls;
		g_string_append_printf(text, ": +%" G_GUINT64_FORMAT ".%03u a "
				       "call of %s", (guint64)(rate / 1000),
				       (u32)(rate % 1000), way->calls[0]);
	}
	add_way(text, paths, way, depth, taken, dropped);
	g_string_append(text, ": ");
	if (calls)
		g_string_append_printf(text, "%" G_GUINT64_FORMAT " call%s, ",
				       (guint64)calls, calls == 1 ? "" : "s");
	g_string_append_printf(text, "%" G_GINT64_FORMAT " reference%s left",
			       (gint64)(taken - dropped),
			       taken - dropped == 1 ? "" : "s");
}

static char *describe(GPtrArray *paths, const struct count *count,
		      const struct leak *leak)
{
	const struct access_site *s = &__start_access_sites[count->site];
	const struct path *way = NULL, *next;
	GString *text = g_string_new(NULL);
	u32 depth = 0;

	while ((next = descend(paths, way, depth, leak))) {
		way = next;
		depth++;
	}
	g_string_printf(text, "leak: %s.%s of %s", s->type, s->member,
			count->o->type->name);
	if (way)
		add_place(text, paths, way, depth);
	else
		g_string_append_printf(text, ": %" G_GINT64_FORMAT
				       " reference%s left", (gint64)leak->left,
				       leak->left == 1 ? "" : "s");
	return g_string_free(text, FALSE);
}

static bool is_alike(const struct count *a, const struct count *b)
{
	return !strcmp(a->o->type->name, b->o->type->name);
}

/* All objects of the type of the first one together. */
static char *report_type(struct check_refs *refs, guint first)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(path_free);
	const struct count *like = refs->counts->pdata[first];
	struct leak leak = { 0 };
	guint i, j;

	for (i = first; i < refs->counts->len; i++) {
		const struct count *count = refs->counts->pdata[i];

		if (!count || left_of(count) <= 0 || !is_alike(like, count))
			continue;
		leak.growth += growth_of(count);
		leak.left += left_of(count);
		for (j = 0; j < count->changes->len; j++)
			g_ptr_array_add(paths, path_new(&g_array_index(
					count->changes, struct change, j)));
	}
	return describe(paths, like, &leak);
}

static bool is_first(struct check_refs *refs, guint at)
{
	const struct count *count = refs->counts->pdata[at];
	guint i;

	for (i = 0; i < at; i++) {
		const struct count *other = refs->counts->pdata[i];

		if (other && left_of(other) > 0 && is_alike(other, count))
			return false;
	}
	return true;
}

void check_refs_report(struct check_refs *refs,
		       void (*found)(void *arg, char *text), void *arg)
{
	guint i;

	for (i = 0; i < refs->counts->len; i++)
		if (refs->counts->pdata[i])
			settle(refs->counts->pdata[i]);
	for (i = 0; i < refs->counts->len; i++) {
		const struct count *count = refs->counts->pdata[i];

		if (count && left_of(count) > 0 && is_first(refs, i))
			found(arg, report_type(refs, i));
	}
}
