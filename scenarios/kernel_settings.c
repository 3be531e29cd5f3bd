/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/kernel_settings.h"

struct kernel_setting *kernel_settings(const struct config *config,
				       const char *name, GPtrArray *group)
{
	struct kernel_setting *s = g_new0(struct kernel_setting,
					  group->len + 1);
	u32 i;

	for (i = 0; i < group->len; i++) {
		const struct config_setting *c = group->pdata[i];
		g_autofree char *key = g_strconcat(name, ".", c->key, NULL);

		s[i].key = c->key;
		s[i].value = c->value;
		s[i].where = config_where(config, key);
	}
	return s;
}
