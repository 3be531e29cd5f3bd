# SPDX-License-Identifier: GPL-2.0-or-later
# stack/: the kernel. The code, then the data of each kernel version.

noinst_LIBRARIES += libstack.a
libstack_a_SOURCES = \
	stack/drivers/net/dummy.c \
	stack/feature.h \
	stack/fs/file_table.c \
	stack/include/linux/entry.h \
	stack/include/linux/fs.h \
	stack/include/linux/in6.h \
	stack/include/linux/jiffies.h \
	stack/include/linux/netdevice.h \
	stack/include/linux/percpu.h \
	stack/include/linux/rcupdate.h \
	stack/include/linux/sched.h \
	stack/include/linux/skbuff.h \
	stack/include/linux/slab.h \
	stack/include/linux/uaccess.h \
	stack/include/net/dst.h \
	stack/include/net/ip_fib.h \
	stack/include/net/ipv6.h \
	stack/include/net/neighbour.h \
	stack/include/net/netns.h \
	stack/include/net/sock.h \
	stack/kernel.c \
	stack/kernel.h \
	stack/kernel/entry.c \
	stack/kernel/fork.c \
	stack/kernel/percpu.c \
	stack/kernel/rcu.c \
	stack/kernel/sched.c \
	stack/kernel/softirq.c \
	stack/kernel/sys.c \
	stack/kernel/time.c \
	stack/layout.c \
	stack/layout.h \
	stack/lib/checksum.c \
	stack/lib/checksum.h \
	stack/lib/siphash.c \
	stack/lib/siphash.h \
	stack/mm/internal.h \
	stack/mm/locate.c \
	stack/mm/mm.h \
	stack/mm/page_alloc.c \
	stack/mm/page_alloc_setup.c \
	stack/mm/slab.c \
	stack/mm/slab.h \
	stack/mm/slab_common.c \
	stack/mm/slab_grow.c \
	stack/mm/slab_reap.c \
	stack/mm/slab_setup.c \
	stack/mm/slub.c \
	stack/mm/slub.h \
	stack/mm/slub_kmalloc.c \
	stack/mm/slub_paths.h \
	stack/mm/slub_setup.c \
	stack/mm/slub_slab.c \
	stack/mm/usercopy.c \
	stack/net/core/dev.c \
	stack/net/core/dst.c \
	stack/net/core/neighbour.c \
	stack/net/core/skbuff.c \
	stack/net/core/sock.c \
	stack/net/ipv4/af_inet.c \
	stack/net/ipv4/arp.c \
	stack/net/ipv4/datagram.c \
	stack/net/ipv4/fib_frontend.c \
	stack/net/ipv4/fib_semantics.c \
	stack/net/ipv4/fib_table.c \
	stack/net/ipv4/fib_trie.c \
	stack/net/ipv4/fib_trie.h \
	stack/net/ipv4/fib_trie_lc.c \
	stack/net/ipv4/fib_trie_lc.h \
	stack/net/ipv4/fib_trie_lc_resize.c \
	stack/net/ipv4/fib_trie_resize.c \
	stack/net/ipv4/ip_output.c \
	stack/net/ipv4/route.c \
	stack/net/ipv4/udp.c \
	stack/net/ipv4/udp.h \
	stack/net/ipv6/ndisc.c \
	stack/net/socket.c \
	stack/net/xfrm/xfrm_policy.c \
	stack/patches.c \
	stack/structs.c \
	stack/structs.h \
	$(NULL)

EXTRA_DIST += \
	stack/README.md \
	stack/drivers/README.md \
	stack/drivers/net/README.md \
	stack/fs/README.md \
	stack/include/README.md \
	stack/kernel/README.md \
	stack/kernels/README.md \
	stack/kernels/derive \
	stack/kernels/derive-costs \
	stack/kernels/derive-layout \
	stack/lib/README.md \
	stack/mm/README.md \
	stack/net/README.md \
	stack/net/core/README.md \
	stack/net/ipv4/README.md \
	stack/net/ipv6/README.md \
	stack/net/sched/README.md \
	stack/net/xfrm/README.md \
	$(NULL)

nobase_dist_pkgdata_DATA += \
	stack/kernels/linux-3.6/costs.map \
	stack/kernels/linux-3.6/costs.tsv \
	stack/kernels/linux-3.6/kernel.ini \
	stack/kernels/linux-3.6/structs.tsv \
	stack/kernels/linux-6.1/costs.map \
	stack/kernels/linux-6.1/costs.tsv \
	stack/kernels/linux-6.1/kernel.ini \
	stack/kernels/linux-6.1/layout.map \
	stack/kernels/linux-6.1/structs.tsv \
	stack/kernels/objects.tsv \
	$(NULL)
