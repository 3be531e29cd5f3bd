/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bad scenarios: each says where it is wrong, what is wrong, and what would be
 * right.  The tables hold whole messages, so that they are read as a user
 * reads them.
 */
#include "scenarios/scenario.h"
#include "scenarios/strict.h"
#include "tests/scenarios/suites.h"

#include <string.h>

/* Lines 1 to 4, 5 to 8, 9 to 11. */
#define SCENARIO "[scenario]\nname = x\nmachine = m\nkernel = k\n"
#define WORKLOAD "[workload]\nprogram = udpflood\nthreads = 2\ncount = 9\n"
#define NETWORK "[network]\ndevice = d0 kind dummy mtu 1500\n" \
	"address = d0 10.2.2.1/24\n"
#define BASE SCENARIO WORKLOAD
#define AT "x.scenario:"

struct bad {
	const char *text;
	const char *message;
};

static void check_bad(const char *text, gsize len, const char *message)
{
	g_autoptr(GError) error = NULL;
	struct scenario *scenario = scenario_parse("x.scenario", text, len,
						   &error);

	ck_assert_msg(!scenario, "this was taken for good: %s", text);
	ck_assert(error->domain == SCENARIO_ERROR);
	assert_message(error, message);
}

static const struct bad syntax[] = {
	{ "", AT "1: the file is empty; it needs groups such as [scenario]" },
	{ "\n# nothing\n\n", AT "3: the file is empty; it needs groups such "
	  "as [scenario]" },
	{ "name = x\n", AT "1: key 'name' stands before the first group; "
	  "begin with a line such as [scenario]" },
	{ BASE "[workload]\n", AT "9: group [workload] stands twice, first "
	  "on line 5; put its keys together" },
	{ BASE "[variant a]\n[ variant  a ]\n", AT "10: group [variant a] "
	  "stands twice, first on line 9; put its keys together" },
	{ BASE "\ncount = 3\n", AT "10: key 'count' in [workload] stands "
	  "twice, first on line 8; keep one" },
	{ BASE "[network\n", AT "9: a group without its ']': '[network'" },
	{ BASE "[network] # here\n", AT "9: '# here' after the group; a "
	  "group stands alone on its line" },
	{ BASE "[]\n", AT "9: bad group name ''; write [name]" },
	{ BASE "[a[b]\n", AT "9: bad group name 'a[b'; write [name]" },
	{ BASE "size 4\n", AT "9: 'size 4' is no line of this language; "
	  "write 'key = value', '[group]' or '# comment'" },
	{ BASE "; size = 4\n", AT "9: bad key '; size'; a key is made of "
	  "letters, digits, '_', '-' and '.'" },
	{ BASE "size[de] = 4\n", AT "9: bad key 'size[de]'; a key is made of "
	  "letters, digits, '_', '-' and '.'" },
	{ BASE "= 4\n", AT "9: bad key ''; a key is made of letters, digits, "
	  "'_', '-' and '.'" },
	{ BASE "[variant a]\ntitle = a\\qb\n", AT "10: bad escape in the "
	  "value of 'title'; only \\s \\n \\t \\r and \\\\ are known" },
	{ BASE "[variant a]\ntitle = a\\nb\n", AT "10: 'title' has more than "
	  "one line; give one" },
	{ BASE "[variant a]\ntitle = a\x01\n", AT "10: control character "
	  "0x01; only plain text is allowed" },
	{ BASE "size = 4\r5\n", AT "9: control character 0x0d; only plain "
	  "text is allowed" },
	{ BASE "[variant a]\ntitle = \xff\n", AT "10: byte 0xff is not "
	  "UTF-8; save the text as UTF-8" },
	{ "\xef\xbb\xbf" BASE, AT "1: the file starts with a byte order mark; "
	  "save it as UTF-8 without one" },
};

static const struct bad names[] = {
	{ BASE "thread = 3\n", AT "9: unknown key 'thread' in [workload]; did "
	  "you mean 'threads'?" },
	{ BASE "kernel = 3\n", AT "9: unknown key 'kernel' in [workload]; it "
	  "belongs to [scenario] ('scenario.kernel')" },
	{ BASE "zebra = 3\n", AT "9: unknown key 'zebra' in [workload]; "
	  "[workload] has program, threads, count, family, bind, confirm, connect, "
	  "share_files, size, destination, port, rate, rtt_us, "
	  "rtt_distribution, in_flight, cpus, response_size, seconds, "
	  "server_cpus, protocol, coverage" },
	{ BASE "[netwrok]\n", AT "9: unknown group [netwrok]; did you mean "
	  "[network]?" },
	{ BASE "[varient a]\n", AT "9: unknown group [varient a]; did you "
	  "mean [variant a]?" },
	{ BASE "[zebra]\n", AT "9: unknown group [zebra]; the groups are "
	  "scenario, workload, network, host NAME, link NAME, layout, "
	  "parameters, sweep, point NAME, published and variant NAME" },
	{ BASE "[network x]\n", AT "9: unknown group [network x]; did you "
	  "mean [network]?" },
	{ BASE "[link]\n", AT "9: a link without a name; write [link NAME], "
	  "such as [link wire]" },
	{ BASE "[variant]\n", AT "9: a variant without a name; write [variant "
	  "NAME], such as [variant before]" },
	{ BASE "[variant a b]\n", AT "9: 'a b' is not the name of a variant; "
	  "use letters, digits, '.', '_', '-' and '+'" },
	{ BASE "[variant a]\nthreads = 3\n", AT "10: unknown key 'threads' in "
	  "[variant a]; write GROUP.KEY for a key of another group than "
	  "[scenario]; it belongs to [workload] ('workload.threads')" },
	{ BASE "[variant a]\npatch = p\n", AT "10: unknown key 'patch' in "
	  "[variant a]; write GROUP.KEY for a key of another group than "
	  "[scenario]; did you mean 'patches'?" },
	{ BASE "[variant a]\nworkload.thread = 3\n", AT "10: unknown key "
	  "'thread' in [workload]; did you mean 'threads'?" },
	{ BASE "[variant a]\nworkloda.threads = 3\n", AT "10: unknown group "
	  "'workloda' of 'workloda.threads' in [variant a]; did you mean "
	  "'workload'?" },
	{ BASE "[variant a]\nudp.hash_entries = 3\n", AT "10: unknown group "
	  "'udp' of 'udp.hash_entries' in [variant a]; it is scenario, "
	  "workload, network, host.NAME, link.NAME, layout or parameters" },
	{ BASE "[variant a]\nname = y\n", AT "10: 'scenario.name' cannot be "
	  "overridden; it stands only in [scenario]" },
	{ BASE "[variant a]\npatches = p\nscenario.patches = q\n", AT "11: "
	  "'scenario.patches' sets the key of line 10 again; keep one" },
	{ BASE "[layout]\n.x = 1\n", AT "10: bad key '.x' in [layout]; it "
	  "begins with a letter" },
	{ BASE "[parameters]\nudp.hash_entries =\n", AT "10: "
	  "'udp.hash_entries' in [parameters] has no value; write one, or "
	  "leave the line out" },
	{ BASE "[published]\nmetrics = a\n", AT "10: unknown key 'metrics' in "
	  "[published]; did you mean 'metric'?" },
	{ BASE "[published r]\nzebra = a\n", AT "10: unknown key 'zebra' in "
	  "[published r]; it has metric, before and after" },
};

static const struct bad missing[] = {
	{ "[scenario]\nmachine = m\nkernel = k\n" WORKLOAD, AT "1: missing "
	  "key 'name' in [scenario]; write 'name = ...': the name of the "
	  "scenario, as results record it" },
	{ "[scenario]\nname = x\nkernel = k\n" WORKLOAD, AT "1: missing key "
	  "'machine' in [scenario]; write 'machine = ...': a machine profile "
	  "('udpsim list machines')" },
	{ "[scenario]\nname = x\nmachine = m\n" WORKLOAD, AT "1: missing key "
	  "'kernel' in [scenario]; write 'kernel = ...': a kernel ('udpsim "
	  "list kernels')" },
	{ SCENARIO "[workload]\nthreads = 2\ncount = 9\n", AT "5: missing key "
	  "'program' in [workload]; write 'program = ...': the program to run "
	  "('udpsim list workloads')" },
	{ SCENARIO "[workload]\nprogram = rr\ncount = 9\n", AT "5: missing "
	  "key 'threads' in [workload]; write 'threads = ...': tasks that run "
	  "it at once" },
	{ SCENARIO "[workload]\nprogram = rr\nthreads = 2\n", AT "5: missing "
	  "key 'count' in [workload]; write 'count = ...': operations of each "
	  "thread" },
	{ SCENARIO, AT "4: missing key 'program' in [workload], a group that "
	  "is missing too; write 'program = ...': the program to run ('udpsim "
	  "list workloads')" },
	{ BASE "[published]\nmetric = a\nbefore = 1\nafter = 1\n"
	  "[published a]\nmetric = a\nbefore = 1\nafter = 1\n",
	  AT "13: [published a] gives a of the same row again; put all of its "
	  "figures into one group" },
	{ BASE "[published]\nbefore = 1\nafter = 1\n", AT "9: missing key "
	  "'metric' in [published]; it needs metric, before and after" },
	{ BASE "[published r]\nmetric = m\nbefore = 1\n", AT "9: missing key "
	  "'after' in [published r]; it needs metric, before and after" },
};

/* The value of one key after BASE; the message goes on after "x.scenario:9: ".
 */
static const struct bad values[] = {
	{ "size = -5", "'-5' of 'size' is negative; give a whole number from "
	  "0 to 65507" },
	{ "size = 65508", "'65508' of 'size' is out of range; give a whole "
	  "number from 0 to 65507" },
	{ "size = 99999999999999999999999", "'99999999999999999999999' of "
	  "'size' is out of range; give a whole number from 0 to 65507" },
	{ "size = 1,5", "'1,5' of 'size' has a comma in it (numbers have no "
	  "separators); give a whole number from 0 to 65507" },
	{ "size = 1.5", "'1.5' of 'size' has a decimal point in it; give a "
	  "whole number from 0 to 65507" },
	{ "size = 0x10", "'0x10' of 'size' is not a whole number; give a "
	  "whole number from 0 to 65507" },
	{ "size = many", "'many' of 'size' is not a whole number; give a "
	  "whole number from 0 to 65507" },
	{ "size = 4 # bytes", "'4 # bytes' of 'size' has a comment in it "
	  "(comments stand on lines of their own); give a whole number from 0 "
	  "to 65507" },
	{ "size =", "'' of 'size' is empty; give a whole number from 0 to "
	  "65507" },
	{ "port = 0", "'0' of 'port' is out of range; give a whole number "
	  "from 1 to 65535" },
	{ "confirm = yes", "'yes' of 'confirm' is neither true nor false; "
	  "write one of the two" },
	{ "family = ipv4", "'ipv4' of 'family' is not an address family; "
	  "write inet or inet6" },
	{ "destination = 10.2.2", "'10.2.2' of 'destination' is not an "
	  "address; write one such as 10.2.2.2 or fd00::2" },
	{ "destination = fd00::2", "destination 'fd00::2' is IPv6, but "
	  "'family' is IPv4; make them agree" },
	{ "cpus = 3-1", "'3-1' of 'cpus' is not a list of CPUs; write rising "
	  "numbers or ranges up to 4095, parted by ',', such as 0-5,12" },
	{ "cpus = 0-3,2", "'0-3,2' of 'cpus' is not a list of CPUs; write "
	  "rising numbers or ranges up to 4095, parted by ',', such as "
	  "0-5,12" },
	{ "cpus = 4096", "'4096' of 'cpus' is not a list of CPUs; write "
	  "rising numbers or ranges up to 4095, parted by ',', such as "
	  "0-5,12" },
};

/* The same for [variant a], whose key stands on line 10. */
static const struct bad overrides[] = {
	{ "workload.threads = 0", "'0' of 'threads' is out of range; give a "
	  "whole number from 1 to 4096" },
	{ "workload.threads = 4097", "'4097' of 'threads' is out of range; "
	  "give a whole number from 1 to 4096" },
	{ "workload.count = 0", "'0' of 'count' is out of range; give a whole "
	  "number from 1 to 1000000000000" },
	{ "workload.count = -5", "'-5' of 'count' is negative; give a whole "
	  "number from 1 to 1000000000000" },
	{ "workload.count = 1000000000001", "'1000000000001' of 'count' is "
	  "out of range; give a whole number from 1 to 1000000000000" },
	{ "repeat = 1001", "'1001' of 'repeat' is out of range; give a whole "
	  "number from 1 to 1000" },
	{ "seed = 18446744073709551616", "'18446744073709551616' of 'seed' is "
	  "out of range; give a whole number from 0 to "
	  "18446744073709551615" },
	{ "workload.program = udpflod", "unknown program 'udpflod'; did you "
	  "mean 'udpflood'?" },
	{ "workload.program = zebra", "unknown program 'zebra' of 'program'; "
	  "it is one of udpflood, socket-churn, dns-resolver, rr, stream, "
	  "multicast-pingpong, replay, script, udpsink" },
	{ "machine = a b", "'a b' of 'machine' is not a name; a name is made "
	  "of letters, digits, '.', '_', '-' and '+' and begins with a letter "
	  "or digit" },
	{ "kernel =", "'kernel' is empty; give a name" },
	{ "patches = a;;b", "item 2 of the list 'patches' is empty; write "
	  "something between the ';'" },
	{ "patches = ;a", "item 1 of the list 'patches' is empty; write "
	  "something between the ';'" },
	{ "patches = a b", "'a b' is not a patch name; part names by ';'" },
	{ "patches = a; -a", "patch 'a' stands twice in 'patches'; keep "
	  "one" },
};

#define DEVICE_FORM "NAME kind dummy|loopback|nic mtu BYTES " \
	"[tx-checksumming on|off] and, for a nic, [lladdr MAC] [queues N] " \
	"[ring N] [rx_usecs N] [cpus LIST] [txqueuelen N] [rps LIST]"

/* Keys of [network] alone, on line 10. */
static const struct bad network[] = {
	{ "device = d0", "device 'd0': no 'kind'; write " DEVICE_FORM },
	{ "device = d0 kind dummy", "device 'd0 kind dummy': no 'mtu'; write "
	  DEVICE_FORM },
	{ "device = d0 kind dumy mtu 1500", "device 'd0 kind dumy mtu 1500': "
	  "unknown kind 'dumy'; did you mean 'dummy'?" },
	{ "device = d0 kind zebra mtu 1500", "device 'd0 kind zebra mtu "
	  "1500': unknown kind 'zebra'; it is dummy, loopback or nic" },
	{ "device = d0 kind nic mtu 67", "device 'd0 kind nic mtu 67': mtu "
	  "'67' is not a whole number from 68 to 65536" },
	{ "device = d0 kind nic mut 68", "device 'd0 kind nic mut 68': "
	  "unknown option 'mut'; did you mean 'mtu'?" },
	{ "device = d0 kind nic mtu", "device 'd0 kind nic mtu': 'mtu' needs "
	  "a value; write " DEVICE_FORM },
	{ "device = d0 mtu 99 mtu 99", "device 'd0 mtu 99 mtu 99': 'mtu' "
	  "stands twice; keep one" },
	{ "device = d0 kind nic mtu 99 tx-checksumming no", "device 'd0 kind "
	  "nic mtu 99 tx-checksumming no': 'no' is neither on nor off" },
	{ "device = abcdefghijklmnop kind nic mtu 99", "device "
	  "'abcdefghijklmnop kind nic mtu 99': 'abcdefghijklmnop' is not a "
	  "device name; it has 1 to 15 letters, digits, '.', '_' and '-'" },
	{ "device = d0 kind nic mtu 99;; d1", "item 2 of the list 'device' is "
	  "empty; write something between the ';'" },
	{ "device = d0 kind nic mtu 99; d0 kind nic mtu 99", "device 'd0' is "
	  "declared twice; keep one" },
	{ "address = d0 10.2.2.1/24", "address: device 'd0' is not declared; "
	  "add it to 'device'" },
};

/* Keys of [network] after NETWORK, on line 12. */
static const struct bad entries[] = {
	{ "route = 10.3.0.0/16 dev d1", "route: device 'd1' is not declared; "
	  "did you mean 'd0'?" },
	{ "route = 10.3.0.0/16 dev zebra", "route: device 'zebra' is not "
	  "declared; add it to 'device'" },
	{ "route = 10.3.0.0/33 dev d0", "route '10.3.0.0/33 dev d0': prefix "
	  "length '33' is not a whole number from 0 to 32" },
	{ "route = fd00::/129 dev d0", "route 'fd00::/129 dev d0': prefix "
	  "length '129' is not a whole number from 0 to 128" },
	{ "route = 10.3.0.0 dev d0", "route '10.3.0.0 dev d0': '10.3.0.0' has "
	  "no prefix length; write ADDRESS/PREFIX, such as 10.2.2.1/24" },
	{ "route = 10.3.0.256/16 dev d0", "route '10.3.0.256/16 dev d0': "
	  "'10.3.0.256' is not an address; write one such as 10.2.2.1 or "
	  "fd00::1" },
	{ "route = 10.3.9.0/16 dev d0", "route '10.3.9.0/16 dev d0': "
	  "'10.3.9.0/16' has bits beyond its prefix; did you mean "
	  "'10.3.0.0/16'?" },
	{ "route = default dev d0", "route 'default dev d0': 'default' has no "
	  "family; write 0.0.0.0/0 or ::/0" },
	{ "route = 10.3.0.0/16 via fd00::9 dev d0", "route '10.3.0.0/16 via "
	  "fd00::9 dev d0': gateway 'fd00::9' is not of the family of "
	  "'10.3.0.0/16'; give an IPv4 address" },
	{ "route = 10.3.0.0/16 via 10.2.2.9", "route '10.3.0.0/16 via "
	  "10.2.2.9': no 'dev'; write ADDRESS/PREFIX [via ADDRESS] dev "
	  "DEVICE" },
	{ "route = 10.3.0.0/16 dev d0; 10.3.0.0/16 dev d0", "route: entries 1 "
	  "and 2 are for the same prefix; keep one" },
	{ "neighbour = d0", "neighbour 'd0': write DEVICE ADDRESS lladdr MAC "
	  "nud permanent|noarp|reachable|stale|delay|probe|failed|incomplete|"
	  "none" },
	{ "neighbour = d0 10.2.2.2 nud noarp", "neighbour 'd0 10.2.2.2 nud "
	  "noarp': no 'lladdr'; write DEVICE ADDRESS lladdr MAC nud "
	  "permanent|noarp|reachable|stale|delay|probe|failed|incomplete|"
	  "none" },
	{ "neighbour = d0 10.2.2.2 lladdr 02:00:00:00:02 nud noarp",
	  "neighbour 'd0 10.2.2.2 lladdr 02:00:00:00:02 nud noarp': "
	  "'02:00:00:00:02' is not a MAC address; write one such as "
	  "02:00:00:00:00:02" },
	{ "neighbour = d0 10.2.2.2 lladdr 01:00:00:00:00:02 nud noarp",
	  "neighbour 'd0 10.2.2.2 lladdr 01:00:00:00:00:02 nud noarp': "
	  "'01:00:00:00:00:02' is a multicast MAC address; its first byte "
	  "must be even" },
	{ "neighbour = d0 10.2.2.2 lladdr 02:00:00:00:00:02 nud reachble",
	  "neighbour 'd0 10.2.2.2 lladdr 02:00:00:00:00:02 nud reachble': "
	  "unknown nud state 'reachble'; did you mean 'reachable'?" },
	{ "neighbour = d0 10.2.2.2 lladdr 02:00:00:00:00:02 nud perhaps",
	  "neighbour 'd0 10.2.2.2 lladdr 02:00:00:00:00:02 nud perhaps': "
	  "unknown nud state 'perhaps'; it is one of permanent, noarp, "
	  "reachable, stale, delay, probe, failed, incomplete, none" },
	{ "neighbour = d0 224.0.0.1 lladdr 02:00:00:00:00:02 nud noarp",
	  "neighbour 'd0 224.0.0.1 lladdr 02:00:00:00:00:02 nud noarp': "
	  "'224.0.0.1' is not the address of a host; give a unicast "
	  "address" },
	{ "neighbour = d0 fd00::2 lladdr 02:00:00:00:00:02 nud noarp",
	  "neighbour: entry 1 is IPv6, but 'd0' has no address of that "
	  "family; add one to 'address'" },
	{ "neighbour = d1 10.2.2.2 lladdr 02:00:00:00:00:02 nud noarp",
	  "neighbour: device 'd1' is not declared; did you mean 'd0'?" },
	{ "neighbour = d0 10.2.2.2 lladdr 02:00:00:00:00:02 nud noarp; "
	  "d0 10.2.2.2 lladdr 02:00:00:00:00:03 nud noarp",
	  "neighbour: entries 1 and 2 are the same; keep one" },
	{ "[variant a]\nnetwork.address = d0 10.2.2.1/24; d0 10.2.2.1/16",
	  "address: entries 1 and 2 are the same address; keep one" },
	{ "[variant a]\nnetwork.address = d0 10.2.2.1/24 up", "address 'd0 "
	  "10.2.2.1/24 up': write DEVICE ADDRESS/PREFIX" },
	{ "[variant a]\nnetwork.address = d0 ff02::1/64", "address 'd0 "
	  "ff02::1/64': 'ff02::1' is not the address of a host; give a "
	  "unicast address" },
};

static const struct bad published[] = {
	{ "before = 2,247", "'2,247' of 'before' has a decimal comma; write "
	  "'2.247', and ';' between numbers" },
	{ "before = 2.2; x", "'x' of 'before' is not a number; write one such "
	  "as 2.247" },
	{ "before = nan", "'nan' of 'before' is not a number; write one such "
	  "as 2.247" },
	{ "before = 0x10", "'0x10' of 'before' is not a number; write one "
	  "such as 2.247" },
	{ "before = 1e999", "'1e999' of 'before' is not a number; write one "
	  "such as 2.247" },
	{ "before = 1.2.3", "'1.2.3' of 'before' is not a number; write one "
	  "such as 2.247" },
	{ "before = -1", "'-1' of 'before' is negative; give a number from 0 "
	  "up" },
	{ "before =", "'before' is empty; give numbers parted by ';'" },
	{ "before = 1;;2", "item 2 of the list 'before' is empty; write "
	  "something between the ';'" },
};

static const struct bad sweeps[] = {
	{ "workload.thread = 1;2", "unknown key 'thread' in [workload]; did "
	  "you mean 'threads'?" },
	{ "threads = 1;2", "unknown key 'threads' in [sweep]; write GROUP.KEY "
	  "for a key of another group than [scenario]; it belongs to "
	  "[workload] ('workload.threads')" },
	{ "sweep.threads = 1;2", "unknown group 'sweep' of 'sweep.threads' in "
	  "[sweep]; it is scenario, workload, network, host.NAME, link.NAME, "
	  "layout or parameters" },
	{ "scenario.name = a;b", "'scenario.name' cannot be overridden; it "
	  "stands only in [scenario]" },
	{ "workload.threads =", "'workload.threads' has no values; give some, "
	  "parted by ';'" },
	{ "workload.threads = 1;;2", "item 2 of the list 'workload.threads' "
	  "is empty; write something between the ';'" },
	{ "workload.threads = 1;0", "'0' of 'threads' is out of range; give a "
	  "whole number from 1 to 4096" },
	{ "workload.threads = 4;04", "'4' stands twice in 'workload.threads'; "
	  "keep one" },
	{ "seed = 1;2\nscenario.seed = 3;4", "'scenario.seed' is swept on "
	  "line 10 already; keep one" },
	{ "workload.family = inet;inet6\nworkload.destination = fd00::1",
	  "destination 'fd00::1' is IPv6, but 'family' is IPv4; make them "
	  "agree" },
};

START_TEST(test_syntax)
{
	check_bad(syntax[_i].text, strlen(syntax[_i].text),
		  syntax[_i].message);
}
END_TEST

START_TEST(test_names)
{
	check_bad(names[_i].text, strlen(names[_i].text), names[_i].message);
}
END_TEST

START_TEST(test_missing)
{
	check_bad(missing[_i].text, strlen(missing[_i].text),
		  missing[_i].message);
}
END_TEST

/* The error is on the last line of head and the line. */
static void check_last_line(const char *head, const char *line,
			    const char *message)
{
	g_autofree char *text = g_strdup_printf("%s%s\n", head, line);
	g_autofree char *whole = NULL;
	unsigned int lines = 0;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	whole = g_strdup_printf(AT "%u: %s", lines, message);
	check_bad(text, strlen(text), whole);
}

START_TEST(test_values)
{
	check_last_line(BASE, values[_i].text, values[_i].message);
}
END_TEST

START_TEST(test_overrides)
{
	check_last_line(BASE "[variant a]\n", overrides[_i].text,
			overrides[_i].message);
}
END_TEST

START_TEST(test_network)
{
	check_last_line(BASE "[network]\n", network[_i].text,
			network[_i].message);
}
END_TEST

START_TEST(test_entries)
{
	check_last_line(BASE NETWORK, entries[_i].text, entries[_i].message);
}
END_TEST

START_TEST(test_published)
{
	check_last_line(BASE "[published]\nmetric = elapsed_s\nafter = 1\n",
			published[_i].text, published[_i].message);
}
END_TEST

START_TEST(test_sweeps)
{
	check_last_line(BASE "[sweep]\n", sweeps[_i].text,
			sweeps[_i].message);
}
END_TEST

START_TEST(test_published_metric)
{
	static const char text[] = BASE "[published]\nmetric = 2 s\n"
		"before = 1\nafter = 1\n";

	check_bad(text, strlen(text), AT "10: '2 s' of 'metric' is not a "
		  "metric; write one such as elapsed_s ('udpsim list "
		  "metrics')");
}
END_TEST

/* No destination is needed where there is no neighbour, but a neighbour must
 * be of the family that is to be sent to. */
START_TEST(test_family_of_neighbours)
{
	static const char text[] = BASE "family = inet6\n" NETWORK
		"neighbour = d0 10.2.2.2 lladdr 02:00:00:00:00:02 nud "
		"noarp\n";

	check_bad(text, strlen(text), AT "9: 'family' is IPv6, but no "
		  "neighbour is; add one, or give a 'destination'");
}
END_TEST

START_TEST(test_small_mtu)
{
	static const char text[] = BASE "[network]\n"
		"device = d0 kind dummy mtu 1279\naddress = d0 fd00::1/64\n";

	check_bad(text, strlen(text), AT "11: address: 'd0' has an IPv6 "
		  "address but an mtu below 1280; raise its mtu");
}
END_TEST

START_TEST(test_variant_against_sweep)
{
	static const char text[] = BASE "[sweep]\nworkload.size = 1;2\n"
		"[variant a]\nworkload.size = 3\n";

	check_bad(text, strlen(text), AT "12: 'workload.size' is set by "
		  "[sweep] as well; take it out of one");
}
END_TEST

START_TEST(test_variant_against_point)
{
	static const char text[] = BASE "[variant a]\nkernel = linux-3.4\n"
		"[point old]\nscenario.kernel = linux-2.6.32\n";

	check_bad(text, strlen(text), AT "10: 'scenario.kernel' is set by "
		  "[point old] as well; take it out of one");
}
END_TEST

/* A point has the same keys as a variant; the line that is wrong is the last. */
static const struct bad points[] = {
	{ "[point]", "a point without a name; write [point NAME], such as "
	  "[point telephone]" },
	{ "[point a=b]", "'a=b' is not the name of a point; use letters, "
	  "digits, '.', '_', '-' and '+'" },
	{ "[piont a]", "unknown group [piont a]; did you mean [point a]?" },
	{ "[point a]\n[point a]", "group [point a] stands twice, first on line "
	  "9; put its keys together" },
	{ "[point a]\nthreads = 1", "unknown key 'threads' in [point a]; write "
	  "GROUP.KEY for a key of another group than [scenario]; it belongs "
	  "to [workload] ('workload.threads')" },
	{ "[point a]\nkernel = linux-3.4\nscenario.kernel = linux-3.6",
	  "'scenario.kernel' sets the key of line 10 again; keep one" },
	{ "[point a]\nname = b", "'scenario.name' cannot be overridden; it "
	  "stands only in [scenario]" },
	{ "[point a]\nworkload.threads = 0", "'0' of 'threads' is out of "
	  "range; give a whole number from 1 to 4096" },
};

START_TEST(test_points)
{
	check_last_line(BASE, points[_i].text, points[_i].message);
}
END_TEST

START_TEST(test_too_many_points)
{
	g_autoptr(GString) text = g_string_new(BASE);
	int i;

	for (i = 0; i <= 100; i++)
		g_string_append_printf(text, "[point p%d]\n", i);
	check_bad(text->str, text->len, AT "109: more than 100 points with "
		  "names");
}
END_TEST

START_TEST(test_nul)
{
	static const char text[] = BASE "size = 4\0\n";

	check_bad(text, sizeof(text) - 1, AT "9: NUL byte 0x00; only plain "
		  "text is allowed");
}
END_TEST

START_TEST(test_huge)
{
	gsize len = STRICT_MAX_BYTES + 1;
	g_autofree char *text = g_strnfill(len, '\n');

	check_bad(text, len, AT "1: the text is larger than 1048576 bytes");
	check_bad(text, len - 1, AT "1048576: the file is empty; it needs "
		  "groups such as [scenario]");
}
END_TEST

/* What has no end otherwise. */
START_TEST(test_limits)
{
	GString *text = g_string_new(BASE "[sweep]\nworkload.size = 0");

	for (int i = 1; i < 101; i++)
		g_string_append_printf(text, ";%d", i);
	g_string_append(text, "\nscenario.seed = 0");
	for (int i = 1; i < 100; i++)
		g_string_append_printf(text, ";%d", i);
	g_string_append_c(text, '\n');
	check_bad(text->str, text->len, AT "11: with 'scenario.seed' the "
		  "sweep has more than 10000 points; give fewer values");

	g_string_assign(text, BASE);
	for (int i = 0; i < 101; i++)
		g_string_append_printf(text, "[variant v%d]\n", i);
	check_bad(text->str, text->len, AT "109: more than 100 variants");

	g_string_assign(text, BASE "[layout]\n");
	for (int i = 0; i <= STRICT_MAX_KEYS; i++)
		g_string_append_printf(text, "a%d = x\n", i);
	check_bad(text->str, text->len, AT "510: more than 500 keys in "
		  "[layout]");

	g_string_assign(text, BASE);
	for (int i = 0; i < STRICT_MAX_GROUPS; i++)
		g_string_append_printf(text, "[published %d]\n", i);
	check_bad(text->str, text->len, AT "507: more than 500 groups");
	g_string_free(text, TRUE);
}
END_TEST

static const struct bad sets[] = {
	{ "workload.threads", "--set workload.threads: no '=' in it; write "
	  "--set GROUP.KEY=VALUE" },
	{ "", "--set : no '=' in it; write --set GROUP.KEY=VALUE" },
	{ "=3", "--set =3: '' is no key; write --set GROUP.KEY=VALUE" },
	{ "work load=3", "--set work load=3: 'work load' is no key; write "
	  "--set GROUP.KEY=VALUE" },
	{ "workload.thread=3", "--set workload.thread=3: unknown key 'thread' "
	  "in [workload]; did you mean 'threads'?" },
	{ "threads=3", "--set threads=3: unknown key 'threads' in --set; "
	  "write GROUP.KEY for a key of another group than [scenario]; it "
	  "belongs to [workload] ('workload.threads')" },
	{ "worklod.threads=3", "--set worklod.threads=3: unknown group "
	  "'worklod' of 'worklod.threads' in --set; did you mean "
	  "'workload'?" },
	{ "workload.threads=0", "--set workload.threads=0: '0' of 'threads' "
	  "is out of range; give a whole number from 1 to 4096" },
	{ "workload.threads=", "--set workload.threads=: '' of 'threads' is "
	  "empty; give a whole number from 1 to 4096" },
	{ "scenario.name=y", "--set scenario.name=y: 'scenario.name' cannot "
	  "be overridden; it stands only in [scenario]" },
	{ "layout.sock.x=", "--set layout.sock.x=: 'sock.x' in [layout] has "
	  "no value; write one, or leave the line out" },
	{ "workload.family=inet6", "--set workload.family=inet6: 'family' is "
	  "IPv6, but no neighbour is; add one, or give a 'destination'" },
	{ "title=a\nb", "--set title=a\nb: 'title' has more than one line; "
	  "give one" },
	{ "title=\x02", "--set title=\x02: control character 0x02; only plain "
	  "text is allowed" },
	{ "title=\xff", "--set title=\xef\xbf\xbd: byte 0xff is not UTF-8; "
	  "save the text as UTF-8" },
};

START_TEST(test_sets)
{
	static const char text[] = BASE NETWORK
		"neighbour = d0 10.2.2.2 lladdr 02:00:00:00:00:02 nud noarp\n";
	char *list[] = {
		(char *)"workload.size=1", (char *)sets[_i].text, NULL
	};
	g_autoptr(GError) error = NULL;
	g_autoptr(Scenario) scenario = scenario_parse("x.scenario", text,
						      strlen(text), &error);

	assert_no_error(error);
	ck_assert_ptr_null(scenario_resolve(scenario, 0, 0, list, &error));
	assert_message(error, sets[_i].message);
}
END_TEST

/* A long value does not make a long message, nor one that is not UTF-8. */
START_TEST(test_long_value)
{
	GString *text = g_string_new(BASE "size = ");
	g_autoptr(GError) error = NULL;

	for (int i = 0; i < 1000; i++)
		g_string_append(text, "x\xe2\x82\xac");
	ck_assert_ptr_null(scenario_parse("x", text->str, text->len, &error));
	ck_assert(error->domain == SCENARIO_ERROR);
	ck_assert_int_lt(strlen(error->message), 200);
	ck_assert(g_utf8_validate(error->message, -1, NULL));
	g_string_free(text, TRUE);
}
END_TEST

#define ADD(tcase, test, table) \
	tcase_add_loop_test(tcase, test, 0, (int)G_N_ELEMENTS(table))

Suite *scenario_errors_suite(void)
{
	Suite *suite = suite_create("scenario errors");
	TCase *tcase = tcase_create("bad input");

	ADD(tcase, test_syntax, syntax);
	ADD(tcase, test_names, names);
	ADD(tcase, test_missing, missing);
	ADD(tcase, test_values, values);
	ADD(tcase, test_overrides, overrides);
	ADD(tcase, test_network, network);
	ADD(tcase, test_entries, entries);
	ADD(tcase, test_published, published);
	ADD(tcase, test_sweeps, sweeps);
	ADD(tcase, test_points, points);
	ADD(tcase, test_sets, sets);
	tcase_add_test(tcase, test_published_metric);
	tcase_add_test(tcase, test_family_of_neighbours);
	tcase_add_test(tcase, test_small_mtu);
	tcase_add_test(tcase, test_variant_against_sweep);
	tcase_add_test(tcase, test_variant_against_point);
	tcase_add_test(tcase, test_too_many_points);
	tcase_add_test(tcase, test_nul);
	tcase_add_test(tcase, test_huge);
	tcase_add_test(tcase, test_limits);
	tcase_add_test(tcase, test_long_value);
	suite_add_tcase(suite, tcase);
	return suite;
}
