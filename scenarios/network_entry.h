/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One entry of [network] or of a host while it is read: what network.c and
 * network_device.c share.
 */
#ifndef SCENARIOS_NETWORK_ENTRY_H
#define SCENARIOS_NETWORK_ENTRY_H

#include "scenarios/network.h"

struct entry {
	const char *key;
	const char *form;	/* what a right one looks like */
	char *text;
	char **words;
	guint n;
	struct place place;
};

gboolean entry_fail(const struct entry *e, GError **error, const char *fmt, ...)
	G_GNUC_PRINTF(3, 4);

/* Takes the pairs "name value" from word number `first` on.  values[i] is that
 * of names[i], NULL where it does not stand there. */
gboolean entry_options(const struct entry *e, guint first,
		       const char *const *names, const char **values,
		       GError **error);

/* The MAC address of one device. */
gboolean entry_mac(const struct entry *e, const char *text, guint8 *mac,
		   GError **error);

/* network_device.c: an entry of 'device'. */
void *device_read(const struct entry *e, GError **error);
char *device_text(const void *data);
void device_free(void *data);

#endif
