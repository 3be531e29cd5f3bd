/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of [network] and of a host: devices, addresses, routes,
 * neighbours.  Each is a line of words in the manner of ip(8).
 */
#ifndef SCENARIOS_NETWORK_H
#define SCENARIOS_NETWORK_H

#include "scenarios/keys.h"
#include "scenarios/scenario.h"
#include "scenarios/strict.h"

/* Reads the list of one key: kind is KEY_DEVICES to KEY_NEIGHBOURS.  *ret owns
 * its entries.  FALSE and an error where an entry is not well formed. */
gboolean network_read(enum key_kind kind, const char *text, struct place place,
		      GPtrArray **ret, GError **error);

/* The canonical text of such a list; a new string. */
char *network_text(enum key_kind kind, const GPtrArray *entries);

/* An address of either family; "" gives NULL. */
gboolean read_destination(const char *what, const char *text,
			  struct place place, char **ret, GError **error);

/* The place of a key such as "route" of a group such as "network" or
 * "host.client". */
typedef struct place (*network_place_fn)(const char *group, const char *key,
					 void *data);

/* What no entry shows by itself: that devices are declared, that families
 * agree, that nothing stands twice.  The config has its hosts and links. */
gboolean network_check(const struct config *config, network_place_fn place_of,
		       void *data, GError **error);

/* hosts_check.c: that links join nics of the hosts that there are, and that no
 * nic hangs loose. */
gboolean hosts_check(const struct config *config, network_place_fn place_of,
		     void *data, GError **error);

/* The first address of a host of a family, or NULL. */
const struct config_address *host_address(const struct config_host *host,
					  enum address_family family);

#endif
