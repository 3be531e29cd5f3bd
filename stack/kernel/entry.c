/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models arch/x86/entry/entry_64.S and, where the kernel has it,
 * kernel/entry/common.c: system calls in and out.
 *
 * Instructions that the entry code spends on registers and on its own stack
 * are in the cost table; what the hardware takes beyond them is the machine's.
 */
#include "stack/include/linux/entry.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/percpu.h"

/* The hardware's part: the switch of modes there and back. */
static void mode_switch(void)
{
	struct cpu *cpu = this_cpu;

	cpu->clock += cpu->machine->profile->syscall_ps;
	cpu->node->stall_ps += cpu->machine->profile->syscall_ps;
}

static void syscall_enter_from_user_mode(void)
{
	FUNCTION(syscall_enter_from_user_mode);
	(void)READ(GET_CURRENT(), thread_info.syscall_work);
}

void system_call_enter(void)
{
	if (!has(SYSCALL_ENTRY_GENERIC)) {
		FUNCTION(system_call);
		(void)READ((const struct thread_info *)current_task()->stack,
			   flags);
		mode_switch();
		return;
	}
	FUNCTION(entry_SYSCALL_64);
	/* The user's stack pointer is parked in the task state segment. */
	WRITE(THIS_CPU(cpu_tss_rw), x86_tss.sp2, 0);
	(void)READ(THIS_CPU(cpu_current_top_of_stack),
		   cpu_current_top_of_stack);
	(void)READ(THIS_CPU(cpu_tss_rw), x86_tss.sp2);
	mode_switch();
	syscall_enter_from_user_mode();
}

/* The task's floating-point registers are still on this CPU. */
static void fpregs_assert_state_consistent(void)
{
	struct task_struct *task = GET_CURRENT();

	FUNCTION(fpregs_assert_state_consistent);
	(void)READ(task, thread_info.flags);
	(void)READ(THIS_CPU(fpu_fpregs_owner_ctx), fpu_fpregs_owner_ctx);
	(void)READ(task, thread.fpu.last_cpu);
	SMP_PROCESSOR_ID();
}

static void exit_to_user_mode_prepare(void)
{
	struct task_struct *task = GET_CURRENT();

	FUNCTION(exit_to_user_mode_prepare);
	(void)READ(task, thread_info.flags);
	fpregs_assert_state_consistent();
	UPDATE(task, thread_info.status, &= ~6u);	/* compat, restart */
}

void system_call_exit(void)
{
	if (!has(SYSCALL_ENTRY_GENERIC))
		return;
	{
		FUNCTION(syscall_exit_to_user_mode);
		(void)READ(GET_CURRENT(), thread_info.syscall_work);
		exit_to_user_mode_prepare();
	}
	/* Back over the trampoline stack, which both page tables map. */
	FUNCTION(syscall_return_via_sysret);
	(void)READ(THIS_CPU(cpu_tss_rw), x86_tss.sp0);
	WRITE(THIS_CPU(cpu_entry_area), entry_stack, 0);
	(void)READ(THIS_CPU(cpu_entry_area), entry_stack);
}
