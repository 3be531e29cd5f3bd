/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/core/sock.c, the part that makes sockets and frees them.
 *
 * A socket lives as long as somebody holds it: its user, and a table of ports
 * or a lookup in it, by sk_refcnt; packets on their way, by sk_wmem_alloc.  All
 * references of the first kind are one of the second.
 */
#include <string.h>

#include "sim/check.h"
#include "stack/include/linux/cred.h"
#include "stack/include/linux/dcache.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/netlink.h"
#include "stack/include/net/sock.h"
#include "stack/include/net/udp.h"

/* Late readers may still follow the links of a freed socket, so that they are
 * not cleared with the rest. */
static void sk_prot_clear(struct sock *sk, const struct proto *prot)
{
	struct object object = sk->object;
	void *next = sk->sk_node.next;
	void *portaddr_next = udp_sk(sk)->udp_portaddr_node.next;

	WRITE_BYTES(sk, memory, 0, sk->object.type->size);
	memset(sk, 0, prot->obj_size);
	sk->object = object;
	sk->sk_node.next = next;
	udp_sk(sk)->udp_portaddr_node.next = portaddr_next;
}

static struct sock *sk_prot_alloc(struct proto *prot)
{
	struct sock *sk;

	FUNCTION(sk_prot_alloc);
	sk = kmem_cache_alloc(READ(prot, slab), GFP_KERNEL);
	if (!sk)
		return NULL;
	sock_count_reuse(sk);
	(void)READ(prot, obj_size);
	sk_prot_clear(sk, prot);
	(void)READ(this_kernel()->net_core->sockets->security_ops,
		   sk_alloc_security);
	WRITE(sk, sk_security, 0);
	(void)READ(prot, owner);
	return sk;
}

/* The two numbers by which packets of control groups are told apart. */
static void sock_update_cgroups(struct sock *sk)
{
	struct css_set *set;

	if (!has(CGROUP_NET_PRIO))
		return;
	set = READ(GET_CURRENT(), cgroups);
	rcu_read_lock();
	WRITE(sk, sk_classid,
	      (u8)READ((struct cgroup_cls_state *)READ(set, subsys.net_cls),
		       classid));
	rcu_read_unlock();
	rcu_read_lock();
	WRITE(sk, sk_cgrp_prioidx,
	      (u8)READ((struct cgroup_netprio_state *)READ(set,
							   subsys.net_prio),
		       prioidx));
	rcu_read_unlock();
}

void cgroup_sk_alloc(struct sock *sk)
{
	struct cgroup_refcnt *refcnt;

	FUNCTION(cgroup_sk_alloc);
	rcu_read_lock();
	(void)READ(READ(GET_CURRENT(), cgroups), dfl_cgrp);
	rcu_read_lock();
	refcnt = this_kernel()->net_core->sockets->cgroup_refcnt[this_cpu->id];
	UPDATE(refcnt, count, += 1);
	rcu_read_unlock();
	WRITE(sk, sk_cgroup, 1);
	rcu_read_unlock();
}

void cgroup_sk_free(struct sock *sk)
{
	struct cgroup_refcnt *refcnt;

	(void)READ(sk, sk_cgroup);
	rcu_read_lock();
	refcnt = this_kernel()->net_core->sockets->cgroup_refcnt[this_cpu->id];
	UPDATE(refcnt, count, -= 1);
	rcu_read_unlock();
}

/* Sockets of all protocols, and which CPU made and freed them. */
static void sock_inuse_add(struct net *net, s32 amount)
{
	struct prot_inuse *inuse =
		READ(net, core.prot_inuse)[this_cpu->id];

	UPDATE(inuse, all, += (u32)amount);
}

static void sock_lock_init(struct sock *sk)
{
	WRITE(sk, sk_lock.owned, 0);
	WRITE(sk, sk_lock.slock, ((struct spinlock){ 0 }));
	WRITE(sk, sk_lock.wq, ((struct semaphore){ 0 }));
}

struct sock *sk_alloc(struct net *net, int family, struct proto *prot)
{
	struct sock *sk = sk_prot_alloc(prot);

	FUNCTION(sk_alloc);
	if (!sk)
		return NULL;
	WRITE(sk, sk_family, (u16)family);
	WRITE(sk, sk_prot_creator, 0);
	WRITE(sk, sk_prot, prot);
	sock_lock_init(sk);
	ATOMIC_INC(net, count);
	if (has(SOCK_INUSE_NET))
		sock_inuse_add(net, 1);
	WRITE(sk, sk_net, net);
	WRITE(sk, sk_wmem_alloc, 1);
	if (has(CGROUP_BPF))
		cgroup_sk_alloc(sk);
	sock_update_cgroups(sk);
	if (has(SK_DST_XCHG))
		WRITE(sk, sk_tx_queue_mapping, -1);
	return sk;
}

/* Callbacks that decide nothing yet are written all the same. */
static void init_callbacks(struct sock *sk)
{
	WRITE(sk, sk_callback_lock, ((struct rwlock){ 0 }));
	WRITE(sk, sk_state_change, 0);
	WRITE(sk, sk_data_ready, 0);
	WRITE(sk, sk_write_space, sock_def_write_space);
	WRITE(sk, sk_error_report, 0);
}

void sock_init_data(struct socket *sock, struct sock *sk)
{
	FUNCTION(sock_init_data);
	WRITE(sk, sk_receive_queue.next, NULL);
	WRITE(sk, sk_write_queue.next, NULL);
	WRITE(sk, sk_send_head, 0);
	WRITE(sk, sk_timer, 0);
	WRITE(sk, sk_allocation, GFP_KERNEL);
	WRITE(sk, sk_sndbuf, SOCK_SNDBUF_DEFAULT);
	WRITE(sk, sk_rcvbuf, SOCK_RCVBUF_DEFAULT);
	WRITE(sk, sk_state, TCP_CLOSE);
	WRITE(sk, sk_socket, sock);
	WRITE(sk, sk_flags, 0);
	WRITE(sk, sk_type, (u8)READ(sock, type));
	WRITE(sk, sk_wq, sock->wq);
	WRITE(sock, sk, sk);
	if (has(SOCK_UID))
		WRITE(sk, sk_uid, READ(sock, i_uid));
	init_callbacks(sk);
	WRITE(sk, sk_peer_pid, 0);
	WRITE(sk, sk_peer_cred, 0);
	WRITE(sk, sk_rcvlowat, 1);
	WRITE(sk, sk_rcvtimeo, 0);
	WRITE(sk, sk_sndtimeo, UINT64_MAX);
	WRITE(sk, sk_stamp, 0);
	if (has(BUSY_POLL)) {
		WRITE(sk, sk_napi_id, 0);
		WRITE(sk, sk_ll_usec, this_kernel()->parameters.busy_read);
	}
	if (has(UDP_INCOMING_CPU))
		WRITE(sk, sk_incoming_cpu, -1);
	/* Lookups must not see it before all else is set. */
	WRITE_ONCE(sk, sk_refcnt, 1);
	WRITE(sk, sk_drops, 0);
	if (has(SK_TX_QUEUE_MAPPING))
		WRITE(sk, sk_tx_queue_mapping, -1);
}

/* ---- the end ---- */

static void sk_prot_free(struct proto *prot, struct sock *sk)
{
	(void)READ(prot, owner);
	if (has(CGROUP_BPF))
		cgroup_sk_free(sk);
	(void)READ(sk, sk_security);
	kmem_cache_free(READ(prot, slab), sk);
}

/* Nobody looks at it any more. */
/* The loads that follow hang on sk alone, and a core's window (192 instructions
 * on Haswell) reaches from the first to the last of them: where the socket has
 * gone cold, their misses overlap.  One member for each line. */
static void overlap_destruct_loads(const struct sock *sk)
{
	OVERLAP(sk, sk_destruct);
	OVERLAP(sk, sk_flags);
	OVERLAP(sk, sk_type);
	OVERLAP(sk, sk_wmem_alloc);
	OVERLAP(sk, sk_filter);
	OVERLAP(sk, sk_peer_cred);
	OVERLAP(sk, sk_net);
	OVERLAP(sk, sk_security);
}

static void __sk_destruct(void *p)
{
	struct sock *sk = p;
	void (*destruct)(struct sock *);
	struct net *net;

	FUNCTION(__sk_destruct);
	overlap_destruct_loads(sk);
	destruct = READ(sk, sk_destruct);
	if (destruct)
		destruct(sk);
	(void)READ(sk, sk_filter);
	(void)READ(sk, sk_flags);	/* time stamps to be switched off */
	(void)READ(sk, sk_omem_alloc);
	(void)READ(sk, sk_peer_cred);
	(void)READ(sk, sk_peer_pid);
	net = READ(sk, sk_net);
	ATOMIC_DEC(net, count);
	sk_prot_free(READ(sk, sk_prot), sk);
}

/* Where lookups take no reference, it must wait for them. */
void sk_destruct(struct sock *sk)
{
	bool wait = READ(sk, sk_flags) >> SOCK_RCU_FREE & 1;

	FUNCTION(sk_destruct);
	if (has(UDP_SOCK_RCU_FREE) && wait)
		CALL_RCU(sk, sk_rcu, __sk_destruct);
	else
		__sk_destruct(sk);
}

static void __sk_free(struct sock *sk)
{
	if (has(SOCK_INUSE_NET))
		sock_inuse_add(READ(sk, sk_net), -1);
	if (has(SOCK_DIAG_DESTROY))
		sock_diag_has_destroy_listeners(sk);
	sk_destruct(sk);
}

void sk_wmem_put(struct sock *sk, s32 left)
{
	check_refcount(this_cpu->machine, &sk->object, "sk_wmem_alloc", left);
	if (!left)
		__sk_free(sk);
}

void sk_free(struct sock *sk)
{
	FUNCTION(sk_free);
	/* It is freed for certain, though perhaps after the run. */
	if (sk->sk_wmem_alloc > 1)
		kmemleak_not_leak(sk);
	sk_wmem_put(sk, ATOMIC_SUB_RETURN(sk, sk_wmem_alloc, 1));
}

void sock_hold(struct sock *sk)
{
	ATOMIC_INC(sk, sk_refcnt);
}

void sock_put(struct sock *sk)
{
	s32 left = ATOMIC_SUB_RETURN(sk, sk_refcnt, 1);

	check_refcount(this_cpu->machine, &sk->object, "sk_refcnt", left);
	if (!left)
		sk_free(sk);
}

/* Packets that still come find that it belongs to nobody: they look at the
 * flags without the lock. */
static void sock_orphan(struct sock *sk)
{
	u64 flags;

	local_bh_disable();
	WRITE_LOCK(sk, sk_callback_lock);
	flags = READ(sk, sk_flags);
	WRITE_ONCE(sk, sk_flags, flags | 1u << SOCK_DEAD);
	WRITE(sk, sk_socket, NULL);
	WRITE(sk, sk_wq, NULL);
	WRITE_UNLOCK(sk, sk_callback_lock);
	local_bh_enable();
}

void sk_common_release(struct sock *sk)
{
	struct proto *prot;
	void (*unhash)(struct sock *);

	FUNCTION(sk_common_release);
	prot = READ(sk, sk_prot);
	READ(prot, destroy)(sk);
	unhash = READ(prot, unhash);
	if (unhash)
		unhash(sk);
	sock_orphan(sk);
	(void)READ(sk, sk_policy);	/* xfrm_sk_free_policy() */
	sock_put(sk);
}
