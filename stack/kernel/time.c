/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/time/tick-common.c: the periodic tick.
 *
 * Each busy CPU is interrupted once a jiffy; CPU 0 advances jiffies.  The
 * ticks of the CPUs are spread over the jiffy, as skew_tick does, so that they
 * do not all fall on one instant.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/linux/timer.h"

struct tick {
	struct irq irq;
	struct cpu *cpu;
	struct kernel *kernel;
};

struct kernel_time {
	struct jiffies_data *jiffies;	/* first: see jiffies_data() */
	struct tick *ticks;
	ps_t period;
};

static void tick_handle_periodic(struct cpu *cpu, void *arg)
{
	struct tick *tick = arg;

	FUNCTION(tick_handle_periodic);
	if (!cpu->id)
		WRITE_ONCE(tick->kernel->time->jiffies, jiffies,
			   tick->kernel->time->jiffies->jiffies + 1);
	run_local_timers();
	rcu_check_callbacks(tick->irq.time >= cpu->current->user_since);
	irq_exit();
}

/* An idle CPU's tick is stopped (NO_HZ) until something is due on it; CPU 0
 * keeps the time. */
static bool is_wanted(const struct tick *tick)
{
	const struct kernel *kernel = tick->kernel;
	u64 now = kernel->time->jiffies->jiffies;

	return !tick->cpu->id || !tick->cpu->is_idle ||
	       timer_wants_cpu(kernel, tick->cpu->id, now) ||
	       rcu_wants_cpu(kernel, tick->cpu->id);
}

static void tick_event(void *arg, ps_t now)
{
	struct tick *tick = arg;
	struct machine *machine = tick->kernel->machine;

	if (!tick->irq.pending && is_wanted(tick))
		cpu_raise(tick->cpu, &tick->irq, now);
	if (*machine->live)
		machine_at(machine, now + tick->kernel->time->period,
			   EVENT_TICK, tick->cpu->id, tick->cpu->id,
			   tick_event, tick);
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
	time->jiffies->jiffies = (u32)(-300 * (s32)kernel->parameters.hz);
	time->ticks = g_new0(struct tick, machine->num_cpus);
	for (i = 0; i < machine->num_cpus; i++) {
		struct tick *tick = &time->ticks[i];

		tick->cpu = &machine->cpus[i];
		tick->kernel = kernel;
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

	for (i = 0; i < machine->num_cpus; i++)
		machine_at(machine, time->period + time->period /
			   machine->num_cpus * i, EVENT_TICK, i, i,
			   tick_event, &time->ticks[i]);
}
