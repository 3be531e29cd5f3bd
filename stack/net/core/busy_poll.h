/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader that polls the device that its packets come by. */
#ifndef STACK_NET_CORE_BUSY_POLL_H
#define STACK_NET_CORE_BUSY_POLL_H

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/net/sock.h"

/* For set-up: gives a receive queue its number. */
void napi_hash_add(struct kernel *kernel, struct napi_struct *napi);
/* Notes in a socket which receive queue a packet came by. */
void sk_mark_napi_id(struct sock *sk, struct sk_buff *skb);
/* If the socket may, polls its receive queue for a while.  True: there is a
 * packet now. */
bool sk_busy_loop(struct sock *sk, bool noblock);

#endif
