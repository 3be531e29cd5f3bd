/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/kthread.c, and what kernel/sched/ does for the kernel's own
 * threads: sleeping, and finding a CPU when they are woken.
 *
 * There are no time slices: a woken thread runs until it sleeps again.
 */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/kthread.h"

/* Its task is there from the start of the kernel on, so that making the thread
 * late takes nothing from the allocators. */
static struct task_struct *kthread_task(struct kernel *kernel, u32 node)
{
	struct task_struct *task = STATIC_OBJECT(kernel, task_struct, node);

	if (!kernel_has(kernel, THREAD_INFO_IN_TASK)) {
		task->stack = STATIC_OBJECT(kernel, thread_info, node);
		task->stack->task = task;
	}
	return task;
}

static void process_timeout(struct timer_list *timer);

struct kthread *kthread_create(struct kernel *kernel, u32 cpu, bool bound,
			       const char *name, void (*fn)(void *), void *arg)
{
	struct kthread *kthread = g_new0(struct kthread, 1);
	struct cpu *where = &kernel->machine->cpus[cpu];

	kthread->kernel = kernel;
	kthread->bound = bound;
	kthread->asleep = true;
	kthread->context = context_new_daemon(where, name, fn, arg);
	kthread->context->owner = kthread_task(kernel, where->package);
	kthread->timer = STATIC_OBJECT(kernel, timer_list, where->package);
	kthread->timer->function = process_timeout;
	kthread->timer->base = kernel->percpu[cpu].timer_base;
	kthread->timer->context = kthread;
	return kthread;
}

void kthread_free(struct kthread *kthread)
{
	if (!kthread)
		return;
	context_free(kthread->context);
	g_free(kthread);
}

static bool has_idle_core(const struct cpu *cpu)
{
	const struct core *core = cpu->core;
	u32 i;

	for (i = 0; i < core->num_cpus; i++)
		if (!core->cpus[i]->is_idle)
			return false;
	return true;
}

/* Where it ran last, if that is idle; else an idle core of the same package,
 * or an idle CPU there; else where it was after all.  The search reads what
 * other CPUs write when they fall asleep; its lines are not charged. */
static struct cpu *select_task_rq(const struct kthread *kthread)
{
	struct cpu *before = kthread->context->cpu, *idle = NULL;
	struct machine *machine = before->machine;
	u32 i;

	if (kthread->bound || before->is_idle)
		return before;
	for (i = 1; i < machine->num_cpus; i++) {
		struct cpu *cpu = &machine->cpus[(before->id + i) %
						 machine->num_cpus];

		if (cpu->package != before->package || !cpu->is_idle)
			continue;
		if (has_idle_core(cpu))
			return cpu;
		if (!idle)
			idle = cpu;
	}
	return idle ? idle : before;
}

void wake_up_process(struct kthread *kthread)
{
	FUNCTION(try_to_wake_up);
	if (!kthread->asleep) {
		kthread->woken = true;
		return;
	}
	kthread->asleep = false;
	context_migrate(kthread->context, select_task_rq(kthread));
	context_wake(kthread->context, this_cpu->clock);
}

static void process_timeout(struct timer_list *timer)
{
	struct kthread *kthread = timer->context;

	if (kthread->asleep)
		wake_up_process(kthread);
}

void kthread_sleep(struct kthread *kthread, u64 timeout)
{
	if (timeout) {
		u64 now = JIFFIES();

		mod_timer(kthread->timer, now + timeout);
	}
	FUNCTION(__schedule);
	if (!kthread->woken) {
		kthread->asleep = true;
		context_block();
	}
	kthread->woken = false;
	if (timeout)
		del_timer(kthread->timer);
}
