/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/time/tick-common.c and tick-sched.c: the tick.
 *
 * Each busy CPU is interrupted once a jiffy; one of them advances jiffies.  An
 * idle CPU's tick stops (NO_HZ) until its next timer, and goes on when it has
 * something to do; whoever wakes after all were idle brings jiffies up to date.
 * The ticks of the CPUs are spread over the jiffy, as skew_tick does, so that
 * they do not all fall on one instant.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/linux/timer.h"

struct tick {
	struct irq irq;
	struct cpu *cpu;
	struct kernel *kernel;
	ps_t phase;		/* it comes at this time after each jiffy */
	event_id event;		/* the next one; 0: none */
	bool stopped;
};

struct kernel_time {
	struct jiffies_data *jiffies;	/* first: see jiffies_data() */
	struct tick *ticks;
	ps_t period;
	u64 start;		/* jiffies at time 0 */
	u32 do_timer_cpu;	/* who advances jiffies; NO_CPU: nobody */
};

/* Jiffies are as many as the time has seen. */
static void tick_do_update_jiffies64(struct kernel_time *time)
{
	u64 now = time->start + this_cpu->clock / time->period;

	if (time_before(time->jiffies->jiffies, now))
		WRITE_ONCE(time->jiffies, jiffies, now);
}

static void tick_handle_periodic(struct cpu *cpu, void *arg)
{
	struct tick *tick = arg;
	struct kernel_time *time = tick->kernel->time;

	FUNCTION(tick_handle_periodic);
	if (time->do_timer_cpu == NO_CPU)
		time->do_timer_cpu = cpu->id;
	if (time->do_timer_cpu == cpu->id)
		tick_do_update_jiffies64(time);
	run_local_timers();
	rcu_check_callbacks(tick->irq.time >= cpu->current->user_since);
	scheduler_tick();
	irq_exit();
}

/* ---- a tick that stops ---- */

static void tick_event(void *arg, ps_t now);

static void tick_at(struct tick *tick, ps_t time)
{
	struct machine *machine = tick->kernel->machine;

	if (tick->event)
		engine_cancel(machine->engine, tick->event);
	tick->event = 0;
	if (time != TIME_NEVER && *machine->live)
		tick->event = machine_at(machine, time, EVENT_TICK,
					 tick->cpu->id, tick->cpu->id,
					 tick_event, tick);
}

/* The CPU's first tick after `time`. */
static ps_t tick_after(const struct tick *tick, ps_t time)
{
	ps_t period = tick->kernel->time->period;

	if (time < tick->phase)
		return tick->phase;
	return time + period - (time - tick->phase) % period;
}

/* The tick at which an idle CPU's next timer is due; its first one after `now`
 * if it is late, or if RCU needs the CPU. */
static ps_t next_needed(const struct tick *tick, ps_t now)
{
	const struct kernel *kernel = tick->kernel;
	const struct kernel_time *time = kernel->time;
	ps_t next = tick_after(tick, now);
	u64 due, left;

	if (rcu_wants_cpu(kernel, tick->cpu->id))
		return next;
	if (!timer_next(kernel, tick->cpu->id, &due))
		return TIME_NEVER;
	/* Jiffies are `start + n` from the nth period on. */
	left = time_after(due, time->start) ? due - time->start : 0;
	if (left > TIME_NEVER / time->period - 1)
		return TIME_NEVER;
	left = left * time->period + tick->phase % time->period;
	return MAX(left, next);
}

/* Somebody else is to advance jiffies. */
static void drop_duty(const struct tick *tick)
{
	struct kernel_time *time = tick->kernel->time;

	if (time->do_timer_cpu == tick->cpu->id)
		time->do_timer_cpu = NO_CPU;
}

/* An interrupt, unless the CPU is asleep and does not need it. */
static void tick_event(void *arg, ps_t now)
{
	struct tick *tick = arg;
	ps_t next = tick_after(tick, now);

	tick->event = 0;
	if (tick->cpu->asleep) {
		ps_t before = now - MIN(now, 1), needed;

		needed = next_needed(tick, before);
		tick->stopped = needed > now;
		if (tick->stopped) {
			drop_duty(tick);
			tick_at(tick, needed);
			return;
		}
	}
	if (!tick->irq.pending)
		cpu_raise(tick->cpu, &tick->irq, now);
	tick_at(tick, next);
}

/* What the governor of idle states may know. */
static ps_t next_timer(const struct tick *tick)
{
	ps_t hrtimer = tick->kernel->percpu[tick->cpu->id].hrtimer;
	ps_t next = next_needed(tick, tick->cpu->clock);

	return hrtimer ? MIN(hrtimer, next) : next;
}

void tick_nohz_idle(struct cpu *cpu, bool asleep)
{
	struct kernel *kernel = cpu->machine->kernel;
	struct kernel_time *time = kernel->time;
	struct tick *tick = time ? &time->ticks[cpu->id] : NULL;

	if (!tick || !tick->phase)
		return;			/* no ticks have been started */
	if (asleep) {
		cpu->next_timer = next_timer(tick);
		drop_duty(tick);
		return;
	}
	if (!tick->stopped)
		return;
	tick->stopped = false;
	tick_at(tick, tick_after(tick, cpu->clock));
	FUNCTION(tick_nohz_update_jiffies);
	tick_do_update_jiffies64(time);
}

void time_init(struct kernel *kernel)
{
	struct machine *machine = kernel->machine;
	struct kernel_time *time = g_new0(struct kernel_time, 1);
	u32 i;

	kernel->time = time;
	time->period = PS_PER_S / kernel->parameters.hz;
	time->jiffies = STATIC_OBJECT(kernel, jiffies_data, 0);
	/* As the kernel starts: five minutes before the counter's low half
	 * wraps. */
	time->start = (u32)(-300 * (s32)kernel->parameters.hz);
	time->jiffies->jiffies = time->start;
	time->ticks = g_new0(struct tick, machine->num_cpus);
	for (i = 0; i < machine->num_cpus; i++) {
		struct tick *tick = &time->ticks[i];

		tick->cpu = &machine->cpus[i];
		tick->kernel = kernel;
		/* Its number of instructions stands for all of it. */
		tick->irq.is_whole = true;
		tick->irq.name = "tick";
		tick->irq.fn = tick_handle_periodic;
		tick->irq.arg = tick;
	}
}

void time_exit(struct kernel *kernel)
{
	if (!kernel->time)
		return;
	g_free(kernel->time->ticks);
	g_free(kernel->time);
}

void time_start_ticks(struct kernel *kernel)
{
	struct machine *machine = kernel->machine;
	struct kernel_time *time = kernel->time;
	u32 i;

	for (i = 0; i < machine->num_cpus; i++) {
		struct tick *tick = &time->ticks[i];

		tick->phase = time->period +
			      time->period / machine->num_cpus * i;
		tick->event = machine_at(machine, tick->phase, EVENT_TICK, i,
					 i, tick_event, tick);
	}
}
