/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of RCU (kernel/rcu/tree.h, rcu_segcblist.h): what rcu*.c share.
 *
 * The members bear the names of the newer kernels; the layouts of older ones
 * place them where those kept the same thing under another name (nxtlist,
 * nxttail, qlen, passed_quiesce).  There is one flavour: that of
 * rcu_read_lock(), which without PREEMPT_RCU is the one called sched.
 */
#ifndef STACK_KERNEL_RCU_H
#define STACK_KERNEL_RCU_H

#include "stack/include/linux/kthread.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"

/* Parts of a CPU's list, oldest first: may be invoked, wait for the grace
 * period that runs, for the next one, are not yet given to any. */
enum {
	RCU_DONE_TAIL,
	RCU_WAIT_TAIL,
	RCU_NEXT_READY_TAIL,
	RCU_NEXT_TAIL,
	RCU_CBLIST_NSEGS
};

/* Grace periods are counted by a number whose two lowest bits say whether one
 * runs; kernels before 4.19 have two counters instead, which the model keeps
 * beside it. */
#define RCU_SEQ_MASK 3ull

#define RCU_LEAF_FANOUT 16u

struct rcu_node {
	struct object object;
	struct spinlock lock;
	u64 gp_seq, gpnum, completed;
	u64 gp_seq_needed;	/* the end that somebody waits for */
	u64 qsmask;		/* who has still to pass a quiescent state */
	u64 qsmaskinit;
	u64 cbovldmask;		/* CPUs with far too many callbacks */
	u64 grpmask;		/* its bit in the parent's masks */
	u32 grplo, grphi;	/* its CPUs */
	struct rcu_node *parent;
};

struct rcu_data {
	struct object object;
	/* Grace periods and quiescent states, as this CPU has noticed them. */
	u64 gp_seq, gpnum, completed;
	u64 gp_seq_needed;
	u8 cpu_no_qs;		/* none since it noticed the grace period */
	u8 core_needs_qs;	/* the grace period waits for this CPU */
	struct rcu_node *mynode;
	u64 grpmask;
	u64 ticks_this_gp;
	/* Callbacks. */
	struct {
		struct rcu_head *head, **tails[RCU_CBLIST_NSEGS];
		u64 gp_seq[RCU_CBLIST_NSEGS];
		s64 len, seglen[RCU_CBLIST_NSEGS];
		u8 flags;
	} cblist;
	s64 qlen_last_fqs_check;
	u64 n_cbs_invoked;
	u64 n_force_qs_snap;
	s64 blimit;
	/* What the forcing passes know of it, and ask of it. */
	u32 dynticks_snap;
	u8 rcu_need_heavy_qs, rcu_urgent_qs;
	struct { u64 len; } nocb_bypass;
	u32 cpu;
	/* The model's own. */
	s64 waiting_most;	/* the largest cblist.len so far */
};

/* Odd: the CPU is not idle. */
struct rcu_dynticks {
	struct object object;
	u32 dynticks;
};

/* The same, in newer kernels. */
struct context_tracking {
	struct object object;
	u32 state;
};

enum { RCU_GP_FLAG_INIT = 1, RCU_GP_FLAG_FQS = 2 };
enum { RCU_GP_IDLE, RCU_SAVE_DYNTICK, RCU_FORCE_QS };

struct rcu_state {
	struct object object;
	u64 gp_seq, gpnum, completed;
	u32 gp_flags;		/* RCU_GP_FLAG_* */
	u64 gp_start;		/* jiffies, as the next three */
	u64 jiffies_force_qs;
	u64 jiffies_resched;
	u64 gp_activity;
	u64 n_force_qs;
	u64 gp_max;		/* the longest one so far, in jiffies */
	u32 gp_state;		/* of kernels without the thread */
	u8 fqs_active, fqs_need_gp;
	struct spinlock fqslock, onofflock;
	u32 gp_wq;		/* its lock */
	/* The model's own. */
	struct kthread *gp_kthread;
	struct rcu_node **nodes;	/* the root first, leaves last */
	u32 num_nodes, first_leaf;
	ps_t gp_began;
	struct rcu_report report;
};

/* Tunables, read-mostly. */
struct rcu_tunables {
	struct object object;
	s64 blimit, qhimark, qlowmark, qovld_calc;
	u64 jiffies_till_first_fqs, jiffies_till_next_fqs;
	u64 jiffies_till_sched_qs;
};

/* A task that waits for a grace period. */
struct rcu_synchronize {
	struct object object;
	struct rcu_head head;
	struct semaphore completion;
	struct rcu_synchronize *next_free;	/* the model's own */
};

struct rcu {
	struct rcu_state *state;
	struct rcu_tunables *tunables;
	struct rcu_synchronize *waiters;	/* unused ones */
};

static inline struct rcu_state *rcu_state(void)
{
	return this_kernel()->rcu->state;
}

static inline struct rcu_tunables *rcu_tunables(void)
{
	return this_kernel()->rcu->tunables;
}

static inline struct rcu_data *rcu_data_of(u32 cpu)
{
	return this_kernel()->percpu[cpu].rcu_data;
}

static inline struct rcu_node *rcu_get_root(void)
{
	return rcu_state()->nodes[0];
}

/* ---- numbers of grace periods ---- */

static inline u64 rcu_seq_of(u64 gpnum, u64 completed)
{
	return completed << 2 | (gpnum != completed);
}

#define RCU_GP_SEQ_OF(p) \
	({ \
		u64 seq_; \
		if (has(RCU_GP_SEQ)) { \
			seq_ = READ_ONCE(p, gp_seq); \
		} else { \
			u64 completed_ = READ_ONCE(p, completed); \
			seq_ = rcu_seq_of(READ_ONCE(p, gpnum), completed_); \
		} \
		seq_; \
	})

#define RCU_SET_GP_SEQ(p, seq) \
	do { \
		u64 seq_ = (seq); \
		if (has(RCU_GP_SEQ)) { \
			WRITE_ONCE(p, gp_seq, seq_); \
		} else { \
			WRITE_ONCE(p, completed, seq_ >> 2); \
			WRITE_ONCE(p, gpnum, (seq_ >> 2) + (seq_ & 1)); \
		} \
	} while (0)

static inline bool rcu_seq_running(u64 seq)
{
	return seq & RCU_SEQ_MASK;
}

static inline u64 rcu_seq_end(u64 seq)
{
	return (seq | RCU_SEQ_MASK) + 1;
}

/* Has a grace period ended, has one begun between two numbers? */
static inline bool rcu_seq_completed_gp(u64 before, u64 now)
{
	return before < (now & ~RCU_SEQ_MASK);
}

static inline bool rcu_seq_new_gp(u64 before, u64 now)
{
	return ((before + RCU_SEQ_MASK) & ~RCU_SEQ_MASK) < now;
}

/* ---- rcu_segcblist.c: a CPU's callbacks; interrupts are off ---- */

void rcu_segcblist_init(struct rcu_data *rdp);
bool rcu_segcblist_pend_cbs(struct rcu_data *rdp);
bool rcu_segcblist_ready_cbs(struct rcu_data *rdp);
/* Nothing stands behind a part. */
bool rcu_segcblist_restempty(struct rcu_data *rdp, u32 segment);
void rcu_segcblist_enqueue(struct rcu_data *rdp, struct rcu_head *head);
/* Those whose grace period has ended by `seq` may be invoked. */
void rcu_segcblist_advance(struct rcu_data *rdp, u64 seq);
/* What has come lately waits for `seq`; false: nothing was to be changed. */
bool rcu_segcblist_accelerate(struct rcu_data *rdp, u64 seq);
/* Some may be waiting for a grace period that nobody has started. */
bool rcu_segcblist_future_gp_needed(struct rcu_data *rdp, u64 seq);
/* Without numbers, before 3.9: each part moves up; all wait for the grace
 * period that this CPU starts; those that came wait for the next. */
void rcu_segcblist_shift(struct rcu_data *rdp);
void rcu_segcblist_all_wait(struct rcu_data *rdp);
void rcu_segcblist_next_ready(struct rcu_data *rdp);

/* Callbacks off the list, NULL-ended; `tail` is the last one's link. */
struct rcu_cblist {
	struct rcu_head *head, **tail;
	s64 len;
};

/* Takes those off that may be invoked; puts what is left of them back. */
struct rcu_cblist rcu_segcblist_extract_done(struct rcu_data *rdp);
void rcu_segcblist_insert_done(struct rcu_data *rdp,
			       const struct rcu_cblist *list);

static inline struct object *rcu_object(struct rcu_head *head)
{
	return (struct object *)(void *)((u8 *)head - head->func->offset);
}

/* Charges one of the accesses to an rcu_head that its callback names. */
static inline void rcu_touch(struct rcu_head *head,
			     const struct access_site *site)
{
	const struct object *o = rcu_object(head);

	access_line(o, o->line + o->table[site->offset], site,
		    site->kind == ACCESS_WRITE);
}

/* ---- rcu_core.c ---- */

bool rcu_gp_in_progress(void);
bool rcu_cpu_needs_gp(struct rcu_data *rdp);
/* With the leaf locked; true: the thread has to be woken. */
bool __note_gp_changes(struct rcu_node *rnp, struct rcu_data *rdp);
void note_gp_changes(struct rcu_data *rdp);
bool rcu_accelerate_cbs(struct rcu_node *rnp, struct rcu_data *rdp);
void rcu_accelerate_cbs_unlocked(struct rcu_node *rnp, struct rcu_data *rdp);

/* ---- rcu_batch.c ---- */

void rcu_do_batch(struct rcu_data *rdp);

/* ---- rcu_fqs.c ---- */

/* The node is locked; comes back unlocked. */
void rcu_report_qs_rnp(u64 mask, struct rcu_node *rnp, u64 seq);
void rcu_force_quiescent_state(void);
void force_qs_rnp(bool first_time);

/* ---- rcu_gp.c, rcu_classic.c: with the thread, and before there was one ---- */

bool rcu_start_this_gp(struct rcu_node *leaf, struct rcu_data *rdp, u64 seq);
void rcu_gp_kthread_wake(void);
void rcu_gp_kthread(void *arg);

/* The root is locked; comes back unlocked. */
void rcu_start_gp(void);
void rcu_report_qs_rsp(void);
void rcu_classic_gp_end(void);
void force_quiescent_state(bool relaxed);

/* ---- rcu_setup.c ---- */

void rcu_note_gp_start(struct rcu_state *state);
void rcu_note_gp_end(struct rcu_state *state);
/* What the limit of batches is raised to. */
s64 rcu_max_blimit(void);

#endif
