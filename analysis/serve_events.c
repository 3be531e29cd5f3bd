/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /events: a stream that says how many runs are recorded and how far others
 * are, each time that this changes.  /events.json says it once.
 *
 * A stream belongs to evhttp until its connection ends; then evhttp leaves the
 * request to us, without a connection, and it is freed.
 */
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <sys/socket.h>

#include "serve.h"

#include "progress.h"

#define LOOK_MS 400		/* between two looks at the database */
#define ALIVE_SECONDS 5		/* a sign of life where nothing changes */
#define MAX_BEHIND 65536u	/* bytes that a client has not taken */

struct serve_events {
	struct serve_database *database;
	struct event *look;
	GPtrArray *streams;	/* struct evhttp_request * */
	char *told;		/* what was sent last */
	gint64 told_at;		/* monotonic us */
};

void serve_state_read(struct report *report, struct serve_state *state)
{
	sqlite3_stmt *statement = report_prepare(report,
		"SELECT count(*), coalesce(max(id), 0) FROM run", 0, 0);

	*state = (struct serve_state){ 0 };
	while (report_next(report, statement)) {
		state->runs = sqlite3_column_int64(statement, 0);
		state->latest = sqlite3_column_int64(statement, 1);
	}
	state->progress = progress_read(report->path);
}

void serve_state_clear(struct serve_state *state)
{
	g_ptr_array_unref(state->progress);
}

void serve_state_html(struct html *html, const struct serve_state *state)
{
	html_open(html, "p", NULL);
	html_printf(html, "%" G_GINT64_FORMAT " %s recorded", state->runs,
		    state->runs == 1 ? "run" : "runs");
	html_close(html, "p");
	html_open(html, "ul", NULL);
	for (guint i = 0; i < state->progress->len; i++) {
		const struct progress_state *one = state->progress->pdata[i];

		html_open(html, "li", NULL);
		html_printf(html, "%s: %u %% ", one->what, one->permille / 10);
		html_open(html, "progress", "max", "1000", "value",
			  html_integer(html, one->permille), "aria-label",
			  one->what, NULL);
		html_close(html, "progress");
		html_close(html, "li");
	}
	html_close(html, "ul");
}

static void build_state(JsonBuilder *builder, const struct serve_state *state)
{
	build_integer(builder, "runs", state->runs);
	build_integer(builder, "latest", state->latest);
	build_array(builder, "progress");
	for (guint i = 0; i < state->progress->len; i++) {
		const struct progress_state *one = state->progress->pdata[i];

		json_builder_begin_object(builder);
		build_text(builder, "what", one->what);
		build_integer(builder, "permille", one->permille);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
}

void serve_state_json(struct report *report, const struct evkeyvalq *query,
		      JsonBuilder *builder)
{
	struct serve_state state;

	(void)query;
	serve_state_read(report, &state);
	build_state(builder, &state);
	serve_state_clear(&state);
}

/* ---- the streams ---- */

static bool build_now(struct serve_events *events, JsonBuilder *builder,
		      GError **error)
{
	struct report report = {
		.path = serve_database_path(events->database),
	};

	report.db = serve_database_begin(events->database, error);
	if (!report.db)
		return false;
	serve_state_json(&report, NULL, builder);
	serve_database_end(events->database, report.error != NULL);
	if (!report.error)
		return true;
	g_propagate_error(error, report.error);
	return false;
}

/* What there is to tell, on one line: a new string. */
static char *read_now(struct serve_events *events)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	g_autoptr(GError) error = NULL;
	g_autoptr(JsonNode) root = NULL;

	json_builder_begin_object(builder);
	if (!build_now(events, builder, &error)) {
		json_builder_reset(builder);
		json_builder_begin_object(builder);
		build_text(builder, "error", error->message);
	}
	json_builder_end_object(builder);
	root = json_builder_get_root(builder);
	return json_to_string(root, FALSE);
}

static void send_chunk(struct evhttp_request *request, const char *text)
{
	struct evbuffer *chunk = evbuffer_new();

	evbuffer_add_printf(chunk, "%s", text);
	evhttp_send_reply_chunk(request, chunk);
	evbuffer_free(chunk);
}

/* Shuts one that does not take what it is sent; evhttp tidies it up. */
static bool shut_behind(struct evhttp_request *request)
{
	struct evhttp_connection *connection =
		evhttp_request_get_connection(request);
	struct bufferevent *buffer =
		evhttp_connection_get_bufferevent(connection);

	if (evbuffer_get_length(bufferevent_get_output(buffer)) <= MAX_BEHIND)
		return false;
	shutdown(bufferevent_getfd(buffer), SHUT_RDWR);
	return true;
}

static void tell_all(struct serve_events *events, const char *text)
{
	for (guint i = 0; i < events->streams->len; i++)
		if (!shut_behind(events->streams->pdata[i]))
			send_chunk(events->streams->pdata[i], text);
	events->told_at = g_get_monotonic_time();
}

static void on_look(evutil_socket_t fd, short what, void *arg)
{
	struct serve_events *events = arg;
	g_autofree char *now = NULL;
	g_autofree char *text = NULL;

	(void)fd;
	(void)what;
	if (!events->streams->len)
		return;
	now = read_now(events);
	if (g_strcmp0(now, events->told) != 0) {
		text = g_strdup_printf("event: state\ndata: %s\n\n", now);
		tell_all(events, text);
		g_free(events->told);
		events->told = g_steal_pointer(&now);
	} else if (g_get_monotonic_time() - events->told_at >
		   ALIVE_SECONDS * G_USEC_PER_SEC) {
		tell_all(events, ":\n\n");
	}
}

struct serve_events *serve_events_new(struct event_base *base,
				      struct serve_database *database)
{
	const struct timeval between = { .tv_usec = LOOK_MS * 1000 };
	struct serve_events *events = g_new0(struct serve_events, 1);

	events->database = database;
	events->streams = g_ptr_array_new();
	events->look = event_new(base, -1, EV_PERSIST, on_look, events);
	event_add(events->look, &between);
	return events;
}

static void on_close(struct evhttp_connection *connection, void *arg)
{
	struct serve_events *events = arg;

	for (guint i = events->streams->len; i-- > 0;) {
		struct evhttp_request *request = events->streams->pdata[i];
		struct evhttp_connection *own =
			evhttp_request_get_connection(request);

		if (own && own != connection)
			continue;
		g_ptr_array_remove_index(events->streams, i);
		/* With a connection, evhttp frees it with that. */
		if (!own)
			evhttp_send_reply_end(request);
	}
}

void serve_events_free(struct serve_events *events)
{
	for (guint i = 0; i < events->streams->len; i++) {
		struct evhttp_request *request = events->streams->pdata[i];

		evhttp_connection_set_closecb(
			evhttp_request_get_connection(request), NULL, NULL);
		evhttp_send_reply_end(request);
	}
	g_ptr_array_unref(events->streams);
	event_free(events->look);
	g_free(events->told);
	g_free(events);
}

bool serve_events_add(struct serve_events *events,
		      struct evhttp_request *request)
{
	struct evhttp_connection *connection =
		evhttp_request_get_connection(request);
	struct bufferevent *buffer =
		evhttp_connection_get_bufferevent(connection);
	g_autofree char *now = NULL;
	g_autofree char *text = NULL;

	if (events->streams->len >= SERVE_MAX_STREAMS)
		return false;
	/* It is silent by nature, but must take what it is sent. */
	bufferevent_set_timeouts(buffer, NULL, NULL);
	evhttp_connection_set_closecb(connection, on_close, events);
	g_ptr_array_add(events->streams, request);
	evhttp_send_reply_start(request, HTTP_OK, NULL);
	now = read_now(events);
	text = g_strdup_printf("retry: 2000\nevent: state\ndata: %s\n\n", now);
	send_chunk(request, text);
	return true;
}
