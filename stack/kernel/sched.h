/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler's own (kernel/sched/sched.h): run queues, and what core and
 * fair class have of each other.
 *
 * A context's place in line is sim/context.c's; its rank there is the virtual
 * runtime of its task, and the fields of tasks and run queues here are what
 * the kernel reads and writes for that.
 */
#ifndef STACK_KERNEL_SCHED_H
#define STACK_KERNEL_SCHED_H

#include "stack/include/linux/percpu.h"
#include "stack/include/linux/sched.h"

/* A CPU's tasks that could run. */
struct rq {
	struct object object;
	struct spinlock lock;
	u32 nr_running;
	u64 nr_switches;
	u64 clock;
	struct task_struct *curr;
	struct task_struct *wake_list;	/* woken by other packages */
	struct {
		u32 nr_running;
		u64 min_vruntime;
		struct task_struct *rb_leftmost;
	} cfs;
	/* The model's own. */
	struct cpu *cpu;
	struct context *on;	/* whom it has switched to */
	ps_t exec_since;	/* that one's time is counted up to here */
	ps_t picked;		/* when that was */
	struct mm_struct *mm;	/* whose page tables are loaded */
	struct irq ipi, poll;
	GQueue waking;		/* struct context *: the wake list */
};

static inline struct rq *cpu_rq(const struct cpu *cpu)
{
	return this_kernel()->percpu[cpu->id].rq;
}

static inline bool rq_is_idle(const struct rq *rq)
{
	return rq->on == rq->cpu->idle;
}

/* ---- sched_fair.c; the run queue is locked ---- */

void update_curr(struct rq *rq);
void enqueue_task_fair(struct rq *rq, struct context *context);
void dequeue_task_fair(struct rq *rq, struct context *context);
/* Notes that the CPU goes on with this one. */
void set_next_entity(struct rq *rq, struct context *context);
/* Is the one that runs to give way to one that has been woken; or because its
 * time is up? */
bool check_preempt_wakeup(struct rq *rq, const struct context *context);
bool check_preempt_tick(struct rq *rq);
/* One that sleeps is to go on elsewhere: its virtual runtime counts from that
 * of the queue. */
void migrate_task_rq_fair(struct context *context, const struct rq *from,
			  const struct rq *to);

/* Not locked. */
struct cpu *select_task_rq_fair(const struct context *context, bool sync);

#endif
