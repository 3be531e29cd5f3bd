/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/mcast.c, the part that waits; see ipv4/igmp_timer.c.  MLDv1 has
 * reports from the start, and flags where IGMP has fields.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/random.h"
#include "stack/include/linux/timer.h"
#include "stack/net/ipv6/mld_names.h"

#include "stack/net/core/mc_timer.h"

#define REPORT_INTERVAL (10 * HZ)	/* of MLDv1: RFC 2710, 7.10 */

u8 mld_qrv(struct inet6_dev *idev)
{
	u32 sysctl = this_kernel()->parameters.mld_qrv;
	u8 qrv = READ_ONCE(idev, mc_qrv);

	return qrv ? qrv : sysctl ? (u8)sysctl : MC_ROBUSTNESS;
}

bool mld_in_v1_mode(struct inet6_dev *idev)
{
	u32 forced = this_kernel()->parameters.force_mld_version;
	u64 until;

	if (forced)
		return forced == 1;
	until = READ_ONCE(idev, mc_v1_seen);
	return until && time_before(JIFFIES(), until);
}

u64 mld_report_interval(struct inet6_dev *idev)
{
	if (has(MC_FAST_REPORT) && !mld_in_v1_mode(idev))
		return HZ;
	return REPORT_INTERVAL;
}

/* ---- the timer of a group; with its lock ---- */

/* Within so many jiffies, or sooner if it was to go off sooner. */
static void start_timer(struct ifmcaddr6 *ma, u64 max_delay)
{
	u64 delay = max_delay;

	if (del_timer(&ma->mca_timer)) {
		delay = READ(&ma->mca_timer, expires) - JIFFIES();
		ATOMIC_DEC(ma, mca_refcnt);	/* never the last */
	}
	if (delay >= max_delay)
		delay = get_random_u32_of(MC_RANDOM) % MAX(max_delay, 1);
	if (!mod_timer(&ma->mca_timer, JIFFIES() + delay))
		ATOMIC_INC(ma, mca_refcnt);
}

void igmp6_group_queried(struct ifmcaddr6 *ma, u64 max_delay)
{
	FUNCTION(igmp6_group_queried);
	if (MC_SILENT(ma))
		return;
	start_timer(ma, max_delay);
	UPDATE(ma, mca_flags, |= MAF_TIMER_RUNNING);
}

void igmp6_stop_timer(struct ifmcaddr6 *ma)
{
	MC_LOCK(ma);
	if (del_timer(&ma->mca_timer))
		ATOMIC_DEC(ma, mca_refcnt);
	UPDATE(ma, mca_flags, &= ~(MAF_LAST_REPORTER | MAF_TIMER_RUNNING));
	MC_UNLOCK(ma);
}

static void igmp6_timer_handler(struct timer_list *timer)
{
	struct ifmcaddr6 *ma = container_of(timer, struct ifmcaddr6, mca_timer);
	struct inet6_dev *idev = READ(ma, idev);
	struct in6_addr group = READ_ADDR6(ma, mca_addr);

	FUNCTION(igmp6_timer_handler);
	if (mld_in_v1_mode(idev))
		igmp6_send(idev, &group, ICMPV6_MGM_REPORT);
	else
		mld_send_report(idev, ma);
	MC_LOCK(ma);
	UPDATE(ma, mca_flags, |= MAF_LAST_REPORTER);
	UPDATE(ma, mca_flags, &= ~MAF_TIMER_RUNNING);
	MC_UNLOCK(ma);
	ma_put(ma);
}

void mld_init_group(struct ifmcaddr6 *ma)
{
	TIMER_SETUP(ma, mca_timer, igmp6_timer_handler);
}

void mld_init_group_at_boot(struct ifmcaddr6 *ma)
{
	TIMER_AT_BOOT(ma, mca_timer, igmp6_timer_handler);
}

/* ---- groups come and go ---- */

/* MLDv1: a report at once, and another one. */
static void igmp6_join_group(struct inet6_dev *idev, struct ifmcaddr6 *ma)
{
	struct in6_addr group = READ_ADDR6(ma, mca_addr);

	FUNCTION(igmp6_join_group);
	igmp6_send(idev, &group, ICMPV6_MGM_REPORT);
	MC_LOCK(ma);
	start_timer(ma, mld_report_interval(idev));
	UPDATE(ma, mca_flags, |= MAF_TIMER_RUNNING | MAF_LAST_REPORTER);
	MC_UNLOCK(ma);
}

void igmp6_group_added(struct inet6_dev *idev, struct ifmcaddr6 *ma)
{
	FUNCTION(igmp6_group_added);
	if (MC_SILENT(ma))
		return;
	if (mld_in_v1_mode(idev)) {
		igmp6_join_group(idev, ma);
		return;
	}
	MC_LOCK(ma);
	/* Who joins for a source reports the source, when it comes. */
	if (!has(MCAST_SSM_JOIN) || READ(ma, mca_sfmode) == MCAST_EXCLUDE)
		WRITE(ma, mca_crcount, mld_qrv(idev));
	MC_UNLOCK(ma);
	mld_ifc_event(idev);
}

void igmp6_group_dropped(struct inet6_dev *idev, struct ifmcaddr6 *ma)
{
	struct in6_addr group = READ_ADDR6(ma, mca_addr);
	u32 flags = READ(ma, mca_flags);

	FUNCTION(igmp6_group_dropped);
	if (flags & MAF_NOREPORT)
		return;
	igmp6_stop_timer(ma);
	if (!mld_in_v1_mode(idev)) {
		mld_add_delrec(idev, ma);
		mld_ifc_event(idev);
	} else if (flags & MAF_LAST_REPORTER) {
		igmp6_send(idev, &group, ICMPV6_MGM_REDUCTION);
	}
}
