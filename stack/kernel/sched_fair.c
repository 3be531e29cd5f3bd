/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/sched/fair.c (kernel/sched_fair.c up to 3.2): the completely
 * fair scheduler, in short.
 *
 * All tasks have nice 0, so that a nanosecond on a CPU is one of virtual
 * runtime, and who has had least runs.  Of the kernel's own threads ksoftirqd
 * alone takes part.  The others have no virtual runtime, so that they come
 * first, and they run until they sleep.  Left out: groups, load averages, the
 * balancing of loads between CPUs (a CPU that falls idle takes nothing from
 * others), NUMA, the buddies, and the tree: its nodes beside a task's own are
 * not touched.
 */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/kthread.h"
#include "stack/kernel/sched.h"

/* ---- tunables, in ns for one CPU ---- */

/* They grow with the CPUs' number: by its logarithm, of eight at most. */
static u64 scaled(u64 ns)
{
	u32 cpus = MIN(this_cpu->machine->num_cpus, 8);

	return ns * (32 - (u32)__builtin_clz(cpus));
}

static u64 sched_latency(void)
{
	return scaled(has(SCHED_LATENCY_6MS) ? 6000000 : 5000000);
}

static u64 sched_min_granularity(void)
{
	return scaled(has(SCHED_LATENCY_6MS) ? 750000 : 1000000);
}

static u64 sched_wakeup_granularity(void)
{
	return scaled(1000000);
}

/* A task's share of the time in which each is to run once. */
static u64 sched_slice(u32 nr_running)
{
	u64 period = MAX(sched_latency(), nr_running * sched_min_granularity());

	return period / nr_running;
}

/* ---- virtual runtime ---- */

static bool is_ksoftirqd(const struct context *context)
{
	const struct kthread *ksoftirqd =
		this_kernel()->percpu[context->cpu->id].ksoftirqd;

	return ksoftirqd && ksoftirqd->context == context;
}

/* One of the kernel's own, which no process has; ksoftirqd shares like a
 * task. */
static bool comes_first(const struct context *context)
{
	const struct task_struct *task = context->owner;

	return task && !task->files && !is_ksoftirqd(context);
}

static bool is_less(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/* The least of the one that runs and those that wait; it never goes back.  The
 * one that runs may end, on its own CPU, while another CPU looks. */
static void update_min_vruntime(struct rq *rq, const struct context *curr)
{
	const struct context *leftmost = context_next(rq->cpu);
	u64 least = curr->rank;

	if (leftmost && is_less(leftmost->rank, least))
		least = leftmost->rank;
	if (is_less(rq->cfs.min_vruntime, least))
		WRITE(rq, cfs.min_vruntime, least);
}

void update_curr(struct rq *rq)
{
	struct context *context = rq->on;
	struct task_struct *task;
	u64 ns;

	if (!context || rq_is_idle(rq) || this_cpu->clock <= rq->exec_since)
		return;
	ns = (this_cpu->clock - rq->exec_since) / PS_PER_NS;
	rq->exec_since += ns * PS_PER_NS;
	if (!comes_first(context))
		context->rank += ns;
	task = context->owner;
	if (!task)
		return;
	FUNCTION(update_curr);
	WRITE(task, se.exec_start, rq->exec_since / PS_PER_NS);
	UPDATE(task, se.sum_exec_runtime, += ns);
	WRITE(task, se.vruntime, context->rank);
	update_min_vruntime(rq, context);
}

/* One that has slept is owed half a latency at most. */
static void place_entity(const struct rq *rq, struct context *context)
{
	u64 owed = sched_latency() / 2, least = rq->cfs.min_vruntime;

	least = least > owed ? least - owed : 0;
	if (is_less(context->rank, least) && !comes_first(context))
		context->rank = least;
}

void enqueue_task_fair(struct rq *rq, struct context *context)
{
	struct task_struct *task = context->owner;

	FUNCTION(enqueue_task_fair);
	update_curr(rq);
	(void)READ(rq, cfs.min_vruntime);
	place_entity(rq, context);
	WRITE(task, se.vruntime, context->rank);
	WRITE(task, se.run_node, task);
	(void)READ(rq, cfs.rb_leftmost);
	WRITE(rq, cfs.rb_leftmost, task);
	WRITE(task, se.on_rq, 1);
	UPDATE(rq, cfs.nr_running, += 1);
}

/* The one that runs is not in the tree. */
void dequeue_task_fair(struct rq *rq, struct context *context)
{
	struct task_struct *task = context->owner;

	FUNCTION(dequeue_task_fair);
	WRITE(task, se.on_rq, 0);
	UPDATE(rq, cfs.nr_running, -= 1);
}

void set_next_entity(struct rq *rq, struct context *context)
{
	struct task_struct *task = context->owner;

	FUNCTION(pick_next_task_fair);
	(void)READ(rq, cfs.rb_leftmost);
	if (rq->on && rq->on != context && !rq_is_idle(rq) && rq->on->on_rq &&
	    rq->on->owner)		/* back into the tree */
		WRITE((struct task_struct *)rq->on->owner, se.run_node, NULL);
	(void)READ(task, se.run_node);
	WRITE(rq, cfs.rb_leftmost, NULL);
	WRITE(task, se.exec_start, this_cpu->clock / PS_PER_NS);
	(void)READ(task, se.sum_exec_runtime);
}

/* ---- preemption ---- */

bool check_preempt_wakeup(struct rq *rq, const struct context *context)
{
	const struct context *curr = rq->on;

	FUNCTION(check_preempt_wakeup);
	if (!curr || !curr->owner)
		return false;
	update_curr(rq);
	(void)READ((struct task_struct *)curr->owner, se.vruntime);
	return comes_first(context) ||
	       (s64)(curr->rank - context->rank) >
	       (s64)sched_wakeup_granularity();
}

bool check_preempt_tick(struct rq *rq)
{
	const struct context *first = context_next(rq->cpu);
	u64 ran = (this_cpu->clock - rq->picked) / PS_PER_NS;
	u64 ideal = sched_slice(rq->cpu->num_queued + 1);

	FUNCTION(check_preempt_tick);
	(void)READ(rq, cfs.nr_running);
	if (comes_first(rq->on))
		return false;
	if (ran > ideal)
		return true;
	if (!first || ran < sched_min_granularity())
		return false;
	(void)READ(rq, cfs.rb_leftmost);
	return (s64)(rq->on->rank - first->rank) > (s64)ideal;
}

/* ---- the choice of a CPU ---- */

void migrate_task_rq_fair(struct context *context, const struct rq *from,
			  const struct rq *to)
{
	struct task_struct *task = context->owner;
	u64 before = READ_ONCE(from, cfs.min_vruntime);
	u64 after = READ_ONCE(to, cfs.min_vruntime);

	/* Who is far behind is placed anew when it is queued. */
	if (!comes_first(context))
		context->rank = context->rank - before + after;
	if (is_less(context->rank, 0))
		context->rank = 0;
	WRITE_ONCE(task, se.vruntime, context->rank);
}

static bool idle_cpu(struct cpu *cpu)
{
	struct rq *rq = cpu_rq(cpu);

	if (READ_ONCE(rq, curr) && !rq_is_idle(rq))
		return false;
	(void)READ_ONCE(rq, nr_running);
	return cpu->is_idle && !cpu->num_queued && g_queue_is_empty(&rq->waking);
}

static bool idle_core(const struct cpu *cpu)
{
	const struct core *core = cpu->core;
	u32 i;

	for (i = 0; i < core->num_cpus; i++)
		if (!idle_cpu(core->cpus[i]))
			return false;
	return true;
}

/* An idle core that shares the last cache with the target, or at least an idle
 * CPU there. */
static struct cpu *search_package(const struct context *context,
				  struct cpu *target)
{
	struct machine *machine = target->machine;
	struct cpu *idle = NULL;
	u32 i;

	for (i = 1; i < machine->num_cpus; i++) {
		struct cpu *cpu = &machine->cpus[(target->id + i) %
						 machine->num_cpus];

		if (cpu->package != target->package ||
		    !context_may_run(context, cpu))
			continue;
		WORK(12);
		if (idle_core(cpu))
			return cpu;
		if (!idle && idle_cpu(cpu))
			idle = cpu;
	}
	return idle ? idle : target;
}

static struct cpu *select_idle_sibling(const struct context *context,
				       struct cpu *target)
{
	struct cpu *prev = context->cpu;

	if (idle_cpu(target))
		return target;
	if (prev != target && prev->package == target->package &&
	    idle_cpu(prev))
		return prev;
	return search_package(context, target);
}

/* Is the waker's CPU no busier than the one where the task was?  A waker that
 * is about to sleep does not count. */
static bool wake_affine(const struct cpu *prev, bool sync)
{
	u32 here = READ_ONCE(THIS_CPU(rq), nr_running);
	u32 there = READ_ONCE(cpu_rq(prev), nr_running);

	return here - (sync && here) <= there;
}

struct cpu *select_task_rq_fair(const struct context *context, bool sync)
{
	struct cpu *prev = context->cpu, *target = prev;

	FUNCTION(select_task_rq_fair);
	if (has(CPUS_MASK_POINTER))
		(void)READ((struct task_struct *)context->owner, cpus_ptr);
	else
		(void)READ((struct task_struct *)context->owner, cpus_allowed);
	if (context_is_pinned(context))
		return prev;
	if (this_cpu != prev && context_may_run(context, this_cpu) &&
	    wake_affine(prev, sync))
		target = this_cpu;
	if (!has(SELECT_IDLE_SIBLING))
		return target;
	return select_idle_sibling(context, target);
}
