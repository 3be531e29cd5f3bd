/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of neighbours: what each event does in each state, by a table; and
 * the same in the time of a run.
 */
#include <errno.h>

#include "neigh_support.h"
#include "stack/lib/checksum.h"

/* ---- the table ---- */

/* Columns, as neigh_states has them: None, Incomplete, Reachable, Stale, Delay,
 * Probe, Failed, noArp, perManent. */
static const char neigh_states[] = "NIRSDPFAM";

static const u8 nud_of[] = {
	NUD_NONE, NUD_INCOMPLETE, NUD_REACHABLE, NUD_STALE, NUD_DELAY,
	NUD_PROBE, NUD_FAILED, NUD_NOARP, NUD_PERMANENT,
};

enum { BOTH, OLD, NEW };	/* kernels: 3.6, 6.1 */

/*
 * What an event leads to from each state: the new state, how many packets the
 * device sees (solicitations and data), whether a timer is pending then, and
 * the address that the neighbour has: the first one, the other one, or none
 * that counts.  `err`: 0, Permission denied or Invalid, of neigh_update().
 */
struct row {
	const char *name;
	int kernel;
	const char *after;
	const char *err;
	void (*fn)(struct neigh_fixture *f, struct neighbour *n);
	/* Where that is NULL: neigh_update() with these. */
	const u8 *lladdr;
	u8 nud_state;
	u32 flags;
};

static void packet(struct neigh_fixture *f, struct neighbour *n)
{
	neigh_output(n, neigh_packet(f, 0), false);
}

static void timeout(struct neigh_fixture *f, struct neighbour *n)
{
	(void)f;
	if (n->timer.pending)
		pass_timer(n);
	else
		pass_jiffies(10 * HZ);
}

static void almost(const struct neighbour *n)
{
	while (n->timer.pending && jiffies_data()->jiffies != n->timer.due - 1)
		pass_jiffy();
}

static void confirmed(struct neigh_fixture *f, struct neighbour *n)
{
	almost(n);
	neigh_confirm(n);
	timeout(f, n);
}

static void used(struct neigh_fixture *f, struct neighbour *n)
{
	almost(n);
	n->used = jiffies_data()->jiffies;
	timeout(f, n);
}

static void last_probe(struct neigh_fixture *f, struct neighbour *n)
{
	n->probes = 6;		/* three by unicast, three by multicast */
	timeout(f, n);
}

static void device_down(struct neigh_fixture *f, struct neighbour *n)
{
	neigh_ifdown(f->tbl, f->dev);
	ck_assert_uint_eq(n->dead, 1);
	ck_assert_ptr_eq(n->output, neigh_blackhole);
}

#define OVER NEIGH_UPDATE_F_OVERRIDE
#define WEAK NEIGH_UPDATE_F_WEAK_OVERRIDE
#define NO_ERR "000000000"
#define NOT_ADMIN "0000000pp"

static const struct row rows[] = {
	{ "packet", BOTH, "I1+. I0+. R1+a D1+a D1+a P1+a I1+. A1-a M1-a",
	  NO_ERR, packet, NULL, 0, 0 },
	{ "time", BOTH, "N0-. I1+. S0-a S0-a P1+a P1+a F0-. A0-a M0-a",
	  NO_ERR, timeout, NULL, 0, 0 },
	{ "time, confirmed", BOTH,
	  "N0-. I1+. R0+a S0-a R0+a P1+a F0-. A0-a M0-a",
	  NO_ERR, confirmed, NULL, 0, 0 },
	{ "time, used", BOTH, "N0-. I1+. D0+a S0-a P1+a P1+a F0-. A0-a M0-a",
	  NO_ERR, used, NULL, 0, 0 },
	{ "time, no probe left", BOTH,
	  "N0-. F0-. S0-a S0-a P1+a F0-. F0-. A0-a M0-a",
	  NO_ERR, last_probe, NULL, 0, 0 },
	{ "device down", BOTH, "N0-. N0-. A0-a A0-a A0-a A0-a N0-. A0-a A0-a",
	  NO_ERR, device_down, NULL, 0, 0 },

	{ "answer, same address", BOTH,
	  "R0+a R0+a R0+a R0+a R0+a R0+a R0+a A0-a M0-a",
	  NOT_ADMIN, NULL, mac_a, NUD_REACHABLE, OVER },
	{ "answer, other address, not to override", BOTH,
	  "R0+b R0+b R0+a S0-a D0+a P0+a R0+b A0-a M0-a",
	  NOT_ADMIN, NULL, mac_b, NUD_REACHABLE, 0 },
	{ "answer, other address, to override", BOTH,
	  "R0+b R0+b R0+b R0+b R0+b R0+b R0+b A0-a M0-a",
	  NOT_ADMIN, NULL, mac_b, NUD_REACHABLE, OVER },
	{ "answer, other address, weak", BOTH,
	  "R0+b R0+b S0-a S0-a D0+a P0+a R0+b A0-a M0-a",
	  NOT_ADMIN, NULL, mac_b, NUD_REACHABLE, WEAK },
	{ "question, same address", OLD,
	  "S0-a S0-a R0+a S0-a S0-a S0-a S0-a A0-a M0-a",
	  NOT_ADMIN, NULL, mac_a, NUD_STALE, OVER },
	{ "question, same address", NEW,
	  "S0-a S0-a R0+a S0-a D0+a P0+a S0-a A0-a M0-a",
	  NOT_ADMIN, NULL, mac_a, NUD_STALE, OVER },
	{ "question, same address, weak", BOTH,
	  "S0-a S0-a R0+a S0-a D0+a P0+a S0-a A0-a M0-a",
	  NOT_ADMIN, NULL, mac_a, NUD_STALE, WEAK },
	{ "question, other address", BOTH,
	  "S0-b S0-b S0-b S0-b S0-b S0-b S0-b A0-a M0-a",
	  NOT_ADMIN, NULL, mac_b, NUD_STALE, OVER },
	{ "answer without address", BOTH,
	  "N0-. I0+. R0+a R0+a R0+a R0+a F0-. A0-a M0-a",
	  "ii0000ipp", NULL, NULL, NUD_REACHABLE, OVER },

	{ "user: failed", BOTH, "F0-. F0-. F0-. F0-. F0-. F0-. F0-. F0-. F0-.",
	  NO_ERR, NULL, NULL, NUD_FAILED, ADMIN },
	{ "user: none", BOTH, "N0-. N0-. N0-. N0-. N0-. N0-. N0-. N0-. N0-.",
	  NO_ERR, NULL, NULL, NUD_NONE, ADMIN },
	{ "user: incomplete", BOTH,
	  "I0-. I0-. I0-. I0-. I0-. I0-. I0-. I0-. I0-.",
	  NO_ERR, NULL, NULL, NUD_INCOMPLETE, ADMIN },
	{ "user: permanent", BOTH,
	  "M0-b M0-b M0-b M0-b M0-b M0-b M0-b M0-b M0-b",
	  NO_ERR, NULL, mac_b, NUD_PERMANENT, ADMIN },
	{ "user: noarp", BOTH, "A0-a A0-a A0-a A0-a A0-a A0-a A0-a A0-a A0-a",
	  NO_ERR, NULL, mac_a, NUD_NOARP, ADMIN },
	{ "user: reachable", BOTH,
	  "R0+b R0+b R0+b R0+b R0+b R0+b R0+b R0+b R0+b",
	  NO_ERR, NULL, mac_b, NUD_REACHABLE, ADMIN },
	{ "user: stale", OLD, "S0-a S0-a R0+a S0-a S0-a S0-a S0-a A0-a M0-a",
	  NO_ERR, NULL, mac_a, NUD_STALE, ADMIN },
	{ "user: stale", NEW, "S0-a S0-a S0-a S0-a S0-a S0-a S0-a S0-a S0-a",
	  NO_ERR, NULL, mac_a, NUD_STALE, ADMIN },
	{ "user: delay", BOTH, "D0+a D0+a D0+a D0+a D0+a D0+a D0+a D0+a D0+a",
	  NO_ERR, NULL, mac_a, NUD_DELAY, ADMIN },
	{ "user: probe", BOTH, "P0+b P0+b P0+b P0+b P0+b P0+b P0+b P0+b P0+b",
	  NO_ERR, NULL, mac_b, NUD_PROBE, ADMIN },
};

/* Brings a new neighbour into a state on the way that leads there. */
static void enter(struct neighbour *n, char state)
{
	switch (state) {
	case 'N':
		break;
	case 'I':
		neigh_event_send(n, NULL);
		break;
	case 'R':
		neigh_update(n, mac_a, NUD_REACHABLE, OVER);
		break;
	case 'D':
	case 'P':
		enter(n, 'S');
		neigh_event_send(n, NULL);
		if (state == 'P')
			pass_timer(n);
		break;
	case 'S':
		neigh_update(n, mac_a, NUD_STALE, OVER);
		break;
	case 'F':
		enter(n, 'I');
		pass_timer(n);
		pass_timer(n);
		pass_timer(n);
		break;
	case 'A':
		neigh_update(n, mac_a, NUD_NOARP, ADMIN);
		break;
	case 'M':
		neigh_update(n, mac_a, NUD_PERMANENT, ADMIN);
		break;
	}
}

static char state_letter(const struct neighbour *n)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(nud_of); i++)
		if (nud_of[i] == n->nud_state)
			return neigh_states[i];
	return '?';
}

static char address_letter(const struct neighbour *n)
{
	if (!memcmp(n->ha, mac_a, ETH_ALEN))
		return 'a';
	return !memcmp(n->ha, mac_b, ETH_ALEN) ? 'b' : '?';
}

static char err_letter(int err)
{
	return !err ? '0' : err == -EPERM ? 'p' : err == -EINVAL ? 'i' : '?';
}

/* What must hold in any state: the table's and the test's references and the
 * timer's, and that what is on the list for collection is not permanent. */
static void verify_invariants(const struct neigh_fixture *f,
			      const struct neighbour *n)
{
	ck_assert_int_eq(n->refcnt, 1 + !n->dead + n->timer.pending);
	ck_assert_uint_eq(neigh_count(f), !n->dead);
	ck_assert_int_eq(f->tbl->entries, f->on_lo + 1);
	if (has(NEIGH_GC_LIST)) {
		bool on = !n->dead && n->nud_state != NUD_PERMANENT;

		ck_assert_uint_eq(n->on_gc_list, on);
		ck_assert_int_eq(f->tbl->gc_entries, on);
	}
	/* Data must not go to a neighbour that has no address. */
	if (n->nud_state & NUD_VALID || n->dead)
		ck_assert_uint_eq(n->arp_queue.qlen, 0);
}

static void verify_cell(struct neigh_fixture *f, const struct row *row, u32 i)
{
	const char *want = row->after + 5 * i;
	struct neighbour *n = neigh_nth(f, 9);
	char got[5] = { 0 }, err = '0', from;
	u32 before;

	enter(n, neigh_states[i]);
	from = state_letter(n);
	before = f->net->packets->len;
	if (row->fn)
		row->fn(f, n);
	else
		err = err_letter(neigh_update(n, row->lladdr, row->nud_state,
					      row->flags));
	got[0] = state_letter(n);
	got[1] = (char)('0' + f->net->packets->len - before);
	got[2] = n->timer.pending ? '+' : '-';
	got[3] = want[3] == '.' ? '.' : address_letter(n);
	if (from != neigh_states[i] || strncmp(got, want, 4) ||
	    err != row->err[i])
		ck_abort_msg("%s, IPv%d, %s from %c (%c): want %.4s %c, got "
			     "%s %c", f->net->kernel->name, f->ip6 ? 6 : 4,
			     row->name, neigh_states[i], from, want,
			     row->err[i], got, err);
	verify_invariants(f, n);
	if (!n->dead)
		neigh_ifdown(f->tbl, f->dev);
	ck_assert_int_eq(n->refcnt, 1);
	neigh_release(n);
	ck_assert_int_eq(f->tbl->entries, f->on_lo);
	ck_assert_int_eq(f->rt->dst.__refcnt, 1);
}

START_TEST(test_states)
{
	const struct row *row = &rows[_i];
	int kernel, ip6;
	u32 i;

	for (kernel = 0; kernel < NEIGH_KERNELS; kernel++) {
		if (row->kernel == (kernel ? OLD : NEW))
			continue;
		for (ip6 = 0; ip6 < NEIGH_FAMILIES; ip6++) {
			struct neigh_fixture *f = neigh_fixture_new(kernel,
								    ip6, false);

			for (i = 0; neigh_states[i]; i++)
				verify_cell(f, row, i);
			neigh_fixture_free(f);
		}
	}
}
END_TEST

/* Data go to the address that the neighbour has, by the cached header where it
 * is good and by a new one where it is not. */
START_TEST(test_data_address)
{
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, false);
	struct neighbour *n = neigh_nth(f, 9);
	const char *state;
	u32 k;

	for (state = "RSDPAM"; *state; state++) {
		for (k = 0; k < 3; k++) {
			const u8 *mac = k % 2 ? mac_b : mac_a;
			const GByteArray *last;

			neigh_update(n, mac, nud_of[strchr(neigh_states,
							   *state) -
						    neigh_states], ADMIN);
			packet(f, n);
			last = net_packet(f->net, f->net->packets->len - 1);
			ck_assert_mem_eq(last->data, mac, ETH_ALEN);
			ck_assert_mem_eq(last->data + ETH_ALEN,
					 f->dev->dev_addr, ETH_ALEN);
			ck_assert_uint_eq(get_be16(last->data + 12),
					  f->ip6 ? ETH_P_IPV6 : ETH_P_IP);
			ck_assert_uint_eq(last->len, f->ip6 ? 62 : 42);
		}
	}
	neigh_release(n);
	neigh_fixture_free(f);
}
END_TEST

static void other_address(struct neigh_fixture *f, struct neighbour *n)
{
	(void)f;
	neigh_update(n, mac_b, NUD_STALE, OVER);
}

static void fail_it(struct neigh_fixture *f, struct neighbour *n)
{
	(void)f;
	neigh_update(n, NULL, NUD_FAILED, ADMIN);
}

/* What makes a reachable neighbour one that is not. */
static void (*const leave[])(struct neigh_fixture *, struct neighbour *) = {
	timeout, used, other_address, fail_it,
};

/* On a device that keeps no headers the output function follows the state. */
START_TEST(test_output_function)
{
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, false);
	struct header_ops *ops = (struct header_ops *)f->dev->header_ops;
	struct neighbour *n;
	const char *state;
	u32 k;

	ops->cache = NULL;
	for (state = neigh_states; *state; state++) {
		n = neigh_nth(f, 9);
		enter(n, *state);
		ck_assert_ptr_eq(n->output, strchr("RAM", *state) ?
				 neigh_connected_output : neigh_resolve_output);
		if (strchr("RSDPAM", *state)) {
			packet(f, n);
			ck_assert_mem_eq(net_packet(f->net,
					 f->net->packets->len - 1)->data,
					 mac_a, ETH_ALEN);
			ck_assert_uint_eq(n->hh.hh_len, 0);
		}
		neigh_ifdown(f->tbl, f->dev);
		neigh_release(n);
	}
	/* ... also when time, an answer or a user has changed it. */
	n = neigh_nth(f, 9);
	for (k = 0; k < ARRAY_SIZE(leave); k++) {
		enter(n, 'R');
		ck_assert_ptr_eq(n->output, neigh_connected_output);
		leave[k](f, n);
		ck_assert(!(n->nud_state & NUD_CONNECTED));
		ck_assert_ptr_eq(n->output, neigh_resolve_output);
	}
	enter(n, 'R');
	used(f, n);
	confirmed(f, n);
	ck_assert_uint_eq(n->nud_state, NUD_REACHABLE);
	ck_assert_ptr_eq(n->output, neigh_connected_output);
	neigh_ifdown(f->tbl, f->dev);
	neigh_release(n);
	/* ... and on one without headers nothing is resolved. */
	f->dev->header_ops = NULL;
	n = neigh_nth(f, 9);
	ck_assert_uint_eq(n->nud_state, NUD_NOARP);
	ck_assert_ptr_eq(n->output, neigh_direct_output);
	packet(f, n);
	ck_assert_uint_eq(net_packet(f->net, f->net->packets->len - 1)->len,
			  f->ip6 ? 48 : 28);
	neigh_release(n);
	neigh_fixture_free(f);
}
END_TEST

/* ---- in the time of a run ---- */

struct story {
	struct neigh_fixture *f;
	/* net_support.h's own */
	void (*tap)(void *arg, const u8 *data, u32 len);
	GArray *times;		/* ps_t of each packet */
	ps_t start;
	struct neighbour *n;
};

static void timed_tap(void *arg, const u8 *data, u32 len)
{
	struct story *story = arg;

	g_array_append_val(story->times, this_cpu->clock);
	story->tap(story->f->net, data, len);
}

static void wake(void *arg, ps_t now)
{
	context_wake(arg, now);
}

static void sleep_ms(u32 ms)
{
	machine_at(this_cpu->machine, this_cpu->clock + ms * PS_PER_MS,
		   EVENT_TIMER, this_cpu->id, this_cpu->id, wake,
		   this_cpu->current);
	context_block();
}

/* The packet was `arp` or not, and came so long after the start: a timer may
 * be a jiffy early, since it counts whole ones, and an eighth late. */
static void verify_time(const struct story *story, u32 i, bool arp, u32 ms)
{
	const GByteArray *packet = net_packet(story->f->net, i);
	ps_t after = g_array_index(story->times, ps_t, i) - story->start;
	u32 jiffy = 1000 / story->f->net->kernel->parameters.hz;

	ck_assert_uint_eq(get_be16(packet->data + 12),
			  arp ? ETH_P_ARP : ETH_P_IP);
	ck_assert_uint_ge(after + jiffy * PS_PER_MS, ms * PS_PER_MS);
	ck_assert_uint_le(after, (ms + ms / 8 + 2 * jiffy) * PS_PER_MS);
}

static void run_story(int kernel, void (*sender)(void *), void (*peer)(void *))
{
	struct neigh_fixture *f = neigh_fixture_new(kernel, false, true);
	struct story story = {
		.f = f, .tap = f->dev->tap,
		.times = g_array_new(FALSE, FALSE, sizeof(ps_t)),
	};
	const struct net_process processes[] = {
		{ .cpu = 1, .fn = sender, .arg = &story },
		{ .cpu = 0, .fn = peer, .arg = &story },
	};

	f->dev->tap = timed_tap;
	f->dev->tap_arg = &story;
	time_start_ticks(f->net->kernel);
	net_run(f->net, processes, 2);
	net_verify_rules(f->net);
	g_array_unref(story.times);
	neigh_fixture_free(f);
}

static void send_in_vain(void *arg)
{
	struct story *story = arg;
	int fd = net_socket();
	u32 i;

	story->start = this_cpu->clock;
	for (i = 0; i < 3; i++)
		ck_assert_int_eq(net_send_to(fd, "x", 1, 0, IP(10, 2, 2, 9)),
				 1);
	story->n = __ipv4_neigh_lookup_noref(story->f->dev, IP(10, 2, 2, 9));
	ck_assert_uint_eq(story->n->arp_queue.qlen, 3);
	ck_assert_int_gt(net_sk(fd)->sk_wmem_alloc, 1);
	sleep_ms(5000);
	ck_assert_uint_eq(story->n->nud_state, NUD_FAILED);
	ck_assert_uint_eq(story->n->arp_queue.qlen, 0);
	ck_assert_int_eq(net_sk(fd)->sk_wmem_alloc, 1);
	ck_assert_uint_eq(story->times->len, 3);
	for (i = 0; i < 3; i++)
		verify_time(story, i, true, i * 1000);
	sys_close(fd);
}

static void do_nothing(void *arg)
{
	(void)arg;
}

START_TEST(test_no_answer)
{
	run_story(_i, send_in_vain, do_nothing);
}
END_TEST

/* Three packets wait for an answer that comes after a second and a half.  The
 * neighbour then is good for at most 45 s, goes stale, and is asked after a
 * packet and five more seconds. */
static void send_and_wait(void *arg)
{
	struct story *story = arg;
	int fd = net_socket();
	u32 i;

	story->start = this_cpu->clock;
	for (i = 0; i < 3; i++)
		ck_assert_int_eq(net_send_to(fd, (u8 *)&i, 1, 0,
					     IP(10, 2, 2, 9)), 1);
	story->n = __ipv4_neigh_lookup_noref(story->f->dev, IP(10, 2, 2, 9));
	sleep_ms(2000);
	ck_assert_uint_eq(story->n->nud_state, NUD_REACHABLE);
	ck_assert_uint_eq(story->times->len, 5);
	for (i = 0; i < 2; i++)
		verify_time(story, i, true, i * 1000);
	for (i = 2; i < 5; i++) {
		verify_time(story, i, false, 1500);
		ck_assert_uint_eq(net_packet(story->f->net, i)->data[42],
				  i - 2);
	}
	sleep_ms(52000);
	ck_assert_uint_eq(story->n->nud_state, NUD_STALE);
	story->start = this_cpu->clock;
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, IP(10, 2, 2, 9)), 1);
	ck_assert_uint_eq(story->n->nud_state, NUD_DELAY);
	sleep_ms(5700);
	ck_assert_uint_eq(story->n->nud_state, NUD_PROBE);
	ck_assert_uint_eq(story->times->len, 7);
	verify_time(story, 5, false, 0);
	verify_time(story, 6, true, 5000);
	ck_assert_mem_eq(net_packet(story->f->net, 6)->data, mac_a, ETH_ALEN);
	/* The transport layer hears from it: no more probes. */
	neigh_update(story->n, NULL, NUD_REACHABLE, 0);
	sleep_ms(3000);
	ck_assert_uint_eq(story->times->len, 7);
	sys_close(fd);
}

static void answer(void *arg)
{
	struct story *story = arg;

	sleep_ms(1500);
	ck_assert_uint_eq(story->n->nud_state, NUD_INCOMPLETE);
	neigh_update(story->n, mac_a, NUD_REACHABLE, OVER);
}

START_TEST(test_answer)
{
	run_story(_i, send_and_wait, answer);
}
END_TEST

/* A socket that is closed meanwhile goes with the last of its packets, whether
 * that is sent or given up. */
static void send_and_close(void *arg)
{
	struct story *story = arg;
	int fd = net_socket();
	const struct sock *sk = net_sk(fd);

	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, IP(10, 2, 2, 9)), 1);
	story->n = __ipv4_neigh_lookup_noref(story->f->dev, IP(10, 2, 2, 9));
	sys_close(fd);
	ck_assert_uint_eq(sk->object.state, OBJECT_ALIVE);
	sleep_ms(5000);
	ck_assert_uint_eq(story->n->arp_queue.qlen, 0);
	ck_assert_uint_ne(sk->object.state, OBJECT_ALIVE);
}

START_TEST(test_closed_socket)
{
	run_story(_i / 2, send_and_close, _i % 2 ? answer : do_nothing);
}
END_TEST

/* ---- suite ---- */

Suite *suite_neigh_state(void)
{
	Suite *suite = suite_create("neigh_state");
	TCase *table = tcase_create("table");
	TCase *run = tcase_create("run");

	tcase_set_timeout(table, 60);
	tcase_add_loop_test(table, test_states, 0, ARRAY_SIZE(rows));
	tcase_add_loop_test(table, test_data_address, 0, 4);
	tcase_add_loop_test(table, test_output_function, 0, 4);
	suite_add_tcase(suite, table);
	tcase_set_timeout(run, 60);
	tcase_add_loop_test(run, test_no_answer, 0, NEIGH_KERNELS);
	tcase_add_loop_test(run, test_answer, 0, NEIGH_KERNELS);
	tcase_add_loop_test(run, test_closed_socket, 0, 2 * NEIGH_KERNELS);
	suite_add_tcase(suite, run);
	return suite;
}
