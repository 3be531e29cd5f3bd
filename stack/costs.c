/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each function of a kernel costs, and what a kernel lacks; see layout.h.
 */
#include "stack/layout.h"
#include "stack/site_index.h"
#include "stack/table.h"

static bool cost_row(void *arg, const char *path, u32 line, char **columns,
		     GError **error)
{
	struct kernel *kernel = arg;
	bool absent = g_str_equal(columns[1], "-");
	u32 instructions = 0, stores = 0;
	int i;

	if (absent ? !g_str_equal(columns[2], "-") :
	    !table_number(columns[1], &instructions) ||
	    !table_number(columns[2], &stores) || instructions > 1000000 ||
	    stores > instructions)
		return table_error(error, path, line, "instructions and stores "
				   "must be numbers, at most 1000000, or both "
				   "'-' where this kernel has no such function");
	for (i = function_site_first(columns[0]); i >= 0;
	     i = function_site_next(i)) {
		account_set_cost(kernel->machine, i, instructions, stores);
		/* Marks it as set, even where it costs nothing by itself. */
		kernel->machine->account.costs[i].known = true;
		kernel->absent_functions[i] = absent;
	}
	return true;
}

bool costs_read(struct kernel *kernel, const char *path, GError **error)
{
	if (!kernel->absent_functions)
		kernel->absent_functions = g_new0(bool, num_function_sites());
	return read_table(path, cost_row, kernel, error);
}

bool costs_check(const struct kernel *kernel, const char *path, GError **error)
{
	u32 i;

	for (i = 0; i < num_function_sites(); i++) {
		const struct function_site *site = &__start_function_sites[i];

		if (kernel->machine->account.costs[i].known)
			continue;
		g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_DATA,
			    "%s: %s() (%s) has no row; give it its own count "
			    "or its nearest relative's, and say which",
			    path, site->name, site->file);
		return false;
	}
	return true;
}

/* ---- what a kernel lacks ---- */

static const char *absent_call(const struct kernel *kernel,
			       const struct call_node *node)
{
	const struct call_node *callee = node->first;
	const char *name = NULL;

	if (node->function != NO_FUNCTION && node->calls &&
	    kernel->absent_functions[node->function])
		return __start_function_sites[node->function].name;
	if (!callee)
		return NULL;
	do {
		name = absent_call(kernel, callee);
		callee = callee->next;
	} while (!name && callee != node->first);
	return name;
}

void layout_check_absent(const struct kernel *kernel)
{
	const struct account *account = &kernel->machine->account;
	const struct call_node *root;
	u32 i;

	for (i = 0; i < num_access_sites(); i++) {
		const struct access_site *site = &__start_access_sites[i];

		if (account->hits[i] && kernel->absent_sites[i])
			g_error("%s() (%s:%u) used %s.%s, which %s does not "
				"have", site->function, site->file,
				site->source_line, site->type, site->member,
				kernel->name);
	}
	for (root = account->roots; root; root = root->next) {
		const char *name = absent_call(kernel, root);

		if (name)
			g_error("%s() ran, which %s does not have", name,
				kernel->name);
	}
}
