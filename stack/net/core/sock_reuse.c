/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's own: how warm the memory is that a new socket gets.  An
 * allocator that hands back what has just been freed gives lines that the
 * core still holds; one whose objects wait for a grace period does not.
 */
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/sock.h"

/* A socket is hot when its core holds most of its lines. */
void sock_count_reuse(const struct sock *sk)
{
	struct socket_room *room = this_kernel()->net_core->sockets;
	const struct object *object = &sk->object;
	u32 lines = (object->type->size + LINE_SIZE - 1) / LINE_SIZE;

	room->sockets_made++;
	if (2 * cache_count_held(this_cpu, object->line, lines) > lines)
		room->sockets_hot++;
}
