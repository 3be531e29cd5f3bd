/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server: takes a request, says no where it is not one that a reader of the
 * pages would make, has the page written, and answers.
 *
 * The name of the host that a browser asked for must be this computer's own:
 * else a page of another site, whose name was made to stand for 127.0.0.1,
 * could read the database.
 */
#include "serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/keyvalq_struct.h>
#include <signal.h>
#include <string.h>

struct serve {
	struct event_base *base;
	struct evhttp *http;
	struct event *stop[2];
	struct serve_clients *clients;
	struct serve_database *database;
	struct serve_events *events;
	guint16 port;
};

/* ---- answers ---- */

static void add_headers(struct evhttp_request *request, const char *type)
{
	static const char *const headers[][2] = {
		{ "Cache-Control", "no-store" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Referrer-Policy", "no-referrer" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "X-Frame-Options", "DENY" },
	};
	struct evkeyvalq *out = evhttp_request_get_output_headers(request);
	g_autofree char *policy = page_policy(true);

	for (guint i = 0; i < G_N_ELEMENTS(headers); i++)
		evhttp_add_header(out, headers[i][0], headers[i][1]);
	evhttp_add_header(out, "Content-Security-Policy", policy);
	evhttp_add_header(out, "Content-Type", type);
}

/* Of HEAD, all but the text. */
static void send_text(struct evhttp_request *request, int code,
		      const char *type, const GString *text)
{
	struct evkeyvalq *out = evhttp_request_get_output_headers(request);
	struct evbuffer *body = evbuffer_new();
	g_autofree char *length = g_strdup_printf("%" G_GSIZE_FORMAT,
						  text->len);

	add_headers(request, type);
	evhttp_add_header(out, "Content-Length", length);
	if (evhttp_request_get_command(request) != EVHTTP_REQ_HEAD)
		evbuffer_add(body, text->str, text->len);
	evhttp_send_reply(request, code, NULL, body);
	evbuffer_free(body);
}

static void send_html(struct evhttp_request *request, int code, GString *text)
{
	send_text(request, code, "text/html; charset=utf-8", text);
	g_string_free(text, TRUE);
}

static void send_json(struct evhttp_request *request, int code,
		      JsonBuilder *builder)
{
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	GString *text = g_string_new(NULL);
	g_autofree char *line = json_to_string(root, FALSE);

	g_string_append_printf(text, "%s\n", line);
	send_text(request, code, "application/json", text);
	g_string_free(text, TRUE);
}

static void refuse(struct evhttp_request *request, int code, bool json,
		   const char *title, const char *message)
{
	g_autoptr(JsonBuilder) builder = NULL;
	struct report report = { .served = true };

	if (json) {
		builder = json_builder_new();
		json_builder_begin_object(builder);
		build_text(builder, "error", message);
		json_builder_end_object(builder);
		send_json(request, code, builder);
		return;
	}
	report.html = html_new();
	page_open(&report, title);
	html_element(report.html, "p", message);
	page_close(&report);
	send_html(request, code, html_finish(report.html));
}

/* Where the database fails it may be whole again later. */
static void refuse_error(struct evhttp_request *request, bool json,
			 const GError *error)
{
	if (error->domain == SERVE_ERROR) {
		refuse(request, HTTP_BADREQUEST, json, "This address cannot be",
		       error->message);
		return;
	}
	if (g_error_matches(error, RECORD_ERROR, RECORD_ERROR_NAME)) {
		refuse(request, HTTP_NOTFOUND, json, "Not in the database",
		       error->message);
		return;
	}
	evhttp_add_header(evhttp_request_get_output_headers(request),
			  "Retry-After", "5");
	refuse(request, HTTP_SERVUNAVAIL, json,
	       "The database cannot be read now", error->message);
}

/* ---- requests ---- */

/* "127.0.0.1:8080", "localhost:8080", or either without the port. */
static bool is_own_host(const struct serve *serve, const char *host)
{
	static const char *const names[] = { "127.0.0.1", "localhost" };
	g_autofree char *port = g_strdup_printf(":%u", serve->port);

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		size_t length = strlen(names[i]);

		if (g_ascii_strncasecmp(host, names[i], length) == 0 &&
		    (!host[length] || g_str_equal(host + length, port)))
			return true;
	}
	return false;
}

static bool has_body(struct evkeyvalq *headers)
{
	const char *length = evhttp_find_header(headers, "Content-Length");

	return evhttp_find_header(headers, "Transfer-Encoding") ||
	       (length && !g_str_equal(length, "0"));
}

/* False where the request has been refused. */
static bool check_request(const struct serve *serve,
			  struct evhttp_request *request)
{
	enum evhttp_cmd_type command = evhttp_request_get_command(request);
	struct evkeyvalq *in = evhttp_request_get_input_headers(request);
	struct evkeyvalq *out = evhttp_request_get_output_headers(request);
	const char *host = evhttp_find_header(in, "Host");
	const char *address = evhttp_request_get_uri(request);

	if (command != EVHTTP_REQ_GET && command != EVHTTP_REQ_HEAD) {
		evhttp_add_header(out, "Allow", "GET, HEAD");
		refuse(request, HTTP_BADMETHOD, false, "Only to be read",
		       "The server takes GET and HEAD alone.");
	} else if (has_body(in)) {
		evhttp_add_header(out, "Connection", "close");
		refuse(request, HTTP_BADREQUEST, false, "A request with a body",
		       "What asks for a page has no body.");
	} else if (host && !is_own_host(serve, host)) {
		refuse(request, 421, false, "Another host's name",
		       "The server answers for 127.0.0.1 and localhost alone.");
	} else if (!address || strlen(address) > SERVE_MAX_ADDRESS) {
		refuse(request, 414, false, "The address is too long",
		       "No page here has so long an address.");
	} else {
		return true;
	}
	return false;
}

struct asked {
	const struct serve_page *page;
	bool json;
	struct evkeyvalq query;
	char *json_address;
};

static void answer_html(struct evhttp_request *request,
			const struct asked *asked, struct report *report)
{
	GString *text;

	report->html = html_new();
	report->served = true;
	report->json = asked->json_address;
	asked->page->write_html(report, &asked->query);
	text = html_finish(report->html);
	if (report->error)
		g_string_free(text, TRUE);
	else
		send_html(request, HTTP_OK, text);
}

static void answer_json(struct evhttp_request *request,
			const struct asked *asked, struct report *report)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();

	json_builder_begin_object(builder);
	asked->page->write_json(report, &asked->query, builder);
	json_builder_end_object(builder);
	if (!report->error)
		send_json(request, HTTP_OK, builder);
}

static void answer(struct serve *serve, struct evhttp_request *request,
		   const struct asked *asked)
{
	struct report report = { .path = serve_database_path(serve->database) };
	bool failed;

	report.db = serve_database_begin(serve->database, &report.error);
	if (report.db) {
		if (asked->json)
			answer_json(request, asked, &report);
		else
			answer_html(request, asked, &report);
		/* A run that is not there says nothing of the handle. */
		failed = report.error && report.error->domain != SERVE_ERROR &&
			 !g_error_matches(report.error, RECORD_ERROR,
					  RECORD_ERROR_NAME);
		serve_database_end(serve->database, failed);
	}
	if (report.error)
		refuse_error(request, asked->json, report.error);
	g_clear_error(&report.error);
}

static void open_stream(struct serve *serve, struct evhttp_request *request)
{
	struct bufferevent *buffer = evhttp_connection_get_bufferevent(
		evhttp_request_get_connection(request));

	if (evhttp_request_get_command(request) == EVHTTP_REQ_HEAD) {
		GString *nothing = g_string_new(NULL);

		send_text(request, HTTP_OK, "text/event-stream", nothing);
		g_string_free(nothing, TRUE);
		return;
	}
	add_headers(request, "text/event-stream");
	if (serve_events_add(serve->events, request)) {
		serve_clients_stream(serve->clients, buffer);
		return;
	}
	evhttp_clear_headers(evhttp_request_get_output_headers(request));
	refuse(request, HTTP_SERVUNAVAIL, false, "Too many streams",
	       "Close another window that shows the list of runs.");
}

static void redirect(struct evhttp_request *request)
{
	GString *nothing = g_string_new(NULL);

	evhttp_add_header(evhttp_request_get_output_headers(request),
			  "Location", "/runs");
	send_html(request, HTTP_MOVETEMP, nothing);
}

static void answer_page(struct serve *serve, struct evhttp_request *request,
			struct asked *asked, const struct evhttp_uri *uri)
{
	const char *query = evhttp_uri_get_query(uri);
	GError *error = NULL;

	if (!serve_query_parse(&asked->query, query, asked->page->parameters,
			       &error)) {
		refuse_error(request, asked->json, error);
		g_error_free(error);
		return;
	}
	asked->json_address = g_strdup_printf("%s.json%s%s", asked->page->path,
					      query ? "?" : "",
					      query ? query : "");
	if (asked->json || asked->page->write_html)
		answer(serve, request, asked);
	else
		open_stream(serve, request);
	evhttp_clear_headers(&asked->query);
	g_free(asked->json_address);
}

static void answer_request(struct serve *serve, struct evhttp_request *request)
{
	const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
	const char *path = uri ? evhttp_uri_get_path(uri) : NULL;
	struct asked asked = { 0 };

	if (!check_request(serve, request))
		return;
	if (g_strcmp0(path, "/") == 0) {
		redirect(request);
		return;
	}
	asked.page = path ? serve_page_find(path, &asked.json) : NULL;
	if (asked.page)
		answer_page(serve, request, &asked, uri);
	else
		refuse(request, HTTP_NOTFOUND, false, "No such page",
		       "The list of runs leads to all pages that there are.");
}

static void on_request(struct evhttp_request *request, void *arg)
{
	struct serve *serve = arg;
	struct bufferevent *client = evhttp_connection_get_bufferevent(
		evhttp_request_get_connection(request));

	answer_request(serve, request);
	/* Not before: a page may take longer to make than to read. */
	serve_clients_asked(serve->clients, client);
}

/* ---- the server ---- */

static void on_stop(evutil_socket_t number, short what, void *arg)
{
	(void)number;
	(void)what;
	event_base_loopexit(arg, NULL);
}

static bool listen_on(struct serve *serve, guint16 port, GError **error)
{
	struct evhttp_bound_socket *bound = evhttp_bind_socket_with_handle(
		serve->http, "127.0.0.1", port);
	struct sockaddr_in address;
	socklen_t length = sizeof(address);
	int reason = errno;

	if (bound && getsockname(evhttp_bound_socket_get_fd(bound),
				 (struct sockaddr *)&address, &length) == 0) {
		serve->port = ntohs(address.sin_port);
		return true;
	}
	g_set_error(error, RECORD_ERROR, RECORD_ERROR_OPEN,
		    "127.0.0.1:%u: cannot listen: %s; give another --port, or "
		    "none", port, g_strerror(bound ? errno : reason));
	return false;
}

static void limit(struct serve *serve)
{
	evhttp_set_max_headers_size(serve->http, SERVE_MAX_HEADERS);
	evhttp_set_max_body_size(serve->http, SERVE_MAX_BODY);
	/* All, so that on_request() says which are allowed. */
	evhttp_set_allowed_methods(serve->http, EVHTTP_REQ_GET |
		EVHTTP_REQ_POST | EVHTTP_REQ_HEAD | EVHTTP_REQ_PUT |
		EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS | EVHTTP_REQ_TRACE |
		EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH);
	evhttp_set_bevcb(serve->http, serve_clients_accept, serve->clients);
	evhttp_set_gencb(serve->http, on_request, serve);
}

struct serve *serve_new(const char *path, guint16 port, GError **error)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct serve *serve = g_new0(struct serve, 1);

	signal(SIGPIPE, SIG_IGN);
	serve->base = event_base_new();
	serve->http = evhttp_new(serve->base);
	serve->clients = serve_clients_new(serve->base);
	serve->database = serve_database_new(path);
	serve->events = serve_events_new(serve->base, serve->database);
	for (guint i = 0; i < G_N_ELEMENTS(signals); i++) {
		serve->stop[i] = evsignal_new(serve->base, signals[i], on_stop,
					      serve->base);
		event_add(serve->stop[i], NULL);
	}
	limit(serve);
	if (listen_on(serve, port, error))
		return serve;
	serve_free(serve);
	return NULL;
}

guint16 serve_port(const struct serve *serve)
{
	return serve->port;
}

bool serve_run(struct serve *serve, GError **error)
{
	if (event_base_dispatch(serve->base) >= 0)
		return true;
	g_set_error(error, RECORD_ERROR, RECORD_ERROR_OPEN,
		    "the server has failed: %s", g_strerror(errno));
	return false;
}

void serve_free(struct serve *serve)
{
	serve_events_free(serve->events);
	evhttp_free(serve->http);
	serve_clients_free(serve->clients);
	serve_database_free(serve->database);
	for (guint i = 0; i < G_N_ELEMENTS(serve->stop); i++)
		event_free(serve->stop[i]);
	event_base_free(serve->base);
	g_free(serve);
}
