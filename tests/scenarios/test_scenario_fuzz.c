/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Damaged scenarios and machine profiles: cut short at each byte, with bytes
 * changed, with lines swapped or repeated.  Each gives a result or an error
 * that names the file, never both, never neither, never a crash.
 *
 * The damage is drawn by a generator of our own from a fixed seed, so that a
 * failure can be repeated.
 */
#include "analysis/results.h"
#include "scenarios/machine_file.h"
#include "scenarios/scenario.h"
#include "tests/scenarios/suites.h"

#include <string.h>

#define ROUNDS 4000

static const char scenario_text_[] =
	"[scenario]\nname = x\ntitle = a;b \\\\ \\s\nmachine = m\n"
	"kernel = linux-3.6\nrepeat = 4\nseed = 1\npatches = a; -b\n"
	"[workload]\nprogram = udpflood\nthreads = 24\ncount = 1000\n"
	"family = inet\nconfirm = true\nsize = 3\ncpus = 0-5,12\n"
	"destination = 10.2.2.2\nport = 9\n"
	"[network]\ndevice = d0 kind dummy mtu 1500; e0 kind nic mtu 9000\n"
	"address = d0 10.2.2.1/24; d0 fd00::1/64\n"
	"route = 10.3.0.0/16 via 10.2.2.9 dev d0\n"
	"neighbour = d0 10.2.2.2 lladdr 02:00:00:00:00:02 nud reachable\n"
	"[layout]\nsock.sk_mark = own line\n"
	"[parameters]\nudp.hash_entries = 65536\n"
	"[sweep]\nworkload.threads = 1;2\nseed = 3;4\n"
	"[variant before]\n[variant after]\npatches = p\n"
	"layout.sock.sk_mark = offset 8\n"
	"[published]\nmetric = elapsed_s\nbefore = 2.2; 2.3\nafter = 1.8\n"
	"[published row 2]\nmetric = a\nbefore = 1\nafter = 1e3\n";

static const char hosts_text[] =
	"[scenario]\nname = x\nmachine = m\nkernel = linux-3.6\n"
	"[workload]\nprogram = udpflood\nthreads = 1\ncount = 1\n"
	"[host a]\nmachine = one\npatches = p\n"
	"device = e0 kind nic mtu 1500 queues 4 ring 512 cpus 0-3 rx_usecs 9\n"
	"address = e0 10.2.2.1/24\n"
	"[host b]\ndevice = e0 kind nic mtu 1500 lladdr 02:00:00:00:00:02\n"
	"address = e0 10.2.2.2/24\n"
	"[link l]\nends = a.e0; b.e0\nrate_mbit = 10\ndelay_ns = 10\n"
	"loss_pct = 0.5\nreorder_pct = 1\nreorder_ns = 5\n"
	"[sweep]\nlink.l.delay_ns = 1; 2\nhost.a.kernel = k; l\n"
	"[variant v]\nhost.b.patches = q\nlink.l.loss_pct = 0\n";

static const char machine_text[] =
	"[machine]\ntitle = t\npackages = 2\ncores = 6\nthreads = 2\n"
	"clock_mhz = 2800.001\nmemory_mib = 1024\n"
	"[instructions]\ncycles_per_instruction = 0.8\nsmt_slowdown = 1.6\n"
	"jitter = 0.1\nsyscall = 85 cycles\n"
	"[caches]\nline_bytes = 64\nl1d = 32 KiB 8 ways\n"
	"l2 = 256 KiB 8 ways\nl3 = 12 MiB 16 ways\nline_fill_buffers = 10\n"
	"adjacent_line_prefetch = true\n"
	"[latency]\nl1 = 4 cycles\nl2 = 10 cycles\nsibling = 4 cycles\n"
	"l3 = 42 cycles\nother_core_clean = 65 cycles\n"
	"other_core_modified = 75 cycles\nother_package_clean = 63 ns\n"
	"other_package_modified = 92.4 ns\ndram_local = 81.3 ns\n"
	"dram_remote = 119.3 ns\n"
	"[stores]\nstore_buffer = 32\natomic = 20 cycles\nfence = 33 cycles\n"
	"[contention]\nconflict = 38 ns\n[strings]\nrep = none\n"
	"[interrupts]\ninterrupt = 500 cycles\nipi = 500 ns\n"
	"context_switch = none\n[idle]\nstates = C1 3 us 6 us; C3 20 us 80 us\n";

static guint64 state;

static void seed_random(void)
{
	state = 0x9e3779b97f4a7c15;
}

/* xorshift64 */
static guint next_random(guint below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (guint)((state >> 32) % below);
}

/* What overrides say lays over again as it is. */
static void check_round_trip(const struct scenario *scenario)
{
	g_autoptr(GError) error = NULL;
	unsigned int variant = scenario_num_variants(scenario) - 1;
	unsigned int point = scenario_num_points(scenario) - 1;
	g_autoptr(Config) first = scenario_resolve(scenario, variant, point,
						   NULL, &error);
	g_autoptr(Config) second = NULL;
	g_auto(GStrv) sets = NULL;

	assert_no_error(error);
	sets = overrides_split(first->overrides);
	second = scenario_resolve(scenario, variant, point, sets, &error);
	assert_no_error(error);
	ck_assert_str_eq(second->overrides, first->overrides);
}

static gboolean scenario_survives(const char *text, gsize len)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Scenario) scenario = scenario_parse("x.scenario", text, len,
						      &error);

	if (scenario) {
		assert_no_error(error);
		check_round_trip(scenario);
		return TRUE;
	}
	ck_assert_ptr_nonnull(error);
	ck_assert(g_str_has_prefix(error->message, "x.scenario:"));
	return FALSE;
}

static gboolean machine_survives(const char *text, gsize len)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(MachineProfile) profile =
		machine_profile_parse("x.machine", text, len, &error);

	if (profile) {
		assert_no_error(error);
		return TRUE;
	}
	ck_assert_ptr_nonnull(error);
	ck_assert(g_str_has_prefix(error->message, "x.machine:"));
	return FALSE;
}

struct subject {
	const char *text;
	gsize len;
	gboolean (*survives)(const char *text, gsize len);
};

static const struct subject subjects[] = {
	{ scenario_text_, sizeof(scenario_text_) - 1, scenario_survives },
	{ hosts_text, sizeof(hosts_text) - 1, scenario_survives },
	{ machine_text, sizeof(machine_text) - 1, machine_survives },
};

/* The copy is exactly as long as what is read, so that a sanitizer sees a
 * byte read beyond it. */
START_TEST(test_prefixes)
{
	const struct subject *s = &subjects[_i];
	guint good = 0;

	for (gsize len = 0; len <= s->len; len++) {
		g_autofree char *text = g_memdup2(s->text, len ? len : 1);

		good += s->survives(text, len);
	}
	/* The whole, and without the last newline, at least. */
	ck_assert_uint_ge(good, 2);
}
END_TEST

START_TEST(test_changed_bytes)
{
	static const char likely[] = "=;[]#.-,/\\\n\r\t\0 09aZ:\xff";
	const struct subject *s = &subjects[_i];
	guint bad = 0;

	seed_random();
	for (int round = 0; round < ROUNDS; round++) {
		g_autofree char *text = g_memdup2(s->text, s->len);

		for (guint n = next_random(4) + 1; n; n--) {
			gsize at = next_random((guint)s->len);

			if (next_random(2))
				text[at] ^= (char)(1 << next_random(8));
			else
				text[at] = likely[next_random(
						sizeof(likely) - 1)];
		}
		bad += !s->survives(text, s->len);
	}
	ck_assert_uint_gt(bad, ROUNDS / 4);
}
END_TEST

START_TEST(test_shuffled_lines)
{
	const struct subject *s = &subjects[_i];
	g_auto(GStrv) lines = g_strsplit(s->text, "\n", -1);
	guint n = g_strv_length(lines);
	guint bad = 0;

	seed_random();
	for (int round = 0; round < ROUNDS; round++) {
		GString *text = g_string_new(NULL);
		guint cut = next_random(n);
		guint twice = next_random(n);
		guint moved = next_random(n);

		for (guint i = 0; i < n; i++) {
			if (i == cut)
				continue;
			g_string_append_printf(text, "%s\n", lines[i]);
			if (i == twice)
				g_string_append_printf(text, "%s\n",
						       lines[moved]);
		}
		bad += !s->survives(text->str, text->len);
		g_string_free(text, TRUE);
	}
	ck_assert_uint_gt(bad, ROUNDS / 4);
}
END_TEST

/* Any text at all as --set. */
START_TEST(test_changed_sets)
{
	static const char *const good[] = {
		"workload.threads=12", "patches=a;b",
		"network.route=10.9.0.0/16 via 10.2.2.3 dev d0",
		"layout.sock.sk_mark=own line",
	};
	g_autoptr(GError) error = NULL;
	g_autoptr(Scenario) scenario =
		scenario_parse("x.scenario", scenario_text_,
			       sizeof(scenario_text_) - 1, &error);

	assert_no_error(error);
	seed_random();
	for (int round = 0; round < ROUNDS; round++) {
		g_autofree char *set = g_strdup(
			good[next_random(G_N_ELEMENTS(good))]);
		char *sets[] = { set, NULL };
		g_autoptr(GError) fault = NULL;
		g_autoptr(Config) config = NULL;

		for (guint i = next_random(3); i; i--)
			set[next_random((guint)strlen(set))] =
				(char)(1 + next_random(255));
		config = scenario_resolve(scenario, 0, 0, sets, &fault);
		ck_assert((config == NULL) == (fault != NULL));
		if (fault)
			ck_assert(g_utf8_validate(fault->message, -1, NULL));
	}
}
END_TEST

Suite *scenario_fuzz_suite(void)
{
	Suite *suite = suite_create("scenario damage");
	TCase *tcase = tcase_create("damaged input");
	int n = (int)G_N_ELEMENTS(subjects);

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_prefixes, 0, n);
	tcase_add_loop_test(tcase, test_changed_bytes, 0, n);
	tcase_add_loop_test(tcase, test_shuffled_lines, 0, n);
	tcase_add_test(tcase, test_changed_sets);
	suite_add_tcase(suite, tcase);
	return suite;
}
