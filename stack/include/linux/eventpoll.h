/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for many sockets at once (include/linux/eventpoll.h), in a small
 * way: see fs/eventpoll.c. */
#ifndef STACK_LINUX_EVENTPOLL_H
#define STACK_LINUX_EVENTPOLL_H

#include "stack/include/linux/wait.h"

struct eventpoll;

/* For the one task that runs on a CPU; the memory is the host's. */
struct eventpoll *eventpoll_new(struct cpu *cpu);
void eventpoll_free(struct eventpoll *ep);

/* epoll_ctl(EPOLL_CTL_ADD); 0 or -errno. */
int sys_epoll_ctl_add(struct eventpoll *ep, int fd);
/* Takes a descriptor off again; close() does that by itself in the kernel. */
void eventpoll_release_file(struct eventpoll *ep, int fd);
/* epoll_wait() for one event, until a time; the descriptor, or -1. */
int sys_epoll_wait(struct eventpoll *ep, ps_t until);

#endif
