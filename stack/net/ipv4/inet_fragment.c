/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/inet_fragment.c: the queues of datagrams that wait for more of
 * their fragments, how they are found, and how they go.
 *
 *	inet_frag_find -> inet_frag_create -> mod_timer
 *	inet_frag_queue_insert (up to 4.18 in each family's queueing)
 *	inet_frag_kill -> del_timer; inet_frag_destroy
 *
 * Up to 3.8 a family has one lock for all chains, then each chain has its own,
 * and from 4.17 on readers take none.  When memory runs short the queues that
 * were touched longest ago go, up to 3.16; then a worker takes them by chains;
 * from 4.17 on nothing goes, and no new queue is made.
 *
 * Chosen differences: the chains are not hashed anew every ten minutes; the
 * table of 4.17 and later has its first size always; its tree of fragments is
 * walked as a list.  A datagram is one buffer, to which the bytes are copied
 * with their charge, where the kernel hangs the buffers of the fragments on the
 * first one; its true size is the sum of theirs.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/inet_frag.h"

#define EVICT_BUCKETS 128u	/* that the worker looks at in one go */

/* ---- chains ---- */

static void chain_lock(struct inet_frags *f, struct inet_frag_bucket *bucket)
{
	if (has(FRAG_BUCKET_LOCKS))
		SPIN_LOCK(bucket, chain_lock);
	else
		WRITE_LOCK(f, lock);
}

static void chain_unlock(struct inet_frags *f, struct inet_frag_bucket *bucket)
{
	if (has(FRAG_BUCKET_LOCKS))
		SPIN_UNLOCK(bucket, chain_lock);
	else
		WRITE_UNLOCK(f, lock);
}

static void lru_add(struct fqdir *fqdir, struct inet_frag_queue *q)
{
	struct inet_frag_queue *last = READ(fqdir, lru_last);

	WRITE(q, lru_prev, last);
	WRITE(q, lru_next, NULL);
	if (last)
		WRITE(last, lru_next, q);
	else
		WRITE(fqdir, lru_first, q);
	WRITE(fqdir, lru_last, q);
}

static void lru_del(struct fqdir *fqdir, struct inet_frag_queue *q)
{
	struct inet_frag_queue *next = READ(q, lru_next);
	struct inet_frag_queue *prev = READ(q, lru_prev);

	if (next)
		WRITE(next, lru_prev, prev);
	else
		WRITE(fqdir, lru_last, prev);
	if (prev)
		WRITE(prev, lru_next, next);
	else
		WRITE(fqdir, lru_first, next);
}

static void lru_lock(struct inet_frags *f)
{
	WRITE_LOCK(f, lock);
}

static void lru_unlock(struct inet_frags *f)
{
	WRITE_UNLOCK(f, lock);
}

static struct inet_frag_queue *look_up(struct inet_frags *f,
				       struct inet_frag_bucket *bucket,
				       const struct frag_key *key)
{
	struct inet_frag_queue *q = READ_ONCE(bucket, chain);

	for (; q; q = READ_ONCE(q, list)) {
		WORK(6);
		if (!f->match(q, key))
			continue;
		/* The last reference may just have gone. */
		if (has(FRAG_RHASHTABLE) && !READ_ONCE(q, refcnt))
			continue;
		ATOMIC_INC(q, refcnt);
		return q;
	}
	return NULL;
}

static void unlink_queue(struct inet_frags *f, struct inet_frag_queue *q)
{
	struct inet_frag_bucket *bucket = q->bucket;
	struct inet_frag_queue *at, *next = READ(q, list);

	chain_lock(f, bucket);
	at = READ(bucket, chain);
	if (at == q)
		WRITE_ONCE(bucket, chain, next);
	for (; at && at != q; at = READ(at, list))
		if (at->list == q) {
			WRITE_ONCE(at, list, next);
			break;
		}
	if (!has(FRAG_EVICT_WORKER) && !has(FRAG_BUCKET_LOCKS))
		lru_del(f->fqdir, q);
	if (!has(FRAG_EVICT_WORKER))
		UPDATE(f->fqdir, nqueues, -= 1);
	chain_unlock(f, bucket);
	if (!has(FRAG_EVICT_WORKER) && has(FRAG_BUCKET_LOCKS)) {
		lru_lock(f);
		lru_del(f->fqdir, q);
		lru_unlock(f);
	}
}

/* ---- the end of a queue ---- */

void inet_frag_drop(struct inet_frags *f, struct sk_buff *skb)
{
	f->report.dropped++;
	kfree_skb(skb);
}

void inet_frag_kill(struct inet_frags *f, struct inet_frag_queue *q)
{
	FUNCTION(inet_frag_kill);
	if (del_timer(&q->timer))
		ATOMIC_DEC(q, refcnt);
	if (READ(q, last_in) & INET_FRAG_COMPLETE)
		return;
	unlink_queue(f, q);
	ATOMIC_DEC(q, refcnt);
	UPDATE(q, last_in, |= INET_FRAG_COMPLETE);
}

void inet_frag_flush(struct inet_frags *f, struct inet_frag_queue *q)
{
	struct sk_buff *skb = READ(q, fragments), *next;
	u32 sum = 0;

	for (; skb; skb = next) {
		next = READ(skb, next);
		sum += READ(skb, truesize);
		if (!has(FRAG_BUCKET_LOCKS))
			(void)ATOMIC_SUB_RETURN(f->fqdir, mem, skb->truesize);
		f->report.waiting--;
		inet_frag_drop(f, skb);
	}
	if (has(FRAG_BUCKET_LOCKS))
		(void)ATOMIC_SUB_RETURN(f->fqdir, mem, sum);
	WRITE(q, fragments, NULL);
	WRITE(q, fragments_tail, NULL);
}

static void free_queue(struct inet_frags *f, void *q)
{
	if (f->cachep)
		kmem_cache_free(f->cachep, q);
	else
		kfree(q);
}

static void inet_frag_destroy_rcu(void *object)
{
	struct inet_frag_queue *q = object;
	struct kernel *kernel = this_kernel();

	free_queue(q->object.type == &kernel->types[STRUCT_ipq] ?
		   kernel->ipv4->frags : kernel->ipv6->frags, q);
}

static void inet_frag_destroy(struct inet_frags *f, struct inet_frag_queue *q)
{
	FUNCTION(inet_frag_destroy);
	inet_frag_flush(f, q);
	(void)ATOMIC_SUB_RETURN(f->fqdir, mem, q->object.type->size);
	if (f->destructor)
		f->destructor(q);
	if (has(FRAG_RHASHTABLE))
		CALL_RCU(q, rcu, inet_frag_destroy_rcu);
	else
		free_queue(f, q);
}

void inet_frag_put(struct inet_frags *f, struct inet_frag_queue *q)
{
	if (ATOMIC_DEC_AND_TEST(q, refcnt))
		inet_frag_destroy(f, q);
}

/* ---- when memory runs short ---- */

static bool is_above(const struct fqdir *fqdir, u32 thresh)
{
	return READ_ONCE(fqdir, mem) > thresh;
}

u32 inet_frag_evictor(struct inet_frags *f)
{
	struct inet_frag_queue *q;
	u32 evicted = 0;

	if (has(FRAG_EVICT_WORKER) ||
	    !is_above(f->fqdir, READ(f->fqdir, high_thresh)))
		return 0;
	FUNCTION(inet_frag_evictor);
	while (is_above(f->fqdir, READ(f->fqdir, low_thresh))) {
		lru_lock(f);
		q = READ(f->fqdir, lru_first);
		if (q)
			ATOMIC_INC(q, refcnt);
		lru_unlock(f);
		if (!q)
			break;
		SPIN_LOCK(q, lock);
		if (!(READ(q, last_in) & INET_FRAG_COMPLETE))
			inet_frag_kill(f, q);
		SPIN_UNLOCK(q, lock);
		inet_frag_put(f, q);
		evicted++;
	}
	return evicted;
}

/* Those of a chain whose timers have not run yet: they run now. */
static void evict_bucket(struct inet_frags *f, struct inet_frag_bucket *bucket)
{
	struct inet_frag_queue *q, *evicted = NULL;

	SPIN_LOCK(bucket, chain_lock);
	for (q = READ(bucket, chain); q; q = READ(q, list)) {
		if (!is_above(f->fqdir, READ(f->fqdir, low_thresh)))
			break;
		if (!del_timer(&q->timer))
			continue;
		UPDATE(q, last_in, |= INET_FRAG_EVICTED);
		q->evicted = evicted;
		evicted = q;
	}
	SPIN_UNLOCK(bucket, chain_lock);
	while (evicted) {
		q = evicted;
		evicted = q->evicted;
		f->frag_expire(&q->timer);
	}
}

static void inet_frag_worker(struct delayed_work *work)
{
	struct inet_frags *f = (struct inet_frags *)(void *)
		((u8 *)work - offsetof(struct inet_frags, frags_work));
	u32 i;

	FUNCTION(inet_frag_worker);
	for (i = 0; i < EVICT_BUCKETS; i++) {
		evict_bucket(f, &f->hash[f->next_bucket]);
		f->next_bucket = (f->next_bucket + 1) % f->buckets;
	}
}

/* ---- look-up ---- */

static struct inet_frag_queue *inet_frag_create(struct inet_frags *f,
						struct inet_frag_bucket *bucket,
						const struct frag_key *key)
{
	struct inet_frag_queue *q, *other;

	FUNCTION(inet_frag_create);
	q = f->init(f, key);
	if (!q)
		return NULL;
	kmemleak_not_leak(q);
	(void)ATOMIC_ADD_RETURN(f->fqdir, mem, q->object.type->size);
	TIMER_SETUP(q, timer, f->frag_expire);
	q->bucket = bucket;
	WRITE(q, refcnt, 3);
	WRITE(q, last_in, 0);
	chain_lock(f, bucket);
	other = look_up(f, bucket, key);	/* another CPU may come first */
	if (!other) {
		mod_timer(&q->timer, JIFFIES() + READ(f->fqdir, timeout));
		WRITE(q, list, READ(bucket, chain));
		WRITE_ONCE(bucket, chain, q);
		if (!has(FRAG_EVICT_WORKER)) {
			UPDATE(f->fqdir, nqueues, += 1);
			if (!has(FRAG_BUCKET_LOCKS))
				lru_add(f->fqdir, q);
		}
	}
	chain_unlock(f, bucket);
	if (other) {
		WRITE(q, last_in, INET_FRAG_COMPLETE);
		WRITE(q, refcnt, 1);
		inet_frag_put(f, q);
	} else if (!has(FRAG_EVICT_WORKER) && has(FRAG_BUCKET_LOCKS)) {
		lru_lock(f);
		lru_add(f->fqdir, q);
		lru_unlock(f);
	}
	return other ? other : q;
}

/* May there be one more? */
static bool may_create(struct inet_frags *f)
{
	s64 mem;

	if (!has(FRAG_EVICT_WORKER))
		return true;
	mem = READ_ONCE(f->fqdir, mem);
	if (!has(FRAG_RHASHTABLE) && mem > READ(f->fqdir, low_thresh))
		schedule_delayed_work(&f->frags_work, 0);
	return mem <= READ(f->fqdir, high_thresh);
}

struct inet_frag_queue *inet_frag_find(struct inet_frags *f, u32 hash,
				       const struct frag_key *key)
{
	struct inet_frag_bucket *bucket = &f->hash[hash & (f->buckets - 1)];
	struct inet_frag_queue *q;

	FUNCTION(inet_frag_find);
	if (has(FRAG_RHASHTABLE)) {
		/* Not even what is there is found then. */
		if (!may_create(f))
			return NULL;
		rcu_read_lock();
		q = look_up(f, bucket, key);
		rcu_read_unlock();
		return q ? q : inet_frag_create(f, bucket, key);
	}
	if (has(FRAG_BUCKET_LOCKS)) {
		SPIN_LOCK(bucket, chain_lock);
		q = look_up(f, bucket, key);
		SPIN_UNLOCK(bucket, chain_lock);
	} else {
		READ_LOCK(f, lock);
		q = look_up(f, bucket, key);
		READ_UNLOCK(f, lock);
	}
	if (q || !may_create(f))
		return q;
	return inet_frag_create(f, bucket, key);
}

/* ---- start and end ---- */

struct inet_frags *inet_frags_init(struct kernel *kernel, const char *cache,
				   enum struct_id id, size_t c_size, u32 timeout)
{
	const struct object_type *type =
		&kernel->types[STRUCT_inet_frag_bucket];
	struct inet_frags *f = STATIC_OBJECT(kernel, inet_frags, 0);
	struct fqdir *fqdir = STATIC_OBJECT(kernel, fqdir, 0);
	struct random_stream salt;
	u32 order = 0, i;
	u64 address;

	random_seed(&salt, kernel->machine->seed, "fragments", id);
	f->rnd = (u32)random_u64(&salt);
	f->buckets = has(FRAG_EVICT_WORKER) && !has(FRAG_RHASHTABLE) ? 1024 : 64;
	f->hash = g_new0(struct inet_frag_bucket, f->buckets);
	while (PAGE_SIZE << order < f->buckets * type->size)
		order++;
	address = machine_alloc_pages(kernel->machine, 0, order);
	if (!address)
		g_error("no memory for the chains of fragments");
	for (i = 0; i < f->buckets; i++) {
		object_init(&f->hash[i].object, type, address + i * type->size);
		f->hash[i].object.state = OBJECT_ALIVE;
	}
	if (has(FRAG_EVICT_WORKER))
		f->cachep = kmem_cache_create(kernel, cache, id, c_size, 0, 0,
					      0);
	if (has(FRAG_EVICT_WORKER) && !has(FRAG_RHASHTABLE)) {
		TIMER_SETUP(f, frags_work.timer, NULL);
		f->frags_work.function = inet_frag_worker;
	}
	fqdir->high_thresh = has(FRAG_MEM_4M) ? 4u << 20 : 256u << 10;
	fqdir->low_thresh = has(FRAG_MEM_4M) ? 3u << 20 : 192u << 10;
	fqdir->timeout = timeout;
	fqdir->max_dist = 64;
	f->fqdir = fqdir;
	return f;
}

/* Nobody runs any more: neither chains nor timers need to be right. */
void inet_frags_fini(struct inet_frags *f)
{
	struct inet_frag_queue *q, *next;
	u32 i;

	if (!f)
		return;
	rcu_barrier();
	for (i = 0; i < f->buckets; i++) {
		for (q = f->hash[i].chain; q; q = next) {
			next = q->list;
			inet_frag_flush(f, q);
			if (f->destructor)
				f->destructor(q);
			free_queue(f, q);
		}
	}
	g_free(f->hash);
}
