/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/kthread.c: the kernel's own threads, and their sleep.  All but
 * ksoftirqd run before the tasks of a process.
 */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/kthread.h"
#include "stack/include/linux/sched.h"

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
	kthread->asleep = true;
	kthread->context = context_new_daemon(where, name, fn, arg);
	kthread->context->owner = kthread_task(kernel, where->package);
	if (bound)
		context_pin(kthread->context, where);
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

void wake_up_process(struct kthread *kthread)
{
	bool asleep = kthread->asleep;

	kthread->woken = !asleep;
	kthread->asleep = false;
	try_to_wake_up(kthread->context, asleep, false);
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
	if (!kthread->woken) {
		kthread->asleep = true;
		context_block();
	}
	kthread->woken = false;
	if (timeout)
		del_timer(kthread->timer);
}
