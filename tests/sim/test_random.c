/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random streams: the same for ever, and independent of each other. */
#include "sim/random.h"
#include "support.h"

/* The generator is SplitMix64: from state 0 it gives what its authors' does. */
START_TEST(test_generator)
{
	struct random_stream stream = { 0 };

	ck_assert_uint_eq(random_u64(&stream), 0xe220a8397b1dcdafull);
	ck_assert_uint_eq(random_u64(&stream), 0x6e789e6aa1b965f4ull);
	ck_assert_uint_eq(random_u64(&stream), 0x06c45d188009454full);
}
END_TEST

/* Recorded once: a change here changes the results of every scenario. */
START_TEST(test_seeds_are_fixed)
{
	static const struct {
		u64 seed;
		const char *name;
		u32 number;
		u64 first;
	} known[] = {
		{ 1, "jitter", 0, 0x1f72a841b634a6a1ull },
		{ 1, "jitter", 1, 0xd9172ab3f9ee1cbbull },
		{ 1, "ports", 0, 0x63f7a8edd556eecbull },
		{ 2, "jitter", 0, 0x14dbd8cb89fdf609ull },
		{ 0, "", 0, 0x568a9b0b1a2c05ecull },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct random_stream stream;

		random_seed(&stream, known[i].seed, known[i].name,
			    known[i].number);
		ck_assert_uint_eq(random_u64(&stream), known[i].first);
	}
}
END_TEST

/* What one stream gives does not depend on how much another has given. */
START_TEST(test_streams_do_not_shift_each_other)
{
	struct random_stream a, b;
	u64 alone[100];
	u32 i;

	random_seed(&a, 5, "arrivals", 0);
	for (i = 0; i < 100; i++)
		alone[i] = random_u64(&a);
	random_seed(&a, 5, "arrivals", 0);
	random_seed(&b, 5, "scheduler", 0);
	for (i = 0; i < 100; i++) {
		u32 draws = i % 7;

		while (draws--)
			random_u64(&b);
		ck_assert_uint_eq(random_u64(&a), alone[i]);
	}
}
END_TEST

/* Bits that two streams share: half of them, give or take six deviations. */
static void assert_unrelated(const struct random_stream *x,
			     const struct random_stream *y)
{
	struct random_stream a = *x, b = *y;
	u32 same = 0, n = 4096, i;

	for (i = 0; i < n; i++)
		same += __builtin_popcountll(~(random_u64(&a) ^
					       random_u64(&b)));
	ck_assert_uint_gt(same, 64 * n / 2 - 6 * 256);
	ck_assert_uint_lt(same, 64 * n / 2 + 6 * 256);
}

START_TEST(test_streams_are_unrelated)
{
	static const char *const names[] = { "jitter", "ports", "hash salt",
					     "arrivals", "scheduler", "link",
					     "a", "b", "ab", "ba" };
	struct random_stream streams[ARRAY_SIZE(names) * 4];
	u32 n = 0, i, j;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		random_seed(&streams[n++], 1, names[i], 0);
		random_seed(&streams[n++], 1, names[i], 1);
		random_seed(&streams[n++], 2, names[i], 0);
		random_seed(&streams[n++], 2, names[i], 256);
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			assert_unrelated(&streams[i], &streams[j]);
}
END_TEST

START_TEST(test_below)
{
	struct random_stream stream;
	u32 count[10] = { 0 }, i;

	random_seed(&stream, 3, "below", 0);
	for (i = 0; i < 1000000; i++) {
		u64 v = random_below(&stream, 10);

		must(v < 10);
		count[v]++;
	}
	/* The deviation is 300. */
	for (i = 0; i < 10; i++) {
		ck_assert_uint_gt(count[i], 100000 - 1800);
		ck_assert_uint_lt(count[i], 100000 + 1800);
	}
	for (i = 0; i < 100; i++) {
		ck_assert_uint_eq(random_below(&stream, 1), 0);
		ck_assert_uint_lt(random_below(&stream, UINT64_MAX),
				  UINT64_MAX);
	}
}
END_TEST

Suite *suite_random(void)
{
	const TTest *const tests[] = {
		test_generator,
		test_seeds_are_fixed,
		test_streams_do_not_shift_each_other,
		test_streams_are_unrelated,
		test_below,
		NULL,
	};

	return support_suite("random", tests, NULL, NULL);
}
