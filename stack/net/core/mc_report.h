/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a host tells routers of its groups: the records of IGMPv3 (RFC 3376) and
 * MLDv2 (RFC 3810), which differ in the size of an address only.  The kernel has
 * this twice; here igmp_report.c and mcast_report.c include it, with the names
 * that mc_filter.h speaks of, and each makes and sends the packets.
 *
 * A record is written source by source, into a new packet where the one in hand
 * is full; those that list what is excluded must stay in one, and are cut short.
 */
#ifndef STACK_NET_CORE_MC_REPORT_H
#define STACK_NET_CORE_MC_REPORT_H

#include <string.h>

#include "stack/include/linux/skbuff.h"

#define MC_RECORD_HEAD (4u + MC_ADDR_LEN)

/* The report that is being made. */
struct mc_pack {
	MC_DEV *dev;
	struct sk_buff *skb;	/* NULL: none has been begun */
	u32 room;		/* bytes that it has left */
	u32 records;
	u32 record;		/* where the one in hand starts; 0: none */
	u32 sources;		/* of that one */
};

/* One record of a group: which kind, whether the group or the sources that it
 * names are gone. */
struct mc_record {
	MC_LIST *pmc;
	u8 type;
	bool gdeleted, sdeleted;
};

/* The family's own: begins a packet (sets skb, or leaves it NULL, and room), and
 * sends it. */
static void mc_new_pack(struct mc_pack *pack);
static void mc_send_pack(struct mc_pack *pack);

static bool mc_is_change(u8 type)
{
	return type == MC_ALLOW_NEW_SOURCES || type == MC_BLOCK_OLD_SOURCES;
}

static bool mc_is_answer(u8 type)
{
	return type == MC_MODE_IS_INCLUDE || type == MC_MODE_IS_EXCLUDE;
}

static bool mc_excluded_by_all(MC_LIST *pmc, struct mc_sf *psf)
{
	u64 all = READ_AT(pmc, f_sfcount, MCAST_EXCLUDE);

	return READ_AT(psf, sf_count, MCAST_EXCLUDE) == all;
}

static bool mc_answers(MC_LIST *pmc, struct mc_sf *psf, u8 type)
{
	if (MC_GSQUERY(pmc) && !READ(psf, sf_gsresp))
		return false;
	if (READ(pmc, f_sfmode) == MCAST_INCLUDE)
		return true;
	if (READ_AT(psf, sf_count, MCAST_INCLUDE))
		return type == MC_MODE_IS_INCLUDE;
	return mc_excluded_by_all(pmc, psf);
}

/* Does the record name this source? */
static bool mc_is_in(const struct mc_record *r, struct mc_sf *psf)
{
	bool include = READ(r->pmc, f_sfmode) == MCAST_INCLUDE;

	switch (r->type) {
	case MC_ALLOW_NEW_SOURCES:
		return !r->gdeleted && READ(psf, sf_crcount) &&
		       include != r->sdeleted;
	case MC_BLOCK_OLD_SOURCES:
		if (include && r->gdeleted)
			return true;
		return READ(psf, sf_crcount) && !r->gdeleted &&
		       include == r->sdeleted;
	}
	if (r->gdeleted || r->sdeleted)
		return false;
	if (mc_is_answer(r->type))
		return mc_answers(r->pmc, psf, r->type);
	if (r->type == MC_CHANGE_TO_INCLUDE)
		return READ_AT(psf, sf_count, MCAST_INCLUDE);
	return READ_AT(r->pmc, f_sfcount, MCAST_EXCLUDE) &&
	       !READ_AT(psf, sf_count, MCAST_INCLUDE) &&
	       mc_excluded_by_all(r->pmc, psf);
}

/* ---- packets ---- */

static void mc_end_record(struct mc_pack *pack)
{
	if (!pack->record)
		return;
	put_be16(skb_bytes(pack->skb, pack->record) + 2, (u16)pack->sources);
	WRITE_SKB_DATA(pack->skb, pack->record + 2, 2);
	pack->record = 0;
}

static void mc_send(struct mc_pack *pack)
{
	if (!pack->skb)
		return;
	mc_end_record(pack);
	mc_send_pack(pack);
	pack->skb = NULL;
	pack->room = 0;
	pack->records = 0;
}

/* Room for so many bytes, in a new packet if need be. */
static bool mc_make_room(struct mc_pack *pack, u32 len)
{
	if (pack->skb && pack->room >= len)
		return true;
	mc_send(pack);
	mc_new_pack(pack);
	return pack->skb && pack->room >= len;
}

static u8 *mc_put(struct mc_pack *pack, u32 len, u32 *at)
{
	*at = skb_put(pack->skb, len);
	pack->room -= len;
	WRITE_SKB_DATA(pack->skb, *at, len);
	return skb_bytes(pack->skb, *at);
}

static bool mc_begin_record(struct mc_pack *pack, const struct mc_record *r,
			    u32 more)
{
	u8 *p;

	if (!mc_make_room(pack, MC_RECORD_HEAD + more))
		return false;
	p = mc_put(pack, MC_RECORD_HEAD, &pack->record);
	p[0] = r->type;
	p[1] = 0;		/* no auxiliary data */
	put_be16(p + 2, 0);
	MC_PUT_ADDR(p + 4, MC_GROUP(r->pmc));
	pack->sources = 0;
	pack->records++;
	return true;
}

/* False: it finds no room. */
static bool mc_put_source(struct mc_pack *pack, const struct mc_record *r,
			  struct mc_sf *psf, bool truncate)
{
	u32 at;
	u8 *p;

	if (pack->record && pack->room < MC_ADDR_LEN) {
		if (truncate)
			return false;
		mc_end_record(pack);
	}
	if (!pack->record && !mc_begin_record(pack, r, MC_ADDR_LEN))
		return false;
	p = mc_put(pack, MC_ADDR_LEN, &at);
	MC_PUT_ADDR(p, MC_SF_ADDR(psf));
	pack->sources++;
	return true;
}

/* ---- records ---- */

/* One report of the source is done; a source that is gone goes after its last.
 * False: it did. */
static bool mc_count_down(const struct mc_record *r, struct mc_sf *psf,
			  struct mc_sf *prev)
{
	struct mc_sf *next;

	UPDATE(psf, sf_crcount, -= 1);
	if (psf->sf_crcount || !(r->sdeleted || r->gdeleted))
		return true;
	next = READ(psf, sf_next);
	if (prev)
		WRITE_ONCE(prev, sf_next, next);
	else if (r->sdeleted)
		WRITE(r->pmc, f_tomb, next);
	else
		WRITE_ONCE(r->pmc, f_sources, next);
	KFREE_RCU(psf, rcu);
	return false;
}

/* A change of mode says it all (RFC 3376, 5.1), which Linux came to heed. */
static bool mc_mode_says_it(const struct mc_record *r)
{
	if (!has(MC_MODE_CHANGE_ONLY))
		return false;
	if (r->gdeleted)
		return READ(r->pmc, f_sfmode) == MCAST_EXCLUDE;
	return READ(r->pmc, f_crcount);
}

static u32 mc_fresh_packet_size(const struct mc_record *r)
{
	struct mc_sf *psf = READ(r->pmc, f_sources);
	u32 size = MC_RECORD_HEAD;

	for (; psf; psf = READ(psf, sf_next))
		if (mc_is_in(r, psf))
			size += MC_ADDR_LEN;
	return size;
}

static u32 mc_put_sources(struct mc_pack *pack, const struct mc_record *r,
			  bool truncate)
{
	struct mc_sf *psf, *next, *prev = NULL;
	bool counts = mc_is_change(r->type);
	u32 total = 0;

	psf = r->sdeleted ? READ(r->pmc, f_tomb) : READ(r->pmc, f_sources);
	for (; psf; psf = next) {
		bool left, put = true;

		next = READ(psf, sf_next);
		if (!mc_is_in(r, psf)) {
			prev = psf;
			continue;
		}
		left = counts && READ(psf, sf_crcount);
		if (left && mc_mode_says_it(r))
			put = false;
		if (mc_is_answer(r->type))
			WRITE(psf, sf_gsresp, 0);
		if (put && !mc_put_source(pack, r, psf, truncate))
			break;
		total += put;
		if (!left || mc_count_down(r, psf, prev))
			prev = psf;
	}
	return total;
}

/* One record, with the group's lock. */
static void mc_add_record(struct mc_pack *pack, MC_LIST *pmc, u8 type,
			  bool gdeleted, bool sdeleted)
{
	const struct mc_record r = { pmc, type, gdeleted, sdeleted };
	bool answer = mc_is_answer(type);
	bool truncate = type == MC_MODE_IS_EXCLUDE ||
			type == MC_CHANGE_TO_EXCLUDE;

	FUNCTION(add_grec);
	if (truncate && pack->records && pack->room < mc_fresh_packet_size(&r))
		mc_send(pack);
	if (!mc_put_sources(pack, &r, truncate) && !mc_is_change(type) &&
	    (answer || READ(pmc, f_crcount)))
		(void)mc_begin_record(pack, &r, 0);
	if (pack->skb)
		mc_end_record(pack);
	if (answer)
		MC_CLEAR_GSQUERY(pmc);
}

/* The state as it is. */
static void mc_add_state(struct mc_pack *pack, MC_LIST *pmc)
{
	MC_LOCK(pmc);
	mc_add_record(pack, pmc, READ_AT(pmc, f_sfcount, MCAST_EXCLUDE) ?
		      MC_MODE_IS_EXCLUDE : MC_MODE_IS_INCLUDE, false, false);
	MC_UNLOCK(pmc);
}

/* What has changed of a group that is still there. */
static void mc_add_changes(struct mc_pack *pack, MC_LIST *pmc)
{
	bool exclude;

	MC_LOCK(pmc);
	exclude = READ_AT(pmc, f_sfcount, MCAST_EXCLUDE);
	mc_add_record(pack, pmc, exclude ? MC_BLOCK_OLD_SOURCES :
		      MC_ALLOW_NEW_SOURCES, false, false);
	mc_add_record(pack, pmc, exclude ? MC_ALLOW_NEW_SOURCES :
		      MC_BLOCK_OLD_SOURCES, false, true);
	if (READ(pmc, f_crcount)) {
		mc_add_record(pack, pmc, READ(pmc, f_sfmode) == MCAST_EXCLUDE ?
			      MC_CHANGE_TO_EXCLUDE : MC_CHANGE_TO_INCLUDE,
			      false, false);
		UPDATE(pmc, f_crcount, -= 1);
	}
	MC_UNLOCK(pmc);
}

/* Sources of which nothing is left to tell. */
static struct mc_sf *mc_clear_zeros(struct mc_sf *psf)
{
	struct mc_sf *first = NULL, *last = NULL, *next;

	for (; psf; psf = next) {
		next = READ(psf, sf_next);
		if (READ(psf, sf_crcount)) {
			if (!first)
				first = psf;
			last = psf;
			continue;
		}
		if (last)
			WRITE_ONCE(last, sf_next, next);
		KFREE_RCU(psf, rcu);
	}
	return first;
}

/* What is to be told of a group that is gone.  False: no more. */
static bool mc_add_departure(struct mc_pack *pack, MC_LIST *pmc)
{
	if (READ(pmc, f_sfmode) == MCAST_INCLUDE) {
		mc_add_record(pack, pmc, MC_BLOCK_OLD_SOURCES, true, false);
		mc_add_record(pack, pmc, MC_BLOCK_OLD_SOURCES, true, true);
	}
	if (READ(pmc, f_crcount)) {
		if (READ(pmc, f_sfmode) == MCAST_EXCLUDE)
			mc_add_record(pack, pmc, MC_CHANGE_TO_INCLUDE, true,
				      false);
		UPDATE(pmc, f_crcount, -= 1);
		if (!pmc->f_crcount) {
			struct mc_sf *tomb = READ(pmc, f_tomb);
			struct mc_sf *sources = READ(pmc, f_sources);

			WRITE(pmc, f_tomb, mc_clear_zeros(tomb));
			WRITE(pmc, f_sources, mc_clear_zeros(sources));
		}
	}
	return READ(pmc, f_crcount) || READ(pmc, f_tomb) ||
	       READ(pmc, f_sources);
}

/* ---- a query that names sources ---- */

static bool mc_is_asked(struct mc_sf *psf, u32 n, const MC_ADDR *sources)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (MC_EQUAL(MC_SF_ADDR(psf), sources[i]))
			return true;
	return false;
}

/* How many of them the group excludes, or includes and has marked. */
static u32 mc_mark(MC_LIST *pmc, bool exclude, u32 n, const MC_ADDR *sources)
{
	struct mc_sf *psf = READ(pmc, f_sources);
	u32 found = 0;

	for (; psf && found < n; psf = READ(psf, sf_next)) {
		if (exclude && (READ_AT(psf, sf_count, MCAST_INCLUDE) ||
				!mc_excluded_by_all(pmc, psf)))
			continue;
		if (!mc_is_asked(psf, n, sources))
			continue;
		found++;
		if (!exclude)
			WRITE(psf, sf_gsresp, 1);
	}
	return found;
}

/* A group that excludes no more than some of those that the query names wants
 * to hear the others. */
bool MC_MARKSOURCES(MC_LIST *pmc, u32 n, const MC_ADDR *sources)
{
	bool exclude = READ(pmc, f_sfmode) == MCAST_EXCLUDE;
	u32 found = mc_mark(pmc, exclude, n, sources);

	FUNCTION(igmp_marksources);
	if (!exclude)
		return found;
	MC_CLEAR_GSQUERY(pmc);
	return found < n;
}

/* ---- reports ---- */

void MC_SEND_REPORT(MC_DEV *dev, MC_LIST *pmc)
{
	struct mc_pack pack = { .dev = dev };

	FUNCTION(igmpv3_send_report);
	if (pmc) {
		mc_add_state(&pack, pmc);
	} else {
		rcu_read_lock();
		pmc = READ_ONCE(dev, d_groups);
		for (; pmc; pmc = READ_ONCE(pmc, f_next))
			if (!MC_SILENT(pmc))
				mc_add_state(&pack, pmc);
		rcu_read_unlock();
	}
	mc_send(&pack);
}

/* Those that are gone; what has nothing more to tell goes for good. */
static void mc_add_departed(struct mc_pack *pack, MC_DEV *dev)
{
	MC_LIST *pmc, *next, *prev = NULL;

	SPIN_LOCK_BH(dev, d_tomb_lock);
	for (pmc = READ(dev, d_tomb); pmc; pmc = next) {
		next = READ(pmc, f_next);
		if (mc_add_departure(pack, pmc)) {
			prev = pmc;
			continue;
		}
		if (prev)
			WRITE(prev, f_next, next);
		else
			WRITE(dev, d_tomb, next);
		kfree(pmc);
	}
	SPIN_UNLOCK_BH(dev, d_tomb_lock);
}

void MC_SEND_CR(MC_DEV *dev)
{
	struct mc_pack pack = { .dev = dev };
	MC_LIST *pmc;

	FUNCTION(igmpv3_send_cr);
	rcu_read_lock();
	mc_add_departed(&pack, dev);
	for (pmc = READ_ONCE(dev, d_groups); pmc; pmc = READ_ONCE(pmc, f_next))
		mc_add_changes(&pack, pmc);
	rcu_read_unlock();
	mc_send(&pack);
}

#endif
