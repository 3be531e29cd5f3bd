/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of features, which is the table of patches: applying a patch adds
 * its feature to a kernel, "-name" takes it away.  Modelled code asks
 * has(FEATURE) at the one place where the behaviour differs.
 *
 * The releases and commits of the features from 2.6.33 to 3.5 are recalled; they
 * were not looked up.
 */
#include <stdlib.h>
#include <string.h>

#include "stack/feature.h"

const struct feature_info feature_info[NUM_FEATURES] = {
	[SK_TX_QUEUE_MAPPING] = {
		.name = "sk-tx-queue-mapping",
		.merged = "2.6.33",
		.title = "A socket remembers its transmit queue",
		.source = "Linux 2.6.33, commit e022f0b4a03f",
		.needs = "sock.sk_tx_queue_mapping",
	},
	[UDP_HASH2] = {
		.name = "udp-hash2",
		.merged = "2.6.33",
		.title = "UDP's table is sized by memory, and a "
			 "second one is by address",
		.source = "Linux 2.6.33, commits f86dcc5aa8c7 and "
			  "512615b6b843",
		.needs = "udp_table.hash2",
	},
	[RXQ_OVFL] = {
		.name = "rxq-ovfl",
		.merged = "2.6.33",
		.title = "A packet in a socket's queue bears the number of "
			 "those that were lost",
		.source = "Linux 2.6.33, commit 3b885787ea41",
		.needs = "sock.sk_drops",
	},
	[UDP_DROPS_COUNTED] = {
		.name = "udp-drops-counted",
		.merged = "2.6.33",
		.title = "A socket counts the datagrams that are not what it "
			 "wants as lost",
		.source = "Linux 2.6.33, commit 8edf19c2fe02; recalled",
	},
	[SELECT_IDLE_SIBLING] = {
		.name = "select-idle-sibling",
		.merged = "2.6.33",
		.title = "A woken task looks for an idle CPU that shares the "
			 "last cache",
		.source = "Linux 2.6.33, commits a1f84a3ab8e0 and "
			  "fe3bcfe1f6c1; recalled",
	},
	[IPV6_DONTFRAG_OPTION] = {
		.name = "ipv6-dontfrag",
		.merged = "2.6.35",
		.title = "A socket's datagrams may be refused fragments",
		.source = "Linux 2.6.35, IPV6_DONTFRAG; release recalled",
		.needs = "udp6_sock.inet6.dontfrag",
	},
	[IP6_FRAG_NO_OVERLAP] = {
		.name = "ip6-frag-no-overlap",
		.merged = "2.6.37",
		.title = "A datagram with overlapping fragments is given up"
			 " (IPv6)",
		.source = "Linux 2.6.37, commit 70789d705223; recalled",
	},
	[RPS] = {
		.name = "rps",
		.merged = "2.6.35",
		.title = "Packets may be steered to other CPUs: the backlog has"
			 " a lock and is taken in one piece",
		.source = "Linux 2.6.35, commits 0a9627f2649a and 6e7676c1a76a",
		.needs = "softnet_data.process_queue.next",
		.replaces = "netif_rx_stats.total",
	},
	[SK_DST_RCU] = {
		.name = "sk-dst-rcu",
		.merged = "2.6.35",
		.title = "The socket's route is read under RCU, not "
			 "its lock",
		.source = "Linux 2.6.35, commit b6c6712a42ca",
		.needs = "sock.sk_dst_lock",
		.replaces = "sock.sk_dst_rwlock",
	},
	[SOCKET_WQ] = {
		.name = "socket-wq",
		.merged = "2.6.35",
		.title = "A socket's wait queue is an object of its "
			 "own, read under RCU",
		.source = "Linux 2.6.35, commit 43815482370c",
		.needs = "socket_wq.task_list",
		.replaces = "sock.sk_dst_rwlock",
	},
	[RFS] = {
		.name = "rfs",
		.merged = "2.6.35",
		.title = "Receive flow steering",
		.source = "Linux 2.6.35, commit fec5e652e58f",
		.needs = "sock.sk_rxhash",
		.replaces = "sock.sk_dst_rwlock",
	},
	[IPV6_PATHMTU] = {
		.name = "ipv6-pathmtu",
		.merged = "2.6.35",
		.title = "A socket may be told of the MTU of its path",
		.source = "Linux 2.6.35, commit 793b14731686",
		.needs = "udp6_sock.inet6.rxpmtu",
		.replaces = "sock.sk_dst_rwlock",
	},
	[SK_ROUTE_NOCAPS] = {
		.name = "sk-route-nocaps",
		.merged = "2.6.35",
		.title = "A socket may have what its route must not do",
		.source = "Linux 2.6.35, commit a465419b1feb",
		.needs = "sock.sk_route_nocaps",
		.replaces = "sock.sk_dst_rwlock",
	},
	[DUMMY_LLTX] = {
		.name = "dummy-lltx",
		.merged = "2.6.37",
		.title = "The dummy device counts by CPU and needs no "
			 "lock",
		.source = "Linux 2.6.37, commit 6d81f41c58c6; release "
			  "recalled",
		.needs = "net_device.dstats",
		.replaces = "net_device.stats.tx_packets",
	},
	[NEIGH_RCU] = {
		.name = "neigh-rcu",
		.merged = "2.6.37",
		.title = "Neighbours are looked up under RCU, and their "
			 "address has a lock of its own",
		.source = "Linux 2.6.37, commits d6bf781712a1 and "
			  "0ed8ddf4045f",
		.needs = "neighbour.rcu.next",
		.replaces = "dst_entry.hh",
	},
	[XMIT_RECURSION] = {
		.name = "xmit-recursion",
		.merged = "2.6.37",
		.title = "Devices on devices are counted",
		.source = "Linux 2.6.37, commit 745e20f1b626",
		.needs = "xmit_recursion.xmit_recursion",
		.replaces = "net_device.stats.tx_packets",
	},
	[SCHED_LATENCY_6MS] = {
		.name = "sched-latency-6ms",
		.merged = "2.6.37",
		.title = "Time slices by a latency of 6 ms and at least 0.75 "
			 "ms, not 5 and 1",
		.source = "Linux 2.6.37, kernel/sched_fair.c; the release is "
			  "recalled",
	},
	[SK_FILTER_RCU] = {
		.name = "sk-filter-rcu",
		.merged = "2.6.38",
		.title = "A socket's filter runs with softirqs on",
		.source = "Linux 2.6.38, commit 80f8f1027b99; release "
			  "recalled",
	},
	[NETIF_SKB_FEATURES] = {
		.name = "netif-skb-features",
		.merged = "2.6.38",
		.title = "One function says what the device can do "
			 "for a packet",
		.source = "Linux 2.6.38, commit f01a5236bd4b; release "
			  "recalled",
		.replaces = "net_device.stats.tx_packets",
	},
	[TX_ONE_QUEUE_FIRST] = {
		.name = "tx-one-queue-first",
		.merged = "2.6.38",
		.title = "A device with one queue needs no choice of "
			 "one",
		.source = "Linux 2.6.38, dev_pick_tx(); release "
			  "recalled",
		.replaces = "net_device.stats.tx_packets",
	},
	[DST_METRICS_SHARED] = {
		.name = "dst-metrics-shared",
		.merged = "2.6.39",
		.title = "Routes without metrics of their own share "
			 "them",
		.source = "Linux 2.6.39, commit 62fa8a846d7d",
		.needs = "dst_entry._metrics",
		.replaces = "dst_entry.metrics",
	},
	[IP6_TX_TIMESTAMP] = {
		.name = "ip6-tx-timestamp",
		.merged = "2.6.39",
		.title = "UDPv6 packets may be stamped when they leave",
		.source = "Linux 2.6.39, commit a693e69897e8; release "
			  "recalled",
		.replaces = "dst_entry.metrics",
	},
	[RT6_PREFSRC] = {
		.name = "rt6-prefsrc",
		.merged = "3.0",
		.title = "An IPv6 route may name a source address",
		.source = "Linux 3.0, commit c3968a857a6b",
		.needs = "rt6_info.rt6i_prefsrc.plen",
		.replaces = "dst_entry.metrics",
	},
	[TTWU_PI_LOCK] = {
		.name = "ttwu-pi-lock",
		.merged = "3.0",
		.title = "A task is woken under its own lock, not its run "
			 "queue's",
		.source = "Linux 3.0, commits 3fe1698b7fe0 and e4a52bcb9a18; "
			  "recalled",
		.needs = "task_struct.on_cpu",
	},
	[TTWU_WAKE_LIST] = {
		.name = "ttwu-wake-list",
		.merged = "3.0",
		.title = "A wake-up in another package is left to the CPU "
			 "there",
		.source = "Linux 3.0, commit 317f394160e9; from 3.3 on only "
			  "across caches; recalled",
		.needs = "rq.wake_list",
	},
	[NEIGH_HH_EMBEDDED] = {
		.name = "neigh-hh-embedded",
		.merged = "3.1",
		.title = "The header that a neighbour keeps is part "
			 "of it",
		.source = "Linux 3.1, commit f6b72b6217f8",
		.needs = "neighbour.hh.hh_len",
		.replaces = "dst_entry.hh",
	},
	[IPV6_UNICAST_IF] = {
		.name = "ipv6-unicast-if",
		.merged = "3.4",
		.title = "A socket may name a device for what it sends",
		.source = "Linux 3.4, commit c4062dfc425e",
		.needs = "udp6_sock.inet6.ucast_oif",
		.replaces = "dst_entry.metrics",
	},
	[SKB_HEAD_FRAG] = {
		.name = "skb-head-frag",
		.merged = "3.5",
		.title = "A packet may have its bytes in a part of a page",
		.source = "Linux 3.5, commit d3836f21b0af",
		.needs = "sk_buff.head_frag",
		.replaces = "dst_entry.metrics",
	},
	[UDP6_DST_DROP] = {
		.name = "udp6-dst-drop",
		.merged = "3.2",
		.title = "A packet gives its route back before a UDPv6 "
			 "socket queues it",
		.source = "Linux, udpv6_queue_rcv_skb(); release recalled",
	},
	[RCVBUF_RELAXED] = {
		.name = "rcvbuf-relaxed",
		.merged = "3.2",
		.title = "A receive buffer takes the packet that fills it",
		.source = "Linux 3.2, commit 0fd7bac6b615",
	},
	[NETSTAMP_KEY] = {
		.name = "netstamp-key",
		.merged = "3.3",
		.title = "Whether packets are stamped as they come in is "
			 "asked by a jump label",
		.source = "Linux 3.3, commit 588f033075bb; release recalled",
	},
	[NEIGH_QUEUE_BYTES] = {
		.name = "neigh-queue-bytes",
		.merged = "3.3",
		.title = "What waits for a neighbour is counted in "
			 "bytes",
		.source = "Linux 3.3, commit 8b5c171bb3dc",
		.needs = "neighbour.arp_queue_len_bytes",
		.replaces = "dst_entry.hh",
	},
	[RCV_TOS] = {
		.name = "rcv-tos",
		.merged = "3.3",
		.title = "A socket keeps the type of service of what it got",
		.source = "Linux 3.3, commit 4c507d2897bd",
		.needs = "inet_sock.rcv_tos",
		.replaces = "dst_entry.metrics",
	},
	[DST_PENDING_CONFIRM] = {
		.name = "dst-pending-confirm",
		.merged = "3.6",
		.title = "A confirmation goes to the neighbour with "
			 "the next packet",
		.source = "Linux 3.6, commit 5110effee8fd",
		.needs = "dst_entry.pending_confirm",
		.replaces = "dst_entry.neighbour",
	},
	[RT6_GENID] = {
		.name = "rt6-genid",
		.merged = "3.6",
		.title = "All IPv6 routes are checked, by a "
			 "generation as well",
		.source = "Linux 3.6, commit 6f3118b571b8",
		.needs = "rt6_info.rt6i_genid",
		.replaces = "dst_entry.metrics",
	},
	[RT_KEY_FIELDS] = {
		.name = "rt-key-fields",
		.merged = "2.6.39",
		.title = "An IPv4 route of the cache has what it is found by "
			 "in fields of its own",
		.source = "Linux 2.6.39, commit 5e2b61f78411; the release is "
			  "recalled",
		.needs = "rtable.rt_key_dst",
		.replaces = "dst_entry.hh",
	},
	[IPV4_NEXTHOP_ROUTES] = {
		.name = "ipv4-nexthop-routes",
		.merged = "3.6",
		.title = "Nexthops keep IPv4 routes ready, there is no routing "
			 "cache",
		.source = "Linux 3.6, commit 89aef8921bfb",
		.needs = "fib_nh.nh_pcpu_rth_output",
		.replaces = "rtable.rt_key_dst",
	},
	[GSO_MAX_SEGS] = {
		.name = "gso-max-segs",
		.merged = "3.6",
		.title = "A device says how many segments it takes",
		.source = "Linux 3.6, commit 30b678d844af",
		.needs = "sock.sk_gso_max_segs",
		.replaces = "sock.sk_dst_rwlock",
	},
	[SK_BACKLOG_LIMIT] = {
		.name = "sk-backlog-limit",
		.merged = "2.6.35",
		.title = "A socket's backlog has a limit, which UDP asks "
			 "before it takes the socket's lock",
		.source = "Linux 2.6.34 and 2.6.35, commits 8eae939f1400 and "
			  "c377411f2494",
		.needs = "__udp_queue_rcv_skb()",
		.replaces = "sock.sk_dst_rwlock",
	},
	[LOCK_SOCK_FAST] = {
		.name = "lock-sock-fast",
		.merged = "2.6.35",
		.title = "A reader gives memory back with softirqs off, "
			 "and frees the packet when they are on again",
		.source = "Linux 2.6.35, commits 4b0b72f7dd61 and "
			  "8a74ad60a546",
		.replaces = "sock.sk_dst_rwlock",
	},
	[OUTPUT_QUEUE_FIFO] = {
		.name = "output-queue-fifo",
		.merged = "2.6.35",
		.title = "Queues that are to be run are run in that order",
		.source = "Linux 2.6.35, commit a9cbd588fdb7",
		.needs = "softnet_data.output_queue_tailp",
	},
	[SKB_RXHASH] = {
		.name = "skb-rxhash",
		.merged = "2.6.35",
		.title = "A packet keeps the device's hash of its flow",
		.source = "Linux 2.6.35, commit 0a9627f2649a",
		.needs = "sk_buff.rxhash",
	},
	[RX_HANDLER] = {
		.name = "rx-handler",
		.merged = "2.6.36",
		.title = "Who takes packets off a device has a hook there",
		.source = "Linux 2.6.36, commit ab95bfe01f9b",
		.needs = "net_device.rx_handler",
		.replaces = "net_device.master",
	},
	[QDISC_RUNNING_PLAIN] = {
		.name = "qdisc-running-plain",
		.merged = "2.6.36",
		.title = "That a queue is being run is noted without a "
			 "locked operation",
		.source = "Linux 2.6.36, commit 371121057607",
		.needs = "Qdisc.__state",
	},
	[QDISC_BUSYLOCK] = {
		.name = "qdisc-busylock",
		.merged = "2.6.36",
		.title = "Who finds a queue running waits at a lock of its "
			 "own",
		.source = "Linux 2.6.36, commit 79640a4ca695",
		.needs = "Qdisc.busylock",
	},
	[XPS] = {
		.name = "xps",
		.merged = "2.6.38",
		.title = "A map of CPUs to transmit queues",
		.source = "Linux 2.6.38, commit 1d24eb4815d1",
		.needs = "net_device.xps_maps",
	},
	[QDISC_STATS_DEQUEUE] = {
		.name = "qdisc-stats-dequeue",
		.merged = "2.6.39",
		.title = "Queues count packets as they leave",
		.source = "Linux, commit 9190b3b3208d; release recalled",
	},
	[QDISC_QUOTA] = {
		.name = "qdisc-quota",
		.merged = "3.1",
		.title = "One CPU sends so many packets of a queue in a row",
		.source = "Linux, commit d5b8aa1d246f; release recalled",
	},
	[NEIGH_CONFIRM_ONCE] = {
		.name = "neigh-confirm-once",
		.merged = "3.7",
		.title = "Write neighbour->confirmed only when jiffies differ",
		.source = "netdev, 2012-08-07, \"net: output path "
			  "optimizations\"; commit 425f09ab7d1c",
	},
	[NEIGH_HH_OUTPUT_INLINE] = {
		.name = "neigh-hh-output-inline",
		.merged = "3.7",
		.title = "Copy a hardware header of up to 16 bytes in line",
		.source = "netdev, 2012-08-07, \"net: output path "
			  "optimizations\"; commit 425f09ab7d1c",
	},
	[LOOPBACK_MTU_64K] = {
		.name = "loopback-mtu-64k",
		.merged = "3.7",
		.title = "The loopback device takes packets of 64 KiB",
		.source = "Linux 3.7, commit 0cf833aefaa8",
	},
	[TASK_PAGE_FRAG] = {
		.name = "task-page-frag",
		.merged = "3.7",
		.title = "The task, not the socket, has a page for fragments",
		.source = "Linux 3.7, commit 5640f7685831",
		.replaces = "sock.sk_sndmsg_page",
	},
	[CSUM_NOT_PARTIAL_MORE] = {
		.name = "csum-not-partial-more",
		.merged = "4.4",
		.title = "No checksum by the device for what more data is to "
			 "follow",
		.source = "Linux 4.4, commits d749c9cbffd6 and 682b1a9d3f96; "
			  "recalled",
	},
	[RCU_GP_KTHREAD] = {
		.name = "rcu-gp-kthread",
		.merged = "3.7",
		.title = "A thread starts, forces and ends grace periods",
		.source = "Linux 3.7, commit b3dbec76e534",
		.needs = "rcu_gp_init()",
		.replaces = "rcu_start_gp()",
	},
	[RCU_CB_NUMBERS] = {
		.name = "rcu-cb-numbers",
		.merged = "3.9",
		.title = "RCU callbacks know which grace period they wait for",
		.source = "Linux 3.9, commit dc35c8934eba; release recalled",
		.needs = "rcu_node.gp_seq_needed",
		.replaces = "rcu_start_gp()",
	},
	[SOFTIRQ_TIME_LIMIT] = {
		.name = "softirq-time-limit",
		.merged = "3.9",
		.title = "Softirqs go on for 2 ms at most, then in ksoftirqd",
		.source = "Linux 3.9, commit c10d73671ad3",
	},
	[FRAG_BUCKET_LOCKS] = {
		.name = "frag-bucket-locks",
		.merged = "3.9",
		.title = "Each chain of fragment queues has its own lock",
		.source = "Linux 3.9, commit 19952cc4f8f5; recalled",
		.needs = "inet_frag_bucket.chain_lock",
	},
	[PMTU_SOCK_ROUTE] = {
		.name = "pmtu-sock-route",
		.merged = "3.9",
		.title = "A socket's route is renewed when the MTU of its "
			 "path changes",
		.source = "Linux 3.9, commit 9cb3a50c5f63; recalled",
		.needs = "update_or_create_fnhe()",
	},
	[RT6_PMTU_HANDLERS] = {
		.name = "rt6-pmtu-handlers",
		.merged = "3.6",
		.title = "Each protocol tells its own routes of the MTU of an "
			 "IPv6 path",
		.source = "Linux 3.6, commit 81aded24675e; recalled",
		.needs = "ip6_sk_update_pmtu()",
	},
	[RT6_PMTU_SOCK] = {
		.name = "rt6-pmtu-sock",
		.merged = "4.7",
		.title = "A connected socket's IPv6 route is renewed when the "
			 "MTU of its path changes",
		.source = "Linux 4.7, commit 33c162a980fe; recalled",
		.needs = "ip6_sk_update_pmtu()",
	},
	[SOCK_DEQUEUE_ERR] = {
		.name = "sock-dequeue-err",
		.merged = "3.19",
		.title = "Of a socket's queue of errors only those of ICMP "
			 "are its pending error",
		.source = "Linux 3.19, commits 364a9e93243d and 35b99dffc3f7; "
			  "recalled",
	},
	[SOCK_ERR_REPORT] = {
		.name = "sock-err-report",
		.merged = "4.16",
		.title = "An error in the queue wakes those who wait for "
			 "errors",
		.source = "Linux 4.16, commit 6e5d58fdc9be; recalled",
	},
	[UDP6_TOOBIG_HARD] = {
		.name = "udp6-toobig-hard",
		.merged = "4.9",
		.title = "A connected UDP socket over IPv6 hears that its "
			 "datagram was too long, as one over IPv4 does",
		.source = "recalled; kernels up to 4.6 lack it, those of 4.14 "
			  "have it",
	},
	[RT6_PMTU_MIN] = {
		.name = "rt6-pmtu-min",
		.merged = "5.11",
		.title = "No path takes less than 1280 bytes: such words of "
			 "routers are passed over",
		.source = "Linux 5.11, commit 4a65dff81a04; recalled",
		.needs = "__ip6_rt_update_pmtu()",
	},
	[FNHE_REFRESH] = {
		.name = "fnhe-refresh",
		.merged = "3.11",
		.title = "Ready routes learn at once what a router says of "
			 "their path",
		.source = "Linux 3.11, commits 387aa65a8943, 5aad1de5ea2c and "
			  "f016229e303d; recalled",
		.needs = "fib_nh_exception.fnhe_genid",
	},
	[FNHE_HASH_SECRET] = {
		.name = "fnhe-hash-secret",
		.merged = "3.18",
		.title = "The hash of exceptions to nexthops has a secret key",
		.source = "Linux 3.18, commit d546c621542d; recalled",
		.needs = "update_or_create_fnhe()",
	},
	[PMTU_NO_INCREASE] = {
		.name = "pmtu-no-increase",
		.merged = "4.0",
		.title = "A router's word can only lower the MTU of a path",
		.source = "Linux 4.0, commit 3cdaa5be9e81; recalled",
		.needs = "update_or_create_fnhe()",
	},
	[FNHE_EXPIRE_REMOVES] = {
		.name = "fnhe-expire-removes",
		.merged = "4.16",
		.title = "An exception to a nexthop goes once it has expired",
		.source = "Linux 4.16, commit deed49df7390; recalled",
		.needs = "fib_nh_exception.rcu.next",
	},
	[UDPLITE_PARTIAL_INIT] = {
		.name = "udplite-partial-init",
		.merged = "4.16",
		.title = "Short datagrams of UDP-Lite are not verified beyond "
			 "what their sum covers",
		.source = "Linux 4.16, commit 15f35d49c93f; commit and "
			  "release recalled",
	},
	[PMTU_MIN_LOCKS] = {
		.name = "pmtu-min-locks",
		.merged = "4.17",
		.title = "Below the least MTU, packets may be cut on the way",
		.source = "Linux 4.17, commit d52e5a7e7ca4; recalled",
		.needs = "fib_nh_exception.fnhe_mtu_locked",
	},
	[FNHE_HASH_SIPHASH] = {
		.name = "fnhe-hash-siphash",
		.merged = "5.15",
		.title = "The hash of exceptions to nexthops is siphash, and "
			 "how many a chain may have is random",
		.source = "Linux 5.15, commits 6457378fe796 and 67d6d681e15b; "
			  "recalled",
		.needs = "fib_nh_exception.rcu.next",
	},
	[PMTU_NETNS] = {
		.name = "pmtu-netns",
		.merged = "5.18",
		.title = "The least MTU of a path, and how long one holds, are "
			 "a namespace's",
		.source = "Linux 5.18, commits 1135fad20480 and 92548b0ee220; "
			  "recalled",
		.needs = "net.ipv4.ip_rt_min_pmtu",
	},
	[FRAG_MEM_4M] = {
		.name = "frag-mem-4m",
		.merged = "3.9",
		.title = "Fragments that wait may take 4 MiB",
		.source = "Linux 3.9, commit c2a936600f78; recalled",
	},
	[IP6_FRAG_ECN] = {
		.name = "ip6-frag-ecn",
		.merged = "3.10",
		.title = "Fragments of IPv6 must agree on ECN",
		.source = "Linux 3.10, commit eec2e6185ff6; recalled",
		.needs = "frag_queue.ecn",
	},
	[IP_ECN_STATS] = {
		.name = "ip-ecn-stats",
		.merged = "3.10",
		.title = "Counters of ECN bits and of bad checksums",
		.source = "Linux 3.10, commits 1f07d03e2069 and 6a5dc9e598fe",
	},
	[NEIGH_GC_KEEP_FEW] = {
		.name = "neigh-gc-keep-few",
		.merged = "3.9",
		.title = "Few neighbours are not collected by age",
		.source = "Linux 3.9, commit 2724680bceee",
	},
	[KMALLOC_COMMON] = {
		.name = "kmalloc-common",
		.merged = "3.10",
		.title = "SLAB finds kmalloc's caches as SLUB does",
		.source = "Linux 3.10, kmalloc_slab(), commit 2c59dd654421",
		.needs = "kmalloc_slab()",
		.replaces = "kmem_find_general_cachep()",
	},
	[IN_DEV_MC_HASH] = {
		.name = "in-dev-mc-hash",
		.merged = "3.11",
		.title = "A device has a hash of its many IPv4 groups",
		.source = "Linux 3.11, commit e9897071350b; recalled",
		.needs = "in_device.mc_hash",
	},
	[DST_RCU_FREE] = {
		.name = "dst-rcu-free",
		.merged = "3.16",
		.title = "A route of one packet alone is freed after a grace period",
		.source = "Linux 3.16, commit f88649721268; recalled",
	},
	[IP6_MROUTE_TABLES] = {
		.name = "ip6-mroute-tables",
		.title = "Rules say which table of multicast routes is meant",
		.source = "configuration; the trace in tests/truth/linux-6.1",
	},
	[UDP_L3MDEV_ACCEPT] = {
		.name = "udp-l3mdev-accept",
		.merged = "4.10",
		.title = "A setting says whether sockets hear all VRFs",
		.source = "Linux 4.10, commit 63a6fff353d0; recalled",
		.needs = "net.ipv4.sysctl_udp_l3mdev_accept",
	},
	[MCAST_SSM_JOIN] = {
		.name = "mcast-ssm-join",
		.merged = "4.20",
		.title = "Who joins for a source does so without all others first",
		.source = "Linux 4.20, commit 6e2059b53f98; recalled",
	},
	[IP6_MC_ALL] = {
		.name = "ip6-mc-all",
		.merged = "4.20",
		.title = "IPV6_MULTICAST_ALL",
		.source = "Linux 4.20, commit 15033f0457dc; recalled",
		.needs = "udp6_sock.inet6.mc_all",
	},
	[IPV4_MC_DST_CLONE] = {
		.name = "ipv4-mc-dst-clone",
		.merged = "5.2",
		.title = "A datagram that comes back has a route of its own",
		.source = "Linux 5.2, commit 5b18f1289808; recalled",
		.needs = "rtable.rt_gw_family",
	},
	[MLD_RCU] = {
		.name = "mld-rcu",
		.merged = "5.13",
		.title = "IPv6 groups and their sources are read under RCU",
		.source = "Linux 5.13, commits 4b200e398953 and 88e2ca308094; recalled",
	},
	[IP6_FRAG_ID_RANDOM] = {
		.name = "ip6-frag-id-random",
		.merged = "5.14",
		.title = "Identifications of IPv6 fragments are random",
		.source = "Linux 5.14, commit 62f20e068ccc; recalled",
	},
	[IGMP_CHECK_LOCK] = {
		.name = "igmp-check-lock",
		.merged = "6.1",
		.title = "An IPv4 group is locked while its sources are looked at",
		.source = "the trace in tests/truth/linux-6.1",
	},
	[SK_RX_DST] = {
		.name = "sk-rx-dst",
		.merged = "3.6",
		.title = "A socket remembers the route of what comes in",
		.source = "Linux 3.6, commit 41063e9dd119",
		.needs = "sock.sk_rx_dst",
	},
	[PROTO_RELEASE_CB] = {
		.name = "proto-release-cb",
		.merged = "3.6",
		.title = "Who gives a socket back does what its protocol put off",
		.source = "Linux 3.6, commit 46d3ceabd8d9; recalled",
		.needs = "proto.release_cb",
	},
	[FPUT_TASK_WORK] = {
		.name = "fput-task-work",
		.merged = "3.6",
		.title = "A task closes files on its way back to user mode",
		.source = "Linux 3.6, commit 4a9d4b024a31; recalled",
		.needs = "task_struct.task_works",
	},
	[BUSY_POLL] = {
		.name = "busy-poll",
		.merged = "3.11",
		.title = "A reader may poll the device that its packets come by",
		.source = "Linux 3.11, commit 060212928670",
		.needs = "sock.sk_napi_id",
	},
	[BUSY_POLL_CONNECTED] = {
		.name = "busy-poll-connected",
		.merged = "3.13",
		.title = "Only a connected socket notes the device that its "
			 "packets come by",
		.source = "netdev, 2013-10-04, S. Bohrer; Linux 3.13, commit "
			  "005ec9743394",
		.needs = "sock.sk_napi_id",
	},
	[UDP_EARLY_DEMUX] = {
		.name = "udp-early-demux",
		.merged = "3.13",
		.title = "UDP's socket is looked for before the route, which it "
			 "may remember",
		.source = "netdev, 2013-10-04, S. Bohrer; Linux 3.13, commit "
			  "421b3885bf6d",
		.needs = "sock.sk_rx_dst",
	},
	[PKTINFO_ON_DEMAND] = {
		.name = "pktinfo-on-demand",
		.merged = "3.13",
		.title = "Packet info is made up for who has asked for it only",
		.source = "netdev, 2013-10-04, S. Bohrer; Linux 3.13, commit "
			  "fbf8866d6542",
	},
	[UDP_DEMUX_SHORT_CHAIN] = {
		.name = "udp-demux-short-chain",
		.merged = "3.16",
		.title = "A group's socket is not looked for early in a long "
			 "chain",
		.source = "Linux 3.16, commit 63c6f81cdde5; recalled",
	},
	[UDP_DEMUX_MC_OURS] = {
		.name = "udp-demux-mc-ours",
		.merged = "4.2",
		.title = "Only of a group that this host is in, a socket is "
			 "looked for early",
		.source = "Linux 4.2, commit 6e5403093261; recalled",
	},
	[UDP_BUSY_POLL_ALL] = {
		.name = "udp-busy-poll-all",
		.merged = "4.10",
		.title = "An unconnected socket notes the first device that its "
			 "packets come by",
		.source = "Linux 4.10, commit e68b6e50fa35; recalled",
		.needs = "sock.sk_napi_id",
	},
	[UDP_EARLY_DEMUX_SYSCTL] = {
		.name = "udp-early-demux-sysctl",
		.merged = "4.12",
		.title = "A switch of its own for UDP's early demux",
		.source = "Linux 4.12, commit dddb64bcb346; recalled",
		.needs = "net.ipv4.sysctl_udp_early_demux",
	},
	[UDP6_EARLY_DEMUX] = {
		.name = "udp6-early-demux",
		.merged = "4.12",
		.title = "UDP's socket is looked for before the route over IPv6 "
			 "too",
		.source = "Linux 4.12, commit 5425077d73e0; recalled",
		.needs = "sock.sk_rx_dst_cookie",
	},
	[UDP_REUSEPORT_CONNS] = {
		.name = "udp-reuseport-conns",
		.merged = "5.4",
		.title = "A connected socket does not share with its group",
		.source = "Linux 5.4, commit acdcecc61285; recalled",
	},
	[PICK_TX_ANY_DST] = {
		.name = "pick-tx-any-dst",
		.merged = "3.12",
		.title = "A socket with any route remembers its transmit "
			 "queue",
		.source = "Linux 3.12, commit 702821f4ea6f; release recalled",
	},
	[SLAB_PAGE_DESCRIPTOR] = {
		.name = "slab-page-descriptor",
		.merged = "3.13",
		.title = "The struct page of a slab describes it",
		.source = "Linux 3.13, commit 8456a648cf44",
		.needs = "page.active",
		.replaces = "slab.list",
	},
	[PREEMPT_COUNT_PERCPU] = {
		.name = "preempt-count-percpu",
		.merged = "3.13",
		.title = "The preemption count is the CPU's, not the task's",
		.source = "Linux 3.13, arch/x86: __preempt_count",
		.needs = "preempt_count.__preempt_count",
		.replaces = "thread_info.preempt_count",
	},
	[NEIGH_PROBE_TAIL] = {
		.name = "neigh-probe-tail",
		.merged = "3.13",
		.title = "A probe's source address is the newest packet's",
		.source = "Linux 3.13, commit 4ed377e36ec2",
	},
	[RT6_NO_PEER_GENID] = {
		.name = "rt6-no-peer-genid",
		.merged = "3.13",
		.title = "An IPv6 route keeps no generation of its peer",
		.source = "Linux 3.15.5's rt6_info has no rt6i_peer_genid; "
			  "the release is recalled",
		.replaces = "rt6_info.rt6i_peer_genid",
	},
	[RT6_NEIGH_LOOKUP] = {
		.name = "rt6-neigh-lookup",
		.merged = "3.9",
		.title = "IPv6 looks up the neighbour, the route has none",
		.source = "Linux 3.9, commit 6fd6ce2056de",
		.replaces = "rt6_info.n",
	},
	[FLOWLABEL_RCU] = {
		.name = "flowlabel-rcu",
		.merged = "3.9",
		.title = "Flow label leases are read under RCU, not a lock",
		.source = "Linux 3.9, commit 18367681a10b",
		.replaces = "ip6_sk_fl_lock.lock",
	},
	[SO_REUSEPORT] = {
		.name = "so-reuseport",
		.merged = "3.9",
		.title = "Sockets of one user may share a port",
		.source = "Linux 3.9, commit ba418fa357a7",
	},
	[DATAGRAM_RELEASE_CB] = {
		.name = "datagram-release-cb",
		.merged = "3.9",
		.title = "A socket let go by its task renews a stale IPv4 "
			  "route",
		.source = "Linux 3.9, commit 8141ed9fcedb",
	},
	[PRANDOM_TAUS113] = {
		.name = "prandom-taus113",
		.merged = "3.14",
		.title = "The generator of random numbers has a fourth word",
		.source = "Linux 3.14, commit a98814cef879",
	},
	[LOCAL_PORTS_NETNS] = {
		.name = "local-ports-netns",
		.merged = "3.15",
		.title = "The range of ports is the namespace's own",
		.source = "Linux 3.15, ip_local_ports; the release is recalled",
		.needs = "net.ipv4.ip_local_ports.range",
		.replaces = "sysctl_local_ports.range",
	},
	[IP_FWD_USE_PMTU] = {
		.name = "ip-fwd-use-pmtu",
		.merged = "3.14",
		.title = "What is forwarded may heed the device's MTU alone",
		.source = "Linux 3.14, commit f87c10a8aa1e",
		.needs = "net.ipv4.sysctl_ip_fwd_use_pmtu",
	},
	[IP_MAXNONFRAGSIZE] = {
		.name = "ip-maxnonfragsize",
		.merged = "3.14",
		.title = "A socket that may not fragment gets EMSGSIZE at once",
		.source = "Linux 3.14, maxnonfragsize; release recalled",
	},
	[SLAB_BYTE_INDEX] = {
		.name = "slab-byte-index",
		.merged = "3.15",
		.title = "SLAB numbers the objects of a slab by bytes",
		.source = "Linux 3.15, commit a41adfaa23df",
		.needs = "page.active",
	},
	[IP_IDENTS_HASHED] = {
		.name = "ip-idents-hashed",
		.merged = "3.16",
		.title = "IP identification from hashed counters, not the peer",
		.source = "Linux 3.16, commit 73f156a6e8c1",
		.needs = "ip_idents.idents",
	},
	[UDP6_NO_CHECK] = {
		.name = "udp6-no-check",
		.merged = "3.16",
		.title = "A UDPv6 socket may send without a checksum",
		.source = "Linux 3.16, commit 4068579e1e09",
		.needs = "udp_sock.no_check6_tx",
	},
	[SKB_CHECKSUM_INIT] = {
		.name = "skb-checksum-init",
		.merged = "3.16",
		.title = "Short datagrams are verified as they come in, here "
			 "those of UDP-Lite",
		.source = "Linux 3.16, commit ed70fcfcee95; recalled",
	},
	[UDP_MCAST_HASH2] = {
		.name = "udp-mcast-hash2",
		.merged = "3.16",
		.title = "Datagrams of groups go by address and port if the "
			 "port's chain is long",
		.source = "Linux 3.16, commit 2dc41cff7545",
	},
	[SLAB_DEFERRED_DESTROY] = {
		.name = "slab-deferred-destroy",
		.merged = "3.17",
		.title = "SLAB destroys slabs once a node's lock is released",
		.source = "Linux 3.17, commit 97654dfa20ca",
	},
	[SOCK_TSFLAGS] = {
		.name = "sock-tsflags",
		.merged = "3.17",
		.title = "Timestamping flags in sk_tsflags, not among sk_flags",
		.source = "Linux 3.17, sk_tsflags",
		.needs = "sock.sk_tsflags",
	},
	[SK_DST_XCHG] = {
		.name = "sk-dst-xchg",
		.merged = "3.17",
		.title = "The socket's route is exchanged without a lock",
		.source = "Linux 3.17, sk_dst_lock is gone",
		.replaces = "sock.sk_dst_lock",
	},
	[SK_TXHASH] = {
		.name = "sk-txhash",
		.merged = "3.17",
		.title = "A socket's flow hash is given to its packets",
		.source = "Linux 3.17, skb_set_hash_from_sk()",
		.needs = "sock.sk_txhash",
	},
	[TX_HASH_FLOW] = {
		.name = "tx-hash-flow",
		.merged = "3.17",
		.title = "Transmit queues are chosen by the flow's hash",
		.source = "Linux 3.17, commit 0e001614e84b; both recalled",
		.needs = "hashrnd.key",
		.replaces = "tx_hashrnd.hashrnd",
	},
	[RT6_SERNUM_ONLY] = {
		.name = "rt6-sernum-only",
		.merged = "3.18",
		.title = "An IPv6 route is as old as its node's number says",
		.source = "Linux 3.18, commit 705f1c869d57",
		.replaces = "rt6_info.rt6i_genid",
	},
	[UDP_ROUTE_FLAGS] = {
		.name = "udp-route-flags",
		.merged = "3.17",
		.title = "udp_sendmsg() asks whether only local routes will do",
		.source = "Linux 6.1, udp_sendmsg(); the release is recalled",
	},
	[SLAB_ARRAY_PERCPU] = {
		.name = "slab-array-percpu",
		.merged = "3.18",
		.title = "SLAB's arrays are per-CPU variables",
		.source = "Linux 3.18, commit bf0dea23a9c0; and of 3.17 the "
			  "lock of an alien array, commit c8522a3a5832",
		.needs = "kmem_cache.cpu_cache",
		.replaces = "kmem_cache.array",
	},
	[FRAG_EVICT_WORKER] = {
		.name = "frag-evict-worker",
		.merged = "3.17",
		.title = "A worker gives up fragment queues, and the least"
			 " recently used are not listed",
		.source = "Linux 3.17, commits b13d3cbfb8e8 and 3fd588eb90bf; recalled",
		.needs = "inet_frags.frags_work.timer",
	},
	[XMIT_VALIDATE] = {
		.name = "xmit-validate",
		.merged = "3.18",
		.title = "Checksum and segmentation before the driver's call",
		.source = "Linux 3.18, validate_xmit_skb()",
		.needs = "validate_xmit_skb()",
	},
	[ICMP_GLOBAL_LIMIT] = {
		.name = "icmp-global-limit",
		.merged = "3.18",
		.title = "ICMP messages of a host are limited, to all others "
			 "together",
		.source = "Linux 3.18, commit 4cdf507d5452",
		.needs = "icmp_global.credit",
	},
	[NAPI_POLL_SPLICED] = {
		.name = "napi-poll-spliced",
		.merged = "3.19",
		.title = "The softirq polls from a list of its own",
		.source = "Linux 3.19, commit d75b1ade567f",
	},
	[IPCB_IIF] = {
		.name = "ipcb-iif",
		.merged = "3.19",
		.title = "A packet notes where it came in for its options",
		.source = "Linux 3.19, commit 0b922b7a829c; the transport header is set early since 3.13",
	},
	[PTYPE_ALL_DEV] = {
		.name = "ptype-all-dev",
		.merged = "4.0",
		.title = "Taps on one device hang at the device",
		.source = "Linux 4.0, net_device.ptype_all",
		.needs = "net_device.ptype_all",
	},
	[UDP6_MAKE_SKB] = {
		.name = "udp6-make-skb",
		.merged = "4.0",
		.title = "UDPv6 sends without the socket lock unless corked",
		.source = "Linux 4.0, ip6_make_skb()",
	},
	[IP6_CSUM_PARTIAL] = {
		.name = "ip6-csum-partial",
		.merged = "4.0",
		.title = "The device sums up what UDPv6 sends",
		.source = "Linux 4.0, commit 32dce968dd98",
	},
	[NONLOCAL_BIND_NETNS] = {
		.name = "nonlocal-bind-netns",
		.merged = "4.0",
		.title = "Each namespace says whether foreign addresses may "
			  "be bound",
		.source = "Linux 4.0, sysctl_ip_nonlocal_bind; the release "
			  "is recalled",
		.needs = "net.ipv4.sysctl_ip_nonlocal_bind",
	},
	[FIB_TRIE_KEY_VECTOR] = {
		.name = "fib-trie-key-vector",
		.merged = "4.1",
		.title = "The FIB trie of key vectors, aliases in its leaves",
		.source = "Linux 4.1, net/ipv4/fib_trie.c",
		.needs = "tnode.kv.key",
		.replaces = "leaf.key",
	},
	[DEV_RECURSION_LEVEL] = {
		.name = "dev-recursion-level",
		.merged = "4.1",
		.title = "A stacked device leaves the sender's MTU wish alone",
		.source = "Linux 4.1, commit f60e5990d9c1",
	},
	[NEIGH_HASH_DEV_POINTER] = {
		.name = "neigh-hash-dev-pointer",
		.merged = "4.1",
		.title = "Neighbours are hashed by the device's address",
		.source = "Linux 6.1, hash32_ptr(dev); 3.6 has the ifindex; "
			  "the release is recalled",
	},
	[NEIGH_TABLE_PROTOCOL] = {
		.name = "neigh-table-protocol",
		.merged = "4.1",
		.title = "The cached header's type is the table's, not the "
			 "route's",
		.source = "Linux 4.1, neigh_table.protocol; the release is "
			  "recalled",
		.needs = "neigh_table.protocol",
		.replaces = "dst_ops.protocol",
	},
	[NEIGH_MCAST_REPROBES] = {
		.name = "neigh-mcast-reprobes",
		.merged = "4.1",
		.title = "Probes by multicast may follow those of a known "
			 "address",
		.source = "Linux 4.1, commit 8da86466b837",
	},
	[SADDR_RFC6724] = {
		.name = "saddr-rfc6724",
		.merged = "4.1",
		.title = "IPv6 source addresses by RFC 6724, not RFC 3484",
		.source = "net/ipv6/addrconf.c, addrlabel.c: read without it "
			  "in 3.6 and with it in 4.1, between which the "
			  "release is not known",
	},
	[RT6_PCPU] = {
		.name = "rt6-pcpu",
		.merged = "4.2",
		.title = "IPv6 routes for each CPU instead of clones by "
			 "address",
		.source = "Linux 4.2, rt6i_pcpu",
		.needs = "rt6i_pcpu.rt",
		.replaces = "rt6_info.n",
	},
	[BACKLOG_RUNNING] = {
		.name = "backlog-running",
		.merged = "4.2",
		.title = "Packets of a device that is down are not queued",
		.source = "Linux 4.2, commit e9e4dd3267d0",
	},
	[NEXTHOP_LINKDOWN] = {
		.name = "nexthop-linkdown",
		.merged = "4.2",
		.title = "Nexthops without carrier may be left out",
		.source = "Linux 4.2, ignore_routes_with_linkdown",
	},
	[IP6_SOURCE_RETRY] = {
		.name = "ip6-source-retry",
		.merged = "4.2",
		.title = "No route without a source: looked up with one",
		.source = "Linux 4.2, commit e16e888b5255",
	},
	[SPIN_LOCKS_QUEUED] = {
		.name = "spin-locks-queued",
		.merged = "4.2",
		.title = "Queued instead of ticket spin locks on x86",
		.source = "Linux 4.2, arch/x86: qspinlock",
	},
	[NEIGH_DEAD_CHECK] = {
		.name = "neigh-dead-check",
		.merged = "4.2",
		.title = "A neighbour out of its table is not changed any more",
		.source = "Linux 4.2, commit 2c51a97f76d2",
	},
	[BIND_ADDRESS_NO_PORT] = {
		.name = "bind-address-no-port",
		.merged = "4.2",
		.title = "bind() may leave the port for later",
		.source = "Linux 4.2, commit 90c337da1524",
		.needs = "inet_sock.bind_address_no_port",
	},
	[LOCAL_PORTS_EVEN] = {
		.name = "local-ports-even",
		.merged = "4.2",
		.title = "The range of ports ends at 60999, so that it is even",
		.source = "Linux 4.2, commit 07f4c90062f8",
	},
	[AUTO_FLOWLABELS] = {
		.name = "auto-flowlabels",
		.merged = "4.3",
		.title = "IPv6 flow labels are made from a hash",
		.source = "Linux 4.3, commit b56774163f99",
		.needs = "net.ipv6.sysctl.auto_flowlabels",
	},
	[TXOPT_RCU] = {
		.name = "txopt-rcu",
		.merged = "4.4",
		.title = "IPv6 options of a socket are read under RCU",
		.source = "Linux 4.4, commit 45f6fad84cc3",
		.needs = "ipv6_txoptions.refcnt",
	},
	[SK_FULLSOCK] = {
		.name = "sk-fullsock",
		.merged = "4.4",
		.title = "inet6_sk() asks whether the socket is a full one",
		.source = "Linux 4.4, sk_fullsock() in inet6_sk()",
	},
	[IP6_SK_DST_SKIP_XFRM] = {
		.name = "ip6-sk-dst-skip-xfrm",
		.merged = "4.7",
		.title = "A socket's good IPv6 route is not looked at again",
		.source = "Linux 4.7, commit 00bc0ef5880d",
	},
	[DST_LWTSTATE] = {
		.name = "dst-lwtstate",
		.merged = "4.3",
		.title = "Routes may have a light-weight tunnel",
		.source = "Linux 4.3, dst_entry.lwtstate",
		.needs = "dst_entry.lwtstate",
	},
	[PAGE_COMPOUND_HEAD] = {
		.name = "page-compound-head",
		.merged = "4.4",
		.title = "One word of a tail page says that it is and of what",
		.source = "Linux 4.4, commit 1d798ca3f164",
	},
	[NEIGH_PROBE_RESET] = {
		.name = "neigh-probe-reset",
		.merged = "4.3",
		.title = "An update to PROBE starts with no probes sent",
		.source = "Linux 4.3, __neigh_update(); the release is "
			  "recalled",
	},
	[SADDR_OIF_ONLY] = {
		.name = "saddr-oif-only",
		.merged = "4.3",
		.title = "Sources of the outgoing device only: a setting",
		.source = "Linux 4.3, use_oif_addrs_only",
		.needs = "inet6_dev.cnf.use_oif_addrs_only",
	},
	[UDP_INCOMING_CPU] = {
		.name = "udp-incoming-cpu",
		.merged = "4.4",
		.title = "A look-up prefers the socket of the packet's CPU",
		.source = "Linux 4.4, commit 70da268b569d",
		.needs = "sock.sk_incoming_cpu",
	},
	[UDP_REUSEPORT_GROUP] = {
		.name = "udp-reuseport-group",
		.merged = "4.5",
		.title = "Sockets that share a port are a group, an array",
		.source = "Linux 4.5, commit e32ea7e74727",
		.needs = "sock.sk_reuseport_cb",
	},
	[REUSEPORT_TAIL] = {
		.name = "reuseport-tail",
		.merged = "4.7",
		.title = "IPv6 sockets that share a port come last on their "
			  "chain",
		.source = "Linux 4.6.1, commit d894ba18d4e4",
	},
	[IP6_DATAGRAM_RELEASE_CB] = {
		.name = "ip6-datagram-release-cb",
		.merged = "4.7",
		.title = "A socket let go by its task renews a stale IPv6 "
			  "route",
		.source = "Linux 4.7, commit e646b657f698",
	},
	[SLAB_OBJFREELIST] = {
		.name = "slab-objfreelist",
		.merged = "4.6",
		.title = "SLAB keeps its indexes in an object that is free",
		.source = "Linux 4.6, commit b03a017bebc4",
		.needs = "page.active",
	},
	[SYSCTL_TTL_NETNS] = {
		.name = "sysctl-ttl-netns",
		.merged = "4.6",
		.title = "The default TTL is the namespace's",
		.source = "Linux 4.6, sysctl_ip_default_ttl",
		.needs = "net.ipv4.sysctl_ip_default_ttl",
		.replaces = "sysctl_data.sysctl_ip_default_ttl",
	},
	[EARLY_DEMUX_NETNS] = {
		.name = "early-demux-netns",
		.merged = "4.6",
		.title = "A namespace says whether sockets are looked for early",
		.source = "Linux 4.6, commit e21145a9871a",
		.needs = "net.ipv4.sysctl_ip_early_demux",
	},
	[UDP_SOCK_RCU_FREE] = {
		.name = "udp-sock-rcu-free",
		.merged = "4.7",
		.title = "A closed UDP socket is freed after a grace period",
		.source = "netdev, 2016-03-25, \"udp: No longer use "
			  "SLAB_DESTROY_BY_RCU\"; commit ca065d0cf80f",
		.needs = "sock.sk_rcu",
	},
	[TIMER_WHEEL_LEVELS] = {
		.name = "timer-wheel-levels",
		.merged = "4.8",
		.title = "Timers stay in the wheel's level and run at its "
			 "slot's end",
		.source = "Linux 4.8, commit 500462a9de65",
	},
	[NEIGH_STALE_KEEPS] = {
		.name = "neigh-stale-keeps",
		.merged = "4.8",
		.title = "STALE without a new address changes no valid "
			 "neighbour",
		.source = "Linux 4.8, __neigh_update(); the release is "
			  "recalled",
	},
	[L3MDEV] = {
		.name = "l3mdev",
		.merged = "4.8",
		.title = "IPv6 sources are chosen within a VRF",
		.source = "Linux 4.8, ipv6_dev_get_saddr()",
		.needs = "l3mdev_master_ifindex_rcu()",
	},
	[THREAD_INFO_IN_TASK] = {
		.name = "thread-info-in-task",
		.merged = "4.9",
		.title = "The thread_info lies in the task, not on the stack",
		.source = "Linux 4.9, THREAD_INFO_IN_TASK on x86",
		.needs = "task_struct.thread_info.flags",
		.replaces = "thread_info.task",
	},
	[KSOFTIRQD_RUNNING] = {
		.name = "ksoftirqd-running",
		.merged = "4.9",
		.title = "Once ksoftirqd is to run, softirqs are left to it",
		.source = "Linux 4.9, commit 4cd13c21b207",
	},
	[UDPLITE_BACKLOG] = {
		.name = "udplite-backlog",
		.merged = "4.9",
		.title = "What has waited for the owner of a UDP-Lite socket "
			 "does not wait again",
		.source = "Linux 4.9, commit 30c7be26fd35",
	},
	[L3MDEV_OUT] = {
		.name = "l3mdev-out",
		.merged = "4.9",
		.title = "What IPv6 sends may pass a VRF on its way",
		.source = "Linux 4.9, l3mdev_ip6_out()",
	},
	[RFS_STATIC_KEY] = {
		.name = "rfs-static-key",
		.merged = "4.10",
		.title = "Flow steering costs nothing while it is off",
		.source = "Linux 4.10, rfs_needed",
	},
	[SOCK_UID] = {
		.name = "sock-uid",
		.merged = "4.10",
		.title = "Routes may depend on the socket's owner",
		.source = "Linux 4.10, sk_uid",
		.needs = "sock.sk_uid",
	},
	[SOCK_PENDING_CONFIRM] = {
		.name = "sock-pending-confirm",
		.merged = "4.11",
		.title = "A confirmation is noted in the socket and the packet",
		.source = "Linux 4.11, merge b44700e97584",
		.needs = "sk_buff.dst_pending_confirm",
		.replaces = "dst_entry.pending_confirm",
	},
	[UDP_READER_QUEUE] = {
		.name = "udp-reader-queue",
		.merged = "4.13",
		.title = "UDP charges memory under the queue's lock; a reader "
			 "has a queue of its own",
		.source = "Linux 4.10 and 4.13, udp_rmem_release(), "
			  "reader_queue",
		.needs = "udp_sock.reader_queue.next",
	},
	[NEIGH_DELETE_REMOVES] = {
		.name = "neigh-delete-removes",
		.merged = "4.13",
		.title = "A deleted neighbour goes at once",
		.source = "Linux 4.13, commit 5071034e4af7",
	},
	[NEIGH_UPDATE_EFFECTIVE] = {
		.name = "neigh-update-effective",
		.merged = "4.13",
		.title = "An update that changes nothing leaves the times "
			 "alone",
		.source = "Linux 4.13, commit 77d7123342dc",
	},
	[DST_HOLD_SAFE] = {
		.name = "dst-hold-safe",
		.merged = "4.14",
		.title = "A route is held unless its count is zero",
		.source = "Linux 4.14, atomic_inc_not_zero() in sk_dst_get()",
	},
	[NEIGH_QUEUE_WMEM] = {
		.name = "neigh-queue-wmem",
		.merged = "4.14",
		.title = "As many bytes wait for an address as a socket may "
			 "send",
		.source = "Linux 4.14, commit eaa72dc4748c",
	},
	[NEIGH_KEY_POINTOPOINT] = {
		.name = "neigh-key-pointopoint",
		.merged = "4.15",
		.title = "One IPv4 neighbour on a point-to-point device",
		.source = "Linux 4.15, commit cd9ff4de0107",
	},
	[IP6_MAPPED_SOURCE] = {
		.name = "ip6-mapped-source",
		.merged = "4.11",
		.title = "An IPv4-mapped source stays off the IPv6 wire",
		.source = "Linux 4.11, commits 052d2369d1b4, ec5e3b0a1d41",
	},
	[UDP_REUSEPORT_QUIT_EARLY] = {
		.name = "udp-reuseport-quit-early",
		.merged = "4.11",
		.title = "A port that may be shared is looked at no further",
		.source = "Linux 4.11, commit df560056d9ff",
	},
	[IP6_CONNECT_RESTORE] = {
		.name = "ip6-connect-restore",
		.merged = "4.12",
		.title = "A connect() that fails leaves the old peer",
		.source = "Linux 4.12, commit 85cb73ff9b74; release recalled",
	},
	[ICMP_GLOBAL_FIRST] = {
		.name = "icmp-global-first",
		.merged = "4.11",
		.title = "That limit is asked first, and holds for ICMPv6 too",
		.source = "Linux 4.11, commit c0303efeab73",
		.needs = "icmp_global.credit",
	},
	[ROUTE_OUTPUT_RCU] = {
		.name = "route-output-rcu",
		.merged = "4.13",
		.title = "An IPv4 route is made in one function, under RCU",
		.source = "Linux 4.13, ip_route_output_key_hash_rcu()",
		.needs = "ip_route_output_key_hash_rcu()",
		.replaces = "__ip_route_output_key()",
	},
	[SADDR_RCU] = {
		.name = "saddr-rcu",
		.merged = "4.15",
		.title = "IPv6 addresses are walked without lock or reference",
		.source = "Linux 4.15, __ipv6_dev_get_saddr()",
		.needs = "__ipv6_dev_get_saddr()",
	},
	[ADDRLABEL_NETNS] = {
		.name = "addrlabel-netns",
		.merged = "4.15",
		.title = "Each namespace has its own IPv6 address labels",
		.source = "Linux 4.15, netns_ipv6.ip6addrlbl_table",
		.needs = "net.ipv6.ip6addrlbl_table.head",
		.replaces = "ip6addrlbl_table.head",
	},
	[RCU_SEGCBLIST] = {
		.name = "rcu-segcblist",
		.merged = "4.12",
		.title = "RCU callbacks are counted by part of their list",
		.source = "Linux 4.12, kernel/rcu/rcu_segcblist.c",
		.needs = "rcu_segcblist_enqueue()",
	},
	[XFRM_DST_PATH] = {
		.name = "xfrm-dst-path",
		.merged = "4.15",
		.title = "Only routes of IPsec have a path under them",
		.source = "Linux 4.15, commit 0f6c480f23f4",
		.replaces = "dst_entry.path",
	},
	[AUTOFLOWLABEL_SET] = {
		.name = "autoflowlabel-set",
		.merged = "4.15",
		.title = "Labels follow the setting of now, not of socket()",
		.source = "Linux 4.15, commit 513674b5a2c9",
		.needs = "udp6_sock.inet6.autoflowlabel_set",
	},
	[UDP6_DST_STORE_ONCE] = {
		.name = "udp6-dst-store-once",
		.merged = "4.17",
		.title = "A connected UDPv6 send stores only new routes",
		.source = "Linux 4.17, ip6_sk_dst_store_flow()",
	},
	[FIB6_RCU] = {
		.name = "fib6-rcu",
		.merged = "4.18",
		.title = "IPv6 FIB entries apart from routes, read under RCU",
		.source = "Linux 4.15 to 4.18, struct fib6_info",
		.needs = "fib6_info.fib6_next",
		.replaces = "rt6_info.rt6i_node",
	},
	[SOCK_VALIDATE_XMIT] = {
		.name = "sock-validate-xmit",
		.merged = "4.18",
		.title = "A socket may look at its packets before the device",
		.source = "Linux 4.18, commit ebf4e808fa0b",
		.needs = "sock.sk_validate_xmit_skb",
	},
	[RCU_GP_SEQ] = {
		.name = "rcu-gp-seq",
		.merged = "4.19",
		.title = "Grace periods have one number, not two",
		.source = "Linux 4.19, rcu_state.gp_seq",
		.needs = "rcu_data.gp_seq",
		.replaces = "rcu_data.completed",
	},
	[FRAG_RHASHTABLE] = {
		.name = "frag-rhashtable",
		.merged = "4.17",
		.title = "Fragment queues are found without a lock, and none"
			 " is given up for want of memory",
		.source = "Linux 4.17, commit 648700f76b03; recalled",
		.needs = "inet_frag_queue.rcu.next",
	},
	[FRAG_OVERLAP_DROPS] = {
		.name = "frag-overlap-drops",
		.merged = "4.19",
		.title = "A datagram with overlapping fragments is given up"
			 " (IPv4)",
		.source = "Linux 4.19, commit 7969e5c40dfd; recalled",
	},
	[FRAG_RUNS] = {
		.name = "frag-runs",
		.merged = "5.1",
		.title = "A fragment whose bytes are all there is no overlap",
		.source = "Linux 5.1, commits c23f35d19db3 and d4289fcc9b16; recalled",
	},
	[UDP_GSO] = {
		.name = "udp-gso",
		.merged = "4.18",
		.title = "Segmentation of UDP asked for by the socket",
		.source = "Linux 4.18, UDP_SEGMENT",
		.needs = "udp_sock.gso_size",
	},
	[UDP_GRO_SOCK] = {
		.name = "udp-gro-sock",
		.merged = "5.0",
		.title = "A socket may take several datagrams of a size at once",
		.source = "Linux 5.0, UDP_GRO; release recalled",
		.needs = "udp_sock.gro_enabled",
	},
	[PID_IN_SIGNAL] = {
		.name = "pid-in-signal",
		.merged = "4.19",
		.title = "A process's number is found by way of its signals",
		.source = "Linux 4.19, signal_struct.pids",
		.needs = "signal_struct.pids",
		.replaces = "task_struct.pids",
	},
	[UDPLITE_BY_PROTOCOL] = {
		.name = "udplite-by-protocol",
		.merged = "4.20",
		.title = "UDP-Lite is told by sk_protocol, not by pcflag",
		.source = "Linux 6.1, IS_UDPLITE(); the release is recalled",
	},
	[NEIGH_HH_HEADROOM] = {
		.name = "neigh-hh-headroom",
		.merged = "4.20",
		.title = "Room for the hardware header is tested before it is "
			 "copied",
		.source = "Linux 4.20, neigh_hh_output()",
	},
	[KMALLOC_NAMES_IN_K] = {
		.name = "kmalloc-names-in-k",
		.merged = "4.20",
		.title = "The general caches are called kmalloc-1k and so on",
		.source = "Linux 4.20, kmalloc_cache_name()",
	},
	[SKB_EXTENSIONS] = {
		.name = "skb-extensions",
		.merged = "5.0",
		.title = "Rare parts of a packet's state are extensions",
		.source = "Linux 5.0, skb->active_extensions",
		.needs = "sk_buff.active_extensions",
		.replaces = "sk_buff.sp",
	},
	[UDPLITE_REHASH] = {
		.name = "udplite-rehash",
		.merged = "5.0",
		.title = "A UDP-Lite socket that gets an address changes its "
			 "chain",
		.source = "Linux 5.0, .rehash of udplite_prot; release "
			  "recalled",
	},
	[NEIGH_GC_LIST] = {
		.name = "neigh-gc-list",
		.merged = "5.0",
		.title = "A list of the neighbours that may be collected",
		.source = "Linux 5.0, commit 58956317c8de",
		.needs = "neigh_table.gc_entries",
	},
	[UDP_LOOKUP_HASH2] = {
		.name = "udp-lookup-hash2",
		.merged = "5.0",
		.title = "A look-up goes by address and port, never by port",
		.source = "Linux 5.0, commit 4cdeeee9252a",
	},
	[NET_HASH_MIX] = {
		.name = "net-hash-mix",
		.merged = "5.1",
		.title = "Hashes are salted by a random number, not an address",
		.source = "Linux 5.1, commit 355b98553789",
		.needs = "net.hash_mix",
	},
	[IP_ID_SIPHASH] = {
		.name = "ip-id-siphash",
		.merged = "5.1",
		.title = "Identifications are hashed under a secret of 128 bits",
		.source = "Linux 5.1, commit df453700e8d8",
		.needs = "net.ipv4.ip_id_key.key",
	},
	[XMIT_MORE_SOFTNET] = {
		.name = "xmit-more-softnet",
		.merged = "5.2",
		.title = "Whether more packets follow is the CPU's, not the "
			 "packet's",
		.source = "Linux 5.2, softnet_data.xmit.more",
		.needs = "softnet_data.xmit.more",
	},
	[XMIT_RECURSION_SOFTNET] = {
		.name = "xmit-recursion-softnet",
		.merged = "5.2",
		.title = "The transmit recursion count lies in softnet_data",
		.source = "Linux 5.2, softnet_data.xmit",
		.needs = "softnet_data.xmit.recursion",
		.replaces = "xmit_recursion.xmit_recursion",
	},
	[INET6_SENDMSG] = {
		.name = "inet6-sendmsg",
		.merged = "5.3",
		.title = "IPv6 sockets have a sendmsg() of their own",
		.source = "Linux 5.3, commit 68ab5d1496a3",
	},
	[FLOWLABEL_FREE] = {
		.name = "flowlabel-free",
		.merged = "5.3",
		.title = "Flow labels need no lease unless one is exclusive",
		.source = "Linux 5.3, commit 59c820b2317f",
		.needs = "net.ipv6.flowlabel_has_excl",
	},
	[FIB_NEXTHOP_COMMON] = {
		.name = "fib-nexthop-common",
		.merged = "5.3",
		.title = "Nexthops of both families share a struct and objects",
		.source = "Linux 5.2 and 5.3, struct fib_nh_common",
		.needs = "rtable.rt_gw_family",
	},
	[RCU_BATCH_TIME] = {
		.name = "rcu-batch-time",
		.merged = "5.4",
		.title = "Large batches of RCU callbacks end after 3 ms",
		.source = "commit cfcdef5e3046; the release is recalled",
	},
	[SOCKET_WQ_EMBEDDED] = {
		.name = "socket-wq-embedded",
		.merged = "5.3",
		.title = "A socket's wait queue lies in the socket",
		.source = "Linux 5.3, struct socket.wq",
		.needs = "socket.wq_wait",
	},
	[SLUB_FREELIST_REBUILT] = {
		.name = "slub-freelist-rebuilt",
		.merged = "5.4",
		.title = "SLUB links what is freed anew before it takes it",
		.source = "Linux 5.4, commit aea4df4c53f7",
	},
	[FLOW_HASH_SIPHASH] = {
		.name = "flow-hash-siphash",
		.merged = "5.4",
		.title = "Flows are hashed by SipHash, not by jhash",
		.source = "Linux 5.4, commit 55667441c84f",
		.needs = "__siphash_unaligned()",
	},
	[DUMMY_LSTATS] = {
		.name = "dummy-lstats",
		.merged = "5.5",
		.title = "dummy counts in the device's lstats",
		.source = "Linux 5.5, dev_lstats_add()",
		.needs = "net_device.phydev",
	},
	[UDP_DISCONNECT_REHASH] = {
		.name = "udp-disconnect-rehash",
		.merged = "5.6",
		.title = "A socket that loses its address changes its chain",
		.source = "Linux 5.6, commit 303d0403b8c2",
	},
	[SLUB_FREEPTR_MIDDLE] = {
		.name = "slub-freeptr-middle",
		.merged = "5.7",
		.title = "SLUB's free pointer lies in the middle of an object",
		.source = "Linux 5.7, commit 3202fa62fb43",
	},
	[NEIGH_RETRANS_SHORT] = {
		.name = "neigh-retrans-short",
		.merged = "5.8",
		.title = "Probes may follow in a hundredth of a second",
		.source = "Linux 5.8, commit 19e16d220f0a; the release is "
			  "recalled",
	},
	[SYSCALL_ENTRY_GENERIC] = {
		.name = "syscall-entry-generic",
		.merged = "5.9",
		.title = "System calls enter and leave through kernel/entry/",
		.source = "Linux 5.9, kernel/entry/common.c",
		.needs = "cpu_tss_rw.x86_tss.sp2",
		.replaces = "thread_info.flags",
	},
	[SKB_SHINFO_FLAGS] = {
		.name = "skb-shinfo-flags",
		.merged = "5.12",
		.title = "Zero copy is told by skb_shared_info.flags",
		.source = "Linux 5.12, SKBFL_ZEROCOPY_ENABLE",
		.needs = "skb_shared_info.flags",
	},
	[SLUB_ORIG_SIZE] = {
		.name = "slub-orig-size",
		.merged = "5.12",
		.title = "SLUB passes on how much was asked for, for KFENCE",
		.source = "Linux 5.12, commit b89fb5ef0ce6",
	},
	[SLUB_CPU_PARTIAL_SLABS] = {
		.name = "slub-cpu-partial-slabs",
		.merged = "5.16",
		.title = "A CPU's partial slabs are limited by their number",
		.source = "Linux 5.16, commit b47291ef02b0",
		.replaces = "page.pobjects",
	},
	[STRUCT_SLAB] = {
		.name = "struct-slab",
		.merged = "5.17",
		.title = "The way from an object to its slab asks for the flag",
		.source = "Linux 5.17, virt_to_slab()",
	},
	[SKB_ALLOC_CPU] = {
		.name = "skb-alloc-cpu",
		.merged = "5.19",
		.title = "A packet knows the CPU that allocated it",
		.source = "Linux 5.19, skb->alloc_cpu",
		.needs = "sk_buff.alloc_cpu",
	},
	[CONTEXT_TRACKING_STATE] = {
		.name = "context-tracking-state",
		.merged = "6.0",
		.title = "Idle CPUs are told by the state of context tracking",
		.source = "Linux 6.0, context_tracking.state",
		.needs = "context_tracking.state",
		.replaces = "rcu_dynticks.dynticks",
	},
	[INET_ID_ATOMIC] = {
		.name = "inet-id-atomic",
		.merged = "6.0",
		.title = "Connected sockets count identifications atomically",
		.source = "Linux 6.1.y and 6.6, inet_sock.inet_id",
	},
	[NETWORK_ADDRESS_UNICAST] = {
		.name = "network-address-unicast",
		.merged = "5.14",
		.title = "A network's lowest address is a host's",
		.source = "Linux 5.14, commit 94c821c74bf5",
	},
	[XFRM_POLICY_DEFAULT] = {
		.name = "xfrm-policy-default",
		.merged = "5.15",
		.title = "A default policy for packets without one",
		.source = "Linux 5.15, netns_xfrm.policy_default",
		.needs = "net.xfrm.policy_default",
	},
	[IPV4_MTU_FORWARD] = {
		.name = "ipv4-mtu-forward",
		.merged = "5.15",
		.title = "One way to find an MTU, for sent and forwarded "
			 "packets",
		.source = "Linux 5.15, \"net: ipv4: Consolidate ipv4_mtu and "
			  "ip_dst_mtu_maybe_forward\"",
		.needs = "rtable.rt_mtu_locked",
	},
	[SOCK_WFREE_ONCE] = {
		.name = "sock-wfree-once",
		.merged = "5.19",
		.title = "One locked operation when a UDP packet is freed",
		.source = "Linux 5.19, sock_def_write_space_wfree()",
	},
	[SK_ROUTE_CAPS_ONCE] = {
		.name = "sk-route-caps-once",
		.merged = "5.19",
		.title = "A socket has no list of what its route must not do",
		.source = "Linux 5.19, sk_route_nocaps is gone",
		.replaces = "sock.sk_route_nocaps",
	},
	[IP6_DST_STEAL] = {
		.name = "ip6-dst-steal",
		.merged = "5.19",
		.title = "The IPv6 packet takes over the sender's route",
		.source = "Linux 5.19, ip6_cork_steal_dst(); release recalled",
	},
	[IP6_OUTPUT_RCU] = {
		.name = "ip6-output-rcu",
		.merged = "6.1",
		.title = "IPv6 packets leave the host under RCU",
		.source = "6.1.y since 2025; tests/truth/linux-6.1",
	},
	[PREFSRC_L3MDEV] = {
		.name = "prefsrc-l3mdev",
		.merged = "6.1",
		.title = "A source address must suit the flow's L3 device",
		.source = "Linux 6.11, \"ipv4: fix source address selection "
			  "with route leak\"; in 6.1.y since 2024",
	},
	[SKB_DEFER_FREE] = {
		.name = "skb-defer-free",
		.merged = "5.19",
		.title = "Buffers go back to the CPU that allocated them",
		.source = "Linux 5.19, commit 68822bdf76f1",
		.needs = "softnet_data.defer_list",
	},
	[IPCB_NOPOLICY] = {
		.name = "ipcb-nopolicy",
		.merged = "5.18",
		.title = "A packet notes that its device wants no policy check",
		.source = "Linux 5.18, commit e6175a2ed1f1",
	},
	[ICMP6_RATELIMIT_STAT] = {
		.name = "icmp6-ratelimit-stat",
		.merged = "6.1",
		.title = "ICMPv6 messages that were not allowed are counted",
		.source = "icmpv6_mib in tests/truth/linux-6.1; it may have "
			  "come some releases before",
	},
	[DEV_NET_RCU] = {
		.name = "dev-net-rcu",
		.merged = "6.1",
		.title = "A route's namespace is read under RCU",
		.source = "Linux 6.14, dev_net_rcu(); in 6.1.y since 2025",
	},
	[KMALLOC_GENERIC] = {
		.name = "kmalloc-generic",
		.merged = "6.1",
		.title = "kmalloc() and kfree() are one for all allocators",
		.source = "Linux 6.1, __kmem_cache_alloc_node()",
	},
	[KMALLOC_SIZE_ROUNDUP] = {
		.name = "kmalloc-size-roundup",
		.merged = "6.1",
		.title = "Users ask beforehand how much kmalloc() will give",
		.source = "Linux 6.1, commit 05a940656e1e",
		.needs = "kmalloc_size_roundup()",
	},
	[GET_RANDOM_BATCH] = {
		.name = "get-random-batch",
		.merged = "6.1",
		.title = "Ports come from the cipher's batch of the CPU",
		.source = "Linux 6.1, commit a251c17aa558",
		.needs = "batched_entropy_u32.position",
		.replaces = "net_rand_state.s1",
	},
	[SOCK_LOCAL_PORT_RANGE] = {
		.name = "sock-local-port-range",
		.merged = "6.1",
		.title = "A socket may have a range of ports of its own",
		.source = "Linux 6.1.y, commit 91d0b78c5177 of 6.3",
		.needs = "inet_sock.local_port_range.lo",
	},
	[TASK_WORK_LOCKLESS] = {
		.name = "task-work-lockless",
		.merged = "3.7",
		.title = "Work for a task is queued without its lock",
		.source = "Linux 3.7, commit ac3d0da8f329",
	},
	[SOCK_FILE_NAME] = {
		.name = "sock-file-name",
		.merged = "3.8",
		.title = "A socket's name is that of its protocol",
		.source = "Linux 3.8, sock_alloc_file()",
	},
	[FILE_INODE] = {
		.name = "file-inode",
		.merged = "3.9",
		.title = "A file points to its inode",
		.source = "Linux 3.9, commit dd37978c50bc",
		.needs = "file.f_inode",
	},
	[ALLOC_FILE_ERRNO] = {
		.name = "alloc-file-errno",
		.merged = "3.9",
		.title = "A file without memory is ENOMEM, not "
			  "ENFILE",
		.source = "Linux 3.9, commit 1afc99beaf0f",
	},
	[DENTRY_LOCKREF] = {
		.name = "dentry-lockref",
		.merged = "3.12",
		.title = "A name's lock and count are changed in one "
			  "step",
		.source = "Linux 3.12, commit 98474236f72e",
	},
	[FILE_POS_LOCK] = {
		.name = "file-pos-lock",
		.merged = "3.14",
		.title = "A file's position has a lock",
		.source = "Linux 3.14, commit 9c225f2655e3",
		.needs = "file.f_pos_lock",
	},
	[NO_PMTU_DISC_NETNS] = {
		.name = "no-pmtu-disc-netns",
		.merged = "3.14",
		.title = "Whether paths' MTUs are found out, a namespace says",
		.source = "Linux 3.14, commit 974eda11c54",
		.needs = "net.ipv4.sysctl_ip_no_pmtu_disc",
	},
	[TRUNCATE_PAGES_FINAL] = {
		.name = "truncate-pages-final",
		.merged = "3.15",
		.title = "An inode that ends says so to its pages",
		.source = "Linux 3.15, commit 91b0abe36a7b",
	},
	[TTWU_POLLING] = {
		.name = "ttwu-polling",
		.merged = "3.16",
		.title = "An idle CPU that polls is woken without an interrupt",
		.source = "Linux 3.16, commit e3baac47f0e8; recalled",
	},
	[SOCK_DIAG_DESTROY] = {
		.name = "sock-diag-destroy",
		.merged = "4.3",
		.title = "Who listens is told of a socket's end",
		.source = "Linux 4.3, commit eb4cb008529c",
		.needs = "net.diag_nlsk",
	},
	[FD_INSTALL_RCU] = {
		.name = "fd-install-rcu",
		.merged = "4.3",
		.title = "fd_install() takes no lock",
		.source = "Linux 4.3, commit 8a81252b774b",
		.needs = "files_struct.resize_in_progress",
	},
	[FDTABLE_FULL_BITS] = {
		.name = "fdtable-full-bits",
		.merged = "4.4",
		.title = "A second bitmap says where all descriptors "
			  "are used",
		.source = "Linux 4.4, commit f3f86e33dc3d",
		.needs = "files_struct.fdtab.full_fds_bits",
	},
	[INODE_RWSEM] = {
		.name = "inode-rwsem",
		.merged = "4.7",
		.title = "An inode has a semaphore for many readers",
		.source = "Linux 4.7, commit 9902af79c01a",
		.needs = "socket_alloc.vfs_inode.i_rwsem.count",
		.replaces = "socket_alloc.vfs_inode.i_mutex.count",
	},
	[UDP_SLAB_PLAIN] = {
		.name = "udp-slab-plain",
		.merged = "4.9",
		.title = "Freed slabs of UDP sockets go at once, without waiting",
		.source = "Linux 4.9, udp_prot.slab_flags",
	},
	[UDP_INIT_SOCK] = {
		.name = "udp-init-sock",
		.merged = "4.10",
		.title = "UDP sets up its sockets' accounting itself",
		.source = "Linux 4.10, commit 850cbaddb52d",
		.needs = "udp_init_sock()",
	},
	[FSNOTIFY_CONNECTOR] = {
		.name = "fsnotify-connector",
		.merged = "4.12",
		.title = "Marks hang on an inode by a connector, read "
			  "under SRCU",
		.source = "Linux 4.12, commit 9dd813c15b2c",
		.needs = "super_block.s_fsnotify_connectors",
	},
	[ERRSEQ] = {
		.name = "errseq",
		.merged = "4.13",
		.title = "Files remember which errors they have seen",
		.source = "Linux 4.13, commit 5660e13d2fd6",
		.needs = "file.f_wb_err",
	},
	[FLOWLABEL_REFLECT] = {
		.name = "flowlabel-reflect",
		.merged = "4.13",
		.title = "New sockets may send back the flow labels they get",
		.source = "Linux 4.13, commit 22b6722bfa59",
		.needs = "net.ipv6.sysctl.flowlabel_reflect",
	},
	[SOCK_INUSE_NET] = {
		.name = "sock-inuse-net",
		.merged = "4.16",
		.title = "A namespace counts its sockets",
		.needs = "prot_inuse.all",
		.replaces = "sockets_in_use.sockets_in_use",
		.source = "Linux 4.16, commit 648845ab7e20",
	},
	[RSEQ] = {
		.name = "rseq",
		.merged = "4.18",
		.title = "Restartable sequences are looked after on "
			  "the way to user mode",
		.source = "Linux 4.18, commit d7822b1e24f2; the "
			  "questions for memory (4.3) and throttling (4.19) beside it",
		.needs = "task_struct.rseq",
	},
	[SOCK_RELEASE_LOCKED] = {
		.name = "sock-release-locked",
		.merged = "4.18",
		.title = "A socket is released with its inode locked",
		.source = "Linux 4.18, commit 6d8c50dcb029",
		.needs = "socket_alloc.vfs_inode.i_rwsem.owner",
	},
	[FILE_FREED_LAST] = {
		.name = "file-freed-last",
		.merged = "4.19",
		.title = "A file is freed after its name and mount "
			  "are put",
		.source = "Linux 4.19, commit 4d27f3266f14",
	},
	[DCACHE_PSEUDO_NORCU] = {
		.name = "dcache-pseudo-norcu",
		.merged = "5.2",
		.title = "Names that nobody can look up say so",
		.source = "Linux 5.2, commit 5467a68cbf69",
	},
	[CRED_NON_RCU] = {
		.name = "cred-non-rcu",
		.merged = "5.3",
		.title = "Credentials may be freed without a grace "
			  "period",
		.source = "Linux 5.3, commit d7852fbd0f04",
		.needs = "cred.non_rcu",
	},
	[CPUS_MASK_POINTER] = {
		.name = "cpus-mask-pointer",
		.merged = "5.3",
		.title = "A task's CPUs are found by a pointer",
		.source = "Linux 5.3, commit 3bd3706251ee; recalled",
		.needs = "task_struct.cpus_ptr",
		.replaces = "task_struct.cpus_allowed",
	},
	[INET6_SOCK_DESTRUCT] = {
		.name = "inet6-sock-destruct",
		.merged = "6.1",
		.title = "An IPv6 socket frees what it has in its "
			  "destructor",
		.source = "Linux 6.2, commit b5fc29233d28; in 6.1 "
			  "since its stable series",
	},
	[INVALIDATE_LOCK] = {
		.name = "invalidate-lock",
		.merged = "5.15",
		.title = "An inode's pages have a lock against invalidation",
		.source = "Linux 5.15, commit 730633f0b7f9",
		.needs = "socket_alloc.vfs_inode.i_data.invalidate_lock.count",
	},
	[IP_CMSG_TOS_TTL] = {
		.name = "ip-cmsg-tos-ttl",
		.merged = "3.13",
		.title = "A message may name the TOS and the TTL of its packet",
		.source = "Linux 3.13, commit f02db315b8d8; recalled",
		.needs = "inet_sock.cork.ttl",
	},
	[IP_CMSG_PKTINFO6] = {
		.name = "ip-cmsg-pktinfo6",
		.merged = "3.15",
		.title = "Packet info of IPv6 with a mapped address names an "
			 "IPv4 source",
		.source = "Linux 3.15, commit c8e6ad0829a7; recalled",
	},
	[IP_SOCK_CMSG] = {
		.name = "ip-sock-cmsg",
		.merged = "4.7",
		.title = "Control messages of the socket's level in datagrams",
		.source = "Linux 4.7, commits 24025c465f77 and ad1e46a83716; "
			  "recalled",
	},
	[IP6_HEADER_CHAIN] = {
		.name = "ip6-header-chain",
		.merged = "4.17",
		.title = "All headers must fit the first fragment",
		.source = "Linux 4.17, commit 10b8a3de603d; recalled",
	},
	[IPV6_SEG6] = {
		.name = "ipv6-seg6",
		.merged = "4.10",
		.title = "Sockets may have routing headers with segments",
		.source = "Linux 4.10, commit a149e7c7ce81; recalled",
	},
	[SO_MARK_CMSG] = {
		.name = "so-mark-cmsg",
		.merged = "5.4",
		.title = "A message may name the mark of its packet",
		.source = "Linux 5.4, commit c6af0c227a22; recalled",
		.needs = "inet_sock.cork.mark",
	},
	[UDP6_NO_DST_STORE_RFC] = {
		.name = "udp6-no-dst-store-rfc",
		.title = "UDPv6 stores no route that the socket has; as "
			 "posted, a reference is lost each time",
		.source = "netdev, RFC, Krishna Kumar, 2009-10-23",
		.needs = "sock.sk_dst_rwlock",
	},
	[UDP6_NO_DST_STORE] = {
		.name = "udp6-no-dst-store",
		.title = "UDPv6 stores no route that the socket has",
		.source = "netdev, RFC, Krishna Kumar, 2009-10-23; here with "
			  "the reference released",
		.needs = "sock.sk_dst_rwlock",
	},
	[IPV6_SENDMSG_UNIFY] = {
		.name = "ipv6-sendmsg-unify",
		.title = "Where an IPv6 datagram goes is found in one function "
			 "for all kinds of sockets",
		.source = "netdev, L. Colitti, 2014-05-03, \"Unify IPv6 sendmsg "
			  "codepaths\" v6; not merged in this form",
	},
	[UDP_LOOKUP_NO_RECHECK] = {
		.name = "udp-lookup-no-recheck",
		.title = "A defect for tests: a socket that was held is not "
			 "looked at again",
		.source = "none: each kernel that reuses sockets looks again",
	},
	[PREEMPT_RCU] = {
		.name = "preempt-rcu",
		.title = "RCU readers are counted in the task: PREEMPT_RCU",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.needs = "task_struct.rcu_read_lock_nesting",
	},
	[PREEMPT_COUNT] = {
		.name = "preempt-count",
		.title = "A spin lock counts that its task must stay",
		.source = "configuration; the trace in tests/truth/linux-6.1",
	},
	[PREEMPT_DYNAMIC] = {
		.name = "preempt-dynamic",
		.title = "What may sleep asks whether it should: might_sleep()",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.needs = "__cond_resched()",
	},
	[UMA] = {
		.name = "uma",
		.title = "All memory is alike: without CONFIG_NUMA",
		.source = "configuration; Linux 3.4, mm/slub.c, recalled",
	},
	[SLUB_NO_DEBUG] = {
		.name = "slub-no-debug",
		.title = "SLUB counts no slabs: without CONFIG_SLUB_DEBUG",
		.source = "configuration; Linux 3.4, mm/slub.c, recalled",
	},
	[NO_POSIX_ACL] = {
		.name = "no-posix-acl",
		.title = "Inodes have no access control lists: without "
			 "CONFIG_FS_POSIX_ACL",
		.source = "configuration; Linux 3.4, fs/inode.c, recalled",
	},
	[JUMP_LABEL] = {
		.name = "jump-label",
		.title = "Hooks that nobody uses are patched out",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.replaces = "nf_hooks.local_out",
	},
	[MC_FAST_REPORT] = {
		.name = "mc-fast-report",
		.merged = "3.12",
		.title = "IGMPv3 and MLDv2 report changes again after 1 s, not 10",
		.source = "Linux 3.12, commits cab70040dfd9 and fc4eba58b4c1; recalled",
	},
	[MLD_SWITCHBACK] = {
		.name = "mld-switchback",
		.merged = "3.12",
		.title = "What MLDv2 queries tell says how long a host speaks MLDv1",
		.source = "Linux 3.12, commit 6c6da9280495; recalled",
		.needs = "inet6_dev.mc_qri",
	},
	[MLD_QUERY_CHECKS] = {
		.name = "mld-query-checks",
		.merged = "3.16",
		.title = "MLD queries need hop limit 1 and router alert",
		.source = "Linux 3.16, commit e940f5d6ba6a; recalled",
	},
	[IGMP_GQ_SOONER] = {
		.name = "igmp-gq-sooner",
		.merged = "4.10",
		.title = "A query delays no answer that would come sooner",
		.source = "Linux 4.10, commit 7ababb782690; recalled",
	},
	[MC_MODE_CHANGE_ONLY] = {
		.name = "mc-mode-change-only",
		.merged = "4.19",
		.title = "A change of a group's mode is reported without its sources",
		.source = "Linux 4.19, commit a052517a8ff6; recalled",
	},
	[IGMP_V2_QRV] = {
		.name = "igmp-v2-qrv",
		.merged = "4.19",
		.title = "IGMPv2 reports a join as often as the robustness says",
		.source = "Linux 4.19, commit 4fb7253e4f9a; recalled",
	},
	[IGMP_SWITCHBACK] = {
		.name = "igmp-switchback",
		.merged = "4.20",
		.title = "IGMPv3 queries say how long a host speaks older versions",
		.source = "Linux 4.20, commit 966c37f2d77e; recalled",
		.needs = "in_device.mr_qri",
	},
	[IPV6_MULTIPLE_TABLES] = {
		.name = "ipv6-multiple-tables",
		.title = "A table for the IPv6 addresses of the host itself",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.needs = "net.ipv6.fib6_local_tbl",
	},
	[IPV6_SUBTREES] = {
		.name = "ipv6-subtrees",
		.title = "IPv6 routes by source as well",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.needs = "fib6_node.subtree",
	},
	[IPV6_ROUTER_PREF] = {
		.name = "ipv6-router-pref",
		.title = "IPv6 routers have preferences and are probed",
		.source = "configuration; the trace in tests/truth/linux-6.1",
	},
	[IPV6_OPTIMISTIC_DAD] = {
		.name = "ipv6-optimistic-dad",
		.title = "IPv6 addresses may be used before they are sure",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.needs = "inet6_dev.cnf.optimistic_dad",
	},
	[IPV6_MIP6] = {
		.name = "ipv6-mip6",
		.title = "Mobile IPv6: home and care-of addresses",
		.source = "configuration; the trace in tests/truth/linux-6.1",
	},
	[IPV6_PRIVACY] = {
		.name = "ipv6-privacy",
		.title = "Temporary IPv6 addresses; always there from 3.13 on",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.needs = "inet6_dev.cnf.use_tempaddr",
	},
	[CGROUP_NET_PRIO] = {
		.name = "cgroup-net-prio",
		.title = "Control groups set priorities by device",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.needs = "net_device.priomap",
	},
	[CGROUP_BPF] = {
		.name = "cgroup-bpf",
		.title = "A socket holds the control group of its maker",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.needs = "cgroup_refcnt.count",
	},
	[IP_FIB_TRIE_STATS] = {
		.name = "ip-fib-trie-stats",
		.title = "Look-ups in the FIB trie are counted",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.needs = "fib_table.__data.stats",
	},
	[STACKPROTECTOR] = {
		.name = "stackprotector",
		.title = "Functions with arrays on the stack read the canary",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.needs = "fixed_percpu_data.stack_canary",
	},
	[HARDENED_USERCOPY] = {
		.name = "hardened-usercopy",
		.title = "Copies from and to the user check the kernel object",
		.source = "configuration; the trace in tests/truth/linux-6.1",
		.needs = "kmem_cache_slub.usersize",
	},
	[SLAB_FREELIST_HARDENED] = {
		.name = "slab-freelist-hardened",
		.title = "SLUB's free pointers are mixed with a secret",
		.source = "configuration; the trace in tests/truth/linux-6.1",
	},
	[SLAB_FREELIST_RANDOM] = {
		.name = "slab-freelist-random",
		.title = "A new slab's objects are linked in random order",
		.source = "configuration; kmem_cache.random_seq in "
			  "tests/truth/linux-6.1",
	},
};

int feature_find(const char *name)
{
	int i;

	for (i = 0; i < NUM_FEATURES; i++)
		if (!strcmp(feature_info[i].name, name))
			return i;
	return -1;
}

/* "2.6.32" < "3.6" < "3.12": number by number. */
static int compare_versions(const char *a, const char *b)
{
	while (*a || *b) {
		char *end_a, *end_b;
		unsigned long x = strtoul(a, &end_a, 10);
		unsigned long y = strtoul(b, &end_b, 10);

		if (x != y)
			return x < y ? -1 : 1;
		a = *end_a ? end_a + 1 : end_a;
		b = *end_b ? end_b + 1 : end_b;
	}
	return 0;
}

features_t features_of_version(const char *version)
{
	features_t features = { { 0 } };
	int i;

	for (i = 0; i < NUM_FEATURES; i++)
		if (feature_info[i].merged &&
		    compare_versions(feature_info[i].merged, version) <= 0)
			features_set(&features, i, true);
	return features;
}
