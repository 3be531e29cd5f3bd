/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/igmp.c: ip_mc_add_src() and ip_mc_del_src(); the steps are in
 * net/core/mc_filter.h. */
#include <errno.h>

#include "stack/net/ipv4/igmp_names.h"

#include "stack/net/core/mc_filter.h"
