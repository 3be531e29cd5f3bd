/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 100,000 sockets open at once, each bound to an address and port of its own:
 * set-up, a lookup of each as a datagram would do it, teardown, and the most
 * memory that the program had.  UDPSIM_BENCH_SOCKETS says another number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "scenarios/machine_file.h"
#include "scenarios/scenario.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"
#include "stack/include/net/udp.h"
#include "stack/kernel.h"

#define PORTS 62500u			/* of each address */
#define ADDRESS(i) (0x0a020201u + (i))	/* 10.2.2.1 and on */
#define REMOTE 0x0a0202feu

struct bench {
	u32 sockets;
	u32 found;
};

static double seconds(void)
{
	static gint64 before;
	gint64 now = g_get_monotonic_time(), was = before;

	before = now;
	return (double)(now - was) / 1e6;
}

static struct sockaddr_any address(u32 i)
{
	return (struct sockaddr_any){
		.family = PF_INET, .daddr = ADDRESS(i / PORTS),
		.port = (u16)(1024 + i % PORTS),
	};
}

static void open_all(struct bench *bench)
{
	u32 i;

	for (i = 0; i < bench->sockets; i++) {
		struct sockaddr_any name = address(i);
		int fd = sys_socket(PF_INET, SOCK_DGRAM, 0);
		int err = fd < 0 ? fd : sys_bind(fd, &name, SOCKADDR_IN_SIZE);

		if (err || fd != (int)i) {
			fprintf(stderr, "bench: socket %u: %s\n", i,
				g_strerror(-err));
			exit(1);
		}
	}
}

static void find_all(struct bench *bench)
{
	struct net *net = this_kernel()->init_net;
	u32 i;

	for (i = 0; i < bench->sockets; i++) {
		struct sockaddr_any name = address(i);
		struct sock *sk;

		rcu_read_lock();
		sk = __udp4_lib_lookup(net, REMOTE, 53, name.daddr, name.port,
				       2, this_kernel()->ipv4->udp->table);
		if (sk && sk->sk_socket)
			bench->found++;
		if (sk && !has(UDP_SOCK_RCU_FREE))
			sock_put(sk);
		rcu_read_unlock();
	}
}

static void open_and_close(void *arg)
{
	struct bench *bench = arg;
	struct rusage usage;
	u32 i;

	this_cpu->current->owner = task_new(NULL);
	seconds();
	open_all(bench);
	printf("bench open_sockets_set_up %.2f s\n", seconds());
	find_all(bench);
	printf("bench open_sockets_lookup %.2f s\n", seconds());
	getrusage(RUSAGE_SELF, &usage);
	for (i = 0; i < bench->sockets; i++)
		sys_close((int)i);
	printf("bench open_sockets_teardown %.2f s\n", seconds());
	printf("bench open_sockets_found %u sockets\n", bench->found);
	printf("bench open_sockets_rss %.0f MiB\n",
	       (double)usage.ru_maxrss / 1024);
	task_free(this_cpu->current->owner);
}

static struct kernel *start(struct machine *machine, u32 addresses)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *folder = g_build_filename(data_dir(), "stack",
						   "kernels", "linux-4.6",
						   NULL);
	/* As whoever opens so many would boot: uhash_entries. */
	const struct kernel_setting parameters[] = {
		{ "udp.hash_entries", "65536", "" }, { NULL, NULL, NULL },
	};
	struct kernel_config config = {
		.folder = folder, .parameters = parameters,
	};
	struct kernel *kernel = kernel_new(machine, &config, &error);
	struct net_device *dev;
	u32 i;

	if (!kernel) {
		fprintf(stderr, "bench: %s\n", error->message);
		exit(1);
	}
	dev = dummy_new(kernel, "dummy0", 1500, true);
	for (i = 0; i < addresses; i++)
		if (!inet_add_address(kernel, dev, ADDRESS(i), 24, &error)) {
			fprintf(stderr, "bench: %s\n", error->message);
			exit(1);
		}
	return kernel;
}

int main(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = machine_find("xeon-x5660-2p", &error);
	g_autoptr(MachineProfile) profile = path ?
		machine_profile_load(path, &error) : NULL;
	const char *number = getenv("UDPSIM_BENCH_SOCKETS");
	struct bench bench = { .sockets = 100000 };
	struct machine *machine;
	struct context *context;
	struct kernel *kernel;

	if (!profile) {
		fprintf(stderr, "bench: %s\n", error->message);
		return 1;
	}
	if (number)
		bench.sockets = (u32)strtoul(number, NULL, 10);
	machine = machine_new(profile, 1, false);
	kernel = start(machine, bench.sockets / PORTS + 1);
	machine_settle(machine);
	context = context_new(&machine->cpus[0], "open", open_and_close,
			      &bench);
	machine_run(machine);
	context_free(context);
	kernel_free(kernel);
	machine_free(machine);
	return bench.found != bench.sockets;
}
