/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report and each page of the server in a real browser: nothing to
 * complain of, nothing from elsewhere, no page wider than its window, and bars
 * that are as high on the screen as their numbers say.
 *
 * With UDPSIM_SCREENSHOTS=FOLDER it leaves a picture of each page there, for
 * somebody to look at.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/progress.h"
#include "browser.h"
#include "serve_support.h"
#include "support.h"

static const int widths[] = { 390, 1280 };	/* a phone, a desk */

/* A sweep with published figures, by the program itself: $UDPSIM. */
static const char scenario[] =
	"[scenario]\nname = drawn\ntitle = A page to look at\n"
	"source = a test\nmachine = xeon-x5660-2p\nkernel = linux-3.6\n"
	"[workload]\nprogram = udpflood\nthreads = 4\ncount = 500\n"
	"family = inet\nconfirm = true\n"
	"[network]\ndevice = dummy0 kind dummy mtu 1500\n"
	"address = dummy0 10.2.2.1/24\n"
	"neighbour = dummy0 10.2.2.2 lladdr 02:00:00:00:00:02 nud reachable\n"
	"[sweep]\nworkload.threads = 2;12;24\n"
	"[variant before]\n[variant after]\n"
	"patches = neigh-confirm-once; neigh-hh-output-inline\n"
	"[published]\nmetric = ns_per_op\nbefore = 2247; 2235\n"
	"after = 1884; 1905\n";

static void run_program(const char *const *argv)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *err = NULL;
	int status;

	ck_assert_msg(argv[0] != NULL, "UDPSIM must name the program");
	ck_assert_msg(g_spawn_sync(NULL, (char **)argv, NULL,
				   G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
				   NULL, &err, &status, &error),
		      "%s", error ? error->message : "");
	ck_assert_msg(status == 0, "%s", err);
}

static const char *record(void)
{
	const char *path = support_path("drawn.db");
	const char *file = support_path("drawn.scenario");
	const char *const argv[] = {
		g_getenv("UDPSIM"), "run", file, "-q", "-o", path, NULL
	};

	ck_assert(g_file_set_contents(file, scenario, -1, NULL));
	run_program(argv);
	return path;
}

static double query_number(const char *path, const char *sql)
{
	return g_ascii_strtod(support_query(path, sql), NULL);
}

static void take_picture(struct browser *browser, const char *name, int width)
{
	const char *folder = g_getenv("UDPSIM_SCREENSHOTS");
	g_autofree char *path = NULL;

	if (!folder)
		return;
	path = g_strdup_printf("%s/%s-%d.png", folder, name, width);
	browser_screenshot(browser, path);
}

/* The largest error of a bar, in pixels: its height on the screen against its
 * number, by the labels of the axis beside it. */
static const char bar_error[] =
	"Math.max(...[...document.querySelectorAll('svg.bars')].map(svg => {"
	" const middle = e => { const r = e.getBoundingClientRect();"
	"  return (r.top + r.bottom) / 2 };"
	" const ticks = [...svg.querySelectorAll('text.end')];"
	" const first = ticks[0], last = ticks[ticks.length - 1];"
	" const scale = (middle(first) - middle(last)) /"
	"  (last.textContent - first.textContent);"
	" return Math.max(...[...svg.querySelectorAll('rect[data-value]')].map("
	"  rect => Math.abs(rect.getBoundingClientRect().height -"
	"   Math.abs(rect.dataset.value) * scale)))}))";

static const char number_of_bars[] =
	"document.querySelectorAll('svg.bars rect[data-value]').length";

/* Drawings that cannot be seen, of those that nothing folds away. */
static const char hidden_drawings[] =
	"[...document.querySelectorAll('svg')].filter(svg =>"
	" !svg.closest('details:not([open])') &&"
	" svg.getBoundingClientRect().width < 300).length";

static void expect_quiet(const struct browser *browser, const char *address,
			 const char *own)
{
	GPtrArray *requests = browser_requests(browser);

	ck_assert_msg(!*browser_trouble(browser), "%s: %s", address,
		      browser_trouble(browser));
	ck_assert_uint_ge(requests->len, 1);
	for (guint i = 0; i < requests->len; i++)
		ck_assert_msg(g_str_has_prefix(requests->pdata[i], own) ||
			      g_str_has_prefix(requests->pdata[i], "data:"),
			      "%s asks for %s", address,
			      (char *)requests->pdata[i]);
}

static void look_at(struct browser *browser, const char *address,
		    const char *own, const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(widths); i++) {
		browser_open(browser, address, widths[i], 900);
		take_picture(browser, name, widths[i]);
		ck_assert_msg(browser_number(browser, "document."
			"documentElement.scrollWidth") <= widths[i],
			"%s is wider than %d", address, widths[i]);
		ck_assert_double_eq(browser_number(browser, hidden_drawings),
				    0);
		if (browser_number(browser, number_of_bars) > 0)
			ck_assert_double_le(browser_number(browser, bar_error),
					    0.5);
		ck_assert_double_eq(browser_number(browser,
			"document.querySelectorAll('h1').length"), 1);
		expect_quiet(browser, address, own);
	}
}

/* The first chart's bars: predicted and published of the first point. */
static void expect_figures(struct browser *browser, const char *path)
{
	static const char bar[] =
		"+document.querySelectorAll('svg.bars rect[data-value]')[%u]"
		".dataset.value";
	static const char *const columns[] = {
		"delta_pct", "published_delta_pct"
	};

	/* Two charts of three points: the change, and the figures. */
	ck_assert_double_eq(browser_number(browser, number_of_bars),
			    3 * 2 + 3 * 4);
	for (guint point = 0; point < 3; point++)
		for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
			g_autofree char *js = g_strdup_printf(bar,
							      2 * point + i);
			g_autofree char *sql = g_strdup_printf(
				"SELECT printf('%%.17g', %s) FROM comparison "
				"WHERE metric = 'ns_per_op' ORDER BY after_run "
				"LIMIT 1 OFFSET %u", columns[i], point);

			ck_assert_double_eq_tol(browser_number(browser, js),
						query_number(path, sql), 1e-9);
		}
}

static void expect_search(struct browser *browser)
{
	g_autofree char *found = browser_text(browser,
		"(() => { const form = document.querySelector('form.search');"
		" form.querySelector('input').value = 'UDP_SENDMSG';"
		" form.querySelector('input').dispatchEvent(new Event('input'));"
		" return form.hidden + ' ' + form.closest('figure')"
		".querySelectorAll('.found').length + ' ' +"
		" form.querySelector('output').textContent })()");

	ck_assert_msg(g_str_has_prefix(found, "false 1 1 frame, "), "%s",
		      found);
}

static void expect_keyboard(struct browser *browser)
{
	static const char focused[] = "document.activeElement.className";
	g_autofree char *first = NULL;
	g_autofree char *mark = NULL;

	browser_press(browser, "Tab", 9);
	first = browser_text(browser, focused);
	ck_assert_str_eq(first, "skip");
	mark = browser_text(browser, "(() => { const mark ="
		" document.querySelector('svg.bars .mark'); mark.focus();"
		" return '' + (document.activeElement === mark) })()");
	ck_assert_str_eq(mark, "true");
}

/* Colours by the reader's screen; paper has no forms, and is white. */
static void expect_media(struct browser *browser)
{
	static const char back[] =
		"getComputedStyle(document.body).backgroundColor";
	static const char forms[] =
		"[...document.querySelectorAll('form')].filter(form =>"
		" form.getBoundingClientRect().height).length";
	g_autofree char *light = NULL, *dark = NULL, *paper = NULL;

	browser_media(browser, "screen", "light");
	light = browser_text(browser, back);
	ck_assert_double_ge(browser_number(browser, forms), 1);
	browser_media(browser, "screen", "dark");
	dark = browser_text(browser, back);
	browser_media(browser, "print", "dark");
	paper = browser_text(browser, back);
	ck_assert_str_eq(light, "rgb(255, 255, 255)");
	ck_assert_str_ne(dark, light);
	ck_assert_str_eq(paper, light);
	ck_assert_double_eq(browser_number(browser, forms), 0);
	browser_media(browser, "screen", "light");
}

START_TEST(test_report)
{
	const char *path = record(), *page = support_path("drawn.html");
	const char *const argv[] = {
		g_getenv("UDPSIM"), "report", path, "-o", page, NULL
	};
	g_autofree char *address = g_strconcat("file://", page, NULL);
	struct browser *browser = browser_start(support_path("profile"));

	run_program(argv);
	look_at(browser, address, address, "report");
	expect_figures(browser, path);
	expect_search(browser);
	expect_keyboard(browser);
	expect_media(browser);
	/* Without scripts there is all but the search. */
	browser_scripts(browser, FALSE);
	browser_open(browser, address, 1280, 900);
	expect_figures(browser, path);
	ck_assert_double_eq(browser_number(browser,
		"document.querySelectorAll('form.search:not([hidden])')"
		".length"), 0);
	ck_assert_double_ge(browser_number(browser,
		"document.querySelector('svg.flame').getBoundingClientRect()"
		".height"), 50);
	browser_stop(browser);
}
END_TEST

static void expect_live(struct browser *browser, const char *path,
			const char *address)
{
	static const char shown[] =
		"document.querySelector('#live li')?.textContent ?? ''";
	struct progress *progress;
	g_autofree char *text = NULL;

	browser_open(browser, address, 1280, 900);
	progress = progress_open(path);
	ck_assert_ptr_nonnull(progress);
	progress_tell(progress, "at work", 420);
	for (int tries = 0; !text || !*text; tries++) {
		ck_assert_int_lt(tries, 200);
		g_usleep(50000);
		g_free(text);
		text = browser_text(browser, shown);
	}
	ck_assert_str_eq(text, "at work: 42 % ");
	progress_close(progress);
}

START_TEST(test_pages)
{
	static const struct {
		const char *name, *address;
		guint bars;
	} pages[] = {
		{ "runs", "/runs", 0 },
		{ "runs-filtered", "/runs?variant=after", 0 },
		{ "run", "/run?id=2", 0 },
		{ "lines", "/lines?run=1", 0 },
		{ "compare", "/compare?before=1&after=2", 6 },
		{ "served-report", "/report", 18 },
		{ "scenario", "/report?scenario=drawn", 18 },
	};
	const char *path = record();
	struct server server = server_start(path);
	g_autofree char *own = g_strdup_printf("http://127.0.0.1:%u/",
					       server.port);
	struct browser *browser = browser_start(support_path("profile"));
	g_autofree char *runs = g_strconcat(own, "runs", NULL);

	for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
		g_autofree char *address = g_strconcat(own, pages[i].address +
						       1, NULL);

		look_at(browser, address, own, pages[i].name);
		ck_assert_double_eq(browser_number(browser, number_of_bars),
				    pages[i].bars);
	}
	expect_figures(browser, path);
	expect_live(browser, path, runs);
	browser_stop(browser);
	server_stop(&server);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { test_report, test_pages, NULL };
	SRunner *runner = srunner_create(support_suite("browser", tests));
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
