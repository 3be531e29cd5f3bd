/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints what the yardstick says: for people, and as JSON for scripts. */
#include <json-glib/json-glib.h>

#include "analysis/color.h"
#include "scenarios/verify.h"

/* ---- for people ---- */

static void print_share(FILE *file, u32 part, u32 whole)
{
	char buffer[G_ASCII_DTOSTR_BUF_SIZE];

	if (!whole) {
		fprintf(file, "  %9s", "-");
		return;
	}
	fprintf(file, "  %9s", g_ascii_formatd(buffer, sizeof(buffer), "%.3f",
					       (double)part / whole));
}

static void print_ratio(FILE *file, const struct verify_operation *o)
{
	char buffer[G_ASCII_DTOSTR_BUF_SIZE];

	fprintf(file, "  %6s", g_ascii_formatd(buffer, sizeof(buffer), "%.3f",
		(double)o->instructions / (double)o->instructions_truth));
}

static void print_row(FILE *file, const struct verify_operation *o)
{
	if (!o->modelled) {
		fprintf(file, "%-12s  %12s  %6" G_GUINT64_FORMAT
			"  not modelled yet\n", o->name, "-",
			o->instructions_truth);
		return;
	}
	fprintf(file, "%-12s  %12" G_GUINT64_FORMAT "  %6" G_GUINT64_FORMAT,
		o->name, o->instructions, o->instructions_truth);
	print_ratio(file, o);
	print_share(file, o->common, o->truth);
	print_share(file, o->common, o->model);
	print_share(file, o->flags, o->common);
	if (o->has_lines)
		fprintf(file, "  %5u  %5u  %6u", o->truth, o->model,
			o->common);
	else
		fprintf(file, "  %5s  %5s  %6s", "-", "-", "-");
	fputc('\n', file);
}

static void print_side(FILE *file, const char *who,
		       const struct verify_line *line, u32 side)
{
	fprintf(file, "             %s: %s | %s\n", who,
		line->fields[side]->str, line->functions[side]->str);
}

static const char *flags_of(bool written, bool atomic)
{
	if (atomic)
		return written ? "written, atomic" : "atomic";
	return written ? "written" : "read only";
}

static void print_line(FILE *file, const struct verify_operation *o,
		       const struct verify_line *line)
{
	bool both = line->in_truth && line->in_model;

	if (both && line->truth_written == line->model_written &&
	    line->truth_atomic == line->model_atomic)
		return;
	fprintf(file, "%-12s %s%s%s  %s", o->name,
		color_on(file, both ? COLOR_NOTE : COLOR_BAD),
		both ? "differs" : line->in_truth ? "missing" : "surplus",
		color_off(file), line->object);
	if (line->any_line)
		fprintf(file, " (any line)");
	else
		fprintf(file, " line %u", line->line);
	if (both)
		fprintf(file, ": %s, in the model %s",
			flags_of(line->truth_written, line->truth_atomic),
			flags_of(line->model_written, line->model_atomic));
	fputc('\n', file);
	if (line->reason)
		fprintf(file, "             left out: %s\n", line->reason);
	if (line->in_truth)
		print_side(file, "truth", line, 0);
	if (line->in_model)
		print_side(file, "model", line, 1);
}

static void print_lines(FILE *file, const struct verify_operation *o)
{
	u32 i;

	if (!o->modelled || !o->has_lines)
		return;
	for (i = 0; i < o->lines->len; i++)
		print_line(file, o, o->lines->pdata[i]);
}

void verify_print_text(FILE *file, const struct verify *verify, bool verbose)
{
	u32 i;

	fprintf(file, "%-12s  %12s  %6s  %6s  %9s  %9s  %9s  %5s  %5s  %6s\n",
		"operation", "instructions", "truth", "ratio", "recall",
		"precision", "flags", "truth", "model", "common");
	for (i = 0; i < verify->operations->len; i++)
		print_row(file, verify->operations->pdata[i]);
	fprintf(file, "%-12s  %12s  %6s  %6s", "total", "", "", "");
	print_share(file, verify->common, verify->truth);
	print_share(file, verify->common, verify->model);
	print_share(file, verify->flags, verify->common);
	fprintf(file, "  %5u  %5u  %6u\n", verify->truth, verify->model,
		verify->common);
	for (i = 0; verbose && i < verify->operations->len; i++)
		print_lines(file, verify->operations->pdata[i]);
}

/* ---- for scripts ---- */

static void add_share(JsonBuilder *b, const char *name, u32 part, u32 whole)
{
	json_builder_set_member_name(b, name);
	if (whole)
		json_builder_add_double_value(b, (double)part / whole);
	else
		json_builder_add_null_value(b);
}

static void add_number(JsonBuilder *b, const char *name, u64 number,
		       bool known)
{
	json_builder_set_member_name(b, name);
	if (known)
		json_builder_add_int_value(b, (gint64)number);
	else
		json_builder_add_null_value(b);
}

static void add_text(JsonBuilder *b, const char *name, const char *text)
{
	json_builder_set_member_name(b, name);
	if (text)
		json_builder_add_string_value(b, text);
	else
		json_builder_add_null_value(b);
}

static void add_line(JsonBuilder *b, const struct verify_line *line, u32 side)
{
	json_builder_begin_object(b);
	add_text(b, "object", line->object);
	add_number(b, "line", line->line, !line->any_line);
	add_text(b, "fields", line->fields[side]->str);
	add_text(b, "functions", line->functions[side]->str);
	if (!side)
		add_text(b, "left_out", line->reason);
	json_builder_end_object(b);
}

static void add_lines(JsonBuilder *b, const struct verify_operation *o,
		      const char *name, u32 side)
{
	u32 i;

	json_builder_set_member_name(b, name);
	json_builder_begin_array(b);
	for (i = 0; o->modelled && i < o->lines->len; i++) {
		const struct verify_line *line = o->lines->pdata[i];

		if (side ? line->in_model && !line->in_truth :
		    line->in_truth && !line->in_model)
			add_line(b, line, side);
	}
	json_builder_end_array(b);
}

static void add_operation(JsonBuilder *b, const struct verify_operation *o)
{
	json_builder_begin_object(b);
	add_text(b, "operation", o->name);
	json_builder_set_member_name(b, "modelled");
	json_builder_add_boolean_value(b, o->modelled);
	add_number(b, "instructions", o->instructions, o->modelled);
	add_number(b, "instructions_truth", o->instructions_truth, true);
	add_share(b, "recall", o->common, o->truth);
	add_share(b, "precision", o->common, o->model);
	add_share(b, "flags", o->flags, o->common);
	add_lines(b, o, "missing", 0);
	add_lines(b, o, "surplus", 1);
	json_builder_end_object(b);
}

void verify_print_json(FILE *file, const struct verify *verify)
{
	g_autoptr(JsonBuilder) b = json_builder_new();
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autoptr(JsonNode) root = NULL;
	g_autofree char *text = NULL;
	u32 i;

	json_builder_begin_object(b);
	add_text(b, "kernel", verify->kernel);
	add_share(b, "recall", verify->common, verify->truth);
	add_share(b, "precision", verify->common, verify->model);
	add_share(b, "flags", verify->flags, verify->common);
	json_builder_set_member_name(b, "operations");
	json_builder_begin_array(b);
	for (i = 0; i < verify->operations->len; i++)
		add_operation(b, verify->operations->pdata[i]);
	json_builder_end_array(b);
	json_builder_end_object(b);
	root = json_builder_get_root(b);
	json_generator_set_root(generator, root);
	json_generator_set_pretty(generator, TRUE);
	text = json_generator_to_data(generator, NULL);
	fprintf(file, "%s\n", text);
}
