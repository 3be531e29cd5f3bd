/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A datagram over IPv6 and the loopback device of 2.6.32: the locked operations
 * of its way to the socket and of the reader, counted by the word that they are
 * on.  Later kernels do without most of them.
 */
#include "net6_support.h"

#define ROUNDS 20u
#define LOOPBACK ((struct in6_addr){ .s6_addr = { [15] = 1 } })

static const struct count {
	const char *type, *member;
	u32 arrive, read;	/* in one sending with its arrival; in a read */
} counts[] = {
	/* The look-up's two; nobody holds the reader's meanwhile. */
	{ "sock", "sk_refcnt", 2, 0 },
	/* The sender's hold and release, and the arrival's; the reader holds
	 * its own to free the packet. */
	{ "sock", "sk_lock.slock", 3, 2 },
	{ "sock", "sk_backlog.rmem_alloc", 1, 1 },
	{ "sock", "sk_receive_queue.lock", 1, 1 },
	/* For the sender's wait queue and for the receiver's: none is looked at
	 * by a reader that finds its packet. */
	{ "sock", "sk_callback_lock", 4, 0 },
	{ "sock", "sk_dst_rwlock", 4, 0 },
	{ "sock", "sk_wmem_alloc", 3, 0 },
	/* Look-up, cork, packet; cork, and what the socket had.  The packet's
	 * stays until it is read. */
	{ "dst_entry", "__refcnt", 5, 1 },
	/* The CPU's backlog is scheduled, and done. */
	{ "napi_struct", "state", 2, 0 },
};

struct test {
	struct net_fixture *net;
	u64 on[ARRAY_SIZE(counts)][2];
	u64 total[2];
	s32 refcnt;
};

static void look(struct test *t, u32 part, s32 sign)
{
	u32 i;

	t->total[part] += net_atomics(t->net) * (u64)(s64)sign;
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		t->on[i][part] += net_hits(t->net, counts[i].type,
					   counts[i].member, ACCESS_ATOMIC) *
				  (u64)(s64)sign;
}

static int open_server(void)
{
	const struct sockaddr_any any = {
		.family = PF_INET6, .port = NET_PORT,
	};
	int fd = net6_socket();

	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	return fd;
}

static void rounds(void *arg)
{
	int server = open_server(), client = net6_socket_to(LOOPBACK);
	const struct dst_entry *dst;
	struct test *t = arg;
	u32 i;

	for (i = 0; i < ROUNDS + 2; i++) {
		if (i == 2)	/* from then on all is warm */
			t->refcnt = net_sk(client)->sk_dst_cache->__refcnt;
		if (i >= 2)
			look(t, 0, -1);
		ck_assert_int_eq(net_send(client, "x", 1, 0), 1);
		if (i >= 2)
			look(t, 0, 1);
		dst = net_sk(client)->sk_dst_cache;
		if (i >= 2)
			ck_assert_int_eq(dst->__refcnt, t->refcnt + 1);
		if (i >= 2)
			look(t, 1, -1);
		ck_assert_int_eq(sys_recvfrom(server, NULL, 1, 0, NULL), 1);
		if (i >= 2)
			look(t, 1, 1);
	}
	ck_assert_int_eq(dst->__refcnt, t->refcnt);
	sys_close(client);
	sys_close(server);
}

static const char *const patches[] = { "sk-tx-queue-mapping", NULL };

START_TEST(test_locked_operations)
{
	const struct net_setup setup = {
		.kernel = "linux-2.6.32", .check = true,
		.patches = _i ? patches : NULL,
	};
	struct test t = { .net = net6_new(&setup) };
	u64 sum[2] = { 0, 0 };
	u32 i;

	net_run_one(t.net, rounds, &t);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		ck_assert_msg(t.on[i][0] == counts[i].arrive * ROUNDS &&
			      t.on[i][1] == counts[i].read * ROUNDS,
			      "%u and %u locked operations on %s.%s in %u "
			      "rounds", (u32)t.on[i][0], (u32)t.on[i][1],
			      counts[i].type, counts[i].member, ROUNDS);
		sum[0] += t.on[i][0];
		sum[1] += t.on[i][1];
	}
	ck_assert_uint_eq(t.total[0], sum[0]);
	ck_assert_uint_eq(t.total[1], sum[1]);
	net_verify_clean(t.net);
	net_free(t.net);
}
END_TEST

Suite *suite_rcv_locks(void)
{
	Suite *suite = suite_create("rcv_locks");
	TCase *tcase = tcase_create("loopback");

	tcase_add_loop_test(tcase, test_locked_operations, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}
