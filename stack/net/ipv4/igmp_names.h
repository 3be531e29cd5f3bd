/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of IPv4 for what both families' groups have in common:
 * net/core/mc_filter.h, mc_report.h and mc_timer.h. */
#ifndef STACK_NET_IPV4_IGMP_NAMES_H
#define STACK_NET_IPV4_IGMP_NAMES_H

#include "stack/include/linux/igmp.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/spinlock.h"
#include "stack/lib/checksum.h"

#define MC_DEV struct in_device
#define MC_LIST struct ip_mc_list
#define MC_ADDR u32
#define MC_ADDR_LEN 4u
#define mc_sf ip_sf_list
#define MC_ALLOC_SF() KMALLOC(ip_sf_list, GFP_ATOMIC)
#define MC_SF_ADDR(psf) READ(psf, sf_inaddr)
#define MC_SET_SF_ADDR(psf, a) WRITE(psf, sf_inaddr, a)
#define MC_EQUAL(a, b) ((a) == (b))
#define MC_PUT_ADDR(p, a) put_be32(p, a)

/* ---- a group ---- */

#define f_next next_rcu
#define f_sources sources
#define f_tomb tomb
#define f_sfmode sfmode
#define f_sfcount sfcount
#define f_crcount crcount
#define MC_ALLOC_LIST() KMALLOC(ip_mc_list, GFP_KERNEL)
#define MC_GROUP(pmc) READ(pmc, multiaddr)
#define MC_SET_GROUP(pmc, a) WRITE(pmc, multiaddr, a)
#define MC_LOCK(pmc) SPIN_LOCK_BH(pmc, lock)
#define MC_UNLOCK(pmc) SPIN_UNLOCK_BH(pmc, lock)
#define MC_GSQUERY(pmc) READ(pmc, gsquery)
#define MC_CLEAR_GSQUERY(pmc) WRITE(pmc, gsquery, 0)
#define MC_SILENT(pmc) igmp_is_silent(READ(pmc, multiaddr))

/* ---- a device ---- */

#define d_groups mc_list
#define d_tomb mc_tomb
#define d_tomb_lock mc_tomb_lock
#define d_ifc_count mr_ifc_count
#define d_ifc_timer mr_ifc_timer
#define d_gq_timer mr_gq_timer
#define d_gq_running mr_gq_running
#define d_maxdelay mr_maxdelay
#define MC_RANDOM (&this_kernel()->ipv4->igmp)
#define MC_QRV(dev) igmp_qrv(dev)
#define MC_OLD_ROUTERS(dev) (igmp_version(dev) < 3)
#define MC_GQ_SOONER has(IGMP_GQ_SOONER)

/* ---- functions ---- */

#define MC_FIND ip_mc_find
#define MC_ADD_SRC ip_mc_add_src
#define MC_DEL_SRC ip_mc_del_src
#define MC_IFC_EVENT igmp_ifc_event
#define MC_IFC_STOP igmp_ifc_stop_timer
#define MC_GQ_START igmp_gq_start_timer
#define MC_INIT_DEV igmp_init_dev
#define MC_ADD_DELREC igmpv3_add_delrec
#define MC_DEL_DELREC igmpv3_del_delrec
#define MC_CLEAR_DELREC igmpv3_clear_delrec
#define MC_SEND_CR igmpv3_send_cr
#define MC_SEND_REPORT igmpv3_send_report
#define MC_MARKSOURCES igmp_marksources
#define MC_INTERVAL igmp_report_interval

#endif
