/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "scenarios/trace_stack.h"

/* ---- events ---- */

void trace_events_init(struct trace_events *events, ps_t from, ps_t until)
{
	events->from = from;
	events->until = until;
	events->list = g_array_new(FALSE, FALSE, sizeof(struct trace_event));
	events->texts = g_string_chunk_new(4096);
}

static const char *keep(struct trace_events *events, const char *text)
{
	return g_string_chunk_insert_const(events->texts, text ? text : "");
}

u32 trace_event_add(const struct trace_place *place,
		    const struct trace_event *event)
{
	struct trace_events *events = place->events;
	struct trace_event copy = *event;

	if (copy.time < events->from) {
		if (copy.time + copy.duration <= events->from)
			return 0;
		copy.duration -= events->from - copy.time;
		copy.time = events->from;
	}
	if (copy.time >= events->until)
		return 0;
	copy.host = place->host;
	copy.cpu = place->cpu;
	copy.name = keep(events, event->name);
	copy.detail = keep(events, event->detail);
	g_array_append_val(events->list, copy);
	return events->list->len;
}

static gint compare(gconstpointer a, gconstpointer b)
{
	const struct trace_event *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

void trace_events_move(struct trace_events *events, const struct run *run,
		       struct results *results)
{
	static const char *const kinds[NUM_TRACE_KINDS] = {
		"context", "interrupt", "function", "stall", "packet",
	};
	u32 i;

	/* It is stable: what is contained stays behind what contains it. */
	g_array_sort(events->list, compare);
	for (i = 0; i < events->list->len; i++) {
		const struct trace_event *event =
			&g_array_index(events->list, struct trace_event, i);
		struct result_event out = {
			.id = results->trace->len + 1, .cpu = event->cpu,
			.kind = kinds[event->kind],
			.host = run->hosts[event->host].config->name,
			.name = event->name, .detail = event->detail,
			.time_ps = event->time, .packet = event->packet,
			.duration_ps = MIN(event->duration,
					   events->until - event->time),
		};

		/* It may have become full at an earlier time. */
		if (event->time >= events->until)
			break;
		out.host = g_string_chunk_insert_const(events->texts, out.host);
		g_array_append_val(results->trace, out);
	}
	g_array_unref(events->list);
	results->trace_texts = events->texts;
}

/* ---- stacks ---- */

struct frame {
	const struct call_node *node;
	ps_t seen;		/* what had been charged to the node */
	bool open;		/* it has a CPU */
	u32 event;		/* 0: none, outside of the window */
	u32 activity;
};

static struct frame *frame_at(const struct trace_stack *stack, u32 i)
{
	return &g_array_index(stack->frames, struct frame, i);
}

static ps_t charged(const struct call_node *node)
{
	return node->instruction_ps + node->stall_ps;
}

struct trace_stack *trace_stack_new(void)
{
	struct trace_stack *stack = g_new(struct trace_stack, 1);

	stack->frames = g_array_new(FALSE, FALSE, sizeof(struct frame));
	return stack;
}

void trace_stack_free(void *p)
{
	struct trace_stack *stack = p;

	g_array_unref(stack->frames);
	g_free(stack);
}

static void open_frame(struct frame *frame, const struct trace_place *place,
		       ps_t now, bool outermost)
{
	const struct call_node *node = frame->node;
	struct trace_event event = {
		.time = place->begun ? MAX(now, place->events->from) : now,
		.name = node->site ? node->site->name : node->name,
		.detail = node->site ? node->site->file : NULL,
		.kind = node->site ? TRACE_FUNCTION : outermost ?
			TRACE_CONTEXT : TRACE_INTERRUPT,
	};

	frame->open = true;
	frame->event = trace_event_add(place, &event);
}

static void close_frame(struct frame *frame, const struct trace_place *place,
			ps_t now)
{
	struct trace_event *event;

	frame->open = false;
	if (!frame->event)
		return;
	event = &g_array_index(place->events->list, struct trace_event,
			       frame->event - 1);
	event->duration = now > event->time ? now - event->time : 0;
	frame->event = 0;
}

/* A packet that somebody else takes up is at a new step there. */
static bool is_activity(const struct trace_stack *stack,
			const struct call_node *node)
{
	return stack->frames->len <= 1 || !node->site ||
	       !strcmp(node->site->name, "net_rx_action");
}

void trace_stack_call(struct trace_stack *stack,
		      const struct trace_place *place, ps_t now,
		      const struct call_node *node)
{
	struct frame frame = { .node = node, .seen = charged(node) };
	u32 depth = stack->frames->len;

	open_frame(&frame, place, now, !depth);
	frame.activity = is_activity(stack, node) ? place->events->list->len :
			 frame_at(stack, depth - 1)->activity;
	g_array_append_val(stack->frames, frame);
}

void trace_stack_call_all(struct trace_stack *stack,
			  const struct trace_place *place, ps_t now,
			  const struct call_node *node)
{
	if (node->parent)
		trace_stack_call_all(stack, place, now, node->parent);
	trace_stack_call(stack, place, now, node);
}

void trace_stack_pop(struct trace_stack *stack,
		     const struct trace_place *place, ps_t now)
{
	u32 top = stack->frames->len - 1;

	close_frame(frame_at(stack, top), place, now);
	g_array_set_size(stack->frames, top);
}

ps_t trace_stack_return(struct trace_stack *stack,
			const struct trace_place *place, ps_t now,
			const struct call_node *node)
{
	while (stack->frames->len) {
		struct frame *frame = frame_at(stack, stack->frames->len - 1);
		ps_t before = frame->seen;

		frame->seen = charged(frame->node);
		now += frame->seen - before;
		if (frame->node == node)
			break;
		trace_stack_pop(stack, place, now);
	}
	return now;
}

void trace_stack_snapshot(struct trace_stack *stack)
{
	u32 i;

	for (i = 0; i < stack->frames->len; i++)
		frame_at(stack, i)->seen = charged(frame_at(stack, i)->node);
}

void trace_stack_begin(struct trace_stack *stack,
		       const struct trace_place *place)
{
	u32 i;

	for (i = 0; i < stack->frames->len; i++)
		if (frame_at(stack, i)->open && !frame_at(stack, i)->event)
			open_frame(frame_at(stack, i), place, 0, !i);
}

void trace_stack_open(struct trace_stack *stack,
		      const struct trace_place *place, ps_t now)
{
	u32 i;

	for (i = 0; i < stack->frames->len; i++)
		open_frame(frame_at(stack, i), place, now, !i);
}

void trace_stack_close(struct trace_stack *stack,
		       const struct trace_place *place, ps_t now)
{
	u32 i;

	for (i = stack->frames->len; i--;)
		close_frame(frame_at(stack, i), place, now);
}

u32 trace_stack_activity(const struct trace_stack *stack)
{
	u32 depth = stack->frames->len;

	return depth ? frame_at(stack, depth - 1)->activity : 0;
}
