/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/mcast.c: ip6_mc_add_src() and ip6_mc_del_src(); the steps are
 * in net/core/mc_filter.h.  Once the device has one lock for all of it, that is
 * a mutex; here it is the group's own. */
#include <errno.h>

#include "stack/net/ipv6/mld_names.h"

#include "stack/net/core/mc_filter.h"
