/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is counted, by access site and by calling context.
 *
 * A site is one READ() or WRITE() in the source; its description is a constant
 * in a section of the program, so its index is known to the linker and no
 * access looks anything up.  The counters belong to the machine: two runs may
 * live in one process.  A function is described the same way.
 */
#ifndef SIM_ACCOUNT_H
#define SIM_ACCOUNT_H

#include "sim/profile.h"
#include "sim/types.h"

enum access_kind {
	ACCESS_READ,
	ACCESS_WRITE,
	ACCESS_ATOMIC,
	ACCESS_PREFETCH,
	NUM_ACCESS_KINDS
};

/* Exactly 64 bytes, so that an array of them has no holes. */
struct access_site {
	const char *type;	/* "sock" */
	const char *member;	/* "sk_wmem_alloc" */
	const char *function;
	const char *file;
	u32 source_line;
	u32 offset;		/* of the member in the model's struct */
	u32 size;
	u32 kind;
	u32 marked;		/* READ_ONCE and the like: a race is meant */
	u32 element;		/* of an array: which one, it does not say */
	u32 unused[2];
} __attribute__((aligned(64)));

struct function_site {
	const char *name;
	const char *file;
	const char *kernel_path;
	u64 unused;
} __attribute__((aligned(32)));

extern const struct access_site __start_access_sites[];
extern const struct access_site __stop_access_sites[];
extern const struct function_site __start_function_sites[];
extern const struct function_site __stop_function_sites[];

#define IN_SECTION(name, align) \
	__attribute__((section(name), used, aligned(align)))

static inline u32 num_access_sites(void)
{
	return (u32)(__stop_access_sites - __start_access_sites);
}

static inline u32 num_function_sites(void)
{
	return (u32)(__stop_function_sites - __start_function_sites);
}

/* What one call of a function costs by itself. */
struct function_cost {
	u32 ps[2];		/* the sibling thread idle, busy */
	u32 instructions;
	u32 stores : 31;	/* of its own, those to the stack among them */
	u32 known : 1;		/* a table has it */
};

/* A site's accesses that were not plain L1 hits. */
struct site_count {
	u64 level[NUM_LEVEL];
	u64 stall_ps;
	u64 invalidations;
	u64 hitm_core;
	u64 hitm_package;
};

/* The misses of one line of all objects of a type. */
struct line_total {
	u64 level[NUM_LEVEL];
	u64 invalidations;
	ps_t stall_ps;
};

struct object_type;

/* What was counted of a type that has been seen in this run. */
struct type_total {
	const struct object_type *type;
	struct line_total *lines;
	u32 num_lines;
};

/* A node of the calling-context tree. */
struct call_node {
	const struct function_site *site;	/* NULL: a root */
	struct call_node *parent;
	struct call_node *first;	/* its callees, a ring */
	struct call_node *next;
	struct call_node *hint;	/* the callee to try first */
	u64 calls;
	u64 work;		/* instructions of WORK() */
	ps_t instruction_ps;
	ps_t stall_ps;
	const char *name;	/* of a root */
	u32 function;		/* index of the site; NO_FUNCTION: a root */
};
#define NO_FUNCTION UINT32_MAX

/* What the hardware takes that is neither an instruction nor an access. */
enum hardware_kind {
	HARDWARE_INTERRUPT,	/* in and out */
	HARDWARE_SYSCALL,	/* the modes, there and back */
	HARDWARE_SWITCH,	/* to other page tables */
	HARDWARE_DEVICE,	/* a write to a device's register */
	HARDWARE_FENCE,
	NUM_HARDWARE
};

struct hardware_count {
	u64 count;
	ps_t ps;
};

/* How a lock word was fought for, by the site that took it. */
struct lock_count {
	u64 acquired;
	u64 contended;
	ps_t wait_ps;
	ps_t spin_ps;		/* of that, between looks at the word */
	ps_t hold_ps;
};

struct account {
	u32 num_sites;
	u32 num_functions;
	struct function_cost *costs;
	u64 work_ps[2];		/* one instruction: 1/1024 ps, by smt_busy */
	ps_t rep_ps[2];		/* a short REP string instruction, the same */
	u64 *hits;		/* by access site: all accesses */
	struct site_count *sites;
	struct lock_count *locks;	/* by access site of the lock */
	struct hardware_count hardware[NUM_HARDWARE];
	struct type_total *types;	/* [1 ... num_types]; [0] is of none */
	u32 num_types;
	struct call_node *roots;
	struct call_node *pool;	/* blocks of nodes, for freeing */
	u32 pool_used;
	void *blocks;
};

struct machine;
struct cpu;

void account_init(struct account *account);
void account_fini(struct account *account);
/* Forgets what was counted; costs and the shape of the tree stay. */
void account_clear(struct account *account);

/* The root of a context's tree: made at the first call for this name. */
struct call_node *account_root(struct account *account, const char *name);

/* What one instruction takes on this machine: fills work_ps and
 * rep_ps. */
void account_set_work(struct machine *machine);
/* Gives one function its cost; instructions become time by the profile. */
void account_set_cost(struct machine *machine, u32 function, u32 instructions,
		      u32 stores);

/* A type's number in this run, from 1 on; it gets one at the first call. */
u32 account_type_slow(struct account *account, const struct object_type *type);
/* Makes room for the totals of a line of a type. */
struct line_total *account_line_slow(struct account *account, u32 type,
				     u32 index);

static inline struct line_total *account_line(struct account *account, u32 type,
					      u32 index)
{
	struct type_total *total = &account->types[type];

	if (unlikely(index >= total->num_lines))
		return account_line_slow(account, type, index);
	return &total->lines[index];
}

/* The callee's node below `node`, made if this is its first call. */
struct call_node *account_callee_slow(struct cpu *cpu, struct call_node *node,
				      const struct function_site *site);

static inline struct call_node *
account_callee(struct cpu *cpu, struct call_node *node,
	       const struct function_site *site)
{
	struct call_node *callee = node->hint;

	/* Calls repeat in order: after one callee, its neighbour is next. */
	if (likely(callee && callee->site == site)) {
		node->hint = callee->next;
		return callee;
	}
	return account_callee_slow(cpu, node, site);
}

#endif
