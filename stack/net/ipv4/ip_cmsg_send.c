/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/ip_sockglue.c, ip_cmsg_send(), and udp.c, udp_cmsg_send():
 * the control messages of a datagram. */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/linux/socket.h"
#include "stack/net/ipv4/udp.h"
#include "stack/net/ipv6/udp.h"

#define IP_TOS 1
#define IP_TTL 2

#define IN_PKTINFO_LEN 12u	/* a device, the source, and a third that only
				 * readers get */
#define IN6_PKTINFO_LEN 20u

/* Of an IPv6 socket that sends IPv4: a mapped address. */
static int pktinfo6(struct ipcm_cookie *ipc, const struct cmsg *cmsg)
{
	struct in6_addr addr;
	u32 ifindex;

	if (cmsg->len < IN6_PKTINFO_LEN)
		return -EINVAL;
	memcpy(addr.s6_addr, cmsg->data, sizeof(addr));
	memcpy(&ifindex, cmsg->data + sizeof(addr), sizeof(ifindex));
	if (!ipv6_addr_v4mapped(&addr))
		return -EINVAL;
	if (ifindex)
		ipc->oif = ifindex;
	ipc->addr = ipv6_addr_to_v4(&addr);
	return 0;
}

static int pktinfo(struct ipcm_cookie *ipc, const struct cmsg *cmsg)
{
	u32 ifindex;

	if (cmsg->len != IN_PKTINFO_LEN)
		return -EINVAL;
	memcpy(&ifindex, cmsg->data, sizeof(ifindex));
	if (ifindex)
		ipc->oif = ifindex;
	ipc->addr = get_be32(cmsg->data + sizeof(ifindex));
	return 0;
}

/* What pfifo_fast goes by: bulk 2, interactive 6, both 4. */
static u32 rt_tos2priority(u8 tos)
{
	static const u8 by_class[4] = { 0, 2, 6, 4 };

	return by_class[(tos & 0x1e) >> 3];
}

static int ttl(struct ipcm_cookie *ipc, const struct cmsg *cmsg)
{
	s32 value;

	if (cmsg->len != sizeof(value))
		return -EINVAL;
	value = cmsg_int(cmsg);
	if (value < 1 || value > 255)
		return -EINVAL;
	ipc->ttl = (u8)value;
	return 0;
}

/* As a number or as a byte. */
static int tos(struct ipcm_cookie *ipc, const struct cmsg *cmsg)
{
	s32 value;

	if (cmsg->len == sizeof(value))
		value = cmsg_int(cmsg);
	else if (cmsg->len == 1)
		value = cmsg->data[0];
	else
		return -EINVAL;
	if (value < 0 || value > 255)
		return -EINVAL;
	ipc->tos = (s16)value;
	ipc->priority = rt_tos2priority((u8)value);
	return 0;
}

static int of_socket(struct ipcm_cookie *ipc, const struct cmsg *cmsg)
{
	u32 mark = 0;
	int err = __sock_cmsg_send(cmsg, &mark);

	if (!err && has(SO_MARK_CMSG)) {
		ipc->mark = mark;
		ipc->marked = true;
	}
	return err;
}

static int one_message(struct ipcm_cookie *ipc, const struct cmsg *cmsg)
{
	if (cmsg->type == IP_PKTINFO)
		return pktinfo(ipc, cmsg);
	if (cmsg->type == IP_TTL && has(IP_CMSG_TOS_TTL))
		return ttl(ipc, cmsg);
	if (cmsg->type == IP_TOS && has(IP_CMSG_TOS_TTL))
		return tos(ipc, cmsg);
	return -EINVAL;
}

int ip_cmsg_send(const struct msghdr *msg, struct ipcm_cookie *ipc,
		 bool allow_ipv6)
{
	struct cmsg cmsg = { .next = 0 };
	int more;

	FUNCTION(ip_cmsg_send);
	while ((more = cmsg_at(msg, cmsg.next, &cmsg)) > 0) {
		int err = 0;

		if (allow_ipv6 && has(IP_CMSG_PKTINFO6) &&
		    cmsg.level == SOL_IPV6 && cmsg.type == IPV6_PKTINFO)
			err = pktinfo6(ipc, &cmsg);
		else if (cmsg.level == SOL_SOCKET && has(IP_SOCK_CMSG))
			err = of_socket(ipc, &cmsg);
		else if (cmsg.level == SOL_IP)
			err = one_message(ipc, &cmsg);
		if (err)
			return err;
	}
	return more;
}

static int segment(u16 *gso_size, const struct cmsg *cmsg)
{
	if (cmsg->type != UDP_SEGMENT || cmsg->len != sizeof(*gso_size))
		return -EINVAL;
	memcpy(gso_size, cmsg->data, sizeof(*gso_size));
	return 0;
}

int udp_cmsg_send(const struct msghdr *msg, u16 *gso_size)
{
	struct cmsg cmsg = { .next = 0 };
	int more, others = 0;

	FUNCTION(udp_cmsg_send);
	while ((more = cmsg_at(msg, cmsg.next, &cmsg)) > 0) {
		int err = 0;

		if (cmsg.level == SOL_UDP)
			err = segment(gso_size, &cmsg);
		else
			others = 1;
		if (err)
			return err;
	}
	return more ? more : others;
}
