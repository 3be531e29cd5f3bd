/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/sched/core.c: the question whether another task should run,
 * and the switch to it.  Only the kernel's own threads ever want to cut in,
 * and they do at the end of a system call.
 */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/sched.h"

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
	FUNCTION(__schedule);
	context_yield();
}

static void context_switch(struct cpu *cpu)
{
	(void)cpu;
	rcu_note_context_switch();
}

static void cpu_sleeps(struct cpu *cpu, bool asleep)
{
	(void)cpu;
	rcu_idle(asleep);
}

void sched_init(struct kernel *kernel)
{
	kernel->machine->switch_hook = context_switch;
	kernel->machine->sleep_hook = cpu_sleeps;
}
