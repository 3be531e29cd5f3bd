/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process, its files and its sockets' upper half (include/linux/sched.h,
 * fdtable.h, fs.h, net.h).
 */
#ifndef STACK_LINUX_FS_H
#define STACK_LINUX_FS_H

#include "stack/include/linux/mm.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"

#define NR_OPEN_DEFAULT 64	/* descriptors of the embedded table */

struct thread_info {
	struct object object;
	struct task_struct *task;
	u32 flags;
	u32 preempt_count;
	u32 cpu;
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
	struct { u32 nofile; } rlim;	/* RLIMIT_NOFILE, the soft one */
};

/* Something to be done on the way back to user mode. */
#define TIF_NOTIFY_RESUME 2u

/* A process's memory, as far as switching to it asks. */
struct mm_struct {
	struct object object;
	void *pgd;		/* the page tables */
	u32 cpu_bitmap;		/* how many CPUs have them loaded */
};

struct task_struct {
	struct object object;
	/* Kernels with the thread_info in the task have it here. */
	struct { u32 flags, status, cpu; u64 syscall_work; } thread_info;
	struct thread_info *stack;
	u32 state;
	u32 on_cpu, on_rq;
	void *wake_entry;
	struct {
		void *run_node;
		u32 on_rq;
		u64 exec_start, sum_exec_runtime, vruntime;
	} se;
	void *cpus_ptr, *cpus_allowed;
	struct mm_struct *mm, *active_mm;
	struct spinlock pi_lock;
	s32 rcu_read_lock_nesting;
	struct { struct { u8 blocked; } b; } rcu_read_unlock_special;
	struct task_struct *real_parent;
	struct pid *thread_pid;
	struct task_struct *group_leader;
	struct pid *pids;	/* its number, where the process has it not */
	struct signal_struct *signal;
	u32 flags;		/* PF_*: none */
	struct cred *cred;
	struct nsproxy *nsproxy;
	struct css_set *cgroups;
	struct file *task_works;	/* files to release, the last first */
	void *rseq;		/* the user's area for restartable sequences */
	u32 memcg_nr_pages_over_high;
	void *throttle_queue;
	struct page_frag task_frag;	/* for the data that it sends */
	struct files_struct *files;
	void *audit_context;
	struct { struct { u32 last_cpu; } fpu; u64 sp; } thread;
};

/* A part of a table that has grown: pointers, or words of its bitmaps. */
struct fd_part {
	struct object object;
	struct file *fd[];
};

struct bits_part {
	struct object object;
	u64 word[];
};

/* A table that has grown. */
struct fdtable {
	struct object object;
	u32 max_fds;
	u8 fd, close_on_exec, open_fds, full_fds_bits;	/* to the parts */
	struct rcu_head rcu;
	/* Not charged: where the parts are. */
	struct fd_part **fds;
	struct bits_part **bits;
	u32 fds_per_part, bits_per_part;
	u32 num_fd_parts, num_bits_parts;
};

struct files_struct {
	struct object object;
	u32 count;		/* tasks that share it */
	bool resize_in_progress;
	struct mm_struct *mm;	/* the model's own: of the process */
	void *fdt;
	struct {
		u32 max_fds;
		u8 fd, close_on_exec, open_fds, full_fds_bits;
	} fdtab;
	struct spinlock file_lock;
	u32 next_fd;		/* none below it is free */
	u64 close_on_exec_init, open_fds_init, full_fds_bits_init;
	struct file *fd_array[NR_OPEN_DEFAULT];
	/* Not charged: `fdt`, if it has grown, and what else threads share. */
	struct fdtable *big;
	struct cred *cred;
};

struct file {
	struct object object;
	u8 memory[1];		/* its first byte */
	u8 f_lock, f_pos_lock, f_owner, f_security, f_ep, f_mapping;
	u8 f_wb_err, f_sb_err;
	struct { struct mount *mnt; struct dentry *dentry; } f_path;
	struct socket_alloc *f_inode;
	const void *f_op;
	u32 f_flags;
	u32 f_mode;
	s32 f_count;
	struct cred *f_cred;
	struct socket *private_data;
	struct rcu_head f_rcuhead;
};

struct socket_wq {
	struct object object;
	struct { struct spinlock lock; } wait;
	void *task_list;	/* who sleeps here: see linux/wait.h */
	void *fasync_list;
	struct rcu_head rcu;
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
	u8 wq_fasync_list;
	const struct proto_ops *ops;
	u32 i_uid;		/* of its inode, which lies behind it */
};

/* An empty table of files, which the last task that uses it frees. */
struct files_struct *files_new(void);
/* Leaves a table; the last closes its files. */
void put_files_struct(struct files_struct *files);
/* Makes a process (its own table of files) or, with `files`, one more thread
 * of that process; on the node of the running CPU. */
struct task_struct *task_new(struct files_struct *files);
void task_free(struct task_struct *task);
void fork_init(struct kernel *kernel);
void fork_exit(struct kernel *kernel);

/* The bottom-half count of the running task. */
void local_bh_disable(void);
void local_bh_enable(void);

/* The lowest descriptor that is free, now the caller's: fd_install() gives it
 * a file, put_unused_fd() gives it back.  -EMFILE or -ENOMEM. */
int get_unused_fd(void);
void put_unused_fd(u32 fd);
void fd_install(u32 fd, struct file *file);
/* Takes a descriptor's file out of the table; NULL: it has none. */
struct file *close_fd(struct files_struct *files, int fd);
/* The file of a descriptor that is open; not charged. */
struct file *files_lookup(const struct files_struct *files, u32 fd);
int filp_close(struct file *file);
struct file *fget_light(int fd, int *fput_needed);
void fput_light(struct file *file, int fput_needed);
/* Puts a reference; after the last one the file is released when the task goes
 * back to user mode. */
void fput(struct file *file);
void ____fput(struct file *file);
/* A file for a socket's inode, whose reference it takes over; or NULL. */
struct file *alloc_file_pseudo(struct socket_alloc *inode, const void *f_op,
			       int *err);
/* net/socket.c: its release() */
void sock_close(struct file *file);

/* kernel/task_work.c */
void task_work_add(struct task_struct *task, struct file *file);
void task_work_run(void);

#endif
