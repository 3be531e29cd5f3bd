/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What [layout] and [parameters] ask of a kernel. */
#ifndef SCENARIOS_KERNEL_SETTINGS_H
#define SCENARIOS_KERNEL_SETTINGS_H

#include "scenarios/scenario.h"
#include "stack/kernel.h"

/* The lines of config->layout or config->parameters, whose group's name is
 * `name`, and where each stands, as kernel_new() takes them.  Free the array
 * with g_free(); its texts are the config's. */
struct kernel_setting *kernel_settings(const struct config *config,
				       const char *name, GPtrArray *group);

#endif
