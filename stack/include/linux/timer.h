/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers on jiffies (include/linux/timer.h, workqueue.h).
 *
 * A timer stands in the object that it belongs to: the layout places the
 * whole of it there, and struct timer_list's own layout its parts.  It runs in
 * the softirq of the CPU on which it was added last.
 */
#ifndef STACK_LINUX_TIMER_H
#define STACK_LINUX_TIMER_H

#include "stack/kernel.h"

struct timer_list {
	struct object object;
	struct { struct timer_list *next, *prev; } entry;
	u64 expires;		/* jiffies */
	void (*function)(struct timer_list *timer);
	struct timer_base *base;
	/* The model's own: the jiffy at which it runs, since neither wheel
	 * keeps far times to the jiffy; and what orders equal ones. */
	u64 due;
	u64 sequence;
	void *context;		/* whose it is, if it stands alone */
	bool pending;
	bool deferrable;	/* wakes no idle CPU */
};

/* A CPU's timers by (due, sequence). The kernel's wheel finds the place of a
 * timer in one step; so this list's search is not charged. */
struct timer_base {
	struct object object;
	struct spinlock lock;
	struct timer_list *running_timer;
	u64 clk;		/* the jiffy up to which all have run */
	u64 next_expiry;
	struct timer_list *first, *last;
	u64 sequence;
};

/* Work that a timer starts.  The kernel hands it to a worker thread; there are
 * none here, so that it runs where its timer does. */
struct delayed_work {
	struct timer_list timer;
	void (*function)(struct delayed_work *work);
};

/* Makes `member` of the object p, a struct timer_list, a timer. */
#define TIMER_SETUP(p, member, fn) \
	do { \
		WRITE(p, member, (struct timer_list){ .function = (fn) }); \
		timer_setup(&(p)->member, &(p)->object, \
			    (p)->object.type->offsets[ \
				    MEMBER_OFFSET(p, member)]); \
	} while (0)
void timer_setup(struct timer_list *timer, const struct object *holder,
		 u32 offset);

/* The same before the run: nothing is charged. */
#define TIMER_AT_BOOT(p, member, fn) \
	timer_at_boot(&(p)->member, &(p)->object, \
		      (p)->object.type->offsets[MEMBER_OFFSET(p, member)], fn)
void timer_at_boot(struct timer_list *timer, const struct object *holder,
		   u32 offset, void (*function)(struct timer_list *timer));

/* These return whether the timer was pending. */
bool mod_timer(struct timer_list *timer, u64 expires);
bool del_timer(struct timer_list *timer);
void add_timer(struct timer_list *timer, u64 expires);

/* For set-up as well as for running work. */
void schedule_delayed_work(struct delayed_work *work, u64 delay);
/* Before the run: work of a CPU, whose timer stands at `address`.  Nothing is
 * charged, so that what runs long after changes nothing before. */
void delayed_work_at_boot(struct delayed_work *work, u64 address, u32 cpu,
			  u64 delay);

/* From the tick: asks for the softirq if a timer of this CPU is due. */
void run_local_timers(void);
void run_timer_softirq(void);
/* The jiffy at which the CPU, if it is idle, is to be woken for a timer; false:
 * for none.  Not charged. */
bool timer_next(const struct kernel *kernel, u32 cpu, u64 *due);

/* jiffies wrap. */
static inline bool time_after(u64 a, u64 b)
{
	return (s64)(b - a) < 0;
}

static inline bool time_before_eq(u64 a, u64 b)
{
	return !time_after(a, b);
}

static inline bool time_before(u64 a, u64 b)
{
	return time_after(b, a);
}

#endif
