/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records what CPUs do; see trace.h.
 *
 * A function's return is not told of.  But all time that passes is charged to
 * the function that runs, and between two words of an observer on one CPU no
 * other CPU runs, so that what has been charged to each function of the stack
 * since the last look says when each of them returned: settle().
 *
 * It looks on from the start of the run, whenever the window begins: an event
 * at that time, or stacks that are not known from their start, would change the
 * run or the figures.
 */
#include <string.h>

#include "scenarios/trace.h"
#include "scenarios/trace_stack.h"
#include "sim/observe.h"

/* What a database and a viewer bear. */
#define MAX_EVENTS 1000000u

/* ---- the window ---- */

/* One time, up to `end`, exactly; 0 where it is none. */
static bool parse_time(const char *text, const char *end, ps_t *time)
{
	static const struct { const char *name; ps_t ps; } units[] = {
		{ "ns", PS_PER_NS }, { "us", PS_PER_US }, { "ms", PS_PER_MS },
		{ "s", PS_PER_S },
	};
	u64 whole = 0, part = 0, scale = 1;
	const char *p = text;
	u32 i;

	for (; p < end && g_ascii_isdigit(*p) && whole < 1000000; p++)
		whole = whole * 10 + (u64)(*p - '0');
	if (p == text)
		return false;
	if (p < end && *p == '.')
		for (p++; p < end && g_ascii_isdigit(*p) && scale < 1000; p++) {
			part = part * 10 + (u64)(*p - '0');
			scale *= 10;
		}
	for (i = 0; i < G_N_ELEMENTS(units); i++)
		if ((size_t)(end - p) == strlen(units[i].name) &&
		    !strncmp(p, units[i].name, (size_t)(end - p))) {
			*time = whole * units[i].ps +
				part * (units[i].ps / scale);
			return true;
		}
	return false;
}

bool trace_window_parse(const char *text, struct trace_window *window,
			GError **error)
{
	const char *plus = strchr(text, '+'), *end = text + strlen(text);

	window->from = 0;
	if ((!plus || parse_time(text, plus, &window->from)) &&
	    parse_time(plus ? plus + 1 : text, end, &window->length) &&
	    window->length)
		return true;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "--trace %s: must be a length of simulated time, such as "
		    "50us, or from when and how long, such as 2ms+50us (ns, "
		    "us, ms or s; up to three decimals)", text);
	return false;
}

/* ---- recording ---- */

struct packet {
	struct trace_event end;	/* its last touch */
	u32 activity;		/* of that */
	bool freed;
};

struct trace_host {
	struct trace *trace;
	struct machine *machine;
	struct observer observer;
	GHashTable *stacks;	/* struct trace_stack, by context */
	ps_t now[MAX_CPUS];	/* up to when each CPU is settled */
	bool begun[MAX_CPUS];	/* it has been seen since the window began */
	GHashTable *by_skb;	/* struct packet, those that are not freed */
	GPtrArray *packets;	/* all of them, in order */
	const struct object_type *skb;
};

struct trace {
	const struct run *run;
	struct trace_events events;
	struct trace_host hosts[MAX_MACHINES];
	u64 num_packets;
	bool full, past;	/* why nobody looks on any more, if so */
};

static struct trace_stack *stack_of(struct trace_host *host,
				    const struct context *context)
{
	struct trace_stack *stack = g_hash_table_lookup(host->stacks, context);

	if (!stack) {
		stack = trace_stack_new();
		g_hash_table_insert(host->stacks, (gpointer)context, stack);
	}
	return stack;
}

static struct trace_place place_of(struct trace_host *host,
				   const struct cpu *cpu)
{
	return (struct trace_place){
		.events = &host->trace->events,
		.host = (u32)(host - host->trace->hosts), .cpu = cpu->id,
		.begun = host->begun[cpu->id],
	};
}

/* All hooks begin with it. */
static void look(struct trace_host *host, const struct cpu *cpu)
{
	struct trace_place place;

	if (host->begun[cpu->id] || cpu->clock < host->trace->events.from)
		return;
	host->begun[cpu->id] = true;
	place = place_of(host, cpu);
	trace_stack_begin(stack_of(host, cpu->current), &place);
}

/* No more is recorded: what is open ends now on all CPUs, for they are not all
 * as far as each other. */
static void fill_up(struct trace *trace)
{
	ps_t until = TIME_NEVER;
	u32 i, j;

	for (i = 0; i < trace->run->num_hosts; i++) {
		const struct trace_host *host = &trace->hosts[i];

		for (j = 0; j < host->machine->num_cpus; j++)
			if (!host->machine->cpus[j].asleep)
				until = MIN(until, host->now[j]);
	}
	trace->full = true;
	trace->events.until = MIN(trace->events.until, until);
}

/* No CPU has anything to do within the window any more; this one is past. */
static bool is_past(const struct trace *trace)
{
	u32 i;

	for (i = 0; i < trace->run->num_hosts; i++)
		if (machine_next(trace->hosts[i].machine) < trace->events.until)
			return false;
	return true;
}

static void look_away(struct trace *trace)
{
	u32 i;

	for (i = 0; i < trace->run->num_hosts; i++)
		machine_trace(trace->hosts[i].machine, NULL);
}

static void snapshot(struct trace_host *host, const struct cpu *cpu,
		     const struct context *context)
{
	struct trace *trace = host->trace;

	host->now[cpu->id] = cpu->clock;
	trace_stack_snapshot(stack_of(host, context));
	if (trace->events.list->len >= MAX_EVENTS)
		fill_up(trace);
	else if (cpu->clock >= trace->events.until)
		trace->past = is_past(trace);
	if (trace->full || trace->past)
		look_away(trace);
}

/* Returns until `node` is on top, at the time at which that was; the stack of
 * one that has not been seen yet is made up from its callers. */
static ps_t settle(struct trace_host *host, const struct cpu *cpu,
		   const struct call_node *node)
{
	struct trace_stack *stack = stack_of(host, cpu->current);
	struct trace_place place;
	ps_t now;

	look(host, cpu);
	place = place_of(host, cpu);
	now = trace_stack_return(stack, &place, host->now[cpu->id], node);

	if (!stack->frames->len) {
		now = host->now[cpu->id];
		trace_stack_call_all(stack, &place, now, node);
	}
	return MIN(now, cpu->clock);
}

static void see_pause(void *arg, const struct cpu *cpu)
{
	struct trace_host *host = arg;

	settle(host, cpu, cpu->node);
	host->now[cpu->id] = cpu->clock;
}

static void see_resume(void *arg, const struct cpu *cpu)
{
	snapshot(arg, cpu, cpu->current);
}

static void see_call(void *arg, const struct cpu *cpu)
{
	struct trace_host *host = arg;
	ps_t now = settle(host, cpu, cpu->node->parent);
	struct trace_place place = place_of(host, cpu);

	trace_stack_call(stack_of(host, cpu->current), &place, now, cpu->node);
	snapshot(host, cpu, cpu->current);
}

static void see_interrupt(void *arg, const struct cpu *cpu, bool begins)
{
	struct trace_host *host = arg;
	struct trace_stack *stack = stack_of(host, cpu->current);
	struct trace_place place;

	look(host, cpu);
	place = place_of(host, cpu);
	if (begins) {
		trace_stack_call(stack, &place, cpu->clock, cpu->node);
	} else {
		settle(host, cpu, cpu->node);
		trace_stack_pop(stack, &place, cpu->clock);
	}
	snapshot(host, cpu, cpu->current);
}

/* ---- who runs ---- */

static void open_stack(struct trace_host *host, const struct cpu *cpu,
		       const struct context *context,
		       const struct call_node *node, ps_t now)
{
	struct trace_stack *stack = stack_of(host, context);
	struct trace_place place = place_of(host, cpu);

	if (stack->frames->len)
		trace_stack_open(stack, &place, now);
	else
		trace_stack_call_all(stack, &place, now, node);
}

static void see_context(void *arg, const struct cpu *cpu,
			const struct context *next)
{
	struct trace_host *host = arg;
	struct trace_place place;

	settle(host, cpu, cpu->node);
	place = place_of(host, cpu);
	trace_stack_close(stack_of(host, cpu->current), &place, cpu->clock);
	open_stack(host, cpu, next, next->node, cpu->clock);
	snapshot(host, cpu, next);
}

static void see_idle(void *arg, const struct cpu *cpu, bool asleep)
{
	struct trace_host *host = arg;
	struct trace_place place;

	look(host, cpu);
	place = place_of(host, cpu);
	if (asleep) {
		settle(host, cpu, cpu->node);
		trace_stack_close(stack_of(host, cpu->current), &place,
				  cpu->clock);
	} else {
		open_stack(host, cpu, cpu->current, cpu->node, cpu->clock);
	}
	snapshot(host, cpu, cpu->current);
}

/* ---- stalls ---- */

static void add_stall(struct trace_host *host, const struct cpu *cpu,
		      const char *name, const char *detail, ps_t since)
{
	struct trace_place place = place_of(host, cpu);
	struct trace_event event = {
		.kind = TRACE_STALL, .name = name, .detail = detail,
		.time = since, .duration = cpu->clock - since,
	};

	trace_event_add(&place, &event);
}

static void see_done(void *arg, const struct cpu *cpu, const struct object *o,
		     const struct access_site *site, enum level level,
		     ps_t since)
{
	static const char *const kinds[NUM_ACCESS_KINDS] = {
		"read", "write", "atomic", "prefetch",
	};
	struct trace_host *host = arg;
	char name[128], detail[64];

	settle(host, cpu, cpu->node);
	if (cpu->clock > since) {
		g_snprintf(name, sizeof(name), "%s.%s", o->type->name,
			   site->member);
		g_snprintf(detail, sizeof(detail), "%s, %s", kinds[site->kind],
			   result_level_name[level]);
		add_stall(host, cpu, name, detail, since);
	}
	snapshot(host, cpu, cpu->current);
}

static void see_spun(void *arg, const struct cpu *cpu, ps_t since)
{
	struct trace_host *host = arg;

	settle(host, cpu, cpu->node);
	if (cpu->clock > since)
		add_stall(host, cpu, "spin", "lock", since);
	snapshot(host, cpu, cpu->current);
}

/* ---- packets ---- */

static struct packet *packet_new(struct trace_host *host, const void *skb)
{
	struct packet *packet = g_new0(struct packet, 1);

	packet->end.packet = ++host->trace->num_packets;
	packet->end.kind = TRACE_PACKET;
	g_ptr_array_add(host->packets, packet);
	g_hash_table_insert(host->by_skb, (gpointer)skb, packet);
	return packet;
}

static bool is_function(const struct call_node *node, const char *name)
{
	return node->site && !strcmp(node->site->name, name);
}

/* A packet's life from the first touch of its sk_buff to the last, with a step
 * wherever something else takes it up. */
static void touch(struct trace_host *host, const struct cpu *cpu,
		  const void *skb)
{
	u32 activity = trace_stack_activity(stack_of(host, cpu->current));
	struct packet *packet = g_hash_table_lookup(host->by_skb, skb);
	struct trace_place place = place_of(host, cpu);
	const char *step = NULL;

	if (!packet) {
		packet = packet_new(host, skb);
		step = "begin";
	} else if (activity != packet->activity) {
		step = "step";
	}
	packet->activity = activity;
	packet->end.cpu = cpu->id;
	packet->end.time = cpu->clock;
	packet->end.name = step;
	if (step)
		trace_event_add(&place, &packet->end);
	if (is_function(cpu->node, "kfree_skbmem"))
		g_hash_table_remove(host->by_skb, skb);
}

static void see_access(void *arg, const struct cpu *cpu, const struct object *o,
		       u32 line, const struct access_site *site)
{
	struct trace_host *host = arg;

	(void)line;
	(void)site;
	if (!host->skb && !strcmp(o->type->name, "sk_buff"))
		host->skb = o->type;
	/* What the allocator does with free ones is no packet's. */
	if (o->type == host->skb && host->begun[cpu->id] &&
	    cpu->clock < host->trace->events.until &&
	    !(cpu->node->site && strstr(cpu->node->site->file, "stack/mm/")))
		touch(host, cpu, o);
}

static void end_packets(struct trace_host *host)
{
	u32 i;

	for (i = 0; i < host->packets->len; i++) {
		struct packet *packet = host->packets->pdata[i];
		struct trace_place place = {
			.events = &host->trace->events,
			.host = (u32)(host - host->trace->hosts),
			.cpu = packet->end.cpu,
		};

		packet->end.name = "end";
		trace_event_add(&place, &packet->end);
	}
}

/* ---- begin and end ---- */

/* What is open ends where the window did, or else the run. */
static void host_end(struct trace_host *host)
{
	u32 i;

	for (i = 0; i < host->machine->num_cpus; i++) {
		const struct cpu *cpu = &host->machine->cpus[i];
		struct trace_stack *stack = stack_of(host, cpu->current);
		struct trace_place place = place_of(host, cpu);

		if (host->trace->past) {
			place.begun = true;
			trace_stack_begin(stack, &place);
			trace_stack_close(stack, &place,
					  host->trace->events.until);
		} else {
			trace_stack_close(stack, &place, host->now[i]);
		}
	}
}

static void host_start(struct trace *trace, u32 index)
{
	struct trace_host *host = &trace->hosts[index];

	host->trace = trace;
	host->machine = trace->run->hosts[index].machine;
	host->observer = (struct observer){
		.access = see_access, .call = see_call, .pause = see_pause,
		.resume = see_resume, .done = see_done, .spun = see_spun,
		.context = see_context, .idle = see_idle,
		.interrupt = see_interrupt, .arg = host,
	};
	host->stacks = g_hash_table_new_full(NULL, NULL, NULL,
					     trace_stack_free);
	host->by_skb = g_hash_table_new(NULL, NULL);
	host->packets = g_ptr_array_new_with_free_func(g_free);
	machine_trace(host->machine, &host->observer);
}

struct trace *trace_start(struct run *run, const struct trace_window *window)
{
	struct trace *trace = g_new0(struct trace, 1);
	u32 i;

	trace->run = run;
	trace_events_init(&trace->events, window->from,
			  window->from + window->length);
	for (i = 0; i < run->num_hosts; i++)
		host_start(trace, i);
	return trace;
}

void trace_finish(struct trace *trace, struct results *results)
{
	u32 i;

	look_away(trace);
	for (i = 0; i < trace->run->num_hosts; i++) {
		struct trace_host *host = &trace->hosts[i];

		host_end(host);
		end_packets(host);
		g_hash_table_unref(host->stacks);
		g_hash_table_unref(host->by_skb);
		g_ptr_array_unref(host->packets);
	}
	results->trace_full = trace->full;
	results->trace_until_ps = trace->events.until;
	trace_events_move(&trace->events, trace->run, results);
	g_free(trace);
}
