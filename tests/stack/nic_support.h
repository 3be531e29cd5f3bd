/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two hosts with a NIC each, joined by a link, and the frames that the link
 * carried.
 *
 *	host 0	02:00:00:00:00:10, 10.4.0.1/24, fd00::1/64
 *	host 1	02:00:00:00:00:11, 10.4.0.2/24, fd00::2/64
 * Each knows the other as a reachable neighbour, or not at all.
 */
#ifndef TESTS_STACK_NIC_SUPPORT_H
#define TESTS_STACK_NIC_SUPPORT_H

#include "net_support.h"
#include "sim/link.h"
#include "stack/include/linux/nic.h"
#include "stack/include/net/sch_generic.h"

#define NIC_ADDRESS(host) IP(10, 4, 0, 1 + (host))

struct nic_setup {
	const char *kernel;	/* NULL: linux-3.6 */
	u32 cores;		/* 0: four, in two packages */
	bool check;
	bool strangers;		/* no neighbour is known */
	u64 rate_mbit;		/* 0: 10,000 */
	const struct link_profile *wire;	/* NULL: one without faults */
	u64 seed;		/* of the link's faults */
	u32 node_mib;		/* 0: 256 */
	void (*configure)(struct nic_config *config, u32 host);
};

struct nic_host {
	struct machine *machine;
	struct kernel *kernel;
	struct net_device *dev;
	GPtrArray *sent, *received;	/* GByteArray *, at its link's end */
	GArray *times;			/* ps_t, of those received */
	struct context *contexts[8];
	struct task_struct *tasks[8];
	u32 num_contexts;
};

struct nic_fixture {
	struct machine_profile profile;
	struct world *world;
	struct link *link;
	struct nic_host host[2];
};

struct nic_fixture *nic_fixture_new(const struct nic_setup *setup);
void nic_fixture_free(struct nic_fixture *f);

/* Each knows the other for ever, in both families: nobody asks. */
void nic_make_friends(struct nic_fixture *f);

/* A process on a CPU of a host; then they all run.  A host whose processes end
 * is kept awake until nothing is left to do. */
void nic_process(struct nic_fixture *f, u32 host, u32 cpu,
		 void (*fn)(void *arg), void *arg);
void nic_run(struct nic_fixture *f);
/* Both hosts have a tick; and the run goes on until the processes end. */
void nic_run_ticking(struct nic_fixture *f);
/* For code that runs in a process. */
void nic_sleep(ps_t time);

/* After a run, before another one. */
void nic_end_processes(struct nic_fixture *f);

const GByteArray *nic_frame(const GPtrArray *frames, u32 index);
/* A frame of IPv4 or IPv6 with UDP is right in each of its lengths and sums. */
void nic_verify_frame(const GByteArray *frame);
/* The ones' complement sum of 16-bit words (RFC 1071), to which `sum` goes. */
u32 nic_sum_words(u32 sum, const u8 *p, u32 len);

Suite *suite_nic(void);
Suite *suite_campaign(void);
Suite *suite_igmp(void);
Suite *suite_mld(void);
Suite *suite_reassembly(void);
Suite *suite_cork(void);
Suite *suite_fragments(void);
Suite *suite_gso(void);
Suite *suite_receive(void);
Suite *suite_resolve(void);
Suite *suite_softirq(void);
Suite *suite_rps(void);
Suite *suite_unreach(void);

#endif
