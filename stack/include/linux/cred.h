/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a process is, and in which namespaces and control groups it stands
 * (include/linux/cred.h, nsproxy.h, cgroup-defs.h). */
#ifndef STACK_LINUX_CRED_H
#define STACK_LINUX_CRED_H

#include "stack/kernel.h"

struct cred {
	struct object object;
	s32 usage;
	u32 euid, fsuid, fsgid;
	u64 cap_effective;	/* in bits */
	u32 non_rcu;
};

struct nsproxy {
	struct object object;
	struct net *net_ns;
};

/* The control groups of a task; here all are in the same. */
struct css_set {
	struct object object;
	struct { void *net_cls, *net_prio; } subsys;
	void *dfl_cgrp;
};

/* What the two controllers of packets keep for a group. */
struct cgroup_cls_state {
	struct object object;
	u32 classid;
};

struct cgroup_netprio_state {
	struct object object;
	u32 prioidx;
};

/* One CPU's part of a group's count of users (percpu_ref). */
struct cgroup_refcnt {
	struct object object;
	s64 count;
};

struct cred *prepare_creds(void);
struct cred *get_cred(struct cred *cred);
void put_cred(struct cred *cred);

/* May the running task do this? */
#define CAP_NET_ADMIN 12u
#define CAP_NET_RAW 13u
bool capable(u32 capability);

/* What of control groups a new socket takes, and gives back at its end. */
void cgroup_sk_alloc(struct sock *sk);
void cgroup_sk_free(struct sock *sk);

#endif
