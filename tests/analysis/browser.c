/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <check.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/json_build.h"
#include "browser.h"

#define PATIENCE_MS 60000

struct browser {
	pid_t pid;
	int to, from;
	gint64 last_id;
	char *session;		/* of the page; NULL: none yet */
	GString *input;
	GString *trouble;
	GPtrArray *requests;
	bool loaded;		/* the page that was opened last */
};

static void run_chromium(const char *program, const char *folder, int in,
			 int out)
{
	g_autofree char *profile = g_strconcat("--user-data-dir=", folder,
					       NULL);
	int nothing = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Where the protocol has them: out of the way first. */
	in = fcntl(in, F_DUPFD, 10);
	out = fcntl(out, F_DUPFD, 10);
	if (dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 ||
	    dup2(nothing, 2) < 0 || dup2(in, 3) < 0 || dup2(out, 4) < 0)
		_exit(99);
	g_setenv("TMPDIR", folder, TRUE);
	g_setenv("HOME", folder, TRUE);
	/* The pages are our own, and a container has no sandbox. */
	execl(program, program, "--headless", "--no-sandbox",
	      "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
	      "--disable-dev-shm-usage", "--disable-extensions",
	      "--disable-background-networking", "--disable-component-update",
	      "--disable-sync", "--hide-scrollbars", "--lang=en", profile,
	      "about:blank", (char *)NULL);
	_exit(99);
}

/* ---- messages ---- */

static void send_all(int fd, const char *text, gsize length)
{
	while (length) {
		ssize_t sent = write(fd, text, length);

		ck_assert_msg(sent > 0, "Chromium has ended");
		text += sent;
		length -= (gsize)sent;
	}
}

/* The next message; NULL where there is none in time. */
static JsonNode *receive(struct browser *browser, int ms)
{
	struct pollfd poll_fd = { .fd = browser->from, .events = POLLIN };
	char buffer[65536];
	JsonNode *node;
	gsize length;
	ssize_t got;

	for (;;) {
		length = strlen(browser->input->str);
		if (length < browser->input->len) {
			node = json_from_string(browser->input->str, NULL);
			g_string_erase(browser->input, 0, (gssize)length + 1);
			ck_assert_ptr_nonnull(node);
			return node;
		}
		if (poll(&poll_fd, 1, ms) <= 0)
			return NULL;
		got = read(browser->from, buffer, sizeof(buffer));
		ck_assert_msg(got > 0, "Chromium has ended");
		g_string_append_len(browser->input, buffer, got);
	}
}

static char *string_at(JsonNode *node, const char *path)
{
	g_autoptr(JsonNode) found = json_path_query(path, node, NULL);
	JsonArray *array = found ? json_node_get_array(found) : NULL;
	JsonNode *value;

	if (!array || !json_array_get_length(array))
		return g_strdup("");
	value = json_array_get_element(array, 0);
	if (JSON_NODE_HOLDS_VALUE(value) &&
	    json_node_get_value_type(value) == G_TYPE_STRING)
		return json_node_dup_string(value);
	return json_to_string(value, FALSE);
}

static void keep_trouble(struct browser *browser, JsonNode *event,
			 const char *what)
{
	g_autofree char *text = json_to_string(event, FALSE);

	g_string_append_printf(browser->trouble, "%s: %s\n", what, text);
}

static void take_event(struct browser *browser, JsonNode *event,
		       const char *method)
{
	g_autofree char *type = string_at(event, "$.params.type");
	g_autofree char *level = string_at(event, "$.params.entry.level");
	g_autofree char *canceled = string_at(event, "$.params.canceled");

	if (g_str_equal(method, "Page.loadEventFired"))
		browser->loaded = true;
	else if (g_str_equal(method, "Network.requestWillBeSent"))
		g_ptr_array_add(browser->requests,
				string_at(event, "$.params.request.url"));
	else if (g_str_equal(method, "Runtime.exceptionThrown") ||
		 (g_str_equal(method, "Runtime.consoleAPICalled") &&
		  !g_str_equal(type, "log")) ||
		 (g_str_equal(method, "Log.entryAdded") &&
		  !g_str_equal(level, "info") &&
		  !g_str_equal(level, "verbose")) ||
		 /* A stream ends with its page. */
		 (g_str_equal(method, "Network.loadingFailed") &&
		  !g_str_equal(canceled, "true")))
		keep_trouble(browser, event, method);
}

/* Takes events until the answer `id` is there, or with 0 the page is loaded. */
static JsonNode *wait_for(struct browser *browser, gint64 id)
{
	for (;;) {
		JsonNode *node = receive(browser, PATIENCE_MS);
		JsonObject *object;

		ck_assert_msg(node != NULL, "Chromium says nothing");
		object = json_node_get_object(node);
		if (json_object_has_member(object, "method"))
			take_event(browser, node, json_object_get_string_member(
							  object, "method"));
		else if (id && json_object_get_int_member(object, "id") == id)
			return node;
		json_node_unref(node);
		if (!id && browser->loaded)
			return NULL;
	}
}

/* A command, whose parameters are JSON text; its answer. */
static JsonNode *command(struct browser *browser, const char *method,
			 const char *parameters)
{
	gint64 id = ++browser->last_id;
	g_autofree char *session = browser->session ?
		g_strdup_printf(",\"sessionId\":\"%s\"", browser->session) :
		g_strdup("");
	g_autofree char *text = g_strdup_printf(
		"{\"id\":%" G_GINT64_FORMAT ",\"method\":\"%s\",\"params\":%s%s}",
		id, method, parameters, session);
	JsonNode *node;

	send_all(browser->to, text, strlen(text) + 1);
	node = wait_for(browser, id);
	if (json_object_has_member(json_node_get_object(node), "error")) {
		g_autofree char *answer = json_to_string(node, FALSE);

		ck_abort_msg("%s: %s", method, answer);
	}
	return node;
}

static void tell(struct browser *browser, const char *method,
		 const char *parameters)
{
	json_node_unref(command(browser, method, parameters));
}

/* ---- the browser ---- */

static void open_target(struct browser *browser)
{
	JsonNode *node = command(browser, "Target.createTarget",
				 "{\"url\":\"about:blank\"}");
	g_autofree char *target = string_at(node, "$.result.targetId");
	g_autofree char *parameters = g_strdup_printf(
		"{\"targetId\":\"%s\",\"flatten\":true}", target);

	json_node_unref(node);
	node = command(browser, "Target.attachToTarget", parameters);
	browser->session = string_at(node, "$.result.sessionId");
	json_node_unref(node);
	tell(browser, "Page.enable", "{}");
	tell(browser, "Runtime.enable", "{}");
	tell(browser, "Log.enable", "{}");
	tell(browser, "Network.enable", "{}");
}

struct browser *browser_start(const char *folder)
{
	g_autofree char *program = g_find_program_in_path("chromium");
	struct browser *browser = g_new0(struct browser, 1);
	int to[2], from[2];

	ck_assert_msg(program != NULL, "chromium is needed; ./quickstart check "
				       "installs it");
	ck_assert_int_eq(g_mkdir_with_parents(folder, 0700), 0);
	ck_assert_int_eq(pipe(to), 0);
	ck_assert_int_eq(pipe(from), 0);
	fcntl(to[1], F_SETFD, FD_CLOEXEC);
	fcntl(from[0], F_SETFD, FD_CLOEXEC);
	signal(SIGPIPE, SIG_IGN);
	fflush(NULL);
	browser->pid = fork();
	ck_assert_int_ge(browser->pid, 0);
	if (browser->pid == 0)
		run_chromium(program, folder, to[0], from[1]);
	close(to[0]);
	close(from[1]);
	browser->to = to[1];
	browser->from = from[0];
	browser->input = g_string_new(NULL);
	browser->trouble = g_string_new(NULL);
	browser->requests = g_ptr_array_new_with_free_func(g_free);
	open_target(browser);
	return browser;
}

void browser_stop(struct browser *browser)
{
	int status;

	g_clear_pointer(&browser->session, g_free);
	tell(browser, "Browser.close", "{}");
	ck_assert_int_eq(waitpid(browser->pid, &status, 0), browser->pid);
	close(browser->to);
	close(browser->from);
	g_string_free(browser->input, TRUE);
	g_string_free(browser->trouble, TRUE);
	g_ptr_array_unref(browser->requests);
	g_free(browser);
}

void browser_open(struct browser *browser, const char *address, int width,
		  int height)
{
	g_autofree char *size = g_strdup_printf(
		"{\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,"
		"\"mobile\":false}", width, height);
	g_autofree char *url = g_strdup_printf("{\"url\":\"%s\"}", address);

	tell(browser, "Emulation.setDeviceMetricsOverride", size);
	browser->loaded = false;
	g_string_truncate(browser->trouble, 0);
	g_ptr_array_set_size(browser->requests, 0);
	tell(browser, "Page.navigate", url);
	if (!browser->loaded)
		wait_for(browser, 0);
}

char *browser_text(struct browser *browser, const char *expression)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	g_autoptr(JsonNode) root = NULL;
	g_autoptr(JsonNode) answer = NULL;
	g_autofree char *parameters = NULL;
	g_autofree char *failure = NULL;

	json_builder_begin_object(builder);
	build_text(builder, "expression", expression);
	json_builder_end_object(builder);
	root = json_builder_get_root(builder);
	parameters = json_to_string(root, FALSE);
	answer = command(browser, "Runtime.evaluate", parameters);
	failure = string_at(answer, "$.result.exceptionDetails");
	ck_assert_msg(!*failure, "%s: %s", expression, failure);
	return string_at(answer, "$.result.result.value");
}

double browser_number(struct browser *browser, const char *expression)
{
	g_autofree char *text = browser_text(browser, expression);
	char *end;
	double value = g_ascii_strtod(text, &end);

	ck_assert_msg(end != text && !*end, "%s: %s", expression, text);
	return value;
}

void browser_media(struct browser *browser, const char *medium,
		   const char *scheme)
{
	g_autofree char *parameters = g_strdup_printf(
		"{\"media\":\"%s\",\"features\":[{\"name\":"
		"\"prefers-color-scheme\",\"value\":\"%s\"}]}", medium, scheme);

	tell(browser, "Emulation.setEmulatedMedia", parameters);
}

void browser_scripts(struct browser *browser, gboolean enabled)
{
	tell(browser, "Emulation.setScriptExecutionDisabled",
	     enabled ? "{\"value\":false}" : "{\"value\":true}");
}

void browser_press(struct browser *browser, const char *key, int code)
{
	static const char *const types[] = { "keyDown", "keyUp" };

	for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
		g_autofree char *parameters = g_strdup_printf(
			"{\"type\":\"%s\",\"key\":\"%s\",\"code\":\"%s\","
			"\"windowsVirtualKeyCode\":%d}", types[i], key, key,
			code);

		tell(browser, "Input.dispatchKeyEvent", parameters);
	}
}

void browser_screenshot(struct browser *browser, const char *path)
{
	g_autoptr(JsonNode) answer = command(browser, "Page.captureScreenshot",
		"{\"format\":\"png\",\"captureBeyondViewport\":true}");
	g_autofree char *data = string_at(answer, "$.result.data");
	g_autofree guchar *bytes = NULL;
	gsize length;

	bytes = g_base64_decode(data, &length);
	ck_assert(g_file_set_contents(path, (const char *)bytes,
				      (gssize)length, NULL));
}

const char *browser_trouble(const struct browser *browser)
{
	return browser->trouble->str;
}

GPtrArray *browser_requests(const struct browser *browser)
{
	return browser->requests;
}
