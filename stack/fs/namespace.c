/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models fs/namespace.c as far as the mount of sockets comes by, which nobody
 * ever unmounts: each CPU counts its users for itself, and only the sum says
 * how many there are.
 */
#include "stack/include/linux/mount.h"
#include "stack/include/linux/rcupdate.h"

void mntget(struct mount *mnt)
{
	struct mnt_pcp *pcp = READ(mnt, mnt_pcp)[this_cpu->id];

	UPDATE(pcp, mnt_count, += 1);
}

void mntput(struct mount *mnt)
{
	struct mnt_pcp *pcp;

	FUNCTION(mntput);
	(void)READ(mnt, mnt_expiry_mark);
	rcu_read_lock();
	(void)READ(mnt, mnt_ns);	/* in a namespace: not the last */
	pcp = READ(mnt, mnt_pcp)[this_cpu->id];
	UPDATE(pcp, mnt_count, -= 1);
	rcu_read_unlock();
}
