/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of RCU, and what waits for them (include/linux/rcupdate.h). */
#ifndef STACK_LINUX_RCUPDATE_H
#define STACK_LINUX_RCUPDATE_H

#include "stack/kernel.h"

/* ---- readers ---- */

/* A section nests; without PREEMPT_RCU it costs nothing. */
void __rcu_read_lock(void);
void __rcu_read_unlock(void);

/* The context's own count is for the checks, and costs nothing. */
static inline void rcu_read_lock(void)
{
	this_cpu->current->rcu_nesting++;
	if (has(PREEMPT_RCU))
		__rcu_read_lock();
}

static inline void rcu_read_unlock(void)
{
	if (has(PREEMPT_RCU))
		__rcu_read_unlock();
	if (!--this_cpu->current->rcu_nesting)
		this_cpu->current->rcu_sections++;
}

/* ---- callbacks ---- */

struct rcu_callback;

/*
 * Stands in an object that is freed after a grace period; the layout places
 * its two parts, "rcu.next" and "rcu.func".  Where the kernel has a function,
 * the model has that and the places of the parts.
 */
struct rcu_head {
	struct rcu_head *next;
	const struct rcu_callback *func;
};

/* One for each place in the code that queues callbacks: nothing is made or
 * looked up when one is queued. */
struct rcu_callback {
	void (*function)(void *object);
	u32 offset;		/* of the rcu_head in the model's struct */
	/* How the parts are touched: when it is queued, when the next one is
	 * hung on, and when it is invoked. */
	const struct access_site *set_next, *set_func;
	const struct access_site *link;
	const struct access_site *prefetch, *get_next, *get_func;
};

void call_rcu(struct object *object, const struct rcu_callback *callback);

#define RCU_SITE(name, p, m, k, user) \
	static const struct access_site name \
	IN_SECTION("access_sites", 64) = { \
		.type = STRUCT_NAME(p), .member = #m, .function = (user), \
		.file = __FILE__, .source_line = __LINE__, \
		.offset = MEMBER_OFFSET(p, m), .size = sizeof((p)->m), \
		.kind = (k), .marked = true, \
	}

#define CALL_RCU__(n, p, m, fn) \
	do { \
		RCU_SITE(set_next_##n, p, m.next, ACCESS_WRITE, "call_rcu"); \
		RCU_SITE(set_func_##n, p, m.func, ACCESS_WRITE, "call_rcu"); \
		RCU_SITE(link_##n, p, m.next, ACCESS_WRITE, "call_rcu"); \
		RCU_SITE(prefetch_##n, p, m.next, ACCESS_PREFETCH, \
			 "rcu_do_batch"); \
		RCU_SITE(get_next_##n, p, m.next, ACCESS_READ, \
			 "rcu_do_batch"); \
		RCU_SITE(get_func_##n, p, m.func, ACCESS_READ, \
			 "rcu_do_batch"); \
		static const struct rcu_callback callback_##n = { \
			.function = (fn), .offset = MEMBER_OFFSET(p, m), \
			.set_next = &set_next_##n, .set_func = &set_func_##n, \
			.link = &link_##n, .prefetch = &prefetch_##n, \
			.get_next = &get_next_##n, .get_func = &get_func_##n, \
		}; \
		call_rcu(&(p)->object, &callback_##n); \
	} while (0)
#define CALL_RCU_(n, p, m, fn) CALL_RCU__(n, p, m, fn)

/* fn(p) once all readers of now have ended, on this CPU, in its softirq, or
 * at the latest when the kernel ends.  `member` of p is a struct rcu_head, and
 * struct object stands first in p under its own name. */
#define CALL_RCU(p, member, fn) CALL_RCU_(__COUNTER__, p, member, fn)
/* Frees what kmalloc() or a cache gave, in the same way. */
#define KFREE_RCU(p, member) CALL_RCU(p, member, kfree)

/* Sleeps until all readers of now have ended; set-up code need not wait. */
void synchronize_rcu(void);
/* For set-up code, tests, and runs without ticks, whose caller knows that there
 * are no readers: invokes all that wait, at once. */
void rcu_barrier(void);

/* What a run has made of it so far; costs the model nothing. */
struct rcu_report {
	u64 grace_periods;	/* that have ended */
	ps_t longest;
	ps_t sum;		/* of their lengths */
	u64 waiting_most;	/* callbacks on one CPU at a time */
};
struct rcu_report rcu_get_report(const struct kernel *kernel);

/* ---- for the rest of stack/kernel/ ---- */

/* From the tick, which cut into user mode or did not: quiescent states, and
 * the softirq if there is something to do. */
void rcu_check_callbacks(bool user);
void rcu_process_callbacks(void);
void rcu_note_context_switch(void);
/* This CPU enters or leaves the idle loop. */
void rcu_idle(bool asleep);
/* Does the CPU need its ticks though it is idle?  Not charged. */
bool rcu_wants_cpu(const struct kernel *kernel, u32 cpu);
void rcu_init(struct kernel *kernel);
/* Invokes what still waits. */
void rcu_exit(struct kernel *kernel);

#endif
