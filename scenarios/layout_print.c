/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a struct as one kernel has it, or two side by side. */
#include <string.h>

#include "analysis/json_build.h"
#include "scenarios/layout_view.h"
#include "sim/types.h"
#include "stack/kernel.h"

static double per_op(const struct layout_view *view, gint64 count)
{
	return (double)count / view->run->operations;
}

static const char *number(char *buffer, double value)
{
	return g_ascii_formatd(buffer, G_ASCII_DTOSTR_BUF_SIZE, "%.2f", value);
}

static u32 lines_of(u32 size)
{
	return (size + LINE_SIZE - 1) / LINE_SIZE;
}

static void print_run(FILE *file, const struct layout_view *view)
{
	const struct layout_run *run = view->run;

	if (!run)
		return;
	fprintf(file, "heat: an operation of run %" G_GINT64_FORMAT " (%s%s%s%s"
		"%s) on %s%s%s\n", run->id, run->scenario,
		*run->variant ? ", " : "", run->variant,
		*run->point ? ", " : "", run->point, run->kernel,
		*run->patches ? " " : "", run->patches);
}

static void print_heat_head(FILE *file, const struct layout_view *view)
{
	if (view->run)
		fprintf(file, "%9s%9s%9s%10s", "reads", "writes", "atomics",
			"stall ns");
}

/* Four columns, blank where nothing touched it; `line` is where it lies in what
 * is shown, and a run elsewhere is said to be so. */
static void print_heat(FILE *file, const struct layout_view *view,
		       const struct layout_row *row, gint64 line)
{
	const struct layout_heat *heat = &row->heat;
	char b[4][G_ASCII_DTOSTR_BUF_SIZE];

	if (!view->run)
		return;
	if (heat->line < 0)
		return;
	fprintf(file, "%9s%9s%9s%10s", number(b[0], per_op(view, heat->reads)),
		number(b[1], per_op(view, heat->writes)),
		number(b[2], per_op(view, heat->atomics)),
		number(b[3], per_op(view, heat->stall_ps) / 1000.0));
	if (line >= 0 && line != heat->line)
		fprintf(file, "  (ran on line %" G_GINT64_FORMAT ")",
			heat->line);
}

/* "352", "512:3" */
static char *place_text(const struct shape_member *m)
{
	return m->bits ? g_strdup_printf("%u:%u", m->offset, m->bit) :
			 g_strdup_printf("%u", m->offset);
}

static char *size_text(const struct shape_member *m)
{
	return m->bits ? g_strdup_printf("%u bit%s", m->bits,
					 m->bits > 1 ? "s" : "") :
			 g_strdup_printf("%u", m->size);
}

/* ---- one ---- */

static void print_lines_before(FILE *file, u32 *line, u32 offset)
{
	for (; *line <= offset / LINE_SIZE; ++*line) {
		u32 before = offset - *line * LINE_SIZE;

		fprintf(file, "    --- line %u: bytes %u to %u", *line,
			*line * LINE_SIZE, (*line + 1) * LINE_SIZE - 1);
		if (before)
			fprintf(file, ", which began %u bytes ago", before);
		fprintf(file, " ---\n");
	}
}

static void print_hole(FILE *file, const struct shape *shape, u32 from, u32 to)
{
	if (to > from)
		fprintf(file, "%9s%9u  %s\n", "", to - from, shape->whole ?
			"(hole)" : "(hole, or members that the tables lack)");
}

static void print_member(FILE *file, const struct layout_view *view,
			 const struct layout_row *row)
{
	const struct shape_member *m = &row->at[0];
	g_autofree char *where = place_text(m), *size = size_text(m);
	g_autofree char *name = g_strconcat(row->type ? row->type : "",
					    row->type ? "  " : "", m->name,
					    m->dims, NULL);

	fprintf(file, "%9s%9s  %-*s", where, size,
		view->run && row->heat.line >= 0 ? 44 : 0, name);
	print_heat(file, view, row, m->offset / LINE_SIZE);
	fputc('\n', file);
}

static void print_one(FILE *file, const struct layout_view *view)
{
	const struct shape *shape = view->shapes[0];
	u32 i, end = 0, line = 0;

	fprintf(file, "struct %s of %s: %u bytes, %u lines\n", view->name,
		view->sides[0]->source, shape->size, lines_of(shape->size));
	print_run(file, view);
	fprintf(file, "%9s%9s  %-*s", "offset", "size", view->run ? 44 : 0,
		"member");
	print_heat_head(file, view);
	fputc('\n', file);
	for (i = 0; i < view->rows->len; i++) {
		const struct layout_row *row =
			&g_array_index(view->rows, struct layout_row, i);

		print_hole(file, shape, end, row->at[0].offset);
		print_lines_before(file, &line, row->at[0].offset);
		print_member(file, view, row);
		end = MAX(end, row->at[0].offset + row->at[0].size);
	}
	print_hole(file, shape, end, shape->size);
}

/* ---- two ---- */

static void print_side(FILE *file, const struct layout_row *row, u32 side)
{
	g_autofree char *where = NULL, *size = NULL;

	if (!row->has[side]) {
		fprintf(file, "%9s%9s%6s", "-", "-", "-");
		return;
	}
	where = place_text(&row->at[side]);
	size = size_text(&row->at[side]);
	fprintf(file, "%9s%9s%6u", where, size,
		row->at[side].offset / LINE_SIZE);
}

static bool is_moved(const struct layout_row *row)
{
	return row->has[0] && row->has[1] &&
	       (row->at[0].offset != row->at[1].offset ||
		row->at[0].bit != row->at[1].bit);
}

static bool is_on_other_line(const struct layout_row *row)
{
	return is_moved(row) && row->at[0].offset / LINE_SIZE !=
				row->at[1].offset / LINE_SIZE;
}

static void print_summary(FILE *file, const struct layout_view *view)
{
	u32 i, both = 0, moved = 0, line = 0, alone[2] = { 0 };

	for (i = 0; i < view->rows->len; i++) {
		const struct layout_row *row =
			&g_array_index(view->rows, struct layout_row, i);

		both += row->has[0] && row->has[1];
		moved += is_moved(row);
		line += is_on_other_line(row);
		alone[0] += !row->has[1];
		alone[1] += !row->has[0];
	}
	fprintf(file, "%u members on both sides, %u of them at another offset, "
		"%u on another line (*); %u only of %s, %u only of %s\n", both,
		moved, line, alone[0], view->sides[0]->source, alone[1],
		view->sides[1]->source);
}

static void print_two(FILE *file, const struct layout_view *view)
{
	u32 i;

	for (i = 0; i < 2; i++)
		fprintf(file, "struct %s of %s%s: %u bytes, %u lines\n",
			view->name, view->sides[i]->source,
			i ? " (right)" : " (left)", view->shapes[i]->size,
			lines_of(view->shapes[i]->size));
	print_run(file, view);
	fprintf(file, "  %-36s", "member");
	for (i = 0; i < 2; i++)
		fprintf(file, "%9s%9s%6s", "offset", "size", "line");
	print_heat_head(file, view);
	fputc('\n', file);
	for (i = 0; i < view->rows->len; i++) {
		const struct layout_row *row =
			&g_array_index(view->rows, struct layout_row, i);
		const char *dims = row->has[0] ? row->at[0].dims :
						 row->at[1].dims;
		g_autofree char *name = g_strconcat(row->name, dims, NULL);

		fprintf(file, "%c %-36s", is_on_other_line(row) ? '*' : ' ',
			name);
		print_side(file, row, 0);
		print_side(file, row, 1);
		print_heat(file, view, row, -1);
		fputc('\n', file);
	}
	print_summary(file, view);
}

void layout_print_text(FILE *file, const struct layout_view *view)
{
	if (view->num_sides == 1)
		print_one(file, view);
	else
		print_two(file, view);
}

/* ---- for programs ---- */

/* null where there is no such thing, or nobody knows. */
static void build_known(JsonBuilder *builder, const char *name, bool known,
			gint64 value)
{
	json_builder_set_member_name(builder, name);
	if (known)
		json_builder_add_int_value(builder, value);
	else
		json_builder_add_null_value(builder);
}

static void build_place(JsonBuilder *builder, const struct layout_row *row,
			u32 side)
{
	const struct shape_member *m = &row->at[side];
	bool has = row->has[side];

	json_builder_begin_object(builder);
	build_known(builder, "offset", has, m->offset);
	build_known(builder, "size", has, m->size);
	build_known(builder, "line", has, m->offset / LINE_SIZE);
	build_known(builder, "bit", has && m->bits, m->bit);
	build_known(builder, "bits", has && m->bits, m->bits);
	json_builder_end_object(builder);
}

static void build_row(JsonBuilder *builder, const struct layout_view *view,
		      const struct layout_row *row)
{
	const struct layout_heat *heat = &row->heat;
	bool hot = heat->line >= 0;
	u32 i;

	json_builder_begin_object(builder);
	build_text(builder, "member", row->name);
	if (row->type) {
		build_text(builder, "type", row->type);
	} else {
		json_builder_set_member_name(builder, "type");
		json_builder_add_null_value(builder);
	}
	build_array(builder, "places");
	for (i = 0; i < view->num_sides; i++)
		build_place(builder, row, i);
	json_builder_end_array(builder);
	build_known(builder, "ran_on_line", hot, heat->line);
	build_known(builder, "reads", hot, heat->reads);
	build_known(builder, "writes", hot, heat->writes);
	build_known(builder, "atomics", hot, heat->atomics);
	build_known(builder, "stall_ps", hot, heat->stall_ps);
	json_builder_end_object(builder);
}

void layout_print_json(FILE *file, const struct layout_view *view)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	u32 i;

	json_builder_begin_object(builder);
	build_text(builder, "struct", view->name);
	build_array(builder, "sides");
	for (i = 0; i < view->num_sides; i++) {
		json_builder_begin_object(builder);
		build_text(builder, "source", view->sides[i]->source);
		build_integer(builder, "size", view->shapes[i]->size);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	build_known(builder, "run", view->run, view->run ? view->run->id : 0);
	build_known(builder, "operations", view->run,
		    view->run ? (gint64)view->run->operations : 0);
	build_array(builder, "members");
	for (i = 0; i < view->rows->len; i++)
		build_row(builder, view, &g_array_index(view->rows,
							struct layout_row, i));
	json_builder_end_array(builder);
	json_builder_end_object(builder);
	build_print(builder, file);
}

static void print_rows(FILE *file, const struct shape *shape)
{
	u32 i;

	fprintf(file, "%s\t0\t%u\t(whole)\n", shape->name, shape->size);
	for (i = 0; i < shape->members->len; i++) {
		const struct shape_member *m =
			&g_array_index(shape->members, struct shape_member, i);

		fprintf(file, "%s\t%u\t%u\t%s\n", shape->name, m->offset,
			m->size, m->name);
	}
}

void layout_print_tsv(FILE *file, const struct shape_set *set,
		      const char *name)
{
	u32 i;

	fprintf(file, "struct\toffset\tsize\tfield\n");
	for (i = 0; i < set->shapes->len; i++) {
		const struct shape *shape = set->shapes->pdata[i];

		/* The first of a name is the one that is found. */
		if (shape_find(set, shape->name) == shape &&
		    (!name || g_str_equal(shape->name, name)))
			print_rows(file, shape);
	}
}
