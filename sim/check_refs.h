/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who took and who dropped references, for --check: a count that has grown
 * when all that held it is gone has leaked, and the calls say where.
 */
#ifndef SIM_CHECK_REFS_H
#define SIM_CHECK_REFS_H

#include "sim/object.h"
#include "sim/types.h"

struct check_refs;
struct cpu;

struct check_refs *check_refs_new(void);
void check_refs_free(struct check_refs *refs);

/* A reference count of four bytes, at most one in an object; the strings must
 * last. */
void check_refs_declare(struct check_refs *refs, const char *type,
			const char *member);
/* A store or a locked operation is about to be done. */
void check_refs_access(struct check_refs *refs, const struct cpu *cpu,
		       const struct object *o, u32 site);
void check_refs_forget(struct check_refs *refs, const struct object *o);
/* What is held now is held by right. */
void check_refs_barrier(struct check_refs *refs);
/* An object that was made since and is alive: what its c_size bytes point to it
 * holds. */
void check_refs_holder(struct check_refs *refs, const struct object *o,
		       u32 c_size);
/* An older object has come to point to what may be an object (1), or does so no
 * longer (-1). */
void check_refs_moved(struct check_refs *refs, uintptr_t pointer, s32 n);
/* One text for each type of object whose counts have grown; the caller frees
 * them. */
void check_refs_report(struct check_refs *refs,
		       void (*found)(void *arg, char *text), void *arg);

#endif
