/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a device wants to hear of a group: the filters of all sockets merged
 * into one.  The kernel has this twice, in net/ipv4/igmp.c and net/ipv6/mcast.c,
 * with the same steps; so each family's file includes it once.  What its structs
 * and fields are called there, ipv4/igmp_names.h and ipv6/mld_names.h say:
 *
 *	MC_DEV, MC_LIST, MC_ADDR	the structs of a device and a group, an
 *					address
 *	mc_sf				the struct of a source
 *	f_...				fields of the group
 *	d_...				fields of the device
 *	MC_ALLOC_SF(), MC_SF_ADDR(psf), MC_SET_SF_ADDR(psf, a), MC_EQUAL(a, b)
 *	MC_LOCK(pmc), MC_UNLOCK(pmc)	of the group
 *	MC_FIND				finds a group of a device
 *	MC_ADD_SRC, MC_DEL_SRC		the two functions that this makes
 *	MC_QRV(dev)			how often a change is reported
 *	MC_OLD_ROUTERS(dev)		they do not know of sources
 *	MC_IFC_EVENT(dev)		begins to report what has changed
 *
 * Routers hear of changes (mc_report.h): before each the sources are marked that
 * count then, and after it those that have come or gone get as many reports as
 * the robustness says; what has gone waits for them in the group's tomb.  A
 * change of mode makes a report of the whole, and needs no other.
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
	WRITE(psf, sf_oldin, 0);
	WRITE(psf, sf_crcount, 0);
	WRITE(psf, sf_gsresp, 0);
	return psf;
}

/* Would a report of the whole name it: all exclude it, or some include it? */
static bool mc_is_named(MC_LIST *pmc, struct mc_sf *psf)
{
	u64 all = READ_AT(pmc, f_sfcount, MCAST_EXCLUDE);
	u64 including = READ_AT(psf, sf_count, MCAST_INCLUDE);

	if (!all)
		return including;
	return !including && READ_AT(psf, sf_count, MCAST_EXCLUDE) == all;
}

static void mc_mark_state(MC_LIST *pmc)
{
	struct mc_sf *psf = READ(pmc, f_sources);

	for (; psf; psf = READ(psf, sf_next))
		WRITE(psf, sf_oldin, mc_is_named(pmc, psf));
}

/* That of a source in the group's tomb, and what is before it there. */
static struct mc_sf *mc_in_tomb(MC_LIST *pmc, MC_ADDR source,
				struct mc_sf **prev)
{
	struct mc_sf *psf = READ(pmc, f_tomb);

	*prev = NULL;
	while (psf && !MC_EQUAL(MC_SF_ADDR(psf), source)) {
		*prev = psf;
		psf = READ(psf, sf_next);
	}
	return psf;
}

static void mc_source_came(MC_DEV *dev, MC_LIST *pmc, struct mc_sf *psf)
{
	struct mc_sf *prev, *gone = mc_in_tomb(pmc, MC_SF_ADDR(psf), &prev);

	if (gone) {
		if (prev)
			WRITE(prev, sf_next, READ(gone, sf_next));
		else
			WRITE(pmc, f_tomb, READ(gone, sf_next));
		KFREE_RCU(gone, rcu);
	}
	WRITE(psf, sf_crcount, MC_QRV(dev));
}

/* It is still there, but counts no more. */
static void mc_source_went(MC_DEV *dev, MC_LIST *pmc, struct mc_sf *psf)
{
	struct mc_sf *prev, *gone = mc_in_tomb(pmc, MC_SF_ADDR(psf), &prev);

	WRITE(psf, sf_crcount, 0);
	if (!gone) {
		gone = mc_new_source(MC_SF_ADDR(psf));
		if (!gone)
			return;
		WRITE(gone, sf_next, READ(pmc, f_tomb));
		WRITE(pmc, f_tomb, gone);
	}
	WRITE(gone, sf_crcount, MC_QRV(dev));
}

/* Is there anything to report? */
static bool mc_set_state(MC_DEV *dev, MC_LIST *pmc)
{
	struct mc_sf *psf = READ(pmc, f_sources);
	bool changed = false;

	for (; psf; psf = READ(psf, sf_next)) {
		bool is = mc_is_named(pmc, psf), was = READ(psf, sf_oldin);

		if (is && !was)
			mc_source_came(dev, pmc, psf);
		else if (was && !is)
			mc_source_went(dev, pmc, psf);
		changed |= is != was;
	}
	return changed;
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

/* Readers may be looking at it: it is freed when they have ended.  1: it has
 * gone where reports are made of it. */
static int mc_del1_src(MC_DEV *dev, MC_LIST *pmc, u32 sfmode, MC_ADDR source)
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
	if (!READ(psf, sf_oldin) || MC_OLD_ROUTERS(dev)) {
		KFREE_RCU(psf, rcu);
		return 0;
	}
	WRITE(psf, sf_crcount, MC_QRV(dev));
	WRITE_ONCE(psf, sf_next, READ(pmc, f_tomb));
	WRITE(pmc, f_tomb, psf);
	return 1;
}

/* The mode that all filters together have has become another: `mode`. */
static void mc_mode_changed(MC_DEV *dev, MC_LIST *pmc, u32 mode)
{
	struct mc_sf *psf = READ(pmc, f_sources);
	u8 times = MC_QRV(dev);

	WRITE(pmc, f_sfmode, mode);
	WRITE(pmc, f_crcount, times);
	WRITE_ONCE(dev, d_ifc_count, times);
	for (; psf; psf = READ(psf, sf_next))
		WRITE(psf, sf_crcount, 0);
	MC_IFC_EVENT(dev);
}

/* Filters have come.  Without any the mode is the one before. */
static void mc_added(MC_DEV *dev, MC_LIST *pmc, bool was_exclude)
{
	u64 excluding = READ_AT(pmc, f_sfcount, MCAST_EXCLUDE);
	u32 mode;

	if (was_exclude == (excluding != 0)) {
		if (mc_set_state(dev, pmc))
			MC_IFC_EVENT(dev);
		return;
	}
	mode = READ(pmc, f_sfmode);
	if (excluding)
		mode = MCAST_EXCLUDE;
	else if (READ_AT(pmc, f_sfcount, MCAST_INCLUDE))
		mode = MCAST_INCLUDE;
	mc_mode_changed(dev, pmc, mode);
}

/* Some have gone. */
static void mc_deleted(MC_DEV *dev, MC_LIST *pmc, bool gone)
{
	if (READ(pmc, f_sfmode) == MCAST_EXCLUDE &&
	    !READ_AT(pmc, f_sfcount, MCAST_EXCLUDE) &&
	    READ_AT(pmc, f_sfcount, MCAST_INCLUDE)) {
		mc_mode_changed(dev, pmc, MCAST_INCLUDE);
		return;
	}
	gone |= mc_set_state(dev, pmc);
	if (gone)
		MC_IFC_EVENT(dev);
}

int MC_ADD_SRC(MC_DEV *dev, MC_ADDR group, u32 sfmode, u32 n,
	       const MC_ADDR *sources, bool delta)
{
	MC_LIST *pmc = MC_FIND(dev, group);
	bool was_exclude;
	int err = 0;
	u32 i;

	FUNCTION(ip_mc_add_src);
	if (!pmc)
		return -ESRCH;
	MC_LOCK(pmc);
	mc_mark_state(pmc);
	was_exclude = READ(pmc, f_sfmode) == MCAST_EXCLUDE;
	if (!delta)
		UPDATE_AT(pmc, f_sfcount, sfmode, += 1);
	for (i = 0; i < n && !err; i++)
		err = mc_add1_src(pmc, sfmode, sources[i]);
	if (err) {
		if (!delta)
			UPDATE_AT(pmc, f_sfcount, sfmode, -= 1);
		while (--i)
			(void)mc_del1_src(dev, pmc, sfmode, sources[i - 1]);
	} else {
		mc_added(dev, pmc, was_exclude);
	}
	MC_UNLOCK(pmc);
	return err;
}

int MC_DEL_SRC(MC_DEV *dev, MC_ADDR group, u32 sfmode, u32 n,
	       const MC_ADDR *sources, bool delta)
{
	MC_LIST *pmc = MC_FIND(dev, group);
	bool gone = false;
	int err = 0, rv;
	u32 i;

	FUNCTION(ip_mc_del_src);
	if (!pmc)
		return -ESRCH;
	MC_LOCK(pmc);
	mc_mark_state(pmc);
	if (!delta && !READ_AT(pmc, f_sfcount, sfmode)) {
		MC_UNLOCK(pmc);
		return -EINVAL;
	}
	if (!delta)
		UPDATE_AT(pmc, f_sfcount, sfmode, -= 1);
	for (i = 0; i < n; i++) {
		rv = mc_del1_src(dev, pmc, sfmode, sources[i]);
		gone |= rv > 0;
		if (rv < 0 && !err)
			err = rv;
	}
	mc_deleted(dev, pmc, gone);
	MC_UNLOCK(pmc);
	return err;
}

#endif
