/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/udp.c: the two hash tables of a protocol's sockets.
 *
 * They are made at boot from the memory of all nodes in turn, a page of each
 * (alloc_large_system_hash()), the second behind the first.  A slot of the
 * model becomes an object when it is first used: most never are.
 */
#include <stdlib.h>

#include "stack/include/net/netns.h"
#include "stack/include/net/sock_reuseport.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "stack/lib/jhash.h"

#define SLOT_BYTES 16u
#define SLOTS_PER_PAGE (PAGE_SIZE / SLOT_BYTES)
#define MEMORY_PER_SLOT_SHIFT 21

static u32 roundup_pow_of_two(u32 n)
{
	u32 power = 1;

	while (power < n)
		power <<= 1;
	return power;
}

u32 udp_hash_entries(const struct kernel *kernel)
{
	const struct machine_profile *profile = kernel->machine->profile;
	u64 bytes = profile->node_bytes * profile->packages;
	u64 entries = kernel->parameters.udp_hash_entries;

	if (!kernel_has(kernel, UDP_HASH2))
		return UDP_HTABLE_SIZE;
	if (!entries)
		entries = bytes >> MEMORY_PER_SLOT_SHIFT;
	return roundup_pow_of_two((u32)CLAMP(entries, UDP_HTABLE_SIZE_MIN,
					     UDP_HTABLE_SIZE_MAX));
}

u32 net_hash_mix(const struct net *net)
{
	if (has(NET_HASH_MIX))
		return READ(net, hash_mix);
	/* Before, the address of the namespace was salt enough. */
	return (u32)(object_address(&net->object) >> LINE_SHIFT);
}

u32 ipv4_portaddr_hash(const struct net *net, u32 saddr, u32 port)
{
	return jhash_1word(wire_order(saddr), net_hash_mix(net)) ^ port;
}

/* An IPv4 address written as IPv6 is hashed as the former, and no address as
 * no address of either, so that sockets of both families meet. */
u32 ipv6_portaddr_hash(const struct net *net, const struct in6_addr *addr,
		       u32 port)
{
	u32 words[4], mix, i;

	FUNCTION(ipv6_portaddr_hash);
	mix = net_hash_mix(net);
	for (i = 0; i < 4; i++)
		words[i] = wire_order(get_be32(addr->s6_addr + 4 * i));
	if (ipv6_addr_any(addr))
		return jhash_1word(0, mix) ^ port;
	if (ipv6_addr_v4mapped(addr))
		return jhash_1word(words[3], mix) ^ port;
	WORK(30);
	return jhash2(words, 4, mix) ^ port;
}

/* ---- slots ---- */

static struct udp_hslot *slot_at(const struct udp_table *table,
				 struct udp_hslot *slots, u32 index,
				 u32 first_page)
{
	struct udp_hslot *slot = &slots[index];

	if (unlikely(!slot->object.type)) {
		u64 address = table->pages[first_page +
					   index / SLOTS_PER_PAGE] +
			      index % SLOTS_PER_PAGE * SLOT_BYTES;

		object_init(&slot->object,
			    &this_kernel()->types[STRUCT_udp_hslot], address);
		slot->object.state = OBJECT_ALIVE;
		if (this_kernel()->ipv4->udp->nulls)
			slot->head.first = (void *)((uintptr_t)index << 1 | 1);
	}
	return slot;
}

struct udp_hslot *udp_hashslot(struct udp_table *table, struct net *net,
			       u32 port)
{
	u32 mask = UDP_TABLE_MASK(table), mix = net_hash_mix(net);

	/* Before 2.6.33 the slots are the table. */
	return slot_at(table, has(UDP_HASH2) ? READ(table, hash) : table->hash,
		       (port + mix) & mask, 0);
}

struct udp_hslot *udp_hashslot2(struct udp_table *table, u32 hash)
{
	u32 mask = READ(table, mask);

	return slot_at(table, READ(table, hash2), hash & mask,
		       (mask + 1) / SLOTS_PER_PAGE);
}

/* ---- set-up ---- */

static void alloc_pages_interleaved(struct machine *machine, u64 *pages, u32 n)
{
	u32 nodes = machine->profile->packages, i;

	for (i = 0; i < n; i++) {
		pages[i] = machine_alloc_pages(machine, i % nodes, 0);
		if (!pages[i])
			g_error("the simulated memory of node %u is full",
				i % nodes);
	}
}

/* What the choice of a port looks at. */
static void ports_init(struct kernel *kernel)
{
	const u32 *range = kernel->parameters.port_range;
	struct udp_room *room = kernel->ipv4->udp;
	struct net *net = kernel->init_net;
	u32 i, n = kernel->machine->num_cpus;
	struct random_stream salt;

	room->local_ports = STATIC_OBJECT(kernel, sysctl_local_ports, 0);
	room->reserved_ports = STATIC_OBJECT(kernel, local_reserved_ports, 0);
	room->reuseport_lock = STATIC_OBJECT(kernel, reuseport_lock, 0);
	net->ipv4.sysctl_local_reserved_ports = room->reserved_ports;
	inet_set_local_port_range(kernel, range[0] ? range[0] : 32768,
				  range[1] ? range[1] :
				  kernel_has(kernel, LOCAL_PORTS_EVEN) ?
				  60999 : 61000);
	random_seed(&salt, kernel->machine->seed, "hash mix", 0);
	net->hash_mix = (u32)(random_u64(&salt) >> 32);
	room->ehash_secret = (u32)(random_u64(&salt) >> 32);
	net->core.prot_inuse = g_new0(struct prot_inuse *, n);
	for (i = 0; i < n; i++)
		net->core.prot_inuse[i] =
			STATIC_OBJECT(kernel, prot_inuse,
				      kernel->machine->cpus[i].package);
}

struct udp_table *udp_table_new(struct kernel *kernel)
{
	u32 entries = udp_hash_entries(kernel);
	u32 pages = MAX(2 * entries / SLOTS_PER_PAGE, 1u);
	struct udp_table *table = STATIC_OBJECT(kernel, udp_table, 0);

	table->mask = entries - 1;
	while (entries >> table->log > 1)
		table->log++;
	/* Both in one piece of zeroes that is not touched yet. */
	table->hash = calloc(2 * entries, sizeof(struct udp_hslot));
	if (!table->hash)
		g_error("no memory for a hash table of sockets");
	table->hash2 = table->hash + entries;
	table->pages = g_new(u64, pages);
	alloc_pages_interleaved(kernel->machine, table->pages, pages);
	return table;
}

void udp_table_free(struct udp_table *table)
{
	free(table->hash);
	g_free(table->pages);
}

void udp_table_init(struct kernel *kernel)
{
	struct udp_room *room = g_new0(struct udp_room, 1);

	kernel->ipv4->udp = room;
	room->nulls = !kernel_has(kernel, UDP_SOCK_RCU_FREE);
	room->table = udp_table_new(kernel);
	ports_init(kernel);
}

void udp_table_exit(struct kernel *kernel)
{
	struct udp_room *room = kernel->ipv4->udp;

	g_free(kernel->init_net->core.prot_inuse);
	udp_table_free(room->table);
	g_free(room);
}
