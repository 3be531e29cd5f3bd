/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/igmp.c, the part that waits: which version the routers speak,
 * the timer that each group has for versions 1 and 2 and for queries that name
 * it, and what happens when a group comes and goes.  What is of version 3 alone
 * is in net/core/mc_timer.h.
 *
 *	igmp_group_added -> igmp_start_timer -> igmp_timer_expire
 *			 -> igmp_ifc_event			(version 3)
 *
 * A timer that runs holds its group.
 */
#include <string.h>

#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/random.h"
#include "stack/include/linux/timer.h"
#include "stack/net/ipv4/igmp_names.h"

#include "stack/net/core/mc_timer.h"

#define REPORT_INTERVAL (10 * HZ)	/* of versions 1 and 2: RFC 2236, 8.10 */
#define INITIAL_REPORT_DELAY 1u
#define REPORT_COUNT 2u

u8 igmp_qrv(struct in_device *in_dev)
{
	u32 sysctl = this_kernel()->parameters.igmp_qrv;
	u8 qrv = READ_ONCE(in_dev, mr_qrv);

	return qrv ? qrv : sysctl ? (u8)sysctl : MC_ROBUSTNESS;
}

static bool seen(u64 until)
{
	return until && time_before(JIFFIES(), until);
}

u32 igmp_version(struct in_device *in_dev)
{
	u32 forced = this_kernel()->parameters.force_igmp_version;

	if (forced)
		return forced;
	if (seen(READ_ONCE(in_dev, mr_v1_seen)))
		return 1;
	return seen(READ_ONCE(in_dev, mr_v2_seen)) ? 2 : 3;
}

u64 igmp_report_interval(struct in_device *in_dev)
{
	if (has(MC_FAST_REPORT) && igmp_version(in_dev) == 3)
		return HZ;
	return REPORT_INTERVAL;
}

/* ---- the timer of a group; with its lock ---- */

static void igmp_start_timer(struct ip_mc_list *im, u64 max_delay)
{
	u64 expires = mc_later(max_delay);

	FUNCTION(igmp_start_timer);
	WRITE(im, tm_running, 1);
	if (!mod_timer(&im->timer, expires))
		ATOMIC_INC(im, refcnt);
}

void igmp_stop_timer(struct ip_mc_list *im)
{
	FUNCTION(igmp_stop_timer);
	MC_LOCK(im);
	if (del_timer(&im->timer))
		ATOMIC_DEC(im, refcnt);	/* never the last */
	WRITE(im, tm_running, 0);
	WRITE(im, reporter, 0);
	WRITE(im, unsolicit_count, 0);
	MC_UNLOCK(im);
}

void igmp_mod_timer(struct ip_mc_list *im, u64 max_delay)
{
	u64 expires;

	FUNCTION(igmp_mod_timer);
	MC_LOCK(im);
	WRITE(im, unsolicit_count, 0);
	if (del_timer(&im->timer)) {
		expires = READ(&im->timer, expires);
		if (time_before(expires, JIFFIES() + max_delay)) {
			add_timer(&im->timer, expires);
			WRITE(im, tm_running, 1);
			MC_UNLOCK(im);
			return;
		}
		ATOMIC_DEC(im, refcnt);
	}
	igmp_start_timer(im, max_delay);
	MC_UNLOCK(im);
}

/* Up to 4.18 the count was that of the reports behind the first. */
static bool one_more(struct ip_mc_list *im)
{
	u8 left = READ(im, unsolicit_count);

	if (!left)
		return false;
	WRITE(im, unsolicit_count, left - 1);
	return left > 1 || !has(IGMP_V2_QRV);
}

static void igmp_timer_expire(struct timer_list *timer)
{
	struct ip_mc_list *im = container_of(timer, struct ip_mc_list, timer);
	struct in_device *in_dev = READ(im, interface);
	u32 version;

	FUNCTION(igmp_timer_expire);
	MC_LOCK(im);
	WRITE(im, tm_running, 0);
	if (one_more(im))
		igmp_start_timer(im, igmp_report_interval(in_dev));
	WRITE(im, reporter, 1);
	MC_UNLOCK(im);
	version = igmp_version(in_dev);
	if (version == 3)
		igmpv3_send_report(in_dev, im);
	else
		igmp_send_report(in_dev, READ(im, multiaddr), version == 1 ?
				 IGMP_HOST_MEMBERSHIP_REPORT :
				 IGMPV2_HOST_MEMBERSHIP_REPORT);
	ip_ma_put(im);
}

void igmp_init_group(struct ip_mc_list *im)
{
	TIMER_SETUP(im, timer, igmp_timer_expire);
}

/* ---- groups come and go ---- */

void igmp_group_added(struct in_device *in_dev, struct ip_mc_list *im)
{
	FUNCTION(igmp_group_added);
	if (igmp_is_silent(READ(im, multiaddr)))
		return;
	MC_LOCK(im);
	if (igmp_version(in_dev) < 3) {
		WRITE(im, unsolicit_count, has(IGMP_V2_QRV) ?
		      igmp_qrv(in_dev) : REPORT_COUNT);
		igmp_start_timer(im, INITIAL_REPORT_DELAY);
		MC_UNLOCK(im);
		return;
	}
	/* Who joins for a source reports the source, when it comes. */
	if (!has(MCAST_SSM_JOIN) || READ(im, sfmode) == MCAST_EXCLUDE)
		WRITE(im, crcount, igmp_qrv(in_dev));
	MC_UNLOCK(im);
	igmp_ifc_event(in_dev);
}

void igmp_group_dropped(struct in_device *in_dev, struct ip_mc_list *im)
{
	u32 group = READ(im, multiaddr), version;
	bool reporter;

	FUNCTION(igmp_group_dropped);
	if (igmp_is_silent(group))
		return;
	reporter = READ(im, reporter);
	igmp_stop_timer(im);
	version = igmp_version(in_dev);
	if (version == 3) {
		igmpv3_add_delrec(in_dev, im);
		igmp_ifc_event(in_dev);
	} else if (version == 2 && reporter) {
		igmp_send_report(in_dev, group, IGMP_HOST_LEAVE_MESSAGE);
	}
}
