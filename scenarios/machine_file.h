/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine profile files: the numbers of a machine, each with its source in a
 * comment beside it.  sim/profile.h says what each number means; every key is
 * required.
 *
 * A time is "N cycles" or "N ns", N with up to three decimals; it becomes
 * picoseconds by integer arithmetic, rounded to the nearest (half up).  A time
 * that this machine cannot spend is "none" and becomes 0: sibling where
 * threads = 1, l3 where there is no L3, other_core_* where cores = 1,
 * other_package_* and dram_remote where packages = 1.
 */
#ifndef SCENARIOS_MACHINE_FILE_H
#define SCENARIOS_MACHINE_FILE_H

#include <glib.h>

#include "sim/profile.h"

/* NULL and an error (of SCENARIO_ERROR) with file and line where it cannot be
 * read, lacks a key, has one that is not known, or a number out of range.
 * Free with machine_profile_free(). */
struct machine_profile *machine_profile_load(const char *path, GError **error);
struct machine_profile *machine_profile_parse(const char *path,
					      const char *text, gsize len,
					      GError **error);
void machine_profile_free(struct machine_profile *profile);
typedef struct machine_profile MachineProfile;	/* one word, for g_autoptr() */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MachineProfile, machine_profile_free)

/* Finds a profile by path or by name in the data folder; a new string, or NULL
 * and an error with the nearest known name. */
char *machine_find(const char *name_or_path, GError **error);

#endif
