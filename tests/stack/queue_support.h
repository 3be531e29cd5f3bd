/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device with several transmit queues whose driver is the test: it notes
 * what it gets, from which CPU and through which queue, and frees it.
 *
 *	mq0	02:00:00:00:00:03, 10.3.0.1/24
 *	10.3.0.2 to 10.3.0.9 on it, reachable
 */
#ifndef TESTS_STACK_QUEUE_SUPPORT_H
#define TESTS_STACK_QUEUE_SUPPORT_H

#include "net_support.h"
#include "stack/include/net/sch_generic.h"

#define QUEUE_MAX_SENT 4096u
#define QUEUE_PEER(n) IP(10, 3, 0, 1 + (n))	/* n from 1 to 8 */

struct queue_device {
	struct net_fixture *net;
	struct net_device *dev;
	struct {
		u8 mark;	/* the last byte */
		u16 queue;
		u32 cpu;
		u32 number;	/* which packet of queue_send() it is */
	} sent[QUEUE_MAX_SENT];
	u32 num_sent;
	u32 num_made;
	u32 refuse;		/* so many are refused first */
	u32 unlocked;		/* calls without the queue's lock */
};

struct queue_device *queue_device_new(struct net_fixture *net, u32 queues,
				      u32 tx_queue_len);
void queue_device_free(struct queue_device *q);

/* In a process: a packet that ends with this mark, without a socket; what
 * dev_queue_xmit() says. */
int queue_send(struct queue_device *q, u8 mark, u32 priority);

Suite *suite_pick_tx(void);
Suite *suite_pick_tx6(void);
Suite *suite_qdisc(void);

#endif
