/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's locks.  A lock's word is a member of a model object, so it lies
 * on a line: taking it moves that line, and waiting costs what the waiting
 * CPUs' accesses cost.
 *
 * Spin locks come in the kernel's two forms: ticket locks (every waiter reads
 * the same word, so each release makes all of them fetch the line) and queued
 * locks (each waiter spins on a word of its own; a release tells the next
 * one).  Which one a kernel has, spin_locks_queued of its machine says.
 *
 * Use them by the macros: SPIN_LOCK(p, member), READ_LOCK(p, member) and so
 * on; they charge the word's line and name it in the account.
 */
#ifndef SIM_LOCK_H
#define SIM_LOCK_H

#include "sim/access.h"

/* Whoever waits stands on the waiting CPU's stack. */
struct waiter {
	struct waiter *next;
	struct cpu *cpu;
	struct context *context;	/* of a sleeping lock */
	u32 site;		/* of a reader-writer lock */
	bool writer;
	bool granted;
};

struct wait_list {
	struct waiter *first, *last;
};

struct spinlock {
	struct cpu *owner;
	ps_t since;
	u32 site;
	struct wait_list waiters;
};

struct rwlock {
	u32 readers;
	struct cpu *writer;
	ps_t since;
	u32 site;
	struct wait_list waiters;
};

/* A sequence counter; a writer takes a lock of its own around it. */
struct seqcount {
	u32 sequence;
};

struct mutex {
	struct context *owner;
	ps_t since;
	u32 site;
	struct wait_list waiters;
};

struct semaphore {
	u32 count;
	struct wait_list waiters;
};

/* The halves of the macros that are not the access itself. */
void spin_lock_wait(struct spinlock *lock, const struct object *o, u32 line,
		    u32 site, const struct access_site *read_site);
bool spin_try(struct spinlock *lock, u32 site);
void spin_release(struct spinlock *lock);
void rw_lock_wait(struct rwlock *lock, const struct object *o, u32 line,
		  u32 site, const struct access_site *read_site,
		  bool writer);
void rw_release(struct rwlock *lock, bool writer);
void mutex_wait(struct mutex *lock, u32 site);
void mutex_release(struct mutex *lock);
void semaphore_wait(struct semaphore *sem);
void semaphore_release(struct semaphore *sem);

#define LOCK_SITES(n, p, m, k) \
	ACCESS_SITE(n, p, m, k, true); \
	ACCESS_SITE(wait_##n, p, m, ACCESS_READ, true)

#define SPIN_LOCK__(n, p, m) \
	({ \
		LOCK_SITES(n, p, m, ACCESS_ATOMIC); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		u32 line_##n = MEMBER_LINE(POINTER_NAME_(n), m); \
		access_atomic(OBJECT(POINTER_NAME_(n)), line_##n, \
			      SITE(n)); \
		spin_lock_wait(&POINTER_NAME_(n)->m, \
			       OBJECT(POINTER_NAME_(n)), line_##n, \
			       site_index(SITE(n)), SITE(wait_##n)); \
	})
#define SPIN_LOCK_(n, p, m) SPIN_LOCK__(n, p, m)
#define SPIN_LOCK(p, member) SPIN_LOCK_(__COUNTER__, p, member)
/* The word is written by a plain store on x86. */
#define SPIN_UNLOCK__(n, p, m) \
	({ \
		ACCESS_SITE(n, p, m, ACCESS_WRITE, true); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		access_line(OBJECT(POINTER_NAME_(n)), \
			    MEMBER_LINE(POINTER_NAME_(n), m), SITE(n), \
			    true); \
		spin_release(&POINTER_NAME_(n)->m); \
	})
#define SPIN_UNLOCK_(n, p, m) SPIN_UNLOCK__(n, p, m)
#define SPIN_UNLOCK(p, member) SPIN_UNLOCK_(__COUNTER__, p, member)

#define SPIN_TRYLOCK__(n, p, m) \
	({ \
		ACCESS_SITE(n, p, m, ACCESS_ATOMIC, true); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		access_atomic(OBJECT(POINTER_NAME_(n)), \
			      MEMBER_LINE(POINTER_NAME_(n), m), \
			      SITE(n)); \
		spin_try(&POINTER_NAME_(n)->m, site_index(SITE(n))); \
	})
#define SPIN_TRYLOCK_(n, p, m) SPIN_TRYLOCK__(n, p, m)
#define SPIN_TRYLOCK(p, member) SPIN_TRYLOCK_(__COUNTER__, p, member)

#define RW_LOCK__(n, p, m, writer) \
	({ \
		LOCK_SITES(n, p, m, ACCESS_ATOMIC); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		u32 line_##n = MEMBER_LINE(POINTER_NAME_(n), m); \
		access_atomic(OBJECT(POINTER_NAME_(n)), line_##n, \
			      SITE(n)); \
		rw_lock_wait(&POINTER_NAME_(n)->m, OBJECT(POINTER_NAME_(n)), \
			     line_##n, site_index(SITE(n)), SITE(wait_##n), \
			     writer); \
	})
#define RW_LOCK_(n, p, m, writer) RW_LOCK__(n, p, m, writer)
#define READ_LOCK(p, member) RW_LOCK_(__COUNTER__, p, member, false)
#define WRITE_LOCK(p, member) RW_LOCK_(__COUNTER__, p, member, true)
/* Both ways out of an rwlock are locked operations. */
#define RW_UNLOCK__(n, p, m, writer) \
	({ \
		ACCESS_SITE(n, p, m, ACCESS_ATOMIC, true); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		access_atomic(OBJECT(POINTER_NAME_(n)), \
			      MEMBER_LINE(POINTER_NAME_(n), m), \
			      SITE(n)); \
		rw_release(&POINTER_NAME_(n)->m, writer); \
	})
#define RW_UNLOCK_(n, p, m, writer) RW_UNLOCK__(n, p, m, writer)
#define READ_UNLOCK(p, member) RW_UNLOCK_(__COUNTER__, p, member, false)
#define WRITE_UNLOCK(p, member) RW_UNLOCK_(__COUNTER__, p, member, true)

#define MUTEX__(n, p, m, wait) \
	({ \
		ACCESS_SITE(n, p, m, ACCESS_ATOMIC, true); \
		__typeof__(p) POINTER_NAME_(n) = (p); \
		access_atomic(OBJECT(POINTER_NAME_(n)), \
			      MEMBER_LINE(POINTER_NAME_(n), m), \
			      SITE(n)); \
		wait; \
	})
#define MUTEX_LOCK_(n, p, m) \
	MUTEX__(n, p, m, mutex_wait(&POINTER_NAME_(n)->m, site_index(SITE(n))))
#define MUTEX_LOCK(p, member) MUTEX_LOCK_(__COUNTER__, p, member)
#define MUTEX_UNLOCK_(n, p, m) \
	MUTEX__(n, p, m, mutex_release(&POINTER_NAME_(n)->m))
#define MUTEX_UNLOCK(p, member) MUTEX_UNLOCK_(__COUNTER__, p, member)
#define DOWN_(n, p, m) MUTEX__(n, p, m, semaphore_wait(&POINTER_NAME_(n)->m))
#define DOWN(p, member) DOWN_(__COUNTER__, p, member)
#define UP_(n, p, m) MUTEX__(n, p, m, semaphore_release(&POINTER_NAME_(n)->m))
#define UP(p, member) UP_(__COUNTER__, p, member)

/* Readers: take the count, read, and go again if it has changed or is odd.
 * Writers: one step before, one after; x86 needs no fence for either. */
#define READ_SEQBEGIN(p, member) \
	({ \
		this_cpu->current->seq_read = true; \
		READ_ONCE(p, member.sequence); \
	})
#define READ_SEQRETRY(p, member, start) \
	({ \
		this_cpu->current->seq_read = false; \
		((start) & 1) || READ_ONCE(p, member.sequence) != (start); \
	})
#define WRITE_SEQBEGIN(p, member) \
	WRITE_(__COUNTER__, p, member.sequence, true, += 1)
#define WRITE_SEQEND(p, member) \
	WRITE_(__COUNTER__, p, member.sequence, true, += 1)

#endif
