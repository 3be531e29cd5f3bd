/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models kernel/sys.c and kernel/pid.c: getppid(), the system call that does
 * next to nothing. */
#include "stack/include/linux/entry.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"

/* The number of a task's process as the running task's namespace has it. */
static int __task_pid_nr_ns(struct task_struct *task)
{
	struct task_struct *me = GET_CURRENT();
	struct pid *pid, *mine;
	u32 level;
	int nr = 0;

	FUNCTION(__task_pid_nr_ns);
	rcu_read_lock();
	if (has(PID_IN_SIGNAL)) {
		mine = READ(me, thread_pid);
		pid = READ(READ(task, signal), pids);
	} else {
		mine = READ(me, pids);
		pid = READ(READ(task, group_leader), pids);
	}
	level = READ(mine, level);
	(void)READ(mine, numbers.ns);
	if (level <= READ(pid, level)) {
		(void)READ(pid, numbers.ns);
		nr = READ(pid, numbers.nr);
	}
	rcu_read_unlock();
	return nr;
}

int sys_getppid(void)
{
	int nr;

	system_call_enter();
	{
		FUNCTION(sys_getppid);
		rcu_read_lock();
		nr = __task_pid_nr_ns(READ(GET_CURRENT(), real_parent));
		rcu_read_unlock();
	}
	system_call_exit();
	return nr;
}
