/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own threads (include/linux/kthread.h): contexts that sleep
 * until they are woken, in no process.
 */
#ifndef STACK_LINUX_KTHREAD_H
#define STACK_LINUX_KTHREAD_H

#include "stack/include/linux/timer.h"

struct kthread {
	struct kernel *kernel;
	struct context *context;
	struct timer_list *timer;	/* what ends a sleep with a timeout */
	bool asleep;
	bool woken;		/* before it slept */
};

/* Makes one on a CPU, on which it stays if it is bound; fn(arg) never returns.  kthread_free() after the run. */
struct kthread *kthread_create(struct kernel *kernel, u32 cpu, bool bound,
			       const char *name, void (*fn)(void *), void *arg);
void kthread_free(struct kthread *kthread);

/* The running thread sleeps until it is woken, or `timeout` jiffies are over
 * (0: however long it takes).  It may wake for nothing: look again. */
void kthread_sleep(struct kthread *kthread, u64 timeout);
/* From wherever: charges what finding a CPU for it takes. */
void wake_up_process(struct kthread *kthread);

#endif
