/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters and the calling-context tree; see account.h. */
#include <glib.h>
#include <string.h>

#include "sim/account.h"
#include "sim/machine.h"
#include "sim/object.h"

#define NODES_PER_BLOCK 256

struct node_block {
	struct node_block *next;
	struct call_node nodes[NODES_PER_BLOCK];
};

void account_init(struct account *account)
{
	*account = (struct account){
		.num_sites = num_access_sites(),
		.num_functions = num_function_sites(),
	};
	account->costs = g_new0(struct function_cost, account->num_functions);
	account->hits = g_new0(u64, account->num_sites + 1);
	account->sites = g_new0(struct site_count, account->num_sites);
	account->locks = g_new0(struct lock_count, account->num_sites);
	account->types = g_new0(struct type_total, 1);
}

void account_fini(struct account *account)
{
	struct node_block *block = account->blocks, *next;
	u32 i;

	for (i = 0; i <= account->num_types; i++)
		g_free(account->types[i].lines);
	g_free(account->types);
	for (; block; block = next) {
		next = block->next;
		g_free(block);
	}
	g_free(account->costs);
	g_free(account->hits);
	g_free(account->sites);
	g_free(account->locks);
}

void account_clear(struct account *account)
{
	struct node_block *block;
	u32 i;

	memset(account->hits, 0, account->num_sites * sizeof(*account->hits));
	memset(account->sites, 0, account->num_sites * sizeof(*account->sites));
	memset(account->locks, 0, account->num_sites * sizeof(*account->locks));
	memset(account->hardware, 0, sizeof(account->hardware));
	for (i = 0; i <= account->num_types; i++)
		if (account->types[i].lines)
			memset(account->types[i].lines, 0,
			       account->types[i].num_lines *
			       sizeof(*account->types[i].lines));
	for (block = account->blocks; block; block = block->next)
		for (i = 0; i < NODES_PER_BLOCK; i++) {
			struct call_node *node = &block->nodes[i];

			node->calls = 0;
			node->work = 0;
			node->instruction_ps = 0;
			node->stall_ps = 0;
		}
}

u32 account_type_slow(struct account *account, const struct object_type *type)
{
	u32 n = ++account->num_types;

	g_assert(n <= UINT16_MAX);
	account->types = g_renew(struct type_total, account->types, n + 1);
	account->types[n] = (struct type_total){ .type = type };
	/* All that is written of a type once it is made: types are no
	 * constants, but everybody else only reads them. */
	((struct object_type *)type)->number = n;
	return n;
}

struct line_total *account_line_slow(struct account *account, u32 type,
				     u32 index)
{
	struct type_total *total = &account->types[type];
	u32 n = index + 1;

	g_assert(index <= UINT16_MAX);
	if (type && total->type)
		n = MAX(n, (total->type->size >> LINE_SHIFT) + 2);
	total->lines = g_renew(struct line_total, total->lines, n);
	memset(total->lines + total->num_lines, 0,
	       (n - total->num_lines) * sizeof(*total->lines));
	total->num_lines = n;
	return &total->lines[index];
}

static struct call_node *node_new(struct account *account)
{
	struct node_block *block = account->blocks;

	if (!block || account->pool_used == NODES_PER_BLOCK) {
		block = g_new0(struct node_block, 1);
		block->next = account->blocks;
		account->blocks = block;
		account->pool_used = 0;
	}
	return &block->nodes[account->pool_used++];
}

struct call_node *account_root(struct account *account, const char *name)
{
	struct call_node *root;

	for (root = account->roots; root; root = root->next)
		if (g_str_equal(root->name, name))
			return root;
	root = node_new(account);
	root->function = NO_FUNCTION;
	root->name = name;
	root->next = account->roots;
	account->roots = root;
	return root;
}

static u32 instructions_to_ps(const struct machine_profile *profile,
			      u32 instructions, u32 factor_milli)
{
	/* instructions * CPI * factor / clock, all in integers */
	unsigned __int128 ps = (unsigned __int128)instructions *
			       profile->cpi_milli * factor_milli * 1000;

	ps = (ps + profile->clock_khz / 2) / profile->clock_khz;
	g_assert(ps < UINT32_MAX);
	return (u32)ps;
}

void account_set_work(struct machine *machine)
{
	machine->account.work_ps[0] =
		instructions_to_ps(machine->profile, 1024, 1000);
	machine->account.work_ps[1] =
		instructions_to_ps(machine->profile, 1024,
				   machine->profile->smt_milli);
	machine->account.rep_ps[0] = machine->profile->rep_ps;
	machine->account.rep_ps[1] = machine->profile->rep_ps *
				     machine->profile->smt_milli / 1000;
}

void account_set_cost(struct machine *machine, u32 function, u32 instructions,
		      u32 stores)
{
	const struct machine_profile *profile = machine->profile;

	g_assert(function < machine->account.num_functions);
	machine->account.costs[function] = (struct function_cost){
		.ps = { instructions_to_ps(profile, instructions, 1000),
			instructions_to_ps(profile, instructions,
					   profile->smt_milli) },
		.instructions = instructions,
		.stores = stores,
	};
}

struct call_node *account_callee_slow(struct cpu *cpu, struct call_node *node,
				      const struct function_site *site)
{
	struct call_node *callee = node->hint, *last;

	for (last = callee; callee; callee = callee->next) {
		if (callee->site == site) {
			node->hint = callee->next;
			return callee;
		}
		if (callee->next == last)
			break;
	}
	callee = node_new(&cpu->machine->account);
	callee->site = site;
	callee->function = (u32)(site - __start_function_sites);
	callee->parent = node;
	if (node->first) {	/* after the one called last, before its next */
		for (last = node->first; last->next != node->hint;)
			last = last->next;
		callee->next = last->next;
		last->next = callee;
	} else {
		node->first = callee;
		callee->next = callee;
	}
	node->hint = callee->next;
	return callee;
}
