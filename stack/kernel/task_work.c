/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/task_work.c: what a task does on its way back to user mode.
 * The only such work are files whose last reference was put.
 */
#include "stack/include/linux/entry.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/sched.h"

static void set_notify_resume(struct task_struct *task)
{
	if (has(THREAD_INFO_IN_TASK)) {
		(void)ATOMIC_(__COUNTER__, task, thread_info.flags,
			      |= TIF_NOTIFY_RESUME);
		(void)READ(task, thread_info.cpu);	/* kick_process() */
		SMP_PROCESSOR_ID();
	} else {
		(void)ATOMIC_(__COUNTER__, task->stack, flags,
			      |= TIF_NOTIFY_RESUME);
		(void)READ(task->stack, cpu);
	}
}

/* The oldest comes first; the list goes through the files. */
void task_work_add(struct task_struct *task, struct file *file)
{
	FUNCTION(task_work_add);
	if (has(TASK_WORK_LOCKLESS)) {
		(void)READ_ONCE(task, task_works);
		WRITE(file, f_rcuhead.next, (void *)task->task_works);
		(void)ATOMIC_XCHG(task, task_works, file);
	} else {
		SPIN_LOCK(task, pi_lock);
		WRITE(file, f_rcuhead.next, (void *)READ(task, task_works));
		WRITE(task, task_works, file);
		SPIN_UNLOCK(task, pi_lock);
	}
	set_notify_resume(task);
}

/* Takes the list; the lock waits for who may just look for work to cancel. */
static struct file *take_works(struct task_struct *task)
{
	struct file *file;

	if (!has(TASK_WORK_LOCKLESS)) {
		SPIN_LOCK(task, pi_lock);
		file = READ(task, task_works);
		WRITE(task, task_works, NULL);
		SPIN_UNLOCK(task, pi_lock);
		return file;
	}
	(void)READ_ONCE(task, task_works);
	file = ATOMIC_XCHG(task, task_works, NULL);
	if (file) {
		SPIN_LOCK(task, pi_lock);
		SPIN_UNLOCK(task, pi_lock);
	}
	return file;
}

void task_work_run(void)
{
	struct task_struct *task = GET_CURRENT();
	struct file *file, *next;

	FUNCTION(task_work_run);
	(void)READ(task, flags);
	while (task->task_works) {
		for (file = take_works(task); file; file = next) {
			next = (void *)READ(file, f_rcuhead.next);
			(void)READ(file, f_rcuhead.func);
			____fput(file);
			might_sleep();
		}
	}
}
