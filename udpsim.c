/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The front door: finds the command and runs it. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/commands.h"
#include "scenarios/commands.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *title;
} commands[] = {
	{ "compare", cmd_compare, "before and after, beside what was "
				  "published" },
	{ "conflicts", cmd_conflicts, "which socket operations share written "
				      "lines" },
	{ "digest", cmd_digest, "SHA-256 of the results in a database" },
	{ "explain", cmd_explain, "why after is faster or slower, in ns an "
				  "operation" },
	{ "export", cmd_export, "a run in the form of another program" },
	{ "layout", cmd_layout, "a struct line by line, with the heat of a "
				"run" },
	{ "lines", cmd_lines, "the hottest lines of a run, like perf c2c" },
	{ "list", cmd_list, "scenarios, machines, kernels, patches, "
			    "workloads, metrics" },
	{ "operation", cmd_operation, "one socket operation, line by line" },
	{ "report", cmd_report, "one page with charts, for a browser" },
	{ "run", cmd_run, "run scenarios and record what comes out" },
	{ "serve", cmd_serve, "the same pages for a whole database, live, on "
			      "127.0.0.1" },
	{ "slabinfo", cmd_slabinfo, "the allocator's caches at the end of a "
				    "run" },
	{ "validate", cmd_validate, "the published experiments, predicted "
				    "against published" },
	{ "verify", cmd_verify, "the model against traces of a real kernel" },
};

#define NUM_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *file)
{
	unsigned int i;

	fprintf(file, "Usage: udpsim COMMAND [OPTION...] [ARGUMENT...]\n\n"
		"A deterministic simulator of the Linux UDP stack with "
		"cache-line cost accounting.\n\nCommands:\n");
	for (i = 0; i < NUM_COMMANDS; i++)
		fprintf(file, "  %-10s %s\n", commands[i].name,
			commands[i].title);
	fprintf(file, "\n'udpsim COMMAND --help' says more of one; so does "
		"udpsim(1).\n");
}

/* A command by its name, or by the start of it that only one has. */
static const struct command *find_command(const char *name)
{
	const struct command *found = NULL;
	unsigned int i;

	for (i = 0; i < NUM_COMMANDS; i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
		if (strncmp(commands[i].name, name, strlen(name)))
			continue;
		if (found)
			return NULL;
		found = &commands[i];
	}
	return found;
}

/* An assertion that fails is a bug of ours, and has said where. */
static void on_bug(int number)
{
	static const char text[] = "udpsim: this is a bug; please report it "
				   "with the command and the scenario\n";

	(void)number;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(70);
}

int main(int argc, char **argv)
{
	const struct command *command;
	char *help[] = { NULL, (char *)"--help", NULL };

	signal(SIGABRT, on_bug);
	signal(SIGTRAP, on_bug);
	setlocale(LC_ALL, "");
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("udpsim " PACKAGE_VERSION "\n");
		return 0;
	}
	if (!strcmp(argv[1], "help")) {
		command = argc > 2 ? find_command(argv[2]) : NULL;
		if (!command) {
			usage(argc > 2 ? stderr : stdout);
			return argc > 2 ? 2 : 0;
		}
		help[0] = argv[2];
		return command->run(2, help);
	}
	command = *argv[1] ? find_command(argv[1]) : NULL;
	if (!command) {
		fprintf(stderr, "udpsim: no command '%s'; 'udpsim --help' has "
			"them all\n", argv[1]);
		return 2;
	}
	return command->run(argc - 1, argv + 1);
}
