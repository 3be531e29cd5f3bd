/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a send costs: its instructions against the trace of a real 3.6, the
 * calls against what costs.map says of them, its locked operations, and the
 * lines that two CPUs write.
 */
#include <stdlib.h>
#include <string.h>

#include "net6_support.h"
#include "stack/include/linux/entry.h"

#define WARM_UP 64u
#define SENDS 512u	/* as many as make no slab come or go */

enum operation {
	U4SEND, U4SEND_CONF, C4SEND, U6SEND, U6SEND_CONF, C6SEND, C6SEND_CONF,
	NULLSYS, NUM_OPERATIONS
};

static const struct {
	const char *name;
	int family;
	bool connected;
	u32 flags;
	u32 column;		/* of costs.map */
	u32 atomics, on_routes;	/* locked operations */
} operations[] = {
	/* On the route's references two, on the socket's memory three. */
	[U4SEND] = { "U4SEND", PF_INET, false, 0, 2, 5, 2 },
	[U4SEND_CONF] = { "U4SEND_CONF", PF_INET, false, MSG_CONFIRM, 2, 5, 2 },
	[C4SEND] = { "C4SEND", PF_INET, true, 0, 3, 5, 2 },
	/* On the route's references six: the look-up's, the cork's and the
	 * packet's; on the socket's memory three, on its lock two; on the
	 * table's lock two; eight for the source address. */
	[U6SEND] = { "U6SEND", PF_INET6, false, 0, 4, 21, 6 },
	[U6SEND_CONF] = { "U6SEND_CONF", PF_INET6, false, MSG_CONFIRM, 4, 21,
			  6 },
	/* The same six, three and two, and one on sk_dst_lock. */
	[C6SEND] = { "C6SEND", PF_INET6, true, 0, 5, 12, 6 },
	[C6SEND_CONF] = { "C6SEND_CONF", PF_INET6, true, MSG_CONFIRM, 5, 12,
			  6 },
	[NULLSYS] = { "NULLSYS", PF_INET, false, 0, 0, 0, 0 },
};

/* One warmed operation, repeated; what is counted before and after. */
struct measurement {
	struct net_fixture *net;
	enum operation operation;
	void (*look)(struct measurement *m, bool after);
	const struct sock *sk;	/* while it runs */
	u64 instructions, atomics;
	u64 *calls;		/* by function */
};

static void send_one(const struct measurement *m, int fd)
{
	u32 flags = operations[m->operation].flags;
	int sent;

	if (m->operation == NULLSYS)
		sent = sys_getppid();
	else if (operations[m->operation].connected)
		sent = net_send(fd, "x", 1, flags);
	else if (operations[m->operation].family == PF_INET6)
		sent = net6_send_to(fd, "x", 1, flags, NET6_PEER);
	else
		sent = net_send_to(fd, "x", 1, flags, NET_PEER);
	if (sent != 1)
		ck_abort_msg("%s: %d", operations[m->operation].name, sent);
}

static int socket_for(enum operation operation)
{
	bool connected = operations[operation].connected;

	if (operations[operation].family == PF_INET6)
		return connected ? net6_socket_to(NET6_PEER) : net6_socket();
	return connected ? net_socket_to(NET_PEER) : net_socket();
}

static void measure(void *arg)
{
	struct measurement *m = arg;
	int fd = socket_for(m->operation);
	u32 i;

	m->sk = net_sk(fd);
	for (i = 0; i < WARM_UP; i++)
		send_one(m, fd);
	m->look(m, false);
	for (i = 0; i < SENDS; i++)
		send_one(m, fd);
	m->look(m, true);
	sys_close(fd);
}

/* On a device that sums up, as the traced one does. */
static void measure_on(struct measurement *m, enum operation operation,
		       void (*look)(struct measurement *, bool))
{
	struct net_setup setup = { .tx_checksumming = true };

	*m = (struct measurement){
		.net = operations[operation].family == PF_INET6 ?
		       net6_new(&setup) : net_new(&setup),
		.operation = operation, .look = look,
	};
	net_run_one(m->net, measure, m);
}

/* ---- tables ---- */

/* Calls row() for each line of a table but comments. */
static void each_row(const char *path, bool has_header,
		     void (*row)(char **columns, void *arg), void *arg)
{
	g_autofree char *file = net_source_file(path);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	u32 i;

	if (!g_file_get_contents(file, &text, NULL, NULL))
		ck_abort_msg("cannot read %s", file);
	lines = g_strsplit(text, "\n", -1);
	for (i = 0; lines[i]; i++) {
		g_auto(GStrv) columns = g_strsplit(lines[i], "\t", -1);

		if (!*lines[i] || *lines[i] == '#')
			continue;
		if (has_header)
			has_header = false;
		else
			row(columns, arg);
	}
}

struct truth {
	const char *operation;
	u64 instructions;
};

static void truth_row(char **columns, void *arg)
{
	struct truth *truth = arg;

	if (g_str_equal(columns[0], truth->operation))
		truth->instructions = g_ascii_strtoull(columns[1], NULL, 10);
}

static u64 traced(enum operation operation)
{
	struct truth truth = { .operation = operations[operation].name };

	each_row("tests/truth/linux-3.6/operations.tsv", true, truth_row,
		 &truth);
	ck_assert_uint_gt(truth.instructions, 0);
	return truth.instructions;
}

/* ---- instructions ---- */

static void look_at_instructions(struct measurement *m, bool after)
{
	u64 now = net_instructions(m->net);

	m->instructions = after ? now - m->instructions : now;
}

START_TEST(test_instructions)
{
	g_autoptr(GString) text = g_string_new(NULL);
	bool good = true;
	enum operation i;

	for (i = 0; i < NUM_OPERATIONS; i++) {
		struct measurement m;
		u64 want = traced(i), have;

		measure_on(&m, i, look_at_instructions);
		/* Each send costs the same once it is warm. */
		ck_assert_uint_eq(m.instructions % SENDS, 0);
		have = m.instructions / SENDS;
		g_string_append_printf(text, "%s %" G_GUINT64_FORMAT
				       " (traced: %" G_GUINT64_FORMAT ") ",
				       operations[i].name, have, want);
		good = good && have * 100 >= want * 95 &&
		       have * 100 <= want * 105;
		net_free(m.net);
	}
	if (!good)
		ck_abort_msg("%s", text->str);
}
END_TEST

static u64 *calls_now(const struct net_fixture *net)
{
	u64 *calls = g_new0(u64, num_function_sites());
	u32 i;

	for (i = 0; i < num_function_sites(); i++)
		calls[i] = net_calls(net, __start_function_sites[i].name);
	return calls;
}

static void look_at_calls(struct measurement *m, bool after)
{
	g_autofree u64 *now = NULL;
	u32 i;

	if (!after) {
		m->calls = calls_now(m->net);
		return;
	}
	now = calls_now(m->net);
	for (i = 0; i < num_function_sites(); i++)
		m->calls[i] = now[i] - m->calls[i];
}

struct called {
	struct measurement m;
	u32 column;
	GString *wrong;
};

/* costs.map scales by how often a send calls each function: it must know. */
static void map_row(char **columns, void *arg)
{
	struct called *called = arg;
	u64 want = g_ascii_strtoull(columns[called->column], NULL, 10);
	u64 have = 0;
	u32 i;

	if (g_str_equal(columns[0], "(WORK)"))
		return;
	for (i = 0; i < num_function_sites(); i++)
		if (g_str_equal(__start_function_sites[i].name, columns[0]))
			have = called->m.calls[i];
	if (have != want * SENDS)
		g_string_append_printf(called->wrong, "%s: %" G_GUINT64_FORMAT
				       ", not %" G_GUINT64_FORMAT "; ",
				       columns[0], have, want * SENDS);
}

START_TEST(test_calls)
{
	struct called called = { .wrong = g_string_new(NULL) };

	called.column = operations[_i].column;
	measure_on(&called.m, _i, look_at_calls);
	each_row("stack/kernels/linux-3.6/costs.map", false, map_row, &called);
	if (called.wrong->len)
		ck_abort_msg("%s", called.wrong->str);
	g_string_free(called.wrong, TRUE);
	g_free(called.m.calls);
	net_free(called.m.net);
}
END_TEST

/* ---- rows that nobody uses ---- */

static void cost_row(char **columns, void *arg)
{
	GString *dead = arg;
	u32 i;

	for (i = 0; i < num_function_sites(); i++)
		if (g_str_equal(__start_function_sites[i].name, columns[0]))
			return;
	g_string_append_printf(dead, "%s ", columns[0]);
}

START_TEST(test_no_dead_row)
{
	GString *dead = g_string_new(NULL);

	each_row("stack/kernels/linux-3.6/costs.tsv", true, cost_row, dead);
	if (dead->len)
		ck_abort_msg("no such function in the model: %s", dead->str);
	g_string_free(dead, TRUE);
}
END_TEST

/* ---- locked operations ---- */

static void look_at_atomics(struct measurement *m, bool after)
{
	u64 now = net_atomics(m->net);

	m->atomics = after ? now - m->atomics : now;
	m->instructions = net_hits(m->net, "dst_entry", "__refcnt",
				   ACCESS_ATOMIC) - m->instructions;
}

START_TEST(test_atomics)
{
	struct measurement m;

	measure_on(&m, _i, look_at_atomics);
	ck_assert_uint_eq(m.atomics, operations[_i].atomics * SENDS);
	ck_assert_uint_eq(m.instructions, operations[_i].on_routes * SENDS);
	net_free(m.net);
}
END_TEST

/* ---- two CPUs ---- */

#define CPUS 2u
#define FLOOD 400u

struct sender {
	struct net_fixture *net;
	u32 flags;
	u32 sent;
	u32 wmem_line;		/* of its socket */
};

static void flood(void *arg)
{
	struct sender *s = arg;
	int fd = net_socket();

	s->wmem_line = MEMBER_LINE(net_sk(fd), sk_wmem_alloc);
	for (s->sent = 0; s->sent < FLOOD; s->sent++)
		if (net_send_to(fd, "x", 1, s->flags, NET_PEER) != 1)
			ck_abort_msg("a send of a flood failed");
	/* Closing takes lines of others; it waits until nobody looks. */
	while (s->sent++ < FLOOD + 100)
		sys_close(-1);
}

/* Forgets who wrote what while the sockets were made. */
static void clear_lines(void *arg, ps_t now)
{
	struct sender *senders = arg;
	struct machine *machine = senders[0].net->machine;
	u32 i;

	(void)now;
	for (i = 0; i < CPUS; i++) {
		ck_assert_uint_gt(senders[i].sent, 10);
		ck_assert_uint_lt(senders[i].sent, FLOOD / 2);
	}
	for (i = 1; i <= machine->num_shared; i++)
		memset(machine->shared[i].writers, 0,
		       sizeof(machine->shared[i].writers));
}

static bool several(u64 set)
{
	return set & (set - 1);
}

/* The lines that more than one CPU wrote: "type line;" each. */
static char *contended_lines(const struct machine *machine)
{
	GString *text = g_string_new(NULL);
	u32 i;

	for (i = 0; i < machine->node_next_frame[0] * LINES_PER_PAGE; i++) {
		const struct line *l = &machine->lines[i];

		if (several(machine->shared[l->shared].writers[0]))
			g_string_append_printf(text, "%s %u;",
				machine->account.types[l->type].type->name,
				l->index);
	}
	return g_string_free(text, FALSE);
}

static struct net_fixture *flood_on_two(struct sender *senders, u32 flags,
					const char *const *patches,
					const struct kernel_setting *layout)
{
	struct net_setup setup = {
		.cores = CPUS, .patches = patches, .layout = layout,
	};
	struct net_fixture *net = net_new(&setup);
	struct net_process processes[CPUS];
	u32 i;

	for (i = 0; i < CPUS; i++) {
		senders[i] = (struct sender){ .net = net, .flags = flags };
		processes[i] = (struct net_process){
			.cpu = i, .fn = flood, .arg = &senders[i],
		};
	}
	machine_at(net->machine, 200 * PS_PER_US, EVENT_CONTROL, 0, 0,
		   clear_lines, senders);
	net_run(net, processes, CPUS);
	return net;
}

static const char *const confirm_once[] = { "neigh-confirm-once", NULL };

static const struct kernel_setting own_line[] = {
	{ "neighbour.confirmed", "own line", "" }, { NULL, NULL, NULL },
};

static const struct {
	u32 flags;
	const char *const *patches;
	const struct kernel_setting *layout;
	const char *lines;	/* at the end both leave the namespace */
} floods[] = {
	{ 0, NULL, NULL, "net 0;" },
	{ MSG_CONFIRM, NULL, NULL, "net 0;neighbour 0;" },
	{ MSG_CONFIRM, NULL, own_line, "net 0;neighbour 6;" },
	{ MSG_CONFIRM, confirm_once, NULL, "net 0;" },
};

START_TEST(test_lines_that_both_write)
{
	struct sender senders[CPUS];
	struct net_fixture *net = flood_on_two(senders, floods[_i].flags,
					       floods[_i].patches,
					       floods[_i].layout);
	g_autofree char *lines = contended_lines(net->machine);

	ck_assert_str_eq(lines, floods[_i].lines);
	net_free(net);
}
END_TEST

/* The route that a CPU keeps for the way to NET_PEER. */
static const struct dst_entry *cached_route(const struct net_fixture *net,
					    u32 cpu)
{
	struct fib_key key = { .daddr = NET_PEER };
	struct fib_result res = { 0 };

	ck_assert_int_eq(tb_lookup(net->kernel->init_net->ipv4.fib_main,
					  &key, &res), 0);
	return &FIB_RES_NH(res)->nh_pcpu_rth_output[cpu]->rth->dst;
}

/* No locked operation is on a line that the other CPU has so much as seen. */
START_TEST(test_atomics_are_private)
{
	struct sender senders[CPUS];
	struct net_fixture *net = flood_on_two(senders, MSG_CONFIRM, NULL,
					       NULL);
	u32 i;

	for (i = 0; i < CPUS; i++) {
		const struct dst_entry *dst = cached_route(net, i);
		const u32 lines[] = { MEMBER_LINE(dst, __refcnt),
				      senders[i].wmem_line };
		u32 k;

		for (k = 0; k < ARRAY_SIZE(lines); k++) {
			const struct line *line =
				&net->machine->lines[lines[k]];

			ck_assert_uint_eq(line->class, LINE_PRIVATE);
			ck_assert_uint_eq(line->cpu, i);
		}
	}
	net_free(net);
}
END_TEST

/* ---- suite ---- */

Suite *suite_costs(void)
{
	Suite *suite = suite_create("costs");
	TCase *instructions = tcase_create("instructions");
	TCase *lines = tcase_create("lines");

	tcase_add_test(instructions, test_instructions);
	tcase_add_loop_test(instructions, test_calls, 0, NULLSYS);
	tcase_add_test(instructions, test_no_dead_row);
	suite_add_tcase(suite, instructions);
	tcase_add_loop_test(lines, test_atomics, 0, NULLSYS);
	tcase_add_loop_test(lines, test_lines_that_both_write, 0,
			    ARRAY_SIZE(floods));
	tcase_add_test(lines, test_atomics_are_private);
	suite_add_tcase(suite, lines);
	return suite;
}
