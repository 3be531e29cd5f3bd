/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The per-CPU variables that a system call touches (include/linux/percpu.h,
 * arch/x86/include/asm/{current,preempt,processor,cpu_entry_area}.h).  Each
 * bears the kernel's name and is an object of its own: the linker's choice
 * which of them share a line is not modelled.
 */
#ifndef STACK_LINUX_PERCPU_H
#define STACK_LINUX_PERCPU_H

#include "stack/kernel.h"

struct current_task {
	struct object object;
	struct task_struct *current_task;
};

struct preempt_count {
	struct object object;
	u32 __preempt_count;
};

struct cpu_number {
	struct object object;
	u32 cpu_number;
};

struct this_cpu_off {
	struct object object;
	u64 this_cpu_off;
};

struct fixed_percpu_data {
	struct object object;
	u64 stack_canary;
};

struct cpu_current_top_of_stack {
	struct object object;
	u64 cpu_current_top_of_stack;
};

struct cpu_tss_rw {
	struct object object;
	struct { u64 sp0, sp2; } x86_tss;
};

struct cpu_entry_area {
	struct object object;
	u64 entry_stack;
};

struct fpu_fpregs_owner_ctx {
	struct object object;
	u64 fpu_fpregs_owner_ctx;
};

/* One CPU's pending softirqs. */
struct irq_cpustat {
	struct object object;
	u32 __softirq_pending;
};

/* One CPU's variables. */
struct percpu_area {
	struct current_task *current_task;
	struct preempt_count *preempt_count;
	struct cpu_number *cpu_number;
	struct this_cpu_off *this_cpu_off;
	struct fixed_percpu_data *fixed_percpu_data;
	struct cpu_current_top_of_stack *cpu_current_top_of_stack;
	struct cpu_tss_rw *cpu_tss_rw;
	struct cpu_entry_area *cpu_entry_area;
	struct fpu_fpregs_owner_ctx *fpu_fpregs_owner_ctx;
	struct irq_cpustat *irq_stat;
	struct rq *rq;				/* kernel/sched.h */
	ps_t hrtimer;		/* when a sleeper's next one comes; 0: none */
	struct timer_base *timer_base;		/* kernel/timer.c */
	struct rcu_data *rcu_data;		/* kernel/rcu.h */
	struct rcu_dynticks *rcu_dynticks;
	struct context_tracking *context_tracking;
	struct kthread *ksoftirqd;		/* NULL until it is needed */
};

#define THIS_CPU(variable) (this_kernel()->percpu[this_cpu->id].variable)

/* smp_processor_id() */
#define SMP_PROCESSOR_ID() ((void)READ(THIS_CPU(cpu_number), cpu_number))

/* What this_cpu_ptr() of a dynamic per-CPU variable reads on the way, where
 * the variable is not addressed by the segment register alone. */
#define THIS_CPU_PTR() ((void)READ(THIS_CPU(this_cpu_off), this_cpu_off))

/*
 * Stands in each function that the compiler guards, i.e. that has an array on
 * its stack or takes the address of something there.  The canary is read at
 * the start and at the end; one access stands for both.
 */
#define STACK_PROTECTOR() \
	do { \
		if (has(STACKPROTECTOR)) \
			(void)READ(THIS_CPU(fixed_percpu_data), stack_canary); \
	} while (0)

/* The running task, uncharged: for set-up. */
static inline struct task_struct *current_task(void)
{
	return this_cpu->current->owner;
}

/* `current` */
#define GET_CURRENT() \
	((void)READ(THIS_CPU(current_task), current_task), current_task())

void percpu_init(struct kernel *kernel);
void percpu_exit(struct kernel *kernel);

#endif
