/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs pairs of operations and compares the lines; see conflicts.h. */
#include <errno.h>
#include <string.h>

#include "scenarios/conflicts.h"
#include "scenarios/scenario.h"
#include "scenarios/watch.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/sock.h"

#define WARM_UP 16

const char *const scope_names[NUM_SCOPES + 1] = {
	[SCOPE_SOCKET] = "socket",
	[SCOPE_PORT] = "port",
	[SCOPE_DESTINATION] = "destination",
	[SCOPE_NOTHING] = "nothing",
};

const char *const scope_titles[NUM_SCOPES] = {
	[SCOPE_SOCKET] = "two threads, one socket",
	[SCOPE_PORT] = "two processes: one port, one destination and group",
	[SCOPE_DESTINATION] = "two processes: two ports, one destination and "
			      "group",
	[SCOPE_NOTHING] = "two processes: two ports, two destinations and "
			  "groups",
};

const char *const conflict_names[NUM_CONFLICT_OPERATIONS + 1] = {
	[CONFLICT_SOCKET] = "socket",
	[CONFLICT_BIND] = "bind",
	[CONFLICT_CONNECT] = "connect",
	[CONFLICT_SEND] = "send",
	[CONFLICT_SENDTO] = "sendto",
	[CONFLICT_RECV] = "recv",
	[CONFLICT_CLOSE] = "close",
	[CONFLICT_SETSOCKOPT] = "setsockopt",
	[CONFLICT_JOIN] = "join",
};

static void line_free(void *p)
{
	struct conflict_line *line = p;

	g_array_unref(line->fields[0]);
	g_array_unref(line->fields[1]);
	g_free(line);
}

static void pair_free(void *p)
{
	struct conflict_pair *pair = p;

	g_ptr_array_unref(pair->lines);
	g_free(pair);
}

void conflicts_free(struct conflicts *conflicts)
{
	g_ptr_array_unref(conflicts->pairs);
	g_free(conflicts->kernel);
	g_free(conflicts);
}

/* ---- one side ---- */

struct side {
	struct conflict_rig *rig;
	const struct object_map *map;
	enum conflict_operation operation, other;
	u32 number;
	int fd, result;
	struct operation *seen;
};

/* Each time with a socket that is closed again. */
static void warm_main(void *arg)
{
	struct side *side = arg;
	u32 i;

	for (i = 0; i < WARM_UP; i++) {
		int fd = rig_open(side->rig, side->number, side->operation,
				  side->operation), result;

		side->result = fd;
		if (fd < 0)
			return;
		result = rig_call(side->rig, side->number, side->operation, fd);
		side->result = MIN(result, 0);
		if (result < 0)
			return;
		if (side->operation == CONFLICT_SOCKET)
			sys_close(result);
		else if (side->operation != CONFLICT_CLOSE)
			sys_close(fd);
		rcu_barrier();
	}
}

static void open_main(void *arg)
{
	struct side *side = arg;

	side->fd = rig_open(side->rig, side->number, side->operation,
			    side->other);
	side->result = MIN(side->fd, 0);
}

static void watch_main(void *arg)
{
	struct side *side = arg;
	struct watch *watch = watch_begin(side->rig->machine, side->seen,
					  side->map);

	side->result = rig_call(side->rig, side->number, side->operation,
				side->fd);
	watch_end(watch);
}

/* What fails where it must not: a message with the operation's name.  What is
 * not modelled yet fails too, and the kernel says so. */
static bool do_part(struct side *side, void (*fn)(void *), bool may_fail,
		    GError **error)
{
	bool ended = rig_do(side->rig, side->number, fn, side);

	if (ended && (may_fail || side->result >= 0 ||
		      side->rig->kernel->not_modelled))
		return true;
	g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE,
		    "%s on %s: %s", conflict_names[side->operation],
		    side->rig->kernel->name, ended ?
		    g_strerror(-side->result) : "it waits for ever");
	return false;
}

/* ---- a pair ---- */

static int by_type(const void *a, const void *b)
{
	const struct conflict_line *x = *(void *const *)a;
	const struct conflict_line *y = *(void *const *)b;
	int order = strcmp(x->type, y->type);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void compare(struct conflict_pair *pair, const struct side *sides)
{
	const GArray *a = sides[0].seen->touched, *b = sides[1].seen->touched;
	u32 i, k;

	for (i = 0; i < a->len; i++) {
		const struct operation_touch *x =
			&g_array_index(a, struct operation_touch, i);

		for (k = 0; k < b->len; k++) {
			const struct operation_touch *y =
				&g_array_index(b, struct operation_touch, k);
			struct conflict_line *line;

			if (x->line != y->line || !(x->written || y->written))
				continue;
			line = g_new0(struct conflict_line, 1);
			line->type = x->type;
			line->line = x->number;
			line->fields[0] = g_array_ref(x->fields);
			line->fields[1] = g_array_ref(y->fields);
			g_ptr_array_add(pair->lines, line);
		}
	}
	g_ptr_array_sort(pair->lines, by_type);
}

static bool is_possible(const struct conflict_pair *pair)
{
	const enum conflict_operation *o = pair->operations;

	if (pair->scope != SCOPE_SOCKET)
		return true;
	return o[0] != CONFLICT_SOCKET && o[1] != CONFLICT_SOCKET &&
	       !(o[0] == CONFLICT_CLOSE && o[1] == CONFLICT_CLOSE);
}

/* Sockets of their own, or the first one's for both. */
static bool open_sockets(struct side *sides, bool one, GError **error)
{
	if (!one) {
		sides[0].other = sides[0].operation;
		sides[1].other = sides[1].operation;
		return do_part(&sides[0], open_main, false, error) &&
		       do_part(&sides[1], open_main, false, error);
	}
	if (!do_part(&sides[0], open_main, false, error))
		return false;
	sides[1].fd = sides[0].fd;
	return true;
}

static bool run_sides(struct conflict_pair *pair, struct side *sides,
		      GError **error)
{
	bool one = pair->scope == SCOPE_SOCKET;
	/* What the one closes, the other has done with. */
	u32 first = one && sides[0].operation == CONFLICT_CLOSE, i;

	for (i = 0; i < 2; i++)
		if (!do_part(&sides[i], warm_main, false, error))
			return false;
	if (!open_sockets(sides, one, error))
		return false;
	/* Two binds of one socket: the second is refused, and looked at. */
	if (!do_part(&sides[first], watch_main, one, error) ||
	    !do_part(&sides[!first], watch_main, one, error))
		return false;
	for (i = 0; i < 2; i++)
		pair->errors[i] = MIN(sides[i].result, 0);
	pair->modelled = !sides[0].rig->kernel->not_modelled;
	if (pair->modelled)
		compare(pair, sides);
	return true;
}

static struct conflict_pair *run_pair(const struct operation_setup *setup,
				      int family, enum conflict_scope scope,
				      enum conflict_operation a,
				      enum conflict_operation b,
				      const struct object_map *map,
				      GError **error)
{
	struct conflict_pair *pair = g_new0(struct conflict_pair, 1);
	struct conflict_rig rig;
	struct side sides[2] = {
		{ &rig, map, a, b, 0, 0, 0, watch_operation_new(NULL) },
		{ &rig, map, b, a, 1, 0, 0, watch_operation_new(NULL) },
	};
	bool ok = true;

	pair->scope = scope;
	pair->operations[0] = a;
	pair->operations[1] = b;
	pair->lines = g_ptr_array_new_with_free_func(line_free);
	pair->possible = is_possible(pair);
	if (pair->possible) {
		ok = rig_start(&rig, setup, family, scope, error) &&
		     run_sides(pair, sides, error);
		rig_stop(&rig);
	}
	operation_free(sides[0].seen);
	operation_free(sides[1].seen);
	if (ok)
		return pair;
	pair_free(pair);
	return NULL;
}

struct conflicts *conflicts_run(const struct operation_setup *setup, int family,
				const bool *wanted,
				const struct object_map *map, GError **error)
{
	g_autoptr(Conflicts) conflicts = g_new0(struct conflicts, 1);
	u32 scope, a, b;

	conflicts->kernel = g_strdup(setup->kernel);
	conflicts->pairs = g_ptr_array_new_with_free_func(pair_free);
	for (scope = 0; scope < NUM_SCOPES; scope++)
		for (a = 0; a < NUM_CONFLICT_OPERATIONS; a++)
			for (b = a; wanted[a] && b < NUM_CONFLICT_OPERATIONS;
			     b++) {
				struct conflict_pair *pair;

				if (!wanted[b])
					continue;
				pair = run_pair(setup, family, scope, a, b, map,
						error);
				if (!pair)
					return NULL;
				g_ptr_array_add(conflicts->pairs, pair);
			}
	return g_steal_pointer(&conflicts);
}
