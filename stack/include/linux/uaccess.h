/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies between the user's memory and the kernel's (include/linux/uaccess.h,
 * thread_info.h): what is looked at before one is made.
 */
#ifndef STACK_LINUX_UACCESS_H
#define STACK_LINUX_UACCESS_H

#include "stack/kernel.h"

/*
 * Stands before each copy of a length that is not known when the kernel is
 * compiled.  The kernel's side of it are n bytes, `offset` bytes behind the
 * start of `object` (any struct that an allocator gave, or a part of one that
 * begins with struct object); NULL: they lie on the stack.  to_user: they are
 * read.  A copy that reaches beyond its object is fatal.
 */
void __check_object_size(const void *object, u32 offset, u32 n, bool to_user);

static inline void check_object_size(const void *object, u32 offset, u32 n,
				     bool to_user)
{
	if (has(HARDENED_USERCOPY))
		__check_object_size(object, offset, n, to_user);
}

#endif
