/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many events a second the pending-event set handles: the hold model, in
 * which each event adds one for later, so that 1,000 (and 100,000) are always
 * pending.  In the same process a queue made of a GSequence, the container at
 * hand, does the same, to compare with on any computer.
 */
#include <stdio.h>

#include "bench.h"
#include "sim/engine.h"
#include "sim/random.h"

struct bench {
	struct engine *engine;
	GSequence *sequence;
	struct random_stream stream;
	u32 mean;		/* of the time until the next event, in ps */
};

static ps_t next_time(struct bench *bench, ps_t now)
{
	return now + 1 + random_below(&bench->stream, 2ull * bench->mean);
}

static void hold(void *arg, ps_t now)
{
	struct bench *bench = arg;

	engine_add(bench->engine, next_time(bench, now), EVENT_TIMER, 0, 0,
		   hold, bench);
}

static double rate_of_engine(u32 pending, u32 events)
{
	struct bench bench = { .mean = 1000 * pending };
	double begin, end;
	u32 i;

	bench.engine = engine_new();
	random_seed(&bench.stream, 1, "bench", 0);
	for (i = 0; i < pending; i++)
		hold(&bench, 0);
	for (i = 0; i < pending; i++)
		engine_run_one(bench.engine);
	begin = cpu_seconds();
	for (i = 0; i < events; i++)
		engine_run_one(bench.engine);
	end = cpu_seconds();
	g_assert(engine_pending(bench.engine) == pending);
	engine_free(bench.engine);
	return events / (end - begin);
}

/* ---- the same with a GSequence ---- */

struct event {
	ps_t time;
	event_fn fn;
	void *arg;
};

static gint compare_events(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct event *x = a, *y = b;

	(void)data;
	return x->time < y->time ? -1 : x->time > y->time;
}

static void sequence_add(struct bench *bench, ps_t time, event_fn fn)
{
	struct event *event = g_new(struct event, 1);

	*event = (struct event){ time, fn, bench };
	g_sequence_insert_sorted(bench->sequence, event, compare_events, NULL);
}

static void sequence_run_one(struct bench *bench)
{
	GSequenceIter *first = g_sequence_get_begin_iter(bench->sequence);
	struct event event = *(struct event *)g_sequence_get(first);

	g_sequence_remove(first);
	event.fn(event.arg, event.time);
}

static void sequence_hold(void *arg, ps_t now)
{
	struct bench *bench = arg;

	sequence_add(bench, next_time(bench, now), sequence_hold);
}

static double rate_of_sequence(u32 pending, u32 events)
{
	struct bench bench = { .mean = 1000 * pending };
	double begin, end;
	u32 i;

	bench.sequence = g_sequence_new(g_free);
	random_seed(&bench.stream, 1, "bench", 0);
	for (i = 0; i < pending; i++)
		sequence_hold(&bench, 0);
	begin = cpu_seconds();
	for (i = 0; i < events; i++)
		sequence_run_one(&bench);
	end = cpu_seconds();
	g_sequence_free(bench.sequence);
	return events / (end - begin);
}

static double typical(double (*rate)(u32, u32), u32 pending, u32 events)
{
	double rates[RUNS];
	u32 i;

	for (i = 0; i < RUNS; i++)
		rates[i] = rate(pending, events);
	return median(rates);
}

int main(void)
{
	double engine = typical(rate_of_engine, 1000, 4000000);
	double sequence = typical(rate_of_sequence, 1000, 400000);
	double large = typical(rate_of_engine, 100000, 2000000);

	printf("bench event_rate %.0f events/s\n", engine);
	printf("bench event_rate_100k %.0f events/s\n", large);
	printf("bench event_rate_gsequence %.0f events/s\n", sequence);
	printf("bench event_rate_ratio %.1f x\n", engine / sequence);
	return EXIT_SUCCESS;
}
