/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models what net/ipv6/ipv6_sockglue.c and exthdrs.c do for headers that a
 * socket wants in each of its packets:
 *
 *	setsockopt -> ipv6_renew_options -> ipv6_update_options
 *	getsockopt -> ipv6_getsockopt_sticky
 *
 * All of a socket's headers lie in one piece of memory: to change one of them
 * is to make them all anew.  Who may read them meanwhile has a reference.
 * Kernels from 4.18 on copy a header in twice, and from 5.9 on they ask for
 * permission before they look at its length; neither is modelled.
 */
#include <errno.h>

#include "stack/include/linux/cred.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/socket.h"
#include "stack/include/net/ipv6_txoptions.h"
#include "stack/net/ipv6/udp.h"

#define LONGEST_HEADER (8u * 255)
#define MOST_PKTOPTIONS (64u * 1024)
#define SRH_HLEN 8u		/* of a header with segments, without them */

/* In the order in which they stand. */
enum header { HOPOPT, DST0OPT, SRCRT, DST1OPT, NUM_HEADERS };

struct headers {
	const u8 *at[NUM_HEADERS];	/* NULL: none */
	u32 len[NUM_HEADERS];
};

/* -1: the option is about something else. */
static int header_of(int option)
{
	switch (option) {
	case IPV6_HOPOPTS:
		return HOPOPT;
	case IPV6_RTHDRDSTOPTS:
		return DST0OPT;
	case IPV6_RTHDR:
		return SRCRT;
	case IPV6_DSTOPTS:
		return DST1OPT;
	default:
		return -1;
	}
}

bool ipv6_is_sticky_option(int option)
{
	return option == IPV6_2292PKTOPTIONS || header_of(option) >= 0;
}

static void copy_user_bytes(u32 len)
{
	FUNCTION(copy_user_generic_string);
	REP_STRING(2);
	WORK(len / 8);
}

static void get_headers(const struct ipv6_txoptions *opt, struct headers *h)
{
	u32 i;

	*h = (struct headers){ { NULL }, { 0 } };
	if (!opt)
		return;
	h->at[HOPOPT] = READ(opt, hopopt);
	h->at[DST0OPT] = READ(opt, dst0opt);
	h->at[SRCRT] = READ(opt, srcrt);
	h->at[DST1OPT] = READ(opt, dst1opt);
	for (i = 0; i < NUM_HEADERS; i++)
		h->len[i] = h->at[i] ? ipv6_optlen(h->at[i]) : 0;
}

static struct ipv6_txoptions *new_options(struct sock *sk, u32 len)
{
	u32 size = this_kernel()->types[STRUCT_ipv6_txoptions].size + len;
	struct ipv6_txoptions *opt;

	opt = sock_kmalloc(sk, size, STRUCT_ipv6_txoptions,
			   sizeof(*opt) + len);
	if (!opt)
		return NULL;
	opt->allocated = true;
	if (has(TXOPT_RCU))
		WRITE(opt, refcnt, 1);
	WRITE(opt, tot_len, size);
	return opt;
}

static void set_headers(struct ipv6_txoptions *opt, const struct headers *h)
{
	WRITE(opt, hopopt, h->at[HOPOPT]);
	WRITE(opt, dst0opt, h->at[DST0OPT]);
	WRITE(opt, srcrt, h->at[SRCRT]);
	WRITE(opt, dst1opt, h->at[DST1OPT]);
	WRITE(opt, opt_nflen,
	      (u16)(h->len[HOPOPT] + h->len[DST0OPT] + h->len[SRCRT]));
	WRITE(opt, opt_flen, (u16)h->len[DST1OPT]);
}

/* The bytes of one header, behind those that are there; `from` is the options
 * that have it by now, or NULL: it is the program's. */
static const u8 *add_header(struct ipv6_txoptions *opt, u32 at, const u8 *header,
			    u32 len, const struct ipv6_txoptions *from)
{
	if (from)
		txopt_read_header(from, header, len);
	memcpy(txopt_bytes(opt) + at, header, len);
	txopt_write_bytes(opt, at, len);
	WORK(len / 8);
	return txopt_bytes(opt) + at;
}

/* The socket's headers with another one in place of `which`, or without it
 * (len 0).  *ret is NULL where none is left.  0 or -errno. */
static int ipv6_renew_options(struct sock *sk, const struct ipv6_txoptions *opt,
			      u32 which, const u8 *header, u32 len,
			      struct ipv6_txoptions **ret)
{
	struct headers h;
	u32 i, total = 0;

	FUNCTION(ipv6_renew_options);
	*ret = NULL;
	get_headers(opt, &h);
	h.at[which] = len ? header : NULL;
	h.len[which] = len;
	for (i = 0; i < NUM_HEADERS; i++)
		total += h.len[i];
	if (!total)
		return 0;
	*ret = new_options(sk, total);
	if (!*ret)
		return -ENOBUFS;
	total = 0;
	for (i = 0; i < NUM_HEADERS; i++) {
		if (!h.at[i])
			continue;
		h.at[i] = add_header(*ret, total, h.at[i], h.len[i],
				     i == which ? NULL : opt);
		total += h.len[i];
		/* A header may say that it is shorter than it was given. */
		h.len[i] = ipv6_optlen(h.at[i]);
	}
	set_headers(*ret, &h);
	return 0;
}

/* Gives the options that the socket had. */
static struct ipv6_txoptions *ipv6_update_options(struct sock *sk,
						  struct ipv6_txoptions *opt)
{
	FUNCTION(ipv6_update_options);
	if (!has(SK_DST_XCHG))
		SK_DST_WRITE_LOCK(sk);
	opt = ATOMIC_XCHG(udp6_sk(sk), inet6.opt, opt);
	if (!has(SK_DST_XCHG))
		SK_DST_WRITE_UNLOCK(sk);
	sk_dst_set(sk, NULL);
	return opt;
}

/* Segments all there, and no more left than there are. */
static bool seg6_validate_srh(const u8 *header, u32 len)
{
	u32 left = header[3], first = header[4];

	return ipv6_optlen(header) == len && left <= first &&
	       SRH_HLEN + (first + 1) * sizeof(struct in6_addr) <= len;
}

/* Which routing headers there are beside the mobile hosts': those with
 * segments. */
static bool is_good_rthdr(const u8 *header, u32 len)
{
	if (header[2] == IPV6_SRCRT_TYPE_2)
		return has(IPV6_MIP6) && header[1] == 2 && header[3] == 1;
	return header[2] == IPV6_SRCRT_TYPE_4 && has(IPV6_SEG6) &&
	       seg6_validate_srh(header, len);
}

static int set_header(struct sock *sk, int option, const u8 *bytes, u32 len)
{
	struct udp6_sock *up6 = udp6_sk(sk);
	struct ipv6_txoptions *opt;
	int err;

	if (len && (len & 7 || len > LONGEST_HEADER))
		return -EINVAL;
	if (option != IPV6_RTHDR && !capable(CAP_NET_RAW))
		return -EPERM;
	copy_user_bytes(len);
	if (len && ipv6_optlen(bytes) > len)
		return -EINVAL;
	err = ipv6_renew_options(sk, READ(up6, inet6.opt),
				 (u32)header_of(option), bytes, len, &opt);
	if (err)
		return err;
	if (option == IPV6_RTHDR && len && !is_good_rthdr(bytes, len))
		err = -EINVAL;	/* and the new ones go again */
	else
		opt = ipv6_update_options(sk, opt);
	ipv6_release_options(sk, opt);
	return err;
}

/* All at once, as the control messages of RFC 2292; what they say of anything
 * but headers is looked at and forgotten. */
static int set_pktoptions(struct sock *sk, const u8 *bytes, u32 len)
{
	struct ipcm6_cookie ipc6 = { .hlimit = -1 };
	struct ipv6_txoptions *opt = NULL, found = { .tot_len = 0 };
	struct flowi6 fl6 = { 0 };
	struct msghdr msg = { .msg_controllen = len };
	int err = 0;

	fl6.flowi6_oif = READ(sk, sk_bound_dev_if);
	if (len > MOST_PKTOPTIONS)
		return -EINVAL;
	if (len) {
		opt = new_options(sk, len);
		if (!opt)
			return -ENOBUFS;
		copy_user_bytes(len);
		msg.msg_control = add_header(opt, 0, bytes, len, NULL);
		err = ip6_datagram_send_ctl(READ(sk, sk_net), sk, &msg, &fl6,
					    &ipc6, &found);
	}
	if (!err && opt) {
		/* Only the sums of the lengths are asked for. */
		const struct headers h = {
			{ found.hopopt, found.dst0opt, found.srcrt,
			  found.dst1opt },
			{ found.opt_nflen, 0, 0, found.opt_flen },
		};

		set_headers(opt, &h);
	}
	if (!err)
		opt = ipv6_update_options(sk, opt);
	ipv6_release_options(sk, opt);
	return err;
}

int ipv6_set_sticky_option(struct sock *sk, int option, const u8 *bytes,
			   u32 len)
{
	int err;

	if (READ(sk, sk_family) != PF_INET6)
		return -ENOPROTOOPT;
	lock_sock_nested(sk);
	err = option == IPV6_2292PKTOPTIONS ? set_pktoptions(sk, bytes, len) :
	      set_header(sk, option, bytes, len);
	release_sock(sk);
	return err;
}

int ipv6_getsockopt_sticky(struct sock *sk, int option, u8 *bytes, u32 *len)
{
	struct ipv6_txoptions *opt;
	struct headers h;
	u32 which;

	if (READ(sk, sk_family) != PF_INET6 || header_of(option) < 0)
		return -ENOPROTOOPT;
	which = (u32)header_of(option);
	lock_sock_nested(sk);
	FUNCTION(ipv6_getsockopt_sticky);
	opt = READ(udp6_sk(sk), inet6.opt);
	get_headers(opt, &h);
	*len = MIN(*len, h.len[which]);
	if (*len) {
		txopt_read_header(opt, h.at[which], *len);
		memcpy(bytes, h.at[which], *len);
		copy_user_bytes(*len);
	}
	release_sock(sk);
	return 0;
}
