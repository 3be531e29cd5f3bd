/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of CPUs, and interrupts; see cpu.h.
 *
 * Runnable CPUs other than the one that runs stand in a binary heap by
 * (clock, id).  The running CPU keeps two bounds that depend on the others
 * only: next_key, the key of whoever is earliest among them (an event counts
 * with id 0), and horizon.  While it runs the others stand still, so the
 * bounds change only when it wakes a CPU or adds an event itself.
 */
#include <glib.h>

#include "sim/check.h"
#include "sim/cpu.h"
#include "sim/cpu_order.h"
#include "sim/observe.h"

_Thread_local struct cpu *this_cpu;

/*
 * How far a CPU that asks for nothing may run ahead of the others before its
 * next function call lets them catch up.  It bounds the error in what takes
 * effect without an access: interrupts from other CPUs, the start and the end
 * of a hyper-thread's slowdown, the first sharing of a line.
 */
#define RUN_AHEAD (5 * PS_PER_US)

/* ---- the heap of runnable CPUs ---- */

/* An entry is a CPU's key, which names it: moving one touches no CPU. */
static struct cpu *heap_cpu(const struct machine *machine, u32 i)
{
	return &machine->cpus[(machine->heap[i] & 0xff) - 1];
}

/* Puts a key into the hole at i or above it. */
static void heap_rise(struct machine *machine, u32 i, u64 key)
{
	u64 *heap = machine->heap;

	while (i && key < heap[(i - 1) / 2]) {
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = key;
}

static void heap_insert(struct machine *machine, struct cpu *cpu)
{
	cpu->in_heap = true;
	heap_rise(machine, machine->heap_used++, cpu_key(cpu));
}

/* Puts a key into the hole at the root. */
static void heap_sink(struct machine *machine, u64 key)
{
	u32 i = 0, child, used = machine->heap_used;
	u64 *heap = machine->heap;

	heap[used] = TIME_NEVER;	/* what has no second child has this */
	while ((child = 2 * i + 1) < used) {
		child += heap[child + 1] < heap[child];
		if (key < heap[child])
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = key;
}

static struct cpu *heap_pop(struct machine *machine)
{
	struct cpu *first = heap_cpu(machine, 0);

	first->in_heap = false;
	if (--machine->heap_used)
		heap_sink(machine, machine->heap[machine->heap_used]);
	return first;
}

/* A CPU in the heap goes on earlier than it was to. */
static void heap_earlier(struct machine *machine, struct cpu *cpu)
{
	u32 i = 0;

	while (heap_cpu(machine, i) != cpu)
		i++;
	heap_rise(machine, i, cpu_key(cpu));
}

/* Set-up code moves the clocks of CPUs that wait to run: once more in order. */
static void heap_renew(struct machine *machine)
{
	u32 i, n = machine->heap_used;

	machine->heap_used = 0;
	for (i = 0; i < n; i++)
		heap_rise(machine, machine->heap_used++,
			  cpu_key(heap_cpu(machine, i)));
}

/* ---- bounds of the running CPU ---- */

/* The next event, or the time at which other machines are to come up. */
static ps_t next_event(const struct machine *machine)
{
	return MIN(engine_next(machine->engine), machine->until);
}

static void set_limit(struct cpu *cpu)
{
	const struct machine *machine = cpu->machine;

	/* What runs outside, to set up or to end, waits for nobody. */
	cpu->due = machine->running ? next_event(machine) : TIME_NEVER;
	if (machine->running && machine->heap_used)
		cpu->due = MIN(cpu->due, (machine->heap[0] >> 8) + RUN_AHEAD);
	if (cpu->irqs && !cpu->irqs_off && !cpu->in_irq)
		cpu->due = MIN(cpu->due, cpu->irqs->time);
	cpu->limit = machine_observed(machine) ? 0 : cpu->due;
}

static ps_t add_time(ps_t t, ps_t more)
{
	return t > TIME_NEVER - more ? TIME_NEVER : t + more;
}

static struct cpu *sibling_of(const struct cpu *cpu)
{
	const struct core *core = cpu->core;

	if (core->num_cpus < 2)
		return NULL;
	return core->cpus[core->cpus[0] == cpu];
}

static void set_bounds(struct cpu *cpu)
{
	const struct cpu *sibling;
	struct machine *machine = cpu->machine;
	ps_t event = next_event(machine), next = event;

	cpu->next_key = event == TIME_NEVER ? TIME_NEVER : event << 8;
	if (machine->heap_used) {
		cpu->next_key = MIN(cpu->next_key, machine->heap[0]);
		next = MIN(next, machine->heap[0] >> 8);
	}
	cpu->horizon = add_time(next, machine->lookahead);
	/* What the sibling writes is in the shared L1 at once. */
	sibling = sibling_of(cpu);
	if (sibling && sibling->in_heap)
		cpu->horizon = MIN(cpu->horizon, add_time(sibling->clock,
					machine->sibling_lookahead));
	set_limit(cpu);
}

event_id machine_at(struct machine *machine, ps_t time, enum event_class class,
		    u32 target, u32 source, event_fn fn, void *arg)
{
	event_id id = engine_add(machine->engine, time, class, target, source,
				 fn, arg);

	if (machine->running)
		set_bounds(machine->running);
	return id;
}

ps_t machine_next(const struct machine *machine)
{
	ps_t next = engine_next(machine->engine);

	if (machine->heap_used)
		next = MIN(next, machine->heap[0] >> 8);
	return next;
}

void machine_bound(struct machine *machine, ps_t until)
{
	if (until >= machine->until)
		return;
	machine->until = until;
	if (machine->running)
		set_bounds(machine->running);
}

/* ---- who goes on ---- */

void cpu_go_on(struct machine *machine, struct coroutine *from)
{
	struct coroutine *to = NULL;

	machine->running = NULL;
	while (!to) {
		ps_t event = engine_next(machine->engine);
		struct cpu *first = machine->heap_used ?
			heap_cpu(machine, 0) : NULL;
		ps_t next = first ? MIN(event, first->clock) : event;

		if (machine->stopped || !*machine->live ||
		    next >= machine->until) {
			to = &machine->host;
			break;
		}
		if (!first || event <= first->clock) {
			engine_run_one(machine->engine);
			continue;
		}
		heap_pop(machine);
		machine->running = first;
		this_cpu = first;
		set_bounds(first);
		to = &first->current->co;
	}
	if (to != from)
		coroutine_switch(from, to);
}

/* As cpu_go_on() for a CPU that stays runnable: the common case trades places with
 * the root of the heap. */
static void yield_cpu(struct cpu *cpu)
{
	struct machine *machine = cpu->machine;
	struct cpu *first;

	cpu->switches++;
	if (machine->heap_used && !machine->stopped) {
		first = heap_cpu(machine, 0);
		if (next_event(machine) > first->clock) {
			first->in_heap = false;
			cpu->in_heap = true;
			heap_sink(machine, cpu_key(cpu));
			machine->running = first;
			this_cpu = first;
			set_bounds(first);
			coroutine_switch(&cpu->current->co,
					 &first->current->co);
			return;
		}
	}
	heap_insert(machine, cpu);
	cpu_go_on(machine, &cpu->current->co);
}

void cpu_wait_turn_slow(struct cpu *cpu)
{
	while (cpu_key(cpu) > cpu->next_key)
		yield_cpu(cpu);
}

void cpu_wait_horizon_slow(struct cpu *cpu)
{
	while (cpu->clock > cpu->horizon)
		yield_cpu(cpu);
}

/* ---- interrupts ---- */

void cpu_take_irqs(struct cpu *cpu)
{
	const ps_t both = cpu->machine->profile->interrupt_ps;

	while (cpu->irqs && cpu->irqs->time <= cpu->clock && !cpu->irqs_off &&
	       !cpu->in_irq) {
		struct irq *irq = cpu->irqs;
		struct call_node *node = cpu->node;

		cpu->irqs = irq->next;
		irq->pending = false;
		cpu->in_irq++;
		cpu->node = account_root(&cpu->machine->account, irq->name);
		OBSERVE(cpu->machine, interrupt, cpu, true);
		if (!irq->is_whole)
			cpu_hardware(cpu, HARDWARE_INTERRUPT, both / 2, 1);
		irq->fn(cpu, irq->arg);
		if (!irq->is_whole)
			cpu_hardware(cpu, HARDWARE_INTERRUPT, both - both / 2,
				     0);
		OBSERVE(cpu->machine, interrupt, cpu, false);
		cpu->node = node;
		cpu->in_irq--;
	}
}

/* An interrupt that goes back to user mode may let another task run first. */
static bool may_preempt(const struct cpu *cpu)
{
	return cpu->current->user_since != TIME_NEVER && !cpu->in_irq &&
	       !cpu->irqs_off && cpu->machine->sched;
}

void cpu_called(struct cpu *cpu)
{
	OBSERVE(cpu->machine, call, cpu);
	if (cpu->clock > cpu->due)
		cpu_service(cpu);
}

void cpu_service(struct cpu *cpu)
{
	OBSERVE(cpu->machine, pause, cpu);
	while (cpu->clock >= cpu->due) {
		cpu_wait_turn(cpu);	/* lets events happen, others come up */
		cpu_take_irqs(cpu);
		if (unlikely(cpu->need_resched) && may_preempt(cpu)) {
			/* It may go on elsewhere. */
			cpu->machine->sched->preempt();
			return;
		}
		set_limit(cpu);
	}
	OBSERVE(cpu->machine, resume, cpu);
}

void cpu_wake_at(struct cpu *cpu, ps_t time)
{
	struct machine *machine = cpu->machine;

	if (!cpu->in_heap) {
		cpu_resume(cpu, time);
		return;
	}
	cpu->clock = MIN(cpu->clock, MAX(time, cpu->asleep_since));
	heap_earlier(machine, cpu);
	if (machine->running)
		set_bounds(machine->running);
}

void cpu_raise(struct cpu *cpu, struct irq *irq, ps_t time)
{
	struct irq **p;

	g_assert(!irq->pending);
	irq->time = time;
	irq->pending = true;
	for (p = &cpu->irqs; *p && (*p)->time <= time; p = &(*p)->next)
		;
	irq->next = *p;
	*p = irq;
	if (cpu->asleep)
		cpu_wake_at(cpu, time);
	else if (cpu == cpu->machine->running)
		set_bounds(cpu);
}

void cpu_irq_disable(struct cpu *cpu)
{
	cpu->irqs_off++;
}

void cpu_irq_enable(struct cpu *cpu)
{
	g_assert(cpu->irqs_off);
	if (!--cpu->irqs_off && cpu->irqs)
		set_limit(cpu);
}

u32 cpu_irq_open(struct cpu *cpu)
{
	u32 in_irq = cpu->in_irq;

	cpu->in_irq = 0;
	if (cpu->irqs)
		set_limit(cpu);
	return in_irq;
}

void cpu_irq_close(struct cpu *cpu, u32 in_irq)
{
	cpu->in_irq = in_irq;
}

/* ---- spinning, running ---- */

void cpu_pause(struct cpu *cpu)
{
	cpu_go_on(cpu->machine, &cpu->current->co);
}

void cpu_resume(struct cpu *cpu, ps_t time)
{
	struct machine *machine = cpu->machine;

	g_assert(!cpu->in_heap);
	cpu->clock = MAX(cpu->clock, time);
	heap_insert(machine, cpu);
	if (machine->running)
		set_bounds(machine->running);
}

/* Between runs modelled code is set-up or taking down: it waits for nobody. */
static void unbound(struct machine *machine)
{
	u32 i;

	for (i = 0; i < machine->num_cpus; i++) {
		machine->cpus[i].next_key = TIME_NEVER;
		machine->cpus[i].horizon = TIME_NEVER;
		machine->cpus[i].due = TIME_NEVER;
		machine->cpus[i].limit = TIME_NEVER;
	}
}

void machine_begin(struct machine *machine)
{
	check_barrier(machine);
	machine_begin_again(machine);
}

void machine_begin_again(struct machine *machine)
{
	heap_renew(machine);
}

void machine_go_on(struct machine *machine, ps_t until)
{
	machine->until = until;
	this_cpu = &machine->cpus[0];
	cpu_go_on(machine, &machine->host);
}

void machine_end(struct machine *machine)
{
	machine->until = TIME_NEVER;
	check_order_all(machine);
	unbound(machine);
}

bool machine_run(struct machine *machine)
{
	struct cpu *before = this_cpu;

	machine_begin(machine);
	machine_go_on(machine, TIME_NEVER);
	machine_end(machine);
	this_cpu = before;
	return !*machine->live;
}
