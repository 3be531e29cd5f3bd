/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calling tree of a run as a flame graph: a frame is as wide as the time
 * of its function with all that it calls, and stands on its caller.  The two
 * runs of a pair have one scale.
 */
#include "report.h"

#include <math.h>

#include "figure.h"
#include "svg.h"

#define WIDTH 1180.0
#define ROW 17.0
#define LEAST 0.4		/* narrower frames are left out */
#define MAX_DEPTH 60

struct node {
	char *name, *file;
	gint64 id, parent;
	double own_ns, stall_ns, all_ns;	/* an operation */
	double calls;
	guint depth;
	double x;			/* in ns */
	double next;			/* where its next child begins */
};

struct tree {
	GPtrArray *nodes;		/* in order of id: parents first */
	GHashTable *by_id;
	double total;
	guint depth, left_out;
};

static const char nodes_sql[] =
	"SELECT f.id, coalesce(f.parent, 0), iif(f.host = '' OR f.parent,"
	"  f.name, f.host || ':' || f.name), f.file,"
	" (f.instruction_ps + f.stall_ps) / 1000.0 / nullif(r.operations, 0),"
	" f.stall_ps / 1000.0 / nullif(r.operations, 0),"
	" f.calls * 1.0 / nullif(r.operations, 0)"
	" FROM function AS f JOIN run AS r ON r.id = f.run WHERE f.run = ?1"
	" ORDER BY f.id";

static void node_free(gpointer data)
{
	struct node *node = data;

	g_free(node->name);
	g_free(node->file);
	g_free(node);
}

static double known(double value)
{
	return isfinite(value) && value > 0 ? value : 0;
}

static struct node *read_node(sqlite3_stmt *statement)
{
	struct node *node = g_new0(struct node, 1);

	node->id = sqlite3_column_int64(statement, 0);
	node->parent = sqlite3_column_int64(statement, 1);
	node->name = database_text(statement, 2);
	node->file = database_text(statement, 3);
	node->own_ns = known(report_column_real(statement, 4));
	node->stall_ns = known(report_column_real(statement, 5));
	node->calls = known(report_column_real(statement, 6));
	node->all_ns = node->own_ns;
	return node;
}

/* NULL for a root, and for what a forged tree has: a parent that comes later. */
static struct node *parent_of(const struct tree *tree, const struct node *node)
{
	struct node *parent = g_hash_table_lookup(tree->by_id, &node->parent);

	return parent && parent->id < node->id ? parent : NULL;
}

/* Times go up from the last node to the first, places down again. */
static void place(struct tree *tree)
{
	double roots = 0;

	for (guint i = tree->nodes->len; i-- > 0;) {
		const struct node *node = tree->nodes->pdata[i];
		struct node *parent = parent_of(tree, node);

		if (parent)
			parent->all_ns += node->all_ns;
		else
			tree->total += node->all_ns;
	}
	for (guint i = 0; i < tree->nodes->len; i++) {
		struct node *node = tree->nodes->pdata[i];
		struct node *parent = parent_of(tree, node);
		double *place = parent ? &parent->next : &roots;

		node->depth = parent ? parent->depth + 1 : 0;
		node->x = node->next = *place;
		*place += node->all_ns;
	}
}

static void tree_read(struct report *report, gint64 run, struct tree *tree)
{
	sqlite3_stmt *statement = report_prepare(report, nodes_sql, run, 0);

	tree->nodes = g_ptr_array_new_with_free_func(node_free);
	tree->by_id = g_hash_table_new(g_int64_hash, g_int64_equal);
	while (report_next(report, statement)) {
		struct node *node = read_node(statement);

		g_ptr_array_add(tree->nodes, node);
		g_hash_table_insert(tree->by_id, &node->id, node);
	}
	place(tree);
}

static void tree_clear(struct tree *tree)
{
	g_hash_table_unref(tree->by_id);
	g_ptr_array_unref(tree->nodes);
}

static bool is_shown(const struct node *node, double per_ns)
{
	return node->all_ns * per_ns >= LEAST && node->depth < MAX_DEPTH;
}

static void count(struct tree *tree, double per_ns)
{
	for (guint i = 0; i < tree->nodes->len; i++) {
		const struct node *node = tree->nodes->pdata[i];

		if (is_shown(node, per_ns))
			tree->depth = MAX(tree->depth, node->depth + 1);
		else if (node->all_ns > 0)
			tree->left_out++;
	}
}

static char *frame_label(const struct tree *tree, const struct node *node)
{
	g_autofree char *all = figure_format(node->all_ns);
	g_autofree char *own = figure_format(node->own_ns);
	g_autofree char *stall = figure_format(node->stall_ns);
	g_autofree char *share = figure_format(100 * node->all_ns /
					       tree->total);
	g_autofree char *calls = figure_format(node->calls);

	return g_strdup_printf("%s: %s ns an operation (%s %%), own %s ns of "
			       "which %s ns waiting for memory, %s calls%s%s",
			       node->name, all, share, own, stall, calls,
			       *node->file ? "; " : "", node->file);
}

static const char *frame_class(const struct node *node)
{
	static const char *const class[] = { "f0", "f1", "f2", "f3", "f4" };
	double share = node->own_ns > 0 ? node->stall_ns / node->own_ns : 0;

	return class[MIN((int)(share * 5), 4)];
}

/* The script finds the name and the place in per cent of the whole. */
static void write_frame(struct html *html, const struct tree *tree,
			const struct node *node, double per_ns)
{
	g_autofree char *label = frame_label(tree, node);
	double width = node->all_ns * per_ns;
	struct svg_box box = {
		node->x * per_ns, (tree->depth - 1 - node->depth) * ROW, width,
		ROW - 1
	};
	int fits = svg_fitting(width - 4);

	html_open(html, "g", "class", "mark", "tabindex", "0", "role", "img",
		  "data-name", node->name, "data-from",
		  html_number(html, 100 * node->x / tree->total), "data-to",
		  html_number(html, 100 * (node->x + node->all_ns) /
			      tree->total), NULL);
	html_element(html, "title", label);
	svg_rect(html, &box, frame_class(node), node->all_ns);
	if (fits >= 3) {
		g_autofree char *text =
			g_utf8_strlen(node->name, -1) <= fits ?
			g_strdup(node->name) :
			g_utf8_substring(node->name, 0, fits - 1);

		svg_text(html, box.x + 3, box.y + 12, "start", text);
	}
	svg_mark_close(html);
}

static void write_search(struct html *html)
{
	/* Hidden until the script is there to answer. */
	html_open(html, "form", "class", "search", "role", "search", "hidden",
		  "hidden", NULL);
	html_open(html, "label", NULL);
	html_text(html, "Find a function: ");
	html_void(html, "input", "type", "search", "autocomplete", "off", NULL);
	html_close(html, "label");
	html_open(html, "output", "aria-live", "polite", NULL);
	html_close(html, "output");
	html_close(html, "form");
}

static void write_flame(struct html *html, const struct report_run *run,
			const struct tree *tree, double per_ns)
{
	g_autofree char *total = figure_format(tree->total);
	g_autofree char *title = g_strdup_printf(
		"Flame graph of %s: %s ns of CPU time an operation",
		report_label(run), total);

	html_open(html, "figure", NULL);
	html_open(html, "figcaption", NULL);
	html_printf(html, "%s. A frame is as wide as its time with all that it "
		    "calls, and darker the more of its own time it waits for "
		    "memory.", title);
	if (tree->left_out)
		html_printf(html, " %u frames are too narrow to be shown.",
			    tree->left_out);
	html_close(html, "figcaption");
	write_search(html);
	svg_open(html, WIDTH, tree->depth * ROW, "flame", title,
		 "Frames of functions, each on its caller");
	for (guint i = 0; i < tree->nodes->len; i++) {
		const struct node *node = tree->nodes->pdata[i];

		if (is_shown(node, per_ns))
			write_frame(html, tree, node, per_ns);
	}
	svg_close(html);
	html_close(html, "figure");
}

void chart_flame(struct report *report, const struct report_pair *pair)
{
	struct tree before = { 0 }, after = { 0 };
	double most;

	tree_read(report, pair->before.id, &before);
	tree_read(report, pair->after.id, &after);
	most = MAX(before.total, after.total);
	if (!report->error && most > 0) {
		count(&before, WIDTH / most);
		count(&after, WIDTH / most);
		html_element(report->html, "h3", "Flame graphs");
		if (before.total > 0)
			write_flame(report->html, &pair->before, &before,
				    WIDTH / most);
		if (after.total > 0)
			write_flame(report->html, &pair->after, &after,
				    WIDTH / most);
	}
	tree_clear(&before);
	tree_clear(&after);
}
