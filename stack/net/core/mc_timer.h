/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a host reports its groups by IGMPv3 and MLDv2, and what it keeps of those
 * that are gone until then.  igmp_timer.c and mcast_timer.c include it, with the
 * names that mc_filter.h speaks of.
 *
 *	MC_IFC_EVENT -> MC_SEND_CR	a change; again after up to a second, or
 *					ten of them (MC_INTERVAL), some times
 *	MC_GQ_START -> MC_SEND_REPORT	a general query is answered once
 *
 * Later kernels run MLD's by a worker, with a mutex of the device; here all are
 * timers, and the groups have locks.  A timer that waits holds its device in the
 * kernel; here no device ever goes.  One who comes back takes over what the
 * group in the tomb has still to tell of its sources, as in 4.10 and later.
 */
#ifndef STACK_NET_CORE_MC_TIMER_H
#define STACK_NET_CORE_MC_TIMER_H

/* Less than max, and two ticks more. */
static u64 mc_later(u64 max)
{
	u64 tv = get_random_u32_of(MC_RANDOM) % (max ? max : 1);

	return JIFFIES() + tv + 2;
}

/* ---- changes ---- */

static void mc_ifc_start_timer(MC_DEV *dev, u64 delay)
{
	u64 expires = mc_later(delay);

	FUNCTION(igmp_ifc_start_timer);
	mod_timer(&dev->d_ifc_timer, expires);
}

void MC_IFC_EVENT(MC_DEV *dev)
{
	FUNCTION(igmp_ifc_event);
	if (MC_OLD_ROUTERS(dev))
		return;
	WRITE_ONCE(dev, d_ifc_count, MC_QRV(dev));
	mc_ifc_start_timer(dev, 1);
}

void MC_IFC_STOP(MC_DEV *dev)
{
	WRITE_ONCE(dev, d_ifc_count, 0);
	del_timer(&dev->d_ifc_timer);
}

static void mc_ifc_timer_expire(struct timer_list *timer)
{
	MC_DEV *dev = container_of(timer, MC_DEV, d_ifc_timer);
	u8 left;

	FUNCTION(igmp_ifc_timer_expire);
	MC_SEND_CR(dev);
	left = READ_ONCE(dev, d_ifc_count);
	if (left) {
		WRITE_ONCE(dev, d_ifc_count, left - 1);
		mc_ifc_start_timer(dev, MC_INTERVAL(dev));
	}
}

/* ---- general queries ---- */

static void mc_gq_timer_expire(struct timer_list *timer)
{
	MC_DEV *dev = container_of(timer, MC_DEV, d_gq_timer);

	FUNCTION(igmp_gq_timer_expire);
	WRITE_ONCE(dev, d_gq_running, 0);
	MC_SEND_REPORT(dev, NULL);
}

void MC_GQ_START(MC_DEV *dev)
{
	u64 expires = mc_later(READ_ONCE(dev, d_maxdelay));

	FUNCTION(igmp_gq_start_timer);
	if (MC_GQ_SOONER && READ_ONCE(dev, d_gq_running) &&
	    !time_before(expires, READ(&dev->d_gq_timer, expires)))
		return;
	WRITE_ONCE(dev, d_gq_running, 1);
	mod_timer(&dev->d_gq_timer, expires);
}

void MC_INIT_DEV(MC_DEV *dev)
{
	TIMER_AT_BOOT(dev, d_ifc_timer, mc_ifc_timer_expire);
	TIMER_AT_BOOT(dev, d_gq_timer, mc_gq_timer_expire);
}

/* ---- what is gone ---- */

/* Of a group that includes, the sources that it had go over, too. */
void MC_ADD_DELREC(MC_DEV *dev, MC_LIST *im)
{
	MC_LIST *pmc = MC_ALLOC_LIST();
	struct object object;
	struct mc_sf *psf;

	FUNCTION(igmpv3_add_delrec);
	if (!pmc)
		return;
	kmemleak_not_leak(pmc);	/* it may wait when all processes end */
	object = pmc->object;
	memset(pmc, 0, sizeof(*pmc));
	pmc->object = object;
	MC_LOCK(im);
	MC_SET_GROUP(pmc, MC_GROUP(im));
	WRITE(pmc, f_crcount, MC_QRV(dev));
	WRITE(pmc, f_sfmode, READ(im, f_sfmode));
	if (pmc->f_sfmode == MCAST_INCLUDE) {
		WRITE(pmc, f_tomb, READ(im, f_tomb));
		WRITE(pmc, f_sources, READ(im, f_sources));
		WRITE(im, f_tomb, NULL);
		WRITE_ONCE(im, f_sources, NULL);
		for (psf = pmc->f_tomb; psf; psf = READ(psf, sf_next))
			kmemleak_not_leak(psf);
		for (psf = pmc->f_sources; psf; psf = READ(psf, sf_next)) {
			kmemleak_not_leak(psf);
			WRITE(psf, sf_crcount, pmc->f_crcount);
		}
	}
	MC_UNLOCK(im);
	SPIN_LOCK_BH(dev, d_tomb_lock);
	WRITE(pmc, f_next, READ(dev, d_tomb));
	WRITE(dev, d_tomb, pmc);
	SPIN_UNLOCK_BH(dev, d_tomb_lock);
}

static void mc_free_sources(struct mc_sf *psf)
{
	struct mc_sf *next;

	for (; psf; psf = next) {
		next = READ(psf, sf_next);
		KFREE_RCU(psf, rcu);
	}
}

static MC_LIST *mc_take_delrec(MC_DEV *dev, MC_ADDR group)
{
	MC_LIST *pmc, *next, *prev = NULL;

	SPIN_LOCK_BH(dev, d_tomb_lock);
	pmc = READ(dev, d_tomb);
	while (pmc && !MC_EQUAL(MC_GROUP(pmc), group)) {
		prev = pmc;
		pmc = READ(pmc, f_next);
	}
	next = pmc ? READ(pmc, f_next) : NULL;
	if (pmc && prev)
		WRITE(prev, f_next, next);
	else if (pmc)
		WRITE(dev, d_tomb, next);
	SPIN_UNLOCK_BH(dev, d_tomb_lock);
	return pmc;
}

void MC_DEL_DELREC(MC_DEV *dev, MC_LIST *im)
{
	MC_LIST *pmc = mc_take_delrec(dev, MC_GROUP(im));
	struct mc_sf *psf;

	FUNCTION(igmpv3_del_delrec);
	if (!pmc)
		return;
	MC_LOCK(im);
	if (READ(im, f_sfmode) == MCAST_INCLUDE) {
		WRITE(im, f_tomb, READ(pmc, f_tomb));
		WRITE_ONCE(im, f_sources, READ(pmc, f_sources));
		for (psf = im->f_sources; psf; psf = READ(psf, sf_next))
			WRITE(psf, sf_crcount, MC_QRV(dev));
	} else {
		WRITE(im, f_crcount, MC_QRV(dev));
		mc_free_sources(READ(pmc, f_tomb));
		mc_free_sources(READ(pmc, f_sources));
	}
	MC_UNLOCK(im);
	kfree(pmc);
}

/* Old routers want to hear of none of it. */
void MC_CLEAR_DELREC(MC_DEV *dev)
{
	MC_LIST *pmc, *next;
	struct mc_sf *tomb;

	FUNCTION(igmpv3_clear_delrec);
	SPIN_LOCK_BH(dev, d_tomb_lock);
	pmc = READ(dev, d_tomb);
	WRITE(dev, d_tomb, NULL);
	SPIN_UNLOCK_BH(dev, d_tomb_lock);
	for (; pmc; pmc = next) {
		next = READ(pmc, f_next);
		mc_free_sources(READ(pmc, f_tomb));
		mc_free_sources(READ(pmc, f_sources));
		kfree(pmc);
	}
	rcu_read_lock();
	for (pmc = READ_ONCE(dev, d_groups); pmc;
	     pmc = READ_ONCE(pmc, f_next)) {
		MC_LOCK(pmc);
		tomb = READ(pmc, f_tomb);
		WRITE(pmc, f_tomb, NULL);
		MC_UNLOCK(pmc);
		mc_free_sources(tomb);
	}
	rcu_read_unlock();
}

#endif
