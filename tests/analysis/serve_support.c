/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <check.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/serve.h"
#include "serve_support.h"

#define PATIENCE_MS 20000	/* on a busy machine, with sanitizers */

static void serve_in_child(const char *path, int pipe)
{
	GError *error = NULL;
	struct serve *serve;
	guint16 port;

	/* It must not outlive a test that failed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	serve = serve_new(path, 0, &error);
	if (!serve)
		_exit(99);
	port = serve_port(serve);
	if (write(pipe, &port, sizeof(port)) != sizeof(port))
		_exit(99);
	close(pipe);
	if (!serve_run(serve, &error))
		_exit(98);
	serve_free(serve);
	/* Not _exit(): a sanitizer looks for leaks then. */
	exit(0);
}

struct server server_start(const char *path)
{
	struct server server = { 0, 0 };
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	fflush(NULL);
	server.pid = fork();
	ck_assert_int_ge(server.pid, 0);
	if (server.pid == 0) {
		close(ends[0]);
		serve_in_child(path, ends[1]);
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &server.port, sizeof(server.port)),
			 sizeof(server.port));
	close(ends[0]);
	return server;
}

bool server_is_alive(const struct server *server)
{
	int status;

	return waitpid(server->pid, &status, WNOHANG) == 0;
}

void server_stop(struct server *server)
{
	int status;

	ck_assert_int_eq(kill(server->pid, SIGTERM), 0);
	ck_assert_int_eq(waitpid(server->pid, &status, 0), server->pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		      "the server ended with status %#x", (unsigned int)status);
}

glong server_memory(const struct server *server)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/status",
						(int)server->pid);
	g_autofree char *text = NULL;
	const char *line;

	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	line = strstr(text, "VmRSS:");
	ck_assert_ptr_nonnull(line);
	return strtol(line + strlen("VmRSS:"), NULL, 10);
}

int server_connect(const struct server *server)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(server->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(client, 0);
	ck_assert_int_eq(connect(client, (struct sockaddr *)&address,
				 sizeof(address)), 0);
	return client;
}

void client_send(int client, const void *bytes, gsize length)
{
	const char *next = bytes;

	while (length) {
		ssize_t sent = send(client, next, length, MSG_NOSIGNAL);

		if (sent <= 0)
			return;	/* it has heard enough */
		next += sent;
		length -= (gsize)sent;
	}
}

GString *client_read(int client, int ms, bool *ret_end)
{
	gint64 until = g_get_monotonic_time() + ms * G_GINT64_CONSTANT(1000);
	GString *text = g_string_new(NULL);
	char buffer[65536];

	*ret_end = false;
	for (;;) {
		struct pollfd poll_fd = { .fd = client, .events = POLLIN };
		gint64 left = (until - g_get_monotonic_time() + 999) / 1000;
		ssize_t got;

		if (left <= 0 || poll(&poll_fd, 1, (int)left) <= 0)
			return text;
		got = recv(client, buffer, sizeof(buffer), 0);
		if (got <= 0) {
			*ret_end = true;
			return text;
		}
		g_string_append_len(text, buffer, got);
	}
}

struct answer server_ask(const struct server *server, const void *bytes,
			 gsize length)
{
	const struct linger at_once = { .l_onoff = 1 };
	struct answer answer = { 0, NULL, NULL, 0 };
	int client = server_connect(server);
	GString *text;
	char *body;
	bool end;

	client_send(client, bytes, length);
	shutdown(client, SHUT_WR);
	text = client_read(client, PATIENCE_MS, &end);
	ck_assert_msg(end, "no answer in %d ms to: %.*s", PATIENCE_MS,
		      (int)MIN(length, 200), (const char *)bytes);
	/* Thousands of them must not wait for their time to run out. */
	setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(client);
	if (text->len) {
		ck_assert_msg(g_str_has_prefix(text->str, "HTTP/"), "%s",
			      text->str);
		answer.status = atoi(strchr(text->str, ' '));
	}
	body = g_strstr_len(text->str, (gssize)text->len, "\r\n\r\n");
	body = body ? body + 4 : text->str + text->len;
	answer.head = g_strndup(text->str, (gsize)(body - text->str));
	answer.body_length = text->len - (gsize)(body - text->str);
	answer.body = g_strndup(body, answer.body_length);
	g_string_free(text, TRUE);
	return answer;
}

struct answer server_get(const struct server *server, const char *address)
{
	g_autofree char *text = g_strdup_printf(
		"GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
		"Connection: close\r\n\r\n", address, server->port);

	return server_ask(server, text, strlen(text));
}

void answer_clear(struct answer *answer)
{
	g_free(answer->head);
	g_free(answer->body);
}
