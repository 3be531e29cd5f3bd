/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connected IPv6 send of 2.6.32, and the patch of 2009 that stores no route
 * that the socket has: the locked operations of one send, counted by the word
 * that they are on, what becomes of the route's count, and the queue that the
 * socket remembers.
 *
 * Of the eighteen of the published path four are on a queue discipline, which
 * a dummy device has not; the four of the packet's end come in their place,
 * since it ends within the send.
 */
#include <errno.h>
#include <string.h>

#include "net6_support.h"
#include "sim/check.h"
#include "stack/include/linux/rcupdate.h"

#define SENDS 20u

struct count {
	const char *type, *member;
	u32 before, posted, corrected;	/* in one send */
};

static const struct count counts[] = {
	/* The look-up's two; and the store's two. */
	{ "sock", "sk_dst_rwlock", 4, 2, 2 },
	/* Up: look-up, cork, packet.  Down: packet, cork, and what the socket
	 * had before, or else what the look-up took. */
	{ "dst_entry", "__refcnt", 6, 5, 6 },
	{ "sock", "sk_lock.slock", 2, 2, 2 },
	{ "netdev_queue", "_xmit_lock", 1, 1, 1 },
	/* Charged once, given back in two steps, between which whoever waits
	 * for room is looked for under a lock. */
	{ "sock", "sk_wmem_alloc", 3, 3, 3 },
	{ "sock", "sk_callback_lock", 2, 2, 2 },
};

static const char *const variants[][3] = {
	{ "sk-tx-queue-mapping" },
	{ "sk-tx-queue-mapping", "udp6-no-dst-store-rfc" },
	{ "sk-tx-queue-mapping", "udp6-no-dst-store" },
};

enum { BEFORE, POSTED, CORRECTED };

struct test {
	struct net_fixture *net;
	u64 total, on[ARRAY_SIZE(counts)];
	u64 mapping_writes, table_locks;
	s32 refcnt;		/* what the route's count grew by */
	s32 mapping;		/* after the last send */
};

static void look(struct test *t, int fd, s32 sign)
{
	const struct sock *sk = net_sk(fd);
	u32 i;

	t->total += net_atomics(t->net) * (u64)(s64)sign;
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		t->on[i] += net_hits(t->net, counts[i].type, counts[i].member,
				     ACCESS_ATOMIC) * (u64)(s64)sign;
	t->mapping_writes += net_hits(t->net, "sock", "sk_tx_queue_mapping",
				      ACCESS_WRITE) * (u64)(s64)sign;
	t->refcnt += sign * sk->sk_dst_cache->__refcnt;
	t->mapping = sk->sk_tx_queue_mapping;
}

static void send_connected(void *arg)
{
	int fd = net6_socket_to(NET6_PEER);
	struct test *t = arg;
	u32 i;

	for (i = 0; i < 2; i++)	/* the route has its header then */
		ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	look(t, fd, -1);
	for (i = 0; i < SENDS; i++)
		ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	look(t, fd, 1);
	sys_close(fd);
}

static u32 wanted(const struct count *c, int variant)
{
	return variant == BEFORE ? c->before :
	       variant == POSTED ? c->posted : c->corrected;
}

START_TEST(test_connected_send)
{
	static const u32 totals[] = { 18, 15, 16 };
	struct net_setup setup = {
		.kernel = "linux-2.6.32", .patches = variants[_i],
	};
	struct test t = { .net = net6_new(&setup) };
	u32 i;

	net_run_one(t.net, send_connected, &t);
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		ck_assert_msg(t.on[i] == wanted(&counts[i], _i) * SENDS,
			      "%u locked operations on %s.%s in %u sends",
			      (u32)t.on[i], counts[i].type, counts[i].member,
			      SENDS);
	ck_assert_uint_eq(t.total, totals[_i] * SENDS);
	/* As posted, the patch leaves one reference behind each time. */
	ck_assert_int_eq(t.refcnt, _i == POSTED ? (s32)SENDS : 0);
	/* Before, each send chooses a queue and forgets it again. */
	ck_assert_int_eq(t.mapping, _i == BEFORE ? -1 : 0);
	ck_assert_uint_eq(t.mapping_writes, _i == BEFORE ? 2 * SENDS : 0);
	ck_assert_uint_eq(t.net->packets->len, SENDS + 2);
	net_free(t.net);
}
END_TEST

/* The check finds the posted form's mistake by itself, and nothing else. */
static void send_and_close(void *arg)
{
	int fd = net6_socket_to(NET6_PEER);
	u32 i;

	(void)arg;
	for (i = 0; i < SENDS; i++)
		ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	sys_close(fd);
}

START_TEST(test_leaked_reference)
{
	struct net_setup setup = {
		.kernel = "linux-2.6.32", .patches = variants[_i],
		.check = true,
	};
	struct test t = { .net = net6_new(&setup) };
	const char *const *found;

	net_run_one(t.net, send_and_close, &t);
	rcu_barrier();
	check_leaks(t.net->machine);
	found = check_findings(t.net->machine->check);
	if (_i != POSTED) {
		ck_assert_pstr_eq(found[0], NULL);
	} else {
		ck_assert_pstr_ne(found[0], NULL);
		ck_assert_str_eq(found[0], "leak: dst_entry.__refcnt of "
				 "rt6_info: +1.000 a call of sys_sendto, taken "
				 "in udpv6_sendmsg <- inet_sendmsg <- "
				 "sock_sendmsg <- sys_sendto: 60 (sk_dst_check "
				 "20, cork_the_socket 20, finish_packet 20), "
				 "released there 40 (dst_release 40): "
				 "20 calls, 20 references left");
		ck_assert_pstr_eq(found[1], NULL);
	}
	net_free(t.net);
}
END_TEST

/* The patch has nothing to do with sends to anybody: each looks up the
 * route. */
static void send_unconnected(void *arg)
{
	struct test *t = arg;
	int fd = net6_socket();

	net6_send_n(fd, 2, 0);
	t->total = net_atomics(t->net);
	net6_send_n(fd, SENDS, 0);
	t->total = net_atomics(t->net) - t->total;
	sys_close(fd);
}

START_TEST(test_unconnected_send)
{
	u64 total[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		struct net_setup setup = {
			.kernel = "linux-2.6.32",
			.patches = variants[i ? CORRECTED : BEFORE],
			.check = true,
		};
		struct test t = { .net = net6_new(&setup) };

		net_run_one(t.net, send_unconnected, &t);
		total[i] = t.total;
		net_verify_clean(t.net);
		net_free(t.net);
	}
	ck_assert_uint_gt(total[0], 0);
	ck_assert_uint_eq(total[0], total[1]);
}
END_TEST

/* With the route goes its clone, which the socket has: nobody asks about that
 * before, but the next send does, and finds no other. */
static void lose_the_route(void *arg)
{
	int fd = net6_socket_to(NET6_PEER);
	struct test *t = arg;
	struct fib6_table *table = t->net->kernel->init_net->ipv6.fib6_main_tbl;
	const struct in6_addr net = { .s6_addr = { 0xfd } };
	const struct fib6_node *fn;

	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert_uint_eq(net_sk(fd)->sk_dst_cache->obsolete, 0);
	ck_assert_int_eq(net_sk(fd)->sk_tx_queue_mapping, 0);
	fn = fib6_locate(table, &net, 64, &net, 0);
	ck_assert_ptr_nonnull(fn);
	ip6_del_rt(table, fn->leaf);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), -ENETUNREACH);
	ck_assert_ptr_null(net_sk(fd)->sk_dst_cache);
	ck_assert_int_eq(net_sk(fd)->sk_tx_queue_mapping, -1);
	sys_close(fd);
}

START_TEST(test_lost_route)
{
	struct net_setup setup = {
		.kernel = "linux-2.6.32", .patches = variants[CORRECTED],
	};
	struct test t = { .net = net6_new(&setup) };

	net_run_one(t.net, lose_the_route, &t);
	ck_assert_uint_eq(t.net->packets->len, 1);
	net_free(t.net);
}
END_TEST

/* What is not modelled is said to be so. */
static void ask_too_much(void *arg)
{
	int fds[2] = { net_socket(), net6_socket() };
	struct test *t = arg;

	ck_assert_ptr_null(t->net->kernel->not_modelled);
	ck_assert_int_eq(net_send_to(fds[0], "x", 1, 0, NET_PEER),
			 -EAFNOSUPPORT);
	ck_assert_str_eq(t->net->kernel->not_modelled,
			 "IPv4 by the routing cache");
	ck_assert_int_eq(sys_recvfrom(fds[0], NULL, 1, MSG_DONTWAIT, NULL),
			 -EAFNOSUPPORT);
	ck_assert_int_eq(sys_recvfrom(fds[1], NULL, 1, MSG_DONTWAIT, NULL),
			 -EAGAIN);
	sys_close(fds[0]);
	sys_close(fds[1]);
}

START_TEST(test_not_modelled)
{
	struct net_setup setup = { .kernel = "linux-2.6.32" };
	struct test t = { .net = net6_new(&setup) };

	net_run_one(t.net, ask_too_much, &t);
	ck_assert_uint_eq(t.net->packets->len, 0);
	net_free(t.net);
}
END_TEST

/* A kernel whose socket has no such lock has no use for the patch. */
START_TEST(test_other_kernels_refuse)
{
	g_autofree char *folder = net_folder("linux-3.6");
	const char *patches[] = { "udp6-no-dst-store", NULL };
	struct kernel_config config = { .folder = folder, .patches = patches };
	g_autofree char *message = net_try(&config, KERNEL_ERROR_SETTING, 0);

	ck_assert_ptr_nonnull(message);
	ck_assert_ptr_nonnull(strstr(message, "sock.sk_dst_rwlock"));
}
END_TEST

Suite *suite_dst_store(void)
{
	Suite *suite = suite_create("dst_store");
	TCase *sends = tcase_create("sends");

	tcase_add_loop_test(sends, test_connected_send, BEFORE, CORRECTED + 1);
	tcase_add_loop_test(sends, test_leaked_reference, BEFORE,
			    CORRECTED + 1);
	tcase_add_test(sends, test_unconnected_send);
	tcase_add_test(sends, test_lost_route);
	tcase_add_test(sends, test_not_modelled);
	tcase_add_test(sends, test_other_kernels_refuse);
	suite_add_tcase(suite, sends);
	return suite;
}
