/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Softirqs (include/linux/interrupt.h), in the kernel's order. */
#ifndef STACK_LINUX_SOFTIRQ_H
#define STACK_LINUX_SOFTIRQ_H

#include "stack/kernel.h"

enum {
	TIMER_SOFTIRQ = 1,
	NET_TX_SOFTIRQ = 2,
	NET_RX_SOFTIRQ = 3,
	RCU_SOFTIRQ = 9,
	NUM_SOFTIRQ
};

/* Marks one as pending on this CPU.  It runs when the interrupt ends, or where
 * that has cut into bottom halves being off, when they go on again. */
void raise_softirq(u32 nr);
/* Counts bottom halves or preemption off; a negative count, on again. */
void preempt_count_add(u32 count);
/* The end of an interrupt. */
void irq_exit(void);
/* Bottom halves are off here, or one runs. */
bool in_softirq(void);
void softirq_exit(struct kernel *kernel);

#endif
