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
#include "stack/include/linux/sched.h"

/* The hardware's part: the switch of modes there and back, in halves. */
static void mode_switch(ps_t ps, u32 count)
{
	cpu_hardware(this_cpu, HARDWARE_SYSCALL, ps, count);
}

static void syscall_enter_from_user_mode(void)
{
	FUNCTION(syscall_enter_from_user_mode);
	(void)READ(GET_CURRENT(), thread_info.syscall_work);
}

/* An interrupt whose time has come before here cuts into user mode.  So does
 * one that comes on the way back to it, which interrupts have to wait for; that
 * half of the switch is charged here. */
static void leave_user_mode(void)
{
	ps_t both = this_cpu->machine->profile->syscall_ps;

	mode_switch(both / 2, 1);
	if (this_cpu->clock >= this_cpu->due)
		cpu_service(this_cpu);
	this_cpu->current->user_since = TIME_NEVER;
	mode_switch(both - both / 2, 0);
}

void system_call_enter(void)
{
	if (!has(SYSCALL_ENTRY_GENERIC)) {
		FUNCTION(system_call);
		leave_user_mode();
		(void)READ((const struct thread_info *)current_task()->stack,
			   flags);
		return;
	}
	FUNCTION(entry_SYSCALL_64);
	leave_user_mode();
	/* The user's stack pointer is parked in the task state segment. */
	WRITE(THIS_CPU(cpu_tss_rw), x86_tss.sp2, 0);
	(void)READ(THIS_CPU(cpu_current_top_of_stack),
		   cpu_current_top_of_stack);
	(void)READ(THIS_CPU(cpu_tss_rw), x86_tss.sp2);
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

/* The user may ask the kernel to keep an eye on where its instructions are:
 * looked at after anything that could have moved the task. */
static void rseq_handle_notify_resume(struct task_struct *task)
{
	FUNCTION(__rseq_handle_notify_resume);
	(void)READ(task, rseq);
	SMP_PROCESSOR_ID();
	(void)READ(task, flags);
}

/* With the work for this task come questions that others may have put: too
 * much memory, too much input and output? */
static void resume_user_mode_work(struct task_struct *task)
{
	FUNCTION(resume_user_mode_work);
	(void)ATOMIC_(__COUNTER__, task, thread_info.flags,
		      &= ~TIF_NOTIFY_RESUME);
	if (READ(task, task_works))
		task_work_run();
	if (!has(RSEQ))
		return;
	(void)READ(task, memcg_nr_pages_over_high);
	(void)READ(task, throttle_queue);
	if (READ(task, rseq))
		rseq_handle_notify_resume(task);
}

/* Kernels whose entry is written in assembly. */
static void do_notify_resume(struct thread_info *ti)
{
	FUNCTION(do_notify_resume);
	(void)ATOMIC_(__COUNTER__, ti, flags, &= ~TIF_NOTIFY_RESUME);
	task_work_run();
}

static void exit_to_user_mode_prepare(void)
{
	struct task_struct *task = GET_CURRENT();

	FUNCTION(exit_to_user_mode_prepare);
	while (READ(task, thread_info.flags) & TIF_NOTIFY_RESUME)
		resume_user_mode_work(task);
	fpregs_assert_state_consistent();
	UPDATE(task, thread_info.status, &= ~6u);	/* compat, restart */
}

void system_call_exit(void)
{
	if (unlikely(need_resched()))
		schedule();
	if (!has(SYSCALL_ENTRY_GENERIC)) {
		struct thread_info *ti = current_task()->stack;

		while (ti->flags & TIF_NOTIFY_RESUME)
			do_notify_resume(ti);
		this_cpu->current->user_since = this_cpu->clock;
		return;
	}
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
	this_cpu->current->user_since = this_cpu->clock;
}
