/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a trace, and the stacks of functions from which they come. */
#ifndef SCENARIOS_TRACE_STACK_H
#define SCENARIOS_TRACE_STACK_H

#include "scenarios/run.h"

enum trace_kind {
	TRACE_CONTEXT,
	TRACE_INTERRUPT,
	TRACE_FUNCTION,
	TRACE_STALL,
	TRACE_PACKET,
	NUM_TRACE_KINDS
};

struct trace_event {
	u32 host, cpu;
	enum trace_kind kind;
	const char *name, *detail;	/* the list has copies */
	ps_t time, duration;
	u64 packet;		/* from 1; 0: of none */
};

struct trace_events {
	ps_t from, until;	/* what lies outside is left out */
	GArray *list;		/* struct trace_event, in order of their making:
				 * each begins after those that contain it */
	GStringChunk *texts;
};

/* Where events happen. */
struct trace_place {
	struct trace_events *events;
	u32 host, cpu;
	bool begun;		/* the window has begun there */
};

void trace_events_init(struct trace_events *events, ps_t from, ps_t until);
/* Adds an event of a place, or what of it is inside; gives its number, from 1,
 * or 0: it is outside. */
u32 trace_event_add(const struct trace_place *place,
		    const struct trace_event *event);
/* Moves all into the results, by time. */
void trace_events_move(struct trace_events *events, const struct run *run,
		       struct results *results);

/* The functions of a context, the outermost first.  They are closed, so that
 * they make no events, while it has no CPU. */
struct trace_stack {
	GArray *frames;
};

struct trace_stack *trace_stack_new(void);
void trace_stack_free(void *stack);

/* Enters a function, or a root. */
void trace_stack_call(struct trace_stack *stack,
		      const struct trace_place *place, ps_t now,
		      const struct call_node *node);
/* The same for one and all its callers. */
void trace_stack_call_all(struct trace_stack *stack,
			  const struct trace_place *place, ps_t now,
			  const struct call_node *node);
/* Returns until `node` is on top, or all the way; `now` is when time was
 * looked at last.  Gives the time at which that was. */
ps_t trace_stack_return(struct trace_stack *stack,
			const struct trace_place *place, ps_t now,
			const struct call_node *node);
void trace_stack_pop(struct trace_stack *stack,
		     const struct trace_place *place, ps_t now);
/* Looks at what has been charged: it counts from here. */
void trace_stack_snapshot(struct trace_stack *stack);

/* The window begins: what is open is so from there on. */
void trace_stack_begin(struct trace_stack *stack,
		       const struct trace_place *place);
void trace_stack_open(struct trace_stack *stack,
		      const struct trace_place *place, ps_t now);
void trace_stack_close(struct trace_stack *stack,
		       const struct trace_place *place, ps_t now);

/* A number for what goes on: a system call, an interrupt, a round of
 * net_rx_action(). */
u32 trace_stack_activity(const struct trace_stack *stack);

#endif
