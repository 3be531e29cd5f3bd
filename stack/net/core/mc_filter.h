/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a device wants to hear of a group: the filters of all sockets merged
 * into one.  The kernel has this twice, in net/ipv4/igmp.c and net/ipv6/mcast.c,
 * with the same steps; so each family's file includes it once and says by
 * macros what its fields are called:
 *
 *	MC_DEV, MC_LIST, MC_ADDR	the structs of a device and a group, an
 *					address
 *	mc_sf				the struct of a source
 *	f_sources, f_sfmode, f_sfcount	fields of the group
 *	MC_ALLOC_SF(), MC_SF_ADDR(psf), MC_SET_SF_ADDR(psf, a), MC_EQUAL(a, b)
 *	MC_LOCK(pmc), MC_UNLOCK(pmc)	of the group
 *	MC_FIND				finds a group of a device
 *	MC_ADD_SRC, MC_DEL_SRC		the two functions that this makes
 *
 * A filter either excludes its sources or includes no others.  Each source
 * counts by how many filters it is excluded and included; what comes through
 * is what one filter includes, or not all of those that exclude exclude.
 */
#ifndef STACK_NET_CORE_MC_FILTER_H
#define STACK_NET_CORE_MC_FILTER_H

static struct mc_sf *mc_new_source(MC_ADDR source)
{
	struct mc_sf *psf = MC_ALLOC_SF();

	if (!psf)
		return NULL;
	WRITE(psf, sf_next, NULL);
	MC_SET_SF_ADDR(psf, source);
	WRITE_AT(psf, sf_count, MCAST_EXCLUDE, 0);
	WRITE_AT(psf, sf_count, MCAST_INCLUDE, 0);
	return psf;
}

static int mc_add1_src(MC_LIST *pmc, u32 sfmode, MC_ADDR source)
{
	struct mc_sf *psf = READ(pmc, f_sources), *last = NULL, *next;

	while (psf && !MC_EQUAL(MC_SF_ADDR(psf), source)) {
		last = psf;
		next = READ(psf, sf_next);
		psf = next;
	}
	if (!psf) {
		psf = mc_new_source(source);
		if (!psf)
			return -ENOBUFS;
		if (last)
			WRITE_ONCE(last, sf_next, psf);
		else
			WRITE_ONCE(pmc, f_sources, psf);
	}
	UPDATE_AT(psf, sf_count, sfmode, += 1);
	return 0;
}

/* Readers may be looking at it: it is freed when they have ended. */
static int mc_del1_src(MC_LIST *pmc, u32 sfmode, MC_ADDR source)
{
	struct mc_sf *psf = READ(pmc, f_sources), *prev = NULL, *next;

	while (psf && !MC_EQUAL(MC_SF_ADDR(psf), source)) {
		prev = psf;
		next = READ(psf, sf_next);
		psf = next;
	}
	if (!psf || !READ_AT(psf, sf_count, sfmode))
		return -ESRCH;
	UPDATE_AT(psf, sf_count, sfmode, -= 1);
	if (psf->sf_count[MCAST_INCLUDE] || psf->sf_count[MCAST_EXCLUDE])
		return 0;
	next = READ(psf, sf_next);
	if (prev)
		WRITE_ONCE(prev, sf_next, next);
	else
		WRITE_ONCE(pmc, f_sources, next);
	KFREE_RCU(psf, rcu);
	return 0;
}

/* The mode that all filters together have; without any the one before. */
static void mc_merge_mode(MC_LIST *pmc)
{
	if (READ_AT(pmc, f_sfcount, MCAST_EXCLUDE))
		WRITE(pmc, f_sfmode, MCAST_EXCLUDE);
	else if (READ_AT(pmc, f_sfcount, MCAST_INCLUDE))
		WRITE(pmc, f_sfmode, MCAST_INCLUDE);
}

int MC_ADD_SRC(MC_DEV *dev, MC_ADDR group, u32 sfmode, u32 n,
	       const MC_ADDR *sources, bool delta)
{
	MC_LIST *pmc = MC_FIND(dev, group);
	int err = 0;
	u32 i;

	FUNCTION(ip_mc_add_src);
	if (!pmc)
		return -ESRCH;
	MC_LOCK(pmc);
	if (!delta)
		UPDATE_AT(pmc, f_sfcount, sfmode, += 1);
	for (i = 0; i < n && !err; i++)
		err = mc_add1_src(pmc, sfmode, sources[i]);
	if (err) {
		if (!delta)
			UPDATE_AT(pmc, f_sfcount, sfmode, -= 1);
		while (--i)
			(void)mc_del1_src(pmc, sfmode, sources[i - 1]);
	} else {
		mc_merge_mode(pmc);
	}
	MC_UNLOCK(pmc);
	return err;
}

int MC_DEL_SRC(MC_DEV *dev, MC_ADDR group, u32 sfmode, u32 n,
	       const MC_ADDR *sources, bool delta)
{
	MC_LIST *pmc = MC_FIND(dev, group);
	int err = 0, rv;
	u32 i;

	FUNCTION(ip_mc_del_src);
	if (!pmc)
		return -ESRCH;
	MC_LOCK(pmc);
	if (!delta && !READ_AT(pmc, f_sfcount, sfmode)) {
		MC_UNLOCK(pmc);
		return -EINVAL;
	}
	if (!delta)
		UPDATE_AT(pmc, f_sfcount, sfmode, -= 1);
	for (i = 0; i < n; i++) {
		rv = mc_del1_src(pmc, sfmode, sources[i]);
		if (rv < 0 && !err)
			err = rv;
	}
	mc_merge_mode(pmc);
	MC_UNLOCK(pmc);
	return err;
}

#endif
