/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 4-ary implicit heap of 16-byte entries.  The four children of an entry
 * fill one host cache line.  An entry holds the time; what breaks a tie, and
 * what to call, lies in a slot that the heap looks at only when two times are
 * equal.  A cancelled event keeps its entry until that comes to the top.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine.h"

#define ARITY 4
/* Index of the root; with it at 3, the children of i start at 4i - 8, which is
 * a multiple of 4: one aligned host line. */
#define ROOT 3

struct entry {
	ps_t time;
	u32 slot;
	u32 unused;
};

struct slot {
	u64 order;		/* class, target, source, low sequence bits */
	u64 sequence;
	event_fn fn;		/* NULL: free, or cancelled */
	void *arg;
	u32 generation;
	u32 next_free;
};

struct engine {
	struct entry *heap;	/* heap[ROOT .. ROOT + used) */
	struct slot *slots;
	u32 used;		/* entries, cancelled ones among them */
	u32 pending;
	u32 size;		/* entries allocated */
	u32 free;		/* first free slot, or NONE */
	u64 sequence;
	ps_t now;
};

#define NONE UINT32_MAX

static struct entry *heap_alloc(u32 size)
{
	return aligned_alloc(64, ((size_t)size + ROOT + 1) / 4 * 64 + 64);
}

struct engine *engine_new(void)
{
	struct engine *engine = g_new0(struct engine, 1);

	engine->free = NONE;
	return engine;
}

void engine_free(struct engine *engine)
{
	if (!engine)
		return;
	free(engine->heap);
	g_free(engine->slots);
	g_free(engine);
}

static void engine_grow(struct engine *engine)
{
	u32 size = engine->size ? engine->size * 2 : 64;
	struct entry *heap = heap_alloc(size);
	u32 i;

	if (!heap)
		g_error("engine: out of memory for %u events", size);
	if (engine->heap)
		memcpy(heap + ROOT, engine->heap + ROOT,
		       engine->used * sizeof(*heap));
	free(engine->heap);
	engine->heap = heap;
	engine->slots = g_renew(struct slot, engine->slots, size);
	for (i = size; i-- > engine->size;) {
		engine->slots[i] = (struct slot){ .next_free = engine->free };
		engine->free = i;
	}
	engine->size = size;
}

static inline bool before(const struct engine *engine, const struct entry *a,
			  const struct entry *b)
{
	const struct slot *x, *y;

	if (likely(a->time != b->time))
		return a->time < b->time;
	x = &engine->slots[a->slot];
	y = &engine->slots[b->slot];
	if (x->order != y->order)
		return x->order < y->order;
	return x->sequence < y->sequence;
}

static inline u32 parent(u32 i)
{
	return (i + 2 * ARITY) / ARITY;
}

static inline u32 first_child(u32 i)
{
	return ARITY * i - 2 * ARITY;
}

static void sift_up(struct engine *engine, u32 i, struct entry e)
{
	struct entry *heap = engine->heap;

	while (i > ROOT && before(engine, &e, &heap[parent(i)])) {
		heap[i] = heap[parent(i)];
		i = parent(i);
	}
	heap[i] = e;
}

/* Puts e at the root's hole: the hole sinks along the smallest children to a
 * leaf and e, which came from a leaf, then rises the little it has to. */
static void sift_down(struct engine *engine, struct entry e)
{
	struct entry *heap = engine->heap;
	u32 end = ROOT + engine->used, i = ROOT;

	for (;;) {
		u32 c = first_child(i), best = c;

		if (c + ARITY <= end) {
			u32 l = before(engine, &heap[c + 1], &heap[c]) ?
				c + 1 : c;
			u32 r = before(engine, &heap[c + 3], &heap[c + 2]) ?
				c + 3 : c + 2;

			best = before(engine, &heap[r], &heap[l]) ? r : l;
		} else if (c < end) {
			for (c++; c < end; c++)
				if (before(engine, &heap[c], &heap[best]))
					best = c;
		} else {
			break;
		}
		heap[i] = heap[best];
		i = best;
	}
	sift_up(engine, i, e);
}

event_id engine_add(struct engine *engine, ps_t time, enum event_class class,
		    u32 target, u32 source, event_fn fn, void *arg)
{
	struct slot *slot;
	u32 i;

	g_assert(fn && target < 4096 && source < 4096);
	g_assert(time >= engine->now);
	if (unlikely(engine->free == NONE))
		engine_grow(engine);
	i = engine->free;
	slot = &engine->slots[i];
	engine->free = slot->next_free;
	slot->order = (u64)class << 24 | target << 12 | source;
	slot->sequence = engine->sequence++;
	slot->fn = fn;
	slot->arg = arg;
	slot->generation++;
	engine->pending++;
	sift_up(engine, ROOT + engine->used++, (struct entry){ time, i, 0 });
	return (u64)slot->generation << 32 | i;
}

bool engine_cancel(struct engine *engine, event_id id)
{
	u32 i = (u32)id;

	if (i >= engine->size || engine->slots[i].generation != id >> 32 ||
	    !engine->slots[i].fn)
		return false;
	engine->slots[i].fn = NULL;
	engine->pending--;
	return true;
}

static void take_first(struct engine *engine, struct entry *first)
{
	struct slot *slot;

	*first = engine->heap[ROOT];
	if (--engine->used)
		sift_down(engine, engine->heap[ROOT + engine->used]);
	slot = &engine->slots[first->slot];
	slot->next_free = engine->free;
	engine->free = first->slot;
}

ps_t engine_next(struct engine *engine)
{
	struct entry gone;

	while (engine->used) {
		const struct entry *first = &engine->heap[ROOT];

		if (likely(engine->slots[first->slot].fn))
			return first->time;
		take_first(engine, &gone);
	}
	return TIME_NEVER;
}

bool engine_run_one(struct engine *engine)
{
	struct entry first;
	event_fn fn;
	void *arg;

	if (engine_next(engine) == TIME_NEVER)
		return false;
	take_first(engine, &first);
	fn = engine->slots[first.slot].fn;
	arg = engine->slots[first.slot].arg;
	engine->slots[first.slot].fn = NULL;
	engine->pending--;
	engine->now = first.time;
	fn(arg, first.time);
	return true;
}

size_t engine_pending(const struct engine *engine)
{
	return engine->pending;
}
