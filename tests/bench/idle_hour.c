/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One hour of virtual time of two idle machines in a world, each with a kernel
 * whose ticks have been started: how long that takes here.
 */
#include <stdio.h>

#include "scenarios/machine_file.h"
#include "scenarios/scenario.h"
#include "sim/cpu.h"
#include "sim/world.h"
#include "stack/include/linux/jiffies.h"
#include "stack/kernel.h"
#include "tests/bench/bench.h"

#define HOUR (3600 * PS_PER_S)

struct idler {
	struct machine *machine;
	struct kernel *kernel;
	struct context *context;
};

static void wake(void *arg, ps_t now)
{
	context_wake(arg, now);
}

static void sleep_an_hour(void *arg)
{
	(void)arg;
	machine_at(this_cpu->machine, HOUR, EVENT_TIMER, 0, 0, wake,
		   this_cpu->current);
	context_block();
}

static struct idler start(struct world *world,
			  const struct machine_profile *profile)
{
	g_autofree char *folder = g_build_filename(data_dir(), "stack",
						   "kernels", "linux-3.6",
						   NULL);
	struct kernel_config config = { .folder = folder };
	g_autoptr(GError) error = NULL;
	struct idler idler = { .machine = machine_new(profile, 1, false) };

	idler.kernel = kernel_new(idler.machine, &config, &error);
	if (!idler.kernel)
		g_error("%s", error->message);
	machine_settle(idler.machine);
	idler.context = context_new(&idler.machine->cpus[0], "idler",
				    sleep_an_hour, NULL);
	world_add(world, idler.machine);
	time_start_ticks(idler.kernel);
	return idler;
}

int main(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = machine_find("xeon-e5540-2p", &error);
	g_autoptr(MachineProfile) profile = path ?
		machine_profile_load(path, &error) : NULL;
	struct world *world = world_new(1);
	struct idler idlers[2];
	double begun;
	u32 i;

	if (!profile)
		g_error("%s", error->message);
	for (i = 0; i < 2; i++)
		idlers[i] = start(world, profile);
	begun = cpu_seconds();
	if (!world_run(world))
		g_error("the machines have not come to an end");
	printf("bench idle_hour %.3f s\n", cpu_seconds() - begun);
	for (i = 0; i < 2; i++)
		if (idlers[i].machine->cpus[0].clock < HOUR)
			g_error("machine %u ran for less than an hour", i);
	world_free(world);
	for (i = 0; i < 2; i++) {
		context_free(idlers[i].context);
		kernel_free(idlers[i].kernel);
		machine_free(idlers[i].machine);
	}
	return 0;
}
