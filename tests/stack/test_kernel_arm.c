/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linux-3.4-arm: what pointers of four bytes make of the structs and of the
 * sizes of kmalloc().  The offsets here were counted by hand from the order of
 * the members: four bytes each pointer, long and lock, eight-byte numbers on
 * multiples of eight.
 */
#include <string.h>

#include "mm_support.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/net/dst.h"
#include "stack/include/net/ip6_fib.h"
#include "stack/include/net/sock.h"
#include "stack/kernel.h"

static struct kernel *kernel;

static void setup(void)
{
	const struct mm_setup arm = {
		.packages = 1, .cores = 4, .allocator = "slub",
		.data = "linux-3.4-arm",
	};

	kernel = mm_kernel_new(&arm);
}

static void teardown(void)
{
	mm_kernel_free(kernel);
}

#define AT(type, member, kernel_offset) \
	{ STRUCT_ ## type, offsetof(struct type, member), kernel_offset, \
	  #type "." #member }

static const struct {
	u32 type, c_offset, offset;
	const char *name;
} places[] = {
	/* two pointers, then ktime_t on 8; cb[48] is aligned to 8 as well */
	AT(sk_buff, next, 0), AT(sk_buff, prev, 4), AT(sk_buff, sk, 16),
	AT(sk_buff, dev, 20), AT(sk_buff, _skb_refdst, 72),
	AT(sk_buff, len, 80), AT(sk_buff, data_len, 84),
	/* 4 addresses and ports, 4 pointers, of which two are list nodes */
	AT(sock, sk_refcnt, 56), AT(sock, sk_lock.slock, 60),
	AT(sock, sk_lock.owned, 64), AT(sock, sk_receive_queue.next, 80),
	AT(sock, sk_receive_queue.lock, 92), AT(sock, sk_backlog.tail, 108),
	AT(sock, sk_forward_alloc, 112), AT(sock, sk_drops, 120),
	AT(sock, sk_wq, 132), AT(sock, sk_dst_cache, 148),
	AT(sock, sk_wmem_alloc, 156), AT(sock, sk_sndbuf, 164),
	/* 12 pointers, flags, 4 halves and a gap */
	AT(dst_entry, dev, 12), AT(dst_entry, ops, 16),
	AT(dst_entry, output, 44), AT(dst_entry, flags, 48),
	AT(dst_entry, obsolete, 54), AT(dst_entry, header_len, 56),
	AT(dst_entry, __refcnt, 64), AT(dst_entry, __use, 68),
	AT(dst_entry, lastuse, 72),
	/* IPV6_SUBTREES has one pointer more */
	AT(fib6_node, left, 4), AT(fib6_node, subtree, 12),
	AT(fib6_node, leaf, 16), AT(fib6_node, fn_sernum, 24),
	AT(fib6_node, rr_ptr, 28),
};

START_TEST(test_places)
{
	const struct object_type *type = &kernel->types[places[_i].type];

	ck_assert_msg(type->offsets[places[_i].c_offset] == places[_i].offset,
		      "%s at %u, not %u", places[_i].name,
		      type->offsets[places[_i].c_offset], places[_i].offset);
}
END_TEST

/* The same members lie behind one another in both kernels: what has no pointer
 * before it has not moved, and nothing has grown. */
START_TEST(test_smaller_than_x86)
{
	static const u32 types[] = {
		STRUCT_sk_buff, STRUCT_udp6_sock, STRUCT_rt6_info,
		STRUCT_dst_entry, STRUCT_net_device, STRUCT_inet6_dev,
		STRUCT_softnet_data, STRUCT_page, STRUCT_file,
		STRUCT_task_struct,
	};
	const struct mm_setup x86 = {
		.packages = 1, .cores = 4, .allocator = "slub",
		.data = "linux-3.4",
	};
	struct kernel *wide = mm_kernel_new(&x86);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		const u32 narrow = kernel->types[types[i]].size;

		ck_assert_msg(narrow < wide->types[types[i]].size &&
			      narrow * 2 >= wide->types[types[i]].size,
			      "%s: %u and %u", kernel->types[types[i]].name,
			      narrow, wide->types[types[i]].size);
		ck_assert_uint_eq(narrow % 4, 0);
	}
	ck_assert_uint_eq(kernel->pointer_bytes, 4);
	ck_assert_uint_eq(wide->pointer_bytes, 8);
	mm_kernel_free(wide);
}
END_TEST

/* ---- kmalloc() ---- */

static const struct {
	u32 size, gets;
} sizes[] = {
	{ 1, 64 }, { 8, 64 }, { 64, 64 }, { 65, 128 }, { 96, 128 },
	{ 128, 128 }, { 129, 192 }, { 192, 192 }, { 193, 256 }, { 300, 512 },
};

static void ask(void *arg)
{
	const u32 i = *(const int *)arg;
	struct thing *thing = kmalloc(sizes[i].size, STRUCT_neigh_hash_buckets,
				      sizeof(*thing), GFP_KERNEL);

	must(thing);
	ck_assert_uint_eq(ksize(thing), sizes[i].gets);
	ck_assert_uint_eq(object_address(&thing->object) % 64, 0);
	kfree(thing);
}

/* Nothing shares a line with what a device may write: no less than 64 bytes,
 * and 96 is no multiple of that. */
START_TEST(test_kmalloc)
{
	int i = _i;

	mm_in_process(kernel, ask, &i);
}
END_TEST

Suite *suite_kernel_arm(void)
{
	Suite *suite = suite_create("kernel_arm");
	TCase *layout = tcase_create("layout");
	TCase *allocation = tcase_create("allocation");

	tcase_add_loop_test(layout, test_places, 0, ARRAY_SIZE(places));
	tcase_add_test(layout, test_smaller_than_x86);
	tcase_add_checked_fixture(layout, setup, teardown);
	suite_add_tcase(suite, layout);
	tcase_add_loop_test(allocation, test_kmalloc, 0, ARRAY_SIZE(sizes));
	tcase_add_checked_fixture(allocation, setup, teardown);
	suite_add_tcase(suite, allocation);
	return suite;
}
