/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models kernel/cred.c and capability.c: who a process is.  Each open file holds
 * a reference on its opener's credentials. */
#include "sim/check.h"
#include "stack/include/linux/cred.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/sock.h"

/* New ones, the superuser's; nobody holds them yet. */
struct cred *prepare_creds(void)
{
	struct any_cache *cache = this_kernel()->net_core->sockets->cred_cache;
	struct cred *cred = kmem_cache_alloc(cache, GFP_KERNEL);

	WRITE(cred, usage, 0);
	/* Copied from the parent's with the rest, which nobody measures. */
	cred->euid = 0;
	cred->cap_effective = ~0ull;
	WRITE(cred, fsuid, 0);
	WRITE(cred, fsgid, 0);
	return cred;
}

bool capable(u32 capability)
{
	struct cred *cred;

	FUNCTION(ns_capable);
	cred = READ(GET_CURRENT(), cred);
	return READ(cred, cap_effective) >> capability & 1;
}

struct cred *get_cred(struct cred *cred)
{
	ATOMIC_INC(cred, usage);
	if (has(CRED_NON_RCU))
		WRITE_ONCE(cred, non_rcu, 0);
	return cred;
}

void put_cred(struct cred *cred)
{
	s32 left = ATOMIC_SUB_RETURN(cred, usage, 1);

	check_refcount(this_cpu->machine, &cred->object, "usage", left);
	if (!left)
		kmem_cache_free(this_kernel()->net_core->sockets->cred_cache,
				cred);
}
