/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the time of each CPU goes while a run is measured: from the first
 * thread's beginning to the last one's end a CPU works, comes out of an idle
 * state, or has nothing to do.  The calling tree has the same work split by
 * function, but of the whole run; what a CPU works outside of the measured time
 * is kept too, so that the two can be held against each other to the
 * picosecond.
 */
#include "scenarios/run.h"
#include "scenarios/sharing.h"

static struct cpu_times times_of(const struct cpu *cpu, ps_t now)
{
	const struct cpu_idle *idle = &cpu->idle_states;
	struct cpu_times times = { .slept = cpu->slept };
	u32 i;

	if (cpu->asleep && now > cpu->asleep_since)
		times.slept += now - cpu->asleep_since;
	for (i = 0; i < cpu->machine->profile->num_idle; i++) {
		times.exits += idle->entered[i];
		times.exit_ps += idle->entered[i] *
				 cpu->machine->profile->idle[i].exit_ps;
	}
	return times;
}

static void take_times(struct run *run, bool end)
{
	u32 i, j;

	for (i = 0; i < run->num_hosts; i++)
		for (j = 0; j < run->hosts[i].machine->num_cpus; j++) {
			const struct cpu *cpu = &run->hosts[i].machine->cpus[j];
			struct cpu_times *times = run->hosts[i].times[j];

			times[end] = times_of(cpu, this_cpu->clock);
		}
}

/* Enough for several operations of each CPU, and done in a tenth of a second. */
#define SHARING_ACCESSES (64 * 1024)

static void look_at_sharing(struct run *run)
{
	u32 i;

	for (i = 0; i < run->num_hosts; i++)
		run->hosts[i].sharing = sharing_begin(run->hosts[i].machine,
						      SHARING_ACCESSES);
}

void cpu_times_begin(struct run *run)
{
	if (run->measuring)
		return;
	run->measuring = true;
	take_times(run, false);
	if (!run->repeat)
		look_at_sharing(run);
}

void cpu_times_end(struct run *run)
{
	u32 i;

	/* What a thread does next is no operation. */
	for (i = 0; i < run->num_hosts; i++)
		if (run->hosts[i].sharing)
			sharing_end(run->hosts[i].sharing);
	take_times(run, true);
}

void run_measured(const struct run *run, struct run_measured *measured)
{
	ps_t first = TIME_NEVER, last = 0;
	u32 i;

	*measured = (struct run_measured){ 0 };
	for (i = 0; i < run->num_threads; i++) {
		const struct run_thread *t = &run->threads[i];

		if (t->helper)
			continue;
		measured->threads++;
		measured->operations += t->done;
		measured->failed += t->failed;
		measured->busy += t->ran;
		first = MIN(first, t->started);
		last = MAX(last, t->finished);
	}
	measured->elapsed = last - first;
}

/* All that the CPU has worked in this repeat. */
static ps_t busy_in_all(const struct cpu *cpu)
{
	return (cpu->asleep ? cpu->asleep_since : cpu->clock) - cpu->slept;
}

static void add_cpu(const struct run *run, const struct run_host *host, u32 id,
		    ps_t elapsed, struct result_cpu *into)
{
	const struct cpu_times *times = host->times[id];
	ps_t slept = times[1].slept - times[0].slept, exit;
	gint64 busy;
	u32 i;

	exit = times[1].exit_ps - times[0].exit_ps;
	busy = (gint64)(elapsed - slept);
	into->cpu = id;
	into->elapsed_ps += elapsed;
	into->busy_ps += busy;
	into->exits += times[1].exits - times[0].exits;
	into->exit_ps += exit;
	into->idle_ps += (gint64)(slept - exit);
	into->outside_ps +=
		(gint64)busy_in_all(&host->machine->cpus[id]) - busy;
	into->threads = into->helpers = 0;
	for (i = 0; i < run->num_threads; i++) {
		const struct run_thread *t = &run->threads[i];

		if (t->cpu != &host->machine->cpus[id])
			continue;
		into->threads += !t->helper;
		into->helpers += t->helper;
	}
}

static void add_hardware(const struct run_host *host, struct results *results,
			 guint first)
{
	static const char *const names[NUM_HARDWARE] = {
		[HARDWARE_INTERRUPT] = "interrupt",
		[HARDWARE_SYSCALL] = "system call",
		[HARDWARE_SWITCH] = "context switch",
		[HARDWARE_DEVICE] = "device register",
		[HARDWARE_FENCE] = "fence",
	};
	u32 i;

	for (i = 0; i < NUM_HARDWARE; i++) {
		const struct hardware_count *from =
			&host->machine->account.hardware[i];
		struct result_wait *wait;

		if (first + i == results->waits->len) {
			struct result_wait new_wait = {
				.host = g_strdup(host->config->name),
				.kind = g_strdup("hardware"),
				.name = g_strdup(names[i]),
			};

			g_array_append_val(results->waits, new_wait);
		}
		wait = &g_array_index(results->waits, struct result_wait,
				      first + i);
		wait->count += from->count;
		wait->time_ps += from->ps;
	}
}

void cpu_times_add(const struct run *run, struct results *results)
{
	struct run_measured measured;
	guint index = 0;
	u32 i, j;

	run_measured(run, &measured);
	for (i = 0; i < run->num_hosts; i++) {
		const struct run_host *host = &run->hosts[i];

		for (j = 0; j < host->machine->num_cpus; j++, index++) {
			if (index == results->cpus->len) {
				struct result_cpu cpu = {
					.host = g_strdup(host->config->name),
				};

				g_array_append_val(results->cpus, cpu);
			}
			add_cpu(run, host, j, measured.elapsed,
				&g_array_index(results->cpus, struct result_cpu,
					       index));
		}
		add_hardware(host, results, i * NUM_HARDWARE);
	}
}
