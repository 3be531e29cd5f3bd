/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/usercopy.c: HARDENED_USERCOPY.  Before bytes are copied from or to the
 * user, the kernel looks whether its side of the copy is one object, or the
 * part of one that a user may see.
 *
 * Variables of the kernel's own (vmalloc_base, page_offset_base, mem_section)
 * are not charged; nor is the check of the kernel's text, which reads none but
 * these.
 */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/uaccess.h"
#include "stack/mm/internal.h"

/* Instructions beyond a function's count, tests/truth/linux-6.1: what is on
 * the stack is compared with both its ends; the rest of the way to a slab. */
#define WORK_ON_STACK 8
#define WORK_HEAP 45

void usercopy_abort(const char *name, u32 offset, u32 n, bool to_user)
{
	g_error("usercopy: %s attempt detected %s %s (offset %u, size %u)",
		to_user ? "exposure" : "overwrite", to_user ? "from" : "to",
		name, offset, n);
}

/* NULL stands for the stack of the task that runs. */
static bool check_stack_object(const struct object *object)
{
	FUNCTION(check_stack_object);
	struct task_struct *task = GET_CURRENT();

	(void)READ(task, stack);
	if (object)
		return false;
	WORK(WORK_ON_STACK);
	return true;
}

static void is_vmalloc_addr(void)
{
	FUNCTION(is_vmalloc_addr);
}

/* The section's map of what is there is read with preemption off. */
static void __virt_addr_valid(void)
{
	FUNCTION(__virt_addr_valid);

	UPDATE(THIS_CPU(preempt_count), __preempt_count, += 1);
	UPDATE(THIS_CPU(preempt_count), __preempt_count, -= 1);
}

static void check_heap_object(const struct object *object, u32 offset, u32 n,
			      bool to_user)
{
	struct mm *mm = this_kernel()->mm;
	struct page *page = page_of_address(mm, object_address(object) +
					    offset), *head;

	is_vmalloc_addr();
	__virt_addr_valid();
	WORK(WORK_HEAP);
	head = READ(page, first_page);	/* virt_to_folio() */
	if (head)
		page = head;
	if (READ(page, flags) & PG_SLAB)
		__check_heap_object(object, offset, n, page, to_user);
}

void __check_object_size(const void *object, u32 offset, u32 n, bool to_user)
{
	FUNCTION(__check_object_size);

	if (!n || check_stack_object(object))
		return;
	check_heap_object(object, offset, n, to_user);
}
