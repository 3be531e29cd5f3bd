/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several programs begin with. */
#ifndef SCENARIOS_WORKLOADS_OPEN_H
#define SCENARIOS_WORKLOADS_OPEN_H

#include "scenarios/run.h"

/* A new socket of the run's family and protocol.  Its number, or -errno. */
int workload_open(const struct run *run);
/* The same, if `bind` bound to the port, 0 being one of the kernel's choice. */
int workload_socket(const struct run *run, u16 port, bool bind);

#endif
