/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * [host NAME] and [link NAME]: what a config has of them, their overrides, and
 * what is wrong with them, in whole messages.
 */
#include "analysis/results.h"
#include "scenarios/scenario.h"
#include "tests/scenarios/suites.h"

#include <string.h>

/* Lines 1 to 8. */
#define BASE "[scenario]\nname = x\nmachine = m\nkernel = k\n" \
	"[workload]\nprogram = udpflood\nthreads = 2\ncount = 9\n"
/* Lines 9 to 14: [host client], then from 12 on [host server]. */
#define HOSTS \
	"[host client]\ndevice = eth0 kind nic mtu 1500\n" \
	"address = eth0 10.2.2.1/24\n" \
	"[host server]\n" \
	"device = eth0 kind nic mtu 1500; d0 kind dummy mtu 99\n" \
	"address = eth0 10.2.2.2/24\n"
/* Lines 15 to 18. */
#define LINK "[link wire]\nends = client.eth0; server.eth0\n" \
	"rate_mbit = 10000\ndelay_ns = 1000\n"
#define ALL BASE HOSTS LINK
#define AT "x.scenario:"

static struct scenario *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	struct scenario *scenario =
		scenario_parse("x.scenario", text, strlen(text), &error);

	assert_no_error(error);
	return scenario;
}

static struct config *resolve(const struct scenario *scenario,
			      unsigned int variant, unsigned int point,
			      const char *const *sets)
{
	g_autoptr(GError) error = NULL;
	struct config *config = scenario_resolve(scenario, variant, point,
						 (char **)sets, &error);

	assert_no_error(error);
	return config;
}

START_TEST(test_one_host)
{
	g_autoptr(Scenario) scenario =
		parse(BASE "[network]\ndevice = d0 kind dummy mtu 1500\n"
		      "address = d0 10.2.2.1/24\n");
	g_autoptr(Config) config = resolve(scenario, 0, 0, NULL);
	const struct config_host *host = config->hosts->pdata[0];

	ck_assert_uint_eq(config->hosts->len, 1);
	ck_assert_uint_eq(config->links->len, 0);
	ck_assert_str_eq(host->name, "");
	ck_assert_str_eq(host->machine, "m");
	ck_assert_str_eq(host->kernel, "k");
	ck_assert_ptr_null(host->patches[0]);
	ck_assert_ptr_eq(host->devices, config->devices);
	ck_assert_uint_eq(host->addresses->len, 1);
	ck_assert_str_eq(config_host_where(config, host, "device"),
			 AT "10");
	ck_assert_str_eq(config_host_where(config, host, "kernel"), AT "4");
}
END_TEST

START_TEST(test_two_hosts)
{
	g_autoptr(Scenario) scenario =
		parse(ALL "loss_pct = 0.5\nreorder_pct = 12.345678\n"
		      "reorder_ns = 7\n[variant v]\npatches = p\n"
		      "host.server.kernel = other\nhost.server.patches = q\n");
	g_autoptr(Config) config = resolve(scenario, 0, 0, NULL);
	const struct config_host *client = config->hosts->pdata[0];
	const struct config_host *server = config_find_host(config, "server");
	const struct config_link *link = config->links->pdata[0];
	const struct config_end *end = link->ends->pdata[1];

	ck_assert_uint_eq(config->hosts->len, 2);
	ck_assert_str_eq(client->name, "client");
	ck_assert_ptr_eq(server, config->hosts->pdata[1]);
	ck_assert_str_eq(client->kernel, "k");
	ck_assert_str_eq(client->patches[0], "p");
	ck_assert_str_eq(server->machine, "m");
	ck_assert_str_eq(server->kernel, "other");
	ck_assert_str_eq(server->patches[0], "q");
	ck_assert_uint_eq(server->devices->len, 2);
	ck_assert_uint_eq(config->devices->len, 0);
	ck_assert_str_eq(link->name, "wire");
	ck_assert_str_eq(end->host, "server");
	ck_assert_str_eq(end->device, "eth0");
	ck_assert_uint_eq(link->rate_mbit, 10000);
	ck_assert_uint_eq(link->delay_ns, 1000);
	ck_assert_uint_eq(link->loss_pct, PERCENT / 2);
	ck_assert_uint_eq(link->duplicate_pct, 0);
	ck_assert_uint_eq(link->reorder_pct, 12345678);
	ck_assert_uint_eq(link->reorder_ns, 7);
	ck_assert_ptr_eq(config_find_link(config, "wire"), link);
	ck_assert_ptr_null(config_find_link(config, "client"));
	ck_assert_str_eq(config_host_where(config, client, "kernel"), AT "4");
	ck_assert_str_eq(config_host_where(config, server, "kernel"),
			 AT "24");
	ck_assert_str_eq(config_host_where(config, server, "device"),
			 AT "13");
}
END_TEST

/* [scenario] needs no machine where each host has one. */
START_TEST(test_own_machines)
{
	g_autoptr(Scenario) scenario =
		parse("[scenario]\nname = x\nkernel = k\n[workload]\n"
		      "program = udpflood\nthreads = 2\ncount = 9\n"
		      "[host a]\nmachine = one\n"
		      "address = d0 10.2.2.1/24\n"
		      "device = d0 kind dummy mtu 99\n"
		      "[host b]\nmachine = two\n"
		      "address = d0 10.2.2.2/24\n"
		      "device = d0 kind dummy mtu 99\n");
	g_autoptr(Config) config = resolve(scenario, 0, 0, NULL);
	const struct config_host *b = config->hosts->pdata[1];

	ck_assert_str_eq(config->machine, "one");
	ck_assert_str_eq(b->machine, "two");
	ck_assert_str_eq(b->kernel, "k");
}
END_TEST

START_TEST(test_nic)
{
	g_autoptr(Scenario) scenario = parse(ALL);
	const char *sets[] = {
		"host.client.device=eth0 kind nic mtu 9000 queues 4 ring 512 "
		"rx_usecs 30 cpus 0-1,6 txqueuelen 100 rps 2-3 "
		"lladdr 02:00:00:00:00:0A tx-checksumming off", NULL
	};
	g_autoptr(Config) config = resolve(scenario, 0, 0, sets);
	const struct config_device *device =
		config_find_device(config->hosts->pdata[0], "eth0");
	const struct config_device *plain =
		config_find_device(config->hosts->pdata[1], "eth0");

	ck_assert_uint_eq(device->mtu, 9000);
	ck_assert_uint_eq(device->queues, 4);
	ck_assert_uint_eq(device->ring, 512);
	ck_assert_uint_eq(device->rx_usecs, 30);
	ck_assert_str_eq(device->cpus, "0-1,6");
	ck_assert_uint_eq(device->txqueuelen, 100);
	ck_assert(device->has_lladdr && device->lladdr[5] == 10);
	ck_assert(!device->tx_checksumming);
	ck_assert_uint_eq(plain->queues, 1);
	ck_assert_uint_eq(plain->ring, 256);
	ck_assert_uint_eq(plain->rx_usecs, 0);
	ck_assert_ptr_null(plain->cpus);
	ck_assert_uint_eq(plain->txqueuelen, 1000);
	ck_assert(!plain->has_lladdr);
	ck_assert_str_eq(config->overrides, "host.client.device=eth0 kind nic "
			 "mtu 9000 tx-checksumming off lladdr "
			 "02:00:00:00:00:0a queues 4 ring 512 rx_usecs 30 "
			 "cpus 0-1,6 txqueuelen 100 rps 2-3");
}
END_TEST

/* What was laid over gives the same config again. */
START_TEST(test_round_trip)
{
	g_autoptr(Scenario) scenario =
		parse(ALL "[sweep]\nlink.wire.delay_ns = 1; 02\n"
		      "link.wire.loss_pct = 0.50; 1.0\n"
		      "host.client.machine = a; b\n");
	const char *sets[] = {
		"link.wire.ends=server.eth0 ;client.eth0;",
		"host.server.address=eth0 10.2.2.9/24", NULL
	};
	g_autoptr(Config) config = resolve(scenario, 0, 7, sets);
	g_auto(GStrv) again = overrides_split(config->overrides);
	g_autoptr(Scenario) plain = parse(ALL);
	g_autoptr(Config) second = resolve(plain, 0, 0,
					   (const char *const *)again);
	const struct config_host *client = second->hosts->pdata[0];
	const struct config_link *link = second->links->pdata[0];

	ck_assert_uint_eq(scenario_num_points(scenario), 8);
	ck_assert_str_eq(config->point, "link.wire.delay_ns=2;"
			 "link.wire.loss_pct=1;host.client.machine=b");
	ck_assert_str_eq(config->overrides, "link.wire.delay_ns=2;"
			 "link.wire.loss_pct=1;host.client.machine=b;"
			 "link.wire.ends=server.eth0\\; client.eth0;"
			 "host.server.address=eth0 10.2.2.9/24");
	ck_assert_str_eq(second->overrides, config->overrides);
	ck_assert_str_eq(client->machine, "b");
	ck_assert_str_eq(second->machine, "m");
	ck_assert_uint_eq(link->delay_ns, 2);
	ck_assert_uint_eq(link->loss_pct, PERCENT);
}
END_TEST

/* ---- errors ---- */

struct bad {
	const char *text;
	const char *message;
};

static const struct bad files[] = {
	{ BASE "[host]\n", AT "9: a host without a name; write [host NAME], "
	  "such as [host client]" },
	{ BASE "[host a.b]\n", AT "9: 'a.b' is not the name of a host; use "
	  "letters, digits, '_' and '-'" },
	{ BASE "[host a b]\n", AT "9: 'a b' is not the name of a host; use "
	  "letters, digits, '_' and '-'" },
	{ BASE "[host abcdefghijklmnopqrstuvwxyzabcdefg]\n", AT "9: the name "
	  "'abcdefghijklmnopqrstuvwxyzabcdefg' of a host is longer than 32 "
	  "bytes" },
	{ BASE "[hots a]\n", AT "9: unknown group [hots a]; did you mean "
	  "[host a]?" },
	{ ALL "[host  client]\n", AT "19: group [host client] stands twice, "
	  "first on line 9; put its keys together" },
	{ ALL "[network]\n", AT "19: [network] beside [host NAME]; each host "
	  "has its own devices and addresses, so move these lines there" },
	{ BASE LINK, AT "9: [link wire] without hosts to join; describe them "
	  "in [host NAME]" },
	{ BASE HOSTS "[link wire]\nrate_mbit = 1\ndelay_ns = 1\n", AT "15: "
	  "missing key 'ends' in [link wire]; write 'ends = ...': "
	  "HOST.DEVICE; HOST.DEVICE" },
	{ BASE HOSTS "[link wire]\nends = client.eth0; server.eth0\n"
	  "rate_mbit = 1\n", AT "15: missing key 'delay_ns' in [link wire]; "
	  "write 'delay_ns = ...': from one end to the other, in "
	  "nanoseconds" },
	{ BASE HOSTS, AT "10: device: nic 'eth0' is in no link; add a [link "
	  "NAME] with 'ends = client.eth0; HOST.DEVICE'" },
	{ ALL "[host a]\nzebra = 1\n", AT "20: unknown key 'zebra' in [host "
	  "a]; [host a] has machine, kernel, patches, device, address, route, "
	  "neighbour" },
	{ ALL "[host a]\ndelay_ns = 1\n", AT "20: unknown key 'delay_ns' in "
	  "[host a]; it belongs to [link NAME] ('link.NAME.delay_ns')" },
	{ ALL "delay_n = 1\n", AT "19: unknown key 'delay_n' in [link wire]; "
	  "did you mean 'delay_ns'?" },
	{ ALL "[host a]\nneighbour = eth0 10.2.2.3 lladdr 02:00:00:00:00:03 "
	  "nud noarp\n", AT "20: neighbour: device 'eth0' is not declared; "
	  "add it to 'device'" },
	{ ALL "[host a]\ndevice = d0 kind dummy mtu 99\n"
	  "address = d0 10.2.3.1/24; d0 10.2.2.2/24\n", AT "21: address: entry "
	  "2 is an address of host 'server' too; give each its own" },
	{ ALL "[variant v]\nworkload.family = inet6\n", AT "20: 'family' is "
	  "IPv6, but host 'server', to which the first one sends, has no such "
	  "address; add one, or give a 'destination'" },
	{ ALL "[variant v]\nhost.sever.kernel = k\n", AT "20: there is no host "
	  "'sever'; did you mean 'server'?" },
	{ ALL "[sweep]\nlink.zebra.delay_ns = 1; 2\n", AT "20: there is no "
	  "link 'zebra'; describe it in [link zebra] of the file" },
	{ ALL "[variant v]\nlink.wire.delay_ns = 2\n[sweep]\n"
	  "link.wire.delay_ns = 1\n", AT "20: 'link.wire.delay_ns' is set by "
	  "[sweep] as well; take it out of one" },
	{ BASE "[host a]\nmachine = m\nkernel = k\n", NULL },
	{ "[scenario]\nname = x\nkernel = k\n[workload]\nprogram = udpflood\n"
	  "threads = 1\ncount = 1\n[host a]\nmachine = m\n[host b]\n", AT "1: "
	  "missing key 'machine' in [scenario]; write 'machine = ...': a "
	  "machine profile ('udpsim list machines')" },
};

START_TEST(test_files)
{
	const struct bad *bad = &files[_i];
	g_autoptr(GError) error = NULL;
	g_autoptr(Scenario) scenario = NULL;

	scenario = scenario_parse("x.scenario", bad->text, strlen(bad->text),
				  &error);
	if (bad->message) {
		ck_assert_msg(!scenario, "this was taken for good: %s",
			      bad->text);
		assert_message(error, bad->message);
	} else {
		assert_no_error(error);
	}
}
END_TEST

/* Laid over a good file. */
static const struct bad sets[] = {
	{ "link.wire.ends=client.eth0", "'ends' has 1 item; a link has two, "
	  "such as client.eth0; server.eth0" },
	{ "link.wire.ends=client.eth0;server.eth0;a.b", "'ends' has 3 items; "
	  "a link has two, such as client.eth0; server.eth0" },
	{ "link.wire.ends=client;server.eth0", "'client' of 'ends' names no "
	  "device of a host; write HOST.DEVICE, such as client.eth0" },
	{ "link.wire.ends=client.eth0;servr.eth0", "ends: there is no host "
	  "'servr'; did you mean 'server'?" },
	{ "link.wire.ends=client.eth0;zebra.eth0", "ends: there is no host "
	  "'zebra'; the hosts are client, server" },
	{ "link.wire.ends=client.eth1;server.eth0", "ends: host 'client' has "
	  "no device 'eth1'; did you mean 'eth0'?" },
	{ "link.wire.ends=client.eth0;server.zebra", "ends: host 'server' has "
	  "no device 'zebra'; its devices are eth0, d0" },
	{ "link.wire.ends=client.eth0;server.d0", "ends: server.d0 is of kind "
	  "dummy; a link joins devices of kind nic" },
	{ "link.wire.ends=client.eth0;client.eth0", "ends: client.eth0 stands "
	  "twice; a link joins two devices" },
	{ "link.wire.delay_ns=0", "'0' of 'delay_ns' is out of range; give a "
	  "whole number from 1 to 10000000000" },
	{ "link.wire.rate_mbit=0", "'0' of 'rate_mbit' is out of range; give a "
	  "whole number from 1 to 1000000" },
	{ "link.wire.loss_pct=100.1", "'100.1' of 'loss_pct' is not a "
	  "percentage; give a number from 0 to 100 with at most six decimals, "
	  "such as 0.5" },
	{ "link.wire.loss_pct=0.1234567", "'0.1234567' of 'loss_pct' is not a "
	  "percentage; give a number from 0 to 100 with at most six decimals, "
	  "such as 0.5" },
	{ "link.wire.loss_pct=.5", "'.5' of 'loss_pct' is not a percentage; "
	  "give a number from 0 to 100 with at most six decimals, such as "
	  "0.5" },
	{ "link.wire.reorder_pct=1", "'reorder_pct' without 'reorder_ns'; say "
	  "by how much a frame comes late" },
	{ "link.wires.delay_ns=1", "there is no link 'wires'; did you mean "
	  "'wire'?" },
	{ "host.client=1", "'host.client' in --set does not say which host; "
	  "write host.NAME.KEY" },
	{ "host.client.machin=1", "unknown key 'machin' in [host client]; did "
	  "you mean 'machine'?" },
	{ "network.device=d0 kind dummy mtu 99", "'network.device' beside "
	  "[host NAME]; each host has its own, such as 'host.client.device'" },
	{ "host.server.device=d0 kind dummy mtu 99 queues 2", "device 'd0 kind "
	  "dummy mtu 99 queues 2': 'queues' is for kind nic; take it out" },
	{ "host.server.device=e0 kind nic mtu 99 queues 0", "device 'e0 kind "
	  "nic mtu 99 queues 0': queues '0' is not a whole number from 1 to "
	  "256" },
	{ "host.server.device=e0 kind nic mtu 99 ring 300", "device 'e0 kind "
	  "nic mtu 99 ring 300': ring '300' is not a power of two" },
	{ "host.server.device=e0 kind nic mtu 99 cpus 3,1", "device 'e0 kind "
	  "nic mtu 99 cpus 3,1': cpus '3,1' is not a list of CPUs; write "
	  "rising numbers or ranges, parted by ',', such as 0-5,12" },
	{ "host.server.device=e0 kind nic mtu 99 queue 3", "device 'e0 kind "
	  "nic mtu 99 queue 3': unknown option 'queue'; did you mean "
	  "'queues'?" },
};

START_TEST(test_sets)
{
	const struct bad *bad = &sets[_i];
	const char *options[] = { bad->text, NULL };
	g_autofree char *message = g_strdup_printf("--set %s: %s", bad->text,
						   bad->message);
	g_autoptr(Scenario) scenario = parse(ALL);
	g_autoptr(GError) error = NULL;
	struct config *config = scenario_resolve(scenario, 0, 0,
						 (char **)options, &error);

	ck_assert_msg(!config, "this was taken for good: %s", bad->text);
	assert_message(error, message);
}
END_TEST

START_TEST(test_device_in_two_links)
{
	g_autoptr(GError) error = NULL;
	const char *text = ALL "[link more]\nends = server.eth0; client.eth0\n"
		"rate_mbit = 1\ndelay_ns = 1\n";

	ck_assert_ptr_null(scenario_parse("x.scenario", text, strlen(text),
					  &error));
	assert_message(error, AT "20: ends: server.eth0 is in link 'wire' "
		       "already; give it another device");
}
END_TEST

START_TEST(test_limits)
{
	g_autoptr(GString) text = g_string_new(BASE);
	g_autoptr(GError) error = NULL;

	for (int i = 0; i <= CONFIG_MAX_HOSTS; i++)
		g_string_append_printf(text, "[host h%d]\ndevice = d0 kind "
				       "dummy mtu 99\naddress = d0 "
				       "10.2.2.%d/24\n", i, i + 1);
	ck_assert_ptr_null(scenario_parse("x.scenario", text->str, text->len,
					  &error));
	assert_message(error, AT "57: more than 16 hosts");
	g_clear_error(&error);
	g_string_truncate(text, strlen(BASE));
	for (int i = 0; i <= CONFIG_MAX_LINKS; i++)
		g_string_append_printf(text, "[link l%d]\n", i);
	ck_assert_ptr_null(scenario_parse("x.scenario", text->str, text->len,
					  &error));
	assert_message(error, AT "73: more than 64 links");
}
END_TEST

Suite *hosts_suite(void)
{
	Suite *suite = suite_create("hosts");
	TCase *tcase = tcase_create("hosts and links");

	tcase_add_test(tcase, test_one_host);
	tcase_add_test(tcase, test_two_hosts);
	tcase_add_test(tcase, test_own_machines);
	tcase_add_test(tcase, test_nic);
	tcase_add_test(tcase, test_round_trip);
	tcase_add_loop_test(tcase, test_files, 0, (int)G_N_ELEMENTS(files));
	tcase_add_loop_test(tcase, test_sets, 0, (int)G_N_ELEMENTS(sets));
	tcase_add_test(tcase, test_device_in_two_links);
	tcase_add_test(tcase, test_limits);
	suite_add_tcase(suite, tcase);
	return suite;
}
