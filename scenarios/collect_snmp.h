/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of a host: the table `snmp`. */
#ifndef SCENARIOS_COLLECT_SNMP_H
#define SCENARIOS_COLLECT_SNMP_H

#include <glib.h>

#include "stack/kernel.h"

struct snmp_totals;

struct snmp_totals *snmp_totals_new(void);
void snmp_totals_free(struct snmp_totals *totals);
/* Adds what a kernel has counted. */
void snmp_totals_add(struct snmp_totals *totals, const struct kernel *kernel);
/* Appends struct result_snmp, each with this host's name. */
void snmp_totals_finish(const struct snmp_totals *totals, const char *host,
			GArray *snmp);

#endif
