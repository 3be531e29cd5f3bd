/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/timer.c, since 4.7 kernel/time/timer.c: timers on jiffies.
 *
 * Each CPU has one list of timers in the order in which they run: by the jiffy
 * at which they are due, and those of one jiffy in the order in which they
 * were added.  That jiffy is the one at which the kernel's own timers would
 * run; see timer_due().  Deferrable timers stand in the same list; they do not
 * wake an idle CPU.  Delayed work runs where its timer does, for want of
 * worker threads.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/linux/timer.h"

#define LEVEL_SHIFT 3		/* each level is eight times coarser */
#define LEVEL_SIZE 64u
#define LEVELS 9u

/*
 * Up to 4.7 a timer may run up to a 256th of its time late, so that more of
 * them fall on one jiffy: at that limit, without the bits below the highest
 * one in which it differs from the time.
 */
static u64 apply_slack(u64 expires, u64 now)
{
	u64 limit, bit;
	s64 delta = (s64)(expires - now);

	if (delta < 256)
		return expires;
	limit = expires + (u64)delta / 256;
	if (limit == expires)
		return expires;
	bit = 1ull << (63 - __builtin_clzll(expires ^ limit));
	return limit & ~(bit - 1);
}

/* From 4.8 on a timer stays in the level in which it was put first, and runs
 * at the end of its slot there. */
static u64 wheel_slot_end(u64 expires, u64 now)
{
	u64 delta = expires - now;
	u32 level = 0;

	if ((s64)delta < 0)
		return now;
	while (level < LEVELS - 1 &&
	       delta >= (u64)(LEVEL_SIZE - 1) << level * LEVEL_SHIFT)
		level++;
	return ((expires >> level * LEVEL_SHIFT) + 1) << level * LEVEL_SHIFT;
}

static u64 timer_due(u64 expires, u64 now)
{
	if (has(TIMER_WHEEL_LEVELS))
		return wheel_slot_end(expires, now);
	return expires;
}

void timer_setup(struct timer_list *timer, const struct object *holder,
		 u32 offset)
{
	object_init(&timer->object, &this_kernel()->types[STRUCT_timer_list],
		    object_address(holder) + offset);
	WRITE(timer, base, THIS_CPU(timer_base));
}

static void detach_timer(struct timer_base *base, struct timer_list *timer)
{
	struct timer_list *next = READ(timer, entry.next);
	struct timer_list *prev = timer->entry.prev;

	if (next)
		next->entry.prev = prev;
	else
		base->last = prev;
	if (prev)
		prev->entry.next = next;
	else
		base->first = next;
	WRITE(timer, entry.next, NULL);
	timer->entry.prev = NULL;
	timer->pending = false;
}

/* Most are later than all there are: looks from the end.  Not charged. */
static void link_timer(struct timer_base *base, struct timer_list *timer)
{
	struct timer_list *prev = base->last;

	timer->sequence = base->sequence++;
	while (prev && time_after(prev->due, timer->due))
		prev = prev->entry.prev;
	timer->entry.prev = prev;
	timer->entry.next = prev ? prev->entry.next : base->first;
	if (timer->entry.next)
		timer->entry.next->entry.prev = timer;
	else
		base->last = timer;
	if (prev)
		prev->entry.next = timer;
	else
		base->first = timer;
	timer->pending = true;
}

static void enqueue_timer(struct timer_base *base, struct timer_list *timer)
{
	link_timer(base, timer);
	WRITE(timer, entry.prev, timer->entry.prev);
	if (base->first == timer)
		WRITE(base, next_expiry, timer->due);
}

/* The timer's base, locked; interrupts are off. */
static struct timer_base *lock_timer_base(struct timer_list *timer)
{
	cpu_irq_disable(this_cpu);
	for (;;) {
		struct timer_base *base = READ_ONCE(timer, base);

		SPIN_LOCK(base, lock);
		if (READ_ONCE(timer, base) == base)
			return base;
		SPIN_UNLOCK(base, lock);
	}
}

static void unlock_timer_base(struct timer_base *base)
{
	SPIN_UNLOCK(base, lock);
	cpu_irq_enable(this_cpu);
}

/* To this CPU's base, unless the timer's function runs on the other one. */
static struct timer_base *move_timer(struct timer_base *base,
				     struct timer_list *timer)
{
	struct timer_base *own = THIS_CPU(timer_base);

	if (base == own || READ(base, running_timer) == timer)
		return base;
	SPIN_UNLOCK(base, lock);
	SPIN_LOCK(own, lock);
	WRITE_ONCE(timer, base, own);
	return own;
}

bool mod_timer(struct timer_list *timer, u64 expires)
{
	struct timer_base *base;
	u64 now;
	bool was;

	FUNCTION(mod_timer);
	now = JIFFIES();
	if (!has(TIMER_WHEEL_LEVELS))
		expires = apply_slack(expires, now);
	if (timer->pending && READ_ONCE(timer, expires) == expires)
		return true;
	base = lock_timer_base(timer);
	was = timer->pending;
	if (was)
		detach_timer(base, timer);
	base = move_timer(base, timer);
	WRITE_ONCE(timer, expires, expires);
	timer->due = timer_due(expires, now);
	enqueue_timer(base, timer);
	unlock_timer_base(base);
	return was;
}

void add_timer(struct timer_list *timer, u64 expires)
{
	g_assert(!timer->pending);
	mod_timer(timer, expires);
}

bool del_timer(struct timer_list *timer)
{
	struct timer_base *base;
	bool was;

	FUNCTION(del_timer);
	if (!READ_ONCE(timer, entry.next) && !timer->pending)
		return false;
	base = lock_timer_base(timer);
	was = timer->pending;
	if (was)
		detach_timer(base, timer);
	unlock_timer_base(base);
	return was;
}

static void delayed_work_timer_fn(struct timer_list *timer)
{
	struct delayed_work *work = (struct delayed_work *)(void *)timer;

	work->function(work);
}

void schedule_delayed_work(struct delayed_work *work, u64 delay)
{
	work->timer.function = delayed_work_timer_fn;
	work->timer.deferrable = true;
	mod_timer(&work->timer, JIFFIES() + delay);
}

void timer_at_boot(struct timer_list *timer, const struct object *holder,
		   u32 offset, void (*function)(struct timer_list *timer))
{
	object_init(&timer->object, &this_kernel()->types[STRUCT_timer_list],
		    object_address(holder) + offset);
	timer->function = function;
	timer->base = this_kernel()->percpu[0].timer_base;
}

void delayed_work_at_boot(struct delayed_work *work, u64 address, u32 cpu,
			  u64 delay)
{
	struct timer_list *timer = &work->timer;
	struct timer_base *base = this_kernel()->percpu[cpu].timer_base;
	u64 now = jiffies_data()->jiffies;

	object_init(&timer->object, &this_kernel()->types[STRUCT_timer_list],
		    address);
	timer->function = delayed_work_timer_fn;
	timer->deferrable = true;
	timer->base = base;
	timer->expires = apply_slack(now + delay, now);
	timer->due = timer_due(timer->expires, now);
	link_timer(base, timer);
	if (base->first == timer)
		base->next_expiry = timer->due;
}

static bool has_due(const struct timer_base *base, u64 now)
{
	return base->first && time_before_eq(base->first->due, now);
}

/* The kernels before 4.8 ask for the softirq at every tick; its walk over no
 * timer is in the tick's own number of instructions. */
void run_local_timers(void)
{
	if (has_due(THIS_CPU(timer_base), jiffies_data()->jiffies))
		raise_softirq(TIMER_SOFTIRQ);
}

/* The lock is not held while a timer's function runs, which may add the timer
 * again, or free what it stands in. */
void run_timer_softirq(void)
{
	struct timer_base *base = THIS_CPU(timer_base);
	struct timer_list *timer;
	u64 now;

	FUNCTION(run_timer_softirq);
	now = JIFFIES();
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(base, lock);
	WRITE(base, clk, now);
	while (has_due(base, now)) {
		void (*function)(struct timer_list *);

		timer = base->first;
		WRITE(base, running_timer, timer);
		detach_timer(base, timer);
		function = READ(timer, function);
		unlock_timer_base(base);
		function(timer);
		cpu_irq_disable(this_cpu);
		SPIN_LOCK(base, lock);
	}
	WRITE(base, running_timer, NULL);
	if (base->first)
		WRITE(base, next_expiry, base->first->due);
	unlock_timer_base(base);
}

bool timer_next(const struct kernel *kernel, u32 cpu, u64 *due)
{
	const struct timer_list *timer = kernel->percpu[cpu].timer_base->first;

	while (timer && timer->deferrable)
		timer = timer->entry.next;
	if (timer)
		*due = timer->due;
	return timer;
}
