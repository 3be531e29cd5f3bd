/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The connections: how many there are, and how long each may take.
 *
 * evhttp owns a connection, and says nothing when it frees one before the first
 * request.  So each buffer is held by a reference of ours: evhttp takes its
 * callbacks away when it lets go of it, which tells us to do the same.  To close
 * a connection, its socket is shut down; evhttp sees its end and tidies up.
 */
#include <event2/bufferevent.h>
#include <sys/socket.h>

#include "serve.h"

struct client {
	struct bufferevent *buffer;
	gint64 since;		/* monotonic us: its last request */
	bool is_stream;
	bool is_closed;		/* shut down, not yet tidied up */
};

struct serve_clients {
	struct event *sweep;
	GArray *clients;	/* struct client, in order of arrival */
};

static bool is_gone(const struct client *client)
{
	bufferevent_event_cb callback = NULL;

	bufferevent_getcb(client->buffer, NULL, NULL, &callback, NULL);
	return !callback;
}

static void forget_gone(struct serve_clients *clients)
{
	for (guint i = clients->clients->len; i-- > 0;) {
		struct client *client = &g_array_index(clients->clients,
						       struct client, i);

		if (!is_gone(client))
			continue;
		bufferevent_decref(client->buffer);
		g_array_remove_index(clients->clients, i);
	}
}

static void close_client(struct client *client)
{
	client->is_closed = true;
	shutdown(bufferevent_getfd(client->buffer), SHUT_RDWR);
}

static void on_sweep(evutil_socket_t fd, short what, void *arg)
{
	struct serve_clients *clients = arg;
	gint64 now = g_get_monotonic_time();

	(void)fd;
	(void)what;
	forget_gone(clients);
	for (guint i = 0; i < clients->clients->len; i++) {
		struct client *client = &g_array_index(clients->clients,
						       struct client, i);

		if (!client->is_closed && !client->is_stream &&
		    now - client->since >
		    SERVE_CLIENT_SECONDS * G_USEC_PER_SEC)
			close_client(client);
	}
}

/* Streams are few, and stay. */
static void make_room(struct serve_clients *clients)
{
	struct client *oldest = NULL;
	guint open = 0;

	for (guint i = 0; i < clients->clients->len; i++) {
		struct client *client = &g_array_index(clients->clients,
						       struct client, i);

		if (client->is_closed)
			continue;
		open++;
		if (!client->is_stream &&
		    (!oldest || client->since < oldest->since))
			oldest = client;
	}
	if (open >= SERVE_MAX_CLIENTS && oldest)
		close_client(oldest);
}

struct serve_clients *serve_clients_new(struct event_base *base)
{
	const struct timeval second = { .tv_sec = 1 };
	struct serve_clients *clients = g_new0(struct serve_clients, 1);

	clients->clients = g_array_new(FALSE, FALSE, sizeof(struct client));
	clients->sweep = event_new(base, -1, EV_PERSIST, on_sweep, clients);
	event_add(clients->sweep, &second);
	return clients;
}

/* After evhttp_free(), so that none but ours is left. */
void serve_clients_free(struct serve_clients *clients)
{
	event_free(clients->sweep);
	for (guint i = 0; i < clients->clients->len; i++)
		bufferevent_decref(g_array_index(clients->clients,
						 struct client, i).buffer);
	g_array_unref(clients->clients);
	g_free(clients);
}

struct bufferevent *serve_clients_accept(struct event_base *base, void *arg)
{
	struct serve_clients *clients = arg;
	struct client client = {
		.buffer = bufferevent_socket_new(base, -1, 0),
		.since = g_get_monotonic_time(),
	};

	if (!client.buffer)
		return NULL;
	forget_gone(clients);
	make_room(clients);
	bufferevent_incref(client.buffer);
	g_array_append_val(clients->clients, client);
	return client.buffer;
}

static struct client *find(struct serve_clients *clients,
			   const struct bufferevent *buffer)
{
	for (guint i = 0; i < clients->clients->len; i++) {
		struct client *client = &g_array_index(clients->clients,
						       struct client, i);

		if (client->buffer == buffer)
			return client;
	}
	return NULL;
}

void serve_clients_asked(struct serve_clients *clients,
			 struct bufferevent *buffer)
{
	struct client *client = find(clients, buffer);

	if (client)
		client->since = g_get_monotonic_time();
}

void serve_clients_stream(struct serve_clients *clients,
			  struct bufferevent *buffer)
{
	struct client *client = find(clients, buffer);

	if (client)
		client->is_stream = true;
}
