/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Coroutines: each keeps its stack and its registers. */
#include <errno.h>
#include <unistd.h>

#include "sim/coroutine.h"
#include "support.h"

#define MANY 4000

static struct coroutine thread, many[MANY];

/* ---- two that take turns ---- */

struct turn {
	struct coroutine *self, *other;
	u32 step;
	GString *trace;
	char letter;
};

static void take_turns(void *arg)
{
	struct turn *turn = arg;
	u64 a = 3, b = 5, c = 7;
	double d = 1.5;

	for (;;) {
		u32 i = turn->step++;

		/* Live across the switch, and not to be computed anew. */
		a = a * 3 + i;
		b = b * 5 + a;
		c ^= b;
		d = d * 1.25 + (double)i;
		g_string_append_c(turn->trace, turn->letter);
		if (i == 9) {
			g_string_append_printf(
				turn->trace, " %" G_GUINT64_FORMAT " %.6f ", c,
				d);
			coroutine_switch(turn->self, &thread);
		}
		coroutine_switch(turn->self, turn->other);
	}
}

START_TEST(test_two_take_turns)
{
	GString *trace = g_string_new(NULL), *alone = g_string_new(NULL);
	u64 a = 3, b = 5, c = 7;
	double d = 1.5;
	struct turn x = { &many[0], &many[1], 0, trace, 'x' };
	struct turn y = { &many[1], &many[0], 0, trace, 'y' };
	u32 i;

	for (i = 0; i < 10; i++) {
		a = a * 3 + i;
		b = b * 5 + a;
		c ^= b;
		d = d * 1.25 + (double)i;
	}
	g_string_printf(alone,
			"xyxyxyxyxyxyxyxyxyx %" G_GUINT64_FORMAT " %.6f "
			"y %" G_GUINT64_FORMAT " %.6f ", c, d, c, d);
	coroutine_init(&many[0], take_turns, &x);
	coroutine_init(&many[1], take_turns, &y);
	coroutine_switch(&thread, &many[0]);	/* until x's tenth turn */
	coroutine_switch(&thread, &many[1]);	/* y's tenth */
	ck_assert_str_eq(trace->str, alone->str);
	coroutine_fini(&many[0]);
	coroutine_fini(&many[1]);
	g_string_free(trace, TRUE);
	g_string_free(alone, TRUE);
}
END_TEST

/* ---- a deep stack, left and entered again at each level ---- */

#define DEPTH 150

static u32 reached;

static __attribute__((noinline)) u64 dive(struct coroutine *co, u32 depth)
{
	volatile u64 local[16];
	u64 below = 0;
	u32 i;

	for (i = 0; i < 16; i++)
		local[i] = depth * 100ull + i;
	reached = depth;
	coroutine_switch(co, &thread);
	if (depth < DEPTH)
		below = dive(co, depth + 1);
	for (i = 0; i < 16; i++)
		must(local[i] == depth * 100ull + i);
	return below + local[3];
}

static u64 dive_result;

static void deep(void *arg)
{
	struct coroutine *co = arg;

	dive_result = dive(co, 1);
	for (;;)
		coroutine_switch(co, &thread);
}

START_TEST(test_deep_stack)
{
	u64 sum = 0;
	u32 i;

	dive_result = 0;
	coroutine_init(&many[0], deep, &many[0]);
	for (i = 1; i <= DEPTH; i++) {
		coroutine_switch(&thread, &many[0]);
		ck_assert_uint_eq(reached, i);
		sum += i * 100ull + 3;
	}
	coroutine_switch(&thread, &many[0]);
	ck_assert_uint_eq(dive_result, sum);
	coroutine_fini(&many[0]);
}
END_TEST

/* ---- many ---- */

static u64 total;

static void add_own_number(void *arg)
{
	struct coroutine *co = arg;
	u64 number = (u64)(co - many);

	for (;;) {
		total += number;
		number += MANY;
		coroutine_switch(co, &thread);
	}
}

START_TEST(test_many)
{
	u64 expected = 0;
	u32 round, i;

	total = 0;
	for (i = 0; i < MANY; i++)
		coroutine_init(&many[i], add_own_number, &many[i]);
	for (round = 0; round < 5; round++)
		for (i = 0; i < MANY; i++) {
			coroutine_switch(&thread, &many[i]);
			expected += i + round * (u64)MANY;
			must(total == expected);
		}
	for (i = 0; i < MANY; i++)
		coroutine_fini(&many[i]);
}
END_TEST

/* Stacks come and go: the next one may lie where one was left half-used. */
START_TEST(test_stacks_are_used_again)
{
	u32 i;

	for (i = 0; i < 300; i++) {
		coroutine_init(&many[0], deep, &many[0]);
		do
			coroutine_switch(&thread, &many[0]);
		while (reached < 1 + i % 40);
		coroutine_fini(&many[0]);
		ck_assert_ptr_null(many[0].stack);
	}
}
END_TEST

/* The kernel says which bytes can be read, without a signal. */
static bool readable(int fd, const void *p)
{
	ssize_t n = write(fd, p, 1);

	ck_assert(n == 1 || errno == EFAULT);
	return n == 1;
}

START_TEST(test_guard_page)
{
	struct coroutine *co = &many[0];
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	coroutine_init(co, deep, co);
	ck_assert(readable(fds[1], co->stack));
	ck_assert(readable(fds[1], (u8 *)co->stack + co->stack_size - 1));
	ck_assert(!readable(fds[1], (u8 *)co->stack - 1));
	ck_assert(!readable(fds[1], (u8 *)co->stack - PAGE_SIZE));
	coroutine_fini(co);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

Suite *suite_coroutine(void)
{
	const TTest *const tests[] = {
		test_two_take_turns,
		test_deep_stack,
		test_many,
		test_stacks_are_used_again,
		test_guard_page,
		NULL,
	};

	return support_suite("coroutine", tests, NULL, NULL);
}
