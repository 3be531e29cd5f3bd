/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models what kernel/rcu/tree.c does at the start: the tree of nodes, sized by
 * the number of CPUs, and the limits. */
#include "sim/check.h"
#include "stack/include/linux/jiffies.h"
#include "stack/kernel/rcu.h"

#define DEFAULT_RCU_QOVLD_MULT 2
#define STALL_SECONDS 21

/* ---- the times of grace periods ---- */

void rcu_note_gp_start(struct rcu_state *state)
{
	u64 now = JIFFIES();

	state->gp_began = this_cpu->clock;
	WRITE(state, gp_start, now);
	WRITE(state, jiffies_resched, now + STALL_SECONDS * HZ / 2);
}

void rcu_note_gp_end(struct rcu_state *state)
{
	u64 now = JIFFIES();
	u64 took = now - READ(state, gp_start);
	ps_t length = this_cpu->clock - MIN(state->gp_began, this_cpu->clock);

	state->report.grace_periods++;
	state->report.sum += length;
	state->report.longest = MAX(state->report.longest, length);
	if (took > READ(state, gp_max))
		WRITE(state, gp_max, took);
}

struct rcu_report rcu_get_report(const struct kernel *kernel)
{
	struct rcu_report report = kernel->rcu->state->report;
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++) {
		s64 most = kernel->percpu[i].rcu_data->waiting_most;

		report.waiting_most = MAX(report.waiting_most, (u64)most);
	}
	return report;
}

s64 rcu_max_blimit(void)
{
	return has(RCU_BATCH_TIME) ? 10000 : INT64_MAX;
}

/* ---- the start ---- */

static struct rcu_node *make_node(struct kernel *kernel, u32 first, u32 last)
{
	struct rcu_node *rnp = STATIC_OBJECT(kernel, rcu_node, 0);

	rnp->grplo = first;
	rnp->grphi = last;
	return rnp;
}

static void make_leaves(struct kernel *kernel, struct rcu_state *state)
{
	u32 cpus = kernel->machine->num_cpus, n = 0, first;

	state->nodes[n++] = make_node(kernel, 0, cpus - 1);
	if (cpus > RCU_LEAF_FANOUT)
		for (first = 0; first < cpus; first += RCU_LEAF_FANOUT) {
			struct rcu_node *leaf = make_node(kernel, first,
				MIN(first + RCU_LEAF_FANOUT, cpus) - 1);

			leaf->parent = state->nodes[0];
			leaf->grpmask = 1ull << (n - 1);
			state->nodes[0]->qsmaskinit |= leaf->grpmask;
			state->nodes[n++] = leaf;
		}
	state->num_nodes = n;
	state->first_leaf = n > 1;
}

static void init_cpu(struct kernel *kernel, u32 cpu)
{
	const struct rcu_state *state = kernel->rcu->state;
	u32 node = kernel->machine->cpus[cpu].package;
	struct percpu_area *area = &kernel->percpu[cpu];
	struct rcu_data *rdp = STATIC_OBJECT(kernel, rcu_data, node);

	rcu_segcblist_init(rdp);
	rdp->cpu = cpu;
	rdp->mynode = state->nodes[state->first_leaf + cpu / RCU_LEAF_FANOUT];
	rdp->grpmask = 1ull << cpu % RCU_LEAF_FANOUT;
	rdp->mynode->qsmaskinit |= rdp->grpmask;
	rdp->blimit = kernel->rcu->tunables->blimit;
	area->rcu_data = rdp;
	area->rcu_dynticks = STATIC_OBJECT(kernel, rcu_dynticks, node);
	area->context_tracking = STATIC_OBJECT(kernel, context_tracking, node);
}

/* A jiffy, two with short ones, three with the shortest; more on machines of
 * more than 256 CPUs. */
static u64 default_fqs_jiffies(const struct kernel *kernel)
{
	u32 hz = kernel->parameters.hz;

	return 1 + (hz > 250) + (hz > 500) + kernel->machine->num_cpus / 256;
}

static void set_tunables(struct kernel *kernel, struct rcu_tunables *t)
{
	const struct rcu_parameters *p = &kernel->parameters.rcu;
	u32 hz = kernel->parameters.hz;
	u64 fqs = default_fqs_jiffies(kernel);

	t->blimit = p->blimit ? p->blimit : 10;
	t->qhimark = p->qhimark ? p->qhimark : 10000;
	t->qlowmark = p->qlowmark ? p->qlowmark : 100;
	t->qovld_calc = DEFAULT_RCU_QOVLD_MULT * t->qhimark;
	t->jiffies_till_first_fqs = p->first_fqs ? p->first_fqs : fqs;
	t->jiffies_till_next_fqs = p->next_fqs ? p->next_fqs : fqs;
	t->jiffies_till_sched_qs = hz / 20;
	if (kernel_has(kernel, RCU_GP_SEQ))
		t->jiffies_till_sched_qs = MAX(t->jiffies_till_first_fqs +
					       2 * t->jiffies_till_next_fqs,
					       hz / 10);
}

void rcu_init(struct kernel *kernel)
{
	struct rcu *rcu = g_new0(struct rcu, 1);
	u32 i, cpus = kernel->machine->num_cpus;

	kernel->rcu = rcu;
	rcu->state = STATIC_OBJECT(kernel, rcu_state, 0);
	rcu->tunables = STATIC_OBJECT(kernel, rcu_tunables, 0);
	rcu->state->nodes = g_new0(struct rcu_node *,
				   2 + cpus / RCU_LEAF_FANOUT + 1);
	set_tunables(kernel, rcu->tunables);
	make_leaves(kernel, rcu->state);
	for (i = 0; i < cpus; i++)
		init_cpu(kernel, i);
}

/* ---- the end ---- */

static void invoke_all(struct rcu_data *rdp)
{
	struct rcu_head *head = rdp->cblist.head;

	rcu_segcblist_init(rdp);
	rdp->cblist.len = 0;
	memset(rdp->cblist.seglen, 0, sizeof(rdp->cblist.seglen));
	while (head) {
		struct rcu_head *next = head->next;

		head->func->function(rcu_object(head));
		head = next;
	}
}

void rcu_barrier(void)
{
	const struct kernel *kernel = this_kernel();
	u32 i;

	check_order_all(kernel->machine);
	for (i = 0; i < kernel->machine->num_cpus; i++)
		while (kernel->percpu[i].rcu_data->cblist.head)
			invoke_all(kernel->percpu[i].rcu_data);
}

void rcu_exit(struct kernel *kernel)
{
	if (!kernel->rcu)
		return;
	if (kernel->time)
		rcu_barrier();
	kthread_free(kernel->rcu->state->gp_kthread);
	g_free(kernel->rcu->state->nodes);
	g_free(kernel->rcu);
	kernel->rcu = NULL;
}
