/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Good scenarios: every key, defaults, variants, sweeps, --set, and the
 * canonical text of overrides.
 */
#include "analysis/results.h"
#include "scenarios/keys.h"
#include "scenarios/scenario.h"
#include "tests/scenarios/suites.h"

#include <string.h>

static const char full[] =
	"# a comment\n"
	"[scenario]\n"
	"name      = neigh-confirmed\n"
	"title     = Write neighbour->confirmed once; a jiffy\n"
	"source    = netdev, 2012-08-07\n"
	"machine   = xeon-x5660-2p\n"
	"kernel    = linux-3.6\n"
	"repeat    = 4\n"
	"seed      = 18446744073709551615\n"
	"patches   = early ; -late\n"
	"\n"
	"[workload]\n"
	"program   = udpflood\n"
	"threads   = 24\n"
	"count     = 1000000\n"
	"family    = inet6\n"
	"confirm   = true\n"
	"connect   = true\n"
	"share_files = true\n"
	"size      = 0\n"
	"destination = FD00::0:2\n"
	"port      = 53\n"
	"cpus      = 0-5,12-17\n"
	"\n"
	"[network]\n"
	"device    = dummy0 kind dummy mtu 1500; "
	"eth0 mtu 9000 kind nic tx-checksumming off\n"
	"address   = dummy0 10.2.2.1/24; dummy0 fd00::1/64\n"
	"route     = 10.3.0.0/16 via 10.2.2.9 dev dummy0; ::/0 dev eth0\n"
	"neighbour = dummy0 10.2.2.2 lladdr 02:00:00:00:00:02 nud reachable;"
	"dummy0 fd00::2 nud noarp lladdr 02:AB:cd:00:00:03\n"
	"[layout]\n"
	"sock.sk_mark = own   line\n"
	"dst_entry = pad after __refcnt\n"
	"[parameters]\n"
	"udp.hash_entries = 65536\n"
	"slab.UDP-Lite.limit = 54\n"
	"[published]\n"
	"metric = elapsed_s\n"
	"before = 2.247; 2.235e0\n"
	"after  = 1.884\n"
	"[published 12 processes]\n"
	"metric = transactions_per_s\n"
	"before = 453319\n"
	"after  = 453492; 0\n"
	"[published 12 processes sd_us]\n"
	"metric = sd_us\n"
	"before = 21.5\n"
	"after  = 21\n";

static const char small[] =
	"[scenario]\n"
	"name = x\n"
	"machine = m\n"
	"kernel = k\n"
	"[workload]\n"
	"program = udpflood\n"
	"threads = 2\n"
	"count = 10\n";

/* The text after the small scenario; asserts that it is good. */
static struct scenario *parse(const char *more)
{
	g_autofree char *text = g_strconcat(small, more, NULL);
	g_autoptr(GError) error = NULL;
	struct scenario *scenario = scenario_parse("x.scenario", text,
						   strlen(text), &error);

	assert_no_error(error);
	return scenario;
}

static struct config *resolve(const struct scenario *scenario,
			      unsigned int variant, unsigned int point,
			      char **sets)
{
	g_autoptr(GError) error = NULL;
	struct config *config = scenario_resolve(scenario, variant, point,
						 sets, &error);

	assert_no_error(error);
	return config;
}

static struct config *full_config(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Scenario) scenario = scenario_parse("full.scenario", full,
						      strlen(full), &error);

	assert_no_error(error);
	ck_assert_str_eq(scenario_name(scenario), "neigh-confirmed");
	ck_assert_str_eq(scenario_title(scenario),
			 "Write neighbour->confirmed once; a jiffy");
	ck_assert_str_eq(scenario_text(scenario), full);
	ck_assert_uint_eq(scenario_num_variants(scenario), 1);
	ck_assert_str_eq(scenario_variant(scenario, 0), "");
	ck_assert_uint_eq(scenario_num_points(scenario), 1);
	ck_assert_str_eq(scenario_point(scenario, 0), "");
	/* The config must not need the scenario any more. */
	return resolve(scenario, 0, 0, NULL);
}

START_TEST(test_table)
{
	for (size_t i = 0; i < NUM_KEYS; i++) {
		const struct key *key = &known_keys[i];

		ck_assert_ptr_nonnull(key->group);
		ck_assert_ptr_eq(key_find(key->group, key->name), key);
		ck_assert_int_gt(strlen(key->help), 0);
		ck_assert(group_has_values(key->group));
		if (key->kind == KEY_UINT)
			ck_assert_uint_le(key->max, G_MAXUINT);
	}
}
END_TEST

START_TEST(test_full_scenario_and_workload)
{
	g_autoptr(Config) config = full_config();

	ck_assert_str_eq(config->name, "neigh-confirmed");
	ck_assert_str_eq(config->source, "netdev, 2012-08-07");
	ck_assert_str_eq(config->machine, "xeon-x5660-2p");
	ck_assert_str_eq(config->kernel, "linux-3.6");
	ck_assert_uint_eq(config->repeat, 4);
	ck_assert_uint_eq(config->seed, G_MAXUINT64);
	ck_assert_str_eq(config->patches[0], "early");
	ck_assert_str_eq(config->patches[1], "-late");
	ck_assert_ptr_null(config->patches[2]);
	ck_assert_str_eq(config->variant, "");
	ck_assert_str_eq(config->point, "");
	ck_assert_str_eq(config->overrides, "");

	ck_assert_str_eq(config->program, "udpflood");
	ck_assert_uint_eq(config->threads, 24);
	ck_assert_uint_eq(config->count, 1000000);
	ck_assert_int_eq(config->family, FAMILY_INET6);
	ck_assert(config->confirm && config->connect && config->share_files);
	ck_assert_uint_eq(config->size, 0);
	ck_assert_str_eq(config->destination, "fd00::2");
	ck_assert_uint_eq(config->port, 53);
	ck_assert_str_eq(config->cpus, "0-5,12-17");
}
END_TEST

START_TEST(test_full_network)
{
	g_autoptr(Config) config = full_config();
	const struct config_device *eth0 = config->devices->pdata[1];
	const struct config_address *address = config->addresses->pdata[0];
	const struct config_route *route = config->routes->pdata[0];
	const struct config_neighbour *n = config->neighbours->pdata[1];

	ck_assert_uint_eq(config->devices->len, 2);
	ck_assert_str_eq(eth0->name, "eth0");
	ck_assert_str_eq(eth0->kind, "nic");
	ck_assert_uint_eq(eth0->mtu, 9000);
	ck_assert(!eth0->tx_checksumming);
	ck_assert(((struct config_device *)
		   config->devices->pdata[0])->tx_checksumming);

	ck_assert_uint_eq(config->addresses->len, 2);
	ck_assert_str_eq(address->device, "dummy0");
	ck_assert_int_eq(address->family, FAMILY_INET);
	ck_assert_mem_eq(address->address, "\x0a\x02\x02\x01", 4);
	ck_assert_uint_eq(address->prefix, 24);

	ck_assert_uint_eq(config->routes->len, 2);
	ck_assert_mem_eq(route->prefix_address, "\x0a\x03\x00\x00", 4);
	ck_assert_uint_eq(route->prefix, 16);
	ck_assert(route->has_gateway);
	ck_assert_mem_eq(route->gateway, "\x0a\x02\x02\x09", 4);
	route = config->routes->pdata[1];
	ck_assert_int_eq(route->family, FAMILY_INET6);
	ck_assert_str_eq(route->device, "eth0");
	ck_assert(!route->has_gateway);
	ck_assert_uint_eq(route->prefix, 0);

	ck_assert_uint_eq(config->neighbours->len, 2);
	ck_assert_int_eq(n->family, FAMILY_INET6);
	ck_assert_mem_eq(n->lladdr, "\x02\xab\xcd\x00\x00\x03", 6);
	ck_assert_str_eq(n->nud, "noarp");
}
END_TEST

static void check_setting(const GPtrArray *settings, guint i, const char *key,
			  const char *value, unsigned int line)
{
	const struct config_setting *setting;

	ck_assert_uint_lt(i, settings->len);
	setting = settings->pdata[i];
	ck_assert_str_eq(setting->key, key);
	ck_assert_str_eq(setting->value, value);
	ck_assert_uint_eq(setting->line, line);
}

START_TEST(test_full_settings)
{
	g_autoptr(Config) config = full_config();

	ck_assert_uint_eq(config->layout->len, 2);
	check_setting(config->layout, 0, "sock.sk_mark", "own line", 31);
	check_setting(config->layout, 1, "dst_entry", "pad after __refcnt",
		      32);
	ck_assert_uint_eq(config->parameters->len, 2);
	check_setting(config->parameters, 0, "udp.hash_entries", "65536", 34);
	check_setting(config->parameters, 1, "slab.UDP-Lite.limit", "54", 35);
}
END_TEST

START_TEST(test_full_published)
{
	g_autoptr(Config) config = full_config();
	const struct config_published *p = config->published->pdata[0];

	ck_assert_uint_eq(config->published->len, 3);
	ck_assert_str_eq(p->row, "");
	ck_assert_str_eq(p->metric, "elapsed_s");
	ck_assert_uint_eq(p->before->len, 2);
	ck_assert(g_array_index(p->before, double, 0) == 2.247);
	ck_assert(g_array_index(p->before, double, 1) == 2.235);
	ck_assert_uint_eq(p->after->len, 1);
	ck_assert(g_array_index(p->after, double, 0) == 1.884);
	p = config->published->pdata[1];
	ck_assert_str_eq(p->row, "12 processes");
	ck_assert(g_array_index(p->after, double, 1) == 0);
	p = config->published->pdata[2];
	ck_assert_str_eq(p->row, "12 processes");
	ck_assert_str_eq(p->metric, "sd_us");
}
END_TEST

START_TEST(test_where)
{
	char *sets[] = { (char *)"workload.port=7", NULL };
	g_autoptr(Scenario) scenario = parse("[variant a]\n"
					     "patches = p\n"
					     "layout.sock.x = own line\n");
	g_autoptr(Config) config = resolve(scenario, 0, 0, sets);

	ck_assert_str_eq(config_where(config, "scenario.machine"),
			 "x.scenario:3");
	ck_assert_str_eq(config_where(config, "scenario.patches"),
			 "x.scenario:10");
	ck_assert_str_eq(config_where(config, "layout.sock.x"),
			 "x.scenario:11");
	ck_assert_str_eq(config_where(config, "workload.port"),
			 "--set workload.port=7");
	ck_assert_str_eq(config_where(config, "workload.cpus"), "x.scenario");
}
END_TEST

START_TEST(test_defaults)
{
	g_autoptr(Scenario) scenario = parse("");
	g_autoptr(Config) config = resolve(scenario, 0, 0, NULL);

	ck_assert_str_eq(config->title, "");
	ck_assert_str_eq(config->source, "");
	ck_assert_uint_eq(config->repeat, 1);
	ck_assert_uint_eq(config->seed, 1);
	ck_assert_ptr_nonnull(config->patches);
	ck_assert_ptr_null(config->patches[0]);
	ck_assert_int_eq(config->family, FAMILY_INET);
	ck_assert(!config->confirm && !config->connect &&
		  !config->share_files);
	ck_assert_uint_eq(config->size, 64);
	ck_assert_ptr_null(config->destination);
	ck_assert_uint_eq(config->port, 9);
	ck_assert_ptr_null(config->cpus);
	ck_assert_uint_eq(config->devices->len, 0);
	ck_assert_uint_eq(config->addresses->len, 0);
	ck_assert_uint_eq(config->routes->len, 0);
	ck_assert_uint_eq(config->neighbours->len, 0);
	ck_assert_uint_eq(config->layout->len, 0);
	ck_assert_uint_eq(config->parameters->len, 0);
	ck_assert_uint_eq(config->published->len, 0);
}
END_TEST

/* Carriage returns, blanks, tabs, a last line without its newline. */
START_TEST(test_spelling)
{
	g_autoptr(Scenario) scenario = parse("\r\n"
		"  size\t=  7 \t\r\n"
		" # comment\r\n"
		" [network] \r\n"
		"device =   d0   mtu 68\tkind  dummy  ; \r\n"
		"[ variant   a ]\r\n"
		"scenario.patches =\r\n"
		"workload.cpus =");
	g_autoptr(Config) config = resolve(scenario, 0, 0, NULL);

	ck_assert_uint_eq(config->size, 7);
	ck_assert_uint_eq(config->devices->len, 1);
	ck_assert_str_eq(config->variant, "a");
	ck_assert_ptr_null(config->cpus);
	ck_assert_str_eq(config->overrides, "scenario.patches=;workload.cpus=");
}
END_TEST

/* The ends of each range are in it. */
START_TEST(test_range_ends)
{
	static const char *const good[] = {
		"workload.threads=1", "workload.threads=4096",
		"workload.count=1", "workload.count=1000000000000",
		"workload.size=0", "workload.size=65507",
		"workload.port=1", "workload.port=65535",
		"scenario.repeat=1", "scenario.repeat=1000",
		"seed=0", "seed=18446744073709551615",
		"workload.cpus=0", "workload.cpus=4095",
		"network.device=lo kind loopback mtu 65536",
		"network.device=d kind dummy mtu 68",
	};
	g_autoptr(Scenario) scenario = parse("");

	for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
		char *sets[] = { (char *)good[i], NULL };
		g_autoptr(Config) config = resolve(scenario, 0, 0, sets);

		ck_assert_ptr_nonnull(config);
	}
}
END_TEST

START_TEST(test_variants)
{
	g_autoptr(Scenario) scenario = parse(
		"[layout]\n"
		"sock.a = own line\n"
		"sock.b = own line\n"
		"[variant before]\n"
		"[variant after]\n"
		"patches = p2; p1\n"
		"kernel = k2\n"
		"workload.threads = 012\n"
		"layout.sock.c = offset 8\n"
		"layout.sock.a = offset 16\n"
		"parameters.udp.hash_entries = 65536\n");
	g_autoptr(Config) before = resolve(scenario, 0, 0, NULL);
	g_autoptr(Config) after = resolve(scenario, 1, 0, NULL);

	ck_assert_uint_eq(scenario_num_variants(scenario), 2);
	ck_assert_str_eq(scenario_variant(scenario, 0), "before");
	ck_assert_str_eq(scenario_variant(scenario, 1), "after");

	ck_assert_str_eq(before->variant, "before");
	ck_assert_str_eq(before->overrides, "");
	ck_assert_uint_eq(before->threads, 2);
	ck_assert_uint_eq(before->layout->len, 2);

	ck_assert_str_eq(after->variant, "after");
	ck_assert_str_eq(after->kernel, "k2");
	ck_assert_uint_eq(after->threads, 12);
	ck_assert_str_eq(after->patches[1], "p1");
	check_setting(after->layout, 0, "sock.a", "offset 16", 18);
	check_setting(after->layout, 1, "sock.b", "own line", 11);
	check_setting(after->layout, 2, "sock.c", "offset 8", 17);
	check_setting(after->parameters, 0, "udp.hash_entries", "65536", 19);
	ck_assert_str_eq(after->overrides,
			 "scenario.patches=p2\\; p1;scenario.kernel=k2;"
			 "workload.threads=12;layout.sock.c=offset 8;"
			 "layout.sock.a=offset 16;"
			 "parameters.udp.hash_entries=65536");
}
END_TEST

START_TEST(test_sweep)
{
	static const char *const points[] = {
		"workload.threads=1;parameters.udp.hash_entries=256",
		"workload.threads=1;parameters.udp.hash_entries=1024",
		"workload.threads=2;parameters.udp.hash_entries=256",
		"workload.threads=2;parameters.udp.hash_entries=1024",
		"workload.threads=4;parameters.udp.hash_entries=256",
		"workload.threads=4;parameters.udp.hash_entries=1024",
	};
	g_autoptr(Scenario) scenario = parse(
		"[variant a]\n"
		"workload.size = 5\n"
		"[sweep]\n"
		"workload.threads = 1; 2; 4;\n"
		"parameters.udp.hash_entries = 256;1024\n");

	ck_assert_uint_eq(scenario_num_points(scenario),
			  G_N_ELEMENTS(points));
	for (unsigned int i = 0; i < G_N_ELEMENTS(points); i++) {
		g_autoptr(Config) config = resolve(scenario, 0, i, NULL);
		g_autofree char *all = g_strconcat("workload.size=5;",
						   points[i], NULL);

		ck_assert_str_eq(scenario_point(scenario, i), points[i]);
		ck_assert_str_eq(config->point, points[i]);
		ck_assert_str_eq(config->overrides, all);
		ck_assert_uint_eq(config->threads, 1u << i / 2);
		check_setting(config->parameters, 0, "udp.hash_entries",
			      i % 2 ? "1024" : "256", 13);
	}
}
END_TEST

/* Points with names come last, in the order of the file, and have nothing of
 * the sweep; --set lies over them. */
START_TEST(test_named_points)
{
	static char *sets[] = { (char *)"machine=xeon-x5660-2p", NULL };
	g_autoptr(Scenario) scenario = parse(
		"[point phone]\n"
		"machine = nexus-5\n"
		"scenario.kernel = linux-3.4-arm\n"
		"workload.size = 9\n"
		"[variant a]\n"
		"seed = 5\n"
		"[sweep]\n"
		"workload.size = 1; 2\n"
		"[point same]\n");
	g_autoptr(Config) phone = NULL, swept = NULL, same = NULL, set = NULL;

	ck_assert_uint_eq(scenario_num_points(scenario), 4);
	ck_assert_str_eq(scenario_point(scenario, 1), "workload.size=2");
	ck_assert_str_eq(scenario_point(scenario, 2), "phone");
	ck_assert_str_eq(scenario_point(scenario, 3), "same");

	swept = resolve(scenario, 0, 1, NULL);
	ck_assert_uint_eq(swept->size, 2);
	ck_assert_str_eq(swept->kernel, "k");
	phone = resolve(scenario, 0, 2, NULL);
	ck_assert_str_eq(phone->point, "phone");
	ck_assert_str_eq(phone->machine, "nexus-5");
	ck_assert_str_eq(phone->kernel, "linux-3.4-arm");
	ck_assert_uint_eq(phone->size, 9);
	ck_assert_uint_eq(phone->seed, 5);
	ck_assert_str_eq(phone->overrides,
			 "scenario.seed=5;scenario.machine=nexus-5;"
			 "scenario.kernel=linux-3.4-arm;workload.size=9");
	same = resolve(scenario, 0, 3, NULL);
	ck_assert_str_eq(same->machine, swept->machine);
	ck_assert_str_eq(same->overrides, "scenario.seed=5");
	set = resolve(scenario, 0, 2, sets);
	ck_assert_str_eq(set->machine, "xeon-x5660-2p");
	ck_assert_str_eq(set->kernel, "linux-3.4-arm");
}
END_TEST

/* Without a sweep, the file as it stands is a point as well. */
START_TEST(test_named_point_alone)
{
	g_autoptr(Scenario) scenario = parse("[point old]\n"
					     "kernel = linux-2.6.32\n");
	g_autoptr(Config) plain = resolve(scenario, 0, 0, NULL);
	g_autoptr(Config) old = resolve(scenario, 0, 1, NULL);

	ck_assert_uint_eq(scenario_num_points(scenario), 2);
	ck_assert_str_eq(plain->point, "");
	ck_assert_str_eq(plain->kernel, "k");
	ck_assert_str_eq(old->kernel, "linux-2.6.32");
}
END_TEST

/* A required key may come from the sweep alone, and 10,000 points are not too
 * many. */
START_TEST(test_sweep_alone_and_full)
{
	static const char head[] = "[scenario]\nname = x\nmachine = m\n"
		"kernel = k\n[workload]\nprogram = udpflood\ncount = 1\n"
		"[sweep]\nworkload.threads = 1";
	GString *text = g_string_new(head);
	g_autoptr(GError) error = NULL;
	g_autoptr(Scenario) scenario = NULL;
	g_autoptr(Config) config = NULL;

	for (int i = 2; i <= 100; i++)
		g_string_append_printf(text, ";%d", i);
	g_string_append(text, "\nscenario.seed = 1");
	for (int i = 2; i <= 100; i++)
		g_string_append_printf(text, ";%d", i);
	scenario = scenario_parse("x", text->str, text->len, &error);
	g_string_free(text, TRUE);
	assert_no_error(error);
	ck_assert_uint_eq(scenario_num_points(scenario), 10000);
	config = resolve(scenario, 0, 9998, NULL);
	ck_assert_uint_eq(config->threads, 100);
	ck_assert_uint_eq(config->seed, 99);
}
END_TEST

START_TEST(test_sets)
{
	char *sets[] = {
		(char *)"workload.threads = 3", (char *)"patches=a;b",
		(char *)"workload.threads=5", (char *)"workload.confirm=true",
		(char *)"layout.sock.sk_mark=own line",
		(char *)"scenario.title=a;b\\c=d", NULL
	};
	g_autoptr(Scenario) scenario = parse("[variant v]\n"
					     "workload.size = 9\n"
					     "workload.threads = 4\n");
	g_autoptr(Config) config = resolve(scenario, 0, 0, sets);

	ck_assert_uint_eq(config->threads, 5);
	ck_assert_str_eq(config->patches[1], "b");
	ck_assert(config->confirm);
	ck_assert_str_eq(config->title, "a;b\\c=d");
	check_setting(config->layout, 0, "sock.sk_mark", "own line", 0);
	/* A key stands where it was first laid over, with its last value. */
	ck_assert_str_eq(config->overrides,
			 "workload.size=9;workload.threads=5;"
			 "scenario.patches=a\\; b;workload.confirm=true;"
			 "layout.sock.sk_mark=own line;"
			 "scenario.title=a\\;b\\\\c=d");
}
END_TEST

/* Laid over again, overrides give the same config and the same text. */
START_TEST(test_round_trip)
{
	char *sets[] = {
		(char *)"workload.threads=007",
		(char *)"scenario.title=back\\slash; and; semicolons = fun",
		(char *)"patches=-a ;b", (char *)"workload.family=inet6",
		(char *)"workload.destination=FD00:0::2",
		(char *)"workload.cpus=1-3", (char *)"workload.connect=true",
		(char *)"network.device=lo kind loopback mtu 65536;"
			"d0 tx-checksumming off mtu 1500 kind dummy",
		(char *)"network.address=d0 10.0.0.1/8;d0 FD00::1/64",
		(char *)"network.route=10.9.0.0/16 dev d0 via 10.0.0.3",
		(char *)"network.neighbour="
			"d0 fd00::2 nud noarp lladdr 02:00:00:00:00:AA",
		(char *)"parameters.slab.UDP.limit=54",
		(char *)"layout.sock=pad   after x", NULL
	};
	g_autoptr(Scenario) scenario = parse("[variant v]\n"
					     "workload.size = 9\n"
					     "[sweep]\nworkload.port=1;2\n");
	g_autoptr(Config) first = resolve(scenario, 0, 1, sets);
	g_auto(GStrv) again = overrides_split(first->overrides);
	g_autoptr(Config) second = resolve(scenario, 0, 1, again);

	ck_assert_uint_eq(g_strv_length(again), 15);
	ck_assert_str_eq(second->overrides, first->overrides);
	ck_assert_str_eq(second->title, first->title);
	ck_assert_str_eq(second->title,
			 "back\\slash; and; semicolons = fun");
	ck_assert_uint_eq(second->threads, 7);
	ck_assert_str_eq(second->destination, "fd00::2");
	ck_assert_uint_eq(second->port, 2);
	ck_assert_uint_eq(second->addresses->len, 2);
	ck_assert_ptr_nonnull(strstr(first->overrides,
		"network.device=lo kind loopback mtu 65536\\; "
		"d0 kind dummy mtu 1500 tx-checksumming off;"
		"network.address=d0 10.0.0.1/8\\; d0 fd00::1/64;"
		"network.route=10.9.0.0/16 via 10.0.0.3 dev d0;"
		"network.neighbour="
		"d0 fd00::2 lladdr 02:00:00:00:00:aa nud noarp;"));
}
END_TEST

START_TEST(test_overrides_split)
{
	g_auto(GStrv) none = overrides_split("");
	g_auto(GStrv) two = overrides_split("a.b=1\\;2\\\\;c.d=");

	ck_assert_uint_eq(g_strv_length(none), 0);
	ck_assert_uint_eq(g_strv_length(two), 2);
	ck_assert_str_eq(two[0], "a.b=1;2\\");
	ck_assert_str_eq(two[1], "c.d=");
}
END_TEST

START_TEST(test_nearest)
{
	static const char *const known[] = {
		"threads", "count", "confirm", "size", NULL
	};
	static const char *const none[] = { NULL };

	ck_assert_str_eq(nearest_name("thread", known), "threads");
	ck_assert_str_eq(nearest_name("htreads", known), "threads");
	ck_assert_str_eq(nearest_name("THREADS", known), "threads");
	ck_assert_str_eq(nearest_name("coutn", known), "count");
	ck_assert_str_eq(nearest_name("confrim", known), "confirm");
	ck_assert_ptr_null(nearest_name("zebra", known));
	ck_assert_ptr_null(nearest_name("", known));
	ck_assert_ptr_null(nearest_name("x", none));
	ck_assert_ptr_null(nearest_name("confirmconfirmconfirmconfirmconfirm"
					"confirmconfirmconfirmconfirm",
					known));
}
END_TEST

Suite *scenario_suite(void)
{
	Suite *suite = suite_create("scenario");
	TCase *tcase = tcase_create("good input");

	tcase_add_test(tcase, test_table);
	tcase_add_test(tcase, test_full_scenario_and_workload);
	tcase_add_test(tcase, test_full_network);
	tcase_add_test(tcase, test_full_settings);
	tcase_add_test(tcase, test_full_published);
	tcase_add_test(tcase, test_where);
	tcase_add_test(tcase, test_defaults);
	tcase_add_test(tcase, test_spelling);
	tcase_add_test(tcase, test_range_ends);
	tcase_add_test(tcase, test_variants);
	tcase_add_test(tcase, test_sweep);
	tcase_add_test(tcase, test_named_points);
	tcase_add_test(tcase, test_named_point_alone);
	tcase_add_test(tcase, test_sweep_alone_and_full);
	tcase_add_test(tcase, test_sets);
	tcase_add_test(tcase, test_round_trip);
	tcase_add_test(tcase, test_overrides_split);
	tcase_add_test(tcase, test_nearest);
	suite_add_tcase(suite, tcase);
	return suite;
}
