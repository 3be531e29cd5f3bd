/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spin locks as functions of the kernel that count the preemption off
 * (include/linux/spinlock.h): sim/lock.h has the locks themselves.
 */
#ifndef STACK_LINUX_SPINLOCK_H
#define STACK_LINUX_SPINLOCK_H

#include "stack/include/linux/fs.h"

/* kernel/locking/spinlock.c: what a lock does beside its word. */
void _raw_spin_lock_bh(void);
void _raw_spin_unlock_bh(void);
void _raw_spin_lock(void);
void _raw_spin_unlock(void);
void _raw_read_lock_bh(void);
void _raw_read_unlock_bh(void);

#define SPIN_LOCK_BH(p, member) \
	do { \
		_raw_spin_lock_bh(); \
		SPIN_LOCK(p, member); \
	} while (0)
#define SPIN_UNLOCK_BH(p, member) \
	do { \
		SPIN_UNLOCK(p, member); \
		_raw_spin_unlock_bh(); \
	} while (0)
/* Bottom halves are off already. */
#define SPIN_LOCK_NESTED(p, member) \
	do { \
		_raw_spin_lock(); \
		SPIN_LOCK(p, member); \
	} while (0)
#define SPIN_UNLOCK_NESTED(p, member) \
	do { \
		SPIN_UNLOCK(p, member); \
		_raw_spin_unlock(); \
	} while (0)
#define READ_LOCK_BH(p, member) \
	do { \
		_raw_read_lock_bh(); \
		READ_LOCK(p, member); \
	} while (0)
#define READ_UNLOCK_BH(p, member) \
	do { \
		READ_UNLOCK(p, member); \
		_raw_read_unlock_bh(); \
	} while (0)

#endif
