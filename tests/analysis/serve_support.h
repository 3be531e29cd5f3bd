/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A server in a process of its own, and a client that may say anything. */
#ifndef TESTS_ANALYSIS_SERVE_SUPPORT_H
#define TESTS_ANALYSIS_SERVE_SUPPORT_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

struct server {
	pid_t pid;
	guint16 port;
};

struct answer {
	int status;		/* 0: the connection ended without one */
	char *head, *body;	/* owned */
	gsize body_length;
};

struct server server_start(const char *path);
/* Expects it to end well. */
void server_stop(struct server *server);
bool server_is_alive(const struct server *server);
/* What it holds of memory, in KiB. */
glong server_memory(const struct server *server);

/* A connection; never -1. */
int server_connect(const struct server *server);
/* Sends all, or what the server takes. */
void client_send(int client, const void *bytes, gsize length);
/* Reads to the end, or for `ms` at most: all that came, and whether the end
 * did. */
GString *client_read(int client, int ms, bool *ret_end);

/* Sends the bytes and the end, and takes the answer. */
struct answer server_ask(const struct server *server, const void *bytes,
			 gsize length);
/* GET of an address. */
struct answer server_get(const struct server *server, const char *address);
void answer_clear(struct answer *answer);

#endif
