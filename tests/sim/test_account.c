/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What instructions cost, and under which calling context they are counted. */
#include "support.h"

static void leaf(void)
{
	FUNCTION(leaf);
}

static void branch(u32 leaves)
{
	FUNCTION(branch);
	while (leaves--)
		leaf();
	WORK(7);
}

static void trunk(void)
{
	FUNCTION(trunk);
	leaf();
	branch(2);
	branch(3);
	leaf();
}

static const struct call_node *callee(const struct call_node *node,
				      const char *name)
{
	const struct call_node *n = node->first;

	for (; n; n = n->next == node->first ? NULL : n->next)
		if (g_str_equal(__start_function_sites[n->function].name, name))
			return n;
	return NULL;
}

static u32 callees(const struct call_node *node)
{
	const struct call_node *n = node->first;
	u32 count = 0;

	for (; n; n = n->next == node->first ? NULL : n->next)
		count++;
	return count;
}

static void call_trunk_often(void *arg)
{
	u32 i, *times = arg;

	for (i = 0; i < *times; i++)
		trunk();
}

START_TEST(test_calling_contexts)
{
	struct machine_profile profile = small_profile(1, 2, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	const struct call_node *root, *t, *b;
	u32 times = 5;

	account_set_cost(machine, function_index("leaf"), 3, 0);
	account_set_cost(machine, function_index("branch"), 20, 0);
	start(machine, 0, call_trunk_often, &times);
	start(machine, 1, call_trunk_often, &times);
	run(machine);

	/* Two contexts of one name are one tree. */
	root = account_root(&machine->account, "test");
	ck_assert_str_eq(root->name, "test");
	ck_assert_uint_eq(callees(root), 1);
	t = callee(root, "trunk");
	ck_assert_ptr_nonnull(t);
	ck_assert_ptr_eq(t->parent, root);
	ck_assert_uint_eq(t->calls, 10);
	ck_assert_uint_eq(t->instruction_ps, 0);
	ck_assert_uint_eq(callees(t), 2);
	ck_assert_uint_eq(callee(t, "leaf")->calls, 20);
	ck_assert_uint_eq(callee(t, "leaf")->instruction_ps, 20 * 3000);
	b = callee(t, "branch");
	ck_assert_uint_eq(b->calls, 20);
	ck_assert_uint_eq(b->work, 20 * 7);
	ck_assert_uint_eq(b->instruction_ps, 20 * 27000);
	ck_assert_uint_eq(callee(b, "leaf")->calls, 50);
	ck_assert_uint_eq(machine->cpus[0].clock,
			  5 * (2 * 3000 + 2 * 27000 + 5 * 3000));
	ck_assert_uint_eq(machine->cpus[1].clock, machine->cpus[0].clock);
	support_machine_free(machine);
}
END_TEST

/* More callees of one function than one glance finds, in changing order. */
#define CALLEE(n) \
	static void callee##n(void) \
	{ \
		FUNCTION(callee##n); \
	}
CALLEE(0)
CALLEE(1)
CALLEE(2)
CALLEE(3)
CALLEE(4)
CALLEE(5)
CALLEE(6)
CALLEE(7)

static u64 called[8];

static void call_at_random(void *arg)
{
	static void (*const fns[])(void) = { callee0, callee1, callee2,
					     callee3, callee4, callee5,
					     callee6, callee7 };
	struct random_stream stream;
	u32 i;

	(void)arg;
	random_seed(&stream, 1, "callees", 0);
	for (i = 0; i < 10000; i++) {
		u32 n = random_below(&stream, 8);

		called[n]++;
		fns[n]();
	}
}

START_TEST(test_callees_in_any_order)
{
	struct machine_profile profile = small_profile(1, 1, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	const struct call_node *root;
	u32 i;

	memset(called, 0, sizeof(called));
	start(machine, 0, call_at_random, NULL);
	run(machine);
	root = account_root(&machine->account, "test");
	ck_assert_uint_eq(callees(root), 8);
	for (i = 0; i < 8; i++) {
		char name[] = "callee0";

		name[6] += i;
		ck_assert_uint_eq(callee(root, name)->calls, called[i]);
	}
	support_machine_free(machine);
}
END_TEST

static ps_t cost_of_leaf(u64 clock_khz, u32 cpi_milli, u32 instructions)
{
	struct machine_profile profile = small_profile(1, 1, 1);
	struct machine *machine;
	ps_t ps;

	profile.clock_khz = clock_khz;
	profile.cpi_milli = cpi_milli;
	machine = support_machine(&profile, 1, false);
	account_set_cost(machine, function_index("leaf"), instructions, 0);
	this_cpu = &machine->cpus[0];
	leaf();
	ps = this_cpu->clock;
	support_machine_free(machine);
	return ps;
}

/* Instructions times cycles an instruction over the clock, rounded to 1 ps. */
START_TEST(test_instruction_cost)
{
	ck_assert_uint_eq(cost_of_leaf(1000000, 1000, 0), 0);
	ck_assert_uint_eq(cost_of_leaf(1000000, 1000, 1), 1000);
	ck_assert_uint_eq(cost_of_leaf(2000000, 1000, 1), 500);
	ck_assert_uint_eq(cost_of_leaf(3000000, 1000, 1), 333);
	ck_assert_uint_eq(cost_of_leaf(3000000, 1000, 2), 667);
	ck_assert_uint_eq(cost_of_leaf(2666667, 1200, 300), 135000);
	ck_assert_uint_eq(cost_of_leaf(3400000, 850, 100000), 25000000);
}
END_TEST

START_TEST(test_work)
{
	struct machine_profile profile = small_profile(1, 1, 1);
	struct machine *machine;
	u32 i;

	profile.clock_khz = 3000000;
	machine = support_machine(&profile, 1, false);
	this_cpu = &machine->cpus[0];
	/* Rounded down: less than 1 ps a call, and 1 ps in 1,024
	 * instructions. */
	WORK(3000);
	ck_assert_uint_le(this_cpu->clock, 1000000);
	ck_assert_uint_ge(this_cpu->clock, 1000000 - 3);
	this_cpu->clock = 0;
	for (i = 0; i < 3000; i++)
		WORK(1);
	ck_assert_uint_le(this_cpu->clock, 1000000);
	ck_assert_uint_ge(this_cpu->clock, 1000000 - 3000);
	support_machine_free(machine);
}
END_TEST

/* ---- jitter ---- */

#define DRAWS 20000

static void draw(struct machine *machine, u32 cpu, ps_t took[DRAWS])
{
	u32 i;

	this_cpu = &machine->cpus[cpu];
	for (i = 0; i < DRAWS; i++) {
		ps_t before = this_cpu->clock;

		leaf();
		took[i] = this_cpu->clock - before;
	}
}

static struct machine *jittery(u64 seed, u32 jitter_milli)
{
	static struct machine_profile profile;
	struct machine *machine;

	profile = small_profile(1, 2, 1);
	profile.jitter_milli = jitter_milli;
	machine = support_machine(&profile, seed, false);
	account_set_cost(machine, function_index("leaf"), 1000, 0);
	return machine;
}

START_TEST(test_jitter_is_uniform)
{
	static ps_t took[DRAWS];
	struct machine *machine = jittery(1, 200);
	ps_t sum = 0;
	u32 quarter[4] = { 0 }, i;

	draw(machine, 0, took);
	for (i = 0; i < DRAWS; i++) {
		must(took[i] >= 800000 && took[i] <= 1200000);
		quarter[MIN((took[i] - 800000) / 100000, 3)]++;
		sum += took[i];
	}
	/* Six deviations of the mean of 20,000 draws: 0.5 %. */
	ck_assert_uint_gt(sum / DRAWS, 995000);
	ck_assert_uint_lt(sum / DRAWS, 1005000);
	for (i = 0; i < 4; i++) {
		ck_assert_uint_gt(quarter[i], DRAWS / 4 - 400);
		ck_assert_uint_lt(quarter[i], DRAWS / 4 + 400);
	}
	support_machine_free(machine);
}
END_TEST

static u32 equal_draws(const ps_t *a, const ps_t *b)
{
	u32 same = 0, i;

	for (i = 0; i < DRAWS; i++)
		same += a[i] == b[i];
	return same;
}

/* Of 256 values, two streams have one in 256 draws in common by chance. */
START_TEST(test_jitter_streams)
{
	static ps_t a[DRAWS], again[DRAWS], other_cpu[DRAWS], other_seed[DRAWS];
	struct machine *machine = jittery(1, 500);

	draw(machine, 0, a);
	draw(machine, 1, other_cpu);
	support_machine_free(machine);
	machine = jittery(1, 500);
	draw(machine, 1, other_seed);	/* first, and in vain */
	draw(machine, 0, again);
	support_machine_free(machine);
	machine = jittery(2, 500);
	draw(machine, 0, other_seed);
	support_machine_free(machine);
	ck_assert_uint_eq(equal_draws(a, again), DRAWS);
	ck_assert_uint_lt(equal_draws(a, other_cpu), DRAWS / 128);
	ck_assert_uint_lt(equal_draws(a, other_seed), DRAWS / 128);
}
END_TEST

START_TEST(test_no_jitter)
{
	static ps_t a[DRAWS];
	struct machine *machine = jittery(1, 0);
	u32 i;

	draw(machine, 0, a);
	for (i = 0; i < DRAWS; i++)
		must(a[i] == 1000000);
	support_machine_free(machine);
}
END_TEST

Suite *suite_account(void)
{
	const TTest *const tests[] = {
		test_calling_contexts,
		test_callees_in_any_order,
		test_instruction_cost,
		test_work,
		test_jitter_is_uniform,
		test_jitter_streams,
		test_no_jitter,
		NULL,
	};

	return support_suite("account", tests, NULL, NULL);
}
