/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way into the kernel and back (include/linux/entry-common.h). */
#ifndef STACK_LINUX_ENTRY_H
#define STACK_LINUX_ENTRY_H

#include "stack/kernel.h"

/* Stand at the two ends of each system call. */
void system_call_enter(void);
void system_call_exit(void);

/* kernel/sys.c: the parent's number in its own namespace. */
int sys_getppid(void);

#endif
