/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each CPU did in a window of time, event by event, for `udpsim run
 * --trace`: of the first repeat, on all hosts. */
#ifndef SCENARIOS_TRACE_H
#define SCENARIOS_TRACE_H

#include "scenarios/run.h"

/* Reads "LENGTH" or "FROM+LENGTH", each such as "50us" or "1.5ms". */
bool trace_window_parse(const char *text, struct trace_window *window,
			GError **error);

/* Looks on from here until the window ends; trace_finish() must be called. */
struct trace *trace_start(struct run *run, const struct trace_window *window);
void trace_finish(struct trace *trace, struct results *results);

#endif
