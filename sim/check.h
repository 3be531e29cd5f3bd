/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --check looks for, like the kernel's sanitizers: use after free, double
 * free, freeing what a reader of RCU still looks at, leaks, unpaired reference
 * counts, lock order, sleeping under a spin lock or in a reader's section, data
 * races, and the coherence model's own single-writer invariant.
 *
 * With checks on, every access takes the slow path; results do not change.
 * Findings are collected in the order in which they are first seen.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "sim/object.h"
#include "sim/types.h"

struct check;
struct cpu;
struct machine;

struct check *check_new(struct machine *machine);
void check_free(struct check *check);

/* What has been found: NULL-ended, owned by the check. */
const char *const *check_findings(struct check *check);

/* Called by the rooms of sim/ when checks are on. */
void check_access(struct cpu *cpu, const struct object *o, u32 site);
void check_line(struct machine *machine, u32 line);
void check_lock(struct cpu *cpu, const void *lock, u32 site);
void check_trylock(struct cpu *cpu, const void *lock, u32 site);
/* The lock that this CPU slept for has been handed to it. */
void check_granted(struct cpu *cpu, const void *lock);
void check_unlock(struct cpu *cpu, const void *lock);
void check_may_sleep(struct cpu *cpu);

/* Called by allocators; they do nothing when checks are off.  The model's struct
 * has c_size bytes of memory, which may be less than all of its type: an array at
 * its end may be cut.  A typesafe free leaves the object readable. */
void check_object_alloc(struct machine *machine, struct object *o, u32 c_size);
void check_object_free(struct machine *machine, struct object *o,
		       bool typesafe);
/* It is no leak that this object lives on, nor that it is referred to now. */
void check_object_kept(struct machine *machine, const struct object *o);
/* Says that a member is a reference count: what it has grown by when a run has
 * ended has leaked.  At most one in an object; the strings must last. */
void check_count(struct machine *machine, const char *type, const char *member);
/* A reference count after its change: below zero is one put too many. */
void check_refcount(struct machine *machine, const struct object *o,
		    const char *member, s64 value);

/* All that has been done so far happened before all that comes. */
void check_order_all(struct machine *machine);
/* The same, and what has been allocated is no leak: called when a run starts,
 * since set-up code is not part of it. */
void check_barrier(struct machine *machine);

/* Objects allocated since check_barrier() and still alive are leaks, and so are
 * references taken since and not dropped. */
void check_leaks(struct machine *machine);

#endif
