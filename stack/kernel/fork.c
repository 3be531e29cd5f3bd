/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models kernel/fork.c as far as a task must be there to run system calls. */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/sock.h"

static struct socket_room *room(void)
{
	return this_kernel()->net_core->sockets;
}

/* Each process has one number, in the namespace that all share. */
static void pid_new(struct task_struct *task)
{
	struct pid *pid = kmem_cache_alloc(room()->pid_cache, GFP_KERNEL);

	WRITE(pid, level, 0);
	WRITE(pid, numbers.nr, ++room()->last_pid);
	WRITE(pid, numbers.ns, NULL);
	if (has(PID_IN_SIGNAL)) {
		struct signal_struct *signal =
			kmem_cache_alloc(room()->signal_cache, GFP_KERNEL);

		WRITE(signal, pids, pid);
		WRITE(task, signal, signal);
		WRITE(task, thread_pid, pid);
	} else {
		WRITE(task, pids, pid);
		WRITE(task, group_leader, task);
	}
}

static void pid_free(struct task_struct *task)
{
	struct pid *pid;

	if (has(PID_IN_SIGNAL)) {
		pid = READ(task, thread_pid);
		kmem_cache_free(room()->signal_cache, READ(task, signal));
	} else {
		pid = READ(task, pids);
	}
	kmem_cache_free(room()->pid_cache, pid);
}

static struct task_struct *task_alloc(struct task_struct *parent)
{
	struct task_struct *task = kmem_cache_alloc(room()->task_cache,
						    GFP_KERNEL);

	if (has(THREAD_INFO_IN_TASK)) {
		WRITE(task, thread_info.flags, 0);
		WRITE(task, thread_info.status, 0);
		WRITE(task, thread_info.syscall_work, 0);
		WRITE(task, stack, NULL);
	} else {
		struct thread_info *ti = KMALLOC(thread_info, GFP_KERNEL);

		WRITE(ti, task, task);
		WRITE(ti, flags, 0);
		if (!has(PREEMPT_COUNT_PERCPU))
			WRITE(ti, preempt_count, 0);
		WRITE(task, stack, ti);
	}
	if (has(PREEMPT_RCU))
		WRITE(task, rcu_read_lock_nesting, 0);
	WRITE(task, real_parent, parent);
	WRITE(task, audit_context, NULL);
	pid_new(task);
	return task;
}

static void task_put(struct task_struct *task)
{
	pid_free(task);
	if (!has(THREAD_INFO_IN_TASK))
		kfree(READ(task, stack));
	kmem_cache_free(room()->task_cache, task);
}

struct task_struct *task_new(struct files_struct *files)
{
	struct task_struct *task = task_alloc(room()->init_task);

	if (!files)
		files = files_new();
	ATOMIC_INC(files, count);
	WRITE(task, files, files);
	return task;
}

void task_free(struct task_struct *task)
{
	struct files_struct *files = READ(task, files);

	if (ATOMIC_DEC_AND_TEST(files, count))
		kmem_cache_free(room()->files_cache, files);
	task_put(task);
}

/* Each CPU has an idle task, in whose context its interrupts come while it has
 * nothing else to do; the first CPU's is the parent of all. */
static void idle_init(struct kernel *kernel)
{
	struct cpu *before = this_cpu;
	struct task_struct *parent = NULL;
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++) {
		this_cpu = &kernel->machine->cpus[i];
		this_cpu->idle->owner = task_alloc(parent);
		if (!parent)
			parent = this_cpu->idle->owner;
	}
	this_cpu = before;
	room()->init_task = parent;
}

void fork_init(struct kernel *kernel)
{
	struct socket_room *sockets = kernel->net_core->sockets;

	sockets->task_cache = kmem_cache_create(kernel, "task_struct",
						STRUCT_task_struct,
						sizeof(struct task_struct), 0,
						0, 0);
	sockets->pid_cache = kmem_cache_create(kernel, "pid", STRUCT_pid,
					       sizeof(struct pid), 0, 0,
					       SLAB_HWCACHE_ALIGN);
	sockets->signal_cache =
		kmem_cache_create(kernel, "signal_cache", STRUCT_signal_struct,
				  sizeof(struct signal_struct), 0, 0,
				  SLAB_HWCACHE_ALIGN);
	idle_init(kernel);
}

void fork_exit(struct kernel *kernel)
{
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++) {
		struct context *idle = kernel->machine->cpus[i].idle;

		task_put(idle->owner);
		idle->owner = NULL;
	}
}
