/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks; see lock.h. */
#include <glib.h>

#include "sim/check.h"
#include "sim/lock.h"
#include "sim/observe.h"

/* ---- who waits ---- */

static void wait_add(struct wait_list *list, struct waiter *waiter)
{
	waiter->next = NULL;
	if (list->last)
		list->last->next = waiter;
	else
		list->first = waiter;
	list->last = waiter;
}

static struct waiter *wait_take(struct wait_list *list)
{
	struct waiter *waiter = list->first;

	if (waiter) {
		list->first = waiter->next;
		if (!list->first)
			list->last = NULL;
	}
	return waiter;
}

static struct lock_count *lock_count(u32 site)
{
	return &this_cpu->machine->account.locks[site];
}

static void taken(u32 site, ps_t asked)
{
	struct lock_count *c = lock_count(site);

	c->acquired++;
	c->wait_ps += this_cpu->clock - asked;
}

/* A spinning CPU's time is a stall of the function that spins. */
static void spin(struct waiter *waiter, u32 site)
{
	struct cpu *cpu = waiter->cpu;
	ps_t before = cpu->clock;

	OBSERVE(cpu->machine, pause, cpu);
	cpu_pause(cpu);
	cpu->node->stall_ps += cpu->clock - before;
	lock_count(site)->spin_ps += cpu->clock - before;
	OBSERVE(cpu->machine, spun, cpu, before);
}

/* ---- spin locks ---- */

bool spin_try(struct spinlock *lock, u32 site)
{
	if (lock->owner)
		return false;
	lock->owner = this_cpu;
	lock->since = this_cpu->clock;
	lock->site = site;
	lock_count(site)->acquired++;
	this_cpu->current->atomic++;
	if (this_cpu->machine->check)
		check_trylock(this_cpu, lock, site);
	return true;
}

void spin_lock_wait(struct spinlock *lock, const struct object *o, u32 line,
		    u32 site, const struct access_site *read_site)
{
	struct cpu *cpu = this_cpu;
	ps_t asked = cpu->clock;

	this_cpu->current->atomic++;
	if (cpu->machine->check)
		check_lock(cpu, lock, site);
	if (lock->owner) {
		struct waiter waiter = { .cpu = cpu };

		lock_count(site)->contended++;
		wait_add(&lock->waiters, &waiter);
		while (!waiter.granted) {
			spin(&waiter, site);
			/* A ticket lock's waiters all fetch the word again; a
			 * queued lock's next one reads its own and then takes
			 * the word. */
			access_line(o, line, read_site, false);
		}
	} else {
		lock->owner = cpu;
	}
	lock->since = cpu->clock;
	lock->site = site;
	taken(site, asked);
}

void spin_release(struct spinlock *lock)
{
	struct cpu *cpu = this_cpu;
	struct waiter *waiter, *next;

	g_assert(lock->owner == cpu);
	lock_count(lock->site)->hold_ps += cpu->clock - lock->since;
	cpu->current->atomic--;
	if (cpu->machine->check)
		check_unlock(cpu, lock);
	lock->owner = NULL;
	waiter = wait_take(&lock->waiters);
	if (!waiter)
		return;
	lock->owner = waiter->cpu;
	waiter->granted = true;
	next = cpu->machine->spin_locks_queued ? NULL : lock->waiters.first;
	/* A waiter that is still fetching the word will see what it says. */
	if (!waiter->cpu->in_heap)
		cpu_resume(waiter->cpu, cpu->clock);
	for (; next; next = next->next)
		if (!next->cpu->in_heap)
			cpu_resume(next->cpu, cpu->clock);
}

/* ---- reader-writer locks ---- */

/* It is held from the first reader's coming to the last one's leaving. */
static void rw_grant(struct rwlock *lock, struct cpu *cpu, bool writer,
		     u32 site)
{
	if (writer)
		lock->writer = cpu;
	else
		lock->readers++;
	if (!writer && lock->readers > 1)
		return;
	lock->since = this_cpu->clock;
	lock->site = site;
}

void rw_lock_wait(struct rwlock *lock, const struct object *o, u32 line,
		  u32 site, const struct access_site *read_site,
		  bool writer)
{
	struct cpu *cpu = this_cpu;
	ps_t asked = cpu->clock;
	bool free = writer ? !lock->writer && !lock->readers : !lock->writer;

	cpu->current->atomic++;
	if (cpu->machine->check)
		check_lock(cpu, lock, site);
	if (free) {
		rw_grant(lock, cpu, writer, site);
	} else {
		struct waiter waiter = {
			.cpu = cpu, .site = site, .writer = writer,
		};

		lock_count(site)->contended++;
		wait_add(&lock->waiters, &waiter);
		while (!waiter.granted) {
			spin(&waiter, site);
			access_line(o, line, read_site, false);
		}
	}
	taken(site, asked);
}

void rw_release(struct rwlock *lock, bool writer)
{
	struct cpu *cpu = this_cpu;
	struct waiter *waiter;

	g_assert(writer ? lock->writer == cpu : lock->readers > 0);
	if (writer || lock->readers == 1)
		lock_count(lock->site)->hold_ps += cpu->clock - lock->since;
	cpu->current->atomic--;
	if (cpu->machine->check)
		check_unlock(cpu, lock);
	if (writer)
		lock->writer = NULL;
	else
		lock->readers--;
	while ((waiter = lock->waiters.first) && !lock->writer &&
	       (!waiter->writer || !lock->readers)) {
		wait_take(&lock->waiters);
		rw_grant(lock, waiter->cpu, waiter->writer, waiter->site);
		waiter->granted = true;
		cpu_resume(waiter->cpu, cpu->clock);
	}
}

/* ---- sleeping locks ---- */

static void sleep_on(struct wait_list *list, struct waiter *waiter,
		     const void *lock)
{
	waiter->context = this_cpu->current;
	wait_add(list, waiter);
	while (!waiter->granted)
		context_block();
	if (this_cpu->machine->check)
		check_granted(this_cpu, lock);
}

void mutex_wait(struct mutex *lock, u32 site)
{
	ps_t asked = this_cpu->clock;

	if (this_cpu->machine->check) {
		check_may_sleep(this_cpu);
		check_lock(this_cpu, lock, site);
	}
	if (lock->owner) {
		struct waiter waiter = { .granted = false };

		lock_count(site)->contended++;
		sleep_on(&lock->waiters, &waiter, lock);
	}
	lock->owner = this_cpu->current;
	lock->since = this_cpu->clock;
	lock->site = site;
	taken(site, asked);
}

void mutex_release(struct mutex *lock)
{
	struct waiter *waiter = wait_take(&lock->waiters);

	g_assert(lock->owner == this_cpu->current);
	lock_count(lock->site)->hold_ps += this_cpu->clock - lock->since;
	if (this_cpu->machine->check)
		check_unlock(this_cpu, lock);
	lock->owner = waiter ? waiter->context : NULL;
	if (waiter) {
		waiter->granted = true;
		context_wake_up(waiter->context);
	}
}

void semaphore_wait(struct semaphore *sem)
{
	if (this_cpu->machine->check)
		check_may_sleep(this_cpu);
	if (sem->count) {
		sem->count--;
	} else {
		struct waiter waiter = { .granted = false };

		sleep_on(&sem->waiters, &waiter, sem);
	}
}

void semaphore_release(struct semaphore *sem)
{
	struct waiter *waiter = wait_take(&sem->waiters);

	if (waiter) {
		waiter->granted = true;
		context_wake_up(waiter->context);
	} else {
		sem->count++;
	}
}
