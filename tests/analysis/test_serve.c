/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `udpsim serve`: its answers, and that no client and no state of the file
 * takes them away: what is hostile here comes from a seeded generator.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../rounds.h"
#include "analysis/json_build.h"
#include "analysis/progress.h"
#include "analysis/serve.h"
#include "serve_support.h"
#include "suites.h"
#include "support.h"

#define NUM_MALFORMED 10000u
#define NUM_WARM 1000u		/* requests until its pools are filled */
#define NUM_IDLE 200u
#define NUM_SLOW 16u
/* How much more a server may hold after all that; sanitizers keep what is
 * freed, up to this much. */
#define MEMORY_SLACK_KB (ROUNDS_DIVISOR == 1 ? 2048 : 400 * 1024)

static const char *record_two(void)
{
	const char *path = support_path("r.db");

	support_record(path, support_results("before", 2.25));
	support_record(path, support_results("after", 1.89));
	return path;
}

static void expect(const struct server *server, const char *address,
		   int status, const char *part)
{
	struct answer answer = server_get(server, address);

	ck_assert_msg(answer.status == status, "%s: %d, not %d: %s", address,
		      answer.status, status, answer.body);
	ck_assert_msg(strstr(answer.body, part) != NULL, "%s: no \"%s\" in %s",
		      address, part, answer.body);
	ck_assert_ptr_nonnull(strstr(answer.head, "X-Content-Type-Options"));
	ck_assert_ptr_nonnull(strstr(answer.head, "default-src 'none'"));
	ck_assert_ptr_null(strstr(answer.head, "unsafe"));
	answer_clear(&answer);
}

START_TEST(test_pages)
{
	static const struct {
		const char *address;
		int status;
		const char *part;
	} pages[] = {
		{ "/runs", 200, "2 runs, page 1 of 1" },
		{ "/runs?variant=after", 200, "1 run, page 1 of 1" },
		{ "/runs?kernel=none&page=1", 200, "0 runs, page 1 of 1" },
		{ "/runs?page=2", 404, "no more than 1 pages" },
		{ "/runs?page=0", 400, "must be a number" },
		{ "/runs?page=1&page=1", 400, "is there twice" },
		{ "/runs?order=id", 400, "does not know" },
		{ "/runs?variant=%ff", 400, "is not UTF-8" },
		{ "/runs?variant=%00after", 400, "zero byte" },
		{ "/runs?variant=<script>", 200, "0 runs" },
		{ "/run?id=1", 200, "class=\"flame\"" },
		{ "/run", 400, "lacks id" },
		{ "/run?id=3", 404, "no run 3" },
		{ "/run?id=1%20OR%201", 400, "must be a number" },
		{ "/lines?run=2&limit=1", 200, "Hottest lines" },
		{ "/compare?before=1&after=2", 200, "elapsed_s" },
		{ "/compare?before=1", 400, "lacks after" },
		{ "/report", 200, "Predicted and published" },
		{ "/report?scenario=none", 404, "no run of none" },
		{ "/../r.db", 404, "No such page" },
		{ "/r.db", 404, "No such page" },
		{ "/runs/", 404, "No such page" },
		{ "/%72uns", 404, "No such page" },
		{ "/run.json?id=7", 404, "{\"error\":" },
		{ "/events.json", 200, "{\"runs\":2,\"latest\":2," },
	};
	struct server server = server_start(record_two());

	for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
		expect(&server, pages[i].address, pages[i].status,
		       pages[i].part);
	server_stop(&server);
}
END_TEST

/* JSON has the figures of the database. */
START_TEST(test_json)
{
	static const struct {
		const char *address, *member, *sql;
	} values[] = {
		{ "/runs.json", "$.runs[1].scenario",
		  "SELECT scenario FROM run WHERE id = 1" },
		{ "/runs.json", "$.total", "SELECT count(*) FROM run" },
		{ "/run.json?id=2", "$.metrics[0].value",
		  "SELECT value FROM metric WHERE run = 2 ORDER BY name" },
		{ "/run.json?id=2", "$.scenario_sha256",
		  "SELECT scenario_sha256 FROM run WHERE id = 2" },
		{ "/lines.json?run=2", "$.lines[0].stall_ps",
		  "SELECT max(stall_ps) FROM line WHERE run = 2" },
		{ "/compare.json?before=1&after=2", "$.metrics[0].error_points",
		  "SELECT error_points FROM comparison"
		  " WHERE metric = 'elapsed_s'" },
		{ "/compare.json?before=1&after=2", "$.before.id", "SELECT 1" },
		{ "/report.json", "$.pairs[0].after_run", "SELECT 2" },
	};
	const char *path = record_two();
	struct server server = server_start(path);

	for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
		struct answer answer = server_get(&server, values[i].address);
		g_auto(GStrv) parts = g_strsplit(answer.body, "'", -1);
		g_autofree char *quoted = g_strjoinv("''", parts);
		g_autofree char *sql = g_strdup_printf(
			"SELECT '%s' ->> '%s'", quoted, values[i].member);
		g_autofree char *seen = g_strdup(support_query(path, sql));

		ck_assert_int_eq(answer.status, 200);
		ck_assert_msg(g_str_has_prefix(support_query(path,
						values[i].sql), seen),
			      "%s %s: %s", values[i].address, values[i].member,
			      seen);
		answer_clear(&answer);
	}
	server_stop(&server);
}
END_TEST

START_TEST(test_methods)
{
	static const struct {
		const char *request;
		int status;
		const char *part;
	} requests[] = {
		{ "HEAD /runs HTTP/1.1\r\nHost: localhost\r\n\r\n", 200,
		  "Content-Length: " },
		{ "HEAD /events HTTP/1.1\r\nHost: localhost\r\n\r\n", 200,
		  "text/event-stream" },
		{ "GET / HTTP/1.0\r\n\r\n", 302, "Location: /runs" },
		{ "POST /runs HTTP/1.1\r\nHost: localhost\r\n"
		  "Content-Length: 1\r\n\r\nx", 405, "Allow: GET, HEAD" },
		{ "DELETE /runs HTTP/1.1\r\nHost: localhost\r\n\r\n", 405,
		  "Allow: GET, HEAD" },
		{ "BREW /runs HTTP/1.1\r\nHost: localhost\r\n\r\n", 501, "" },
		{ "GET /runs HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", 421,
		  "" },
		{ "GET /runs HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 421, "" },
		{ "GET /runs HTTP/1.1\r\nHost: localhost\r\n"
		  "Content-Length: 1\r\n\r\nx", 400, "Connection: close" },
	};
	struct server server = server_start(record_two());
	g_autofree char *long_address = g_strnfill(SERVE_MAX_ADDRESS, 'a');
	g_autofree char *address = g_strconcat("/", long_address, NULL);

	for (guint i = 0; i < G_N_ELEMENTS(requests); i++) {
		struct answer answer = server_ask(&server, requests[i].request,
						  strlen(requests[i].request));

		ck_assert_msg(answer.status == requests[i].status,
			      "%d to %s", answer.status, requests[i].request);
		ck_assert_msg(strstr(answer.head, requests[i].part) != NULL,
			      "%s", answer.head);
		if (g_str_has_prefix(requests[i].request, "HEAD"))
			ck_assert_uint_eq(answer.body_length, 0);
		answer_clear(&answer);
	}
	expect(&server, address, 414, "too long");
	server_stop(&server);
}
END_TEST

/* ---- malformed requests ---- */

static guint64 random_state;

/* xorshift64*: the same requests on each computer. */
static guint32 pick(guint32 below)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (guint32)((random_state * 0x2545f4914f6cdd1dULL) >> 32) % below;
}

static void append_noise(GString *out, guint32 most)
{
	for (guint32 i = pick(most + 1); i > 0; i--)
		g_string_append_c(out, (char)pick(256));
}

static const char *const pieces[] = {
	"GET ", "HEAD ", "POST ", "get ", "CONNECT ", "OPTIONS * ", " ", "\t",
	"/runs", "/run?id=1", "/run?id=", "/lines?run=1", "/compare?before=1",
	"/events.json", "/report", "/../../etc/passwd", "/%2e%2e/%2e%2e/x",
	"//", "\\", "?", "&", "&after=2", "=", "#", "%", "%0", "%00", "%ff",
	"http://127.0.0.1/runs", "http://[::1", "ftp://x:99999/", "\xff\xfe",
	" HTTP/1.1", " HTTP/1.0", " HTTP/9.9", " HTTP/1.", " HTTP/-1.1",
	"\r\n", "\n", "\r", "\r\n\r\n", "\r\n\r\n", "Host: 127.0.0.1\r\n",
	"Host: \r\n", "Host: x\r\n", "Content-Length: -1\r\n",
	"Content-Length: 99999999999999999999\r\n", "Content-Length: 5\r\n",
	"Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n", "0\r\n\r\n",
	"Expect: 100-continue\r\n", "Connection: keep-alive\r\n", ": \r\n",
	"Upgrade: websocket\r\n", " folded: header\r\n", "a:b\r\n",
	"' OR 1=1 --", "<script>", "18446744073709551616",
	"-1", "1e9", "999999999999999", "GET /runs.json HTTP/1.1\r\n\r\n",
};

static void append_pieces(GString *out)
{
	for (guint32 i = 1 + pick(12); i > 0; i--)
		g_string_append(out, pieces[pick(G_N_ELEMENTS(pieces))]);
}

/* Something right with some bytes of it changed, left out or put in. */
static void append_mutant(GString *out)
{
	g_string_append(out, "GET /runs.json?page=1 HTTP/1.1\r\n"
			     "Host: 127.0.0.1\r\nAccept: */*\r\n\r\n");
	for (guint32 i = 1 + pick(6); i > 0 && out->len; i--) {
		gssize at = (gssize)pick((guint32)out->len);

		switch (pick(4)) {
		case 0:
			out->str[at] = (char)pick(256);
			break;
		case 1:
			g_string_erase(out, at, 1);
			break;
		case 2:
			g_string_insert_c(out, at, (char)pick(256));
			break;
		default:
			g_string_truncate(out, (gsize)at + 1);
		}
	}
}

/* Too much of one thing. */
static void append_flood(GString *out)
{
	static const char *const again[] = {
		"a", "/..", "%2e", "a=1&", "X: y\r\n", "\r\n", "GET ", "0",
	};
	const char *part = again[pick(G_N_ELEMENTS(again))];

	g_string_append(out, pick(2) ? "GET /runs?" :
				       "GET /runs HTTP/1.1\r\n");
	for (guint32 i = pick(6000); i > 0; i--)
		g_string_append(out, part);
	g_string_append(out, pick(2) ? " HTTP/1.1\r\n\r\n" : "\r\n\r\n");
}

static void send_malformed(const struct server *server)
{
	g_autoptr(GString) request = g_string_new(NULL);
	struct answer answer;

	switch (pick(8)) {
	case 0:
		append_noise(request, 600);
		break;
	case 1:
		append_flood(request);
		break;
	case 2:
	case 3:
		append_mutant(request);
		break;
	default:
		append_pieces(request);
		if (pick(2))
			append_noise(request, 20);
		g_string_append(request, "\r\n\r\n");
	}
	answer = server_ask(server, request->str, request->len);
	ck_assert_ptr_null(strstr(answer.body, "root:"));
	answer_clear(&answer);
}

/* A computer that stands still for seconds, as when it writes gigabytes to its
 * disk, makes the server give up on a client: that may ask again. */
static struct answer answered(const struct server *server, const char *path)
{
	struct answer answer = server_get(server, path);

	for (int i = 0; i < 5 && answer.status != 200; i++) {
		answer_clear(&answer);
		answer = server_get(server, path);
	}
	ck_assert_int_eq(answer.status, 200);
	return answer;
}

START_TEST(test_malformed)
{
	struct server server = server_start(record_two());
	struct answer before = server_get(&server, "/compare?before=1&after=2");
	struct answer after;
	guint num = test_rounds(NUM_MALFORMED);
	glong memory = 0;

	random_state = 20120807;
	for (guint i = 0; i < num + test_rounds(NUM_WARM); i++) {
		if (i == test_rounds(NUM_WARM))
			memory = server_memory(&server);
		send_malformed(&server);
	}
	ck_assert(server_is_alive(&server));
	ck_assert_int_eq(before.status, 200);
	after = answered(&server, "/compare?before=1&after=2");
	ck_assert_msg(g_str_equal(after.body, before.body),
		      "another page of %zu bytes, not %zu",
		      strlen(after.body), strlen(before.body));
	memory = server_memory(&server) - memory;
	ck_assert_msg(memory <= MEMORY_SLACK_KB, "%ld KiB more", memory);
	answer_clear(&before);
	answer_clear(&after);
	server_stop(&server);
}
END_TEST

/* ---- those that hold on ---- */

static bool is_closed(int client)
{
	bool end;

	g_string_free(client_read(client, 1, &end), TRUE);
	return end;
}

/* Connections that say nothing, and such that never come to an end with what
 * they say, are closed in time; who asks meanwhile is answered. */
START_TEST(test_idle_and_slow)
{
	static const char start[] = "GET /runs HTTP/1.1\r\nX: ";
	struct server server = server_start(record_two());
	int client[NUM_IDLE + NUM_SLOW];
	gint64 began = g_get_monotonic_time();
	guint closed = 0;

	for (guint i = 0; i < G_N_ELEMENTS(client); i++) {
		client[i] = server_connect(&server);
		if (i >= NUM_IDLE)
			client_send(client[i], start, strlen(start));
	}
	expect(&server, "/runs.json", 200, "\"total\":2");
	while (closed < G_N_ELEMENTS(client)) {
		ck_assert_msg(g_get_monotonic_time() - began < 30 *
			      G_USEC_PER_SEC, "%u of %u were closed", closed,
			      (guint)G_N_ELEMENTS(client));
		g_usleep(300000);
		expect(&server, "/events.json", 200, "\"runs\":2");
		closed = 0;
		for (guint i = 0; i < G_N_ELEMENTS(client); i++) {
			if (i >= NUM_IDLE)
				client_send(client[i], "x", 1);
			closed += is_closed(client[i]);
		}
	}
	for (guint i = 0; i < G_N_ELEMENTS(client); i++)
		close(client[i]);
	server_stop(&server);
}
END_TEST

/* ---- what may happen to the file ---- */

START_TEST(test_deleted)
{
	const char *path = record_two();
	g_autofree char *copy = g_strconcat(path, ".copy", NULL);
	struct server server = server_start(path);
	struct answer before = server_get(&server, "/report"), after;

	support_query(path, "PRAGMA wal_checkpoint(TRUNCATE)");
	ck_assert_int_eq(g_rename(path, copy), 0);
	expect(&server, "/runs", 503, "no such database");
	expect(&server, "/report.json", 503, "{\"error\":");
	ck_assert_int_eq(g_rename(copy, path), 0);
	after = server_get(&server, "/report");
	ck_assert_int_eq(after.status, 200);
	ck_assert_str_eq(after.body, before.body);
	/* Another file of that name. */
	ck_assert_int_eq(g_unlink(path), 0);
	support_record(path, support_results("only", 3));
	expect(&server, "/runs.json", 200, "\"total\":1");
	answer_clear(&before);
	answer_clear(&after);
	server_stop(&server);
}
END_TEST

START_TEST(test_locked)
{
	const char *path = record_two();
	struct server server;
	sqlite3 *db = NULL;

	support_sql(path, "PRAGMA journal_mode = DELETE");
	server = server_start(path);
	expect(&server, "/runs", 200, "2 runs");
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL),
			 SQLITE_OK);
	expect(&server, "/runs", 503, "another process holds it");
	expect(&server, "/run.json?id=1", 503, "another process holds it");
	expect(&server, "/nowhere", 404, "No such page");
	ck_assert_int_eq(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL),
			 SQLITE_OK);
	expect(&server, "/runs", 200, "2 runs");
	sqlite3_close(db);
	server_stop(&server);
}
END_TEST

/* The first pages stay as they are, so that it still is a database. */
START_TEST(test_broken)
{
	const char *path = record_two();
	struct server server = server_start(path);
	g_autofree char *whole = NULL, *broken = NULL;
	gsize length;
	FILE *file;

	expect(&server, "/run?id=1", 200, "Hottest lines");
	support_query(path, "PRAGMA wal_checkpoint(TRUNCATE)");
	ck_assert(g_file_get_contents(path, &whole, &length, NULL));
	broken = g_memdup2(whole, length);
	memset(broken + 4096, 0xa5, length - 4096);
	file = g_fopen(path, "r+");
	ck_assert_uint_eq(fwrite(broken, 1, length, file), length);
	ck_assert_int_eq(fclose(file), 0);
	/* What it had in its cache it may still say. */
	server_stop(&server);
	server = server_start(path);
	expect(&server, "/run?id=1", 503, "damaged");
	expect(&server, "/runs.json", 503, "damaged");
	file = g_fopen(path, "r+");
	ck_assert_uint_eq(fwrite(whole, 1, length, file), length);
	ck_assert_int_eq(fclose(file), 0);
	expect(&server, "/run?id=1", 200, "Hottest lines");
	server_stop(&server);
}
END_TEST

/* ---- streams ---- */

static int open_stream(const struct server *server)
{
	static const char request[] =
		"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
	int client = server_connect(server);

	client_send(client, request, strlen(request));
	return client;
}

/* Reads until the stream has said it. */
static void expect_event(int client, GString *seen, const char *part)
{
	gint64 until = g_get_monotonic_time() + 20 * G_USEC_PER_SEC;

	while (!strstr(seen->str, part)) {
		bool end;
		GString *more = client_read(client, 100, &end);

		g_string_append(seen, more->str);
		g_string_free(more, TRUE);
		ck_assert_msg(!end && g_get_monotonic_time() < until,
			      "no \"%s\" in %s", part, seen->str);
	}
}

START_TEST(test_events)
{
	const char *path = record_two();
	struct server server = server_start(path);
	g_autoptr(GString) seen = g_string_new(NULL);
	struct progress *progress;
	int client = open_stream(&server);

	expect_event(client, seen, "{\"runs\":2,\"latest\":2,\"progress\":[]}");
	progress = progress_open(path);
	ck_assert_ptr_nonnull(progress);
	progress_tell(progress, "a run", 250);
	expect_event(client, seen, "[{\"what\":\"a run\",\"permille\":250}]");
	expect(&server, "/runs", 200, "a run: 25 %");
	progress_tell(progress, "another\n\"run\"", 1000);
	expect_event(client, seen, "{\"what\":\"another \\\"run\\\"\","
				   "\"permille\":1000}");
	progress_close(progress);
	support_record(path, support_results("third", 3));
	expect_event(client, seen, "{\"runs\":3,\"latest\":3,\"progress\":[]}");
	close(client);
	server_stop(&server);
}
END_TEST

/* There are no more streams than that, and they do not keep others out. */
START_TEST(test_many_streams)
{
	struct server server = server_start(record_two());
	g_autoptr(GString) seen = g_string_new(NULL);
	int client[SERVE_MAX_STREAMS], late;

	for (guint i = 0; i < G_N_ELEMENTS(client); i++) {
		client[i] = open_stream(&server);
		g_string_truncate(seen, 0);
		expect_event(client[i], seen, "\"runs\":2");
	}
	late = open_stream(&server);
	g_string_truncate(seen, 0);
	expect_event(late, seen, "HTTP/1.1 503 ");
	close(late);
	expect(&server, "/runs", 200, "2 runs");
	close(client[0]);
	/* Until the server has seen its end. */
	for (int tries = 0; ; tries++) {
		bool end;
		GString *head;

		client[0] = open_stream(&server);
		head = client_read(client[0], 200, &end);
		if (strstr(head->str, "\"runs\":2")) {
			g_string_free(head, TRUE);
			break;
		}
		g_string_free(head, TRUE);
		close(client[0]);
		ck_assert_int_lt(tries, 50);
	}
	for (guint i = 0; i < G_N_ELEMENTS(client); i++)
		close(client[i]);
	server_stop(&server);
}
END_TEST

/* What a killed process leaves behind is not shown, and goes away. */
START_TEST(test_stale_progress)
{
	const char *path = record_two();
	g_autofree char *stale = g_strconcat(path, ".progress-1", NULL);
	GPtrArray *states;

	ck_assert(g_file_set_contents(stale, "500 gone\n", -1, NULL));
	states = progress_read(path);
	ck_assert_uint_eq(states->len, 0);
	g_ptr_array_unref(states);
	progress_close(progress_open(path));
	ck_assert(!g_file_test(stale, G_FILE_TEST_EXISTS));
}
END_TEST

Suite *suite_serve(void)
{
	const TTest *const tests[] = {
		test_pages, test_json, test_methods, test_malformed,
		test_idle_and_slow, test_deleted, test_locked, test_broken,
		test_events, test_many_streams, test_stale_progress, NULL
	};

	return support_suite("serve", tests);
}
