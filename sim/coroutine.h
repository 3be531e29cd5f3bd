/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stackful coroutines: a modelled task runs on a stack of its own, so that
 * modelled code reads like the kernel's and may switch anywhere in it.
 *
 * x86-64 and AArch64 switch in a few instructions and leave by an indirect
 * jump (a `ret` to another stack defeats the return predictor: three times the
 * time).  Elsewhere, ucontext does it.
 */
#ifndef SIM_COROUTINE_H
#define SIM_COROUTINE_H

#include "sim/types.h"

struct coroutine {
	void *pc;		/* where to go on */
	void *sp;
	void *fp;
	void *stack;		/* lowest usable byte; NULL: the thread's own */
	size_t stack_size;
	void (*entry)(void *arg);
	void *arg;
	void *other;		/* ucontext, or the sanitizer's fake stack */
};

/* Makes a coroutine that will call entry(arg) when first switched to; entry
 * must never return.  A guard page lies below the stack. */
void coroutine_init(struct coroutine *co, void (*entry)(void *), void *arg);
/* Gives the stack back; the coroutine must not be the running one. */
void coroutine_fini(struct coroutine *co);

/* Leaves `from` (which must be the one that runs) and goes on with `to`.  For
 * the thread's own stack, `from` is a zeroed struct. */
void coroutine_switch(struct coroutine *from, struct coroutine *to);

#endif
