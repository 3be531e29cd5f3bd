/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the caches hold, seen from outside: how it comes into being and goes,
 * the order of uses written anew, and whether words, tags and directory agree.
 */
#include <glib.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/cache.h"
#include "sim/machine.h"
#include "sim/request.h"

/* ---- the tick ---- */

static int compare_ticks(const void *a, const void *b)
{
	u32 x = **(u32 *const *)a & WORD_TICK, y = **(u32 *const *)b & WORD_TICK;

	return x < y ? -1 : x > y;
}

void cache_renew_ticks(struct core *core)
{
	u32 n = core->l1.sets * core->l1.ways, used = 0, tick = 0, last = 0;
	u32 **words = g_new(u32 *, 2 * (size_t)n), i, t;

	for (i = 0; i < n; i++)
		for (t = 0; core->l1.line[i] && t < core->num_cpus; t++)
			if (core->cpus[t]->words[core->l1.line[i]])
				words[used++] =
					&core->cpus[t]->words[core->l1.line[i]];
	qsort(words, used, sizeof(*words), compare_ticks);
	for (i = 0; i < used; i++) {
		u32 old = *words[i] & WORD_TICK;

		tick += old != last || !i;
		last = old;
		*words[i] = (*words[i] & ~WORD_TICK) | tick;
	}
	core->tick = tick + 1;
	for (t = 0; t < core->num_cpus; t++)
		core->cpus[t]->tick = core->tick;
	g_free(words);
}

/* ---- set-up ---- */

static size_t tags_bytes(const struct tags *tags)
{
	return (size_t)tags->sets * tags->stride * sizeof(*tags->line);
}

static void *map_array(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		g_error("cannot reserve %zu bytes of address space", bytes);
	return p;
}

/* Sets start at the host's lines: few of those hold a set. */
static void tags_init(struct tags *tags, const struct cache_profile *profile,
		      u32 spare)
{
	if (!profile->size)
		return;
	tags->ways = profile->ways;
	tags->sets = profile->size / LINE_SIZE / profile->ways;
	tags->reciprocal = UINT64_MAX / tags->sets + 1;
	tags->stride = tags->ways + spare;
	if (spare)
		tags->stride = (tags->stride + 15) & ~15u;
	tags->line = map_array(tags_bytes(tags));
}

static void tags_fini(struct tags *tags)
{
	if (tags->line)
		munmap(tags->line, tags_bytes(tags));
}

/*
 * The CPUs' words of one line would all fall on one set of the host's caches,
 * since the arrays start at pages: each starts a few host lines further on.
 */
#define WORDS_STAGGER (17 * 64 / sizeof(u32))

static u32 *words_of(u32 cpu, size_t n)
{
	u32 *map = map_array((n + cpu * WORDS_STAGGER) * sizeof(u32));

	return map + cpu * WORDS_STAGGER;
}

void cache_init(struct machine *machine)
{
	const struct machine_profile *profile = machine->profile;
	size_t n = machine->max_lines;
	u32 i;

	/* Reserved, not used: a page of them comes when it is touched. */
	machine->lines = map_array(n * sizeof(*machine->lines));
	machine->shared = map_array(n * sizeof(*machine->shared));
	for (i = 0; i < machine->num_cpus; i++)
		machine->cpus[i].words = words_of(i, n);
	for (i = 0; i < machine->num_cores; i++) {
		tags_init(&machine->cores[i].l1, &profile->l1d, 0);
		tags_init(&machine->cores[i].l2, &profile->l2, 4);
	}
	for (i = 0; i < profile->packages; i++)
		tags_init(&machine->l3[i], &profile->l3, 4);
}

void cache_fini(struct machine *machine)
{
	size_t n = machine->max_lines;
	u32 i;

	munmap(machine->lines, n * sizeof(*machine->lines));
	munmap(machine->shared, n * sizeof(*machine->shared));
	for (i = 0; i < machine->num_cpus; i++)
		munmap(machine->cpus[i].words - i * WORDS_STAGGER,
		       (n + i * WORDS_STAGGER) * sizeof(u32));
	for (i = 0; i < machine->num_cores; i++) {
		tags_fini(&machine->cores[i].l1);
		tags_fini(&machine->cores[i].l2);
	}
	for (i = 0; i < MAX_PACKAGES; i++)
		tags_fini(&machine->l3[i]);
}

const char *cache_verify_line(const struct machine *machine, u32 line)
{
	const struct line *l = &machine->lines[line];
	u64 cores = line_cores(machine, l);
	u32 i;

	if (l->owner && (l->owner > machine->num_cores ||
			 cores != 1ull << (l->owner - 1)))
		return "a line with an owner has another copy, or none there";
	for (i = 0; i < machine->num_cpus; i++) {
		const struct cpu *cpu = &machine->cpus[i];
		enum word_state state = word_state(cpu->words[line]);
		bool held = cores & core_bit(cpu->core);

		if (state && !held)
			return "a CPU's L1 holds a line that its core does not";
		if ((state == WORD_FILLING || state == WORD_OWNED_ORDERED ||
		     state >= WORD_EXCLUSIVE) && !line_owned_by(l, cpu->core) &&
		    state != WORD_FILLING)
			return "a CPU may write a line that it does not own";
		if (state >= WORD_EXCLUSIVE &&
		    (l->class != LINE_PRIVATE || l->cpu != i))
			return "a shared line may be written without order";
	}
	return NULL;
}
