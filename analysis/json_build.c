/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json_build.h"

#include <math.h>

void build_text(JsonBuilder *builder, const char *name, const char *value)
{
	json_builder_set_member_name(builder, name);
	json_builder_add_string_value(builder, value);
}

void build_number(JsonBuilder *builder, const char *name, double value)
{
	json_builder_set_member_name(builder, name);
	if (isfinite(value))
		json_builder_add_double_value(builder, value);
	else
		json_builder_add_null_value(builder);
}

void build_integer(JsonBuilder *builder, const char *name, gint64 value)
{
	json_builder_set_member_name(builder, name);
	json_builder_add_int_value(builder, value);
}

void build_array(JsonBuilder *builder, const char *name)
{
	json_builder_set_member_name(builder, name);
	json_builder_begin_array(builder);
}

void build_print(JsonBuilder *builder, FILE *file)
{
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	g_autofree char *text = json_to_string(root, FALSE);

	fprintf(file, "%s\n", text);
}
