/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs scenarios of tests. */
#include "tests/scenarios/run_support.h"

#include <check.h>
#include <string.h>

struct results *try_scenario(const struct try *try, GError **error)
{
	struct scenario *scenario = scenario_parse("x", try->text,
						   strlen(try->text), error);
	struct run_options options = {
		.scale_num = 1, .scale_den = try->den ? try->den : 1,
		.scale_text = (char *)"?", .stop = try->stop,
	};
	struct config *config = scenario ?
		scenario_resolve(scenario, try->variant, 0,
				 (char **)(uintptr_t)try->sets, error) : NULL;
	struct results *results = config ?
		run_config(scenario, config, &options, NULL, error) : NULL;

	if (config)
		config_free(config);
	if (scenario)
		scenario_free(scenario);
	return results;
}

struct results *run_scenario(const struct try *try)
{
	g_autoptr(GError) error = NULL;
	struct results *results = try_scenario(try, &error);

	ck_assert_msg(results != NULL, "%s", error ? error->message : "");
	return results;
}

double metric(const struct results *results, const char *name)
{
	u32 i;

	for (i = 0; i < results->metrics->len; i++) {
		const struct result_metric *m =
			&g_array_index(results->metrics, struct result_metric,
				       i);

		if (g_str_equal(m->name, name))
			return m->value;
	}
	ck_abort_msg("no metric %s", name);
}
