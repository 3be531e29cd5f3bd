/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How modelled code touches memory and spends instructions.
 *
 *	FUNCTION(name)		at the head of a modelled function: charges its
 *				own instructions and enters the calling context
 *	WORK(n)			n more instructions on a branch or in a loop
 *	REP_STRING(n)		n short REP MOVS or REP STOS
 *	READ(p, member)		charges the line, gives the value
 *	WRITE(p, member, v)	charges the line, sets the value
 *	UPDATE(p, member, op v)	a plain read-modify-write, e.g.
 *				UPDATE(mib, count, += 1)
 *	ATOMIC_ADD_RETURN(p, member, v) and the other locked operations
 *	PREFETCH(p, member)	starts a miss without waiting
 *	OVERLAP(p, member)	a later load whose miss starts here
 *	READ_BYTES, WRITE_BYTES	part of a byte array, line by line
 *	COPY(p, member, f, n)	the same reads, their misses overlapping
 *
 * READ_ONCE() and WRITE_ONCE() are for accesses that race by the kernel's own
 * intention; the checker leaves them alone.  An access outside these macros is
 * not charged: that is for assertions and tests only.
 *
 * Whoever includes this must define STRUCT_NAME(p): the name, as a string
 * literal, of the struct that p points to (stack/structs.h has the stack's).
 */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include "sim/account.h"
#include "sim/cache.h"
#include "sim/cpu.h"
#include "sim/machine.h"
#include "sim/object.h"

/* ---- functions ---- */

static inline ps_t function_ps(struct cpu *cpu, u32 ps)
{
	u64 bits = cpu->jitter_bits;
	s64 deviation;

	if (unlikely(bits < 256))	/* seven draws are used up */
		bits = random_u64(&cpu->jitter) | 1ull << 63;
	cpu->jitter_bits = bits >> 8;
	deviation = ((s64)(bits & 255) * 2 - 255) * cpu->jitter_scale;
	return ps + ((s64)ps * deviation >> 24);
}

/* Sites are 32 bytes and costs 16: half of the site's address finds the cost
 * from a base set once. */
static inline const struct function_cost *
cost_of(const struct cpu *cpu, const struct function_site *site)
{
	return (const struct function_cost *)(cpu->costs_base +
					      ((uintptr_t)site >> 1));
}

static inline struct call_node *function_enter(const struct function_site *site)
{
	struct cpu *cpu = this_cpu;
	const struct function_cost *cost = cost_of(cpu, site);
	struct call_node *caller = cpu->node;
	struct call_node *node = account_callee(cpu, caller, site);
	ps_t ps = function_ps(cpu, cost->ps[cpu->smt_busy]);

	cpu->node = node;
	cpu->clock += ps;
	node->calls++;
	node->instruction_ps += ps;
	cpu->tick = ++cpu->core->tick;
	if (unlikely(cpu->num_stores)) {	/* half-way through, all told */
		cpu->clock -= ps / 2;
		store_buffer_add(cpu, cost->stores);
		cpu->clock += ps / 2;
	}
	if (unlikely(cpu->tick >= WORD_TICK))
		cache_renew_ticks(cpu->core);
	if (unlikely(cpu->clock > cpu->limit))
		cpu_called(cpu);
	return caller;
}

static inline void function_leave(struct call_node *const *caller)
{
	this_cpu->node = *caller;
}

#define FUNCTION__(n, function) \
	static const struct function_site function_##n \
	IN_SECTION("function_sites", 32) = { \
		.name = #function, .file = __FILE__, \
	}; \
	struct call_node *const caller_##n \
	__attribute__((cleanup(function_leave), unused)) = \
		function_enter(&function_##n)
#define FUNCTION_(n, function) FUNCTION__(n, function)
#define FUNCTION(function) FUNCTION_(__COUNTER__, function)

static inline void work(u32 instructions)
{
	struct cpu *cpu = this_cpu;
	ps_t ps = instructions * cpu->machine->account.work_ps[cpu->smt_busy] >>
		  10;

	cpu->clock += ps;
	cpu->node->work += instructions;
	cpu->node->instruction_ps += ps;
}

#define WORK(n) work(n)

/* n REP MOVS or STOS with small counts: their microcode takes time that their
 * number of instructions does not show, and keeps the sibling waiting too. */
static inline void rep_string(u32 n)
{
	struct cpu *cpu = this_cpu;
	ps_t ps = n * cpu->machine->account.rep_ps[cpu->smt_busy];

	cpu->clock += ps;
	cpu->node->instruction_ps += ps;
}

#define REP_STRING(n) rep_string(n)

/* ---- accesses ---- */

static inline u32 site_index(const struct access_site *site)
{
	return (u32)(site - __start_access_sites);
}

/* One counter a site: sites are 64 bytes and counters 8, so that an eighth of
 * the site's address finds the counter from a base set once. */
static inline void count_hit(const struct cpu *cpu,
			     const struct access_site *site)
{
	++*(u64 *)(cpu->hits_base + ((uintptr_t)site >> 3));
}

static inline void access_line(const struct object *o, u32 line,
			       const struct access_site *site, bool write)
{
	struct cpu *cpu = this_cpu;
	u32 *word = &cpu->words[line], was = *word;

	count_hit(cpu, site);
	if (likely(was >= (write ? cpu->write_floor : cpu->read_floor)))
		*word = (was & ~WORD_TICK) | cpu->tick;
	else
		access_slow(cpu, o, line, site_index(site));
}

static inline void access_atomic(const struct object *o, u32 line,
				 const struct access_site *site)
{
	count_hit(this_cpu, site);
	access_atomic_line(this_cpu, o, line, site_index(site));
}

static inline void access_bytes(const struct object *o, u32 from, u32 len,
				const struct access_site *site, bool write)
{
	u32 line = o->line + ((from + o->skew) >> LINE_SHIFT);
	u32 last = o->line + ((from + len - 1 + o->skew) >> LINE_SHIFT);

	if (!len)
		return;
	for (; line <= last; line++)
		access_line(o, line, site, write);
}

static inline u32 element_line(const struct object *o, size_t c_offset,
			       size_t bytes)
{
	return o->line + (u32)((o->type->offsets[c_offset] + o->skew + bytes) >>
			       LINE_SHIFT);
}

#define OBJECT(p) ((const struct object *)(const void *)(p))
#define MEMBER_OFFSET(p, member) offsetof(__typeof__(*(p)), member)
#define MEMBER_LINE(p, member) \
	(OBJECT(p)->line + OBJECT(p)->table[MEMBER_OFFSET(p, member)])

#define SITE_NAME__(n) site_##n
#define SITE_NAME_(n) SITE_NAME__(n)
#define POINTER_NAME__(n) pointer_##n
#define POINTER_NAME_(n) POINTER_NAME__(n)
#define STORED_NAME__(n) stored_##n
#define STORED_NAME_(n) STORED_NAME__(n)
#define WAS_NAME__(n) was_##n
#define WAS_NAME_(n) WAS_NAME__(n)

#define ACCESS_SITE(n, p, m, k, once) \
	ACCESS_SITE_SIZED(n, p, m, k, once, sizeof((p)->m), false)
#define ACCESS_SITE_SIZED(n, p, m, k, once, bytes, of_array) \
	static const struct access_site SITE_NAME_(n) \
	IN_SECTION("access_sites", 64) = { \
		.type = STRUCT_NAME(p), .member = #m, .function = __func__, \
		.file = __FILE__, .source_line = __LINE__, \
		.offset = MEMBER_OFFSET(p, m), .size = (bytes), \
		.kind = (k), .marked = (once), .element = (of_array), \
	}

#define SITE(n) (&SITE_NAME_(n))

/* Where a member lies, for an object that stands in another's memory: no
 * access, but the layout must place the member. */
#define MEMBER_ADDRESS_(n, p, m) \
	({ \
		ACCESS_SITE(n, p, m, ACCESS_PREFETCH, true); \
		(void)SITE(n); \
		object_address(OBJECT(p)) + \
			OBJECT(p)->type->offsets[MEMBER_OFFSET(p, m)]; \
	})
#define MEMBER_ADDRESS__(n, p, m) MEMBER_ADDRESS_(n, p, m)
#define MEMBER_ADDRESS(p, member) MEMBER_ADDRESS__(__COUNTER__, p, member)

#define READ__(n, p, m, once) \
	({ \
		ACCESS_SITE(n, p, m, ACCESS_READ, once); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		access_line(OBJECT(POINTER_NAME_(n)), \
			    MEMBER_LINE(POINTER_NAME_(n), m), SITE(n), \
			    false); \
		POINTER_NAME_(n)->m; \
	})
#define READ_(n, p, m, once) READ__(n, p, m, once)
#define READ(p, member) READ_(__COUNTER__, p, member, false)
#define READ_ONCE(p, member) READ_(__COUNTER__, p, member, true)

#define WRITE__(n, p, m, once, expression) \
	({ \
		ACCESS_SITE(n, p, m, ACCESS_WRITE, once); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		access_line(OBJECT(POINTER_NAME_(n)), \
			    MEMBER_LINE(POINTER_NAME_(n), m), SITE(n), \
			    true); \
		(void)(POINTER_NAME_(n)->m expression); \
	})
#define WRITE_(n, p, m, once, expression) WRITE__(n, p, m, once, expression)
#define WRITE(p, member, value) \
	WRITE_(__COUNTER__, p, member, false, = (value))
#define WRITE_ONCE(p, member, value) \
	WRITE_(__COUNTER__, p, member, true, = (value))
/* A load and a store in one instruction: the load waits as any load does. */
#define UPDATE(p, member, operation) \
	({ \
		(void)READ(p, member); \
		WRITE_(__COUNTER__, p, member, false, operation); \
	})

#define ATOMIC__(n, p, m, expression) \
	({ \
		ACCESS_SITE(n, p, m, ACCESS_ATOMIC, true); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		access_atomic(OBJECT(POINTER_NAME_(n)), \
			      MEMBER_LINE(POINTER_NAME_(n), m), \
			      SITE(n)); \
		POINTER_NAME_(n)->m expression; \
	})
#define ATOMIC_(n, p, m, expression) ATOMIC__(n, p, m, expression)
#define ATOMIC_ADD_RETURN(p, member, value) \
	ATOMIC_(__COUNTER__, p, member, += (value))
#define ATOMIC_SUB_RETURN(p, member, value) \
	ATOMIC_(__COUNTER__, p, member, -= (value))
#define ATOMIC_INC(p, member) ((void)ATOMIC_ADD_RETURN(p, member, 1))
#define ATOMIC_DEC(p, member) ((void)ATOMIC_SUB_RETURN(p, member, 1))
/* Stores the value; gives the one before, as it is when this CPU has the line:
 * another may write it up to then. */
#define ATOMIC_XCHG__(n, p, m, value) \
	({ \
		ACCESS_SITE(n, p, m, ACCESS_ATOMIC, true); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		__typeof__((p)->m) STORED_NAME_(n) = (value), WAS_NAME_(n); \
		access_atomic(OBJECT(POINTER_NAME_(n)), \
			      MEMBER_LINE(POINTER_NAME_(n), m), \
			      SITE(n)); \
		WAS_NAME_(n) = POINTER_NAME_(n)->m; \
		POINTER_NAME_(n)->m = STORED_NAME_(n); \
		WAS_NAME_(n); \
	})
#define ATOMIC_XCHG_(n, p, m, value) ATOMIC_XCHG__(n, p, m, value)
#define ATOMIC_XCHG(p, member, value) \
	ATOMIC_XCHG_(__COUNTER__, p, member, value)
#define ATOMIC_DEC_AND_TEST(p, member) (ATOMIC_SUB_RETURN(p, member, 1) == 0)

#define PREFETCH__(n, p, m) \
	({ \
		ACCESS_SITE(n, p, m, ACCESS_PREFETCH, true); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		access_line(OBJECT(POINTER_NAME_(n)), \
			    MEMBER_LINE(POINTER_NAME_(n), m), SITE(n), \
			    false); \
	})
#define PREFETCH_(n, p, m) PREFETCH__(n, p, m)
#define PREFETCH(p, member) PREFETCH_(__COUNTER__, p, member)
/* No instruction: a load that the code does a little later, whose address is
 * known by now, so that a core that runs out of order has it under way. */
#define OVERLAP(p, member) PREFETCH(p, member)

#define BYTES__(n, p, m, k, from, len) \
	({ \
		ACCESS_SITE_SIZED(n, p, m, k, false, 1, true); \
		access_bytes(OBJECT(p), from, len, SITE(n), \
			     (k) == ACCESS_WRITE); \
	})
#define BYTES_(n, p, m, k, from, len) BYTES__(n, p, m, k, from, len)
/* `member` is a byte array that starts at the kernel object's first byte. */
#define READ_BYTES(p, member, from, len) \
	BYTES_(__COUNTER__, p, member, ACCESS_READ, from, len)
#define WRITE_BYTES(p, member, from, len) \
	BYTES_(__COUNTER__, p, member, ACCESS_WRITE, from, len)

/*
 * Loads whose addresses are known before the first has come back, as in a copy
 * or a checksum: their misses overlap, up to the line fill buffers.  (Stores
 * overlap by themselves, in the store buffer.)
 */
static inline void access_copy(const struct object *o, u32 from, u32 len,
			       const struct access_site *prefetch,
			       const struct access_site *load)
{
	/* The fills of a long copy come and go: so many lines at a time. */
	const u32 window = 8 * LINE_SIZE;
	u32 at, part;

	for (at = 0; at < len; at += part) {
		part = len - at < window ? len - at : window;
		access_bytes(o, from + at, part, prefetch, false);
		access_bytes(o, from + at, part, load, false);
	}
}

#define COPY__(n, p, m, from, len) \
	({ \
		ACCESS_SITE_SIZED(prefetch_##n, p, m, ACCESS_PREFETCH, false, \
				  1, true); \
		ACCESS_SITE_SIZED(n, p, m, ACCESS_READ, false, 1, true); \
		access_copy(OBJECT(p), from, len, SITE(prefetch_##n), \
			    SITE(n)); \
	})
#define COPY_(n, p, m, from, len) COPY__(n, p, m, from, len)
#define COPY(p, member, from, len) COPY_(__COUNTER__, p, member, from, len)

/*
 * An element of an array member: the layout places the first one, and the
 * elements have the kernel's size.
 */
#define AT__(n, p, m, i, k, once, expression) \
	({ \
		ACCESS_SITE_SIZED(n, p, m, k, once, 1, true); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		access_line(OBJECT(POINTER_NAME_(n)), \
			    element_line(OBJECT(POINTER_NAME_(n)), \
					 MEMBER_OFFSET(p, m), \
					 (i) * sizeof((p)->m[0])), \
			    SITE(n), (k) == ACCESS_WRITE); \
		POINTER_NAME_(n)->m[i] expression; \
	})
#define AT_(n, p, m, i, k, once, expression) \
	AT__(n, p, m, i, k, once, expression)
#define READ_AT(p, array, i) \
	AT_(__COUNTER__, p, array, i, ACCESS_READ, false, )
#define READ_ONCE_AT(p, array, i) \
	AT_(__COUNTER__, p, array, i, ACCESS_READ, true, )
#define WRITE_AT(p, array, i, value) \
	((void)AT_(__COUNTER__, p, array, i, ACCESS_WRITE, false, = (value)))
#define WRITE_ONCE_AT(p, array, i, value) \
	((void)AT_(__COUNTER__, p, array, i, ACCESS_WRITE, true, = (value)))
#define UPDATE_AT(p, array, i, operation) \
	({ \
		(void)READ_AT(p, array, i); \
		(void)AT_(__COUNTER__, p, array, i, ACCESS_WRITE, false, \
			  operation); \
	})

#define ATOMIC_AT__(n, p, m, i, expression) \
	({ \
		ACCESS_SITE_SIZED(n, p, m, ACCESS_ATOMIC, true, 1, true); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		access_atomic(OBJECT(POINTER_NAME_(n)), \
			      element_line(OBJECT(POINTER_NAME_(n)), \
					   MEMBER_OFFSET(p, m), \
					   (i) * sizeof((p)->m[0])), \
			      SITE(n)); \
		POINTER_NAME_(n)->m[i] expression; \
	})
#define ATOMIC_AT_(n, p, m, i, expression) ATOMIC_AT__(n, p, m, i, expression)
#define ATOMIC_ADD_RETURN_AT(p, array, i, value) \
	ATOMIC_AT_(__COUNTER__, p, array, i, += (value))

#define FENCE() access_fence(this_cpu)

#endif
