/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A layer between SQLite and the system that fails the n-th change of a file.
 */
#ifndef TESTS_ANALYSIS_FAULT_VFS_H
#define TESTS_ANALYSIS_FAULT_VFS_H

#include <stdbool.h>

/* Puts the layer in front of the default one, and takes it away again. */
void fault_vfs_install(void);
void fault_vfs_remove(void);

/* Lets the n-th write, sync or truncation from now (n from 1) fail with that
 * SQLite code; with `from_then_on`, all after it too. */
void fault_vfs_arm(unsigned int n, int code, bool from_then_on);
/* No more failures; says whether there was one. */
bool fault_vfs_disarm(void);

/* Files opened from now on offer no shared memory. */
void fault_vfs_hide_shared_memory(bool hide);

#endif
