/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs whole scenarios, every variant at every point of the sweep, several at
 * a time, and records the results in the order of the files.
 */
#ifndef SCENARIOS_BATCH_H
#define SCENARIOS_BATCH_H

#include <glib.h>
#include <stdbool.h>

struct batch_options {
	char **sets;		/* --set group.key=value, NULL-ended, or NULL */
	const char *variant;	/* only this one, or NULL */
	const char *scale;	/* decimal text, NULL: "1" */
	unsigned int jobs;	/* 0: as many as there are processors */
	bool check;
	unsigned int capture;	/* frames of each device to record */
	const char *trace;	/* window to record event by event, or NULL */
	bool quiet;		/* no progress line */
};

/*
 * Runs scenarios (paths or names) and adds each result to the database at
 * `path`.  Returns an exit status; what went wrong has been said on standard
 * error.  With check, findings are said there too, and make the status 1.
 */
int batch_run(char **scenarios, const char *path,
	      const struct batch_options *options);

#endif
