/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "igmp_support.h"
#include "net6_support.h"
#include "stack/include/net/mld.h"
#include "stack/lib/checksum.h"

struct igmp_test igmp_test;

/* ---- addresses: group n, source n ---- */

struct in6_addr igmp_group6(u8 n)
{
	return (struct in6_addr){ .s6_addr = { 0xff, 0x15, [15] = n } };
}

u32 igmp_group4(u8 n)
{
	return IP(239, 1, 1, n);
}

static u32 addr_len(void)
{
	return igmp_test.ip6 ? 16 : 4;
}

static void put_group(u8 *p, u8 n)
{
	struct in6_addr address = igmp_group6(n);

	if (!igmp_test.ip6)
		put_be32(p, n ? igmp_group4(n) : 0);
	else if (n)
		memcpy(p, &address, 16);
	else
		memset(p, 0, 16);
}

static void put_source(u8 *p, u8 n)
{
	struct in6_addr address = FD00(n);

	if (igmp_test.ip6)
		memcpy(p, &address, 16);
	else
		put_be32(p, IP(10, 4, 0, n));
}

/* ---- what has been said ---- */

static void tell_record(GString *text, const u8 *p, u32 sources)
{
	static const char *const types[] = {
		"?", "IS_IN", "IS_EX", "TO_IN", "TO_EX", "ALLOW", "BLOCK",
	};
	u32 i;

	ck_assert_uint_lt(p[0], ARRAY_SIZE(types));
	g_string_append_printf(text, "%s %u", types[p[0]],
			       p[3 + addr_len()]);
	for (i = 1; i <= sources; i++)
		g_string_append_printf(text, " %u",
				       p[3 + addr_len() * (i + 1)]);
}

/* Those of the host's own addresses (ff02::1:ff..) are not told. */
static bool is_solicited(const u8 *group)
{
	return igmp_test.ip6 && group[1] == 2;
}

static void tell_records(GString *text, const u8 *p, u32 len)
{
	u32 n = get_be16(p + 6), at = 8, i, sources;
	bool first = true;

	for (i = 0; i < n; i++) {
		ck_assert_uint_le(at + 4 + addr_len(), len);
		sources = get_be16(p + at + 2);
		if (!is_solicited(p + at + 4)) {
			g_string_append(text, first ? "" : ", ");
			tell_record(text, p + at, sources);
			first = false;
		}
		at += 4 + addr_len() * (1 + sources);
	}
	ck_assert_uint_eq(at, len);
}

static void tell_message(GString *text, const u8 *p, u32 len)
{
	u32 group = igmp_test.ip6 ? 23 : 7;	/* its last byte */

	if (igmp_test.ip6 && len == 24 && is_solicited(p + 8))
		return;
	if (text->len)
		g_string_append(text, "; ");
	switch (p[0]) {
	case IGMPV3_HOST_MEMBERSHIP_REPORT:
	case ICMPV6_MLD2_REPORT:
		tell_records(text, p, len);
		return;
	case IGMP_HOST_MEMBERSHIP_REPORT:
	case ICMPV6_MGM_REPORT:
		g_string_append_printf(text, "v1 %u", p[group]);
		break;
	case IGMPV2_HOST_MEMBERSHIP_REPORT:
		g_string_append_printf(text, "v2 %u", p[group]);
		break;
	case IGMP_HOST_LEAVE_MESSAGE:
	case ICMPV6_MGM_REDUCTION:
		g_string_append_printf(text, "leave %u", p[group]);
		break;
	default:
		ck_abort_msg("message of type %u", p[0]);
	}
	ck_assert_uint_eq(len, igmp_test.ip6 ? 24 : 8);
}

/* Without the padding of Ethernet. */
static u32 packet_len(const u8 *ip)
{
	return igmp_test.ip6 ? get_be16(ip + 4) + 40u : get_be16(ip + 2);
}

/* The packet has one hop, router alert, a right sum, and goes where the kind of
 * message goes. */
static void verify_packet(const u8 *ip, u32 len)
{
	if (igmp_test.ip6) {
		ck_assert_uint_eq(ip[6], 0);
		ck_assert_uint_eq(ip[7], 1);
		ck_assert_mem_eq(ip + 40, "\x3a\0\5\2\0\0\1\0", 8);
		ck_assert_uint_eq(csum_ipv6_magic(ip + 8, ip + 24, len - 48, 58,
			csum_partial(ip + 48, len - 48, 0)), 0);
		if (ip[48] == ICMPV6_MLD2_REPORT)
			ck_assert_mem_eq(ip + 24,
				"\xff\2\0\0\0\0\0\0\0\0\0\0\0\0\0\x16", 16);
		return;
	}
	ck_assert_uint_eq(ip[0], 0x46);
	ck_assert_uint_eq(ip[8], 1);
	ck_assert_mem_eq(ip + 20, "\x94\4\0\0", 4);
	ck_assert_uint_eq(csum_fold(csum_partial(ip, 24, 0)), 0);
	ck_assert_uint_eq(csum_fold(csum_partial(ip + 24, len - 24, 0)), 0);
	ck_assert_uint_eq(get_be32(ip + 12), NIC_ADDRESS(0));
	if (ip[24] == IGMPV3_HOST_MEMBERSHIP_REPORT)
		ck_assert_uint_eq(get_be32(ip + 16), IP(224, 0, 0, 22));
}

static bool is_report(const u8 *ip)
{
	return igmp_test.ip6 ? ip[0] >> 4 == 6 && !ip[6] && ip[40] == 58 :
		     ip[0] >> 4 == 4 && ip[9] == IPPROTO_IGMP_NUMBER;
}

/* Nothing else than this has been said since the last call. */
void igmp_expect(const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);
	u32 head = igmp_test.ip6 ? 48 : 24;

	for (; igmp_test.heard < igmp_test.net->host[0].sent->len; igmp_test.heard++) {
		const GByteArray *frame = nic_frame(igmp_test.net->host[0].sent, igmp_test.heard);
		const u8 *ip = frame->data + 14;
		u32 len = packet_len(ip);

		if (!is_report(ip))
			continue;
		ck_assert_uint_le(14 + len, frame->len);
		verify_packet(ip, len);
		tell_message(text, ip + head, len - head);
	}
	ck_assert_str_eq(text->str, expected);
}

void igmp_seconds(u32 s)
{
	nic_sleep(s * 1000 * PS_PER_MS);
}

/* So long that all that was begun has been said. */
void igmp_expect_all(const char *expected)
{
	igmp_seconds(23);
	igmp_expect(expected);
}

/* ---- what routers and others say ---- */

static void send_message(u8 *frame, u32 len)
{
	static const u8 others[] = { 0xfe, 0x80, [15] = 0x99 };
	u8 *ip = frame + 14;

	memcpy(frame + 6, "\2\0\0\0\0\x11", 6);
	put_be16(frame + 12, igmp_test.ip6 ? 0x86dd : 0x0800);
	if (igmp_test.ip6) {
		memcpy(frame, "\x33\x33\0\0\0\1", 6);
		memcpy(frame + 2, ip + 36, 4);
		ip[0] = 0x60;
		put_be16(ip + 4, (u16)(8 + len));
		ip[7] = 1;
		memcpy(ip + 8, others, 16);
		memcpy(ip + 40, "\x3a\0\5\2\0\0\1\0", 8);
		put_be16(ip + 50, csum_ipv6_magic(ip + 8, ip + 24, len, 58,
			csum_partial(ip + 48, len, 0)));
	} else {
		memcpy(frame, "\1\0\x5e\0\0\1", 6);
		frame[3] = ip[17] & 0x7f;
		memcpy(frame + 4, ip + 18, 2);
		ip[0] = 0x46;
		put_be16(ip + 2, (u16)(24 + len));
		ip[8] = 1;
		ip[9] = IPPROTO_IGMP_NUMBER;
		put_be32(ip + 12, NIC_ADDRESS(1));
		put_be32(ip + 20, 0x94040000);
		put_be16(ip + 10, csum_fold(csum_partial(ip, 24, 0)));
		put_be16(ip + 26, csum_fold(csum_partial(ip + 24, len, 0)));
	}
	link_send(&igmp_test.net->link->ends[1], frame,
		  14 + (igmp_test.ip6 ? 48 : 24) + len,
		  this_cpu->clock);
}

/* Of a group, or of all (0), and of sources that are named; to be answered in
 * so many tenths of a second. */
void igmp_query(u8 group, u32 tenths, const char *sources)
{
	u32 n = (u32)strlen(sources), i, len = addr_len();
	u8 frame[200] = { 0 }, *p = frame + 14 + (igmp_test.ip6 ? 48 : 24);

	put_group(frame + 14 + (igmp_test.ip6 ? 24 : 16), 0);
	if (igmp_test.ip6)
		memcpy(frame + 38, "\xff\2\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	else
		put_be32(frame + 30, IP(224, 0, 0, 1));
	p[0] = igmp_test.ip6 ? ICMPV6_MGM_QUERY : IGMP_HOST_MEMBERSHIP_QUERY;
	if (igmp_test.ip6)
		put_be16(p + 4, (u16)(tenths * 100));
	else
		p[1] = (u8)tenths;
	put_group(p + (igmp_test.ip6 ? 8 : 4), group);
	p += igmp_test.ip6 ? 24 : 8;
	p[0] = 2;		/* robustness */
	p[1] = 125;
	put_be16(p + 2, (u16)n);
	for (i = 0; i < n; i++)
		put_source(p + 4 + i * len, (u8)sources[i]);
	send_message(frame, (igmp_test.ip6 ? 28 : 12) + n * len);
}

/* A message of an older version: type, group, and the first word's code. */
void igmp_old_message(u8 type, u8 group, u32 code)
{
	u8 frame[200] = { 0 }, *p = frame + 14 + (igmp_test.ip6 ? 48 : 24);

	if (igmp_test.ip6 && group)
		put_group(frame + 38, group);
	else if (igmp_test.ip6)
		memcpy(frame + 38, "\xff\2\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	else
		put_be32(frame + 30, group ? igmp_group4(group) : IP(224, 0, 0, 1));
	p[0] = type;
	if (igmp_test.ip6)
		put_be16(p + 4, (u16)(code * 100));
	else
		p[1] = (u8)code;
	put_group(p + (igmp_test.ip6 ? 8 : 4), group);
	send_message(frame, igmp_test.ip6 ? 24 : 8);
}

/* One that says that there is an old router: IGMPv2's, or MLDv1's. */
void igmp_old_query(u8 group, u32 tenths)
{
	igmp_old_message(igmp_test.ip6 ? ICMPV6_MGM_QUERY :
					 IGMP_HOST_MEMBERSHIP_QUERY, group,
		    tenths);
}
