/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An entry of 'device': what all devices have, and what a nic has beside.
 */
#include "scenarios/network_entry.h"
#include "scenarios/value.h"

#include <string.h>

#define DEVICE_NAME_MAX 15	/* IFNAMSIZ - 1 */
#define MTU_MIN 68		/* RFC 791 */
#define MTU_MAX 65536		/* the loopback device's */

#define RING_MIN 32
#define RING_DEFAULT 256
#define TXQUEUELEN_DEFAULT 1000	/* ether_setup()'s */

enum option {
	OPTION_KIND,
	OPTION_MTU,
	OPTION_TX_CHECKSUMMING,
	/* of a nic */
	OPTION_LLADDR,
	OPTION_QUEUES,
	OPTION_RING,
	OPTION_RX_USECS,
	OPTION_CPUS,
	OPTION_TXQUEUELEN,
	OPTION_RPS,
	NUM_OPTIONS
};

static const char *const option_names[NUM_OPTIONS + 1] = {
	"kind", "mtu", "tx-checksumming", "lladdr", "queues", "ring",
	"rx_usecs", "cpus", "txqueuelen", "rps", NULL
};

void device_free(void *data)
{
	struct config_device *device = data;

	g_free(device->name);
	g_free(device->kind);
	g_free(device->cpus);
	g_free(device->rps);
	g_free(device);
}

static gboolean read_number(const struct entry *e, enum option option,
			    const char *const *values, guint min, guint max,
			    guint *ret, GError **error)
{
	const char *text = values[option];
	guint64 number;

	if (!text)
		return TRUE;
	if (!g_ascii_string_to_unsigned(text, 10, min, max, &number, NULL))
		return entry_fail(e, error, "%s '%.60s' is not a whole number "
				  "from %u to %u", option_names[option], text,
				  min, max);
	*ret = (guint)number;
	return TRUE;
}

static gboolean read_kind(const struct entry *e, const char *text,
			  GError **error)
{
	static const char *const kinds[] = { "dummy", "loopback", "nic", NULL };
	const char *near;

	if (g_strv_contains(kinds, text))
		return TRUE;
	near = nearest_name(text, kinds);
	if (near)
		return entry_fail(e, error, "unknown kind '%.60s'; did you "
				  "mean '%s'?", text, near);
	return entry_fail(e, error, "unknown kind '%.60s'; it is dummy, "
			  "loopback or nic", text);
}

static gboolean read_on_off(const struct entry *e, const char *text,
			    gboolean *ret, GError **error)
{
	*ret = strcmp(text, "on") == 0;
	if (*ret || strcmp(text, "off") == 0)
		return TRUE;
	return entry_fail(e, error, "'%.60s' is neither on nor off", text);
}

static gboolean is_nic(const struct config_device *device)
{
	return strcmp(device->kind, "nic") == 0;
}

/* A ring has a power of two of descriptors: masks take the place of
 * divisions. */
static gboolean read_ring(const struct entry *e, const char *const *values,
			  struct config_device *device, GError **error)
{
	if (!read_number(e, OPTION_RING, values, RING_MIN, 32768,
			 &device->ring, error))
		return FALSE;
	if (device->ring & (device->ring - 1))
		return entry_fail(e, error, "ring '%.60s' is not a power of "
				  "two", values[OPTION_RING]);
	return TRUE;
}

static gboolean read_cpus(const struct entry *e, enum option option,
			  const char *const *values, char **ret, GError **error)
{
	const char *cpus = values[option];

	if (cpus && !cpus_valid(cpus))
		return entry_fail(e, error, "%s '%.60s' is not a list of "
				  "CPUs; write rising numbers or ranges, "
				  "parted by ',', such as 0-5,12",
				  option_names[option], cpus);
	*ret = g_strdup(cpus);
	return TRUE;
}

static gboolean read_nic(const struct entry *e, const char *const *values,
			 struct config_device *device, GError **error)
{
	for (int i = OPTION_LLADDR; i < NUM_OPTIONS; i++)
		if (values[i] && !is_nic(device))
			return entry_fail(e, error, "'%s' is for kind nic; "
					  "take it out", option_names[i]);
	device->queues = 1;
	device->ring = RING_DEFAULT;
	device->txqueuelen = TXQUEUELEN_DEFAULT;
	device->has_lladdr = values[OPTION_LLADDR] != NULL;
	if (device->has_lladdr && !entry_mac(e, values[OPTION_LLADDR],
					     device->lladdr, error))
		return FALSE;
	if (!read_cpus(e, OPTION_CPUS, values, &device->cpus, error) ||
	    !read_cpus(e, OPTION_RPS, values, &device->rps, error))
		return FALSE;
	if (!read_number(e, OPTION_QUEUES, values, 1, 256, &device->queues,
			 error) ||
	    !read_ring(e, values, device, error) ||
	    !read_number(e, OPTION_RX_USECS, values, 0, 10000,
			 &device->rx_usecs, error) ||
	    !read_number(e, OPTION_TXQUEUELEN, values, 1, 1000000,
			 &device->txqueuelen, error))
		return FALSE;
	return TRUE;
}

static gboolean read_options(const struct entry *e, const char **values,
			     struct config_device *device, GError **error)
{
	const char *checksumming;

	if (!entry_options(e, 1, option_names, values, error))
		return FALSE;
	if (!values[OPTION_KIND] || !values[OPTION_MTU])
		return entry_fail(e, error, "no '%s'; write %s",
				  values[OPTION_KIND] ? "mtu" : "kind",
				  e->form);
	if (!read_kind(e, values[OPTION_KIND], error) ||
	    !read_number(e, OPTION_MTU, values, MTU_MIN, MTU_MAX,
			 &device->mtu, error))
		return FALSE;
	device->kind = g_strdup(values[OPTION_KIND]);
	checksumming = values[OPTION_TX_CHECKSUMMING];
	if (checksumming && !read_on_off(e, checksumming,
					 &device->tx_checksumming, error))
		return FALSE;
	return read_nic(e, values, device, error);
}

void *device_read(const struct entry *e, GError **error)
{
	const char *values[NUM_OPTIONS] = { NULL };
	const char *name = e->words[0];
	struct config_device *device;

	if (!is_name(name, "._-") || strlen(name) > DEVICE_NAME_MAX) {
		entry_fail(e, error, "'%.60s' is not a device name; it has 1 "
			   "to %d letters, digits, '.', '_' and '-'", name,
			   DEVICE_NAME_MAX);
		return NULL;
	}
	device = g_new0(struct config_device, 1);
	device->name = g_strdup(name);
	device->tx_checksumming = TRUE;
	if (read_options(e, values, device, error))
		return device;
	device_free(device);
	return NULL;
}

/* The options that have not their default. */
static void append_nic(GString *text, const struct config_device *device)
{
	const guint8 *mac = device->lladdr;

	if (device->has_lladdr)
		g_string_append_printf(text, " lladdr %02x:%02x:%02x:%02x:"
				       "%02x:%02x", mac[0], mac[1], mac[2],
				       mac[3], mac[4], mac[5]);
	if (device->queues != 1)
		g_string_append_printf(text, " queues %u", device->queues);
	if (device->ring != RING_DEFAULT)
		g_string_append_printf(text, " ring %u", device->ring);
	if (device->rx_usecs)
		g_string_append_printf(text, " rx_usecs %u", device->rx_usecs);
	if (device->cpus)
		g_string_append_printf(text, " cpus %s", device->cpus);
	if (device->txqueuelen != TXQUEUELEN_DEFAULT)
		g_string_append_printf(text, " txqueuelen %u",
				       device->txqueuelen);
	if (device->rps)
		g_string_append_printf(text, " rps %s", device->rps);
}

char *device_text(const void *data)
{
	const struct config_device *device = data;
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "%s kind %s mtu %u%s", device->name,
			       device->kind, device->mtu,
			       device->tx_checksumming ? "" :
			       " tx-checksumming off");
	append_nic(text, device);
	return g_string_free(text, FALSE);
}
