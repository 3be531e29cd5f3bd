/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ends of [link NAME]: the two devices that it joins, each as HOST.DEVICE.
 */
#ifndef SCENARIOS_LINK_ENDS_H
#define SCENARIOS_LINK_ENDS_H

#include <glib.h>

#include "scenarios/strict.h"

/* *ret gets two struct config_end and owns them.  FALSE and an error where the
 * text is not well formed. */
gboolean link_ends_read(const char *text, struct place place, GPtrArray **ret,
			GError **error);

/* The canonical text; a new string. */
char *link_ends_text(const GPtrArray *ends);

#endif
