/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contexts of CPUs, and the loop of a CPU that has none; see cpu.h. */
#include <glib.h>
#include <string.h>

#include "sim/check.h"
#include "sim/cpu.h"
#include "sim/cpu_order.h"
#include "sim/idle.h"
#include "sim/observe.h"

/* The hyper-threads of a core slow each other while both have work. */
static void set_idle(struct cpu *cpu, bool idle)
{
	struct core *core = cpu->core;
	u32 i;

	cpu->is_idle = idle;
	for (i = 0; i < core->num_cpus; i++)
		if (core->cpus[i] != cpu)
			core->cpus[i]->smt_busy = !idle;
}

static void context_entry(void *arg)
{
	struct context *context = arg;
	struct cpu *cpu = context->cpu;

	context->started = cpu->clock;
	context->fn(context->arg);
	context->finished = cpu->clock;
	context->is_finished = true;
	--*cpu->machine->live;
	context_block();
	g_assert_not_reached();
}

/* By the time at which they are ready; first woken, first in line. */
static void enqueue(struct context *context)
{
	struct context **p = &context->cpu->queue;

	while (*p && (*p)->ready <= context->ready)
		p = &(*p)->next;
	context->next = *p;
	context->queued = true;
	context->cpu->num_queued++;
	*p = context;
}

struct context *context_next(const struct cpu *cpu)
{
	struct context *context, *first = NULL;

	for (context = cpu->queue; context && context->ready <= cpu->clock;
	     context = context->next)
		if (!first || context->rank < first->rank)
			first = context;
	return first;
}

static struct context *dequeue(struct cpu *cpu)
{
	struct context *context = context_next(cpu), **p = &cpu->queue;

	if (!context)
		return NULL;
	while (*p != context)
		p = &(*p)->next;
	*p = context->next;
	context->queued = false;
	cpu->num_queued--;
	return context;
}

/* Gives the CPU to another of its contexts, without passing of time. */
static void switch_context(struct cpu *cpu, struct context *to)
{
	struct context *from = cpu->current;

	OBSERVE(cpu->machine, context, cpu, to);
	from->node = cpu->node;
	cpu->current = to;
	cpu->node = to->node;
	coroutine_switch(&from->co, &to->co);
}

static void tell_idle(struct cpu *cpu, bool asleep)
{
	const struct sched_hooks *sched = cpu->machine->sched;

	if (sched)
		sched->idle(cpu, asleep);
}

/* Nothing to do until somebody wakes the CPU, or its next interrupt. */
static void fall_asleep(struct cpu *cpu)
{
	if (*cpu->machine->live)
		tell_idle(cpu, true);
	idle_enter(cpu);
	OBSERVE(cpu->machine, idle, cpu, true);
	if (cpu->irqs)
		cpu_wake_at(cpu, cpu->irqs->time);
	if (cpu->queue)
		cpu_wake_at(cpu, cpu->queue->ready);
	cpu_go_on(cpu->machine, &cpu->idle->co);
	idle_leave(cpu);
	OBSERVE(cpu->machine, idle, cpu, false);
	tell_idle(cpu, false);
}

/* The idle loop has found a context that is ready. */
static void run(struct cpu *cpu, struct context *context)
{
	const struct sched_hooks *sched = cpu->machine->sched;

	if (sched)
		sched->enter(cpu, context);
	set_idle(cpu, false);
	context->since = cpu->clock;
	switch_context(cpu, context);
	context->ran += cpu->clock - context->since;
	set_idle(cpu, true);
}

static void idle_loop(void *arg)
{
	struct cpu *cpu = arg;

	idle_leave(cpu);
	OBSERVE(cpu->machine, idle, cpu, false);
	tell_idle(cpu, false);
	for (;;) {
		struct context *next;

		cpu_take_irqs(cpu);
		next = dequeue(cpu);
		if (next)
			run(cpu, next);
		else
			fall_asleep(cpu);
	}
}

static struct context *make_context(struct cpu *cpu, const char *name,
				    void (*fn)(void *), void *arg)
{
	struct context *context = g_new0(struct context, 1);

	context->cpu = cpu;
	context->name = name;
	context->fn = fn;
	context->arg = arg;
	context->user_since = TIME_NEVER;
	context->node = account_root(&cpu->machine->account, name);
	coroutine_init(&context->co, context_entry, context);
	return context;
}

struct context *context_new(struct cpu *cpu, const char *name,
			    void (*fn)(void *), void *arg)
{
	struct context *context = make_context(cpu, name, fn, arg);

	++*cpu->machine->live;
	context_wake(context, cpu->clock);
	return context;
}

struct context *context_new_daemon(struct cpu *cpu, const char *name,
				   void (*fn)(void *), void *arg)
{
	return make_context(cpu, name, fn, arg);
}

void context_free(struct context *context)
{
	if (!context)
		return;
	coroutine_fini(&context->co);
	g_free(context);
}

void context_block(void)
{
	struct cpu *cpu = this_cpu;

	if (cpu->machine->check)
		check_may_sleep(cpu);
	if (cpu->machine->sched)
		cpu->machine->sched->leave(cpu);
	cpu->need_resched = false;
	switch_context(cpu, cpu->idle);
}

void context_wake(struct context *context, ps_t time)
{
	context->ready = time;
	enqueue(context);
	if (context->cpu->asleep)
		cpu_wake_at(context->cpu, time);
}

void context_wake_up(struct context *context)
{
	const struct sched_hooks *sched = context->cpu->machine->sched;

	if (sched)
		sched->wake(context);
	else
		context_wake(context, this_cpu->clock);
}

void context_yield(void)
{
	struct context *context = this_cpu->current;

	context->ready = this_cpu->clock;
	enqueue(context);
	context_block();
}

void context_migrate(struct context *context, struct cpu *cpu)
{
	context->cpu = cpu;
}

void context_pin(struct context *context, const struct cpu *cpu)
{
	memset(context->allowed, 0, sizeof(context->allowed));
	context->allowed[cpu->id / 64] = 1ull << cpu->id % 64;
}

bool context_is_pinned(const struct context *context)
{
	u32 i, n = 0;

	for (i = 0; i < G_N_ELEMENTS(context->allowed); i++)
		n += (u32)__builtin_popcountll(context->allowed[i]);
	return n == 1;
}

bool context_may_run(const struct context *context, const struct cpu *cpu)
{
	u32 i;

	for (i = 0; i < G_N_ELEMENTS(context->allowed); i++)
		if (context->allowed[i])
			return context->allowed[cpu->id / 64] >> cpu->id % 64 &
			       1;
	return true;
}

ps_t context_ran(const struct context *context)
{
	const struct cpu *cpu = context->cpu;

	return context->ran + (cpu->current == context ?
			       cpu->clock - context->since : 0);
}

void cpu_init(struct machine *machine)
{
	u32 i;

	for (i = 0; i < machine->num_cpus; i++) {
		struct cpu *cpu = &machine->cpus[i];

		cpu->idle = g_new0(struct context, 1);
		cpu->idle->cpu = cpu;
		cpu->idle->user_since = TIME_NEVER;
		cpu->idle->name = "idle";
		cpu->idle->node = account_root(&machine->account, "idle");
		coroutine_init(&cpu->idle->co, idle_loop, cpu);
		cpu->current = cpu->idle;
		cpu->node = cpu->idle->node;
		cpu->is_idle = true;
		cpu->asleep = true;
		cpu->idle_states.now = NO_IDLE_STATE;
	}
}

void cpu_fini(struct machine *machine)
{
	u32 i;

	for (i = 0; i < machine->num_cpus; i++)
		context_free(machine->cpus[i].idle);
}
