/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stackful coroutines; see coroutine.h. */
#include <glib.h>
#include <sys/mman.h>

#include "sim/coroutine.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#endif

#ifdef WITH_ASAN
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#define STACK_SIZE (512u << 10)	/* its frames are larger */
#else
#define STACK_SIZE (128u << 10)
#endif

#if !defined(__x86_64__) && !defined(__aarch64__)
#define WITH_UCONTEXT 1
#include <ucontext.h>
#endif

static void coroutine_map_stack(struct coroutine *co)
{
	u8 *map = mmap(NULL, STACK_SIZE + PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED || mprotect(map, PAGE_SIZE, PROT_NONE))
		g_error("coroutine: no memory for a stack");
	co->stack = map + PAGE_SIZE;
	co->stack_size = STACK_SIZE;
}

#ifdef WITH_ASAN
static _Thread_local void *thread_stack;
static _Thread_local size_t thread_stack_size;

static void learn_thread_stack(void)
{
	pthread_attr_t attr;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &thread_stack, &thread_stack_size);
	pthread_attr_destroy(&attr);
}

/* The sanitizer must know which stack runs. */
static void stack_leave(struct coroutine *from, struct coroutine *to)
{
	if (!thread_stack)
		learn_thread_stack();
	__sanitizer_start_switch_fiber(
		&from->other, to->stack ? to->stack : thread_stack,
		to->stack ? to->stack_size : thread_stack_size);
}

static void stack_enter(struct coroutine *co)
{
	__sanitizer_finish_switch_fiber(co->other, NULL, NULL);
}

/* Frames may be left on it; whoever gets the memory next has none. */
static void stack_forget(struct coroutine *co)
{
	__asan_unpoison_memory_region(co->stack, co->stack_size);
}
#else
static inline void stack_leave(struct coroutine *from, struct coroutine *to)
{
	(void)from;
	(void)to;
}

static inline void stack_enter(struct coroutine *co)
{
	(void)co;
}

static inline void stack_forget(struct coroutine *co)
{
	(void)co;
}
#endif

#ifdef WITH_UCONTEXT
static void trampoline(unsigned int high, unsigned int low)
{
	struct coroutine *co = (void *)((uintptr_t)high << 16 << 16 | low);

	co->entry(co->arg);
	g_assert_not_reached();
}

void coroutine_init(struct coroutine *co, void (*entry)(void *), void *arg)
{
	ucontext_t *context = g_new0(ucontext_t, 1);
	uintptr_t p = (uintptr_t)co;

	*co = (struct coroutine){ .entry = entry, .arg = arg };
	coroutine_map_stack(co);
	getcontext(context);
	context->uc_stack.ss_sp = co->stack;
	context->uc_stack.ss_size = co->stack_size;
	makecontext(context, (void (*)(void))trampoline, 2,
		    (unsigned int)(p >> 16 >> 16), (unsigned int)p);
	co->other = context;
}

void coroutine_switch(struct coroutine *from, struct coroutine *to)
{
	if (!from->other)
		from->other = g_new0(ucontext_t, 1);
	swapcontext(from->other, to->other);
}

#else

/* Reached by the first switch to a coroutine, which leaves it in a callee-saved
 * register. */
static __attribute__((noinline, noreturn, used)) void
coroutine_start(struct coroutine *co)
{
	stack_enter(co);
	co->entry(co->arg);
	g_assert_not_reached();
}

#if defined(__x86_64__)
__asm__(".text\n"
	".p2align 4\n"
	"coroutine_first:\n"
	"	movq %rbp, %rdi\n"
	"	xorl %ebp, %ebp\n"
	"	call coroutine_start\n"
	"	ud2\n");

#define SWITCH(from, to)						\
	__asm__ volatile("leaq 1f(%%rip), %%rax\n\t"			\
			 "movq %%rax, 0(%0)\n\t"			\
			 "movq %%rsp, 8(%0)\n\t"			\
			 "movq %%rbp, 16(%0)\n\t"			\
			 "movq 8(%1), %%rsp\n\t"			\
			 "movq 16(%1), %%rbp\n\t"			\
			 "jmpq *0(%1)\n"				\
			 "1:\n"						\
			 : "+D"(from), "+S"(to)				\
			 :						\
			 : "rax", "rbx", "rcx", "rdx", "r8", "r9",	\
			   "r10", "r11", "r12", "r13", "r14", "r15",	\
			   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",	\
			   "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",	\
			   "xmm10", "xmm11", "xmm12", "xmm13",		\
			   "xmm14", "xmm15", "memory", "cc")
#else /* __aarch64__ */
__asm__(".text\n"
	".p2align 4\n"
	"coroutine_first:\n"
	"	mov x0, x29\n"
	"	mov x29, xzr\n"
	"	bl coroutine_start\n"
	"	brk #1\n");

#define SWITCH(from, to)						\
	do {								\
		register void *f_ __asm__("x0") = (from);		\
		register void *t_ __asm__("x1") = (to);			\
		__asm__ volatile("adr x2, 1f\n\t"			\
				 "mov x3, sp\n\t"			\
				 "stp x2, x3, [x0]\n\t"			\
				 "str x29, [x0, #16]\n\t"		\
				 "ldp x2, x3, [x1]\n\t"			\
				 "ldr x29, [x1, #16]\n\t"		\
				 "mov sp, x3\n\t"			\
				 "br x2\n"				\
				 "1:\n"					\
				 : "+r"(f_), "+r"(t_)			\
				 :					\
				 : "x2", "x3", "x4", "x5", "x6", "x7",	\
				   "x8", "x9", "x10", "x11", "x12",	\
				   "x13", "x14", "x15", "x16", "x17",	\
				   "x19", "x20", "x21", "x22", "x23",	\
				   "x24", "x25", "x26", "x27", "x28",	\
				   "x30", "v0", "v1", "v2", "v3", "v4",	\
				   "v5", "v6", "v7", "v8", "v9", "v10",	\
				   "v11", "v12", "v13", "v14", "v15",	\
				   "v16", "v17", "v18", "v19", "v20",	\
				   "v21", "v22", "v23", "v24", "v25",	\
				   "v26", "v27", "v28", "v29", "v30",	\
				   "v31", "memory", "cc");		\
	} while (0)
#endif

void coroutine_first(void);

void coroutine_init(struct coroutine *co, void (*entry)(void *), void *arg)
{
	*co = (struct coroutine){ .entry = entry, .arg = arg };
	coroutine_map_stack(co);
	co->pc = (void *)coroutine_first;
	/* All stacks end at a page: without a stagger, the frames in use of
	 * all tasks would fall on the same few sets of the host's L1. */
	co->sp = (u8 *)co->stack + co->stack_size -
		 ((uintptr_t)co->stack / PAGE_SIZE % 16) * 17 * 64;
	co->fp = co;
}

__attribute__((noinline)) void coroutine_switch(struct coroutine *from,
						struct coroutine *to)
{
	struct coroutine *self = from;	/* the registers will hold others */

	stack_leave(from, to);
	SWITCH(from, to);
	stack_enter(self);
}
#endif

void coroutine_fini(struct coroutine *co)
{
#ifdef WITH_UCONTEXT
	g_clear_pointer(&co->other, g_free);
#endif
	if (!co->stack)
		return;
	stack_forget(co);
	munmap((u8 *)co->stack - PAGE_SIZE, co->stack_size + PAGE_SIZE);
	co->stack = NULL;
}
