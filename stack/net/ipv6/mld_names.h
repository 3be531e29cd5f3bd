/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of IPv6 for what both families' groups have in common:
 * net/core/mc_filter.h, mc_report.h and mc_timer.h. */
#ifndef STACK_NET_IPV6_MLD_NAMES_H
#define STACK_NET_IPV6_MLD_NAMES_H

#include <string.h>

#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/net/mld.h"
#include "stack/lib/checksum.h"

static inline bool mld_equal(struct in6_addr a, struct in6_addr b)
{
	return ipv6_addr_equal(&a, &b);
}

static inline void mld_put(u8 *p, struct in6_addr a)
{
	memcpy(p, a.s6_addr, sizeof(a.s6_addr));
}

static inline struct ifmcaddr6 *mld_find(struct inet6_dev *idev,
					 struct in6_addr group)
{
	return ipv6_mc_find(idev, &group);
}

#define MC_DEV struct inet6_dev
#define MC_LIST struct ifmcaddr6
#define MC_ADDR struct in6_addr
#define MC_ADDR_LEN 16u
#define mc_sf ip6_sf_list
#define MC_ALLOC_SF() KMALLOC(ip6_sf_list, GFP_ATOMIC)
#define MC_SF_ADDR(psf) READ_ADDR6(psf, sf_addr)
#define MC_SET_SF_ADDR(psf, a) WRITE_ADDR6(psf, sf_addr, a)
#define MC_EQUAL(a, b) mld_equal(a, b)
#define MC_PUT_ADDR(p, a) mld_put(p, a)

/* ---- a group ---- */

#define f_next next
#define f_sources mca_sources
#define f_tomb mca_tomb
#define f_sfmode mca_sfmode
#define f_sfcount mca_sfcount
#define f_crcount mca_crcount
#define MC_ALLOC_LIST() KMALLOC(ifmcaddr6, GFP_KERNEL)
#define MC_GROUP(pmc) READ_ADDR6(pmc, mca_addr)
#define MC_SET_GROUP(pmc, a) WRITE_ADDR6(pmc, mca_addr, a)
#define MC_LOCK(pmc) SPIN_LOCK_BH(pmc, mca_lock)
#define MC_UNLOCK(pmc) SPIN_UNLOCK_BH(pmc, mca_lock)
#define MC_GSQUERY(pmc) (READ(pmc, mca_flags) & MAF_GSQUERY)
#define MC_CLEAR_GSQUERY(pmc) UPDATE(pmc, mca_flags, &= ~MAF_GSQUERY)
#define MC_SILENT(pmc) (READ(pmc, mca_flags) & MAF_NOREPORT)

/* ---- a device ---- */

#define d_groups mc_list
#define d_tomb mc_tomb
#define d_tomb_lock mc_lock
#define d_ifc_count mc_ifc_count
#define d_ifc_timer mc_ifc_timer
#define d_gq_timer mc_gq_timer
#define d_gq_running mc_gq_running
#define d_maxdelay mc_maxdelay
#define MC_RANDOM (&this_kernel()->ipv6->mld)
#define MC_QRV(dev) mld_qrv(dev)
#define MC_OLD_ROUTERS(dev) mld_in_v1_mode(dev)
#define MC_GQ_SOONER false

/* ---- functions ---- */

#define MC_FIND mld_find
#define MC_ADD_SRC ip6_mc_add_src
#define MC_DEL_SRC ip6_mc_del_src
#define MC_IFC_EVENT mld_ifc_event
#define MC_IFC_STOP mld_ifc_stop_timer
#define MC_GQ_START mld_gq_start_timer
#define MC_INIT_DEV mld_init_dev
#define MC_ADD_DELREC mld_add_delrec
#define MC_DEL_DELREC mld_del_delrec
#define MC_CLEAR_DELREC mld_clear_delrec
#define MC_SEND_CR mld_send_cr
#define MC_SEND_REPORT mld_send_report
#define MC_MARKSOURCES mld_marksources
#define MC_INTERVAL mld_report_interval

#endif
