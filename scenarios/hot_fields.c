/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields that sending and receiving touch; see conflicts.h. */
#include <string.h>

#include "scenarios/conflicts.h"
#include "scenarios/scenario.h"
#include "sim/cpu.h"
#include "sim/observe.h"
#include "stack/include/net/sock.h"

#define WARM_UP 4

struct hunt {
	struct conflict_rig rig;
	struct observer observer;
	enum hot_path path;
	bool only_softirq;
	GHashTable *known;	/* struct hot_field * by "struct.field" */
	GPtrArray *fields;
	enum conflict_operation operation;
	int result;
};

static void field_free(void *p)
{
	struct hot_field *field = p;

	g_ptr_array_unref(field->functions);
	g_free(field->c_type);
	g_free(field);
}

static bool is_in_softirq(const struct call_node *node)
{
	for (; node; node = node->parent)
		if (node->site && !strcmp(node->site->name, "net_rx_action"))
			return true;
	return false;
}

static struct hot_field *field_of(struct hunt *hunt,
				  const struct access_site *site)
{
	g_autofree char *key = g_strdup_printf("%s.%s", site->type,
					       site->member);
	struct hot_field *field = g_hash_table_lookup(hunt->known, key);

	if (field)
		return field;
	field = g_new0(struct hot_field, 1);
	field->type = site->type;
	field->name = site->member;
	field->functions = g_ptr_array_new();
	g_ptr_array_add(hunt->fields, field);
	g_hash_table_insert(hunt->known, g_steal_pointer(&key), field);
	return field;
}

static void see_access(void *arg, const struct cpu *cpu, const struct object *o,
		       u32 line, const struct access_site *site)
{
	struct hunt *hunt = arg;
	struct hot_field *field;
	const char *name;
	u32 i;

	(void)o;
	(void)line;
	if (site->kind == ACCESS_PREFETCH || !cpu->node->site ||
	    (hunt->only_softirq && !is_in_softirq(cpu->node)))
		return;
	field = field_of(hunt, site);
	field->kinds[hunt->path][site->kind] = true;
	name = cpu->node->site->name;
	for (i = 0; i < field->functions->len; i++)
		if (!strcmp(field->functions->pdata[i], name))
			return;
	g_ptr_array_add(field->functions, (void *)name);
}

static void see_call(void *arg, const struct cpu *cpu)
{
	(void)arg;
	(void)cpu;
}

/* ---- the paths ---- */

/* A send is looked at whole; of a datagram that comes what the softirq does,
 * then the call that fetches it. */
static int do_once(struct hunt *hunt, bool look)
{
	struct machine *machine = hunt->rig.machine;
	bool recv = hunt->operation == CONFLICT_RECV;
	int fd, result;

	hunt->path = recv ? HOT_RX : HOT_TX;
	hunt->only_softirq = true;
	machine_observe(machine, look && recv ? &hunt->observer : NULL);
	fd = rig_open(&hunt->rig, 0, hunt->operation, hunt->operation);
	if (fd >= 0) {
		hunt->only_softirq = false;
		machine_observe(machine, look ? &hunt->observer : NULL);
		result = rig_call(&hunt->rig, 0, hunt->operation, fd);
		machine_observe(machine, NULL);
		sys_close(fd);
		fd = MIN(result, 0);
	}
	machine_observe(machine, NULL);
	return fd;
}

static void hunt_main(void *arg)
{
	struct hunt *hunt = arg;
	u32 i;

	for (i = 0; i <= WARM_UP; i++) {
		hunt->result = do_once(hunt, i == WARM_UP);
		if (hunt->result < 0)
			return;
	}
}

static bool run_paths(struct hunt *hunt, GError **error)
{
	static const enum conflict_operation operations[] = {
		CONFLICT_SEND, CONFLICT_SENDTO, CONFLICT_RECV,
	};
	u32 i;

	for (i = 0; i < G_N_ELEMENTS(operations); i++) {
		bool ended;

		hunt->operation = operations[i];
		ended = rig_do(&hunt->rig, 0, hunt_main, hunt);
		if (ended && hunt->result >= 0)
			continue;
		g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE,
			    "%s on %s: %s", conflict_names[hunt->operation],
			    hunt->rig.kernel->name, ended ?
			    g_strerror(-hunt->result) : "it waits for ever");
		return false;
	}
	return true;
}

/* ---- where they lie ---- */

static void place(struct hot_field *field, const struct shape_set *shapes,
		  const struct shape_set *types)
{
	const struct shape *shape = shape_find(shapes, field->type);
	struct shape_member typed;

	/* The kernel would not have started if it did not place the field. */
	if (shape)
		shape_place(shapes, shape, field->name, &field->at);
	shape = types ? shape_find(types, field->type) : NULL;
	if (shape && shape_place(types, shape, field->name, &typed))
		field->c_type = g_strconcat(typed.type ? typed.type : "",
					    typed.dims, NULL);
	field->at.name = field->at.type = NULL;
	field->at.of = field->at.dims = NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct hot_field *x = *(void *const *)a;
	const struct hot_field *y = *(void *const *)b;
	int order = strcmp(x->type, y->type);

	if (order)
		return order;
	if (x->at.offset != y->at.offset)
		return x->at.offset < y->at.offset ? -1 : 1;
	return strcmp(x->name, y->name);
}

GPtrArray *hot_fields_run(const struct operation_setup *setup, int family,
			  const struct shape_set *shapes,
			  const struct shape_set *types, GError **error)
{
	struct hunt hunt = {
		.observer = {
			.access = see_access, .call = see_call, .arg = &hunt,
		},
		.known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					       NULL),
		.fields = g_ptr_array_new_with_free_func(field_free),
	};
	bool ok = rig_start(&hunt.rig, setup, family, SCOPE_NOTHING, error) &&
		  run_paths(&hunt, error);
	u32 i;

	rig_stop(&hunt.rig);
	g_hash_table_unref(hunt.known);
	for (i = 0; ok && i < hunt.fields->len; i++)
		place(hunt.fields->pdata[i], shapes, types);
	if (ok) {
		g_ptr_array_sort(hunt.fields, by_place);
		return hunt.fields;
	}
	g_ptr_array_unref(hunt.fields);
	return NULL;
}
