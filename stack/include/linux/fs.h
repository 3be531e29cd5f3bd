/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process, its files and its sockets' upper half (include/linux/sched.h,
 * fdtable.h, fs.h, net.h).
 */
#ifndef STACK_LINUX_FS_H
#define STACK_LINUX_FS_H

#include "stack/include/linux/percpu.h"

#define NR_OPEN_DEFAULT 64	/* descriptors of the embedded table */

struct thread_info {
	struct object object;
	struct task_struct *task;
	u32 flags;
	u32 preempt_count;
};

/* A process number, in its namespace. */
struct pid {
	struct object object;
	u32 level;
	struct { u32 nr; void *ns; } numbers;
};

/* What the threads of a process share. */
struct signal_struct {
	struct object object;
	struct pid *pids;	/* the process's, PIDTYPE_TGID */
};

struct task_struct {
	struct object object;
	/* Kernels with the thread_info in the task have it here. */
	struct { u32 flags, status; u64 syscall_work; } thread_info;
	struct thread_info *stack;
	u32 state;
	struct spinlock pi_lock;
	s32 rcu_read_lock_nesting;
	struct { struct { u8 blocked; } b; } rcu_read_unlock_special;
	struct task_struct *real_parent;
	struct pid *thread_pid;
	struct task_struct *group_leader;
	struct pid *pids;	/* its number, where the process has it not */
	struct signal_struct *signal;
	struct files_struct *files;
	void *audit_context;
	struct { struct { u32 last_cpu; } fpu; } thread;
};

struct fdtable {
	u32 max_fds;
	struct file **fd;
};

struct files_struct {
	struct object object;
	u32 count;		/* tasks that share it */
	struct fdtable *fdt;
	struct fdtable fdtab;
	struct file *fd_array[NR_OPEN_DEFAULT];
};

struct file {
	struct object object;
	const void *f_op;
	u32 f_flags;
	u32 f_mode;
	u32 f_count;
	void *private_data;
};

struct socket_wq {
	struct object object;
	struct { struct spinlock lock; } wait;
	void *task_list;	/* who sleeps here: see linux/wait.h */
};

enum socket_state { SS_FREE, SS_UNCONNECTED };

struct socket {
	struct object object;
	u32 state;
	u32 type;
	u32 flags;
	struct file *file;
	struct sock *sk;
	struct socket_wq *wq;
	struct spinlock wq_lock;	/* of sockets that embed their */
	void *wq_wait;			/* wait queue; who sleeps there */
	const struct proto_ops *ops;
	u32 i_uid;		/* of its inode, which lies behind it */
};

/* Makes a process (its own table of files) or, with `files`, one more thread
 * of that process; on the node of the running CPU. */
/* An empty table of files, which the last task that uses it frees. */
struct files_struct *files_new(void);
struct task_struct *task_new(struct files_struct *files);
void task_free(struct task_struct *task);
void fork_init(struct kernel *kernel);
void fork_exit(struct kernel *kernel);

/* The bottom-half count of the running task. */
void local_bh_disable(void);
void local_bh_enable(void);

int fd_install(struct files_struct *files, struct file *file);
struct file *fget_light(int fd, int *fput_needed);
void fput_light(struct file *file, int fput_needed);
/* Puts a reference; the last one releases the file and its socket. */
void fput(struct file *file);
struct file *alloc_file(struct socket *sock);
void file_free(struct file *file);

#endif
