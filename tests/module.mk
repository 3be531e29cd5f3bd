# SPDX-License-Identifier: GPL-2.0-or-later
# tests/: one runner of Check suites for each folder of code, linked with no
# more than that folder may use, then the shell tests of the program.

check_PROGRAMS = \
	tests/analysis/check_analysis \
	tests/analysis/check_browser \
	tests/scenarios/check_scenarios \
	tests/sim/check_sim \
	tests/stack/check_stack \
	$(NULL)

TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
TEST_LIBS = $(EXTERNAL_LIBS) $(CHECK_LIBS)

tests_sim_check_sim_SOURCES = \
	tests/sim/main.c \
	tests/sim/support.c \
	tests/sim/support.h \
	tests/sim/test_account.c \
	tests/sim/test_cache.c \
	tests/sim/test_check.c \
	tests/sim/test_check_refs.c \
	tests/sim/test_coherence.c \
	tests/sim/test_contention.c \
	tests/sim/test_coroutine.c \
	tests/sim/test_dma.c \
	tests/sim/test_engine.c \
	tests/sim/test_idle.c \
	tests/sim/test_interrupt.c \
	tests/sim/test_lock.c \
	tests/sim/test_object.c \
	tests/sim/test_observe.c \
	tests/sim/test_order.c \
	tests/sim/test_overlap.c \
	tests/sim/test_race.c \
	tests/sim/test_random.c \
	tests/sim/test_world.c \
	$(NULL)
tests_sim_check_sim_CFLAGS = $(TEST_CFLAGS)
tests_sim_check_sim_LDADD = libsim.a $(TEST_LIBS)

tests_stack_check_stack_SOURCES = \
	tests/stack/cmsg_support.c \
	tests/stack/cmsg_support.h \
	tests/stack/fib_support.c \
	tests/stack/fib_support.h \
	tests/stack/icmp_support.c \
	tests/stack/icmp_support.h \
	tests/stack/igmp_support.c \
	tests/stack/igmp_support.h \
	tests/stack/ip6_support.c \
	tests/stack/ip6_support.h \
	tests/stack/ip6_text.c \
	tests/stack/ip6_text.h \
	tests/stack/main.c \
	tests/stack/mm_support.c \
	tests/stack/mm_support.h \
	tests/stack/mm_verify.c \
	tests/stack/mm_workers.c \
	tests/stack/neigh_support.c \
	tests/stack/neigh_support.h \
	tests/stack/net6_support.c \
	tests/stack/net6_support.h \
	tests/stack/net_support.c \
	tests/stack/net_support.h \
	tests/stack/nic_support.c \
	tests/stack/nic_support.h \
	tests/stack/queue_support.c \
	tests/stack/queue_support.h \
	tests/stack/test_bind.c \
	tests/stack/test_campaign.c \
	tests/stack/test_cork.c \
	tests/stack/test_cmsg4.c \
	tests/stack/test_cmsg6.c \
	tests/stack/test_cmsg_errors.c \
	tests/stack/test_costs.c \
	tests/stack/test_dst_store.c \
	tests/stack/test_errors.c \
	tests/stack/test_fib6.c \
	tests/stack/test_fragments.c \
	tests/stack/test_fib_key_vector.c \
	tests/stack/test_fib_lc.c \
	tests/stack/test_fib_semantics.c \
	tests/stack/test_fib_trie.c \
	tests/stack/test_gso.c \
	tests/stack/test_icmp.c \
	tests/stack/test_igmp.c \
	tests/stack/test_kernel_arm.c \
	tests/stack/test_kernel_base.c \
	tests/stack/test_kernel_data.c \
	tests/stack/test_layout.c \
	tests/stack/test_mcast.c \
	tests/stack/test_moved_field.c \
	tests/stack/test_neigh_answer.c \
	tests/stack/test_neigh_life.c \
	tests/stack/test_neigh_packet.c \
	tests/stack/test_neigh_state.c \
	tests/stack/test_neighbour.c \
	tests/stack/test_nic.c \
	tests/stack/test_page_alloc.c \
	tests/stack/test_patches.c \
	tests/stack/test_pick_tx.c \
	tests/stack/test_pick_tx6.c \
	tests/stack/test_errqueue.c \
	tests/stack/test_pmtu.c \
	tests/stack/test_pmtu6.c \
	tests/stack/test_qdisc.c \
	tests/stack/test_rcu.c \
	tests/stack/test_rcv_locks.c \
	tests/stack/test_reassembly.c \
	tests/stack/test_receive.c \
	tests/stack/test_resolve.c \
	tests/stack/test_route.c \
	tests/stack/test_route_cache.c \
	tests/stack/test_route6.c \
	tests/stack/test_route6_errors.c \
	tests/stack/test_route6_truth.c \
	tests/stack/test_rps.c \
	tests/stack/test_saddr6.c \
	tests/stack/test_sched.c \
	tests/stack/test_shape.c \
	tests/stack/test_siphash.c \
	tests/stack/test_slab.c \
	tests/stack/test_slab_4_6.c \
	tests/stack/test_slab_many.c \
	tests/stack/test_slab_order.c \
	tests/stack/test_slab_rcu.c \
	tests/stack/test_slab_reap.c \
	tests/stack/test_slub.c \
	tests/stack/test_slub_6_1.c \
	tests/stack/test_slub_truth.c \
	tests/stack/test_socket_life.c \
	tests/stack/test_softirq.c \
	tests/stack/test_sticky6.c \
	tests/stack/test_timer.c \
	tests/stack/test_early_demux.c \
	tests/stack/test_tx_hint.c \
	tests/stack/test_udp6_errors.c \
	tests/stack/test_udp6_labels.c \
	tests/stack/test_udp6_send.c \
	tests/stack/test_udp6_socket.c \
	tests/stack/test_udp_rcv.c \
	tests/stack/test_udp_lookup.c \
	tests/stack/test_udp_send.c \
	tests/stack/test_udplite.c \
	tests/stack/test_udplite_rcv.c \
	tests/stack/test_unreach.c \
	tests/stack/udplite_support.c \
	tests/stack/udplite_support.h \
	$(NULL)
tests_stack_check_stack_CFLAGS = $(TEST_CFLAGS)
tests_stack_check_stack_LDADD = libstack.a libsim.a $(TEST_LIBS)

tests_analysis_check_analysis_SOURCES = \
	tests/analysis/check_analysis.c \
	tests/analysis/fault_vfs.c \
	tests/analysis/fault_vfs.h \
	tests/analysis/serve_support.c \
	tests/analysis/serve_support.h \
	tests/analysis/suites.h \
	tests/analysis/support.c \
	tests/analysis/support.h \
	tests/analysis/test_commands.c \
	tests/analysis/test_compare.c \
	tests/analysis/test_database.c \
	tests/analysis/test_digest.c \
	tests/analysis/test_export.c \
	tests/analysis/test_faults.c \
	tests/analysis/test_record.c \
	tests/analysis/test_report.c \
	tests/analysis/test_serve.c \
	$(NULL)
tests_analysis_check_analysis_CFLAGS = $(TEST_CFLAGS)
tests_analysis_check_analysis_LDADD = \
	libanalysis.a libstack.a libsim.a $(TEST_LIBS)

# The pages in a browser; runs $UDPSIM.
tests_analysis_check_browser_SOURCES = \
	tests/analysis/browser.c \
	tests/analysis/browser.h \
	tests/analysis/check_browser.c \
	tests/analysis/serve_support.c \
	tests/analysis/serve_support.h \
	tests/analysis/support.c \
	tests/analysis/support.h \
	$(NULL)
tests_analysis_check_browser_CFLAGS = $(TEST_CFLAGS)
tests_analysis_check_browser_LDADD = \
	libanalysis.a libstack.a libsim.a $(TEST_LIBS)

tests_scenarios_check_scenarios_SOURCES = \
	tests/scenarios/check_scenarios.c \
	tests/scenarios/run_support.c \
	tests/scenarios/run_support.h \
	tests/scenarios/suites.h \
	tests/scenarios/test_conflicts.c \
	tests/scenarios/test_data.c \
	tests/scenarios/test_effect.c \
	tests/scenarios/test_hosts.c \
	tests/scenarios/test_machine_file.c \
	tests/scenarios/test_objects.c \
	tests/scenarios/test_operation.c \
	tests/scenarios/test_rr.c \
	tests/scenarios/test_scenario.c \
	tests/scenarios/test_scenario_errors.c \
	tests/scenarios/test_scenario_fuzz.c \
	tests/scenarios/test_stream.c \
	tests/scenarios/test_udplite.c \
	tests/scenarios/test_verify.c \
	tests/scenarios/test_workloads.c \
	tests/scenarios/truth_support.c \
	tests/scenarios/truth_support.h \
	$(NULL)
tests_scenarios_check_scenarios_CFLAGS = $(TEST_CFLAGS)
tests_scenarios_check_scenarios_LDADD = \
	libscenarios.a libanalysis.a libstack.a libsim.a $(TEST_LIBS)

# The shell tests run $UDPSIM, the program just built. Exit status 77 means
# skipped, 99 an error of the test itself.
dist_check_SCRIPTS = \
	tests/cli/arrows.sh \
	tests/cli/capture.sh \
	tests/cli/capture_fragments.sh \
	tests/cli/capture_groups.sh \
	tests/cli/capture_udplite.sh \
	tests/cli/capture_options.sh \
	tests/cli/compare.sh \
	tests/cli/completion.sh \
	tests/cli/conflicts.sh \
	tests/cli/costs.sh \
	tests/cli/digest.sh \
	tests/cli/errors.sh \
	tests/cli/explain.sh \
	tests/cli/explain_adds_up.sh \
	tests/cli/export.sh \
	tests/cli/folded.sh \
	tests/cli/inet6.sh \
	tests/cli/json.sh \
	tests/cli/layout.sh \
	tests/cli/leak.sh \
	tests/cli/lines.sh \
	tests/cli/lines_cpus.sh \
	tests/cli/perfetto.sh \
	tests/cli/query_plans.sh \
	tests/cli/slabinfo.sh \
	tests/cli/under_way.sh \
	tests/cli/verify.sh \
	$(NULL)

# The largest runner goes in shares, so that `make -j check` has something to
# do at the same time; all.share is the whole of it, for one who asks.
STACK_SHARES = \
	tests/stack/1of6.share \
	tests/stack/2of6.share \
	tests/stack/3of6.share \
	tests/stack/4of6.share \
	tests/stack/5of6.share \
	tests/stack/6of6.share \
	$(NULL)
$(STACK_SHARES) tests/stack/all.share: tests/stack/check_stack$(EXEEXT)
	@$(MKDIR_P) tests/stack && : > $@
CLEANFILES += $(STACK_SHARES) tests/stack/all.share

# What takes long comes first.
TESTS = \
	$(STACK_SHARES) \
	tests/scenarios/check_scenarios \
	tests/analysis/check_analysis \
	tests/analysis/check_browser \
	tests/sim/check_sim \
	$(dist_check_SCRIPTS) \
	$(NULL)
TEST_EXTENSIONS = .sh .share
SH_LOG_COMPILER = bash
SHARE_LOG_COMPILER = tests/stack/check_stack$(EXEEXT)

# Files that the tests read; a folder stands for all that is in it.
EXTRA_DIST += \
	tests/README.md \
	tests/cli/README.md \
	tests/cli/golden-digest \
	tests/cli/golden.scenario \
	tests/cli/verify-floors.tsv \
	tests/profile.h \
	tests/rounds.h \
	tests/truth \
	$(NULL)

# What the tests find in their environment: the program, the data of the
# source tree, the top of both trees, and no trace of the user's own settings.
AM_TESTS_ENVIRONMENT = \
	UDPSIM='$(abs_top_builddir)/udpsim$(EXEEXT)'; export UDPSIM; \
	UDPSIM_DATADIR='$(abs_top_srcdir)'; export UDPSIM_DATADIR; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	XDG_STATE_HOME='$(abs_top_builddir)/tests/state'; \
	export XDG_STATE_HOME; \
	XDG_CONFIG_HOME='$(abs_top_builddir)/tests/state/config'; \
	export XDG_CONFIG_HOME; \
	XDG_DATA_HOME='$(abs_top_builddir)/tests/state/data'; \
	export XDG_DATA_HOME; \
	LC_ALL=C; export LC_ALL; \
	NO_COLOR=1; export NO_COLOR; \
	G_DEBUG=fatal-criticals; export G_DEBUG; \
	CK_DEFAULT_TIMEOUT=$${CK_DEFAULT_TIMEOUT-60}; \
	export CK_DEFAULT_TIMEOUT; \
	ASAN_OPTIONS=$${ASAN_OPTIONS-malloc_context_size=8}; \
	export ASAN_OPTIONS; \
	UBSAN_OPTIONS=$${UBSAN_OPTIONS-print_stacktrace=1}; \
	export UBSAN_OPTIONS;

clean-local:
	-rm -rf tests/state
