/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/core/flow_dissector.c: the hash of a flow that is being sent. */
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/lib/checksum.h"
#include "stack/lib/jhash.h"
#include "stack/lib/siphash.h"
#include "stack/net/core/flow_dissector.h"
#include "stack/net/ipv4/udp.h"

/*
 * What is hashed of the kernel's struct flow_keys, from its basic.n_proto on:
 * the places of what a sender of UDP knows.  The rest is zero: VLAN tags, a key
 * of GRE, the type of ICMP, and four bytes at the end.
 */
#define FLOW_KEYS_LEN 72u
#define FLOW_IP_PROTO 2u
#define FLOW_LABEL 4u
#define FLOW_SPORT 28u
#define FLOW_DPORT 30u
#define FLOW_SADDR 36u
#define FLOW_DADDR 52u		/* of IPv4: 40, behind the source */
#define IPV6_ADDRESSES 32u
#define IPV4_ADDRESSES 8u

static void swap_bytes(u8 *a, u8 *b, u32 n)
{
	while (n--) {
		u8 byte = a[n];

		a[n] = b[n];
		b[n] = byte;
	}
}

/* Byte after byte, as the kernel's own does it. */
static int flow_memcmp(const u8 *a, const u8 *b, u32 n)
{
	u32 same = 0;

	FUNCTION(memcmp);
	while (same < n && a[same] == b[same])
		same++;
	WORK(4 * MIN(same + 1, n));
	return same == n ? 0 : a[same] - b[same];
}

/* A port as a little-endian host loads it. */
static u32 port_word(const u8 *port)
{
	return port[0] | (u32)port[1] << 8;
}

/* The smaller address and the smaller port come first, whoever sends. */
static void __flow_hash_consistentify(u8 *keys)
{
	if (flow_memcmp(keys + FLOW_DADDR, keys + FLOW_SADDR, 16) < 0)
		swap_bytes(keys + FLOW_DADDR, keys + FLOW_SADDR, 16);
	if (port_word(keys + FLOW_DPORT) < port_word(keys + FLOW_SPORT))
		swap_bytes(keys + FLOW_DPORT, keys + FLOW_SPORT, 2);
}

/* The same of IPv4, whose addresses are compared as numbers, and the ports go
 * with them. */
static void v4_flow_hash_consistentify(u8 *keys)
{
	u8 *saddr = keys + FLOW_SADDR, *daddr = saddr + 4;
	u32 source, destination;

	memcpy(&source, saddr, 4);
	memcpy(&destination, daddr, 4);
	if (destination > source)
		return;
	if (destination == source && port_word(keys + FLOW_DPORT) >=
				     port_word(keys + FLOW_SPORT))
		return;
	swap_bytes(saddr, daddr, 4);
	swap_bytes(keys + FLOW_DPORT, keys + FLOW_SPORT, 2);
}

static u64 __siphash_unaligned(const u8 *data, u32 len)
{
	const struct hashrnd *hashrnd = this_kernel()->net_core->hashrnd;
	u64 key[2];

	FUNCTION(__siphash_unaligned);
	key[0] = READ_AT(hashrnd, key, 0);
	key[1] = READ_AT(hashrnd, key, 1);
	WORK(32 * (len / 8));
	return siphash(key, data, len);
}

/* Up to 5.3 the keys had no more tags and no words at their end: protocol,
 * label, a key of GRE, ports, addresses. */
static u32 flow_jhash(const u8 *keys, u32 addresses)
{
	const struct hashrnd *hashrnd = this_kernel()->net_core->hashrnd;
	u32 words[12] = { 0 }, n = 4 + addresses / 4;

	memcpy(&words[0], keys, 4);
	memcpy(&words[1], keys + FLOW_LABEL, 4);
	memcpy(&words[3], keys + FLOW_SPORT, 4);
	memcpy(&words[4], keys + FLOW_SADDR, addresses);
	WORK(10 * n);
	return jhash2(words, n, (u32)READ_AT(hashrnd, key, 0));
}

/* `addresses` bytes of them are hashed: two of IPv6, or two of IPv4. */
static u32 flow_hash_from_keys(u8 *keys, u32 addresses)
{
	u32 hash;

	FUNCTION(flow_hash_from_keys);
	if (addresses == IPV6_ADDRESSES)
		__flow_hash_consistentify(keys);
	else
		v4_flow_hash_consistentify(keys);
	if (has(FLOW_HASH_SIPHASH))
		hash = (u32)__siphash_unaligned(keys, FLOW_KEYS_LEN -
						IPV6_ADDRESSES + addresses);
	else
		hash = flow_jhash(keys, addresses);
	return hash ? hash : 1;
}

static u32 __get_hash_from_flowi6(const struct flowi6 *fl6)
{
	u8 keys[FLOW_KEYS_LEN] = { 0 };

	FUNCTION(__get_hash_from_flowi6);
	keys[FLOW_IP_PROTO] = fl6->flowi6_proto;
	put_be32(keys + FLOW_LABEL, fl6->flowlabel & 0xfffff);
	put_be16(keys + FLOW_SPORT, fl6->fl6_sport);
	put_be16(keys + FLOW_DPORT, fl6->fl6_dport);
	memcpy(keys + FLOW_SADDR, fl6->saddr.s6_addr, 16);
	memcpy(keys + FLOW_DADDR, fl6->daddr.s6_addr, 16);
	return flow_hash_from_keys(keys, IPV6_ADDRESSES);
}

u32 skb_get_hash_flowi6(struct sk_buff *skb, const struct flowi6 *fl6)
{
	u32 hash = READ(skb, rxhash);

	if (hash)
		return hash;
	WORK(19);
	STACK_PROTECTOR();		/* the keys lie on the stack */
	hash = __get_hash_from_flowi6(fl6);
	WRITE(skb, rxhash, hash);
	return hash;
}

/* ---- of a packet ---- */

/* The keys of a packet of UDP or UDP-Lite, by its headers; gives the bytes of
 * addresses, 0 where it is none. */
static u32 skb_flow_dissect(struct sk_buff *skb, u8 *keys)
{
	u32 at, size;
	const u8 *ip;

	FUNCTION(__skb_flow_dissect);
	at = READ(skb, network_header);
	ip = skb_bytes(skb, at);
	size = ip[0] >> 4 == 6 ? 40 : (ip[0] & 15u) * 4;
	READ_SKB_DATA(skb, at, size + 4);
	if (ip[0] >> 4 == 6) {
		keys[FLOW_IP_PROTO] = ip[6];
		put_be32(keys + FLOW_LABEL, (ip[1] & 15u) << 16 |
					    get_be16(ip + 2));
		memcpy(keys + FLOW_SADDR, ip + 8, 32);
	} else if (ip[0] >> 4 == 4) {
		keys[FLOW_IP_PROTO] = ip[9];
		memcpy(keys + FLOW_SADDR, ip + 12, 8);
	} else {
		return 0;
	}
	if (keys[FLOW_IP_PROTO] == IPPROTO_UDP_NUMBER ||
	    keys[FLOW_IP_PROTO] == IPPROTO_UDPLITE_NUMBER)
		memcpy(keys + FLOW_SPORT, ip + size, 4);
	return size == 40 && ip[0] >> 4 == 6 ? IPV6_ADDRESSES : IPV4_ADDRESSES;
}

/* Up to 4.1: the words are the addresses, folded where they are long, and the
 * ports; the smaller end comes first. */
static u32 flow_hash_3words(const u8 *keys, u32 addresses)
{
	const struct hashrnd *hashrnd = this_kernel()->net_core->hashrnd;
	const u8 *port = keys + FLOW_SPORT;
	u32 ends[2] = { 0, 0 }, ports, word, i, n = addresses / 8, hash;

	for (i = 0; i < 2 * n; i++) {
		memcpy(&word, keys + FLOW_SADDR + 4 * i, 4);
		ends[i / n] ^= word;
	}
	ports = port_word(port) | port_word(port + 2) << 16;
	if (ends[1] < ends[0] || (ends[1] == ends[0] &&
				  port_word(port + 2) < port_word(port))) {
		word = ends[0];
		ends[0] = ends[1];
		ends[1] = word;
		ports = ports << 16 | ports >> 16;
	}
	WORK(40);
	hash = jhash_3words(ends[1], ends[0], ports,
			    (u32)READ_AT(hashrnd, key, 0));
	return hash ? hash : 1;
}

u32 skb_get_hash(struct sk_buff *skb)
{
	u8 keys[FLOW_KEYS_LEN] = { 0 };
	u32 hash = READ(skb, rxhash), addresses;

	if (hash)
		return hash;
	FUNCTION(__skb_get_hash);
	addresses = skb_flow_dissect(skb, keys);
	if (!addresses)
		return 0;
	hash = has(AUTO_FLOWLABELS) ? flow_hash_from_keys(keys, addresses) :
				      flow_hash_3words(keys, addresses);
	WRITE(skb, rxhash, hash);
	return hash;
}

void flow_dissector_init(struct kernel *kernel)
{
	if (kernel_has(kernel, AUTO_FLOWLABELS))
		flow_dissector_secret(kernel);
}

void flow_dissector_secret(struct kernel *kernel)
{
	struct random_stream salt;
	struct hashrnd *hashrnd;

	if (kernel->net_core->hashrnd)
		return;
	hashrnd = STATIC_OBJECT(kernel, hashrnd, 0);
	random_seed(&salt, kernel->machine->seed, "flow hash", 0);
	hashrnd->key[0] = random_u64(&salt);
	hashrnd->key[1] = random_u64(&salt);
	kernel->net_core->hashrnd = hashrnd;
}
