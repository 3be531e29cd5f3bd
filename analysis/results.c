/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes and frees the results of a run.
 *
 * The strings inside the arrays belong to the results: whoever appends an
 * element hands over its strings, and results_free() frees them.
 */
#include "results.h"

/* Also the names of the record's columns: "from_" and one of these. */
const char *const result_level_name[NUM_LEVELS] = {
	[LEVEL_L1] = "l1",
	[LEVEL_L2] = "l2",
	[LEVEL_SIBLING] = "sibling",
	[LEVEL_L3] = "l3",
	[LEVEL_CORE_CLEAN] = "core_clean",
	[LEVEL_CORE_MODIFIED] = "core_modified",
	[LEVEL_PACKAGE_CLEAN] = "package_clean",
	[LEVEL_PACKAGE_MODIFIED] = "package_modified",
	[LEVEL_DRAM_LOCAL] = "dram_local",
	[LEVEL_DRAM_REMOTE] = "dram_remote",
};

static void clear_metric(gpointer element)
{
	struct result_metric *metric = element;

	g_free(metric->name);
	g_free(metric->unit);
}

static void clear_sample(gpointer element)
{
	struct result_sample *sample = element;

	g_free(sample->name);
	g_free(sample->unit);
}

static void clear_point(gpointer element)
{
	struct result_point *point = element;

	g_free(point->name);
}

static void clear_line(gpointer element)
{
	struct result_line *line = element;

	g_free(line->host);
	g_free(line->type);
}

static void clear_field(gpointer element)
{
	struct result_field *field = element;

	g_free(field->host);
	g_free(field->type);
	g_free(field->field);
	g_free(field->function);
	g_free(field->file);
}

static void clear_function(gpointer element)
{
	struct result_function *function = element;

	g_free(function->host);
	g_free(function->name);
	g_free(function->file);
}

static void clear_lock(gpointer element)
{
	struct result_lock *lock = element;

	g_free(lock->host);
	g_free(lock->type);
	g_free(lock->field);
}

static void clear_cpu(gpointer element)
{
	g_free(((struct result_cpu *)element)->host);
}

static void clear_sharing(gpointer element)
{
	struct result_sharing *sharing = element;

	g_free(sharing->host);
	g_free(sharing->type);
	g_free(sharing->field);
	g_free(sharing->function);
	g_free(sharing->file);
	g_free(sharing->owner);
	g_free(sharing->cpus);
}

static void clear_wait(gpointer element)
{
	struct result_wait *wait = element;

	g_free(wait->host);
	g_free(wait->kind);
	g_free(wait->name);
}

static void clear_snmp(gpointer element)
{
	struct result_snmp *snmp = element;

	g_free(snmp->host);
	g_free(snmp->name);
}

static void clear_slab(gpointer element)
{
	struct result_slab *slab = element;

	g_free(slab->host);
	g_free(slab->name);
}

static void clear_frame(gpointer data)
{
	struct result_frame *frame = data;

	g_free(frame->host);
	g_free(frame->device);
	g_bytes_unref(frame->bytes);
}

static void clear_published(gpointer element)
{
	struct result_published *published = element;

	g_free(published->row);
	g_free(published->metric);
	g_free(published->side);
}

static GArray *array_new(guint size, GDestroyNotify clear)
{
	GArray *array = g_array_new(FALSE, TRUE, size);

	g_array_set_clear_func(array, clear);
	return array;
}

struct results *results_new(void)
{
	struct results *results = g_new0(struct results, 1);

	results->metrics = array_new(sizeof(struct result_metric),
				     clear_metric);
	results->samples = array_new(sizeof(struct result_sample),
				     clear_sample);
	results->series = array_new(sizeof(struct result_point), clear_point);
	results->lines = array_new(sizeof(struct result_line), clear_line);
	results->fields = array_new(sizeof(struct result_field), clear_field);
	results->functions = array_new(sizeof(struct result_function),
				       clear_function);
	results->locks = array_new(sizeof(struct result_lock), clear_lock);
	results->cpus = array_new(sizeof(struct result_cpu), clear_cpu);
	results->sharings = array_new(sizeof(struct result_sharing),
				      clear_sharing);
	results->waits = array_new(sizeof(struct result_wait), clear_wait);
	results->snmp = array_new(sizeof(struct result_snmp), clear_snmp);
	results->slabs = array_new(sizeof(struct result_slab), clear_slab);
	results->frames = array_new(sizeof(struct result_frame), clear_frame);
	results->trace = g_array_new(FALSE, FALSE, sizeof(struct result_event));
	results->published = array_new(sizeof(struct result_published),
				       clear_published);
	return results;
}

void results_free(struct results *results)
{
	if (!results)
		return;
	g_free(results->scenario);
	g_free(results->title);
	g_free(results->source);
	g_free(results->variant);
	g_free(results->point);
	g_free(results->kernel);
	g_free(results->patches);
	g_free(results->machine);
	g_free(results->text);
	g_free(results->overrides);
	g_free(results->scale);
	g_array_unref(results->metrics);
	g_array_unref(results->samples);
	g_array_unref(results->series);
	g_array_unref(results->lines);
	g_array_unref(results->fields);
	g_array_unref(results->functions);
	g_array_unref(results->locks);
	g_array_unref(results->cpus);
	g_array_unref(results->waits);
	g_array_unref(results->sharings);
	g_array_unref(results->snmp);
	g_array_unref(results->slabs);
	g_array_unref(results->frames);
	g_array_unref(results->trace);
	if (results->trace_texts)
		g_string_chunk_free(results->trace_texts);
	g_array_unref(results->published);
	g_free(results);
}

void results_add_metric(struct results *results, const char *name,
			const char *unit, double value)
{
	struct result_metric metric = {
		.name = g_strdup(name),
		.unit = g_strdup(unit),
		.value = value,
	};

	g_array_append_val(results->metrics, metric);
}

void results_add_sample(struct results *results, unsigned int repeat,
			guint64 seed, const char *name, const char *unit,
			double value)
{
	struct result_sample sample = {
		.repeat = repeat,
		.seed = seed,
		.name = g_strdup(name),
		.unit = g_strdup(unit),
		.value = value,
	};

	g_array_append_val(results->samples, sample);
}

char **overrides_split(const char *overrides)
{
	GPtrArray *sets = g_ptr_array_new();
	GString *set = g_string_new(NULL);

	for (const char *p = overrides; *p; p++) {
		if (*p == ';') {
			g_ptr_array_add(sets, g_strdup(set->str));
			g_string_truncate(set, 0);
			continue;
		}
		if (*p == '\\' && p[1])
			p++;
		g_string_append_c(set, *p);
	}
	if (set->len)
		g_ptr_array_add(sets, g_strdup(set->str));
	g_string_free(set, TRUE);
	g_ptr_array_add(sets, NULL);
	return (char **)g_ptr_array_free(sets, FALSE);
}
