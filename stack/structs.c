/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What there is to know of the model's structs at run time. */
#include "stack/drivers/net/nic.h"
#include "stack/include/linux/cred.h"
#include "stack/include/linux/dcache.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/random.h"
#include "stack/include/linux/socket.h"
#include "stack/include/linux/wait.h"
#include "stack/kernel/sched.h"
#include "stack/include/net/inet_frag.h"
#include "stack/include/net/inetpeer.h"
#include "stack/include/net/ip6_fib.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/neighbour.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/ipv6_txoptions.h"
#include "stack/include/net/mld.h"
#include "stack/include/net/netlink.h"
#include "stack/include/net/sch_generic.h"
#include "stack/include/net/sock.h"
#include "stack/include/net/sock_reuseport.h"
#include "stack/include/net/udp.h"
#include "stack/kernel/rcu.h"
#include "stack/layout.h"
#include "stack/mm/mm.h"
#include "stack/net/core/dev_rps.h"
#include "stack/net/core/flow_dissector.h"
#include "stack/net/ipv4/icmp_send.h"
#include "stack/net/ipv4/route_cache.h"

#define STRUCT_NONE (-1)

int struct_base(enum struct_id id)
{
	static const int base[] = {
#define STRUCT_BASE(name, first) [STRUCT_##name] = STRUCT_##first,
		STRUCTS(STRUCT_BASE)
	};

	return base[id];
}

const char *struct_name(enum struct_id id)
{
	static const char *const name_of[] = {
#define STRUCT_STRING(name, first) [STRUCT_##name] = #name,
		STRUCTS(STRUCT_STRING)
	};

	return name_of[id];
}

u32 struct_c_size(enum struct_id id)
{
	static const u32 size_of[] = {
#define STRUCT_SIZE(name, first) [STRUCT_##name] = sizeof(struct name),
		STRUCTS(STRUCT_SIZE)
	};

	return size_of[id];
}
