/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far runs are that are not recorded yet, for `udpsim serve` in another
 * process.
 *
 * Each process that records keeps a small file beside the database, named
 * DB.progress-PID, and a lock on it for as long as it lives, so that what a
 * killed process leaves behind is known to be stale.  It is a courtesy: where
 * the file cannot be made, nothing is shown and nothing else is different.
 */
#ifndef ANALYSIS_PROGRESS_H
#define ANALYSIS_PROGRESS_H

#include <glib.h>

struct progress;

/* NULL where no file can be made.  Removes what killed processes left. */
struct progress *progress_open(const char *database);
/* `what` is being done, `permille` of all is. */
void progress_tell(struct progress *progress, const char *what,
		   unsigned int permille);
/* Removes the file. */
void progress_close(struct progress *progress);

struct progress_state {
	char *what;
	unsigned int permille;
};

/* Of all processes that are at work on the database, in order of the names of
 * their files: struct progress_state *, owned. */
GPtrArray *progress_read(const char *database);

#endif
