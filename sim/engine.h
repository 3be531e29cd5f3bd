/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pending-event set: what will happen, and in which order.
 *
 * Order is total: (time, class, target, source, sequence).  The sequence
 * counts the events of the engine, so no two ever tie and the order does not
 * depend on the shape of the heap.  Adding, taking and cancelling allocate
 * nothing once the set has reached its largest size.
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "sim/types.h"

/* Classes in the order in which they happen at one instant. */
enum event_class {
	EVENT_DEVICE,		/* a device: packet arrival, completion */
	EVENT_TICK,		/* the periodic timer interrupt of a CPU */
	EVENT_TIMER,		/* a one-shot timer */
	EVENT_CONTROL,		/* the simulation's own: stop, sample */
	NUM_EVENT_CLASSES
};

/* `now` is the time of the event, `arg` what was given to engine_add(). */
typedef void (*event_fn)(void *arg, ps_t now);

typedef u64 event_id;		/* 0 is never an event */

struct engine;

struct engine *engine_new(void);
void engine_free(struct engine *engine);

/*
 * Adds an event.  target and source name whom it happens to and who asked for
 * it (a CPU or device number, below 4096).  Time may not lie before the event
 * last taken.
 */
event_id engine_add(struct engine *engine, ps_t time, enum event_class class,
		    u32 target, u32 source, event_fn fn, void *arg);

/* True if the event was pending and is now gone; false if it has happened or
 * was cancelled before. */
bool engine_cancel(struct engine *engine, event_id id);

/* Time of the first pending event, TIME_NEVER if there is none. */
ps_t engine_next(struct engine *engine);

/* Takes the first event and calls it.  False if there is none. */
bool engine_run_one(struct engine *engine);

size_t engine_pending(const struct engine *engine);

#endif
