/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/core/neighbour.c and include/net/neighbour.h: the tables of
 * neighbours, their entries and their settings.  The rest of that file is in
 * neighbour_state.c (what state an entry is in), neighbour_output.c (how it
 * sends) and neighbour_gc.c (when it goes).
 */
#include <errno.h>
#include <string.h>

#include "sim/check.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/net/core/neighbour.h"

#define NEIGH_HASH_SHIFT 3	/* the table's first size: eight buckets */

static u32 key_words(const struct neigh_table *tbl)
{
	return tbl->key_len / sizeof(u32);
}

static void read_key(const struct neigh_table *tbl, const void *pkey,
		     u32 *words)
{
	if (tbl->family == PF_INET6)
		in6_words(pkey, words);
	else
		words[0] = *(const u32 *)pkey;
}

/* ---- look-up ---- */

/* What the hash takes from the device. */
u32 neigh_hash_dev(const struct net_device *dev)
{
	u64 address;

	if (!has(NEIGH_HASH_DEV_POINTER))
		return READ(dev, ifindex);
	/* The two halves of the pointer. */
	address = object_address(&dev->object);
	return (u32)(address ^ address >> 32);
}

static bool key_equal(const struct neighbour *n, const u32 *pkey, u32 words)
{
	u32 i;

	for (i = 0; i < words; i++)
		if (READ_AT(n, primary_key, i) != pkey[i])
			return false;
	return true;
}

/* An entry by its key's words and hash, read as a sender does; inlined in
 * those that send. */
struct neighbour *neigh_find(const struct neigh_table *tbl, u32 hash,
			     const struct neigh_hash_table *nht,
			     const struct net_device *dev, const u32 *pkey)
{
	const struct neigh_hash_buckets *buckets = READ(nht, hash_buckets);
	struct neighbour *n;

	hash >>= 32 - READ(nht, hash_shift);
	for (n = READ_ONCE_AT(buckets, bucket, hash); n;
	     n = READ_ONCE(n, next)) {
		if (READ(n, dev) == dev && key_equal(n, pkey, key_words(tbl)))
			return n;
		WORK(4);
	}
	return NULL;
}

/* All words of the salt stand on one line. */
static u32 hash_key(const struct neigh_table *tbl,
		    const struct neigh_hash_table *nht,
		    const struct net_device *dev, const u32 *pkey)
{
	u32 of_dev = neigh_hash_dev(dev);

	(void)READ_AT(nht, hash_rnd, 0);
	return tbl->hash(pkey, of_dev, nht->hash_rnd);
}

void neigh_hold(struct neighbour *neigh)
{
	ATOMIC_INC(neigh, refcnt);
}

void neigh_release(struct neighbour *neigh)
{
	s32 left = ATOMIC_SUB_RETURN(neigh, refcnt, 1);

	check_refcount(this_cpu->machine, &neigh->object, "refcnt", left);
	if (!left)
		neigh_destroy(neigh);
}

struct neighbour *neigh_lookup(struct neigh_table *tbl, const void *pkey,
			       struct net_device *dev)
{
	u32 words[NEIGH_KEY_WORDS] = { 0 };
	const struct neigh_hash_table *nht;
	struct neighbour *n;

	FUNCTION(neigh_lookup);
	read_key(tbl, pkey, words);
	NEIGH_CACHE_STAT_INC(tbl, lookups);
	if (has(NEIGH_RCU)) {
		rcu_read_lock();
	} else {
		local_bh_disable();
		READ_LOCK(tbl, lock);
	}
	nht = READ_ONCE(tbl, nht);
	n = neigh_find(tbl, hash_key(tbl, nht, dev, words), nht, dev, words);
	/* The last reference may just have gone. */
	if (n && !READ_ONCE(n, refcnt))
		n = NULL;
	if (n) {
		neigh_hold(n);
		NEIGH_CACHE_STAT_INC(tbl, hits);
	}
	if (has(NEIGH_RCU)) {
		rcu_read_unlock();
	} else {
		READ_UNLOCK(tbl, lock);
		local_bh_enable();
	}
	return n;
}

/* ---- the hash table ---- */

static struct neigh_hash_table *neigh_hash_alloc(struct neigh_table *tbl,
						 u32 shift)
{
	struct neigh_hash_table *nht = KMALLOC(neigh_hash_table, GFP_ATOMIC);
	struct neigh_hash_buckets *buckets;
	size_t host = sizeof(*buckets) + (sizeof(void *) << shift);
	u32 i;

	if (!nht)
		return NULL;
	buckets = kmalloc(this_kernel()->pointer_bytes << shift,
			  STRUCT_neigh_hash_buckets, host, GFP_ATOMIC);
	if (!buckets) {
		kfree(nht);
		return NULL;
	}
	for (i = 0; i < 1u << shift; i++)
		WRITE_AT(buckets, bucket, i, NULL);
	kmemleak_not_leak(nht);
	kmemleak_not_leak(buckets);
	WRITE(nht, hash_buckets, buckets);
	WRITE(nht, hash_shift, shift);
	for (i = 0; i < ARRAY_SIZE(nht->hash_rnd); i++)
		WRITE_AT(nht, hash_rnd, i, (u32)random_u64(&tbl->salt) | 1);
	return nht;
}

static void rehash_entry(struct neigh_table *tbl, struct neighbour *n,
			 struct neigh_hash_table *new_nht)
{
	struct neigh_hash_buckets *buckets = new_nht->hash_buckets;
	u32 hash = hash_key(tbl, new_nht, n->dev, n->primary_key) >>
		   (32 - new_nht->hash_shift);

	WRITE_ONCE(n, next, READ_AT(buckets, bucket, hash));
	WRITE_ONCE_AT(buckets, bucket, hash, n);
	WORK(8);
}

static void neigh_hash_free_rcu(void *old)
{
	struct neigh_hash_table *nht = old;

	kfree(READ(nht, hash_buckets));
	kfree(nht);
}

/* Twice the buckets, with a new salt.  A reader of the old table may be led to
 * the new one's chains and find nothing; it then makes the entry, and finds it
 * under the lock. */
static struct neigh_hash_table *neigh_hash_grow(struct neigh_table *tbl,
						u32 shift)
{
	struct neigh_hash_table *old = tbl->nht, *new_nht;
	u32 i;

	FUNCTION(neigh_hash_grow);
	NEIGH_CACHE_STAT_INC(tbl, hash_grows);
	new_nht = neigh_hash_alloc(tbl, shift);
	if (!new_nht)
		return old;
	for (i = 0; i < 1u << old->hash_shift; i++) {
		struct neighbour *n, *next;

		for (n = READ_AT(old->hash_buckets, bucket, i); n; n = next) {
			next = READ_ONCE(n, next);
			rehash_entry(tbl, n, new_nht);
		}
	}
	WRITE_ONCE(tbl, nht, new_nht);
	CALL_RCU(old, rcu, neigh_hash_free_rcu);
	return new_nht;
}

u32 neigh_bucket(struct neigh_table *tbl, const struct neighbour *n)
{
	const struct neigh_hash_table *nht = READ(tbl, nht);

	return hash_key(tbl, nht, n->dev, n->primary_key) >>
	       (32 - READ(nht, hash_shift));
}

/* ---- entries ---- */

/* The settings of a device.  The kernel makes them with the device's
 * in_device or inet6_dev and finds them there. */
static struct neigh_parms *parms_of(struct neigh_table *tbl,
				    const struct net_device *dev)
{
	struct neigh_parms *p;
	struct object object;

	for (p = tbl->parms_list; p; p = p->next)
		if (p->dev == dev)
			return p;
	p = KMALLOC(neigh_parms, GFP_ATOMIC);
	if (!p)
		return &tbl->parms;
	object = p->object;
	*p = tbl->parms;
	p->object = object;
	kmemleak_not_leak(p);
	WRITE(p, reachable_time,
	      neigh_rand_reach_time(tbl, p->base_reachable_time));
	p->dev = dev;
	p->next = tbl->parms_list;
	tbl->parms_list = p;
	return p;
}

static struct neighbour *neigh_alloc(struct neigh_table *tbl,
				     const struct net_device *dev)
{
	struct neighbour *n;
	struct object object;
	u64 now;

	FUNCTION(neigh_alloc);
	if (!neigh_make_room(tbl))
		return NULL;
	n = kmalloc(this_kernel()->types[STRUCT_neighbour].size + tbl->key_len,
		    STRUCT_neighbour, sizeof(*n), GFP_ATOMIC);
	if (!n) {
		if (has(NEIGH_GC_LIST))
			ATOMIC_DEC(tbl, gc_entries);
		else
			ATOMIC_DEC(tbl, entries);
		return NULL;
	}
	object = n->object;
	memset(n, 0, sizeof(*n));
	n->object = object;
	REP_STRING(1);		/* it is cleared */
	now = JIFFIES();
	WRITE(n, arp_queue.next, NULL);
	WRITE(n, updated, now);
	WRITE(n, used, now);
	WRITE(n, nud_state, NUD_NONE);
	WRITE(n, output, neigh_blackhole);
	WRITE(n, parms, parms_of(tbl, dev));
	TIMER_SETUP(n, timer, neigh_timer_handler);
	NEIGH_CACHE_STAT_INC(tbl, allocs);
	if (has(NEIGH_GC_LIST))
		ATOMIC_INC(tbl, entries);
	WRITE(n, tbl, tbl);
	WRITE(n, refcnt, 1);
	WRITE(n, dead, 1);
	return n;
}

/* Puts n into the table and gives it back; or, where another CPU has put in
 * the same meanwhile, frees n and gives the other's. */
static struct neighbour *neigh_insert(struct neigh_table *tbl,
				      struct neighbour *n)
{
	struct neigh_hash_table *nht;
	struct neighbour *other;
	u32 hash;

	WRITE_LOCK_BH(tbl, lock);
	nht = READ(tbl, nht);
	if (READ_ONCE(tbl, entries) > 1 << READ(nht, hash_shift))
		nht = neigh_hash_grow(tbl, nht->hash_shift + 1);
	hash = hash_key(tbl, nht, n->dev, n->primary_key);
	other = neigh_find(tbl, hash, nht, n->dev, n->primary_key);
	if (other) {
		if (has(NEIGH_GC_LIST))
			ATOMIC_DEC(tbl, gc_entries);
		WRITE_UNLOCK_BH(tbl, lock);
		neigh_release(n);
		return other;
	}
	hash >>= 32 - nht->hash_shift;
	WRITE(n, dead, 0);
	if (has(NEIGH_GC_LIST))
		neigh_gc_list_add(tbl, n);
	WRITE_ONCE(n, next, READ_AT(nht->hash_buckets, bucket, hash));
	kmemleak_not_leak(n);
	WRITE_ONCE_AT(nht->hash_buckets, bucket, hash, n);
	WRITE_UNLOCK_BH(tbl, lock);
	return n;
}

struct neighbour *__neigh_create(struct neigh_table *tbl, const void *pkey,
				 struct net_device *dev)
{
	u32 words[NEIGH_KEY_WORDS] = { 0 }, i;
	const struct neigh_parms *parms;
	struct neighbour *n;
	u64 now;

	FUNCTION(__neigh_create);
	read_key(tbl, pkey, words);
	n = neigh_alloc(tbl, dev);
	if (!n)
		return NULL;
	for (i = 0; i < key_words(tbl); i++)
		WRITE_AT(n, primary_key, i, words[i]);
	WRITE(n, dev, dev);
	tbl->constructor(n);
	/* Long ago: nobody has confirmed it. */
	now = JIFFIES();
	parms = READ(n, parms);
	WRITE_ONCE(n, confirmed,
		   now - ((u64)READ(parms, base_reachable_time) << 1));
	return neigh_insert(tbl, n);
}

void neigh_set_noarp(struct neighbour *n, const u8 *lladdr)
{
	WRITE(n, nud_state, NUD_NOARP);
	memcpy(n->ha, lladdr, ETH_ALEN);
	WRITE_AT(n, ha, 0, lladdr[0]);
}

void neigh_set_ops(struct neighbour *n, const struct neigh_ops_set *set)
{
	const struct header_ops *header = READ(n->dev, header_ops);
	const struct neigh_ops *ops;

	if (!header) {
		WRITE(n, nud_state, NUD_NOARP);
		WRITE(n, ops, set->direct);
		WRITE(n, output, neigh_direct_output);
		return;
	}
	ops = READ(header, cache) ? set->hh : set->generic;
	WRITE(n, ops, ops);
	if (READ(n, nud_state) & NUD_VALID)
		WRITE(n, output, READ(ops, connected_output));
	else
		WRITE(n, output, READ(ops, output));
}

void neigh_ops_init(struct kernel *kernel, struct neigh_ops_set *set,
		    void (*solicit)(struct neighbour *, struct sk_buff *),
		    void (*error_report)(struct neighbour *, struct sk_buff *))
{
	set->direct = STATIC_OBJECT(kernel, neigh_ops, 0);
	set->direct->output = neigh_direct_output;
	set->direct->connected_output = neigh_direct_output;
	set->generic = STATIC_OBJECT(kernel, neigh_ops, 0);
	set->generic->solicit = solicit;
	set->generic->error_report = error_report;
	set->generic->output = neigh_resolve_output;
	set->generic->connected_output = neigh_connected_output;
	set->hh = STATIC_OBJECT(kernel, neigh_ops, 0);
	set->hh->solicit = solicit;
	set->hh->error_report = error_report;
	set->hh->output = neigh_resolve_output;
	set->hh->connected_output = neigh_resolve_output;
}

/* ---- users ---- */

static struct neighbour *add(struct neigh_table *tbl, const void *pkey,
			     struct net_device *dev, const u8 *lladdr,
			     u8 nud_state)
{
	struct neighbour *n = neigh_lookup(tbl, pkey, dev);

	if (!n) {
		n = __neigh_create(tbl, pkey, dev);
		if (!n)
			return NULL;
		neigh_hold(n);
	}
	neigh_update(n, lladdr, nud_state,
		     NEIGH_UPDATE_F_ADMIN | NEIGH_UPDATE_F_OVERRIDE);
	neigh_release(n);
	return n;
}

struct neighbour *neigh_add(struct kernel *kernel, struct net_device *dev,
			    u32 address, const u8 *lladdr, u8 nud_state)
{
	return add(kernel->net_core->arp_tbl, &address, dev, lladdr,
		   nud_state);
}

struct neighbour *neigh_add6(struct kernel *kernel, struct net_device *dev,
			     const struct in6_addr *address, const u8 *lladdr,
			     u8 nud_state)
{
	return add(kernel->net_core->nd_tbl, address, dev, lladdr, nud_state);
}

/* At first the entry only fails, and stays until it is collected. */
int neigh_delete(struct neigh_table *tbl, const void *pkey,
		 struct net_device *dev)
{
	struct neighbour *n = neigh_lookup(tbl, pkey, dev);
	int err;

	if (!n)
		return -ENOENT;
	err = neigh_update(n, NULL, NUD_FAILED, NEIGH_UPDATE_F_OVERRIDE |
			   NEIGH_UPDATE_F_ADMIN);
	if (has(NEIGH_DELETE_REMOVES)) {
		WRITE_LOCK_BH(tbl, lock);
		neigh_release(n);
		neigh_remove_one(tbl, n);
		WRITE_UNLOCK_BH(tbl, lock);
		return err;
	}
	neigh_release(n);
	return err;
}

void neigh_ifdown(struct neigh_table *tbl, struct net_device *dev)
{
	WRITE_LOCK_BH(tbl, lock);
	neigh_flush_dev(tbl, dev);
	WRITE_UNLOCK_BH(tbl, lock);
}

/* ---- tables ---- */

u32 neigh_rand_reach_time(struct neigh_table *tbl, u32 base)
{
	return base ? (u32)random_below(&tbl->reach, base) + (base >> 1) : 0;
}

static void set_parms(struct neigh_table *tbl)
{
	struct neigh_parms *p = &tbl->parms;

	p->base_reachable_time = 30 * HZ;
	p->retrans_time = HZ;
	p->gc_staletime = 60 * HZ;
	p->delay_probe_time = 5 * HZ;
	/* SK_WMEM_DEFAULT: what a socket may have on the way. */
	p->queue_len = 3;
	p->queue_len_bytes = has(NEIGH_QUEUE_WMEM) ? 212992 : 64 * 1024;
	p->ucast_probes = 3;
	p->mcast_probes = 3;
	p->reachable_time = neigh_rand_reach_time(tbl, p->base_reachable_time);
	tbl->gc_thresh1 = 128;
	tbl->gc_thresh2 = 512;
	tbl->gc_thresh3 = 1024;
}

/* The table is a variable of the kernel; the settings that devices start with
 * lie in it. */
void neigh_table_init(struct kernel *kernel, struct neigh_table *tbl,
		      u32 number)
{
	u32 i, n = kernel->machine->num_cpus;
	u64 seed = kernel->machine->seed;

	random_seed(&tbl->salt, seed, "hash salt", number);
	random_seed(&tbl->reach, seed, "neighbour reachable time", number);
	WRITE(tbl, parms, (struct neigh_parms){ 0 });
	object_init(&tbl->parms.object, &kernel->types[STRUCT_neigh_parms],
		    object_address(&tbl->object) +
		    tbl->object.type->offsets[MEMBER_OFFSET(tbl, parms)]);
	set_parms(tbl);
	tbl->stats = g_new0(struct neigh_statistics *, n);
	for (i = 0; i < n; i++)
		tbl->stats[i] = STATIC_OBJECT(kernel, neigh_statistics,
				kernel->machine->cpus[i].package);
	tbl->nht = neigh_hash_alloc(tbl, NEIGH_HASH_SHIFT);
	if (!tbl->nht)
		g_error("no memory for the neighbours' hash table");
	tbl->last_flush = tbl->last_rand = jiffies_data()->jiffies;
	TIMER_SETUP(tbl, gc_work.timer, NULL);
	tbl->gc_work.function = neigh_periodic_work;
	schedule_delayed_work(&tbl->gc_work, tbl->parms.reachable_time);
}

void neigh_init(struct kernel *kernel)
{
	kernel->net_core->arp_tbl = arp_init(kernel);
	kernel->net_core->nd_tbl = ndisc_init(kernel);
}

static void for_each(struct neigh_table *tbl, void (*fn)(struct neighbour *n))
{
	const struct neigh_hash_table *nht = tbl->nht;
	u32 i;

	for (i = 0; i < 1u << nht->hash_shift; i++) {
		struct neighbour *n = nht->hash_buckets->bucket[i];

		while (n) {
			struct neighbour *next = n->next;

			fn(n);
			n = next;
		}
	}
}

void neigh_stop(struct kernel *kernel)
{
	for_each(kernel->net_core->arp_tbl, neigh_purge_queue);
	for_each(kernel->net_core->nd_tbl, neigh_purge_queue);
}

static void free_entry(struct neighbour *n)
{
	kfree(n);
}

static void free_table(struct neigh_table *tbl)
{
	for_each(tbl, free_entry);
	while (tbl->parms_list) {
		struct neigh_parms *p = tbl->parms_list;

		tbl->parms_list = p->next;
		kfree(p);
	}
	kfree(tbl->nht->hash_buckets);
	kfree(tbl->nht);
	g_free(tbl->stats);
}

void neigh_exit(struct kernel *kernel)
{
	free_table(kernel->net_core->arp_tbl);
	free_table(kernel->net_core->nd_tbl);
}
