/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A struct as one or two kernels have it, member by member, with what a run
 * did to each.
 */
#ifndef SCENARIOS_LAYOUT_VIEW_H
#define SCENARIOS_LAYOUT_VIEW_H

#include <glib.h>
#include <stdio.h>

#include "analysis/database.h"
#include "stack/shape.h"

#define LAYOUT_MAX_SIDES 2

/* What a run did to a member of all structs of a kind. */
struct layout_heat {
	gint64 reads, writes, atomics, stall_ps;
	gint64 line;		/* on which it lay there; -1: not touched */
};

struct layout_row {
	const char *name;	/* the first side's that has it */
	const char *type;	/* NULL: nobody says */
	bool has[LAYOUT_MAX_SIDES];
	struct shape_member at[LAYOUT_MAX_SIDES];
	struct layout_heat heat;
};

struct layout_run {
	gint64 id;
	char *scenario, *variant, *point, *kernel, *patches;
	double operations;
	struct config *config;	/* as it was run: its [layout] */
};

struct layout_view {
	const char *name;
	u32 num_sides;
	const struct shape_set *sides[LAYOUT_MAX_SIDES];	/* borrowed */
	const struct shape *shapes[LAYOUT_MAX_SIDES];
	GArray *rows;		/* struct layout_row: by place on the first
				 * side, then those of the second only */
	const struct layout_run *run;	/* borrowed; NULL: without heat */
};

/* A run's names and kernel; id 0 is the latest.  NULL and an error, which is
 * RECORD_ERROR_NAME where there is no such run. */
struct layout_run *layout_run_read(sqlite3 *db, const char *path, gint64 id,
				   GError **error);
void layout_run_free(struct layout_run *run);
typedef struct layout_run LayoutRun;	/* one word, for g_autoptr() */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LayoutRun, layout_run_free)

/* The sides, which must last as long, must have the struct. */
struct layout_view *layout_view_new(const char *name,
				    const struct shape_set *const *sides,
				    u32 num_sides);
void layout_view_free(struct layout_view *view);
typedef struct layout_view LayoutView;	/* one word, for g_autoptr() */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LayoutView, layout_view_free)


/* What a run, which must last as long, did to each member. */
bool layout_view_heat(struct layout_view *view, const struct layout_run *run,
		      sqlite3 *db, const char *path, GError **error);

/* ---- layout_print.c ---- */

void layout_print_text(FILE *file, const struct layout_view *view);
void layout_print_json(FILE *file, const struct layout_view *view);
/* Rows of a structs.tsv: of one struct of a set, or with NULL of all. */
void layout_print_tsv(FILE *file, const struct shape_set *set,
		      const char *name);

#endif
