/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands as a shell sees them: what goes to which stream, and the exit
 * status.
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/commands.h"
#include "analysis/record.h"
#include "suites.h"
#include "support.h"

struct outcome {
	int status;
	char *out, *err;
};

static void outcome_clear(struct outcome *outcome)
{
	g_free(outcome->out);
	g_free(outcome->err);
}

static void redirect(int fd, const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (file < 0 || dup2(file, fd) < 0)
		_exit(99);
}

static char *contents(const char *path)
{
	char *text = NULL;

	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	return text;
}

/* Runs a command in a process of its own: --help ends the process.  `line` is
 * parted at spaces; `out` NULL catches standard output. */
static struct outcome run(int (*command)(int argc, char **argv),
			  const char *line, const char *out)
{
	const char *out_path = out ? out : support_path("out");
	const char *err_path = support_path("err");
	struct outcome outcome = { 0, NULL, NULL };
	pid_t child;

	fflush(NULL);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		g_auto(GStrv) argv = g_strsplit(line, " ", -1);
		g_autofree char **copy = g_memdup2(argv, sizeof(*argv) *
						   (g_strv_length(argv) + 1));

		redirect(1, out_path);
		redirect(2, err_path);
		_exit(command((int)g_strv_length(argv), copy));
	}
	ck_assert_int_eq(waitpid(child, &outcome.status, 0), child);
	ck_assert(WIFEXITED(outcome.status));
	outcome.status = WEXITSTATUS(outcome.status);
	outcome.out = out ? NULL : contents(out_path);
	outcome.err = contents(err_path);
	return outcome;
}

static void expect(int (*command)(int argc, char **argv), const char *line,
		   int status, const char *out, const char *err)
{
	struct outcome outcome = run(command, line, NULL);

	ck_assert_msg(outcome.status == status, "%s: status %d, %s%s", line,
		      outcome.status, outcome.out, outcome.err);
	ck_assert_msg(out ? strstr(outcome.out, out) != NULL :
			    *outcome.out == '\0', "%s: %s", line,
		      outcome.out);
	ck_assert_msg(err ? strstr(outcome.err, err) != NULL :
			    *outcome.err == '\0', "%s: %s", line,
		      outcome.err);
	outcome_clear(&outcome);
}

/* `%s` in the line stands for the path. */
static void expect_on(const char *path, int (*command)(int argc, char **argv),
		      const char *format, int status, const char *out,
		      const char *err)
{
	g_auto(GStrv) parts = g_strsplit(format, "%s", -1);
	g_autofree char *line = g_strjoinv(path, parts);

	expect(command, line, status, out, err);
}

static const char *two_runs(void)
{
	const char *path = support_path("r.db");

	support_record(path, support_results("before", 2.5));
	support_record(path, support_results("after", 2));
	return path;
}

START_TEST(compare_takes_options_anywhere)
{
	const char *path = two_runs();

	expect_on(path, cmd_compare, "compare %s", 0, "elapsed_s", NULL);
	expect_on(path, cmd_compare, "compare %s --json", 0,
		  "{\"experiments\":[{\"name\":\"neigh-confirmed\"", NULL);
	expect_on(path, cmd_compare, "compare --json %s --metric rtt_us", 0,
		  "\"rtt_us\"", NULL);
	expect_on(path, cmd_compare, "compare --metric=all -- %s", 0,
		  "rtt_us", NULL);
	expect_on(path, cmd_compare, "compare --help", 0, "--metric", NULL);
	expect_on(path, cmd_compare, "compare --help", 0,
		  "udpsim compare [OPTION", NULL);
}
END_TEST

START_TEST(compare_refuses)
{
	const char *path = two_runs();
	const char *alone = support_path("alone.db");
	const char *text = support_path("text");

	expect_on(path, cmd_compare, "compare %s --metric elapsd_s", 2, NULL,
		  "the nearest is \"elapsed_s\"");
	expect_on(path, cmd_compare, "compare %s --nonsense", 2, NULL,
		  "--nonsense");
	expect_on(path, cmd_compare, "compare %s %s", 2, NULL,
		  "one database at a time");
	expect_on(path, cmd_compare, "compare %s.gone", 3, NULL,
		  "no such database");
	ck_assert(g_file_set_contents(text, "text", -1, NULL));
	expect_on(text, cmd_compare, "compare %s", 3, NULL,
		  "not a udpsim database");
	support_record(alone, support_results("before", 2.5));
	expect_on(alone, cmd_compare, "compare %s", 2, NULL,
		  "nothing to compare");
}
END_TEST

START_TEST(compare_finds_the_default)
{
	g_autofree char *path = NULL;

	g_setenv("XDG_STATE_HOME", support_path("state"), TRUE);
	expect(cmd_compare, "compare", 3, NULL, "no such database");
	path = default_database(true, NULL);
	support_record(path, support_results("before", 2.5));
	support_record(path, support_results("after", 2));
	expect(cmd_compare, "compare", 0, "elapsed_s", NULL);
}
END_TEST

START_TEST(digest_prints_one_line)
{
	const char *path = two_runs();
	g_autofree char *line = g_strdup_printf("digest %s", path);
	struct outcome outcome = run(cmd_digest, line, NULL);

	ck_assert_int_eq(outcome.status, 0);
	ck_assert_str_eq(outcome.err, "");
	ck_assert_uint_eq(strlen(outcome.out), 65);
	ck_assert_uint_eq(strspn(outcome.out, "0123456789abcdef"), 64);
	ck_assert_int_eq(outcome.out[64], '\n');
	outcome_clear(&outcome);
	expect(cmd_digest, "digest", 2, NULL, "udpsim digest DB");
	expect_on(path, cmd_digest, "digest %s %s", 2, NULL, "one database");
	expect_on(path, cmd_digest, "digest %s.gone", 3, NULL,
		  "no such database");
	expect_on(path, cmd_digest, "digest --help", 0, "SHA-256", NULL);
}
END_TEST

START_TEST(export_knows_its_forms)
{
	const char *path = two_runs();

	expect_on(path, cmd_export, "export -f csv %s", 0,
		  "\n2,elapsed_s,s,2\n", NULL);
	expect_on(path, cmd_export, "export -f csv -t lock -r 1 %s", 0,
		  "\n1,Qdisc,busylock,91,92,93,94,\n", NULL);
	expect_on(path, cmd_export, "export --format json %s", 0,
		  "\"variant\" : \"after\"", NULL);
	expect_on(path, cmd_export, "export --format folded %s", 0, NULL, NULL);
	expect_on(path, cmd_export, "export -f csv -t run_host %s", 2, NULL,
		  "there is no table 'run_host' to export; there are metric, ");
	expect_on(path, cmd_export, "export -f folded -t line %s", 2, NULL,
		  "--table goes with csv and json, not with folded");
	expect_on(path, cmd_export, "export -f xml %s", 2, NULL,
		  "there is no format 'xml'; give csv, ");
}
END_TEST

START_TEST(a_full_output_is_an_error)
{
	const char *path = two_runs();
	g_autofree char *compare = g_strdup_printf("compare %s", path);
	g_autofree char *digest = g_strdup_printf("digest %s", path);
	struct outcome outcome = run(cmd_compare, compare, "/dev/full");

	ck_assert_int_eq(outcome.status, 3);
	ck_assert(strstr(outcome.err, "No space left") != NULL);
	outcome_clear(&outcome);
	outcome = run(cmd_digest, digest, "/dev/full");
	ck_assert_int_eq(outcome.status, 3);
	ck_assert(strstr(outcome.err, "No space left") != NULL);
	outcome_clear(&outcome);
}
END_TEST

Suite *suite_commands(void)
{
	const TTest *const tests[] = {
		compare_takes_options_anywhere,
		compare_refuses,
		compare_finds_the_default,
		digest_prints_one_line,
		export_knows_its_forms,
		a_full_output_is_an_error,
		NULL
	};

	return support_suite("commands", tests);
}
