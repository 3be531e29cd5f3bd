/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gathers what a machine counted into results: fields, lines, the
 * calling-context tree, locks, counters.  Repeats are added up in integers.
 * Everything is sorted by name before it is handed on, so neither the order of
 * the linker nor that of memory shows.
 */
#include <string.h>

#include "scenarios/collect_locks.h"
#include "scenarios/collect_snmp.h"
#include "scenarios/run.h"
#include "scenarios/sharing.h"
#include "stack/layout.h"

G_STATIC_ASSERT((int)NUM_LEVELS == (int)NUM_LEVEL);

struct tree_node {
	const char *name, *file;
	u64 calls, instructions;
	ps_t instruction_ps, stall_ps;
	GPtrArray *children;	/* struct tree_node * */
};

struct collector {
	u32 host;		/* its number in the run */
	char *host_name;	/* "" where there is one only */
	u32 num_sites;
	u64 *hits;		/* by site */
	struct site_count *sites;
	struct lock_count *locks;
	struct tree_node *tree;
	GPtrArray *lines;	/* struct result_line * */
	GHashTable *line_index;	/* "type:line" -> struct result_line * */
	struct snmp_totals *snmp;
	struct sharing *sharing;	/* of the first repeat; or NULL */
	u64 accesses;
	u64 operations;
	ps_t stall_ps;
	u64 instructions;
	u64 line_size[NUM_STRUCTS];	/* of the kernel's struct */
	u16 *offsets;			/* by site: kernel offset */
	char **types;			/* by site: observed object type */
};

static void tree_free(void *p)
{
	struct tree_node *node = p;

	g_ptr_array_unref(node->children);
	g_free(node);
}

static struct tree_node *tree_new(const char *name, const char *file)
{
	struct tree_node *node = g_new0(struct tree_node, 1);

	node->name = name;
	node->file = file;
	node->children = g_ptr_array_new_with_free_func(tree_free);
	return node;
}

struct collector *collector_new(u32 host)
{
	struct collector *c = g_new0(struct collector, 1);

	c->host = host;
	c->num_sites = num_access_sites();
	c->hits = g_new0(u64, c->num_sites);
	c->sites = g_new0(struct site_count, c->num_sites);
	c->locks = g_new0(struct lock_count, c->num_sites);
	c->offsets = g_new0(u16, c->num_sites);
	c->types = g_new0(char *, c->num_sites);
	c->tree = tree_new("", "");
	c->snmp = snmp_totals_new();
	c->lines = g_ptr_array_new();
	c->line_index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					      NULL);
	return c;
}

void collector_free(struct collector *c)
{
	u32 i;

	for (i = 0; i < c->lines->len; i++) {
		struct result_line *line = c->lines->pdata[i];

		g_free(line->type);
		g_free(line);
	}
	g_ptr_array_unref(c->lines);
	g_hash_table_unref(c->line_index);
	tree_free(c->tree);
	snmp_totals_free(c->snmp);
	sharing_free(c->sharing);
	g_free(c->host_name);
	g_free(c->hits);
	g_free(c->sites);
	g_free(c->locks);
	g_free(c->offsets);
	g_free(c->types);
	g_free(c);
}

/* ---- one repeat ---- */

static void add_sites(struct collector *c, const struct machine *machine)
{
	u32 i, level;

	for (i = 0; i < c->num_sites; i++) {
		const struct site_count *from = &machine->account.sites[i];
		const struct lock_count *lock = &machine->account.locks[i];

		c->hits[i] += machine->account.hits[i];
		c->accesses += machine->account.hits[i];
		for (level = 0; level < NUM_LEVEL; level++)
			c->sites[i].level[level] += from->level[level];
		c->sites[i].stall_ps += from->stall_ps;
		c->sites[i].invalidations += from->invalidations;
		c->sites[i].hitm_core += from->hitm_core;
		c->sites[i].hitm_package += from->hitm_package;
		c->locks[i].acquired += lock->acquired;
		c->locks[i].contended += lock->contended;
		c->locks[i].wait_ps += lock->wait_ps;
		c->locks[i].spin_ps += lock->spin_ps;
		c->locks[i].hold_ps += lock->hold_ps;
	}
}

static u32 popcount(const u64 *words)
{
	return (u32)(__builtin_popcountll(words[0]) +
		     __builtin_popcountll(words[1]));
}

static struct result_line *line_of(struct collector *c, const char *type,
				   u32 index)
{
	char *key = g_strdup_printf("%s:%u", type, index);
	struct result_line *line = g_hash_table_lookup(c->line_index, key);

	if (line) {
		g_free(key);
		return line;
	}
	line = g_new0(struct result_line, 1);
	line->type = g_strdup(type);
	line->line = index;
	g_hash_table_insert(c->line_index, key, line);
	g_ptr_array_add(c->lines, line);
	return line;
}

static u32 users(const struct machine *machine, const struct line *line,
		 bool writers)
{
	const struct line_shared *shared = &machine->shared[line->shared];

	if (line->shared)
		return popcount(writers ? shared->writers : shared->readers);
	return writers ? line->written : line->read;
}

/* One line of one object, of the first repeat.  There may be tens of millions
 * of them: `known` holds, by type and index, those of a kind seen before. */
static void add_line(struct collector *c, const struct machine *machine,
		     const struct line *from, struct result_line ***known)
{
	const struct type_total *type = &machine->account.types[from->type];
	struct result_line *line;

	if (!known[from->type])
		known[from->type] = g_new0(struct result_line *,
					   type->num_lines);
	line = known[from->type][from->index];
	if (!line)
		line = known[from->type][from->index] =
			line_of(c, type->type->name, from->index);
	line->objects++;
	line->readers = MAX(line->readers, users(machine, from, false));
	line->writers = MAX(line->writers, users(machine, from, true));
}

static bool is_zero(const struct line_total *total)
{
	u32 level;

	for (level = 0; level < NUM_LEVEL; level++)
		if (total->level[level])
			return false;
	return true;
}

/* The misses of one line of all objects of a type. */
static void add_total(struct collector *c, const struct type_total *type,
		      u32 index)
{
	const struct line_total *from = &type->lines[index];
	struct result_line *line;
	u32 level;

	if (is_zero(from))
		return;
	line = line_of(c, type->type->name, index);
	for (level = 0; level < NUM_LEVEL; level++)
		line->level[level] += from->level[level];
	line->stall_ps += from->stall_ps;
	line->invalidations += from->invalidations;
	line->hitm_core += from->level[LEVEL_OTHER_CORE_HITM];
	line->hitm_package += from->level[LEVEL_OTHER_PACKAGE_HITM];
}

static void add_lines(struct collector *c, const struct run *run)
{
	const struct machine *machine = run->hosts[c->host].machine;
	struct result_line ***known;
	u32 node, i, j;

	for (i = 1; i <= machine->account.num_types; i++)
		for (j = 0; j < machine->account.types[i].num_lines; j++)
			add_total(c, &machine->account.types[i], j);
	if (run->repeat)
		return;
	known = g_new0(struct result_line **, machine->account.num_types + 1);
	for (node = 0; node < machine->profile->packages; node++)
		for (i = machine->node_first_frame[node] * LINES_PER_PAGE;
		     i < machine->node_next_frame[node] * LINES_PER_PAGE; i++)
			if (machine->lines[i].type)
				add_line(c, machine, &machine->lines[i], known);
	for (i = 0; i <= machine->account.num_types; i++)
		g_free(known[i]);
	g_free(known);
}

static struct tree_node *child_of(struct tree_node *parent, const char *name,
				  const char *file)
{
	struct tree_node *child;
	u32 i;

	for (i = 0; i < parent->children->len; i++) {
		child = parent->children->pdata[i];
		if (g_str_equal(child->name, name))
			return child;
	}
	child = tree_new(name, file);
	g_ptr_array_add(parent->children, child);
	return child;
}

static void add_node(struct collector *c, const struct account *account,
		     struct tree_node *parent, const struct call_node *from)
{
	const struct function_site *site = from->function == NO_FUNCTION ?
		NULL : &__start_function_sites[from->function];
	struct tree_node *node = child_of(parent, site ? site->name :
					  from->name, site ? site->file : "");
	const struct call_node *callee = from->first;

	node->calls += from->calls;
	if (site)
		node->instructions += from->calls *
			account->costs[from->function].instructions;
	node->instructions += from->work;
	node->instruction_ps += from->instruction_ps;
	node->stall_ps += from->stall_ps;
	if (!callee)
		return;
	do {
		add_node(c, account, node, callee);
		callee = callee->next;
	} while (callee != from->first);
}

static void add_tree(struct collector *c, const struct account *account)
{
	const struct call_node *root;

	for (root = account->roots; root; root = root->next)
		add_node(c, account, c->tree, root);
}

/* The type of object that a site's accesses went to: the struct itself, or the
 * one that begins with it and was seen. */
static void name_types(struct collector *c, const struct kernel *kernel)
{
	u32 i;
	int id, base;

	for (i = 0; i < c->num_sites; i++) {
		const struct access_site *site = &__start_access_sites[i];

		for (id = NUM_STRUCTS; id-- > 0 && !c->types[i];) {
			for (base = id; base >= 0; base = struct_base(base))
				if (g_str_equal(struct_name(base), site->type))
					break;
			if (base < 0)
				continue;
			if (base != id) {
				g_autofree char *key =
					g_strdup_printf("%s:0",
							struct_name(id));

				if (!g_hash_table_contains(c->line_index, key))
					continue;
			}
			c->types[i] = (char *)struct_name(id);
			if (site->offset < kernel->types[id].c_size)
				c->offsets[i] = kernel->types[id].
					offsets[site->offset];
		}
	}
}

void collector_add(struct collector *c, struct run *run)
{
	struct run_host *host = &run->hosts[c->host];

	if (!c->host_name)
		c->host_name = g_strdup(host->config->name);
	add_sites(c, host->machine);
	add_lines(c, run);
	add_tree(c, &host->machine->account);
	snmp_totals_add(c->snmp, host->kernel);
	if (!run->repeat)
		name_types(c, host->kernel);
	if (host->sharing) {
		c->sharing = g_steal_pointer(&host->sharing);
		sharing_end(c->sharing);
	}
}

/* ---- all together ---- */

static int compare_fields(const void *a, const void *b)
{
	const struct result_field *x = a, *y = b;
	int order = strcmp(x->type, y->type);

	if (!order)
		order = strcmp(x->field, y->field);
	if (!order)
		order = strcmp(x->function, y->function);
	return order ? order : strcmp(x->file, y->file);
}

static void add_field(struct result_field *into, const struct collector *c,
		      u32 i)
{
	const struct site_count *s = &c->sites[i];
	u64 misses = 0;
	u32 level;

	switch (__start_access_sites[i].kind) {
	case ACCESS_WRITE:
		into->writes += c->hits[i];
		break;
	case ACCESS_ATOMIC:
		into->atomics += c->hits[i];
		break;
	case ACCESS_PREFETCH:
		break;		/* it reads nothing; its misses are shown */
	default:
		into->reads += c->hits[i];
		break;
	}
	for (level = 0; level < NUM_LEVEL; level++) {
		into->level[level] += s->level[level];
		misses += s->level[level];
	}
	into->level[LEVEL_L1_HIT] += c->hits[i] - misses;
	into->stall_ps += s->stall_ps;
	into->invalidations += s->invalidations;
	into->hitm_core += s->hitm_core;
	into->hitm_package += s->hitm_package;
}

static void finish_fields(struct collector *c, GArray *fields)
{
	g_autoptr(GArray) all = g_array_new(FALSE, TRUE,
					    sizeof(struct result_field));
	guint first = fields->len;
	u32 i;

	for (i = 0; i < c->num_sites; i++) {
		const struct access_site *site = &__start_access_sites[i];
		struct result_field f = {
			.type = c->types[i] ? c->types[i] : (char *)site->type,
			.field = (char *)site->member,
			.function = (char *)site->function,
			.file = (char *)site->file,
			.line = c->offsets[i] / LINE_SIZE,
		};

		if (!c->hits[i])
			continue;
		add_field(&f, c, i);
		g_array_append_val(all, f);
	}
	g_array_sort(all, compare_fields);
	for (i = 0; i < all->len; i++) {
		struct result_field *f = &g_array_index(all,
						struct result_field, i);
		struct result_field *last = fields->len > first ?
			&g_array_index(fields, struct result_field,
				       fields->len - 1) : NULL;
		u32 level;

		if (last && !compare_fields(last, f)) {
			last->reads += f->reads;
			last->writes += f->writes;
			last->atomics += f->atomics;
			for (level = 0; level < NUM_LEVEL; level++)
				last->level[level] += f->level[level];
			last->stall_ps += f->stall_ps;
			last->invalidations += f->invalidations;
			last->hitm_core += f->hitm_core;
			last->hitm_package += f->hitm_package;
			continue;
		}
		f->host = g_strdup(c->host_name);
		f->type = g_strdup(f->type);
		f->field = g_strdup(f->field);
		f->function = g_strdup(f->function);
		f->file = g_strdup(f->file);
		g_array_append_val(fields, *f);
	}
}

static int compare_lines(const void *a, const void *b)
{
	const struct result_line *x = *(struct result_line *const *)a;
	const struct result_line *y = *(struct result_line *const *)b;
	int order = strcmp(x->type, y->type);

	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* The directory saw the misses; reads, writes and hits come from the fields
 * that lie on the line: those from `first` on are this host's. */
static void finish_lines(struct collector *c, const GArray *fields, guint first,
			 GArray *lines)
{
	u32 i, level;

	for (i = first; i < fields->len; i++) {
		const struct result_field *f =
			&g_array_index(fields, struct result_field, i);
		struct result_line *line = line_of(c, f->type, f->line);

		line->reads += f->reads;
		line->writes += f->writes;
		line->atomics += f->atomics;
	}
	g_ptr_array_sort(c->lines, compare_lines);
	for (i = 0; i < c->lines->len; i++) {
		struct result_line line =
			*(struct result_line *)c->lines->pdata[i];
		u64 all = line.reads + line.writes + line.atomics, misses = 0;

		for (level = 0; level < NUM_LEVEL; level++)
			misses += line.level[level];
		line.level[LEVEL_L1_HIT] += all > misses ? all - misses : 0;
		line.host = g_strdup(c->host_name);
		line.type = g_strdup(line.type);
		g_array_append_val(lines, line);
	}
}

static int compare_nodes(const void *a, const void *b)
{
	const struct tree_node *x = *(struct tree_node *const *)a;
	const struct tree_node *y = *(struct tree_node *const *)b;

	return strcmp(x->name, y->name);
}

static void finish_tree(struct collector *c, struct tree_node *node, u32 parent,
			GArray *functions)
{
	u32 i;

	g_ptr_array_sort(node->children, compare_nodes);
	for (i = 0; i < node->children->len; i++) {
		struct tree_node *child = node->children->pdata[i];
		struct result_function f = {
			.id = functions->len + 1, .parent = parent,
			.host = g_strdup(c->host_name),
			.name = g_strdup(child->name),
			.file = g_strdup(child->file), .calls = child->calls,
			.instructions = child->instructions,
			.instruction_ps = child->instruction_ps,
			.stall_ps = child->stall_ps,
		};

		c->instructions += child->instructions;
		c->stall_ps += child->stall_ps;
		g_array_append_val(functions, f);
		finish_tree(c, child, f.id, functions);
	}
}

/* Lines that came from beyond the caches of the core that wanted them, and of
 * these the ones that another core had changed. */
static void count_moves(const struct collector *c, u64 *moved, u64 *modified)
{
	u32 i, level;

	for (i = 0; i < c->num_sites; i++) {
		for (level = LEVEL_L3; level < NUM_LEVELS; level++)
			*moved += c->sites[i].level[level];
		*modified += c->sites[i].hitm_core + c->sites[i].hitm_package;
	}
}

/* Each repeat's samples of a metric, added in order, over their number. */
static void mean_metrics(struct results *results)
{
	u32 i, j;

	for (i = 0; i < results->samples->len; i++) {
		const struct result_sample *s =
			&g_array_index(results->samples, struct result_sample,
				       i);
		double sum = 0;

		if (s->repeat)
			break;
		for (j = 0; j < results->samples->len; j++) {
			const struct result_sample *t =
				&g_array_index(results->samples,
					       struct result_sample, j);

			if (g_str_equal(t->name, s->name))
				sum += t->value;
		}
		results_add_metric(results, s->name, s->unit,
				   sum / results->repeats);
	}
}

static void collector_finish(struct collector *c, struct results *results)
{
	guint first = results->fields->len;

	finish_fields(c, results->fields);
	finish_lines(c, results->fields, first, results->lines);
	finish_tree(c, c->tree, 0, results->functions);
	collect_locks(c->locks, c->types, c->host_name, results->locks);
	if (c->sharing)
		sharing_finish(c->sharing, c->types, c->host_name,
			       results->sharings);
	snmp_totals_finish(c->snmp, c->host_name, results->snmp);
}

void collectors_finish(struct collector **collectors, u32 n,
		       struct results *results)
{
	double operations = (double)results->operations;
	u64 moved = 0, modified = 0, instructions = 0;
	ps_t stall_ps = 0;
	u32 i;

	for (i = 0; i < n; i++) {
		struct collector *c = collectors[i];

		collector_finish(c, results);
		count_moves(c, &moved, &modified);
		instructions += c->instructions;
		stall_ps += c->stall_ps;
		results->accesses += c->accesses;
	}
	collect_spinning(results);
	mean_metrics(results);
	results_add_metric(results, "lines_moved_per_op", "1",
			   (double)moved / operations);
	results_add_metric(results, "hitm_per_op", "1",
			   (double)modified / operations);
	results_add_metric(results, "instructions_per_op", "1",
			   (double)instructions / operations);
	results_add_metric(results, "stall_ns_per_op", "ns",
			   (double)stall_ps / (operations * PS_PER_NS));
	results_add_metric(results, "accesses_per_op", "1",
			   (double)results->accesses / operations);
}
