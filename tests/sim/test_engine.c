/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pending-event set: its order, and what cancelling does to it. */
#include "sim/engine.h"
#include "sim/random.h"
#include "support.h"

static char happened[256];

static void note(void *arg, ps_t now)
{
	(void)now;
	g_strlcat(happened, arg, sizeof(happened));
}

static struct engine *fresh(void)
{
	happened[0] = '\0';
	return engine_new();
}

static void run_all(struct engine *engine)
{
	while (engine_run_one(engine))
		;
}

#define ADD(time, class, target, source, text) \
	engine_add(engine, time, class, target, source, note, (char *)(text))

/* Added last part first, so that no part of the order comes about by chance. */
START_TEST(test_order_of_ties)
{
	struct engine *engine = fresh();

	ADD(20, EVENT_DEVICE, 0, 0, "i");
	ADD(10, EVENT_CONTROL, 0, 0, "h");
	ADD(10, EVENT_TIMER, 0, 0, "g");
	ADD(10, EVENT_TICK, 4095, 4095, "f");
	ADD(10, EVENT_DEVICE, 4095, 0, "e");
	ADD(10, EVENT_DEVICE, 7, 4095, "d");
	ADD(10, EVENT_DEVICE, 7, 2, "b");
	ADD(10, EVENT_DEVICE, 7, 2, "c");
	ADD(9, EVENT_CONTROL, 4095, 4095, "a");
	ck_assert_uint_eq(engine_pending(engine), 9);
	run_all(engine);
	ck_assert_str_eq(happened, "abcdefghi");
	ck_assert_uint_eq(engine_pending(engine), 0);
	ck_assert(!engine_run_one(engine));
	engine_free(engine);
}
END_TEST

START_TEST(test_sequence_breaks_ties)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	static char texts[26][2];
	struct engine *engine = fresh();
	u32 i;

	for (i = 0; i < 26; i++) {
		texts[i][0] = letters[i];
		ADD(5, EVENT_TIMER, 1, 1, texts[i]);
	}
	run_all(engine);
	ck_assert_str_eq(happened, letters);
	engine_free(engine);
}
END_TEST

START_TEST(test_next)
{
	struct engine *engine = fresh();
	event_id first, second;

	ck_assert_uint_eq(engine_next(engine), TIME_NEVER);
	second = ADD(70, EVENT_TIMER, 0, 0, "y");
	first = ADD(30, EVENT_TIMER, 0, 0, "x");
	ck_assert_uint_eq(engine_next(engine), 30);
	ck_assert(engine_cancel(engine, first));
	ck_assert_uint_eq(engine_next(engine), 70);
	ck_assert(engine_cancel(engine, second));
	ck_assert_uint_eq(engine_next(engine), TIME_NEVER);
	ck_assert(!engine_run_one(engine));
	ck_assert_str_eq(happened, "");
	engine_free(engine);
}
END_TEST

START_TEST(test_cancel)
{
	struct engine *engine = fresh();
	event_id a = ADD(1, EVENT_TIMER, 0, 0, "a");
	event_id b = ADD(2, EVENT_TIMER, 0, 0, "b");
	event_id c = ADD(3, EVENT_TIMER, 0, 0, "c"), d;

	ck_assert_uint_ne(a, 0);
	ck_assert(!engine_cancel(engine, 0));
	ck_assert(engine_cancel(engine, b));
	ck_assert(!engine_cancel(engine, b));
	ck_assert_uint_eq(engine_pending(engine), 2);
	run_all(engine);
	ck_assert_str_eq(happened, "ac");
	ck_assert(!engine_cancel(engine, a));
	ck_assert(!engine_cancel(engine, c));
	/* Whoever takes a used place is not reached by the old name. */
	d = ADD(4, EVENT_TIMER, 0, 0, "d");
	ck_assert(!engine_cancel(engine, a));
	ck_assert(!engine_cancel(engine, b));
	ck_assert(!engine_cancel(engine, c));
	ck_assert(engine_cancel(engine, d));
	engine_free(engine);
}
END_TEST

struct chain {
	struct engine *engine;
	event_id victim;
	bool cancelled;
};

static void add_more(void *arg, ps_t now)
{
	struct chain *chain = arg;
	struct engine *engine = chain->engine;

	chain->cancelled = engine_cancel(engine, chain->victim);
	ADD(now, EVENT_DEVICE, 0, 0, "b");	/* now: "a" has been */
	ADD(now, EVENT_CONTROL, 0, 0, "d");
	ADD(now + 1, EVENT_DEVICE, 0, 0, "e");
}

START_TEST(test_events_add_and_cancel_events)
{
	struct engine *engine = fresh();
	struct chain chain = { .engine = engine };

	ADD(10, EVENT_DEVICE, 0, 0, "a");
	ADD(10, EVENT_TIMER, 1, 0, "c");
	chain.victim = ADD(10, EVENT_TIMER, 2, 0, "x");
	engine_add(engine, 10, EVENT_TICK, 0, 0, add_more, &chain);
	run_all(engine);
	ck_assert(chain.cancelled);
	ck_assert_str_eq(happened, "abcde");
	engine_free(engine);
}
END_TEST

/* ---- a million random operations against a sorted sequence ---- */

struct reference {
	ps_t time;
	u32 class, target, source;
	u64 number;		/* 0, 1, 2, ... as added */
	event_id id;
};

static const struct reference *last_happened;

static void note_reference(void *arg, ps_t now)
{
	last_happened = arg;
	must(now == last_happened->time);
}

static int compare(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct reference *x = a, *y = b;

	(void)data;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void random_add(struct engine *engine, GSequence *sorted,
		       struct random_stream *stream, ps_t now, u64 number)
{
	struct reference *r = g_new(struct reference, 1);

	*r = (struct reference){
		/* Few different times and names: ties are common. */
		.time = now + random_below(stream, 40),
		.class = random_below(stream, NUM_EVENT_CLASSES),
		.target = random_below(stream, 3),
		.source = random_below(stream, 3),
		.number = number,
	};
	r->id = engine_add(engine, r->time, r->class, r->target, r->source,
			   note_reference, r);
	g_sequence_insert_sorted(sorted, r, compare, NULL);
}

static void random_cancel(struct engine *engine, GSequence *sorted,
			  struct random_stream *stream)
{
	gint n = g_sequence_get_length(sorted);
	GSequenceIter *at =
		g_sequence_get_iter_at_pos(sorted, random_below(stream, n));
	const struct reference *r = g_sequence_get(at);
	event_id id = r->id;

	must(engine_cancel(engine, id));
	must(!engine_cancel(engine, id));
	g_sequence_remove(at);
}

static ps_t take_one(struct engine *engine, GSequence *sorted)
{
	GSequenceIter *first = g_sequence_get_begin_iter(sorted);
	const struct reference *r = g_sequence_get(first);
	ps_t time = r->time;

	must(engine_next(engine) == time);
	must(engine_run_one(engine));
	must(last_happened == r);
	g_sequence_remove(first);
	return time;
}

START_TEST(test_million_operations)
{
	struct engine *engine = fresh();
	GSequence *sorted = g_sequence_new(g_free);
	struct random_stream stream;
	ps_t now = 0;
	u64 i, taken = 0, cancelled = 0;

	random_seed(&stream, 1, "engine test", 0);
	for (i = 0; i < 1000000; i++) {
		gint n = g_sequence_get_length(sorted);
		/* Grows to thousands and shrinks to nothing, over and over. */
		u32 grow = i / 20000 % 2 ? 30 : 60;
		u32 dice = random_below(&stream, 100);

		must(engine_pending(engine) == (size_t)n);
		if (!n || dice < grow) {
			random_add(engine, sorted, &stream, now, i);
		} else if (dice < 88) {
			now = take_one(engine, sorted);
			taken++;
		} else {
			random_cancel(engine, sorted, &stream);
			cancelled++;
		}
	}
	while (g_sequence_get_length(sorted))
		take_one(engine, sorted);
	ck_assert(!engine_run_one(engine));
	ck_assert_uint_gt(taken, 200000);
	ck_assert_uint_gt(cancelled, 100000);
	g_sequence_free(sorted);
	engine_free(engine);
}
END_TEST

Suite *suite_engine(void)
{
	const TTest *const tests[] = {
		test_order_of_ties,
		test_sequence_breaks_ties,
		test_next,
		test_cancel,
		test_events_add_and_cancel_events,
		test_million_operations,
		NULL,
	};

	return support_suite("engine", tests, NULL, NULL);
}
