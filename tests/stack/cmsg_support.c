/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the suites of control messages share; see cmsg_support.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmsg_support.h"
#include "stack/include/net/udp.h"

#define ETH_HLEN 14u
#define PACKET_MAX 2048u

u32 ctl_hex(const char *hex, u8 *bytes, u32 room)
{
	u32 n = 0;

	for (; *hex; hex++) {
		if (*hex == ' ')
			continue;
		ck_assert_uint_lt(n, room);
		ck_assert(g_ascii_isxdigit(hex[0]) && g_ascii_isxdigit(hex[1]));
		bytes[n++] = (u8)(g_ascii_xdigit_value(hex[0]) << 4 |
				  g_ascii_xdigit_value(hex[1]));
		hex++;
	}
	return n;
}

void ctl_add(struct ctl_text *text, const struct ctl_line *line)
{
	struct cmsghdr hdr = {
		.cmsg_level = line->level, .cmsg_type = line->type,
	};
	u8 *p = text->data + text->len;
	u32 len = sizeof(line->number);

	ck_assert_uint_lt(text->len + 128, sizeof(text->data));
	if (line->hex)
		len = ctl_hex(line->hex, p + CMSG_HLEN, 128 - CMSG_HLEN);
	else
		memcpy(p + CMSG_HLEN, &line->number, len);
	hdr.cmsg_len = CMSG_LEN(len);
	memcpy(p, &hdr, sizeof(hdr));
	text->len += CMSG_SPACE(len);
}

struct ctl_text ctl_text(const struct ctl_line *lines)
{
	struct ctl_text text = { .len = 0 };
	u32 i;

	for (i = 0; i < CTL_MAX && lines[i].type; i++)
		ctl_add(&text, &lines[i]);
	return text;
}

int ctl_send_text(int fd, const struct sockaddr_any *to, const char *data,
		  u32 len, const struct ctl_text *text)
{
	struct msghdr msg = {
		.data = (const u8 *)data, .msg_name = to,
		.msg_namelen = !to ? 0 : to->family == PF_INET6 ?
			       SOCKADDR_IN6_SIZE : SOCKADDR_IN_SIZE,
		.msg_control = text->data, .msg_controllen = text->len,
	};

	return sys_sendmsg(fd, &msg, len);
}

int ctl_send(int fd, const struct sockaddr_any *to, const char *data, u32 len,
	     const struct ctl_line *lines)
{
	const struct ctl_text text = ctl_text(lines);

	return ctl_send_text(fd, to, data, len, &text);
}

/* ---- the driver ---- */

struct ctl_seen ctl_seen[CTL_MAX_SEEN];
u32 ctl_num_seen;

static int (*dummy_xmit)(struct sk_buff *skb, struct net_device *dev);

static int noting_xmit(struct sk_buff *skb, struct net_device *dev)
{
	ck_assert_uint_lt(ctl_num_seen, CTL_MAX_SEEN);
	ctl_seen[ctl_num_seen++] = (struct ctl_seen){
		.mark = skb->mark, .priority = skb->priority,
	};
	return dummy_xmit(skb, dev);
}

/* Routing headers are known to kernels that were so configured. */
struct net_fixture *ctl_new(const char *kernel)
{
	static const char *const mobile[] = { "ipv6-mip6", NULL };
	const struct net_setup setup = {
		.kernel = kernel, .check = true,
		.patches = g_str_equal(kernel, "linux-6.1") ? NULL : mobile,
	};
	struct net_fixture *net = net6_new(&setup);
	struct net_device_ops *ops = (struct net_device_ops *)
		(uintptr_t)net->dev->netdev_ops;

	dummy_xmit = ops->ndo_start_xmit;
	ops->ndo_start_xmit = noting_xmit;
	ctl_num_seen = 0;
	inet_set_local_port_range(net->kernel, 32768, 32768);
	return net;
}

/* ---- packets ---- */

void ctl_dump(const struct net_fixture *net, u32 index, const char *name)
{
	const GByteArray *packet = net_packet(net, index);
	const char *path = getenv("UDPSIM_PACKETS");
	FILE *file = path ? fopen(path, "a") : NULL;
	u32 i;

	if (!path)
		return;
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%s %s ", net->kernel->name, name);
	for (i = 0; i < packet->len; i++)
		fprintf(file, "%02x", packet->data[i]);
	fputc('\n', file);
	ck_assert_int_eq(fclose(file), 0);
}

void ctl_verify_packet(const struct net_fixture *net, u32 index,
		       const char *name, const char *hex)
{
	const GByteArray *packet = net_packet(net, index);
	u8 wanted[PACKET_MAX];
	u32 len = ctl_hex(hex, wanted, sizeof(wanted)), i;

	ctl_dump(net, index, name);
	ck_assert_msg(packet->len == ETH_HLEN + len,
		      "%s: %u bytes, %u are wanted", name,
		      packet->len - ETH_HLEN, len);
	for (i = 0; i < len; i++)
		ck_assert_msg(packet->data[ETH_HLEN + i] == wanted[i],
			      "%s: byte %u is %02x, wanted is %02x", name, i,
			      packet->data[ETH_HLEN + i], wanted[i]);
}
