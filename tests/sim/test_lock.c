/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks: one at a time in the order of the host and of virtual time, first
 * come first served, and waiting that costs what it should.
 */
#include "support.h"

enum kind {
	TICKET,
	QUEUED,
	TRYLOCK,
	WRITERS,
	MUTEX,
	SEMAPHORE,
	NUM_KINDS
};

static void take(struct cell *cell, enum kind kind)
{
	switch (kind) {
	case TICKET:
	case QUEUED:
		SPIN_LOCK(cell, lock);
		break;
	case TRYLOCK:
		while (!SPIN_TRYLOCK(cell, lock))
			WORK(25);
		break;
	case WRITERS:
		WRITE_LOCK(cell, rwlock);
		break;
	case MUTEX:
		MUTEX_LOCK(cell, mutex);
		break;
	default:
		DOWN(cell, semaphore);
		break;
	}
}

static void give_back(struct cell *cell, enum kind kind)
{
	switch (kind) {
	case TICKET:
	case QUEUED:
	case TRYLOCK:
		SPIN_UNLOCK(cell, lock);
		break;
	case WRITERS:
		WRITE_UNLOCK(cell, rwlock);
		break;
	case MUTEX:
		MUTEX_UNLOCK(cell, mutex);
		break;
	default:
		UP(cell, semaphore);
		break;
	}
}

/* ---- one at a time ---- */

struct guarded {
	struct cell *cells;	/* the lock's and the data's */
	enum kind kind;
	u32 rounds;
	bool inside;
	ps_t last_left;
};

static void one_round(struct guarded *g, struct random_stream *stream)
{
	struct cell *data = &g->cells[1];
	u64 value;
	FUNCTION(one_round);

	WORK(random_below(stream, 400));
	take(&g->cells[0], g->kind);
	must(!g->inside);
	must(this_cpu->clock >= g->last_left);
	g->inside = true;
	value = READ(data, value);
	WORK(random_below(stream, 60));
	WRITE(data, value, value + 1);
	g->inside = false;
	g->last_left = this_cpu->clock;
	give_back(&g->cells[0], g->kind);
}

static void rounds(void *arg)
{
	struct guarded *g = arg;
	struct random_stream stream;
	u32 i;

	random_seed(&stream, 13, "lock", this_cpu->id);
	for (i = 0; i < g->rounds; i++)
		one_round(g, &stream);
}

static struct machine *lock_machine(u32 packages, u32 cores, enum kind kind,
				    struct cell **cells)
{
	static struct machine_profile profile;
	struct machine *machine;

	profile = small_profile(packages, cores, 1);
	machine = support_machine(&profile, 1, false);
	machine->spin_locks_queued = kind == QUEUED;
	*cells = cells_new(machine, 0, 2);
	(*cells)[0].semaphore.count = 1;
	share(machine, *cells, 2);
	return machine;
}

static ps_t last_clock(const struct machine *machine)
{
	ps_t last = 0;
	u32 i;

	for (i = 0; i < machine->num_cpus; i++)
		last = MAX(last, machine->cpus[i].clock);
	return last;
}

static void exclude(enum kind kind, u32 packages, u32 cores, u32 contexts)
{
	struct guarded g = { .kind = kind, .rounds = 300 };
	struct machine *machine = lock_machine(packages, cores, kind, &g.cells);
	u32 i, n = machine->num_cpus * contexts;

	for (i = 0; i < n; i++)
		start(machine, i % machine->num_cpus, rounds, &g);
	run(machine);
	ck_assert_uint_eq(g.cells[1].value, (u64)n * g.rounds);
	verify_lines(machine, g.cells[0].object.line, 2);
	if (kind != SEMAPHORE) {
		struct lock_count c = locks_of(machine, "take", NULL);

		ck_assert_uint_eq(c.acquired, (u64)n * g.rounds);
		ck_assert(kind == TRYLOCK || c.contended > 0);
		ck_assert_uint_le(c.hold_ps, last_clock(machine));
	}
	g_free(g.cells);
	support_machine_free(machine);
}

START_TEST(test_mutual_exclusion)
{
	exclude(_i, 1, 2, 1);
	exclude(_i, 1, 8, 1);
	exclude(_i, 2, 6, 1);
	if (_i == MUTEX || _i == SEMAPHORE)
		exclude(_i, 1, 4, 3);
}
END_TEST

static void take_and_give_back(void *arg)
{
	struct guarded *g = arg;
	u32 i;

	for (i = 0; i < g->rounds; i++) {
		take(&g->cells[0], g->kind);
		must(!g->inside);
		must(this_cpu->clock >= g->last_left);
		g->last_left = this_cpu->clock;
		give_back(&g->cells[0], g->kind);
	}
}

/* Given back as soon as it is taken, by two packages: nothing but the lock's
 * line keeps the owners apart. */
START_TEST(test_held_for_no_time)
{
	struct guarded g = { .kind = _i, .rounds = 300 };
	struct machine *machine = lock_machine(2, 6, _i, &g.cells);
	u32 i;

	for (i = 0; i < 12; i++)
		start(machine, i, take_and_give_back, &g);
	run(machine);
	verify_lines(machine, g.cells[0].object.line, 1);
	g_free(g.cells);
	support_machine_free(machine);
}
END_TEST

/* ---- first come, first served ---- */

struct queue {
	struct cell *cell;
	enum kind kind;
	u32 delay[12];
	u32 order[12];
	u32 used;
};

static void stand_in_line(void *arg)
{
	struct queue *q = arg;
	u32 id = this_cpu->id;

	WORK(q->delay[id]);
	take(q->cell, q->kind);
	q->order[q->used++] = id;
	WORK(50000);
	give_back(q->cell, q->kind);
}

/* CPU 0 comes first and holds it for long; the others come one after another,
 * but not in the order of their numbers. */
START_TEST(test_fifo)
{
	struct queue q = { .kind = _i };
	struct machine *machine = lock_machine(1, 12, q.kind, &q.cell);
	u32 i;

	for (i = 0; i < 12; i++) {
		q.delay[i] = i * 7 % 12 * 500;
		start(machine, i, stand_in_line, &q);
	}
	run(machine);
	ck_assert_uint_eq(q.used, 12);
	for (i = 0; i < 12; i++)
		ck_assert_uint_eq(q.delay[q.order[i]], i * 500);
	g_free(q.cell);
	support_machine_free(machine);
}
END_TEST

/* ---- reader-writer locks ---- */

struct rw {
	struct cell *cells;
	u32 readers, writers, most_readers;
	ps_t writer_left;
	bool only_readers;
};

static void rw_round(struct rw *rw, struct random_stream *stream)
{
	struct cell *lock = &rw->cells[0], *data = &rw->cells[1];
	FUNCTION(rw_round);

	WORK(random_below(stream, 300));
	if (rw->only_readers || random_below(stream, 5)) {
		READ_LOCK(lock, rwlock);
		rw->readers++;
		must(!rw->writers);
		must(this_cpu->clock >= rw->writer_left);
		rw->most_readers = MAX(rw->most_readers, rw->readers);
		WORK(200);
		READ(data, value);
		must(!rw->writers);
		rw->readers--;
		READ_UNLOCK(lock, rwlock);
	} else {
		WRITE_LOCK(lock, rwlock);
		rw->writers++;
		must(rw->writers == 1 && !rw->readers);
		WORK(100);
		UPDATE(data, value, += 1);
		must(rw->writers == 1 && !rw->readers);
		rw->writers--;
		rw->writer_left = this_cpu->clock;
		WRITE_UNLOCK(lock, rwlock);
	}
}

static void rw_rounds(void *arg)
{
	struct random_stream stream;
	u32 i;

	random_seed(&stream, 17, "rwlock", this_cpu->id);
	for (i = 0; i < 400; i++)
		rw_round(arg, &stream);
}

START_TEST(test_readers_together_writer_alone)
{
	struct rw rw = { .only_readers = false };
	struct machine *machine = lock_machine(2, 4, WRITERS, &rw.cells);
	struct lock_count c;
	u32 i;

	for (i = 0; i < 8; i++)
		start(machine, i, rw_rounds, &rw);
	run(machine);
	ck_assert_uint_ge(rw.most_readers, 3);
	c = locks_of(machine, "rw_round", "rwlock");
	ck_assert_uint_eq(c.acquired, 8 * 400);
	ck_assert_uint_gt(c.contended, 0);
	ck_assert_uint_gt(c.wait_ps, 0);
	/* It was not held for longer than there was time. */
	ck_assert_uint_gt(c.hold_ps, 0);
	ck_assert_uint_le(c.hold_ps, last_clock(machine));
	g_free(rw.cells);
	support_machine_free(machine);
}
END_TEST

START_TEST(test_readers_do_not_wait_for_readers)
{
	struct rw rw = { .only_readers = true };
	struct machine *machine = lock_machine(2, 4, WRITERS, &rw.cells);
	struct lock_count c;
	u32 i;

	for (i = 0; i < 8; i++)
		start(machine, i, rw_rounds, &rw);
	run(machine);
	c = locks_of(machine, "rw_round", "rwlock");
	ck_assert_uint_eq(c.contended, 0);
	ck_assert_uint_eq(c.wait_ps, 0);
	ck_assert_uint_ge(rw.most_readers, 3);
	g_free(rw.cells);
	support_machine_free(machine);
}
END_TEST

/* ---- what waiting costs ---- */

struct holder {
	struct cell *cell;
	enum kind kind;
	u32 delay, hold;
	ps_t asked, got;
};

static void hold(void *arg)
{
	struct holder *h = arg;

	WORK(h->delay);
	h->asked = this_cpu->clock;
	take(h->cell, h->kind);
	h->got = this_cpu->clock;
	WORK(h->hold);
	give_back(h->cell, h->kind);
}

START_TEST(test_waiting_is_accounted)
{
	struct holder a = { .kind = _i, .hold = 10000 };
	struct holder b = { .kind = _i, .delay = 1000, .hold = 2000 };
	struct machine *machine = lock_machine(1, 2, _i, &a.cell);
	ps_t move = load_ps(machine, LEVEL_OTHER_CORE_HITM) +
		    machine->profile->atomic_ps;
	struct lock_count c;

	b.cell = a.cell;
	start(machine, 0, hold, &a);
	start(machine, 1, hold, &b);
	run(machine);
	ck_assert_uint_eq(a.got, move);
	/* From the moment it is free, and two transfers at most. */
	ck_assert_uint_ge(b.got, a.got + 10000000);
	ck_assert_uint_le(b.got, a.got + 10000000 + 2 * move);
	c = locks_of(machine, "take", NULL);
	if (_i == SEMAPHORE) {
		g_free(a.cell);
		support_machine_free(machine);
		return;		/* nobody holds a semaphore */
	}
	ck_assert_uint_eq(c.acquired, 2);
	ck_assert_uint_eq(c.contended, 1);
	/* The locked operation itself is no waiting. */
	ck_assert_uint_eq(c.wait_ps, b.got - b.asked - move);
	ck_assert_uint_ge(c.hold_ps, 12000000);
	ck_assert_uint_le(c.hold_ps, 12000000 + 3 * move);
	g_free(a.cell);
	support_machine_free(machine);
}
END_TEST

/* A spinning CPU's wait is a stall of the function that spins. */
static void spin_in_function(void *arg)
{
	FUNCTION(spin_in_function);
	hold(arg);
}

START_TEST(test_spinning_is_a_stall)
{
	struct holder a = { .kind = TICKET, .hold = 10000 };
	struct holder b = { .kind = TICKET, .delay = 1000, .hold = 2000 };
	struct machine *machine = lock_machine(1, 2, TICKET, &a.cell);
	const struct call_node *node;

	b.cell = a.cell;
	start(machine, 0, hold, &a);
	start(machine, 1, spin_in_function, &b);
	run(machine);
	node = account_root(&machine->account, "test")->first;
	ck_assert_uint_eq(node->stall_ps, machine->cpus[1].clock -
			  node->instruction_ps);
	ck_assert_uint_ge(node->stall_ps, 9000000);
	g_free(a.cell);
	support_machine_free(machine);
}
END_TEST

/* Of the lock's line: nothing but the lock's word is touched on it. */
static u64 misses_of_lock(const struct machine *machine)
{
	const char *const functions[] = { "take", "give_back" };
	u64 sum = 0;
	u32 i, level;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		struct site_count c = sites_of(machine, functions[i], "lock",
					       NUM_ACCESS_KINDS);

		for (level = LEVEL_L3_HIT; level < NUM_LEVEL; level++)
			sum += c.level[level];
	}
	return sum;
}

static u64 misses_with_waiters(enum kind kind)
{
	struct guarded g = { .kind = kind, .rounds = 100 };
	struct machine *machine = lock_machine(1, 9, kind, &g.cells);
	u64 misses;
	u32 i;

	for (i = 0; i < 9; i++)
		start(machine, i, rounds, &g);
	run(machine);
	misses = misses_of_lock(machine);
	g_free(g.cells);
	support_machine_free(machine);
	return misses;
}

/* With a ticket lock each release makes all that wait fetch the line. */
START_TEST(test_queued_lock_moves_its_line_less)
{
	u64 ticket = misses_with_waiters(TICKET);
	u64 queued = misses_with_waiters(QUEUED);

	/* One to ask, one to see that it has been given, one to give on. */
	ck_assert_uint_le(queued, 900 * 3 + 10);
	ck_assert_uint_ge(queued, 900);
	ck_assert_uint_ge(ticket, 2 * queued);
}
END_TEST

START_TEST(test_trylock)
{
	struct cell *cell;
	struct machine *machine = lock_machine(1, 2, TICKET, &cell);

	this_cpu = &machine->cpus[0];
	ck_assert(SPIN_TRYLOCK(cell, lock));
	this_cpu = &machine->cpus[1];
	ck_assert(!SPIN_TRYLOCK(cell, lock));
	ck_assert(SPIN_TRYLOCK(cell, inner));
	this_cpu = &machine->cpus[0];
	SPIN_UNLOCK(cell, lock);
	this_cpu = &machine->cpus[1];
	ck_assert(SPIN_TRYLOCK(cell, lock));
	SPIN_UNLOCK(cell, lock);
	SPIN_UNLOCK(cell, inner);
	g_free(cell);
	support_machine_free(machine);
}
END_TEST

/* ---- sleeping ---- */

static void other_work(void *arg)
{
	WORK(3000);
	*(ps_t *)arg = this_cpu->clock;
}

/* While one sleeps for the lock, its CPU does other things. */
START_TEST(test_waiter_sleeps)
{
	enum kind kind = _i ? SEMAPHORE : MUTEX;
	struct holder a = { .kind = kind, .hold = 10000 };
	struct holder b = { .kind = kind, .delay = 1000, .hold = 2000 };
	struct machine *machine = lock_machine(1, 2, kind, &a.cell);
	ps_t other = 0;

	b.cell = a.cell;
	start(machine, 0, hold, &a);
	start(machine, 1, hold, &b);
	start(machine, 1, other_work, &other);
	run(machine);
	ck_assert_uint_ge(other, b.asked + 3000000);
	ck_assert_uint_lt(other, 5000000);
	ck_assert_uint_ge(b.got, a.got + 10000000);
	g_free(a.cell);
	support_machine_free(machine);
}
END_TEST

struct counted {
	struct cell *cell;
	u32 inside, most;
};

static void use_resource(void *arg)
{
	struct counted *c = arg;
	u32 i;

	for (i = 0; i < 50; i++) {
		DOWN(c->cell, semaphore);
		c->inside++;
		must(c->inside <= 3);
		c->most = MAX(c->most, c->inside);
		WORK(700);
		READ(c->cell, other);
		c->inside--;
		UP(c->cell, semaphore);
	}
}

START_TEST(test_semaphore_counts)
{
	struct counted c = { .inside = 0 };
	struct machine *machine = lock_machine(1, 8, SEMAPHORE, &c.cell);
	u32 i;

	c.cell->semaphore.count = 3;
	for (i = 0; i < 16; i++)
		start(machine, i % 8, use_resource, &c);
	run(machine);
	ck_assert_uint_eq(c.most, 3);
	ck_assert_uint_eq(c.cell->semaphore.count, 3);
	g_free(c.cell);
	support_machine_free(machine);
}
END_TEST

/* ---- sequence counters ---- */

struct seq {
	struct cell *cells;	/* the counter with `value`, and another line */
	u32 retries, reads;
};

static void seq_write(void *arg)
{
	struct seq *s = arg;
	u32 i;

	for (i = 0; i < 300; i++) {
		SPIN_LOCK(&s->cells[0], lock);
		WRITE_SEQBEGIN(&s->cells[0], seq);
		UPDATE(&s->cells[0], value, += 1);
		WORK(40);
		UPDATE(&s->cells[1], value, += 1);
		WRITE_SEQEND(&s->cells[0], seq);
		SPIN_UNLOCK(&s->cells[0], lock);
		WORK(150);
	}
}

static void seq_read(void *arg)
{
	struct seq *s = arg;
	u32 i, start_count;
	u64 a, b;

	for (i = 0; i < 300; i++) {
		for (;;) {
			start_count = READ_SEQBEGIN(&s->cells[0], seq);
			a = READ(&s->cells[0], value);
			WORK(20);
			b = READ(&s->cells[1], value);
			if (!READ_SEQRETRY(&s->cells[0], seq, start_count))
				break;
			s->retries++;
		}
		must(a == b);
		s->reads++;
	}
}

START_TEST(test_seqlock)
{
	struct seq s = { .retries = 0 };
	struct machine *machine = lock_machine(2, 3, TICKET, &s.cells);
	u32 i;

	for (i = 0; i < 6; i++)
		start(machine, i, i < 2 ? seq_write : seq_read, &s);
	run(machine);
	ck_assert_uint_eq(s.reads, 4 * 300);
	ck_assert_uint_gt(s.retries, 50);
	ck_assert_uint_eq(s.cells[0].seq.sequence, 2 * 600);
	ck_assert_uint_eq(s.cells[0].value, 600);
	g_free(s.cells);
	support_machine_free(machine);
}
END_TEST

/* ---- deadlock ---- */

static void lock_both(struct cell *first, struct cell *second, enum kind kind)
{
	take(first, kind);
	WORK(1000);
	take(second, kind);
}

static void lock_up(void *arg)
{
	lock_both(&((struct cell *)arg)[0], &((struct cell *)arg)[1],
		  TICKET);
}

static void lock_down(void *arg)
{
	lock_both(&((struct cell *)arg)[1], &((struct cell *)arg)[0],
		  TICKET);
}

START_TEST(test_deadlock_of_spinning_cpus)
{
	struct cell *cells;
	struct machine *machine = lock_machine(1, 2, TICKET, &cells);

	start(machine, 0, lock_up, cells);
	start(machine, 1, lock_down, cells);
	ck_assert(!machine_run(machine));
	g_free(cells);
	support_machine_free(machine);
}
END_TEST

static void take_twice(void *arg)
{
	lock_both(arg, arg, MUTEX);
}

START_TEST(test_deadlock_with_oneself)
{
	struct cell *cells;
	struct machine *machine = lock_machine(1, 2, MUTEX, &cells);

	start(machine, 0, take_twice, cells);
	ck_assert(!machine_run(machine));
	g_free(cells);
	support_machine_free(machine);
}
END_TEST

Suite *suite_lock(void)
{
	const TTest *const tests[] = {
		test_readers_together_writer_alone,
		test_readers_do_not_wait_for_readers,
		test_spinning_is_a_stall,
		test_queued_lock_moves_its_line_less,
		test_trylock,
		test_semaphore_counts,
		test_seqlock,
		test_deadlock_of_spinning_cpus,
		test_deadlock_with_oneself,
		NULL,
	};
	Suite *suite = support_suite("lock", tests, NULL, NULL);
	TCase *tcase = tcase_create("kinds");

	tcase_add_loop_test(tcase, test_mutual_exclusion, 0, NUM_KINDS);
	tcase_add_loop_test(tcase, test_held_for_no_time, 0, NUM_KINDS);
	tcase_add_loop_test(tcase, test_fifo, TICKET, QUEUED + 1);
	tcase_add_loop_test(tcase, test_fifo, WRITERS, NUM_KINDS);
	tcase_add_loop_test(tcase, test_waiting_is_accounted, TICKET,
			    QUEUED + 1);
	tcase_add_loop_test(tcase, test_waiting_is_accounted, WRITERS,
			    NUM_KINDS);
	tcase_add_loop_test(tcase, test_waiter_sleeps, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}
