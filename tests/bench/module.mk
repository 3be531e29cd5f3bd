# SPDX-License-Identifier: GPL-2.0-or-later
# tests/bench/: the benchmarks. Each program is made of the .c file of the
# same name and prints lines of the form "bench NAME VALUE UNIT". They are
# built and run by `make bench` only.

bench_programs = \
	tests/bench/access_rate \
	tests/bench/churn_full \
	tests/bench/churn_rate \
	tests/bench/coherent_rate \
	tests/bench/cold_rate \
	tests/bench/event_rate \
	tests/bench/idle_hour \
	tests/bench/open_sockets \
	tests/bench/reading_time \
	tests/bench/send_ratio \
	tests/bench/stream_rate \
	tests/bench/switch_rate \
	tests/bench/transaction_rate \
	$(NULL)

tests_bench_coherent_rate_SOURCES = \
	tests/bench/bench.h \
	tests/bench/coherent_rate.c
tests_bench_coherent_rate_LDADD = libsim.a $(EXTERNAL_LIBS)
tests_bench_cold_rate_SOURCES = tests/bench/bench.h tests/bench/cold_rate.c
tests_bench_cold_rate_LDADD = libsim.a $(EXTERNAL_LIBS)
tests_bench_event_rate_SOURCES = tests/bench/bench.h tests/bench/event_rate.c
tests_bench_event_rate_LDADD = libsim.a $(EXTERNAL_LIBS)
tests_bench_idle_hour_SOURCES = tests/bench/bench.h tests/bench/idle_hour.c
tests_bench_reading_time_SOURCES = tests/bench/bench.h tests/bench/reading_time.c
tests_bench_switch_rate_SOURCES = tests/bench/bench.h tests/bench/switch_rate.c
tests_bench_switch_rate_LDADD = libsim.a $(EXTERNAL_LIBS)

EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)
EXTRA_DIST += tests/bench/README.md

bench: all $(bench_programs)
	@UDPSIM='$(abs_top_builddir)/udpsim$(EXEEXT)'; export UDPSIM; \
	UDPSIM_DATADIR='$(abs_top_srcdir)'; export UDPSIM_DATADIR; \
	LC_ALL=C; export LC_ALL; \
	set -- $(bench_programs); \
	test $$# -gt 0 || \
		{ echo 'make bench: no benchmark is listed' >&2; exit 1; }; \
	for program; do \
		./$$program || exit 1; \
	done

.PHONY: bench

tests_bench_access_rate_SOURCES = tests/bench/access_rate.c tests/bench/flood.h
tests_bench_send_ratio_SOURCES = \
	tests/bench/flood.h \
	tests/bench/native_send.c \
	tests/bench/native_send.h \
	tests/bench/send_ratio.c
tests_bench_churn_full_SOURCES = tests/bench/churn.h tests/bench/churn_full.c
tests_bench_churn_rate_SOURCES = \
	tests/bench/churn.h \
	tests/bench/churn_rate.c \
	tests/bench/native_churn.c \
	tests/bench/native_churn.h
tests_bench_stream_rate_SOURCES = tests/bench/rate.h tests/bench/stream_rate.c
tests_bench_transaction_rate_SOURCES = \
	tests/bench/rate.h \
	tests/bench/transaction_rate.c
