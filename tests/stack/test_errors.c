/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the system calls say when they fail, what they count then, and that
 * they leave nothing behind: no packet, no reference on file or route, no
 * bottom half disabled.
 *
 * Each case runs twice, in a process of its own and in one that shares its
 * table of files, where each call takes a reference on the file.
 */
#include <errno.h>
#include <string.h>

#include "net_support.h"
#include "stack/include/linux/mount.h"

#define FAR_AWAY IP(192, 0, 2, 1)	/* no route leads there */

struct test {
	struct net_fixture *net;
	int fd;
	void (*fn)(struct test *t);
	u64 ip_before[NUM_IPSTATS_MIB], udp_before[NUM_UDP_MIB];
};

/* ---- the frame ---- */

static void take_counters(struct test *t)
{
	u32 i;

	for (i = 0; i < NUM_IPSTATS_MIB; i++)
		t->ip_before[i] = snmp_ip(t->net->kernel, i);
	for (i = 0; i < NUM_UDP_MIB; i++)
		t->udp_before[i] = snmp_udp(t->net->kernel, i);
}

static u64 ip_counted(const struct test *t, u32 index)
{
	return snmp_ip(t->net->kernel, index) - t->ip_before[index];
}

static u64 udp_counted(const struct test *t, u32 index)
{
	return snmp_udp(t->net->kernel, index) - t->udp_before[index];
}

/* Nothing has been counted but what is named: so many of one. */
static void counted_only(struct test *t, bool udp, u32 index, u64 n)
{
	u32 i;

	for (i = 0; i < NUM_IPSTATS_MIB; i++)
		ck_assert_uint_eq(ip_counted(t, i), !udp && i == index ? n : 0);
	for (i = 0; i < NUM_UDP_MIB; i++)
		ck_assert_uint_eq(udp_counted(t, i), udp && i == index ? n : 0);
	take_counters(t);
}

static void counted_nothing(struct test *t)
{
	counted_only(t, false, 0, 0);
}

static const struct file *file_of(int fd)
{
	return current_task()->files->fd_array[fd];
}

static void process(void *arg)
{
	struct test *t = arg;

	t->fd = net_socket();
	net_send_n(t->fd, 1, 0);
	take_counters(t);
	t->fn(t);
	ck_assert_int_eq(net_sk(t->fd)->sk_wmem_alloc, 1);
	ck_assert_uint_eq(file_of(t->fd)->f_count, 1);
	ck_assert_int_eq(net_newest_route(t->net)->dst.__refcnt,
			 1 + !!net_sk(t->fd)->sk_dst_cache);
	/* It still works. */
	net_sk(t->fd)->sk_sndbuf = SOCK_SNDBUF_DEFAULT;
	net_send_n(t->fd, 1, 0);
	sys_close(t->fd);
}

static void sit_by(void *arg)
{
	(void)arg;
}

static void verify_case(void (*fn)(struct test *), int shared, u32 node_mib)
{
	struct net_setup setup = { .check = true, .node_mib = node_mib };
	struct test t = { .net = net_new(&setup), .fn = fn };
	const struct net_process processes[] = {
		{ .fn = process, .arg = &t },
		{ .fn = sit_by, .share_files = true },
	};

	/* The first run makes what stays: the CPU's cached route. */
	net_run(t.net, processes, shared ? 2 : 1);
	net_run(t.net, processes, shared ? 2 : 1);
	net_verify_clean(t.net);
	net_free(t.net);
}

/* ---- which file ---- */

static void bad_descriptor(struct test *t)
{
	static const int fds[] = { -1, 63, 64, 65, INT32_MAX, INT32_MIN };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		ck_assert_int_eq(net_send_to(fds[i], "x", 1, 0, NET_PEER),
				 -EBADF);
		ck_assert_int_eq(net_connect(fds[i], NET_PEER, NET_PORT),
				 -EBADF);
		ck_assert_int_eq(sys_close(fds[i]), -EBADF);
	}
	counted_nothing(t);
}

static void closed_descriptor(struct test *t)
{
	int fd = net_socket();

	ck_assert_int_eq(sys_close(fd), 0);
	ck_assert_int_eq(sys_close(fd), -EBADF);
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, NET_PEER), -EBADF);
	counted_nothing(t);
}

static void not_a_socket(struct test *t)
{
	struct file *file = current_task()->files->fd_array[t->fd];
	const void *f_op = file->f_op;

	file->f_op = t;		/* any other file's */
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, NET_PEER), -ENOTSOCK);
	ck_assert_int_eq(net_connect(t->fd, NET_PEER, NET_PORT), -ENOTSOCK);
	file->f_op = f_op;
	counted_nothing(t);
}

/* The limit is the process's, not that of the first table. */
static void too_many_descriptors(struct test *t)
{
	struct signal_struct *signal = current_task()->signal;
	u32 limit = signal->rlim.nofile;
	int fds[NR_OPEN_DEFAULT], i;

	signal->rlim.nofile = NR_OPEN_DEFAULT;
	for (i = t->fd + 1; i < (int)NR_OPEN_DEFAULT; i++) {
		fds[i] = net_socket();
		ck_assert_int_eq(fds[i], i);
	}
	ck_assert_int_eq(sys_socket(PF_INET, SOCK_DGRAM, 0), -EMFILE);
	ck_assert_int_eq(sys_socket(PF_INET, SOCK_DGRAM, 0), -EMFILE);
	/* A descriptor that was given back is the next to be given out. */
	ck_assert_int_eq(sys_close(17), 0);
	ck_assert_int_eq(sys_socket(PF_INET, SOCK_DGRAM, 17), 17);
	signal->rlim.nofile = limit;
	for (i = t->fd + 1; i < (int)NR_OPEN_DEFAULT; i++)
		ck_assert_int_eq(sys_close(fds[i]), 0);
}

static void no_such_socket(struct test *t)
{
	ck_assert_int_eq(sys_socket(1, SOCK_DGRAM, 0), -EAFNOSUPPORT);
	ck_assert_int_eq(sys_socket(PF_INET, 1, 0), -ESOCKTNOSUPPORT);
	ck_assert_int_eq(sys_socket(PF_INET, SOCK_DGRAM, 6), -EPROTONOSUPPORT);
	ck_assert_int_eq(sys_socket(PF_INET, SOCK_DGRAM, 17), t->fd + 1);
	ck_assert_int_eq(sys_close(t->fd + 1), 0);
}

/* ---- where to ---- */

static int send_named(const struct test *t, u16 family, u32 addr_len, u16 port)
{
	const struct sockaddr_any to = {
		.family = family, .daddr = NET_PEER, .port = port,
	};

	return sys_sendto(t->fd, (const u8 *)"x", 1, 0, &to, addr_len);
}

static void bad_address(struct test *t)
{
	ck_assert_int_eq(send_named(t, PF_INET, 0, NET_PORT), -EINVAL);
	ck_assert_int_eq(send_named(t, PF_INET, 15, NET_PORT), -EINVAL);
	ck_assert_int_eq(send_named(t, PF_INET, 129, NET_PORT), -EINVAL);
	ck_assert_int_eq(send_named(t, PF_INET, UINT32_MAX, NET_PORT),
			 -EINVAL);
	ck_assert_int_eq(send_named(t, PF_INET, 16, 0), -EINVAL);
	ck_assert_int_eq(send_named(t, 10, 28, NET_PORT), -EAFNOSUPPORT);
	/* The length comes first, then the family, then the port. */
	ck_assert_int_eq(send_named(t, 10, 15, 0), -EINVAL);
	ck_assert_int_eq(send_named(t, 10, 16, 0), -EAFNOSUPPORT);
	counted_nothing(t);
	/* No family at all, and more than is needed, are good enough. */
	ck_assert_int_eq(send_named(t, 0, 16, NET_PORT), 1);
	ck_assert_int_eq(send_named(t, PF_INET, 128, NET_PORT), 1);
}

static void no_destination(struct test *t)
{
	ck_assert_int_eq(net_send(t->fd, "x", 1, 0), -EDESTADDRREQ);
	counted_nothing(t);
}

static void no_route(struct test *t)
{
	u64 no_ports, no_routes;

	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, FAR_AWAY),
			 -ENETUNREACH);
	counted_only(t, false, IPSTATS_MIB_OUTNOROUTES, 1);
	ck_assert_int_eq(net_connect(t->fd, FAR_AWAY, NET_PORT), -ENETUNREACH);
	counted_only(t, false, IPSTATS_MIB_OUTNOROUTES, 1);
	ck_assert_int_eq(net_send(t->fd, "x", 1, 0), -EDESTADDRREQ);
	/* To this host itself there is one, but nobody takes it there. */
	no_ports = snmp_udp(t->net->kernel, UDP_MIB_NOPORTS);
	no_routes = snmp_ip(t->net->kernel, IPSTATS_MIB_OUTNOROUTES);
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, NET_LOCAL), 1);
	ck_assert_uint_eq(snmp_udp(t->net->kernel, UDP_MIB_NOPORTS),
			  no_ports + 1);
	ck_assert_uint_eq(snmp_ip(t->net->kernel, IPSTATS_MIB_OUTNOROUTES),
			  no_routes);
}

static void add_error_route(const struct test *t, u32 dst, u8 type)
{
	struct fib_config cfg = {
		.fc_dst = dst, .fc_dst_len = 32, .fc_type = type,
		.fc_scope = RT_SCOPE_UNIVERSE, .fc_append = true,
	};

	ck_assert(fib_table_insert(t->net->kernel->init_net->ipv4.fib_main,
				   &cfg, NULL));
}

static void routes_that_refuse(struct test *t)
{
	static const struct {
		u8 type;
		int error;
	} routes[] = {
		{ RTN_BLACKHOLE, -EINVAL },
		{ RTN_UNREACHABLE, -EHOSTUNREACH },
		{ RTN_PROHIBIT, -EACCES },
	};
	struct fib_table *table = t->net->kernel->init_net->ipv4.fib_main;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(routes); i++) {
		u32 dst = FAR_AWAY + i;
		struct fib_config cfg = {
			.fc_dst = dst, .fc_dst_len = 32,
			.fc_scope = RT_SCOPE_NOWHERE,
		};

		add_error_route(t, dst, routes[i].type);
		ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, dst),
				 routes[i].error);
		ck_assert_int_eq(net_connect(t->fd, dst, NET_PORT),
				 routes[i].error);
		ck_assert(fib_table_delete(table, &cfg, NULL));
	}
	counted_nothing(t);
}

static void broadcast(struct test *t)
{
	/* To the network, to its number (the old form), to the link; the last
	 * needs a route, and has none. */
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, IP(10, 2, 2, 255)),
			 -EACCES);
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, IP(10, 2, 2, 0)),
			 -EACCES);
	counted_nothing(t);
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, 0xffffffff),
			 -ENETUNREACH);
	/* Its routes are not those of others. */
	net_send_n(t->fd, 1, 0);
	net_sk(t->fd)->sk_flags |= 1u << SOCK_BROADCAST;
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, IP(10, 2, 2, 255)), 1);
	net_sk(t->fd)->sk_flags = 0;
	net_send_n(t->fd, 1, 0);
}

/* ---- what ---- */

static void bad_message(struct test *t)
{
	static const u32 too_long[] = {
		65508,	/* with its headers more than a length can say */
		65535, 65536, INT32_MAX, UINT32_MAX
	};
	g_autofree u8 *payload = g_malloc0(65536);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(too_long); i++)
		ck_assert_int_eq(net_send_to(t->fd, payload, too_long[i], 0,
					     NET_PEER), -EMSGSIZE);
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, MSG_OOB, NET_PEER),
			 -EOPNOTSUPP);
	/* The length comes first. */
	ck_assert_int_eq(net_send_to(t->fd, payload, 65536, MSG_OOB, NET_PEER),
			 -EMSGSIZE);
	counted_nothing(t);
}

/* ---- the socket ---- */

static void socket_refuses(struct test *t)
{
	struct sock *sk = net_sk(t->fd);

	sk->sk_shutdown = SEND_SHUTDOWN;
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, NET_PEER), -EPIPE);
	sk->sk_shutdown = 0;
	/* What a packet met on its way is told once. */
	sk->sk_err = ECONNREFUSED;
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, NET_PEER),
			 -ECONNREFUSED);
	net_send_n(t->fd, 1, 0);
	take_counters(t);
	/* A buffer that the socket's own share fills. */
	sk->sk_sndbuf = 1;
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, MSG_DONTWAIT, NET_PEER),
			 -EAGAIN);
	counted_only(t, false, IPSTATS_MIB_OUTDISCARDS, 1);
}

/* ---- below ---- */

static void device_down(struct test *t)
{
	t->net->dev->flags &= ~IFF_UP;
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, NET_PEER), -ENETDOWN);
	t->net->dev->flags |= IFF_UP;
	ck_assert_uint_eq(udp_counted(t, UDP_MIB_OUTDATAGRAMS), 0);
	ck_assert_uint_eq(ip_counted(t, IPSTATS_MIB_OUTDISCARDS), 1);
	ck_assert_uint_eq(ip_counted(t, IPSTATS_MIB_OUTPKTS), 1);
}

/* A neighbour that must be resolved: the packet waits, and belongs to its
 * socket for so long; whoever sent it is told nothing. */
static void neighbour_unreachable(struct test *t)
{
	const u32 flags = NEIGH_UPDATE_F_ADMIN | NEIGH_UPDATE_F_OVERRIDE;
	struct neighbour *n = t->net->neigh;

	neigh_update(n, NULL, NUD_FAILED, flags);
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, NET_PEER), 1);
	ck_assert_uint_eq(n->nud_state, NUD_INCOMPLETE);
	ck_assert_uint_eq(n->arp_queue.qlen, 1);
	ck_assert_int_gt(net_sk(t->fd)->sk_wmem_alloc, 1);
	ck_assert_uint_eq(udp_counted(t, UDP_MIB_OUTDATAGRAMS), 1);
	neigh_update(n, n->ha, NUD_REACHABLE, flags);
	ck_assert_uint_eq(n->arp_queue.qlen, 0);
	ck_assert_uint_eq(ip_counted(t, IPSTATS_MIB_OUTDISCARDS), 0);
}

/* Another user of memory, who takes all there is. */
struct hog {
	GPtrArray *objects;
};

static void take_all(struct hog *hog, struct any_cache *cache)
{
	void *object;

	hog->objects = g_ptr_array_new();
	for (;;) {
		object = cache ? kmem_cache_alloc(cache, GFP_KERNEL) :
			 kmalloc(512, STRUCT_skb_head,
				 sizeof(struct skb_head), GFP_KERNEL);
		if (!object)
			return;
		g_ptr_array_add(hog->objects, object);
	}
}

static void give_back(struct hog *hog, struct any_cache *cache)
{
	u32 i;

	for (i = 0; i < hog->objects->len; i++) {
		if (cache)
			kmem_cache_free(cache, hog->objects->pdata[i]);
		else
			kfree(hog->objects->pdata[i]);
	}
	g_ptr_array_unref(hog->objects);
}

static void no_memory_for(struct test *t, struct any_cache *cache)
{
	struct hog hog;

	take_all(&hog, cache);
	ck_assert_int_eq(net_send_to(t->fd, "x", 1, 0, NET_PEER), -ENOBUFS);
	give_back(&hog, cache);
	ck_assert_uint_eq(ip_counted(t, IPSTATS_MIB_OUTDISCARDS), 1);
	ck_assert_uint_eq(udp_counted(t, UDP_MIB_SNDBUFERRORS), 1);
	ck_assert_uint_eq(udp_counted(t, UDP_MIB_OUTDATAGRAMS), 0);
	take_counters(t);
}

static void no_memory(struct test *t)
{
	no_memory_for(t, t->net->kernel->net_core->skbuff_head_cache);
	no_memory_for(t, NULL);
}

static void no_memory_for_sockets(struct test *t)
{
	const struct socket_room *room = t->net->kernel->net_core->sockets;
	const struct { struct any_cache *cache; int err; } scarce[] = {
		{ room->socket_cache, -ENFILE },
		{ room->udp_cache, -ENOBUFS },
		{ fs_room()->dentry_cache, -ENOMEM },
		{ room->file_cache, has(ALLOC_FILE_ERRNO) ? -ENOMEM : -ENFILE },
	};
	struct hog hog;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(scarce); i++) {
		take_all(&hog, scarce[i].cache);
		ck_assert_int_eq(sys_socket(PF_INET, SOCK_DGRAM, 0),
				 scarce[i].err);
		give_back(&hog, scarce[i].cache);
	}
	ck_assert_int_eq(net_socket(), t->fd + 1);
	sys_close(t->fd + 1);
}

/* ---- one closes while another sends ---- */

struct quarrel {
	int fd;
	bool open;
	u32 sent, refused;
};

static void send_until_closed(void *arg)
{
	struct quarrel *q = arg;
	int err;

	q->fd = net_socket();
	q->open = true;
	while ((err = net_send_to(q->fd, "x", 1, 0, NET_PEER)) == 1)
		q->sent++;
	ck_assert_int_eq(err, -EBADF);
	q->refused++;
}

static void close_soon(void *arg)
{
	struct quarrel *q = arg;
	u32 i;

	/* Time passes as long as it makes calls of its own. */
	while (!q->open || q->sent < 10)
		sys_close(-1);
	for (i = 0; i < 5; i++)
		sys_close(-1);
	ck_assert_int_eq(sys_close(q->fd), 0);
}

START_TEST(test_close_while_sending)
{
	struct net_setup setup = { .cores = 2, .check = true };
	struct net_fixture *net = net_new(&setup);
	struct quarrel q = { 0 };
	const struct net_process processes[] = {
		{ .cpu = 0, .fn = send_until_closed, .arg = &q },
		{ .cpu = 1, .fn = close_soon, .arg = &q, .share_files = true },
	};

	net_run(net, processes, 2);
	q = (struct quarrel){ 0 };
	net_run(net, processes, 2);
	ck_assert_uint_ge(q.sent, 10);
	ck_assert_uint_eq(q.refused, 1);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* ---- suite ---- */

static void (*const cases[])(struct test *) = {
	bad_descriptor, closed_descriptor, not_a_socket, too_many_descriptors,
	no_such_socket, bad_address, no_destination, no_route,
	routes_that_refuse, broadcast, bad_message, socket_refuses,
	device_down, neighbour_unreachable,
};

START_TEST(test_own_files)
{
	verify_case(cases[_i], false, 0);
}
END_TEST

START_TEST(test_shared_files)
{
	verify_case(cases[_i], true, 0);
}
END_TEST

START_TEST(test_no_memory)
{
	verify_case(no_memory, false, 16);
}
END_TEST

START_TEST(test_no_memory_for_sockets)
{
	verify_case(no_memory_for_sockets, false, 16);
}
END_TEST

Suite *suite_errors(void)
{
	Suite *suite = suite_create("errors");
	TCase *own = tcase_create("own files");
	TCase *shared = tcase_create("shared files");
	TCase *memory = tcase_create("memory");

	tcase_add_loop_test(own, test_own_files, 0, ARRAY_SIZE(cases));
	suite_add_tcase(suite, own);
	tcase_add_loop_test(shared, test_shared_files, 0, ARRAY_SIZE(cases));
	tcase_add_test(shared, test_close_while_sending);
	suite_add_tcase(suite, shared);
	tcase_add_test(memory, test_no_memory);
	tcase_add_test(memory, test_no_memory_for_sockets);
	suite_add_tcase(suite, memory);
	return suite;
}
