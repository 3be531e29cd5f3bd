/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs and what runs on them, in conservative order of time.
 *
 * The CPU with the smallest (clock, id) goes on, and an event happens before
 * any CPU whose clock has reached its time.  A context need not stop at each
 * step: it runs until it wants something that others could see or change.
 * Then it waits until it is the earliest, or, for reading a line that it
 * holds, until nobody is further behind than the look-ahead.
 */
#ifndef SIM_CPU_H
#define SIM_CPU_H

#include "sim/machine.h"

/* One thread of control on a CPU.  Contexts of a CPU take turns as they
 * block; whose turn it is and time slices are the scheduler's business. */
struct context {
	struct coroutine co;
	struct cpu *cpu;
	struct context *next;
	struct call_node *node;
	const char *name;
	void (*fn)(void *arg);
	void *arg;
	void *owner;		/* what the stack runs here: its task */
	ps_t ready;		/* woken at this time: it runs no earlier */
	u64 rank;		/* of those that are ready the least runs; of
				 * equal ones who was woken first */
	bool queued;		/* it could run */
	bool on_rq;		/* the stack's: the kernel counts it so */
	u64 allowed[MAX_CPUS / 64];	/* the CPUs that it may run on; none:
					 * all */
	ps_t since, ran;	/* on a CPU since then, and in all before */
	ps_t started, finished;
	bool is_finished;
	u32 atomic;		/* spin locks held: it may not sleep */
	u32 rcu_nesting;	/* sections of RCU readers it is in */
	u32 rcu_sections;	/* outermost ones that it has left */
	ps_t user_since;	/* in user mode since then; TIME_NEVER: not */
	bool seq_read;		/* between READ_SEQBEGIN and RETRY */
};

/* An interrupt; the memory is its owner's.  It must not be raised while it is
 * pending. */
struct irq {
	struct irq *next;
	ps_t time;
	const char *name;
	void (*fn)(struct cpu *cpu, void *arg);
	void *arg;
	bool pending;
	bool is_whole;		/* its functions' cost has the hardware's part
				 * in it */
};

/*
 * What a kernel does where contexts change.  leave: the running context stops,
 * for it sleeps, or is in line again (queued).  enter: the idle loop has found
 * one to run.  wake: one that sleeps is to run, on a CPU of the kernel's choice.
 * preempt: the running context, in user mode, is to let others go first.  idle:
 * a CPU falls asleep or has woken up.
 */
struct sched_hooks {
	void (*leave)(struct cpu *cpu);
	void (*enter)(struct cpu *cpu, struct context *next);
	void (*wake)(struct context *context);
	void (*preempt)(void);
	void (*idle)(struct cpu *cpu, bool asleep);
};

void cpu_init(struct machine *machine);
void cpu_fini(struct machine *machine);

/* Makes a context that will run fn(arg) on a CPU, from time 0 or as soon as
 * the CPU is free; free with context_free() after the run. */
struct context *context_new(struct cpu *cpu, const char *name,
			    void (*fn)(void *), void *arg);
/* A thread of the kernel's own: asleep until it is woken, and no run waits for
 * its end. */
struct context *context_new_daemon(struct cpu *cpu, const char *name,
				   void (*fn)(void *), void *arg);
void context_free(struct context *context);

/* Runs until every context has finished.  False: it could not, since all
 * that are left wait for each other (a deadlock of the modelled code). */
bool machine_run(struct machine *machine);

/* The same in pieces, for several machines in one simulation (world.h): a
 * machine goes on while it has something to do before `until`. */
void machine_begin(struct machine *machine);
/* After its end: --check takes both for one run. */
void machine_begin_again(struct machine *machine);
void machine_go_on(struct machine *machine, ps_t until);
void machine_end(struct machine *machine);
/* When it has something to do next; TIME_NEVER: not by itself. */
ps_t machine_next(const struct machine *machine);
/* Lowers `until` while the machine runs. */
void machine_bound(struct machine *machine, ps_t until);

/* An event that CPUs must not run past; see engine_add(). */
event_id machine_at(struct machine *machine, ps_t time, enum event_class class,
		    u32 target, u32 source, event_fn fn, void *arg);

/* The running context waits until its CPU is the earliest of all. */
void cpu_wait_turn_slow(struct cpu *cpu);
void cpu_wait_horizon_slow(struct cpu *cpu);

static inline u64 cpu_key(const struct cpu *cpu)
{
	return cpu->clock << 8 | (cpu->id + 1);
}

static inline void cpu_wait_turn(struct cpu *cpu)
{
	if (cpu_key(cpu) > cpu->next_key)
		cpu_wait_turn_slow(cpu);
}

static inline void cpu_wait_horizon(struct cpu *cpu)
{
	if (cpu->clock > cpu->horizon)
		cpu_wait_horizon_slow(cpu);
}

/* The hardware's own time, a stall of the running function; `count` is 0 for
 * what goes with a part that was counted. */
static inline void cpu_hardware(struct cpu *cpu, enum hardware_kind kind,
				ps_t ps, u32 count)
{
	struct hardware_count *c = &cpu->machine->account.hardware[kind];

	cpu->clock += ps;
	cpu->node->stall_ps += ps;
	c->count += count;
	c->ps += ps;
}

/* Looks for events that are due and interrupts that are pending. */
void cpu_service(struct cpu *cpu);
/* The same where cpu->node has just been entered. */
void cpu_called(struct cpu *cpu);

/* Raises an interrupt on a CPU: taken at the next function call after `time`
 * with interrupts enabled, or at once when the CPU is idle. */
void cpu_raise(struct cpu *cpu, struct irq *irq, ps_t time);
void cpu_irq_disable(struct cpu *cpu);
void cpu_irq_enable(struct cpu *cpu);
/* What an interrupt has left to do is done with interrupts enabled: others may
 * come in between these two.  Gives what the second one takes. */
u32 cpu_irq_open(struct cpu *cpu);
void cpu_irq_close(struct cpu *cpu, u32 in_irq);

/* The running context sleeps until context_wake(); its CPU goes on with
 * another, or idles. */
void context_block(void);
void context_wake(struct context *context, ps_t time);
/* The same by way of the kernel's scheduler, if there is one. */
void context_wake_up(struct context *context);
/* Who would run next on a CPU; NULL: nobody is ready. */
struct context *context_next(const struct cpu *cpu);
/* The running context lets those go first that are ready to run. */
void context_yield(void);
/* Another CPU for one that sleeps. */
void context_migrate(struct context *context, struct cpu *cpu);
/* It may run on this CPU only. */
void context_pin(struct context *context, const struct cpu *cpu);
bool context_is_pinned(const struct context *context);
bool context_may_run(const struct context *context, const struct cpu *cpu);
/* How long it has had a CPU, in all. */
ps_t context_ran(const struct context *context);

/* A CPU that spins: it does nothing until cpu_resume(), then goes on at that
 * time or its own, whichever is later. */
void cpu_pause(struct cpu *cpu);
void cpu_resume(struct cpu *cpu, ps_t time);

#endif
