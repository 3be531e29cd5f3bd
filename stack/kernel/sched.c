/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/sched/core.c: the switch to another task, and waking one.
 *
 * The simulator says where contexts change (struct sched_hooks), and here is
 * what the kernel does there.  A task gives way when it sleeps, and when it
 * goes back to user mode with TIF_NEED_RESCHED set: the kernels are not
 * preemptible, and the points of voluntary preemption in between are not
 * modelled.  A task's first run and its end cost nothing here.
 */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/kernel/sched.h"

void __cond_resched(void)
{
	FUNCTION(__cond_resched);

	/* The bit that says so is kept with the preemption count. */
	(void)READ(THIS_CPU(preempt_count), __preempt_count);
}

/* Set-up code has nobody to give way to. */
void schedule(void)
{
	struct cpu *cpu = this_cpu;

	if (cpu->machine->running != cpu || is_idle_task())
		return;
	context_yield();
}

/* ---- TIF_NEED_RESCHED ---- */

static void set_tsk_need_resched(struct task_struct *task)
{
	if (has(THREAD_INFO_IN_TASK))
		(void)ATOMIC_(__COUNTER__, task, thread_info.flags,
			      |= TIF_NEED_RESCHED);
	else
		(void)ATOMIC_(__COUNTER__, task->stack, flags,
			      |= TIF_NEED_RESCHED);
}

static void clear_tsk_need_resched(struct task_struct *task)
{
	if (has(THREAD_INFO_IN_TASK))
		(void)ATOMIC_(__COUNTER__, task, thread_info.flags,
			      &= ~TIF_NEED_RESCHED);
	else
		(void)ATOMIC_(__COUNTER__, task->stack, flags,
			      &= ~TIF_NEED_RESCHED);
}

/* An idle CPU that waits by MWAIT sees the flag change, and no interrupt is
 * needed; one that halts needs it. */
static bool is_polling(const struct rq *rq)
{
	return rq_is_idle(rq) && rq->cpu->machine->profile->num_idle;
}

static void smp_send_reschedule(struct rq *rq)
{
	FUNCTION(native_smp_send_reschedule);
	if (!rq->ipi.pending)
		cpu_raise(rq->cpu, &rq->ipi, this_cpu->clock +
			  rq->cpu->machine->profile->ipi_ps);
}

/* Returns when the CPU will know. */
static ps_t resched_curr(struct rq *rq)
{
	FUNCTION(resched_curr);
	if (rq->on && rq->on->owner)
		set_tsk_need_resched(rq->on->owner);
	if (!rq_is_idle(rq))
		rq->cpu->need_resched = true;
	if (rq->cpu == this_cpu || is_polling(rq))
		return this_cpu->clock;
	smp_send_reschedule(rq);
	return this_cpu->clock + rq->cpu->machine->profile->ipi_ps;
}

/* ---- run queues ---- */

static struct rq *rq_lock(struct rq *rq)
{
	SPIN_LOCK(rq, lock);
	WRITE(rq, clock, this_cpu->clock / PS_PER_NS);
	return rq;
}

static void rq_unlock(struct rq *rq)
{
	SPIN_UNLOCK(rq, lock);
}

static void activate_task(struct rq *rq, struct context *context)
{
	struct task_struct *task = context->owner;

	context->on_rq = true;
	enqueue_task_fair(rq, context);
	if (has(TTWU_PI_LOCK))
		WRITE_ONCE(task, on_rq, 1);
	UPDATE(rq, nr_running, += 1);
}

static void deactivate_task(struct rq *rq, struct context *context)
{
	struct task_struct *task = context->owner;

	context->on_rq = false;
	dequeue_task_fair(rq, context);
	if (has(TTWU_PI_LOCK))
		WRITE_ONCE(task, on_rq, 0);
	UPDATE(rq, nr_running, -= 1);
}

/* One that nobody has woken, for it is new: fork's part is not modelled. */
static void adopt(struct rq *rq, struct context *context)
{
	context->on_rq = true;
	context->rank = MAX(context->rank, rq->cfs.min_vruntime);
	rq->nr_running++;
	rq->cfs.nr_running++;
}

/* ---- the switch ---- */

/* A process's memory; made late, so that runs without a switch have none. */
static struct mm_struct *mm_of(const struct context *context)
{
	const struct task_struct *task = context->owner;
	struct files_struct *files = task->files;

	if (!files)
		return NULL;
	if (!files->mm)
		files->mm = STATIC_OBJECT(this_kernel(), mm_struct, 0);
	return files->mm;
}

/* The page tables that are loaded stay for a thread of the kernel. */
static void switch_mm(struct rq *rq, struct context *next)
{
	ps_t hardware = this_cpu->machine->profile->context_switch_ps;
	struct task_struct *task = next->owner;
	struct mm_struct *mm = mm_of(next);

	(void)READ(task, mm);
	if (!mm) {
		WRITE(task, active_mm, rq->mm);
		return;
	}
	if (mm == rq->mm)
		return;
	FUNCTION(switch_mm);
	ATOMIC_INC(mm, cpu_bitmap);
	(void)READ(mm, pgd);
	if (rq->mm)
		ATOMIC_DEC(rq->mm, cpu_bitmap);
	rq->mm = mm;
	cpu_hardware(this_cpu, HARDWARE_SWITCH, hardware, 1);
}

static void switch_to(struct context *prev, struct context *next)
{
	if (prev && prev->owner) {
		WRITE((struct task_struct *)prev->owner, thread.sp, 0);
		if (has(TTWU_PI_LOCK))
			WRITE_ONCE((struct task_struct *)prev->owner, on_cpu,
				   0);
	}
	(void)READ((struct task_struct *)next->owner, thread.sp);
	WRITE(THIS_CPU(current_task), current_task, next->owner);
	if (has(SYSCALL_ENTRY_GENERIC))
		WRITE(THIS_CPU(cpu_current_top_of_stack),
		      cpu_current_top_of_stack, 0);
}

/* prev: NULL where its task has ended. */
static void context_switch(struct rq *rq, struct context *prev,
			   struct context *next)
{
	FUNCTION(context_switch);
	UPDATE(rq, nr_switches, += 1);
	WRITE(rq, curr, next->owner);
	if (has(TTWU_PI_LOCK))
		WRITE_ONCE((struct task_struct *)next->owner, on_cpu, 1);
	switch_mm(rq, next);
	switch_to(prev, next);
}

/* The CPU goes on with `next`, which may be its idle task. */
static void go_to(struct rq *rq, struct context *next)
{
	struct context *prev = rq->on;

	if (prev && prev->owner)
		clear_tsk_need_resched(prev->owner);
	if (next != rq->cpu->idle)
		set_next_entity(rq, next);
	rq->on = next;
	rq->picked = rq->exec_since = this_cpu->clock;
	if (next != prev && next->owner)
		context_switch(rq, prev, next);
}

/* The context has ended, and its task may be gone. */
static void forget(struct rq *rq, const struct context *context)
{
	rq->on = NULL;
	if (!context->on_rq)
		return;
	rq->nr_running--;
	rq->cfs.nr_running--;
}

/* The first half of __schedule(), on the stack of the task that gives way. */
static void sched_leave(struct cpu *cpu)
{
	struct context *prev = cpu->current, *next;
	struct rq *rq = cpu_rq(cpu);

	if (prev->is_finished) {
		forget(rq, prev);
		return;
	}
	if (!prev->owner || !cpu->idle->owner) {
		rcu_note_context_switch();
		return;
	}
	if (!prev->on_rq)
		adopt(rq, prev);
	rq->on = prev;
	FUNCTION(__schedule);
	rcu_note_context_switch();
	cpu_irq_disable(cpu);
	rq_lock(rq);
	(void)READ_ONCE((struct task_struct *)prev->owner, state);
	update_curr(rq);
	if (!prev->queued)
		deactivate_task(rq, prev);
	next = context_next(cpu);
	go_to(rq, next && next->owner && next->on_rq ? next : cpu->idle);
	rq_unlock(rq);
	cpu_irq_enable(cpu);
}

/* The idle task's __schedule(), unless whoever was there last has chosen. */
static void sched_enter(struct cpu *cpu, struct context *next)
{
	struct rq *rq = cpu_rq(cpu);

	if (!next->on_rq || !next->owner) {
		if (!next->on_rq)
			adopt(rq, next);
		rq->on = next;
		rq->picked = rq->exec_since = cpu->clock;
		return;
	}
	if (rq->on == next)
		return;
	FUNCTION(__schedule);
	cpu_irq_disable(cpu);
	rq_lock(rq);
	go_to(rq, next);
	rq_unlock(rq);
	cpu_irq_enable(cpu);
}

/* An interrupt is about to go back to user mode. */
static void sched_preempt(void)
{
	this_cpu->current->user_since = TIME_NEVER;
	schedule();
	this_cpu->current->user_since = this_cpu->clock;
}

void scheduler_tick(void)
{
	struct rq *rq = THIS_CPU(rq);

	/* Who is alone keeps the CPU: that is in the tick's own number. */
	if (is_idle_task() || !context_next(this_cpu))
		return;
	FUNCTION(scheduler_tick);
	rq_lock(rq);
	update_curr(rq);
	if (check_preempt_tick(rq))
		resched_curr(rq);
	rq_unlock(rq);
}

/* ---- waking ---- */

/* Its run queue is locked.  Returns when the CPU will know. */
static ps_t ttwu_do_activate(struct rq *rq, struct context *context)
{
	activate_task(rq, context);
	if (rq_is_idle(rq) || check_preempt_wakeup(rq, context))
		return resched_curr(rq);
	return this_cpu->clock;
}

/* It has not gone yet: it goes on where it is. */
static void ttwu_remote(struct context *context, bool asleep)
{
	struct rq *rq = cpu_rq(context->cpu);

	FUNCTION(ttwu_remote);
	rq_lock(rq);
	if (!context->on_rq)
		activate_task(rq, context);
	rq_unlock(rq);
	if (asleep)
		context_wake(context, this_cpu->clock);
}

/* What other packages have woken, on the CPU that is to run it; the reschedule
 * interrupt's work. */
static void sched_ttwu_pending(struct cpu *cpu, void *arg)
{
	struct rq *rq = arg;
	struct context *context;

	FUNCTION(scheduler_ipi);
	if (!has(TTWU_WAKE_LIST) || !READ_ONCE(rq, wake_list))
		return;
	(void)ATOMIC_XCHG(rq, wake_list, NULL);
	rq_lock(rq);
	while ((context = g_queue_pop_head(&rq->waking))) {
		(void)READ((struct task_struct *)context->owner, wake_entry);
		ttwu_do_activate(rq, context);
		context_wake(context, cpu->clock);
	}
	rq_unlock(rq);
}

/* Another package's run queue is left to its own CPU, which hears of it by an
 * interrupt, or sees the flag if it polls. */
static void ttwu_queue_remote(struct rq *rq, struct context *context)
{
	struct task_struct *task = context->owner;

	FUNCTION(ttwu_queue_remote);
	WRITE(task, wake_entry, NULL);
	(void)ATOMIC_XCHG(rq, wake_list, task);
	g_queue_push_tail(&rq->waking, context);
	if (!has(TTWU_POLLING) || !is_polling(rq)) {
		smp_send_reschedule(rq);
		return;
	}
	set_tsk_need_resched(rq->cpu->idle->owner);
	if (!rq->poll.pending)
		cpu_raise(rq->cpu, &rq->poll, this_cpu->clock);
}

static void ttwu_queue(struct context *context)
{
	struct rq *rq = cpu_rq(context->cpu);
	ps_t when;

	if (has(TTWU_WAKE_LIST) && rq->cpu->package != this_cpu->package) {
		ttwu_queue_remote(rq, context);
		return;
	}
	FUNCTION(ttwu_queue);
	rq_lock(rq);
	when = ttwu_do_activate(rq, context);
	rq_unlock(rq);
	context_wake(context, MAX(when, this_cpu->clock));
}

static void set_task_cpu(struct context *context, struct cpu *cpu)
{
	struct task_struct *task = context->owner;

	FUNCTION(set_task_cpu);
	migrate_task_rq_fair(context, cpu_rq(context->cpu), cpu_rq(cpu));
	if (has(THREAD_INFO_IN_TASK))
		WRITE_ONCE(task, thread_info.cpu, cpu->id);
	else
		WRITE_ONCE(task->stack, cpu, cpu->id);
	context_migrate(context, cpu);
}

static void ttwu(struct context *context, bool asleep, bool sync)
{
	struct cpu *cpu;

	if (!asleep || context->cpu->current == context) {
		ttwu_remote(context, asleep);
		return;
	}
	if (has(TTWU_PI_LOCK))		/* it has really gone */
		(void)READ_ONCE((struct task_struct *)context->owner, on_cpu);
	cpu = select_task_rq_fair(context, sync);
	if (cpu != context->cpu)
		set_task_cpu(context, cpu);
	ttwu_queue(context);
}

/* Up to 2.6.39 the run queue's lock guards the task's state as well. */
static struct rq *task_lock(struct context *context)
{
	struct task_struct *task = context->owner;
	struct rq *rq = cpu_rq(context->cpu);

	if (has(TTWU_PI_LOCK)) {
		SPIN_LOCK(task, pi_lock);
		return NULL;
	}
	SPIN_LOCK(rq, lock);
	return rq;
}

static void task_unlock(struct context *context, struct rq *rq)
{
	struct task_struct *task = context->owner;

	if (rq)
		SPIN_UNLOCK(rq, lock);
	else
		SPIN_UNLOCK(task, pi_lock);
}

void try_to_wake_up(struct context *context, bool asleep, bool sync)
{
	struct task_struct *task = context->owner;
	struct rq *locked;

	FUNCTION(try_to_wake_up);
	if (!task) {
		context_wake(context, this_cpu->clock);
		return;
	}
	cpu_irq_disable(this_cpu);
	locked = task_lock(context);
	if (asleep || READ_ONCE(task, state) != TASK_RUNNING) {
		WRITE_ONCE(task, state, TASK_RUNNING);
		if (locked)	/* taken again with the new CPU's */
			task_unlock(context, locked);
		ttwu(context, asleep, sync);
		if (locked) {
			cpu_irq_enable(this_cpu);
			return;
		}
	}
	task_unlock(context, locked);
	cpu_irq_enable(this_cpu);
}

static void sched_wake(struct context *context)
{
	try_to_wake_up(context, true, false);
}

/* ---- set-up ---- */

static void sched_idle(struct cpu *cpu, bool asleep)
{
	tick_nohz_idle(cpu, asleep);
	rcu_idle(asleep);
}

static const struct sched_hooks hooks = {
	.leave = sched_leave,
	.enter = sched_enter,
	.wake = sched_wake,
	.preempt = sched_preempt,
	.idle = sched_idle,
};

void sched_init(struct kernel *kernel)
{
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++) {
		struct rq *rq = kernel->percpu[i].rq;

		rq->cpu = &kernel->machine->cpus[i];
		rq->on = rq->cpu->idle;
		rq->ipi.name = "reschedule";
		rq->ipi.fn = sched_ttwu_pending;
		rq->ipi.arg = rq;
		rq->poll = rq->ipi;
		rq->poll.is_whole = true;
		g_queue_init(&rq->waking);
	}
	kernel->machine->sched = &hooks;
}

void sched_exit(struct kernel *kernel)
{
	u32 i;

	for (i = 0; kernel->percpu && i < kernel->machine->num_cpus; i++)
		g_queue_clear(&kernel->percpu[i].rq->waking);
	kernel->machine->sched = NULL;
}
