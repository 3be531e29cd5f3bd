/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces made by hand, in a folder of their own, for the yardstick's suites. */
#ifndef TESTS_SCENARIOS_TRUTH_SUPPORT_H
#define TESTS_SCENARIOS_TRUTH_SUPPORT_H

#include "scenarios/objects.h"

#define OBJECTS_HEAD "class\tobject\tfunctions\ttypes\tlines\treason\n"
#define OPERATIONS_HEAD "op\tinsns\tinsns_minus_null_syscall\n"
#define LINES_HEAD \
	"operation\tclass\tobject\tline\treads\twrites\tatomics\tfields\t" \
	"functions\n"

/* A fixture: an empty folder, and away with it and what lies in it. */
void truth_set_up(void);
void truth_tear_down(void);
const char *truth_folder(void);
/* The path of a file in it; free with g_free(). */
char *truth_path(const char *name);
void truth_write(const char *name, const char *text);

/* A table of objects, the head put before the text; it must load. */
struct object_map *truth_objects(const char *rows);
/* Why it does not load, without the path in front; free with g_free(). */
char *truth_objects_refusal(const char *text);

#endif
