/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many accesses a second the coherent memory serves: 24 CPUs (2 packages
 * of 6 cores of 2 threads) each handle packets of 81 accesses: 20 reads of
 * lines that all share and nobody writes, 60 accesses to lines of the CPU's
 * own, and one locked operation on a line that all fight for.  Each packet
 * spends instructions in nine functions.
 */
#include <stdio.h>

#include "bench.h"

#define STRUCT_NAME(p) _Generic((p), struct record *: "record")

#include "sim/access.h"

#define PACKETS 4000u		/* of each CPU */
#define NUM_SHARED 20u
#define NUM_OWN 20u
#define ACCESSES (NUM_SHARED + 3 * NUM_OWN + 1)

struct record {
	struct object object;
	u64 value;
	u64 other;
};

struct bench {
	struct record *shared;	/* NUM_SHARED */
	struct record *own;	/* NUM_OWN a CPU */
	struct record *contended;
};

static struct object_type record_type;

static struct machine_profile big_machine(void)
{
	return (struct machine_profile){
		.packages = 2,
		.cores = 6,
		.threads = 2,
		.clock_khz = 2800000,
		.node_bytes = 1ull << 30,
		.cpi_milli = 1000,
		.smt_milli = 1500,
		.jitter_milli = 100,
		.l1d = { 32 << 10, 8 },
		.l2 = { 256 << 10, 8 },
		.l3 = { 12 << 20, 16 },
		.line_fill_buffers = 10,
		.latency = { 1400, 3600, 1800, 14000, 16000, 23000, 60000,
			     75000, 65000, 105000 },
		.store_buffer = 32,
		.atomic_ps = 7000,
		.fence_ps = 7000,
	};
}

static struct record *records_new(struct machine *machine, u32 n)
{
	struct record *records = g_new0(struct record, n);
	u64 page = 0;
	u32 i;

	for (i = 0; i < n; i++) {
		if (i % LINES_PER_PAGE == 0)
			page = machine_alloc_pages(machine, 0, 0);
		object_init(&records[i].object, &record_type,
			    page + i % LINES_PER_PAGE * LINE_SIZE);
	}
	return records;
}

static u64 read_shared(struct record *r, u32 n)
{
	u64 sum = 0;
	FUNCTION(read_shared);

	while (n--)
		sum += READ(r++, value);
	return sum;
}

static void use_own(struct record *r, u64 v)
{
	u32 i;
	FUNCTION(use_own);

	for (i = 0; i < NUM_OWN / 4; i++, r++) {
		WRITE(r, value, v);
		WRITE(r, other, READ(r, value) + 1);
	}
}

static void packet(struct bench *bench, struct record *own)
{
	u64 v = 0;
	u32 i;
	FUNCTION(packet);

	for (i = 0; i < 4; i++) {
		v += read_shared(bench->shared + i * NUM_SHARED / 4,
				 NUM_SHARED / 4);
		use_own(own + i * NUM_OWN / 4, v);
	}
	ATOMIC_INC(bench->contended, value);
}

static void packets(void *arg)
{
	struct bench *bench = arg;
	struct record *own = bench->own + this_cpu->id * NUM_OWN;
	u32 i;

	for (i = 0; i < PACKETS; i++)
		packet(bench, own);
}

static void set_costs(struct machine *machine)
{
	u32 i;

	for (i = 0; i < num_function_sites(); i++)
		account_set_cost(machine, i, 250, 20);
}

/* Gives accesses a second of host time; adds up the switches. */
static double run(u64 *switches)
{
	struct machine_profile profile = big_machine();
	struct machine *machine = machine_new(&profile, 1, false);
	struct context *contexts[MAX_CPUS];
	u32 n = machine->num_cpus, i;
	struct bench bench;
	double begin, end;

	set_costs(machine);
	bench.shared = records_new(machine, NUM_SHARED);
	bench.own = records_new(machine, n * NUM_OWN);
	bench.contended = records_new(machine, 1);
	for (i = 0; i < n; i++)
		contexts[i] = context_new(&machine->cpus[i], "packets", packets,
					  &bench);
	begin = cpu_seconds();
	g_assert_true(machine_run(machine));
	end = cpu_seconds();
	g_assert_cmpuint(bench.contended->value, ==, n * PACKETS);
	for (i = 0; i < n; i++) {
		*switches += machine->cpus[i].switches;
		context_free(contexts[i]);
	}
	machine_free(machine);
	g_free(bench.shared);
	g_free(bench.own);
	g_free(bench.contended);
	return (double)n * PACKETS * ACCESSES / (end - begin);
}

int main(void)
{
	double rates[RUNS], rate;
	u64 switches = 0;
	u32 i;

	object_type_init(&record_type, "record", sizeof(struct record),
			 LINE_SIZE);
	object_type_place(&record_type, offsetof(struct record, value), 8, 0);
	object_type_place(&record_type, offsetof(struct record, other), 8, 8);
	for (i = 0; i < RUNS; i++)
		rates[i] = run(&switches);
	rate = median(rates);
	printf("bench coherent_rate %.0f accesses/s\n", rate);
	printf("bench coherent_rate_packets %.0f packets/s\n",
	       rate / ACCESSES);
	printf("bench coherent_rate_switches %.2f a packet\n",
	       (double)switches / (RUNS * 24.0 * PACKETS));
	object_type_fini(&record_type);
	return EXIT_SUCCESS;
}
