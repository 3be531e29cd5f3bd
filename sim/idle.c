/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Idle states and the choice between them; see idle.h. */
#include <glib.h>

#include "sim/idle.h"

/* No interval counts as longer than a second. */
#define LONGEST_NS 1000000000u
/* Intervals are regular if they differ by no more than this, or a sixth. */
#define REGULAR_US 20u

/* The mean of the intervals up to `most`, how many they are, and whether they
 * are regular; `*largest` is the largest of them. */
static bool is_regular(const struct cpu_idle *idle, u64 most, u64 *mean_us,
		       u32 *n, u64 *largest)
{
	u64 sum = 0, squares = 0;
	u32 i;

	*n = 0;
	*largest = 0;
	for (i = 0; i < IDLE_INTERVALS; i++) {
		u64 us = idle->intervals[i] / 1000;

		if (us > most)
			continue;
		++*n;
		sum += us;
		squares += us * us;
		*largest = MAX(*largest, us);
	}
	if (!*n)
		return false;
	*mean_us = sum / *n;
	/* n^2 times the variance, and n^2 times the mean's square */
	squares = squares * *n - sum * sum;
	return squares <= (u64)REGULAR_US * REGULAR_US * *n * *n ||
	       sum * sum > 36 * squares;
}

/* The usual interval: without the longest ones, of which a quarter may be left
 * out; UINT64_MAX: there is none. */
static u64 usual_ns(const struct cpu_idle *idle)
{
	u64 most = UINT64_MAX, mean_us = 0, largest;
	u32 n;

	if (idle->num_intervals < IDLE_INTERVALS)
		return UINT64_MAX;
	for (;;) {
		bool regular = is_regular(idle, most, &mean_us, &n, &largest);

		if (n * 4 < IDLE_INTERVALS * 3)
			return UINT64_MAX;
		if (regular)
			return mean_us * 1000;
		most = largest - 1;
	}
}

u64 idle_predict(const struct cpu *cpu)
{
	u64 timer = UINT64_MAX;

	if (cpu->next_timer != TIME_NEVER)
		timer = cpu->next_timer > cpu->clock ?
			(cpu->next_timer - cpu->clock) / PS_PER_NS : 0;
	return MIN(timer, usual_ns(&cpu->idle_states));
}

s32 idle_choose(const struct machine_profile *profile, u64 ns)
{
	s32 state = 0;
	u32 i;

	if (!profile->num_idle)
		return NO_IDLE_STATE;
	for (i = 1; i < profile->num_idle; i++)
		if (profile->idle[i].residency_ps / PS_PER_NS <= ns)
			state = (s32)i;
	return state;
}

void idle_enter(struct cpu *cpu)
{
	cpu->asleep = true;
	cpu->asleep_since = cpu->clock;
	cpu->idle_states.now = idle_choose(cpu->machine->profile,
					   idle_predict(cpu));
}

/* Who is woken before it has fallen asleep does not. */
void idle_leave(struct cpu *cpu)
{
	struct cpu_idle *idle = &cpu->idle_states;
	ps_t slept = cpu->clock - cpu->asleep_since;

	cpu->asleep = false;
	if (slept && idle->now != NO_IDLE_STATE) {
		idle->entered[idle->now]++;
		idle->time[idle->now] += slept;
		idle->intervals[idle->num_intervals++ % IDLE_INTERVALS] =
			(u32)MIN(slept / PS_PER_NS, LONGEST_NS);
		slept += cpu->machine->profile->idle[idle->now].exit_ps;
		cpu->clock = cpu->asleep_since + slept;
	}
	idle->now = NO_IDLE_STATE;
	cpu->slept += slept;
}
