/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checks; see check.h.
 *
 * Data races are found by vector clocks: a locked operation or a lock orders
 * what came before it on one CPU before what comes after it on another that
 * uses the same word later; so does a marked store that a marked load sees
 * (a pointer published for RCU readers).  Two plain accesses to one member by
 * two CPUs, one of them a store, that nothing orders are a race.  What a
 * sequence counter's reader reads is none, since it reads again; elements of
 * arrays are not looked at, since a site does not say which one.  In the same way
 * an object may not be freed while a reader of RCU on another CPU is in a section
 * in which it has looked at it, unless something orders that look before the
 * free: a lock, or a reference taken and put.  Hash tables
 * are used here, but only to look things up: nothing walks one.
 */
#include <glib.h>
#include <string.h>

#include "sim/account.h"
#include "sim/cache.h"
#include "sim/check.h"
#include "sim/check_old.h"
#include "sim/check_refs.h"
#include "sim/cpu.h"
#include "sim/machine.h"

#define MAX_HELD 32

/* Each CPU's count of synchronising steps, as known to somebody. */
struct vector {
	u32 at[MAX_CPUS];
};

/* What is known to whoever uses a word that orders. */
struct word {
	struct vector known;
	u32 birth;
};

/* Last accesses to one member of one object. */
struct shadow {
	u32 birth;
	u32 write_cpu, write_at;
	u32 write_site;
	struct vector reads;
	u32 read_site[MAX_CPUS];
};

struct held {
	const void *lock;
	u32 class;
	const struct context *context;	/* it may sleep and another one run */
};

/* What a context has looked at in the RCU reader's section that it is in. */
struct reader {
	const struct context *context;
	u32 section;
	GHashTable *objects;	/* object -> when, by its CPU's own count */
};

struct check_cpu {
	struct vector now;
	struct reader reader;
	struct held held[MAX_HELD];
	u32 num_held;
};

/* An object allocated since the barrier. */
struct newborn {
	const struct object *o;	/* NULL: freed */
	u32 c_size;
	bool kept;		/* it is no leak that it lives on */
};

struct check {
	struct machine *machine;
	GPtrArray *findings;	/* char *, NULL-ended */
	GHashTable *seen;	/* text of findings */
	GHashTable *words;	/* address -> struct word * */
	GHashTable *shadows;	/* address -> struct shadow * */
	GHashTable *classes;	/* "type.member" -> number from 1 */
	GHashTable *order;	/* first << 32 | second -> 1 */
	GHashTable *born;	/* live objects since the barrier -> index + 1 */
	GArray *objects;	/* struct newborn, in order of birth */
	GHashTable *births;	/* address -> number of the last object there */
	u32 num_births;
	struct check_old *old;
	struct check_refs *refs;
	struct check_cpu cpus[MAX_CPUS];
};

static void find(struct check *check, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

static void find(struct check *check, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	if (g_hash_table_contains(check->seen, text)) {
		g_free(text);
		return;
	}
	g_hash_table_add(check->seen, text);
	g_ptr_array_insert(check->findings, check->findings->len - 1, text);
}

static guint u64_hash(gconstpointer p)
{
	u64 v = *(const u64 *)p;

	return (guint)(v ^ v >> 32);
}

static gboolean u64_equal(gconstpointer a, gconstpointer b)
{
	return *(const u64 *)a == *(const u64 *)b;
}

struct check *check_new(struct machine *machine)
{
	struct check *check = g_new0(struct check, 1);
	u32 i;

	check->machine = machine;
	check->findings = g_ptr_array_new();
	g_ptr_array_add(check->findings, NULL);
	check->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					    NULL);
	check->words = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	check->shadows = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	check->classes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					       NULL);
	check->order = g_hash_table_new_full(u64_hash, u64_equal, g_free, NULL);
	check->born = g_hash_table_new(NULL, NULL);
	check->objects = g_array_new(FALSE, FALSE, sizeof(struct newborn));
	check->births = g_hash_table_new(NULL, NULL);
	check->old = check_old_new();
	check->refs = check_refs_new();
	for (i = 0; i < MAX_CPUS; i++) {
		check->cpus[i].now.at[i] = 1;
		check->cpus[i].reader.objects = g_hash_table_new(NULL, NULL);
	}
	return check;
}

void check_free(struct check *check)
{
	u32 i;

	if (!check)
		return;
	for (i = 0; i < MAX_CPUS; i++)
		g_hash_table_unref(check->cpus[i].reader.objects);
	g_ptr_array_unref(check->findings);
	g_hash_table_unref(check->seen);
	g_hash_table_unref(check->words);
	g_hash_table_unref(check->shadows);
	g_hash_table_unref(check->classes);
	g_hash_table_unref(check->order);
	g_hash_table_unref(check->born);
	g_array_unref(check->objects);
	g_hash_table_unref(check->births);
	check_old_free(check->old);
	check_refs_free(check->refs);
	g_free(check);
}

const char *const *check_findings(struct check *check)
{
	return (const char *const *)check->findings->pdata;
}

/* ---- readers of RCU ---- */

static bool is_in_section(const struct reader *reader, const struct cpu *cpu)
{
	const struct context *context = cpu->current;

	return context && context->rcu_nesting &&
	       context == reader->context &&
	       context->rcu_sections == reader->section;
}

static void note_reader(struct check *check, const struct cpu *cpu,
			const struct object *o)
{
	struct check_cpu *c = &check->cpus[cpu->id];

	if (!cpu->current->rcu_nesting)
		return;
	if (!is_in_section(&c->reader, cpu)) {
		g_hash_table_remove_all(c->reader.objects);
		c->reader.context = cpu->current;
		c->reader.section = cpu->current->rcu_sections;
	}
	g_hash_table_insert(c->reader.objects, (void *)o,
			    GUINT_TO_POINTER(c->now.at[cpu->id]));
}

/* The CPU that frees must know of each look at the object. */
static void check_readers(struct check *check, const struct object *o)
{
	const struct machine *machine = check->machine;
	const struct vector *known = &check->cpus[this_cpu->id].now;
	u32 i;

	for (i = 0; i < machine->num_cpus; i++) {
		const struct reader *reader = &check->cpus[i].reader;
		u32 at;

		if (i == this_cpu->id ||
		    !is_in_section(reader, &machine->cpus[i]))
			continue;
		at = GPOINTER_TO_UINT(g_hash_table_lookup(reader->objects, o));
		if (at > known->at[i])
			find(check, "%s: freed while a reader of RCU looks at "
			     "it", o->type->name);
	}
}

/* ---- lifetime ---- */

void check_object_alloc(struct machine *machine, struct object *o, u32 c_size)
{
	struct check *check = machine->check;
	struct newborn newborn = { .o = o, .c_size = c_size };

	if (!check)
		return;
	if (g_hash_table_contains(check->born, o))
		find(check, "%s: allocated twice", o->type->name);
	g_array_append_val(check->objects, newborn);
	g_hash_table_insert(check->born, o,
			    GUINT_TO_POINTER(check->objects->len));
	/* Accesses to what lay here before are none to this. */
	g_hash_table_insert(check->births, o,
			    GUINT_TO_POINTER(++check->num_births));
}

static u32 birth_of(struct check *check, const struct object *o)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(check->births, o));
}

/* NULL: it is older than the run. */
static struct newborn *find_newborn(struct check *check, const struct object *o)
{
	guint at = GPOINTER_TO_UINT(g_hash_table_lookup(check->born, o));

	return at ? &g_array_index(check->objects, struct newborn, at - 1) :
		NULL;
}

void check_object_kept(struct machine *machine, const struct object *o)
{
	struct check *check = machine->check;
	struct newborn *newborn = check ? find_newborn(check, o) : NULL;

	if (!newborn)
		return;
	newborn->kept = true;
	check_refs_forget(check->refs, o);
}

void check_object_free(struct machine *machine, struct object *o, bool typesafe)
{
	struct check *check = machine->check;
	struct newborn *newborn;

	if (!check)
		return;
	if (o->state != OBJECT_ALIVE)
		find(check, "%s: freed twice", o->type->name);
	if (!typesafe)
		check_readers(check, o);
	newborn = find_newborn(check, o);
	if (newborn)
		newborn->o = NULL;
	check_old_forget(check->old, o);
	g_hash_table_remove(check->born, o);
	check_refs_forget(check->refs, o);
	o->state = typesafe ? OBJECT_FREE_TYPESAFE : OBJECT_FREE;
}

void check_refcount(struct machine *machine, const struct object *o,
		    const char *member, s64 value)
{
	if (machine->check && value < 0)
		find(machine->check, "%s.%s: one reference too many was put",
		     o->type->name, member);
}

void check_count(struct machine *machine, const char *type, const char *member)
{
	if (machine->check)
		check_refs_declare(machine->check->refs, type, member);
}

static void find_reference(void *arg, char *text)
{
	find(arg, "%s", text);
	g_free(text);
}

void check_leaks(struct machine *machine)
{
	struct check *check = machine->check;
	guint i;

	if (!check)
		return;
	for (i = 0; i < check->objects->len; i++) {
		const struct newborn *n = &g_array_index(check->objects,
							 struct newborn, i);

		if (!n->o)
			continue;
		if (!n->kept)
			find(check, "%s: leaked (never freed)",
			     n->o->type->name);
		check_refs_holder(check->refs, n->o, n->c_size);
	}
	check_old_compare(check->old, check->refs);
	check_refs_report(check->refs, find_reference, check);
}

/* ---- order ---- */

static void join(struct vector *into, const struct vector *from)
{
	u32 i;

	for (i = 0; i < MAX_CPUS; i++)
		into->at[i] = MAX(into->at[i], from->at[i]);
}

void check_order_all(struct machine *machine)
{
	struct check *check = machine->check;
	struct vector all = { { 0 } };
	u32 i;

	if (!check)
		return;
	for (i = 0; i < MAX_CPUS; i++)
		join(&all, &check->cpus[i].now);
	for (i = 0; i < MAX_CPUS; i++) {
		check->cpus[i].now = all;
		check->cpus[i].now.at[i]++;
	}
}

void check_barrier(struct machine *machine)
{
	struct check *check = machine->check;
	guint i;

	if (!check)
		return;
	check_order_all(machine);
	for (i = 0; i < check->objects->len; i++) {
		const struct newborn *n = &g_array_index(check->objects,
							 struct newborn, i);

		if (n->o)
			check_old_add(check->old, n->o, n->c_size);
	}
	check_old_barrier(check->old);
	g_hash_table_remove_all(check->born);
	check_refs_barrier(check->refs);
	g_array_set_size(check->objects, 0);
}

static struct word *word_at(struct check *check, const void *address)
{
	struct word *word = g_hash_table_lookup(check->words, address);

	if (!word) {
		word = g_new0(struct word, 1);
		g_hash_table_insert(check->words, (void *)address, word);
	}
	return word;
}

static void acquire_word(struct check *check, struct cpu *cpu,
			 const void *address)
{
	join(&check->cpus[cpu->id].now, &word_at(check, address)->known);
}

static void release_word(struct check *check, struct cpu *cpu,
			 const void *address)
{
	struct check_cpu *c = &check->cpus[cpu->id];

	join(&word_at(check, address)->known, &c->now);
	c->now.at[cpu->id]++;
}

static void check_ordering(struct check *check, struct cpu *cpu,
			   const struct object *o, u32 site)
{
	const struct access_site *s = &__start_access_sites[site];
	const void *address = (const u8 *)o + s->offset;
	struct word *word = word_at(check, address);
	u32 birth = birth_of(check, o);

	if (word->birth != birth)
		*word = (struct word){ .birth = birth };
	if (s->kind != ACCESS_WRITE)
		acquire_word(check, cpu, address);
	if (s->kind != ACCESS_READ)
		release_word(check, cpu, address);
}

/* ---- accesses ---- */

static void report_race(struct check *check, const struct access_site *a,
			u32 site)
{
	const struct access_site *b = &__start_access_sites[site];
	bool swap = strcmp(a->function, b->function) > 0;

	find(check, "data race on %s.%s: %s and %s", a->type, a->member,
	     swap ? b->function : a->function,
	     swap ? a->function : b->function);
}

static void check_plain(struct check *check, struct cpu *cpu,
			const struct object *o, u32 site)
{
	const struct access_site *s = &__start_access_sites[site];
	const void *address = (const u8 *)o + s->offset;
	const struct vector *now = &check->cpus[cpu->id].now;
	struct shadow *shadow = g_hash_table_lookup(check->shadows, address);
	u32 birth = birth_of(check, o), i;

	if (!shadow) {
		shadow = g_new0(struct shadow, 1);
		g_hash_table_insert(check->shadows, (void *)address, shadow);
	}
	if (shadow->birth != birth)
		*shadow = (struct shadow){ .birth = birth };
	if (shadow->write_at > now->at[shadow->write_cpu])
		report_race(check, s, shadow->write_site);
	if (s->kind == ACCESS_WRITE) {
		for (i = 0; i < MAX_CPUS; i++)
			if (shadow->reads.at[i] > now->at[i])
				report_race(check, s, shadow->read_site[i]);
		shadow->write_cpu = cpu->id;
		shadow->write_at = now->at[cpu->id];
		shadow->write_site = site;
	} else {
		shadow->reads.at[cpu->id] = now->at[cpu->id];
		shadow->read_site[cpu->id] = site;
	}
}

void check_access(struct cpu *cpu, const struct object *o, u32 site)
{
	struct check *check = cpu->machine->check;
	const struct access_site *s = &__start_access_sites[site];

	if (o->state == OBJECT_FREE)
		find(check, "%s: use after free of %s in %s", o->type->name,
		     s->member, s->function);
	if (s->offset < o->type->c_size && o->table[s->offset] == NO_LINE)
		g_error("%s.%s is not placed by the layout, but %s uses it",
			s->type, s->member, s->function);
	if (s->kind == ACCESS_PREFETCH)
		return;
	note_reader(check, cpu, o);
	if (s->kind != ACCESS_READ)
		check_refs_access(check->refs, cpu, o, site);
	if (s->kind == ACCESS_ATOMIC || s->marked)
		check_ordering(check, cpu, o, site);
	else if (!s->element &&
		 !(s->kind == ACCESS_READ && cpu->current->seq_read))
		check_plain(check, cpu, o, site);
}

void check_line(struct machine *machine, u32 line)
{
	const char *wrong = cache_verify_line(machine, line);

	if (wrong)
		find(machine->check, "coherence: %s", wrong);
}

/* ---- locks ---- */

static u32 lock_class(struct check *check, u32 site)
{
	const struct access_site *s = &__start_access_sites[site];
	char *name = g_strdup_printf("%s.%s", s->type, s->member);
	u32 class = GPOINTER_TO_UINT(g_hash_table_lookup(check->classes, name));

	if (class) {
		g_free(name);
		return class;
	}
	class = g_hash_table_size(check->classes) + 1;
	g_hash_table_insert(check->classes, name, GUINT_TO_POINTER(class));
	return class;
}

static bool ordered(struct check *check, u32 first, u32 second)
{
	u64 key = (u64)first << 32 | second;

	return g_hash_table_contains(check->order, &key);
}

static void hold(struct check *check, struct cpu *cpu, const void *lock,
		 u32 class)
{
	struct check_cpu *c = &check->cpus[cpu->id];

	g_assert(c->num_held < MAX_HELD);
	c->held[c->num_held++] = (struct held){ lock, class, cpu->current };
	acquire_word(check, cpu, lock);
}

void check_lock(struct cpu *cpu, const void *lock, u32 site)
{
	struct check *check = cpu->machine->check;
	struct check_cpu *c = &check->cpus[cpu->id];
	const struct access_site *s = &__start_access_sites[site];
	u32 class = lock_class(check, site), i;

	for (i = 0; i < c->num_held; i++) {
		u64 *key;

		if (c->held[i].context != cpu->current)
			continue;
		if (c->held[i].lock == lock)
			find(check, "deadlock: %s takes %s.%s, which it holds",
			     s->function, s->type, s->member);
		if (c->held[i].class == class)
			continue;
		if (ordered(check, class, c->held[i].class))
			find(check, "lock order: %s takes %s.%s in the "
			     "opposite order", s->function, s->type,
			     s->member);
		if (ordered(check, c->held[i].class, class))
			continue;
		key = g_new(u64, 1);
		*key = (u64)c->held[i].class << 32 | class;
		g_hash_table_add(check->order, key);
	}
	hold(check, cpu, lock, class);
}

/* Whoever only tries does not wait: the order does not matter. */
void check_trylock(struct cpu *cpu, const void *lock, u32 site)
{
	struct check *check = cpu->machine->check;

	hold(check, cpu, lock, lock_class(check, site));
}

void check_granted(struct cpu *cpu, const void *lock)
{
	acquire_word(cpu->machine->check, cpu, lock);
}

void check_unlock(struct cpu *cpu, const void *lock)
{
	struct check *check = cpu->machine->check;
	struct check_cpu *c = &check->cpus[cpu->id];
	u32 i = c->num_held;

	release_word(check, cpu, lock);
	while (i-- > 0)
		if (c->held[i].lock == lock &&
		    c->held[i].context == cpu->current) {
			memmove(&c->held[i], &c->held[i + 1],
				(c->num_held - i - 1) * sizeof(c->held[0]));
			c->num_held--;
			return;
		}
}

void check_may_sleep(struct cpu *cpu)
{
	if (cpu->current->is_finished)
		return;
	if (cpu->current->atomic)
		find(cpu->machine->check, "%s: sleeps while it holds a spin "
		     "lock", cpu->current->name);
	if (cpu->current->rcu_nesting)
		find(cpu->machine->check, "%s: sleeps in a section of an RCU "
		     "reader", cpu->current->name);
}
