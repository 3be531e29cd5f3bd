/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How neighbours come and go: the table's growth, what waits for one, what is
 * collected and when, deletion, and the settings of devices.
 */
#include <errno.h>

#include "neigh_support.h"

#define OVER NEIGH_UPDATE_F_OVERRIDE

/* Neighbours first to last - 1, with nobody to hold them. */
static void make(struct neigh_fixture *f, u32 first, u32 last)
{
	u32 i;

	for (i = first; i < last; i++) {
		struct neighbour *n = neigh_nth(f, i);

		ck_assert_ptr_nonnull(n);
		neigh_release(n);
	}
}

static u32 held(struct neigh_fixture *f, u32 first, u32 last)
{
	u32 i, count = 0;

	for (i = first; i < last; i++)
		count += neigh_exists(f, i);
	return count;
}

/* ---- the table ---- */

/* It grows before it holds more than one entry a bucket, with another salt,
 * and loses none; the old one stays until its readers are done. */
START_TEST(test_growth)
{
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, true);
	u32 shift = 3, i, salt;

	ck_assert_uint_eq(f->tbl->nht->hash_shift, 3);
	for (i = 0; i < 600; i++) {
		struct neigh_hash_table *old = f->tbl->nht;

		salt = old->hash_rnd[0];
		make(f, i, i + 1);
		if (f->on_lo + i + 1 > 1u << shift) {
			shift++;
			ck_assert_uint_ne(f->tbl->nht->hash_rnd[0], salt);
			ck_assert_uint_eq(old->object.state, OBJECT_ALIVE);
			pass_jiffies(1);
			ck_assert_uint_eq(old->object.state, OBJECT_ALIVE);
			rcu_barrier();
			ck_assert_uint_eq(old->object.state, OBJECT_FREE);
		}
		ck_assert_uint_eq(f->tbl->nht->hash_shift, shift);
	}
	ck_assert_uint_eq(NEIGH_STAT(f, hash_grows), shift - 3);
	ck_assert_uint_eq(neigh_count(f), 600);
	ck_assert_uint_eq(held(f, 0, 700), 600);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* ---- what waits ---- */

/* The newest packets that fit into the limit wait, and go in their order. */
START_TEST(test_queue_limit)
{
	static const u32 limits[] = { 65536, 212992 };
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, true);
	struct neighbour *n = neigh_nth(f, 9);
	struct sk_buff *skb = neigh_packet(f, 0);
	u32 fit = limits[_i / 2] / skb->truesize, i, before;
	u32 size = skb->truesize;

	neigh_output(n, skb, false);
	for (i = 1; i < fit + 10; i++) {
		neigh_output(n, neigh_packet(f, (u8)i), false);
		ck_assert_uint_eq(n->arp_queue.qlen, MIN(i + 1, fit));
	}
	ck_assert_uint_eq(n->arp_queue_len_bytes, fit * size);
	ck_assert_uint_eq(NEIGH_STAT(f, unres_discards), 10);
	before = f->net->packets->len;
	neigh_update(n, mac_a, NUD_REACHABLE, OVER);
	ck_assert_uint_eq(f->net->packets->len - before, fit);
	for (i = 0; i < fit; i++) {
		const GByteArray *packet = net_packet(f->net, before + i);

		ck_assert_uint_eq(packet->data[packet->len - 1],
				  (u8)(i + 10));
	}
	ck_assert_uint_eq(n->arp_queue_len_bytes, 0);
	ck_assert_int_eq(f->rt->dst.__refcnt, 1);
	neigh_release(n);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* Nothing can be asked: the packet is dropped at once. */
START_TEST(test_no_probes)
{
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, true);
	struct neighbour *n = neigh_nth(f, 9);

	n->parms->mcast_probes = 0;
	neigh_output(n, neigh_packet(f, 0), false);
	ck_assert_uint_eq(n->nud_state, NUD_FAILED);
	ck_assert(!n->timer.pending);
	ck_assert_uint_eq(n->arp_queue.qlen, 0);
	ck_assert_int_eq(f->rt->dst.__refcnt, 1);
	neigh_release(n);
	neigh_fixture_free(f);
}
END_TEST

/* ---- collection by age ---- */

/* Jiffies until neighbour i has gone, at most `most`. */
static u64 gone_after(struct neigh_fixture *f, u32 i, u64 most)
{
	u64 passed = 0;
	u32 before = neigh_count(f);

	ck_assert(neigh_exists(f, i));
	while (passed < most && neigh_count(f) == before) {
		pass_jiffy();
		passed++;
	}
	return neigh_exists(f, i) ? UINT64_MAX : passed;
}

/* Collection runs each 15 s; the timer wheel may be an eighth late. */
#define GC_PERIOD (15 * HZ + 15 * HZ / 8)

static void verify_aging(struct neigh_fixture *f)
{
	struct neighbour *failed = neigh_nth(f, 0), *stale = neigh_nth(f, 1);
	struct neighbour *permanent = neigh_nth(f, 2);
	struct neighbour *user = neigh_nth(f, 3), *asked = neigh_nth(f, 4);
	u32 others = neigh_count(f) - 5;
	u64 passed;

	neigh_update(stale, mac_a, NUD_STALE, OVER);
	neigh_update(user, mac_a, NUD_STALE, OVER);
	neigh_update(permanent, mac_a, NUD_PERMANENT, ADMIN);
	neigh_update(failed, NULL, NUD_FAILED, ADMIN);
	neigh_event_send(asked, NULL);
	asked->parms->mcast_probes = 1000;	/* for ever */
	neigh_release(failed);
	neigh_release(stale);
	neigh_release(permanent);
	neigh_release(asked);
	/* The failed one goes with the first collection, which comes after
	 * the table's own reachable time. */
	passed = gone_after(f, 0, 46 * HZ + 46 * HZ / 8);
	ck_assert_uint_ge(passed, others ? 1 : 15 * HZ);
	ck_assert_uint_ne(passed, UINT64_MAX);
	passed += gone_after(f, 1, 75 * HZ);
	ck_assert_uint_ge(passed, 60 * HZ);
	ck_assert_uint_le(passed, 60 * HZ + GC_PERIOD + 2 * HZ);
	/* What is held, permanent or in use stays, until it is let go. */
	pass_jiffies(70 * HZ);
	ck_assert(neigh_exists(f, 2) && neigh_exists(f, 3) &&
		  neigh_exists(f, 4));
	neigh_release(user);
	ck_assert_uint_le(gone_after(f, 3, 40 * HZ), GC_PERIOD);
	ck_assert(neigh_exists(f, 2) && neigh_exists(f, 4));
}

START_TEST(test_aging)
{
	struct neigh_fixture *f = neigh_fixture_new(0, _i, true);

	verify_aging(f);
	ck_assert_uint_eq(neigh_count(f), 2);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* Later a table with less than 128 entries is left alone... */
START_TEST(test_aging_keeps_few)
{
	struct neigh_fixture *f = neigh_fixture_new(1, _i, false);
	u32 runs;

	make(f, 0, 127);
	pass_jiffies(200 * HZ);
	runs = (u32)NEIGH_STAT(f, periodic_gc_runs);
	ck_assert_uint_ge(runs, 200 / 17);
	ck_assert_uint_eq(neigh_count(f), 127);
	/* ... and not with one more. */
	make(f, 127, 128);
	pass_jiffies(GC_PERIOD);
	ck_assert_uint_eq(neigh_count(f), 1);
	neigh_fixture_free(f);
}
END_TEST

/* The confirmations of a transport layer count as use. */
START_TEST(test_confirmed_is_used)
{
	struct neigh_fixture *f = neigh_fixture_new(0, _i, false);
	struct neighbour *n = neigh_nth(f, 0);
	u32 i;

	neigh_update(n, mac_a, NUD_STALE, OVER);
	neigh_release(n);
	for (i = 0; i < 5; i++) {
		pass_jiffies(50 * HZ);
		ck_assert(neigh_exists(f, 0));
		neigh_confirm(n);
	}
	ck_assert_uint_ge(gone_after(f, 0, 100 * HZ), 60 * HZ);
	neigh_fixture_free(f);
}
END_TEST

/* ---- collection for want of room ---- */

/* At first everything that nobody holds goes: once in five seconds above 512
 * entries, each time from 1024 on. */
START_TEST(test_forced)
{
	struct neigh_fixture *f = neigh_fixture_new(0, _i, true);
	struct neighbour *kept = neigh_nth(f, 0);

	make(f, 1, 1024 - f->on_lo);
	ck_assert_uint_eq(neigh_count(f), 1024 - f->on_lo);
	ck_assert_uint_eq(NEIGH_STAT(f, forced_gc_runs), 0);
	make(f, 1024, 1025);
	ck_assert_uint_eq(NEIGH_STAT(f, forced_gc_runs), 1);
	ck_assert_uint_eq(neigh_count(f), 2);
	pass_jiffies(6 * HZ);
	make(f, 2000, 2000 + 510 - f->on_lo);
	ck_assert_uint_eq(neigh_count(f), 512 - f->on_lo);
	make(f, 3000, 3001);
	ck_assert_uint_eq(neigh_count(f), 2);
	make(f, 4000, 4000 + 600);	/* not again so soon */
	ck_assert_uint_eq(neigh_count(f), 602);
	ck_assert_uint_eq(NEIGH_STAT(f, forced_gc_runs), 2);
	neigh_release(kept);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* Later only what has failed, or is five seconds old, and only down to 512;
 * the oldest first. */
START_TEST(test_forced_by_list)
{
	struct neigh_fixture *f = neigh_fixture_new(1, _i, true);
	struct neighbour *kept = neigh_nth(f, 0);

	make(f, 1, 1024);
	ck_assert_ptr_null(neigh_nth(f, 1024));
	ck_assert_uint_eq(NEIGH_STAT(f, forced_gc_runs), 1);
	ck_assert_uint_eq(NEIGH_STAT(f, table_fulls), 1);
	ck_assert_uint_eq(neigh_count(f), 1024);
	ck_assert_int_eq(f->tbl->gc_entries, 1024);
	ck_assert_int_eq(f->tbl->entries, 1024);
	pass_jiffies(6 * HZ);
	make(f, 1024, 1025);
	ck_assert_uint_eq(neigh_count(f), 512);
	ck_assert_uint_eq(held(f, 0, 1), 1);
	ck_assert_uint_eq(held(f, 1, 514), 0);
	ck_assert_uint_eq(held(f, 514, 1025), 511);
	neigh_release(kept);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* What has failed and what needs no resolution goes at once. */
START_TEST(test_forced_by_state)
{
	struct neigh_fixture *f = neigh_fixture_new(1, _i, true);
	struct neighbour *n;

	make(f, 0, 1024);
	n = neigh_nth(f, 3);
	neigh_update(n, NULL, NUD_FAILED, ADMIN);
	neigh_release(n);
	n = neigh_nth(f, 5);
	neigh_update(n, mac_a, NUD_NOARP, ADMIN);
	neigh_release(n);
	make(f, 1024, 1025);
	ck_assert_uint_eq(neigh_count(f), 1023);
	ck_assert(!neigh_exists(f, 3) && !neigh_exists(f, 5));
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* Permanent entries are never collected, and later do not count. */
START_TEST(test_permanent)
{
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, false);
	struct neighbour *n;
	u32 i;

	for (i = 0; i < 1100; i++) {
		n = neigh_nth(f, i);
		if (!n)
			break;
		neigh_update(n, mac_a, NUD_PERMANENT, ADMIN);
		neigh_release(n);
	}
	ck_assert_uint_eq(i, _i / 2 ? 1100 : 1024 - f->on_lo);
	ck_assert_uint_eq(neigh_count(f), i);
	ck_assert_int_eq(f->tbl->entries, f->on_lo + i);
	pass_jiffies(100 * HZ);
	ck_assert_uint_eq(neigh_count(f), i);
	/* One that is permanent no more makes room. */
	n = neigh_nth(f, 7);
	neigh_update(n, NULL, NUD_FAILED, ADMIN);
	neigh_release(n);
	make(f, 2000, 2001);
	neigh_fixture_free(f);
}
END_TEST

/* ---- deletion ---- */

/* At first a deleted neighbour only fails; later it goes, unless it is held,
 * and then with the next collection. */
START_TEST(test_delete)
{
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, true);
	struct neighbour *n = neigh_nth(f, 0);
	u64 before = NEIGH_STAT(f, destroys);

	ck_assert_int_eq(neigh_delete(f->tbl, neigh_key(f, 1), f->dev),
			 -ENOENT);
	neigh_update(n, mac_a, NUD_PERMANENT, ADMIN);
	ck_assert_int_eq(neigh_delete(f->tbl, neigh_key(f, 0), f->dev), 0);
	ck_assert(neigh_exists(f, 0));
	ck_assert_uint_eq(n->nud_state, NUD_FAILED);
	neigh_release(n);
	ck_assert_int_eq(neigh_delete(f->tbl, neigh_key(f, 0), f->dev), 0);
	ck_assert_uint_eq(neigh_exists(f, 0), !(_i / 2));
	ck_assert_int_eq(f->tbl->entries, f->on_lo + !(_i / 2));
	ck_assert_uint_eq(NEIGH_STAT(f, destroys) - before, _i / 2);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* A device takes its own neighbours along and no others; what waits for them
 * is dropped; who holds one may still send to it, in vain. */
START_TEST(test_device_down)
{
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, true);
	struct net_device *dev = f->dev;
	struct neighbour *n, *other;
	u32 before;

	make(f, 0, 20);
	n = neigh_nth(f, 5);
	neigh_output(n, neigh_packet(f, 0), false);
	ck_assert_int_eq(f->rt->dst.__refcnt, 2);
	f->dev = dummy_new(f->net->kernel, "dummy1", 1500, false);
	other = neigh_nth(f, 5);
	ck_assert_ptr_ne(other, n);
	neigh_ifdown(f->tbl, dev);
	ck_assert_uint_eq(neigh_count(f), 1);
	ck_assert(neigh_exists(f, 5));
	ck_assert_int_eq(f->rt->dst.__refcnt, 1);
	before = f->net->packets->len;
	ck_assert_int_eq(neigh_output(n, neigh_packet(f, 0), true), -ENETDOWN);
	ck_assert_int_eq(f->rt->dst.__refcnt, 1);
	pass_jiffies(10 * HZ);
	ck_assert_uint_eq(f->net->packets->len, before);
	neigh_release(n);
	neigh_release(other);
	ck_assert_int_eq(f->tbl->entries, f->on_lo + 1);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* A dead neighbour that somebody still holds comes to no new life. */
START_TEST(test_dead)
{
	struct neigh_fixture *f = neigh_fixture_new(1, _i, true);
	struct neighbour *n = neigh_nth(f, 0);

	neigh_ifdown(f->tbl, f->dev);
	ck_assert_int_eq(neigh_update(n, mac_a, NUD_REACHABLE, ADMIN),
			 -EINVAL);
	ck_assert_int_eq(neigh_event_send(n, neigh_packet(f, 0)), 1);
	ck_assert_uint_eq(n->nud_state, NUD_NONE);
	ck_assert(!n->timer.pending);
	ck_assert_int_eq(f->rt->dst.__refcnt, 1);
	neigh_release(n);
	ck_assert_uint_eq(n->object.state, OBJECT_ALIVE);
	rcu_barrier();
	ck_assert_uint_eq(n->object.state, OBJECT_FREE);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* ---- settings ---- */

static void verify_reach(const struct neigh_parms *p)
{
	ck_assert_uint_ge(p->reachable_time, 15 * HZ);
	ck_assert_uint_lt(p->reachable_time, 45 * HZ);
}

/* A reachable time is drawn for each device and table, and again after five
 * minutes; from the seed alone. */
START_TEST(test_reachable_time)
{
	u32 drawn[2][4], k;

	for (k = 0; k < 2; k++) {
		struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2,
							    false);
		struct neighbour *n = neigh_nth(f, 0);
		u32 i;

		ck_assert_ptr_ne(n->parms, &f->tbl->parms);
		drawn[k][0] = f->tbl->parms.reachable_time;
		drawn[k][1] = n->parms->reachable_time;
		pass_jiffies(300 * HZ);
		ck_assert_uint_eq(n->parms->reachable_time, drawn[k][1]);
		pass_jiffies(GC_PERIOD);
		drawn[k][2] = f->tbl->parms.reachable_time;
		drawn[k][3] = n->parms->reachable_time;
		ck_assert_uint_ne(drawn[k][3], drawn[k][1]);
		for (i = 0; i < 3; i++) {
			verify_reach(n->parms);
			verify_reach(&f->tbl->parms);
			pass_jiffies(320 * HZ);
		}
		neigh_release(n);
		neigh_fixture_free(f);
	}
	ck_assert_mem_eq(drawn[0], drawn[1], sizeof(drawn[0]));
}
END_TEST

/* ---- suite ---- */

Suite *suite_neigh_life(void)
{
	Suite *suite = suite_create("neigh_life");
	TCase *table = tcase_create("table");
	TCase *age = tcase_create("age");
	TCase *room = tcase_create("room");
	TCase *end = tcase_create("end");

	tcase_set_timeout(table, 60);
	tcase_add_loop_test(table, test_growth, 0, 4);
	tcase_add_loop_test(table, test_queue_limit, 0, 4);
	tcase_add_loop_test(table, test_no_probes, 0, 4);
	suite_add_tcase(suite, table);
	tcase_set_timeout(age, 60);
	tcase_add_loop_test(age, test_aging, 0, NEIGH_FAMILIES);
	tcase_add_loop_test(age, test_aging_keeps_few, 0, NEIGH_FAMILIES);
	tcase_add_loop_test(age, test_confirmed_is_used, 0, NEIGH_FAMILIES);
	tcase_add_loop_test(age, test_reachable_time, 0, 4);
	suite_add_tcase(suite, age);
	tcase_set_timeout(room, 60);
	tcase_add_loop_test(room, test_forced, 0, NEIGH_FAMILIES);
	tcase_add_loop_test(room, test_forced_by_list, 0, NEIGH_FAMILIES);
	tcase_add_loop_test(room, test_forced_by_state, 0, NEIGH_FAMILIES);
	tcase_add_loop_test(room, test_permanent, 0, 4);
	suite_add_tcase(suite, room);
	tcase_add_loop_test(end, test_delete, 0, 4);
	tcase_add_loop_test(end, test_device_down, 0, 4);
	tcase_add_loop_test(end, test_dead, 0, NEIGH_FAMILIES);
	suite_add_tcase(suite, end);
	return suite;
}
