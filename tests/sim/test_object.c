/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layouts: from a member of a C struct to a line of the modelled kernel. */
#include "support.h"

struct thing {
	struct object object;
	u32 a;
	u32 b;
	u64 c[4];
	u32 nowhere;
};

#define PLACE(member, offset) \
	object_type_place(&type, offsetof(struct thing, member), \
			  sizeof(((struct thing *)0)->member), offset)

static struct object_type make_type(void)
{
	struct object_type type;

	object_type_init(&type, "thing", sizeof(struct thing), 320);
	PLACE(a, 0);
	PLACE(b, 60);
	PLACE(c, 120);
	return type;
}

START_TEST(test_member_lines)
{
	struct object_type type = make_type();
	struct thing thing = { .a = 0 };

	object_init(&thing.object, &type, 0x10000);
	ck_assert_uint_eq(thing.object.line, 0x400);
	ck_assert_uint_eq(thing.object.state, OBJECT_ALIVE);
	ck_assert_ptr_eq(thing.object.type, &type);
	ck_assert_uint_eq(MEMBER_LINE(&thing, a), 0x400);
	ck_assert_uint_eq(MEMBER_LINE(&thing, b), 0x400);
	ck_assert_uint_eq(MEMBER_LINE(&thing, c), 0x401);
	/* All of a member is charged where it begins. */
	ck_assert_uint_eq(MEMBER_LINE(&thing, c[3]), 0x401);
	ck_assert_uint_eq(thing.object.table[offsetof(struct thing, nowhere)],
			  NO_LINE);
	ck_assert_uint_eq(type.offsets[offsetof(struct thing, b)], 60);
	ck_assert_uint_eq(type.offsets[offsetof(struct thing, c)], 120);
	object_type_fini(&type);
}
END_TEST

START_TEST(test_every_skew)
{
	struct object_type type = make_type();
	u32 skew;

	for (skew = 0; skew < LINE_SIZE; skew += SKEW_BYTES) {
		u64 address = 0x20000 + skew;
		struct thing thing;

		object_init(&thing.object, &type, address);
		ck_assert_uint_eq(object_address(&thing.object), address);
		ck_assert_uint_eq(MEMBER_LINE(&thing, a),
				  address >> LINE_SHIFT);
		ck_assert_uint_eq(MEMBER_LINE(&thing, b),
				  (address + 60) >> LINE_SHIFT);
		ck_assert_uint_eq(MEMBER_LINE(&thing, c),
				  (address + 120) >> LINE_SHIFT);
	}
	object_type_fini(&type);
}
END_TEST

/* A layout override moves one member, even beyond the kernel's size. */
START_TEST(test_place_again)
{
	struct object_type type = make_type();
	struct thing thing;

	PLACE(b, 512);
	object_init(&thing.object, &type, 0x10000);
	ck_assert_uint_eq(MEMBER_LINE(&thing, a), 0x400);
	ck_assert_uint_eq(MEMBER_LINE(&thing, b), 0x408);
	ck_assert_uint_eq(MEMBER_LINE(&thing, c), 0x401);
	object_type_fini(&type);
}
END_TEST

START_TEST(test_access_sets_and_gives_members)
{
	struct machine_profile profile = small_profile(1, 1, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct cell *cell = cells_new(machine, 0, 1);

	this_cpu = &machine->cpus[0];
	WRITE(cell, value, 40);
	UPDATE(cell, value, += 2);
	ck_assert_uint_eq(READ(cell, value), 42);
	ck_assert_uint_eq(ATOMIC_ADD_RETURN(cell, value, 8), 50);
	ck_assert_uint_eq(ATOMIC_SUB_RETURN(cell, value, 48), 2);
	ATOMIC_INC(cell, value);
	ATOMIC_DEC(cell, value);
	ck_assert(!ATOMIC_DEC_AND_TEST(cell, value));
	ck_assert(ATOMIC_DEC_AND_TEST(cell, value));
	WRITE_ONCE(cell, other, 6);
	PREFETCH(cell, other);
	ck_assert_uint_eq(READ_ONCE(cell, other), 6);
	g_free(cell);
	support_machine_free(machine);
}
END_TEST

START_TEST(test_pages)
{
	struct machine_profile profile = small_profile(2, 1, 1);
	struct machine *machine;
	u64 node1, last = 0;
	u32 order, n = 0;

	profile.node_bytes = 64 << 20;
	machine = support_machine(&profile, 1, false);
	node1 = machine_alloc_pages(machine, 1, 0);
	for (order = 0; order < 9; order++) {
		u64 p = machine_alloc_pages(machine, 0, order);

		ck_assert_uint_ge(p, last);
		ck_assert_uint_ne(p, 0);
		ck_assert_uint_eq(p % (PAGE_SIZE << order), 0);
		ck_assert_uint_eq(machine_line_node(machine, p >> LINE_SHIFT), 0);
		last = p + (PAGE_SIZE << order);
	}
	ck_assert_uint_ge(node1, last);
	ck_assert_uint_eq(machine_line_node(machine, node1 >> LINE_SHIFT),
			  1);
	/* The first 2 MiB are in use: 62 MiB left. */
	while (machine_alloc_pages(machine, 0, 9))
		n++;
	ck_assert_uint_eq(n, 31);
	ck_assert_uint_eq(machine_alloc_pages(machine, 0, 9), 0);
	ck_assert_uint_ne(machine_alloc_pages(machine, 1, 9), 0);
	support_machine_free(machine);
}
END_TEST

Suite *suite_object(void)
{
	const TTest *const tests[] = {
		test_member_lines,
		test_every_skew,
		test_place_again,
		test_access_sets_and_gives_members,
		test_pages,
		NULL,
	};

	return support_suite("object", tests, NULL, NULL);
}
