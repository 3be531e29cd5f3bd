/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device of kind nic: set up by what its entry says, at its end of a link. */
#include <string.h>

#include "scenarios/network.h"
#include "scenarios/run.h"
#include "stack/include/linux/nic.h"

/* The CPUs of a list; NULL and an error where the machine has not all of those
 * that the entry names. */
static u32 *list_cpus(const struct run *run, const struct run_host *host,
		      const struct config_device *d, const char *option,
		      const char *text, u32 *n, GError **error)
{
	const u32 limit = host->machine->num_cpus;
	u32 *list = g_new(u32, limit + 1);

	if (cpus_parse(text, limit, list, n))
		return list;
	g_free(list);
	g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE,
		    "%s: %s %s of device '%s' names CPUs that its machine has "
		    "not; it has 0 to %u",
		    config_host_where(run->config, host->config, "device"),
		    option, text, d->name, limit - 1);
	return NULL;
}

/* The CPU of each queue's interrupt. */
static u32 *interrupt_cpus(const struct run *run, const struct run_host *host,
			   const struct config_device *d, GError **error)
{
	u32 *cpus, n, i;
	g_autofree u32 *list = list_cpus(run, host, d, "cpus", d->cpus, &n,
					 error);

	if (!list)
		return NULL;
	cpus = g_new(u32, d->queues);
	for (i = 0; i < d->queues; i++)
		cpus[i] = list[i % n];
	return cpus;
}

/* Without an own one: as the devices of virtual machines have, the last bytes
 * the number of the host and of the device on it, from 1. */
static void own_address(const struct run *run, const struct run_host *host,
			u32 index, u8 *mac)
{
	mac[0] = 0x02;
	mac[4] = (u8)(host - run->hosts + 1);
	mac[5] = (u8)(index + 1);
}

static bool set_rps(const struct run *run, const struct run_host *host,
		    const struct config_device *d, struct net_device *dev,
		    GError **error)
{
	g_autofree u32 *list = NULL;
	u32 n, i;

	if (!kernel_has(host->kernel, RPS)) {
		g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE,
			    "%s: rps %s of device '%s' needs a kernel with "
			    "RPS, from 2.6.35 on; take it out",
			    config_host_where(run->config, host->config,
					      "device"), d->rps, d->name);
		return false;
	}
	list = list_cpus(run, host, d, "rps", d->rps, &n, error);
	if (!list)
		return false;
	for (i = 0; i < d->queues; i++)
		netif_set_rps_map(host->kernel, dev, i, list, n);
	return true;
}

bool nic_up(const struct run *run, const struct run_host *host, u32 index,
	    GError **error)
{
	const struct config_device *d = host->config->devices->pdata[index];
	struct nic_config config;
	g_autofree u32 *cpus = NULL;
	struct net_device *dev;

	nic_config_init(&config, host->kernel);
	if (d->has_lladdr)
		memcpy(config.mac, d->lladdr, sizeof(config.mac));
	else
		own_address(run, host, index, config.mac);
	config.mtu = d->mtu;
	config.queues = d->queues;
	config.ring_size = d->ring;
	config.rx_usecs = d->rx_usecs;
	config.tx_queue_len = d->txqueuelen;
	if (d->queues > host->machine->num_cpus ||
	    d->queues > NIC_MAX_QUEUES) {
		g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE,
			    "%s: device '%s' has %u queues; at most one for "
			    "each of the %u CPUs, and %u",
			    config_host_where(run->config, host->config,
					      "device"), d->name, d->queues,
			    host->machine->num_cpus, NIC_MAX_QUEUES);
		return false;
	}
	if (d->cpus) {
		cpus = interrupt_cpus(run, host, d, error);
		if (!cpus)
			return false;
		config.cpus = cpus;
	}
	dev = nic_new(host->kernel, d->name, &config,
		      run_link_end(run, host, d->name));
	return !d->rps || set_rps(run, host, d, dev, error);
}
