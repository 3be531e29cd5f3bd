/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models kernel/fork.c as far as a task must be there to run system calls. */
#include "stack/include/linux/cred.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/sched.h"
#include "stack/include/net/sock.h"

static struct socket_room *room(void)
{
	return this_kernel()->net_core->sockets;
}

/* A process may open a million files: as many as the system allows. */
#define RLIM_NOFILE (1024u * 1024)

/* Each process has one number, in the namespace that all share. */
static void pid_new(struct task_struct *task)
{
	struct pid *pid = kmem_cache_alloc(room()->pid_cache, GFP_KERNEL);
	struct signal_struct *signal = kmem_cache_alloc(room()->signal_cache,
							GFP_KERNEL);

	WRITE(signal, rlim.nofile, RLIM_NOFILE);
	WRITE(task, signal, signal);
	WRITE(pid, level, 0);
	WRITE(pid, numbers.nr, ++room()->last_pid);
	WRITE(pid, numbers.ns, NULL);
	if (has(PID_IN_SIGNAL)) {
		WRITE(signal, pids, pid);
		WRITE(task, thread_pid, pid);
	} else {
		WRITE(task, pids, pid);
		WRITE(task, group_leader, task);
	}
}

static void pid_free(struct task_struct *task)
{
	struct pid *pid;

	if (has(PID_IN_SIGNAL))
		pid = READ(task, thread_pid);
	else
		pid = READ(task, pids);
	kmem_cache_free(room()->signal_cache, READ(task, signal));
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
		WRITE(ti, cpu, this_cpu->id);
		WRITE(task, stack, ti);
	}
	if (has(PREEMPT_RCU))
		WRITE(task, rcu_read_lock_nesting, 0);
	WRITE(task, real_parent, parent);
	WRITE(task, audit_context, NULL);
	WRITE(task, flags, 0);
	if (has(RSEQ))
		WRITE(task, rseq, task);	/* the C library's */
	WRITE(task, nsproxy, room()->nsproxy);
	WRITE(task, cgroups, room()->css_set);
	if (has(FPUT_TASK_WORK))
		WRITE(task, task_works, NULL);
	task->files = NULL;
	task->state = TASK_RUNNING;
	task->pi_lock = (struct spinlock){ 0 };
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
	/* Threads share the credentials as well: with the files here. */
	if (!files->cred)
		files->cred = prepare_creds();
	WRITE(task, cred, get_cred(files->cred));
	ATOMIC_INC(files, count);
	WRITE(task, files, files);
	return task;
}

void task_free(struct task_struct *task)
{
	struct files_struct *files = READ(task, files);
	struct cred *cred = READ(task, cred);

	if (has(TASK_PAGE_FRAG)) {
		struct frag_page *page = READ(task, task_frag.page);

		if (page)
			put_page(page);
	}
	/* What it closes is released before it is gone. */
	put_files_struct(files);
	if (has(FPUT_TASK_WORK))
		task_work_run();
	put_cred(cred);
	/* The last of a task is given back by who runs after it. */
	if (this_cpu->current->owner == task)
		this_cpu->current->owner = this_cpu->idle->owner;
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

static void cgroups_init(struct kernel *kernel)
{
	struct socket_room *sockets = kernel->net_core->sockets;
	struct css_set *set = STATIC_OBJECT(kernel, css_set, 0);
	u32 i, n = kernel->machine->num_cpus;

	set->subsys.net_cls = STATIC_OBJECT(kernel, cgroup_cls_state, 0);
	set->subsys.net_prio = STATIC_OBJECT(kernel, cgroup_netprio_state, 0);
	sockets->css_set = set;
	sockets->cgroup_refcnt = g_new0(struct cgroup_refcnt *, n);
	for (i = 0; i < n; i++)
		sockets->cgroup_refcnt[i] =
			STATIC_OBJECT(kernel, cgroup_refcnt,
				      kernel->machine->cpus[i].package);
}

void fork_init(struct kernel *kernel)
{
	struct socket_room *sockets = kernel->net_core->sockets;

	cgroups_init(kernel);
	sockets->nsproxy = STATIC_OBJECT(kernel, nsproxy, 0);
	sockets->nsproxy->net_ns = kernel->init_net;
	sockets->cred_cache = kmem_cache_create(kernel, "cred_jar", STRUCT_cred,
						sizeof(struct cred), 0, 0,
						SLAB_HWCACHE_ALIGN);

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

	g_free(kernel->net_core->sockets->cgroup_refcnt);
	for (i = 0; i < kernel->machine->num_cpus; i++) {
		struct context *idle = kernel->machine->cpus[i].idle;

		task_put(idle->owner);
		idle->owner = NULL;
	}
}
