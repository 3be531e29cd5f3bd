/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ends of a link, read and written.  hosts_check.c looks whether there are
 * such hosts and devices.
 */
#include "scenarios/link_ends.h"
#include "scenarios/value.h"

#include <string.h>

static void end_free(void *data)
{
	struct config_end *end = data;

	g_free(end->host);
	g_free(end->device);
	g_free(end);
}

static struct config_end *end_read(const char *text, struct place place,
				   GError **error)
{
	const char *dot = strchr(text, '.');
	struct config_end *end;

	if (!dot || dot == text || !dot[1]) {
		fail_at(place, SCENARIO_ERROR_VALUE, error,
			"'%.60s' of 'ends' names no device of a host; write "
			"HOST.DEVICE, such as client.eth0", text);
		return NULL;
	}
	end = g_new0(struct config_end, 1);
	end->host = g_strndup(text, (gsize)(dot - text));
	end->device = g_strdup(dot + 1);
	return end;
}

gboolean link_ends_read(const char *text, struct place place, GPtrArray **ret,
			GError **error)
{
	g_autoptr(GPtrArray) ends = g_ptr_array_new_with_free_func(end_free);
	g_auto(GStrv) items = read_list("'ends'", text, place, error);
	guint n = items ? g_strv_length(items) : 0;

	if (!items)
		return FALSE;
	if (n != 2)
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'ends' has %u %s; a link has two, such as "
			       "client.eth0; server.eth0", n,
			       n == 1 ? "item" : "items");
	for (guint i = 0; i < n; i++) {
		struct config_end *end = end_read(items[i], place, error);

		if (!end)
			return FALSE;
		g_ptr_array_add(ends, end);
	}
	*ret = g_steal_pointer(&ends);
	return TRUE;
}

char *link_ends_text(const GPtrArray *ends)
{
	const struct config_end *a = ends->pdata[0], *b = ends->pdata[1];

	return g_strdup_printf("%s.%s; %s.%s", a->host, a->device, b->host,
			       b->device);
}
