/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the per-CPU variables of include/linux/percpu.h, each on its CPU's
 * node. */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/timer.h"
#include "stack/kernel/sched.h"

void percpu_init(struct kernel *kernel)
{
	u32 i, n = kernel->machine->num_cpus;

	kernel->percpu = g_new0(struct percpu_area, n);
	for (i = 0; i < n; i++) {
		struct percpu_area *area = &kernel->percpu[i];
		u32 node = kernel->machine->cpus[i].package;

		area->current_task = STATIC_OBJECT(kernel, current_task, node);
		area->preempt_count =
			STATIC_OBJECT(kernel, preempt_count, node);
		area->cpu_number = STATIC_OBJECT(kernel, cpu_number, node);
		area->this_cpu_off = STATIC_OBJECT(kernel, this_cpu_off, node);
		area->fixed_percpu_data =
			STATIC_OBJECT(kernel, fixed_percpu_data, node);
		area->cpu_current_top_of_stack =
			STATIC_OBJECT(kernel, cpu_current_top_of_stack, node);
		area->cpu_tss_rw = STATIC_OBJECT(kernel, cpu_tss_rw, node);
		area->cpu_entry_area =
			STATIC_OBJECT(kernel, cpu_entry_area, node);
		area->fpu_fpregs_owner_ctx =
			STATIC_OBJECT(kernel, fpu_fpregs_owner_ctx, node);
		area->rq = STATIC_OBJECT(kernel, rq, node);
		area->irq_stat = STATIC_OBJECT(kernel, irq_cpustat, node);
		area->timer_base = STATIC_OBJECT(kernel, timer_base, node);
	}
	rcu_init(kernel);
}

void percpu_exit(struct kernel *kernel)
{
	g_free(kernel->percpu);
}
