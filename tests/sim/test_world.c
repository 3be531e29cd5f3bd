/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several machines in one simulation, and the links between them. */
#include <string.h>

#include "sim/link.h"
#include "support.h"

#define NS 1000u
#define DELAY (1000 * NS)
#define MAX_SEEN 4096u

static struct machine_profile profile;
static struct world *world;
static struct machine *machines[4];
static struct link *links[8];
static u32 num_machines, num_links;

static void setup(void)
{
	profile = small_profile(1, 2, 1);
	world = world_new(7);
	num_machines = 0;
	num_links = 0;
}

static void teardown(void)
{
	u32 i;

	for (i = 0; i < num_links; i++)
		link_free(links[i]);
	world_free(world);
	for (i = 0; i < num_machines; i++)
		support_machine_free(machines[i]);
}

static void add_machines(u32 n)
{
	for (; num_machines < n; num_machines++) {
		struct machine *machine = support_machine(&profile, 1, false);

		machines[num_machines] = machine;
		ck_assert_uint_eq(world_add(world, machine), num_machines);
	}
}

/* 1 Gbit/s unless something else is said: 8 ns a byte. */
static const struct link_profile gigabit = {
	.rate_mbit = 1000, .delay = DELAY,
};

static struct link *add_link(const struct link_profile *link, u32 a, u32 b)
{
	return links[num_links++] = link_new(world, link, machines[a],
					     machines[b]);
}

/* Who is kept awake by nothing but this stays until the end of the run. */
static void sleep_for_ever(void *arg)
{
	(void)arg;
	context_block();
}

static void world_step(void)
{
	FUNCTION(world_step);
}

/* ---- time on the wire ---- */

static ps_t seen[MAX_SEEN];
static u32 seen_len[MAX_SEEN];
static u8 seen_first[MAX_SEEN];
static u32 num_seen;

static void see(void *arg, const u8 *data, u32 len, ps_t now)
{
	(void)arg;
	must(num_seen < MAX_SEEN);
	seen[num_seen] = now;
	seen_first[num_seen] = *data;
	seen_len[num_seen++] = len;
}

/* Sends n frames at once from the first machine, whose first byte counts. */
static struct link *burst(const struct link_profile *link, u32 n, u32 len)
{
	struct link *wire;
	u8 data[2000] = { 0 };
	u32 i;

	add_machines(2);
	wire = add_link(link, 0, 1);
	wire->ends[1].receive = see;
	num_seen = 0;
	start(machines[0], 0, sleep_for_ever, NULL);
	for (i = 0; i < n; i++) {
		data[0] = (u8)i;
		link_send(&wire->ends[0], data, len, 0);
	}
	/* Somebody sleeps: the run ends when nothing is left to do. */
	ck_assert(!world_run(world));
	return wire;
}

START_TEST(test_frames_follow_each_other_by_the_rate)
{
	u32 i;

	burst(&gigabit, 3, 1000);
	ck_assert_uint_eq(num_seen, 3);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(seen_len[i], 1000);
		ck_assert_uint_eq(seen_first[i], i);
		/* 8 of preamble, 4 of check sequence, 12 of gap between. */
		ck_assert_uint_eq(seen[i], (1012 + 1024 * i) * 8 * NS + DELAY);
	}
}
END_TEST

START_TEST(test_short_frames_are_padded)
{
	burst(&gigabit, 2, 14);
	ck_assert_uint_eq(seen[0], 72 * 8 * NS + DELAY);
	ck_assert_uint_eq(seen[1], (72 + 84) * 8 * NS + DELAY);
	ck_assert_uint_eq(seen_len[0], 14);
}
END_TEST

START_TEST(test_link_says_when_it_is_free)
{
	struct link *wire;
	u8 data[100] = { 0 };

	add_machines(2);
	wire = add_link(&gigabit, 0, 1);
	ck_assert_uint_eq(link_send(&wire->ends[0], data, 100, 5), 124 * 8 * NS
			  + 5);
	ck_assert_uint_eq(link_send(&wire->ends[0], data, 100, 10),
			  2 * 124 * 8 * NS + 5);
	/* The other direction is a wire of its own. */
	ck_assert_uint_eq(link_send(&wire->ends[1], data, 100, 10),
			  124 * 8 * NS + 10);
	ck_assert_uint_eq(link_frame_time(wire, 100), 124 * 8 * NS);
}
END_TEST

/* ---- chances ---- */

#define HALF (LINK_CHANCE_ONE / 2)

START_TEST(test_chances_do_what_they_say)
{
	struct link_profile p = gigabit;
	struct link *wire;

	p.loss = LINK_CHANCE_ONE / 10;
	p.duplicate = LINK_CHANCE_ONE / 20;
	p.reorder = LINK_CHANCE_ONE / 5;
	p.reorder_delay = 5000 * NS;
	wire = burst(&p, 2000, 60);
	/* Five standard deviations of a binomial distribution. */
	ck_assert_int_le(llabs((long long)wire->ends[0].counters.lost - 200),
			 5 * 14);
	ck_assert_int_le(llabs((long long)wire->ends[0].counters.duplicated -
			       90), 5 * 10);
	ck_assert_int_le(llabs((long long)wire->ends[0].counters.reordered -
			       360), 5 * 17);
	ck_assert_uint_eq(wire->ends[0].counters.sent, 2000);
	ck_assert_uint_eq(num_seen, 2000 - wire->ends[0].counters.lost +
			  wire->ends[0].counters.duplicated);
	ck_assert_uint_eq(wire->ends[1].counters.received, num_seen);
	ck_assert_uint_eq(wire->ends[1].counters.received_bytes, 60 * num_seen);
}
END_TEST

START_TEST(test_reordered_frames_are_overtaken)
{
	struct link_profile p = gigabit;
	u32 i, back = 0;

	p.reorder = HALF;
	p.reorder_delay = 672 * NS * 3 / 2;	/* two frames */
	burst(&p, 100, 60);
	ck_assert_uint_eq(num_seen, 100);
	for (i = 1; i < num_seen; i++)
		back += seen_first[i] < seen_first[i - 1];
	ck_assert_uint_ge(back, 10);
}
END_TEST

/* With other chances, the frames that come come at the same times. */
START_TEST(test_chances_leave_the_others_alone)
{
	static ps_t before[256];
	struct link_profile p = gigabit;
	u32 i;

	burst(&p, 100, 60);
	for (i = 0; i < 100; i++)
		before[seen_first[i]] = seen[i];
	teardown();
	setup();
	p.loss = HALF;
	burst(&p, 100, 60);
	ck_assert_uint_lt(num_seen, 80);
	ck_assert_uint_gt(num_seen, 20);
	for (i = 0; i < num_seen; i++)
		ck_assert_uint_eq(seen[i], before[seen_first[i]]);
}
END_TEST

static u32 num_captured[2];

static void capture(void *arg, const u8 *data, u32 len, ps_t now, bool sent)
{
	(void)arg;
	(void)data;
	(void)now;
	ck_assert_uint_eq(len, 60);
	num_captured[sent]++;
}

START_TEST(test_capture_sees_what_leaves_and_what_comes)
{
	struct link_profile p = gigabit;
	struct link *wire;
	u8 data[60] = { 0 };
	u32 i;

	p.loss = HALF;
	add_machines(2);
	wire = add_link(&p, 0, 1);
	num_captured[0] = num_captured[1] = 0;
	for (i = 0; i < 2; i++)
		wire->ends[i].capture = capture;
	start(machines[0], 0, sleep_for_ever, NULL);
	for (i = 0; i < 50; i++)
		link_send(&wire->ends[0], data, 60, 0);
	ck_assert(!world_run(world));
	ck_assert_uint_eq(num_captured[1], 50);
	ck_assert_uint_eq(num_captured[0], 50 - wire->ends[0].counters.lost);
	ck_assert_uint_gt(wire->ends[0].counters.lost, 5);
}
END_TEST

/* ---- two machines ---- */

struct player {
	struct link_end *end;
	struct context *context;
	ps_t came;
	bool waits;
	u32 rounds;
	ps_t log[8];
};

static void come(void *arg, const u8 *data, u32 len, ps_t now)
{
	struct player *player = arg;

	(void)data;
	(void)len;
	player->came = now;
	if (player->waits)
		context_wake(player->context, now);
	player->waits = false;
}

static void play(struct player *player, bool serve)
{
	u8 data[60] = { 0 };
	u32 i;

	player->context = this_cpu->current;
	for (i = 0; i < player->rounds; i++) {
		if (serve || i) {
			player->waits = true;
			context_block();
			must(this_cpu->clock >= player->came);
			player->log[i] = this_cpu->clock;
		}
		world_step();
		link_send(player->end, data, 60, this_cpu->clock);
	}
}

static void serve_first(void *arg)
{
	play(arg, true);
}

static void send_first(void *arg)
{
	play(arg, false);
}

START_TEST(test_ping_pong)
{
	struct player players[2] = { { .rounds = 5 }, { .rounds = 5 } };
	const ps_t way = 72 * 8 * NS + DELAY, work = 30 * NS;
	struct link *wire;
	u32 i;

	add_machines(2);
	wire = add_link(&gigabit, 0, 1);
	for (i = 0; i < 2; i++) {
		players[i].end = &wire->ends[i];
		wire->ends[i].receive = come;
		wire->ends[i].arg = &players[i];
		account_set_cost(machines[i], function_index("world_step"), 30, 0);
	}
	start(machines[0], 0, send_first, &players[0]);
	start(machines[1], 0, serve_first, &players[1]);
	ck_assert(world_run(world));
	for (i = 0; i < 5; i++)
		ck_assert_uint_eq(players[1].log[i], (way + work) * (2 * i + 1));
	for (i = 1; i < 5; i++)
		ck_assert_uint_eq(players[0].log[i], (way + work) * 2 * i);
}
END_TEST

/* What arrives is in time for a CPU that is busy all the while. */
static ps_t taken_at;

static void handler(struct cpu *cpu, void *arg)
{
	(void)arg;
	taken_at = cpu->clock;
}

static struct irq irq = { .name = "frame", .fn = handler };

static void interrupt(void *arg, const u8 *data, u32 len, ps_t now)
{
	(void)data;
	(void)len;
	cpu_raise(arg, &irq, now);
}

static void be_busy(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < 10000; i++)
		world_step();
}

static void send_late(void *arg)
{
	u8 data[60] = { 0 };
	u32 i;

	for (i = 0; i < 300; i++)
		world_step();
	link_send(arg, data, 60, this_cpu->clock);
}

START_TEST(test_busy_machine_is_interrupted_in_time)
{
	const ps_t arrival = 300 * 10 * NS + 72 * 8 * NS + DELAY;
	struct link *wire;
	u32 i;

	/* Either may be the one that was added first. */
	for (i = 0; i < 2; i++) {
		teardown();
		setup();
		add_machines(2);
		wire = add_link(&gigabit, i, !i);
		account_set_cost(machines[0], function_index("world_step"), 10, 0);
		account_set_cost(machines[1], function_index("world_step"), 10, 0);
		wire->ends[1].receive = interrupt;
		wire->ends[1].arg = &machines[!i]->cpus[0];
		taken_at = 0;
		start(machines[!i], 0, be_busy, NULL);
		start(machines[i], 0, send_late, &wire->ends[0]);
		ck_assert(world_run(world));
		ck_assert_uint_ge(taken_at, arrival);
		ck_assert_uint_le(taken_at, arrival + 10 * NS);
		ck_assert_uint_eq(machines[!i]->cpus[0].clock, 10000 * 10 * NS);
	}
}
END_TEST

/* ---- many machines, against a plain list of events ---- */

#define NODES 4u
#define HOPS 300u

struct node {
	u32 index;
	struct random_stream random;
	u64 sum;		/* of what came, in its order */
	u32 hops;
};

static struct node nodes[NODES];
static struct link_end *ends[NODES][NODES];
static u32 hops_left;

/* What came decides who gets the next one, when, and how long it is. */
static u32 decide(struct node *node, ps_t now, u32 *len, ps_t *when)
{
	u64 draw = random_u64(&node->random);

	node->sum = node->sum * 31 + now;
	node->hops++;
	*len = 60 + (u32)(draw >> 8) % 1000;
	*when = now + (draw >> 32) % (3000 * NS);
	return (node->index + 1 + (u32)(draw % (NODES - 1))) % NODES;
}

struct sending {
	struct link_end *end;
	u32 len;
};

static void send_event(void *arg, ps_t now)
{
	struct sending *sending = arg;
	u8 data[1100] = { 0 };

	link_send(sending->end, data, sending->len, now);
	g_free(sending);
}

static void forward(void *arg, const u8 *data, u32 len, ps_t now)
{
	struct node *node = arg;
	struct sending *sending;
	ps_t when;
	u32 to;

	(void)data;
	if (!hops_left)
		return;
	hops_left--;
	sending = g_new0(struct sending, 1);
	to = decide(node, now, &len, &when);
	sending->end = ends[node->index][to];
	sending->len = len;
	machine_at(machines[node->index], when, EVENT_TIMER, node->index, 0,
		   send_event, sending);
}

static void mesh(void)
{
	struct link_profile p = gigabit;
	u32 i, j, k;

	for (i = 0; i < NODES; i++) {
		nodes[i] = (struct node){ .index = i };
		random_seed(&nodes[i].random, 3, "node", i);
	}
	add_machines(NODES);
	for (i = 0; i < NODES; i++) {
		for (j = 0; j < i; j++) {
			struct link *wire;

			p.delay = (500 + 300 * i + 100 * j) * NS;
			wire = add_link(&p, i, j);
			ends[i][j] = &wire->ends[0];
			ends[j][i] = &wire->ends[1];
			for (k = 0; k < 2; k++) {
				wire->ends[k].receive = forward;
				wire->ends[k].arg = &nodes[k ? j : i];
			}
		}
	}
}

/* The same by a list from which the earliest is taken. */
struct pending {
	ps_t time;
	u32 from, to, len;
	bool sends;
};

static u64 reference(u64 *sums)
{
	static struct pending list[16];
	static ps_t free_at[NODES][NODES];
	struct random_stream random[NODES];
	u32 n = 0, left = HOPS, i, done = 0;

	memset(free_at, 0, sizeof(free_at));
	for (i = 0; i < NODES; i++) {
		random_seed(&random[i], 3, "node", i);
		sums[i] = 0;
	}
	list[n++] = (struct pending){ 0, 0, 1, 60, true };
	list[n++] = (struct pending){ 0, 2, 3, 60, true };
	while (n) {
		struct pending p;
		u64 draw;

		for (i = 0; i < n; i++)
			if (list[i].time < list[0].time) {
				p = list[0];
				list[0] = list[i];
				list[i] = p;
			}
		p = list[0];
		list[0] = list[--n];
		if (p.sends) {
			u32 a = MAX(p.from, p.to), b = MIN(p.from, p.to);
			ps_t *wire = &free_at[p.from][p.to];
			ps_t begin = MAX(p.time, *wire);

			*wire = begin + (p.len + 24) * 8 * NS;
			p.time = begin + (p.len + 12) * 8 * NS +
				 (500 + 300 * a + 100 * b) * NS;
			p.sends = false;
			list[n++] = p;
			continue;
		}
		if (!left)
			continue;
		left--;
		done++;
		draw = random_u64(&random[p.to]);
		sums[p.to] = sums[p.to] * 31 + p.time;
		p.from = p.to;
		p.to = (p.from + 1 + (u32)(draw % (NODES - 1))) % NODES;
		p.len = 60 + (u32)(draw >> 8) % 1000;
		p.time += (draw >> 32) % (3000 * NS);
		p.sends = true;
		list[n++] = p;
	}
	return done;
}

START_TEST(test_many_machines_do_as_one_list_of_events)
{
	u8 data[60] = { 0 };
	u64 sums[NODES];
	u32 i;

	mesh();
	hops_left = HOPS;
	start(machines[0], 0, sleep_for_ever, NULL);
	link_send(ends[0][1], data, 60, 0);
	link_send(ends[2][3], data, 60, 0);
	ck_assert(!world_run(world));
	ck_assert_uint_eq(reference(sums), HOPS);
	for (i = 0; i < NODES; i++) {
		ck_assert_uint_gt(nodes[i].hops, HOPS / 10);
		ck_assert_uint_eq(nodes[i].sum, sums[i]);
	}
}
END_TEST

/* ---- the end ---- */

static void stop(void *arg)
{
	world_step();
	((struct machine *)arg)->stopped = true;
}

START_TEST(test_a_stopped_machine_stops_all)
{
	add_machines(2);
	add_link(&gigabit, 0, 1);
	account_set_cost(machines[0], function_index("world_step"), 10, 0);
	account_set_cost(machines[1], function_index("world_step"), 10, 0);
	start(machines[0], 0, be_busy, NULL);
	start(machines[1], 0, stop, machines[1]);
	start(machines[1], 0, be_busy, NULL);
	ck_assert(!world_run(world));
}
END_TEST

START_TEST(test_machines_without_links_run_by_themselves)
{
	add_machines(2);
	account_set_cost(machines[0], function_index("world_step"), 10, 0);
	account_set_cost(machines[1], function_index("world_step"), 20, 0);
	start(machines[0], 0, be_busy, NULL);
	start(machines[1], 0, be_busy, NULL);
	ck_assert(world_run(world));
	ck_assert_uint_eq(machines[0]->cpus[0].clock, 10000 * 10 * NS);
	ck_assert_uint_eq(machines[1]->cpus[0].clock, 10000 * 20 * NS);
}
END_TEST

Suite *suite_world(void)
{
	Suite *suite = suite_create("world");
	TCase *tcase = tcase_create("world");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_frames_follow_each_other_by_the_rate);
	tcase_add_test(tcase, test_short_frames_are_padded);
	tcase_add_test(tcase, test_link_says_when_it_is_free);
	tcase_add_test(tcase, test_chances_do_what_they_say);
	tcase_add_test(tcase, test_reordered_frames_are_overtaken);
	tcase_add_test(tcase, test_chances_leave_the_others_alone);
	tcase_add_test(tcase, test_capture_sees_what_leaves_and_what_comes);
	tcase_add_test(tcase, test_ping_pong);
	tcase_add_test(tcase, test_busy_machine_is_interrupted_in_time);
	tcase_add_test(tcase, test_many_machines_do_as_one_list_of_events);
	tcase_add_test(tcase, test_a_stopped_machine_stops_all);
	tcase_add_test(tcase, test_machines_without_links_run_by_themselves);
	suite_add_tcase(suite, tcase);
	return suite;
}
