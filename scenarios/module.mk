# SPDX-License-Identifier: GPL-2.0-or-later
# scenarios/: what to run. The code, then the scenario and machine files.

noinst_LIBRARIES += libscenarios.a
libscenarios_a_SOURCES = \
	scenarios/assignment.c \
	scenarios/assignment.h \
	scenarios/batch.c \
	scenarios/batch.h \
	scenarios/capture.c \
	scenarios/capture.h \
	scenarios/cmd_conflicts.c \
	scenarios/cmd_layout.c \
	scenarios/cmd_list.c \
	scenarios/cmd_operation.c \
	scenarios/cmd_run.c \
	scenarios/cmd_validate.c \
	scenarios/cmd_verify.c \
	scenarios/collect.c \
	scenarios/collect_locks.c \
	scenarios/collect_locks.h \
	scenarios/collect_snmp.c \
	scenarios/collect_snmp.h \
	scenarios/commands.h \
	scenarios/cpu_time.c \
	scenarios/conflict_rig.c \
	scenarios/conflicts.c \
	scenarios/conflicts.h \
	scenarios/conflicts_print.c \
	scenarios/data.c \
	scenarios/distribution.c \
	scenarios/distribution.h \
	scenarios/host_up.c \
	scenarios/hot_fields.c \
	scenarios/hosts_check.c \
	scenarios/keys.c \
	scenarios/keys.h \
	scenarios/layers.c \
	scenarios/layers.h \
	scenarios/layout_print.c \
	scenarios/layout_view.c \
	scenarios/layout_view.h \
	scenarios/link_ends.c \
	scenarios/link_ends.h \
	scenarios/machine_file.c \
	scenarios/machine_file.h \
	scenarios/measure.c \
	scenarios/nearest.c \
	scenarios/network.c \
	scenarios/network.h \
	scenarios/network_check.c \
	scenarios/network_device.c \
	scenarios/network_entry.h \
	scenarios/network_nic.c \
	scenarios/network_up.c \
	scenarios/objects.c \
	scenarios/objects.h \
	scenarios/operation.c \
	scenarios/operation.h \
	scenarios/operation_print.c \
	scenarios/placement.c \
	scenarios/published.c \
	scenarios/published.h \
	scenarios/run.c \
	scenarios/run.h \
	scenarios/scenario.c \
	scenarios/scenario.h \
	scenarios/sharing.c \
	scenarios/sharing.h \
	scenarios/strict.c \
	scenarios/strict.h \
	scenarios/sweep.c \
	scenarios/sweep.h \
	scenarios/tsv.c \
	scenarios/tsv.h \
	scenarios/value.c \
	scenarios/value.h \
	scenarios/verify.c \
	scenarios/verify.h \
	scenarios/verify_print.c \
	scenarios/watch.c \
	scenarios/watch.h \
	scenarios/workload.c \
	scenarios/workloads/dns_resolver.c \
	scenarios/workloads/open.c \
	scenarios/workloads/open.h \
	scenarios/workloads/rr.c \
	scenarios/workloads/socket_churn.c \
	scenarios/workloads/stream.c \
	scenarios/workloads/udpflood.c \
	scenarios/workloads/udpsink.c \
	$(NULL)

nobase_dist_pkgdata_DATA += \
	scenarios/examples/dns-resolver-limit.scenario \
	scenarios/examples/dns-resolver.scenario \
	scenarios/examples/dst-leak.scenario \
	scenarios/examples/neigh-confirmed-6.1.scenario \
	scenarios/examples/pre-3.6-latency.scenario \
	scenarios/examples/rcu-free-receive.scenario \
	scenarios/examples/udp-rr.scenario \
	scenarios/examples/udp-stream.scenario \
	scenarios/examples/udpflood-inet6.scenario \
	scenarios/examples/udpflood.scenario \
	scenarios/machines/desktop-2cpu.machine \
	scenarios/machines/nexus-5.machine \
	scenarios/machines/vm-2cpu.machine \
	scenarios/machines/workstation-2014.machine \
	scenarios/machines/xeon-e5-2680v3-2p.machine \
	scenarios/machines/xeon-e5-2690-2p.machine \
	scenarios/machines/xeon-e5540-2p.machine \
	scenarios/machines/xeon-x5660-2p.machine \
	scenarios/seeds/dst-store.scenario \
	scenarios/seeds/early-demux.scenario \
	scenarios/seeds/neigh-confirmed.scenario \
	scenarios/seeds/rcu-free.scenario \
	$(NULL)

EXTRA_DIST += \
	scenarios/README.md \
	scenarios/examples/README.md \
	scenarios/machines/README.md \
	scenarios/seeds/README.md \
	scenarios/workloads/README.md \
	$(NULL)
