/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/igmp.c: ip_mc_add_src() and ip_mc_del_src(); the steps are in
 * net/core/mc_filter.h. */
#include <errno.h>

#include "stack/include/linux/igmp.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/spinlock.h"

#define MC_DEV struct in_device
#define MC_LIST struct ip_mc_list
#define MC_ADDR u32
#define mc_sf ip_sf_list
#define f_sources sources
#define f_sfmode sfmode
#define f_sfcount sfcount
#define MC_ALLOC_SF() KMALLOC(ip_sf_list, GFP_ATOMIC)
#define MC_SF_ADDR(psf) READ(psf, sf_inaddr)
#define MC_SET_SF_ADDR(psf, a) WRITE(psf, sf_inaddr, a)
#define MC_EQUAL(a, b) ((a) == (b))
#define MC_LOCK(pmc) SPIN_LOCK_BH(pmc, lock)
#define MC_UNLOCK(pmc) SPIN_UNLOCK_BH(pmc, lock)
#define MC_FIND ip_mc_find
#define MC_ADD_SRC ip_mc_add_src
#define MC_DEL_SRC ip_mc_del_src

#include "stack/net/core/mc_filter.h"
