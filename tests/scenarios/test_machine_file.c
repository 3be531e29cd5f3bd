/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine profiles: units, rounding, errors, and those that are shipped.
 */
#include "scenarios/machine_file.h"
#include "scenarios/scenario.h"
#include "tests/scenarios/suites.h"

#include <string.h>

/* One key a line; the tests change lines by number. */
static const char *const good[] = {
	"[machine]",				/* 1 */
	"title = A machine",
	"packages = 2",
	"cores = 6",
	"threads = 2",				/* 5 */
	"clock_mhz = 2800",
	"memory_mib = 12288",
	"[instructions]",
	"cycles_per_instruction = 0.8",
	"smt_slowdown = 1.6",			/* 10 */
	"jitter = 0.05",
	"syscall = 85 cycles",
	"[caches]",
	"line_bytes = 64",
	"l1d = 32 KiB 8 ways",			/* 15 */
	"l2 = 256 KiB 8 ways",
	"l3 = 12 MiB 16 ways",
	"line_fill_buffers = 10",
	"adjacent_line_prefetch = true",
	"[latency]",				/* 20 */
	"l1 = 4 cycles",
	"l2 = 10 cycles",
	"sibling = 4 cycles",
	"l3 = 42 cycles",
	"other_core_clean = 65 cycles",		/* 25 */
	"other_core_modified = 28.3 ns",
	"other_package_clean = 63 ns",
	"other_package_modified = 92.4 ns",
	"dram_local = 81.3 ns",
	"dram_remote = 119.25 ns",		/* 30 */
	"[stores]",
	"store_buffer = 32",
	"atomic = 20 cycles",
	"fence = 33 cycles",
	"[contention]",				/* 35 */
	"conflict = 38 ns",
	"[strings]",
	"rep = 20 cycles",
	"[interrupts]",
	"interrupt = 500 cycles",		/* 40 */
	"ipi = 500 ns",
	"context_switch = 300 cycles",
	"[idle]",
	"states = C1 3 us 6 us; C6 200 us 800 us",
};

/* The good profile with line number `at` as given; no line for NULL. */
static struct machine_profile *parse_with(guint at, const char *line,
					  GError **error)
{
	GString *text = g_string_new(NULL);
	struct machine_profile *profile;

	for (guint i = 0; i < G_N_ELEMENTS(good); i++) {
		const char *use = i + 1 == at ? line : good[i];

		if (use)
			g_string_append_printf(text, "%s\n", use);
	}
	profile = machine_profile_parse("dir/m.machine", text->str, text->len,
					error);
	g_string_free(text, TRUE);
	return profile;
}

START_TEST(test_good)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(MachineProfile) p = parse_with(0, NULL, &error);

	assert_no_error(error);
	ck_assert_str_eq(p->name, "m");
	ck_assert_str_eq(p->title, "A machine");
	ck_assert_uint_eq(p->packages, 2);
	ck_assert_uint_eq(p->cores, 6);
	ck_assert_uint_eq(p->threads, 2);
	ck_assert_uint_eq(p->clock_khz, 2800000);
	ck_assert_uint_eq(p->node_bytes, 12288ull << 20);
	ck_assert_uint_eq(p->cpi_milli, 800);
	ck_assert_uint_eq(p->smt_milli, 1600);
	ck_assert_uint_eq(p->jitter_milli, 50);
	ck_assert_uint_eq(p->syscall_ps, 30357);	/* 30357.14 */
	ck_assert_uint_eq(p->l1d.size, 32768);
	ck_assert_uint_eq(p->l1d.ways, 8);
	ck_assert_uint_eq(p->l2.size, 262144);
	ck_assert_uint_eq(p->l3.size, 12 << 20);
	ck_assert_uint_eq(p->l3.ways, 16);
	ck_assert_uint_eq(p->line_fill_buffers, 10);
	ck_assert(p->adjacent_line_prefetch);
	ck_assert_uint_eq(p->store_buffer, 32);
	ck_assert_uint_eq(p->atomic_ps, 7143);		/* 7142.86 */
	ck_assert_uint_eq(p->fence_ps, 11786);		/* 11785.71 */
	ck_assert_uint_eq(p->interrupt_ps, 178571);	/* 178571.43 */
	ck_assert_uint_eq(p->ipi_ps, 500000);
	ck_assert_uint_eq(p->context_switch_ps, 107143);
	ck_assert_uint_eq(p->num_idle, 2);
	ck_assert_str_eq(p->idle[0].name, "C1");
	ck_assert_uint_eq(p->idle[0].exit_ps, 3 * PS_PER_US);
	ck_assert_uint_eq(p->idle[0].residency_ps, 6 * PS_PER_US);
	ck_assert_str_eq(p->idle[1].name, "C6");
	ck_assert_uint_eq(p->idle[1].exit_ps, 200 * PS_PER_US);
	ck_assert_uint_eq(p->idle[1].residency_ps, 800 * PS_PER_US);
}
END_TEST

START_TEST(test_latencies)
{
	static const ps_t latency[NUM_LEVEL] = {
		[LEVEL_L1_HIT] = 1429,			/* 1428.57 */
		[LEVEL_L2_HIT] = 3571,			/* 3571.43 */
		[LEVEL_SIBLING_HIT] = 1429,
		[LEVEL_L3_HIT] = 15000,
		[LEVEL_OTHER_CORE_CLEAN] = 23214,	/* 23214.29 */
		[LEVEL_OTHER_CORE_HITM] = 28300,
		[LEVEL_OTHER_PACKAGE_CLEAN] = 63000,
		[LEVEL_OTHER_PACKAGE_HITM] = 92400,
		[LEVEL_LOCAL_DRAM] = 81300,
		[LEVEL_REMOTE_DRAM] = 119250,
	};
	g_autoptr(GError) error = NULL;
	g_autoptr(MachineProfile) p = parse_with(0, NULL, &error);

	assert_no_error(error);
	for (int i = 0; i < NUM_LEVEL; i++)
		ck_assert_uint_eq(p->latency[i], latency[i]);
}
END_TEST

struct time_case {
	const char *text;
	ps_t ps;
};

START_TEST(test_times)
{
	static const struct time_case times[] = {
		{ "0.001 ns", 1 },
		{ "  28.3   ns ", 28300 },
		{ "7 ns", 7000 },
		{ "007.50 ns", 7500 },
		{ "100000 ns", 100000000 },
		{ "280000 cycles", 100000000 },
		{ "1 cycles", 357 },		/* 357.14 */
		{ "33.8 cycles", 12071 },	/* 12071.43 */
		{ "0.7 cycles", 250 },
		{ "0.007 cycles", 3 },		/* 2.5, half up */
		{ "0.018 cycles", 6 },		/* 6.43 */
	};

	for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
		g_autofree char *line = g_strdup_printf("syscall = %s",
							times[i].text);
		g_autoptr(GError) error = NULL;
		g_autoptr(MachineProfile) p = parse_with(12, line, &error);

		assert_no_error(error);
		ck_assert_uint_eq(p->syscall_ps, times[i].ps);
	}
}
END_TEST

/* A clock that is not whole: one cycle of 2533.333 MHz. */
START_TEST(test_odd_clock)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(MachineProfile) p = parse_with(6, "clock_mhz = 2533.333",
						 &error);

	assert_no_error(error);
	ck_assert_uint_eq(p->clock_khz, 2533333);
	ck_assert_uint_eq(p->latency[LEVEL_L1_HIT], 1579);	/* 1578.95 */
	ck_assert_uint_eq(p->latency[LEVEL_OTHER_CORE_HITM], 28300);
}
END_TEST

/* A small machine has no number for what it does not have. */
START_TEST(test_none)
{
	static const char text[] =
		"[machine]\ntitle = t\npackages = 1\ncores = 1\nthreads = 1\n"
		"clock_mhz = 1000\nmemory_mib = 64\n"
		"[instructions]\ncycles_per_instruction = 1\n"
		"smt_slowdown = 1\njitter = 0\nsyscall = 1 cycles\n"
		"[caches]\nline_bytes = 64\nl1d = 1 KiB 1 ways\n"
		"l2 = 64 KiB 4 ways\nl3 = none\nline_fill_buffers = 1\n"
		"adjacent_line_prefetch = false\n"
		"[latency]\nl1 = 1 cycles\nl2 = 2 cycles\nsibling = none\n"
		"l3 = none\nother_core_clean = none\n"
		"other_core_modified = none\nother_package_clean = none\n"
		"other_package_modified = none\ndram_local = 50 ns\n"
		"dram_remote = none\n"
		"[stores]\nstore_buffer = 1\natomic = 1 cycles\n"
		"fence = 1 cycles\n[contention]\nconflict = none\n"
		"[strings]\nrep = none\n"
		"[interrupts]\ninterrupt = none\nipi = none\n"
		"context_switch = none\n[idle]\nstates = none\n";
	g_autoptr(GError) error = NULL;
	g_autoptr(MachineProfile) p = machine_profile_parse("small", text,
							    strlen(text),
							    &error);

	assert_no_error(error);
	ck_assert_str_eq(p->name, "small");
	ck_assert_uint_eq(p->l3.size, 0);
	ck_assert_uint_eq(p->latency[LEVEL_L3_HIT], 0);
	ck_assert_uint_eq(p->latency[LEVEL_REMOTE_DRAM], 0);
	ck_assert_uint_eq(p->latency[LEVEL_LOCAL_DRAM], 50000);
	ck_assert(!p->adjacent_line_prefetch);
	ck_assert_uint_eq(p->interrupt_ps, 0);
	ck_assert_uint_eq(p->num_idle, 0);
}
END_TEST

struct bad {
	guint at;
	const char *line;
	const char *message;	/* after "dir/m.machine:" */
};

#define TIME_RIGHT "write 'N cycles' or 'N ns', N with at most three " \
	"decimals, from 0.001 to 100000 ns"
#define CACHE_RIGHT "write 'N KiB N ways' or 'N MiB N ways': 1 KiB to 2048 " \
	"MiB, 1 to 64 ways, whole sets of 64-byte lines"
#define MILLI_RIGHT "with a decimal point and at most three decimals"

#define IDLE_RIGHT "write none, or up to 8 states from the lightest to the " \
	"deepest, 'NAME N us N us' each with ';' between: exit latency and " \
	"target residency, from 1 to 100000 us, both growing"

static const struct bad bads[] = {
	{ 1, "[machin]", "1: unknown group [machin]; did you mean "
	  "[machine]?" },
	{ 31, "[zebra]", "31: unknown group [zebra]; a machine has machine, "
	  "instructions, caches, latency, stores, contention, strings, "
	  "interrupts, idle" },
	{ 44, "states = C1 3 us 6", "44: 'C1 3 us 6' of 'states' is wrong; "
	  IDLE_RIGHT },
	{ 44, "states = C1 3 us 6 us; C3 3 us 80 us", "44: 'C1 3 us 6 us; C3 "
	  "3 us 80 us' of 'states' is wrong; " IDLE_RIGHT },
	{ 44, "states = C1 0 us 6 us", "44: 'C1 0 us 6 us' of 'states' is "
	  "wrong; " IDLE_RIGHT },
	{ 3, "package = 2", "3: unknown key 'package' in [machine]; did you "
	  "mean 'packages'?" },
	{ 3, "zebra = 2", "3: unknown key 'zebra' in [machine]; it has title, "
	  "packages, cores, threads, clock_mhz, memory_mib" },
	{ 3, "cores = 2", "4: key 'cores' in [machine] stands twice, first on "
	  "line 3; keep one" },
	{ 20, "[caches]", "20: group [caches] stands twice, first on line 13; "
	  "put its keys together" },
	{ 33, NULL, "31: missing key 'atomic' in [stores]; every number of a "
	  "machine must be given" },
	{ 2, "title =", "2: '' of 'title' is wrong; write one line" },
	{ 3, "packages = 9", "3: '9' of 'packages' is out of range; give a "
	  "whole number from 1 to 8" },
	{ 4, "cores = 0", "4: '0' of 'cores' is out of range; give a whole "
	  "number from 1 to 64" },
	{ 4, "cores = 33", "4: 2 packages of 33 cores are more than 64 "
	  "cores" },
	{ 5, "threads = 3", "5: '3' of 'threads' is out of range; give a "
	  "whole number from 1 to 2" },
	{ 5, "threads = 1", "10: 'smt_slowdown' must be 1 where threads is "
	  "1" },
	{ 6, "clock_mhz = 2,8", "6: '2,8' of 'clock_mhz' is wrong; write a "
	  "number from 100.000 to 10000.000 " MILLI_RIGHT },
	{ 6, "clock_mhz = 99.999", "6: '99.999' of 'clock_mhz' is wrong; "
	  "write a number from 100.000 to 10000.000 " MILLI_RIGHT },
	{ 6, "clock_mhz = 2533.3333", "6: '2533.3333' of 'clock_mhz' is "
	  "wrong; write a number from 100.000 to 10000.000 " MILLI_RIGHT },
	{ 6, "clock_mhz = 2800 MHz", "6: '2800 MHz' of 'clock_mhz' is wrong; "
	  "write a number from 100.000 to 10000.000 " MILLI_RIGHT },
	{ 7, "memory_mib = 12 GiB", "7: '12 GiB' of 'memory_mib' is not a "
	  "whole number; give a whole number from 64 to 16777216" },
	{ 9, "cycles_per_instruction = -1", "9: '-1' of "
	  "'cycles_per_instruction' is wrong; write a number from 0.100 to "
	  "20.000 " MILLI_RIGHT },
	{ 10, "smt_slowdown = 0.9", "10: '0.9' of 'smt_slowdown' is wrong; "
	  "write a number from 1.000 to 3.000 " MILLI_RIGHT },
	{ 11, "jitter = 0.901", "11: '0.901' of 'jitter' is wrong; write a "
	  "number from 0.000 to 0.900 " MILLI_RIGHT },
	{ 11, "jitter = .1", "11: '.1' of 'jitter' is wrong; write a number "
	  "from 0.000 to 0.900 " MILLI_RIGHT },
	{ 11, "jitter = 0.", "11: '0.' of 'jitter' is wrong; write a number "
	  "from 0.000 to 0.900 " MILLI_RIGHT },
	{ 12, "syscall = 85", "12: '85' of 'syscall' is wrong; " TIME_RIGHT },
	{ 12, "syscall = 85 us", "12: '85 us' of 'syscall' is wrong; "
	  TIME_RIGHT },
	{ 12, "syscall = 0 ns", "12: '0 ns' of 'syscall' is wrong; "
	  TIME_RIGHT },
	{ 12, "syscall = 28,3 ns", "12: '28,3 ns' of 'syscall' is wrong; "
	  TIME_RIGHT },
	{ 12, "syscall = 100000.001 ns", "12: '100000.001 ns' of 'syscall' is "
	  "wrong; " TIME_RIGHT },
	{ 12, "syscall = 99999999999999999999 cycles", "12: "
	  "'99999999999999999999 cycles' of 'syscall' is wrong; "
	  TIME_RIGHT },
	{ 12, "syscall = none", "12: 'none' of 'syscall' is wrong; "
	  TIME_RIGHT },
	{ 14, "line_bytes = 128", "14: '128' of 'line_bytes' is out of range; "
	  "give a whole number from 64 to 64" },
	{ 15, "l1d = 32 KiB", "15: '32 KiB' of 'l1d' is wrong; "
	  CACHE_RIGHT },
	{ 15, "l1d = 32 KB 8 ways", "15: '32 KB 8 ways' of 'l1d' is wrong; "
	  CACHE_RIGHT },
	{ 15, "l1d = 32 KiB 65 ways", "15: '32 KiB 65 ways' of 'l1d' is "
	  "wrong; " CACHE_RIGHT },
	{ 15, "l1d = 1 KiB 3 ways", "15: '1 KiB 3 ways' of 'l1d' is wrong; "
	  CACHE_RIGHT },
	{ 15, "l1d = none", "15: 'none' of 'l1d' is wrong; " CACHE_RIGHT },
	{ 17, "l3 = 2049 MiB 16 ways", "17: '2049 MiB 16 ways' of 'l3' is "
	  "wrong; " CACHE_RIGHT },
	{ 19, "adjacent_line_prefetch = on", "19: 'on' of "
	  "'adjacent_line_prefetch' is wrong; write true or false" },
	{ 23, "sibling = none", "23: 'sibling' cannot be none, since threads "
	  "is 2; give a time" },
	{ 24, "l3 = none", "24: 'l3' cannot be none, since [caches] has an "
	  "l3; give a time" },
	{ 26, "other_core_modified = none", "26: 'other_core_modified' cannot "
	  "be none, since a package has several cores; give a time" },
	{ 30, "dram_remote = none", "30: 'dram_remote' cannot be none, since "
	  "there are several packages; give a time" },
	{ 22, "l2 = 3 cycles", "22: 'l2' is faster than 'l1'; the farther is "
	  "never the faster" },
	{ 30, "dram_remote = 80 ns", "30: 'dram_remote' is faster than "
	  "'dram_local'; the farther is never the faster" },
	{ 32, "store_buffer = 257", "32: '257' of 'store_buffer' is out of "
	  "range; give a whole number from 1 to 256" },
};

START_TEST(test_bad)
{
	const struct bad *bad = &bads[_i];
	g_autofree char *message = g_strdup_printf("dir/m.machine:%s",
						   bad->message);
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(parse_with(bad->at, bad->line, &error));
	assert_message(error, message);
}
END_TEST

/* Each line but the groups' is needed. */
START_TEST(test_all_required)
{
	for (guint i = 1; i <= G_N_ELEMENTS(good); i++) {
		g_autoptr(GError) error = NULL;
		const char *equals = strchr(good[i - 1], '=');
		g_autofree char *part = NULL;

		if (!equals)
			continue;
		part = g_strdup_printf("missing key '%.*s'",
				       (int)(equals - good[i - 1] - 1),
				       good[i - 1]);
		ck_assert_ptr_null(parse_with(i, NULL, &error));
		ck_assert_ptr_nonnull(strstr(error->message, part));
	}
}
END_TEST

/* ---- the shipped profiles ---- */

static char *shipped(const char *name)
{
	const char *top = g_getenv("top_srcdir");
	g_autofree char *file = g_strconcat(name, ".machine", NULL);

	return g_build_filename(top ? top : ".", "scenarios", "machines",
				file, NULL);
}

struct shipped {
	const char *name;
	u32 packages, cores, threads;
	u64 clock_khz;
};

static const struct shipped profiles[] = {
	{ "xeon-x5660-2p", 2, 6, 2, 2800000 },
	{ "xeon-e5540-2p", 2, 4, 2, 2533333 },
	{ "desktop-2cpu", 1, 2, 1, 2600000 },
	{ "vm-2cpu", 1, 2, 1, 3200000 },
	{ "xeon-e5-2680v3-2p", 2, 12, 2, 3300000 },
	{ "xeon-e5-2690-2p", 2, 8, 2, 2900000 },
	{ "workstation-2014", 1, 4, 2, 3900000 },
	{ "nexus-5", 1, 4, 1, 2265600 },
};

START_TEST(test_shipped)
{
	const struct shipped *want = &profiles[_i];
	g_autofree char *path = shipped(want->name);
	g_autoptr(GError) error = NULL;
	g_autoptr(MachineProfile) p = machine_profile_load(path, &error);

	assert_no_error(error);
	ck_assert_str_eq(p->name, want->name);
	ck_assert_uint_eq(p->packages, want->packages);
	ck_assert_uint_eq(p->cores, want->cores);
	ck_assert_uint_eq(p->threads, want->threads);
	ck_assert_uint_eq(p->clock_khz, want->clock_khz);
}
END_TEST

/* Every number has its grade and its source in the comment above it. */
START_TEST(test_shipped_sources)
{
	static const char *const grades[] = {
		"# read:", "# recalled:", "# measured:", "# computed:",
		"# assumed:", NULL
	};
	g_autofree char *path = shipped(profiles[_i].name);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	gboolean graded = FALSE;
	guint numbers = 0;

	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		if (**line == '#') {
			for (const char *const *g = grades; *g; g++)
				graded |= g_str_has_prefix(*line, *g);
			continue;
		}
		if (strchr(*line, '=') && !g_str_has_prefix(*line, "title")) {
			ck_assert_msg(graded, "%s: no source: %s", path,
				      *line);
			numbers++;
		}
		graded = FALSE;
	}
	ck_assert_uint_eq(numbers, 34);
}
END_TEST

START_TEST(test_no_file)
{
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(machine_profile_load("/no/such.machine", &error));
	ck_assert(g_error_matches(error, SCENARIO_ERROR,
				  SCENARIO_ERROR_NOT_FOUND));
	ck_assert(g_str_has_prefix(error->message,
				   "/no/such.machine: cannot open: "));
}
END_TEST

Suite *machine_file_suite(void)
{
	Suite *suite = suite_create("machine file");
	TCase *tcase = tcase_create("profiles");

	tcase_add_test(tcase, test_good);
	tcase_add_test(tcase, test_latencies);
	tcase_add_test(tcase, test_times);
	tcase_add_test(tcase, test_odd_clock);
	tcase_add_test(tcase, test_none);
	tcase_add_loop_test(tcase, test_bad, 0, (int)G_N_ELEMENTS(bads));
	tcase_add_test(tcase, test_all_required);
	tcase_add_loop_test(tcase, test_shipped, 0,
			    (int)G_N_ELEMENTS(profiles));
	tcase_add_loop_test(tcase, test_shipped_sources, 0,
			    (int)G_N_ELEMENTS(profiles));
	tcase_add_test(tcase, test_no_file);
	suite_add_tcase(suite, tcase);
	return suite;
}
