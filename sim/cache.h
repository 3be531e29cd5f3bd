/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The coherent memory hierarchy: what an access costs when it is not a plain
 * hit in the CPU's own L1, and what it does to everybody else's copies.
 *
 * The protocol is MESI with a forwarding copy among clean ones (a clean line
 * comes from another package's L3 rather than from memory).  L2 includes L1,
 * L3 includes the L2s of its package.  The directory record of a line knows
 * the cores that hold it, so no tag is searched to find a copy.
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include "sim/object.h"
#include "sim/types.h"

struct core;
struct cpu;
struct machine;

/* Charges one access to a line by an access site (its index); `o` is the
 * object, for the account and the checks. */
void access_slow(struct cpu *cpu, const struct object *o, u32 line, u32 site);
/* The same for a locked operation: waits for the store buffer first. */
void access_atomic_line(struct cpu *cpu, const struct object *o, u32 line,
			u32 site);

/* A full memory fence: waits until all stores have drained. */
void access_fence(struct cpu *cpu);

/* n stores of a function's own (to its stack): while an earlier store has not
 * drained, they queue behind it. */
void store_buffer_add(struct cpu *cpu, u32 n);

/* How many of n lines the CPU's own core holds, in L1 or L2.  A look from
 * outside: it takes no time and leaves no trace. */
u32 cache_count_held(const struct cpu *cpu, u32 line, u32 n);

/*
 * The host's own prefetch, of what accesses to an object will look up: it
 * changes nothing that is simulated.  For objects that this program may not
 * have touched for long.
 */
void cache_expect(const struct cpu *cpu, const struct object *o);

/* A device writes a line, or a part of it: no copy of it is left but the one
 * in memory or, with `direct`, in the L3 of a package. */
void cache_device_write(struct machine *machine, u32 line, u32 package,
			bool direct);
/* Whether any cache holds a line: a device that reads it is answered from
 * there, and its state stays as it is. */
bool cache_holds(const struct machine *machine, u32 line);

/* Numbers the last uses of what is in a core's L1 anew, before the tick no
 * longer fits in a word; the order of uses stays. */
void cache_renew_ticks(struct core *core);

void cache_init(struct machine *machine);
void cache_fini(struct machine *machine);

/* Verifies that a line with an owner has no other copy and that words, tags
 * and directory agree; NULL, or what is wrong (static text). */
const char *cache_verify_line(const struct machine *machine, u32 line);

#endif
