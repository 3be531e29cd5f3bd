/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data races: found where nothing orders two accesses, and not where a lock, a
 * locked operation, a published pointer or a sequence counter does.
 */
#include "sim/check.h"
#include "support.h"

static struct machine *machine;
static struct cell *cells;

static void setup(void)
{
	static struct machine_profile profile;

	profile = small_profile(1, 4, 1);
	machine = support_machine(&profile, 1, true);
	cells = cells_new(machine, 0, 8);
	cells[0].semaphore.count = 1;
	share(machine, cells, 8);
}

static void teardown(void)
{
	g_clear_pointer(&cells, g_free);
	support_machine_free(machine);
}

/* Exactly this one. */
static void expect(const char *text)
{
	const char *const *findings = check_findings(machine->check);

	ck_assert_pstr_eq(findings[0], text);
	if (text)
		ck_assert_pstr_eq(findings[1], NULL);
}

static void expect_nothing(void)
{
	expect(NULL);
}

/* ---- two plain accesses ---- */

static void plain_write(void *arg)
{
	WRITE(&cells[0], value, (uintptr_t)arg);
}

static void plain_read(void *arg)
{
	(void)arg;
	READ(&cells[0], value);
}

static void late_write(void *arg)
{
	WORK(5000);
	plain_write(arg);
}

static void late_read(void *arg)
{
	WORK(5000);
	plain_read(arg);
}

START_TEST(test_race_of_writers)
{
	start(machine, 0, plain_write, NULL);
	start(machine, 1, late_write, NULL);
	run(machine);
	expect("data race on cell.value: plain_write and plain_write");
}
END_TEST

START_TEST(test_race_write_then_read)
{
	start(machine, 0, plain_write, NULL);
	start(machine, 1, late_read, NULL);
	run(machine);
	expect("data race on cell.value: plain_read and plain_write");
}
END_TEST

START_TEST(test_race_read_then_write)
{
	start(machine, 0, plain_read, NULL);
	start(machine, 1, late_write, NULL);
	run(machine);
	expect("data race on cell.value: plain_read and plain_write");
}
END_TEST

static void use_own_member(void *arg)
{
	if (arg)
		WRITE(&cells[0], value, 1);
	else
		WRITE(&cells[0], other, 1);
}

/* Readers, other members of the line, one CPU's own contexts, set-up code. */
START_TEST(test_no_race)
{
	this_cpu = &machine->cpus[3];
	WRITE(&cells[0], value, 1);
	start(machine, 0, plain_read, NULL);
	start(machine, 1, plain_read, NULL);
	run(machine);
	start(machine, 2, plain_write, NULL);
	start(machine, 2, plain_write, NULL);
	run(machine);
	start(machine, 0, use_own_member, NULL);
	start(machine, 1, use_own_member, machine);
	run(machine);
	expect_nothing();
}
END_TEST

/* ---- what orders, and what does not ---- */

/* The same shared counter, guarded in each way that there is. */
enum guard {
	GUARD_SPIN,
	GUARD_TRY,
	GUARD_WRITE_LOCK,
	GUARD_MUTEX,
	GUARD_SEMAPHORE,
	NUM_GUARDS
};

static void count_up(enum guard guard)
{
	struct cell *cell = &cells[0];

	switch (guard) {
	case GUARD_SPIN:
		SPIN_LOCK(cell, lock);
		UPDATE(&cells[2], value, += 1);
		SPIN_UNLOCK(cell, lock);
		break;
	case GUARD_TRY:
		if (!SPIN_TRYLOCK(cell, lock))
			break;
		UPDATE(&cells[2], value, += 1);
		SPIN_UNLOCK(cell, lock);
		break;
	case GUARD_WRITE_LOCK:
		WRITE_LOCK(cell, rwlock);
		UPDATE(&cells[2], value, += 1);
		WRITE_UNLOCK(cell, rwlock);
		READ_LOCK(cell, rwlock);
		READ(&cells[2], value);
		READ_UNLOCK(cell, rwlock);
		break;
	case GUARD_MUTEX:
		MUTEX_LOCK(cell, mutex);
		UPDATE(&cells[2], value, += 1);
		MUTEX_UNLOCK(cell, mutex);
		break;
	default:
		DOWN(cell, semaphore);
		UPDATE(&cells[2], value, += 1);
		UP(cell, semaphore);
		break;
	}
}

static void guarded_count(void *arg)
{
	struct random_stream stream;
	u32 i;

	random_seed(&stream, 19, "guard", this_cpu->id);
	for (i = 0; i < 50; i++) {
		count_up(*(enum guard *)arg);
		WORK(random_below(&stream, 300));
	}
}

START_TEST(test_locks_order_accesses)
{
	enum guard guard = _i;
	u32 i;

	for (i = 0; i < 4; i++)
		start(machine, i, guarded_count, &guard);
	if (guard == GUARD_MUTEX || guard == GUARD_SEMAPHORE)
		for (i = 0; i < 4; i++)
			start(machine, i, guarded_count, &guard);
	run(machine);
	ck_assert_uint_gt(cells[2].value, 50);
	expect_nothing();
}
END_TEST

/* A reader's lock orders no two writers. */
static void write_under_read_lock(void *arg)
{
	(void)arg;
	READ_LOCK(&cells[0], rwlock);
	WRITE(&cells[2], value, 1);
	WORK(100);
	READ_UNLOCK(&cells[0], rwlock);
}

static void write_without_lock(void *arg)
{
	WORK(30);
	WRITE(&cells[2], value, (uintptr_t)arg);
}

START_TEST(test_race_beside_a_lock)
{
	start(machine, 0, write_under_read_lock, NULL);
	start(machine, 1, write_without_lock, NULL);
	run(machine);
	expect("data race on cell.value: write_under_read_lock and "
	       "write_without_lock");
}
END_TEST

/* Two locks that have nothing to do with each other. */
static void write_under_own_lock(void *arg)
{
	struct cell *lock = &cells[arg ? 0 : 1];

	SPIN_LOCK(lock, lock);
	WRITE(&cells[2], value, 1);
	SPIN_UNLOCK(lock, lock);
}

START_TEST(test_race_under_different_locks)
{
	start(machine, 0, write_under_own_lock, NULL);
	start(machine, 1, write_under_own_lock, machine);
	run(machine);
	expect("data race on cell.value: write_under_own_lock and "
	       "write_under_own_lock");
}
END_TEST

static void publish(void *arg)
{
	bool once = arg;

	WRITE(&cells[2], value, 42);
	if (once)
		WRITE_ONCE(&cells[3], value, 1);
	else
		ATOMIC_INC(&cells[3], value);
}

static void subscribe(void *arg)
{
	bool once = arg;
	u64 seen = 0;

	while (!seen) {
		WORK(10);
		if (once)
			seen = READ_ONCE(&cells[3], value);
		else
			seen = ATOMIC_ADD_RETURN(&cells[3], value, 0);
	}
	must(READ(&cells[2], value) == 42);
}

/* Two readers wait for the pointer, busily, from before it is there. */
START_TEST(test_publication_orders)
{
	void *once = _i ? machine : NULL;

	start(machine, 0, subscribe, once);
	start(machine, 1, publish, once);
	start(machine, 2, subscribe, once);
	run(machine);
	expect_nothing();
}
END_TEST

static void publish_too_early(void *arg)
{
	(void)arg;
	WRITE_ONCE(&cells[3], value, 1);
	WRITE(&cells[2], value, 42);
	WORK(1000);
}

static void subscribe_late(void *arg)
{
	(void)arg;
	WORK(500);
	READ_ONCE(&cells[3], value);
	READ(&cells[2], value);
}

START_TEST(test_race_of_early_publication)
{
	start(machine, 0, publish_too_early, NULL);
	start(machine, 1, subscribe_late, NULL);
	run(machine);
	expect("data race on cell.value: publish_too_early and "
	       "subscribe_late");
}
END_TEST

static void marked_write(void *arg)
{
	WRITE_ONCE(&cells[0], value, (uintptr_t)arg);
}

static void marked_read(void *arg)
{
	(void)arg;
	READ_ONCE(&cells[0], value);
}

START_TEST(test_marked_accesses_may_race)
{
	start(machine, 0, marked_write, NULL);
	start(machine, 1, marked_write, NULL);
	start(machine, 2, marked_read, NULL);
	run(machine);
	expect_nothing();
}
END_TEST

static void seq_writer(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < 50; i++) {
		WRITE_SEQBEGIN(&cells[0], seq);
		UPDATE(&cells[2], value, += 1);
		WORK(30);
		WRITE_SEQEND(&cells[0], seq);
		WORK(100);
	}
}

static void seq_reader(void *arg)
{
	u32 i, count;

	(void)arg;
	for (i = 0; i < 50; i++)
		do {
			count = READ_SEQBEGIN(&cells[0], seq);
			READ(&cells[2], value);
			WORK(10);
		} while (READ_SEQRETRY(&cells[0], seq, count));
}

START_TEST(test_sequence_counter_orders)
{
	start(machine, 0, seq_writer, NULL);
	start(machine, 1, seq_reader, NULL);
	run(machine);
	expect_nothing();
	/* ... but only what is read between begin and retry. */
	start(machine, 1, plain_read, NULL);
	start(machine, 2, late_write, NULL);
	run(machine);
	expect("data race on cell.value: plain_read and plain_write");
}
END_TEST

static void write_own_bytes(void *arg)
{
	(void)arg;
	WRITE_BYTES(&cells[0], bytes, this_cpu->id * 16, 16);
}

/* Elements of an array are different words; a site does not say which. */
START_TEST(test_bytes_are_not_one_word)
{
	start(machine, 0, write_own_bytes, NULL);
	start(machine, 1, write_own_bytes, NULL);
	run(machine);
	expect_nothing();
}
END_TEST

static void live_and_die(void *arg)
{
	struct cell *cell = arg;

	cell_init(cell, cell->object.line);
	check_object_alloc(machine, &cell->object, sizeof(*cell));
	READ(cell, value);
	WRITE(cell, other, 1);
	check_object_free(machine, &cell->object, false);
}

static void live_and_die_later(void *arg)
{
	WORK(5000);
	cpu_wait_turn(this_cpu);
	live_and_die(arg);
}

/* The same memory is another object's: nothing of the old one counts. */
START_TEST(test_new_object_in_old_memory)
{
	start(machine, 0, live_and_die, &cells[5]);
	start(machine, 1, live_and_die_later, &cells[5]);
	run(machine);
	expect_nothing();
}
END_TEST

Suite *suite_race(void)
{
	const TTest *const tests[] = {
		test_race_of_writers,
		test_race_write_then_read,
		test_race_read_then_write,
		test_no_race,
		test_race_beside_a_lock,
		test_race_under_different_locks,
		test_race_of_early_publication,
		test_marked_accesses_may_race,
		test_sequence_counter_orders,
		test_bytes_are_not_one_word,
		test_new_object_in_old_memory,
		NULL,
	};
	Suite *suite = support_suite("race", tests, setup, teardown);
	TCase *tcase = tcase_create("order");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_locks_order_accesses, 0, NUM_GUARDS);
	tcase_add_loop_test(tcase, test_publication_orders, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}
