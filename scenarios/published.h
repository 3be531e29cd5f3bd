/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * [published] and [published ROW]: the figures that an author published,
 * before and after the patch.  They are for comparison only: no model sees
 * them.
 */
#ifndef SCENARIOS_PUBLISHED_H
#define SCENARIOS_PUBLISHED_H

#include "scenarios/scenario.h"
#include "scenarios/strict.h"

/* name: what stands behind "published" in the name of the group: the row, the
 * metric, or both.  NULL and an error; else free with
 * published_free(). */
struct config_published *published_read(const struct strict_file *file,
					const struct strict_group *group,
					const char *name, GError **error);
struct config_published *published_copy(const struct config_published *from);
void published_free(void *published);

#endif
