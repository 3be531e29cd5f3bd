/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the hottest lines: a table for people, JSON for scripts. */
#include "lines.h"

#include "color.h"
#include "json_build.h"

static double each(const struct lines *lines, gint64 count)
{
	return (double)count / lines->operations;
}

static void print_figure(FILE *file, double value)
{
	char buffer[G_ASCII_DTOSTR_BUF_SIZE];

	fprintf(file, " %9s", g_ascii_formatd(buffer, sizeof(buffer), "%.3f",
					      value));
}

static void print_field(FILE *file, const struct lines *lines,
			const struct line_field *f)
{
	print_figure(file, each(lines, f->stall_ps) / 1000);
	print_figure(file, each(lines, f->reads));
	print_figure(file, each(lines, f->writes));
	print_figure(file, each(lines, f->atomics));
	print_figure(file, each(lines, f->hitm));
	fprintf(file, "  %30s%s%s  %s  %s%s%s\n", "", f->victim ? "* " : "  ",
		f->field, f->function, f->file, *f->cpus ? "  CPUs " : "",
		f->cpus);
}

/* Does any figure of the field show at three digits? */
static bool has_weight(const struct lines *lines, const struct line_field *f)
{
	gint64 most = MAX(MAX(f->reads, f->writes), MAX(f->atomics, f->hitm));

	return each(lines, MAX(most, f->stall_ps / 1000)) >= 0.0005;
}

static void print_fields(FILE *file, const struct lines *lines,
			 const struct hot_line *line)
{
	guint left_out = 0;

	for (guint i = 0; i < line->fields->len; i++) {
		const struct line_field *f = line->fields->pdata[i];

		if (has_weight(lines, f))
			print_field(file, lines, f);
		else
			left_out++;
	}
	if (left_out)
		fprintf(file, "%81s  and %u that come to nothing an "
			"operation\n", "", left_out);
}

static const char *color_of_verdict(FILE *file, enum verdict verdict)
{
	if (verdict == VERDICT_FALSE_SHARING)
		return color_on(file, COLOR_BAD);
	if (verdict == VERDICT_TRUE_SHARING || verdict == VERDICT_MIGRATORY)
		return color_on(file, COLOR_NOTE);
	return "";
}

static void print_line(FILE *file, const struct lines *lines,
		       const struct hot_line *line)
{
	const char *color = color_of_verdict(file, line->verdict);

	print_figure(file, each(lines, line->stall_ps) / 1000);
	print_figure(file, each(lines, line->reads));
	print_figure(file, each(lines, line->writes));
	print_figure(file, each(lines, line->atomics));
	print_figure(file, each(lines, line->hitm_core));
	print_figure(file, each(lines, line->hitm_package));
	print_figure(file, each(lines, line->invalidations));
	fprintf(file, " %4" G_GINT64_FORMAT " %4" G_GINT64_FORMAT "  %s%s%s, "
		"line %" G_GINT64_FORMAT ": %s%s%s\n", line->readers,
		line->writers, line->host, *line->host ? ":" : "", line->type,
		line->line, color, verdict_name(line->verdict),
		*color ? color_off(file) : "");
	print_fields(file, lines, line);
	for (guint i = 0; i < line->fields->len; i++) {
		g_autofree char *part = line_override(line, i);

		if (line_parts(line, i))
			fprintf(file, "try: --set '%s'\n", part);
	}
}

void lines_print_text(FILE *file, const struct lines *lines)
{
	static const char *const heads[] = {
		"stall ns", "reads", "writes", "atomics", "HITM core",
		"HITM pkg", "invalid.",
	};

	fprintf(file, "run %" G_GINT64_FORMAT ": %s%s%s%s%s; an operation\n"
		"(a line's stall is the wait for it; a field's also has its "
		"locked operations)\n",
		lines->run, lines->scenario, *lines->variant ? ", " : "",
		lines->variant, *lines->point ? ", " : "", lines->point);
	for (gsize i = 0; i < G_N_ELEMENTS(heads); i++)
		fprintf(file, " %9s", heads[i]);
	fprintf(file, " %4s %4s  line: verdict\n", "rd", "wr");
	for (guint i = 0; i < lines->lines->len; i++)
		print_line(file, lines, lines->lines->pdata[i]);
}

static void build_field(JsonBuilder *builder, const struct line_field *f)
{
	json_builder_begin_object(builder);
	build_text(builder, "field", f->field);
	build_text(builder, "function", f->function);
	build_text(builder, "file", f->file);
	build_integer(builder, "reads", f->reads);
	build_integer(builder, "writes", f->writes);
	build_integer(builder, "atomics", f->atomics);
	build_integer(builder, "hitm", f->hitm);
	build_integer(builder, "stall_ps", f->stall_ps);
	build_text(builder, "struct", f->owner);
	build_text(builder, "cpus", f->cpus);
	build_integer(builder, "users", f->users);
	build_integer(builder, "writers", f->writers);
	build_integer(builder, "strangers", f->strangers);
	json_builder_end_object(builder);
}

static void build_line(JsonBuilder *builder, const struct hot_line *line)
{
	json_builder_begin_object(builder);
	build_text(builder, "host", line->host);
	build_text(builder, "type", line->type);
	build_integer(builder, "line", line->line);
	build_text(builder, "verdict", verdict_name(line->verdict));
	build_integer(builder, "objects", line->objects);
	build_integer(builder, "readers", line->readers);
	build_integer(builder, "writers", line->writers);
	build_integer(builder, "reads", line->reads);
	build_integer(builder, "writes", line->writes);
	build_integer(builder, "atomics", line->atomics);
	build_integer(builder, "hitm_core", line->hitm_core);
	build_integer(builder, "hitm_package", line->hitm_package);
	build_integer(builder, "invalidations", line->invalidations);
	build_integer(builder, "stall_ps", line->stall_ps);
	build_array(builder, "fields");
	for (guint i = 0; i < line->fields->len; i++)
		build_field(builder, line->fields->pdata[i]);
	json_builder_end_array(builder);
	build_array(builder, "part");
	for (guint i = 0; i < line->fields->len; i++)
		if (line_parts(line, i))
			json_builder_add_string_value(builder,
				((struct line_field *)
				 line->fields->pdata[i])->field);
	json_builder_end_array(builder);
	json_builder_end_object(builder);
}

void lines_build_json(JsonBuilder *builder, const struct lines *lines)
{
	build_integer(builder, "run", lines->run);
	build_text(builder, "scenario", lines->scenario);
	build_text(builder, "variant", lines->variant);
	build_text(builder, "point", lines->point);
	build_number(builder, "operations", lines->operations);
	build_array(builder, "lines");
	for (guint i = 0; i < lines->lines->len; i++)
		build_line(builder, lines->lines->pdata[i]);
	json_builder_end_array(builder);
}

void lines_print_json(FILE *file, const struct lines *lines)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();

	json_builder_begin_object(builder);
	lines_build_json(builder, lines);
	json_builder_end_object(builder);
	build_print(builder, file);
}
