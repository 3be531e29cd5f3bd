/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of an object under construction, name and value in one call. */
#ifndef ANALYSIS_JSON_BUILD_H
#define ANALYSIS_JSON_BUILD_H

#include <json-glib/json-glib.h>
#include <stdio.h>

void build_text(JsonBuilder *builder, const char *name, const char *value);
/* null for what is not finite: not known. */
void build_number(JsonBuilder *builder, const char *name, double value);
void build_integer(JsonBuilder *builder, const char *name, gint64 value);
/* An array, which is left open. */
void build_array(JsonBuilder *builder, const char *name);
/* Prints what was built, on one line. */
void build_print(JsonBuilder *builder, FILE *file);

#endif
