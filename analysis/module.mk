# SPDX-License-Identifier: GPL-2.0-or-later
# analysis/: what came out.

noinst_LIBRARIES += libanalysis.a
libanalysis_a_SOURCES = \
	analysis/chart_bars.c \
	analysis/chart_bars.h \
	analysis/chart_effect.c \
	analysis/chart_flame.c \
	analysis/chart_heat.c \
	analysis/chart_time.c \
	analysis/cmd_compare.c \
	analysis/cmd_digest.c \
	analysis/cmd_explain.c \
	analysis/cmd_export.c \
	analysis/cmd_lines.c \
	analysis/cmd_report.c \
	analysis/cmd_serve.c \
	analysis/cmd_slabinfo.c \
	analysis/color.c \
	analysis/color.h \
	analysis/command.c \
	analysis/command.h \
	analysis/commands.h \
	analysis/compare.c \
	analysis/compare.h \
	analysis/compare_print.c \
	analysis/database.c \
	analysis/database.h \
	analysis/digest.c \
	analysis/digest.h \
	analysis/explain.c \
	analysis/explain.h \
	analysis/explain_print.c \
	analysis/export.h \
	analysis/export_folded.c \
	analysis/export_pcapng.c \
	analysis/export_perfetto.c \
	analysis/export_table.c \
	analysis/figure.c \
	analysis/figure.h \
	analysis/html.c \
	analysis/html.h \
	analysis/json_build.c \
	analysis/json_build.h \
	analysis/lines.c \
	analysis/lines.h \
	analysis/lines_print.c \
	analysis/lines_try.c \
	analysis/page.c \
	analysis/page_script.c \
	analysis/page_style.c \
	analysis/pcapng.c \
	analysis/pcapng.h \
	analysis/progress.c \
	analysis/progress.h \
	analysis/query_plan.c \
	analysis/query_plan.h \
	analysis/record.c \
	analysis/record.h \
	analysis/report.c \
	analysis/report.h \
	analysis/report_explain.c \
	analysis/report_lines.c \
	analysis/report_read.c \
	analysis/report_reproduce.c \
	analysis/results.c \
	analysis/results.h \
	analysis/schema.c \
	analysis/schema.h \
	analysis/serve.c \
	analysis/serve.h \
	analysis/serve_clients.c \
	analysis/serve_compare.c \
	analysis/serve_database.c \
	analysis/serve_events.c \
	analysis/serve_pages.c \
	analysis/serve_query.c \
	analysis/serve_run.c \
	analysis/serve_runs.c \
	analysis/svg.c \
	analysis/svg.h \
	$(NULL)

EXTRA_DIST += \
	analysis/README.md \
	$(NULL)
