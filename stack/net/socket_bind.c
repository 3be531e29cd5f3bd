/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/socket.c: bind(), getsockname() and setsockopt(). */
#include <errno.h>

#include "stack/include/linux/entry.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"
#include "stack/include/net/ipv6_txoptions.h"
#include "stack/include/net/mld.h"
#include "stack/include/net/udp.h"
#include "stack/net/ipv4/ip_pktinfo.h"
#include "stack/net/ipv4/udplite.h"

static int security_socket_bind(void)
{
	FUNCTION(security_socket_bind);
	(void)READ(this_kernel()->net_core->sockets->security_ops, socket_bind);
	return 0;
}

static int __sys_bind(int fd, const struct sockaddr_any *name, u32 name_len)
{
	const struct proto_ops *ops;
	struct socket *sock;
	int err, fput_needed;

	FUNCTION(sys_bind);
	STACK_PROTECTOR();
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	err = move_addr_to_kernel(name_len);
	if (!err)
		err = security_socket_bind();
	if (!err) {
		ops = READ(sock, ops);
		err = READ(ops, bind)(sock, name, name_len);
	}
	fput_light(sock->file, fput_needed);
	return err;
}

int sys_bind(int fd, const struct sockaddr_any *name, u32 name_len)
{
	int err;

	system_call_enter();
	err = __sys_bind(fd, name, name_len);
	system_call_exit();
	return err;
}

static int __sys_getsockname(int fd, struct sockaddr_any *name)
{
	const struct proto_ops *ops;
	struct socket *sock;
	int err, fput_needed;

	FUNCTION(sys_getsockname);
	STACK_PROTECTOR();
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	ops = READ(sock, ops);
	err = READ(ops, getname)(sock, name, false);
	fput_light(sock->file, fput_needed);
	return err;
}

int sys_getsockname(int fd, struct sockaddr_any *name)
{
	int err;

	system_call_enter();
	err = __sys_getsockname(fd, name);
	system_call_exit();
	return err;
}

/* ---- options ---- */

static int ip_set_mtu_discover(struct sock *sk, u32 value)
{
	u32 last = has(IP_FWD_USE_PMTU) ? IP_PMTUDISC_OMIT : IP_PMTUDISC_PROBE;

	if (value > last)
		return -EINVAL;
	lock_sock_nested(sk);
	WRITE((struct inet_sock *)(void *)sk, pmtudisc, (u8)value);
	release_sock(sk);
	return 0;
}

/* `value` is the index of a device, where the kernel takes its name. */
static int sock_bindtoindex(struct sock *sk, u32 ifindex)
{
	const GPtrArray *devices = this_kernel()->net_core->devices;

	if (ifindex > devices->len)
		return -ENODEV;
	lock_sock_nested(sk);
	WRITE_ONCE(sk, sk_bound_dev_if, ifindex);
	/* The next packet may go another way. */
	sk_dst_set(sk, NULL);
	release_sock(sk);
	return 0;
}

static int sock_setsockopt(struct sock *sk, int option, u32 value)
{
	if (option == SO_BINDTODEVICE)
		return sock_bindtoindex(sk, value);
	if (option == SO_REUSEPORT_OPTION && !has(SO_REUSEPORT))
		return -ENOPROTOOPT;
	lock_sock_nested(sk);
	if (option == SO_REUSEADDR)
		WRITE(sk, sk_reuse, value ? SK_CAN_REUSE : 0);
	else
		WRITE(sk, sk_reuseport, value != 0);
	release_sock(sk);
	return 0;
}

/* The pending error, which is told once. */
static int sock_get_error(struct sock *sk, u32 *value)
{
	*value = READ_ONCE(sk, sk_err);
	if (*value)
		*value = ATOMIC_XCHG(sk, sk_err, 0);
	return 0;
}

/* A protocol's own options: of IPv6 alone. */
static int ipv6_setsockopt(struct sock *sk, u32 value)
{
	if (READ(sk, sk_family) != PF_INET6)
		return -ENOPROTOOPT;
	return ipv6_set_v6only(sk, value != 0);
}

static int __sys_setsockopt(int fd, int level, int option, u32 value)
{
	struct socket *sock;
	int err, fput_needed;

	FUNCTION(sys_setsockopt);
	STACK_PROTECTOR();
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	err = -ENOPROTOOPT;
	if (level == SOL_SOCKET &&
	    (option == SO_REUSEADDR || option == SO_REUSEPORT_OPTION ||
	     option == SO_BINDTODEVICE))
		err = sock_setsockopt(READ(sock, sk), option, value);
	else if (level == SOL_IP && option == IP_PKTINFO)
		err = ip_set_pktinfo(READ(sock, sk), value != 0);
	else if (level == SOL_IPV6 && option == IPV6_RECVPKTINFO)
		err = ipv6_set_pktinfo(READ(sock, sk), value != 0);
	else if (level == SOL_IPV6 && option == IPV6_V6ONLY)
		err = ipv6_setsockopt(READ(sock, sk), value);
	else if (level == SOL_IP && option == IP_MTU_DISCOVER)
		err = ip_set_mtu_discover(READ(sock, sk), value);
	else if (level == SOL_UDP || level == SOL_UDPLITE)
		err = udp_lib_setsockopt(READ(sock, sk), option, value);
	else if (level == SOL_IP)
		err = ip_mc_setsockopt(READ(sock, sk), option, value);
	else if (level == SOL_IPV6)
		err = ipv6_mc_setsockopt(READ(sock, sk), option, value);
	fput_light(sock->file, fput_needed);
	return err;
}

static int __sys_setsockopt_group(int fd, int level, int option,
				  const struct group_source_req *req)
{
	struct socket *sock;
	int err, fput_needed;

	FUNCTION(sys_setsockopt);
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	err = -ENOPROTOOPT;
	if (level == SOL_IP)
		err = ip_mc_group_option(READ(sock, sk), option, req);
	else if (level == SOL_IPV6)
		err = ipv6_mc_group_option(READ(sock, sk), option, req);
	fput_light(sock->file, fput_needed);
	return err;
}

int sys_setsockopt_group(int fd, int level, int option,
			 const struct group_source_req *req)
{
	int err;

	system_call_enter();
	err = __sys_setsockopt_group(fd, level, option, req);
	system_call_exit();
	return err;
}

static int __sys_setsockopt_bytes(int fd, int level, int option,
				  const u8 *bytes, u32 len)
{
	struct socket *sock;
	int err, fput_needed;

	FUNCTION(sys_setsockopt);
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	err = -ENOPROTOOPT;
	if (level == SOL_IPV6 && ipv6_is_sticky_option(option))
		err = ipv6_set_sticky_option(READ(sock, sk), option, bytes,
					     len);
	fput_light(sock->file, fput_needed);
	return err;
}

int sys_setsockopt_bytes(int fd, int level, int option, const u8 *bytes,
			 u32 len)
{
	int err;

	system_call_enter();
	err = __sys_setsockopt_bytes(fd, level, option, bytes, len);
	system_call_exit();
	return err;
}

static int __sys_getsockopt_bytes(int fd, int level, int option, u8 *bytes,
				  u32 *len)
{
	struct socket *sock;
	int err, fput_needed;

	FUNCTION(sys_getsockopt);
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	err = -ENOPROTOOPT;
	if (level == SOL_IPV6)
		err = ipv6_getsockopt_sticky(READ(sock, sk), option, bytes,
					     len);
	fput_light(sock->file, fput_needed);
	return err;
}

int sys_getsockopt_bytes(int fd, int level, int option, u8 *bytes, u32 *len)
{
	int err;

	system_call_enter();
	err = __sys_getsockopt_bytes(fd, level, option, bytes, len);
	system_call_exit();
	return err;
}

/* The MTU of the path of a connected socket. */
static int path_mtu(struct sock *sk, u32 *value)
{
	struct dst_entry *dst;

	lock_sock_nested(sk);
	dst = READ_ONCE(sk, sk_dst_cache);
	if (dst) {
		ATOMIC_INC(dst, __refcnt);
		*value = dst_mtu(dst);
		dst_release(dst);
	}
	release_sock(sk);
	return dst ? 0 : -ENOTCONN;
}

static int __sys_getsockopt(int fd, int level, int option, u32 *value)
{
	struct socket *sock;
	int err, fput_needed;

	FUNCTION(sys_getsockopt);
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	err = -ENOPROTOOPT;
	if (level == SOL_SOCKET && option == SO_ERROR)
		err = sock_get_error(READ(sock, sk), value);
	else if ((level == SOL_IP && option == IP_MTU) ||
		 (level == SOL_IPV6 && option == IPV6_MTU))
		err = path_mtu(READ(sock, sk), value);
	else if (level == SOL_UDP || level == SOL_UDPLITE)
		err = udp_lib_getsockopt(READ(sock, sk), option, value);
	fput_light(sock->file, fput_needed);
	return err;
}

int sys_getsockopt(int fd, int level, int option, u32 *value)
{
	int err;

	system_call_enter();
	err = __sys_getsockopt(fd, level, option, value);
	system_call_exit();
	return err;
}

int sys_setsockopt(int fd, int level, int option, u32 value)
{
	int err;

	system_call_enter();
	err = __sys_setsockopt(fd, level, option, value);
	system_call_exit();
	return err;
}
