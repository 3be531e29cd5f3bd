/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/slab.c: what SLAB does on each CPU each two seconds: it gives back a part
 * of the objects that have not been used since, and some free slabs.
 */
#include <string.h>

#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/percpu.h"
#include "stack/mm/slab.h"

#define REAPTIMEOUT_CPUC 2u	/* seconds */
#define REAPTIMEOUT_LIST3 (4 * PS_PER_S)

#define WORK_NEXT_CACHE 24	/* instructions of one round of a loop */

/* Gives back a fifth of what an untouched array may hold. */
static void drain_array(struct kmem_cache *cachep, struct kmem_list3 *l3,
			struct array_cache *ac, u32 node)
{
	FUNCTION(drain_array);
	struct list_head gone;
	u32 tofree, avail;

	/* A shared array is looked at without its lock. */
	if (!ac || !READ_ONCE(ac, avail))
		return;
	if (READ_ONCE(ac, touched)) {
		WRITE_ONCE(ac, touched, 0);
		return;
	}
	list_init(&gone);
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(l3, list_lock);
	avail = READ(ac, avail);
	tofree = (READ(ac, limit) + 4) / 5;
	if (tofree > avail)
		tofree = (avail + 1) / 2;
	if (tofree) {
		READ_ELEMENT(ac, entry, 0, 8 * tofree);
		free_block(cachep, ac->entry, tofree, node, &gone);
		ac_drop_oldest(ac, tofree);
	}
	SPIN_UNLOCK(l3, list_lock);
	cpu_irq_enable(this_cpu);
	destroy_gone(cachep, &gone);
}

static void drain_freelist(struct kmem_cache *cachep, struct kmem_list3 *l3,
			   u32 tofree)
{
	FUNCTION(drain_freelist);
	struct list_head *p;

	for (; tofree; tofree--) {
		struct slab *slabp;

		cpu_irq_disable(this_cpu);
		SPIN_LOCK(l3, list_lock);
		p = READ(l3, slabs_free).prev;
		if (p == &l3->slabs_free) {
			SPIN_UNLOCK(l3, list_lock);
			cpu_irq_enable(this_cpu);
			return;
		}
		slabp = container_of(p, struct slab, list);
		slab_list_del(l3, slabp);
		UPDATE(l3, free_objects, -= cachep->num);
		SPIN_UNLOCK(l3, list_lock);
		cpu_irq_enable(this_cpu);
		slab_destroy(cachep, slabp);
	}
}

/* Drains the aliens of one node, another one at each reap. */
static void reap_alien(struct kmem_cache *cachep, struct kmem_list3 *l3,
		       u32 node)
{
	struct alien_cache *alien;
	struct list_head gone;

	(void)READ(l3, alien);
	alien = l3->alien[node];
	if (!alien || !READ_ONCE(&alien->ac, avail))
		return;
	list_init(&gone);
	cpu_irq_disable(this_cpu);
	if (!SPIN_TRYLOCK(alien, lock)) {
		cpu_irq_enable(this_cpu);
		return;
	}
	__drain_alien_cache(cachep, &alien->ac, node, &gone);
	SPIN_UNLOCK(alien, lock);
	cpu_irq_enable(this_cpu);
	destroy_gone(cachep, &gone);
}

static void reap_cache(struct kmem_cache *cachep)
{
	u32 node = this_node(), num = READ(cachep, num);
	ps_t now;
	struct kmem_list3 *l3 = node_list(cachep, node);

	WORK(WORK_NEXT_CACHE);
	reap_alien(cachep, l3, cachep->any.mm->slab_reap_node[this_cpu->id]);
	drain_array(cachep, l3, cpu_cache_get(cachep), node);
	/* The node's part is for the first CPU that comes. */
	now = this_cpu->clock;
	if (READ_ONCE(l3, next_reap) > now)
		return;
	WRITE_ONCE(l3, next_reap, now + REAPTIMEOUT_LIST3);
	drain_array(cachep, l3, READ(l3, shared), node);
	if (READ_ONCE(l3, free_touched))
		WRITE_ONCE(l3, free_touched, 0);
	else
		drain_freelist(cachep, l3,
			       (READ(l3, free_limit) + 5 * num - 1) /
			       (5 * num));
}

void cache_reap(struct mm *mm)
{
	FUNCTION(cache_reap);
	u8 *reap_node = &mm->slab_reap_node[this_cpu->id];
	guint i;

	if (mm->is_slub)
		return;
	for (i = 0; i < mm->caches->len; i++)
		reap_cache(g_ptr_array_index(mm->caches, i));
	*reap_node = (*reap_node + 1) % mm->num_nodes;
}

/* ---- when ---- */

/*
 * round_jiffies_relative(): to a whole second, so that what happens now and
 * then happens at once; but each CPU three jiffies behind the one before.
 */
static u64 rounded_delay(u64 delay, u64 now, u32 cpu)
{
	u64 skew = 3 * cpu, at = now + delay + skew, rest = at % HZ;

	at = rest < HZ / 4 ? at - rest : at - rest + HZ;
	at -= skew;
	return at > now ? at - now : delay;
}

static void reap_work(struct delayed_work *work)
{
	u64 now;

	cache_reap(this_kernel()->mm);
	now = JIFFIES();
	schedule_delayed_work(work, rounded_delay(REAPTIMEOUT_CPUC * HZ, now,
						  this_cpu->id));
}

void cpucache_init(struct kernel *kernel)
{
	struct mm *mm = kernel->mm;
	u32 i, size = kernel->types[STRUCT_slab_reap_work].size;
	u64 now = jiffies_data()->jiffies;

	if (mm->is_slub)
		return;
	for (i = 0; i < mm->num_cpus; i++) {
		struct slab_reap_work *reap =
			BOOT_OBJECT(mm, slab_reap_work,
				    percpu_memory(mm, i, size, 8));

		reap->work.function = reap_work;
		delayed_work_at_boot(&reap->work,
				     MEMBER_ADDRESS(reap, work.timer), i,
				     rounded_delay(HZ, now, i));
	}
}
