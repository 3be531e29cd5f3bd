/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `udpsim serve`: the pages of a database, on 127.0.0.1 alone.
 *
 * One thread answers one request after the other.  What a client can make it
 * do is bounded: which addresses there are (the table in serve_pages.c), the
 * length of an address and of a header, how long a request may take to come in
 * and an answer to be made, how many connections and streams there are.  The
 * database is read through a handle that cannot write, by statements that are
 * constants of the program.
 */
#ifndef ANALYSIS_SERVE_H
#define ANALYSIS_SERVE_H

#include <event2/event.h>
#include <event2/http.h>

#include "json_build.h"
#include "report.h"

#define SERVE_MAX_ADDRESS 1024u		/* bytes of path and query */
#define SERVE_MAX_HEADERS 8192
#define SERVE_MAX_BODY 4096		/* it is never looked at */
#define SERVE_MAX_CLIENTS 96u
#define SERVE_MAX_STREAMS 16u
#define SERVE_CLIENT_SECONDS 5		/* to ask, and to take the answer */
#define SERVE_ANSWER_SECONDS 10		/* for the database to find it */

#define SERVE_ERROR serve_error_quark()
GQuark serve_error_quark(void);
enum serve_error {
	SERVE_ERROR_ADDRESS,	/* the address asks for what cannot be */
};

/* ---- serve.c: the server ---- */

struct serve;

/* Listens on the port (0: any that is free); NULL and an error where it cannot.
 * The database need not be there yet. */
struct serve *serve_new(const char *path, guint16 port, GError **error);
guint16 serve_port(const struct serve *serve);
/* Answers until SIGINT or SIGTERM. */
bool serve_run(struct serve *serve, GError **error);
void serve_free(struct serve *serve);

/* ---- serve_database.c: the handle, for as long as it is good ---- */

struct serve_database;

struct serve_database *serve_database_new(const char *path);
void serve_database_free(struct serve_database *database);
/* Begins to read one state of the database, which must then be ended; opens it
 * where it is not open, or the file is another by now.  NULL and an error where
 * it cannot be read. */
sqlite3 *serve_database_begin(struct serve_database *database, GError **error);
/* `failed`: not to be used again. */
void serve_database_end(struct serve_database *database, bool failed);
const char *serve_database_path(const struct serve_database *database);

/* ---- serve_clients.c: the connections ---- */

struct serve_clients;

struct serve_clients *serve_clients_new(struct event_base *base);
void serve_clients_free(struct serve_clients *clients);
/* For evhttp_set_bevcb(), which asks for one for each connection: makes room
 * by closing the one that has been silent for longest. */
struct bufferevent *serve_clients_accept(struct event_base *base, void *clients);
/* The connection has asked for something, or has its answer: its time begins
 * anew. */
void serve_clients_asked(struct serve_clients *clients,
			 struct bufferevent *client);
/* It has no end of its own: it is not closed for being slow. */
void serve_clients_stream(struct serve_clients *clients,
			  struct bufferevent *client);

/* ---- serve_query.c: what stands behind the question mark ---- */

/* Takes `text` (NULL: nothing) apart.  SERVE_ERROR_ADDRESS where a name is not
 * in `known`, is there twice, or a value is no text. */
bool serve_query_parse(struct evkeyvalq *query, const char *text,
		       const char *const *known, GError **error);
/* "" where it is not there. */
const char *serve_query_text(const struct evkeyvalq *query, const char *name);
/* A number from 1; `otherwise` where it is not there, or with 0 an error. */
bool serve_query_number(const struct evkeyvalq *query, const char *name,
			gint64 otherwise, gint64 *ret_value, GError **error);

/* ---- serve_pages.c and the pages ---- */

struct serve_page {
	const char *path;
	const char *const *parameters;
	void (*write_html)(struct report *report,
			   const struct evkeyvalq *query);
	void (*write_json)(struct report *report,
			   const struct evkeyvalq *query, JsonBuilder *builder);
};

/* The page of a path, with or without .json behind it; NULL: none. */
const struct serve_page *serve_page_find(const char *path, bool *ret_json);

void serve_runs_html(struct report *report, const struct evkeyvalq *query);
void serve_runs_json(struct report *report, const struct evkeyvalq *query,
		     JsonBuilder *builder);
void serve_run_html(struct report *report, const struct evkeyvalq *query);
void serve_run_json(struct report *report, const struct evkeyvalq *query,
		    JsonBuilder *builder);
void serve_lines_html(struct report *report, const struct evkeyvalq *query);
void serve_lines_json(struct report *report, const struct evkeyvalq *query,
		      JsonBuilder *builder);
void serve_compare_html(struct report *report, const struct evkeyvalq *query);
void serve_compare_json(struct report *report, const struct evkeyvalq *query,
			JsonBuilder *builder);
void serve_report_html(struct report *report, const struct evkeyvalq *query);
void serve_report_json(struct report *report, const struct evkeyvalq *query,
		       JsonBuilder *builder);
/* As members of the object that is open. */
void serve_build_run(JsonBuilder *builder, const struct report_run *run);
void serve_build_metrics(JsonBuilder *builder, GPtrArray *metrics);

/* ---- serve_events.c: what changes while somebody looks ---- */

/* The runs that are recorded, and those at work. */
struct serve_state {
	gint64 runs, latest;
	GPtrArray *progress;	/* struct progress_state *, owned */
};

void serve_state_read(struct report *report, struct serve_state *state);
void serve_state_clear(struct serve_state *state);
void serve_state_html(struct html *html, const struct serve_state *state);
void serve_state_json(struct report *report, const struct evkeyvalq *query,
		      JsonBuilder *builder);

struct serve_events;

struct serve_events *serve_events_new(struct event_base *base,
				      struct serve_database *database);
/* Ends the streams. */
void serve_events_free(struct serve_events *events);
/* Makes the answer to a request a stream of events; false where there are
 * enough of them. */
bool serve_events_add(struct serve_events *events,
		      struct evhttp_request *request);

#endif
