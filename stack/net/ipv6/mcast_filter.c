/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/mcast.c: ip6_mc_add_src() and ip6_mc_del_src(); the steps are
 * in net/core/mc_filter.h.  Once the device has one lock for all of it, that is
 * a mutex; here it is the group's own. */
#include <errno.h>

#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/net/mld.h"

static bool equal(struct in6_addr a, struct in6_addr b)
{
	return ipv6_addr_equal(&a, &b);
}

static struct ifmcaddr6 *find(struct inet6_dev *idev, struct in6_addr group)
{
	return ipv6_mc_find(idev, &group);
}

#define MC_DEV struct inet6_dev
#define MC_LIST struct ifmcaddr6
#define MC_ADDR struct in6_addr
#define mc_sf ip6_sf_list
#define f_sources mca_sources
#define f_sfmode mca_sfmode
#define f_sfcount mca_sfcount
#define MC_ALLOC_SF() KMALLOC(ip6_sf_list, GFP_ATOMIC)
#define MC_SF_ADDR(psf) READ_ADDR6(psf, sf_addr)
#define MC_SET_SF_ADDR(psf, a) WRITE_ADDR6(psf, sf_addr, a)
#define MC_EQUAL(a, b) equal(a, b)
#define MC_LOCK(pmc) SPIN_LOCK_BH(pmc, mca_lock)
#define MC_UNLOCK(pmc) SPIN_UNLOCK_BH(pmc, mca_lock)
#define MC_FIND find
#define MC_ADD_SRC ip6_mc_add_src
#define MC_DEL_SRC ip6_mc_del_src

#include "stack/net/core/mc_filter.h"
