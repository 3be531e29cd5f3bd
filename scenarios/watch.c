/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks on while an operation runs; see watch.h. */
#include <string.h>

#include "scenarios/watch.h"
#include "sim/cpu.h"
#include "sim/observe.h"
#include "stack/include/linux/slab.h"

/* A function that has been called and has not returned. */
struct frame {
	const struct call_node *node;
	u64 work;		/* of the node that has been written down */
};

struct watch {
	struct observer observer;
	struct machine *machine;
	struct operation *operation;
	const struct object_map *map;
	GArray *stack;		/* struct frame; the first is the root */
};

static void line_free(void *p)
{
	struct operation_line *line = p;

	g_array_unref(line->fields);
	g_array_unref(line->functions);
	g_free(line);
}

static void touch_clear(void *p)
{
	struct operation_touch *touch = p;

	g_array_unref(touch->fields);
}

struct operation *watch_operation_new(const struct operation_kind *kind)
{
	struct operation *operation = g_new0(struct operation, 1);

	operation->kind = kind;
	operation->lines = g_ptr_array_new_with_free_func(line_free);
	operation->functions = g_ptr_array_new_with_free_func(g_free);
	operation->calls = g_array_new(FALSE, TRUE,
				       sizeof(struct operation_call));
	operation->touched = g_array_new(FALSE, TRUE,
					 sizeof(struct operation_touch));
	g_array_set_clear_func(operation->touched, touch_clear);
	return operation;
}

void operation_free(struct operation *operation)
{
	g_ptr_array_unref(operation->lines);
	g_ptr_array_unref(operation->functions);
	g_array_unref(operation->calls);
	g_array_unref(operation->touched);
	g_free(operation);
}

/* ---- functions ---- */

static const char *name_of(const struct call_node *node)
{
	return node->function == NO_FUNCTION ? "(user)" :
		__start_function_sites[node->function].name;
}

static struct operation_function *function_of(struct operation *operation,
					      const struct call_node *node)
{
	const char *name = name_of(node);
	struct operation_function *function;
	u32 i;

	for (i = 0; i < operation->functions->len; i++) {
		function = operation->functions->pdata[i];
		if (g_str_equal(function->name, name))
			return function;
	}
	function = g_new0(struct operation_function, 1);
	function->name = name;
	g_ptr_array_add(operation->functions, function);
	return function;
}

static void charge(struct operation *operation, const struct call_node *node,
		   u64 instructions)
{
	function_of(operation, node)->instructions += instructions;
	operation->instructions += instructions;
}

/* What a function did by WORK() since it was last looked at: a new row where
 * others have run meanwhile. */
static void settle_frame(struct watch *watch, u32 depth, bool returned)
{
	struct frame *frame = &g_array_index(watch->stack, struct frame, depth);
	GArray *calls = watch->operation->calls;
	u64 work = frame->node->work - frame->work;
	struct operation_call row = {
		.name = name_of(frame->node), .depth = depth ? depth - 1 : 0,
		.instructions = work, .how = "return",
	};

	frame->work += work;
	if (!work)
		return;
	charge(watch->operation, frame->node, work);
	if (returned || !calls->len)
		g_array_append_val(calls, row);
	else
		g_array_index(calls, struct operation_call,
			      calls->len - 1).instructions += work;
}

/* Returns until `node` is the function that runs, NULL: all the way. */
static void return_to(struct watch *watch, const struct call_node *node)
{
	bool returned = false;

	while (watch->stack->len) {
		u32 top = watch->stack->len - 1;

		settle_frame(watch, top, returned);
		if (g_array_index(watch->stack, struct frame, top).node == node)
			return;
		g_array_set_size(watch->stack, top);
		returned = true;
	}
}

static void see_call(void *arg, const struct cpu *cpu)
{
	struct watch *watch = arg;
	const struct call_node *node = cpu->node;
	struct frame frame = { node, node->work };
	struct operation_call row = {
		.name = name_of(node),
		.instructions = cost_of(cpu, node->site)->instructions,
		.how = watch->operation->calls->len ? "call" : "entry",
	};

	return_to(watch, node->parent);
	row.depth = watch->stack->len - 1;
	g_array_append_val(watch->stack, frame);
	g_array_append_val(watch->operation->calls, row);
	function_of(watch->operation, node)->entries++;
	charge(watch->operation, node, row.instructions);
}

/* ---- accesses ---- */

static const struct object_group *group_of(const struct watch *watch,
					   const struct object *o)
{
	const struct object_row *row = object_map_type(watch->map,
						       o->type->name);

	return row ? row->group : NULL;
}

/* An object inside another of its group is a part of that: its lines count
 * from the start of the whole. */
static u32 line_within(const struct watch *watch, const struct object *o,
		       u32 line)
{
	const struct object *whole = o->type->within ? o->type->within :
		allocation_of(this_kernel(), object_address(o));

	if (whole && group_of(watch, o) &&
	    group_of(watch, o) == group_of(watch, whole))
		return line - whole->line;
	return line - o->line;
}

static struct operation_line *line_of(struct operation *operation,
				      const struct object *o, u32 number)
{
	const char *type = o->type->name;
	struct operation_line *line;
	u32 i;

	for (i = 0; i < operation->lines->len; i++) {
		line = operation->lines->pdata[i];
		if (line->line == number && g_str_equal(line->type, type))
			return line;
	}
	line = g_new0(struct operation_line, 1);
	line->type = type;
	line->line = number;
	line->fields = g_array_new(FALSE, TRUE, sizeof(struct operation_field));
	line->functions = g_array_new(FALSE, TRUE,
				      sizeof(struct operation_caller));
	g_ptr_array_add(operation->lines, line);
	return line;
}

static void add_field(GArray *fields, const struct access_site *site)
{
	struct operation_field new = {
		.member = site->member, .of_array = site->element,
	};
	u32 i;

	for (i = 0; i < fields->len; i++) {
		struct operation_field *field = &g_array_index(
			fields, struct operation_field, i);

		if (g_str_equal(field->member, site->member)) {
			field->kinds[site->kind] = true;
			return;
		}
	}
	new.kinds[site->kind] = true;
	g_array_append_val(fields, new);
}

static void add_caller(struct operation_line *line, const char *name,
		       u32 count)
{
	struct operation_caller new = { name, count };
	u32 i;

	for (i = 0; i < line->functions->len; i++) {
		struct operation_caller *caller = &g_array_index(
			line->functions, struct operation_caller, i);

		if (g_str_equal(caller->name, name)) {
			caller->count += count;
			return;
		}
	}
	g_array_append_val(line->functions, new);
}

static struct operation_touch *find_touch(const struct operation *operation,
					  u32 line)
{
	u32 i;

	for (i = 0; i < operation->touched->len; i++) {
		struct operation_touch *touch = &g_array_index(
			operation->touched, struct operation_touch, i);

		if (touch->line == line)
			return touch;
	}
	return NULL;
}

static struct operation_touch *touch_of(struct operation *operation,
					const struct object *o, u32 line,
					u32 number)
{
	struct operation_touch new = { line, o->type->name, number, NULL, false,
				       false };
	struct operation_touch *touch = find_touch(operation, line);

	if (touch)
		return touch;
	new.fields = g_array_new(FALSE, TRUE, sizeof(struct operation_field));
	g_array_append_val(operation->touched, new);
	return find_touch(operation, line);
}

void watch_find_shared(struct operation *operation,
		       const struct operation *other)
{
	u32 i;

	for (i = 0; i < operation->touched->len; i++) {
		struct operation_touch *touch = &g_array_index(
			operation->touched, struct operation_touch, i);

		touch->shared = find_touch(other, touch->line);
	}
}

/* A prefetch asks for a line, but nobody has the value. */
static void see_access(void *arg, const struct cpu *cpu, const struct object *o,
		       u32 line_number, const struct access_site *site)
{
	/* A locked instruction reads and writes: the traces count both. */
	u32 count = site->kind == ACCESS_ATOMIC ? 2 : 1;
	struct watch *watch = arg;
	struct operation_touch *touch;
	struct operation_line *line;
	u32 number;

	if (site->kind == ACCESS_PREFETCH)
		return;
	number = line_within(watch, o, line_number);
	line = line_of(watch->operation, o, number);
	touch = touch_of(watch->operation, o, line_number, number);
	touch->written |= site->kind != ACCESS_READ;
	add_field(touch->fields, site);
	line->count[site->kind] += count;
	watch->operation->count[site->kind] += count;
	function_of(watch->operation, cpu->node)->count[site->kind] += count;
	add_field(line->fields, site);
	add_caller(line, name_of(cpu->node), count);
}

/* ---- begin and end ---- */

struct watch *watch_begin(struct machine *machine, struct operation *operation,
			  const struct object_map *map)
{
	struct watch *watch = g_new0(struct watch, 1);
	struct frame root = { this_cpu->node, this_cpu->node->work };

	watch->observer = (struct observer){
		.access = see_access, .call = see_call, .arg = watch,
	};
	watch->machine = machine;
	watch->operation = operation;
	watch->map = map;
	watch->stack = g_array_new(FALSE, TRUE, sizeof(struct frame));
	g_array_append_val(watch->stack, root);
	machine_observe(machine, &watch->observer);
	return watch;
}

static gint compare_lines(gconstpointer a, gconstpointer b)
{
	const struct operation_line *x = *(void *const *)a;
	const struct operation_line *y = *(void *const *)b;
	int order = strcmp(x->type, y->type);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static gint compare_callers(gconstpointer a, gconstpointer b)
{
	const struct operation_caller *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

void watch_end(struct watch *watch)
{
	GPtrArray *lines = watch->operation->lines;
	u32 i;

	machine_observe(watch->machine, NULL);
	return_to(watch, NULL);
	for (i = 0; i < lines->len; i++)
		g_array_sort(((struct operation_line *)lines->pdata[i])->
			     functions, compare_callers);
	g_ptr_array_sort(lines, compare_lines);
	g_array_unref(watch->stack);
	g_free(watch);
}
