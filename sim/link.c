/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames on a wire; see link.h. */
#include <glib.h>
#include <string.h>

#include "sim/cpu.h"
#include "sim/link.h"

struct link_frame {
	struct link_frame *next;	/* spare ones */
	struct link_frame *next_all;
	struct link_end *to;
	u32 len;
	u32 room;
	u8 *data;
};

#define PS_PER_BIT_AT_1_MBIT 1000000u

static ps_t wire_time(const struct link *link, u32 bytes)
{
	if (!link->profile.rate_mbit)
		return 0;
	return (ps_t)bytes * 8 * PS_PER_BIT_AT_1_MBIT /
	       link->profile.rate_mbit;
}

static u32 wire_bytes(u32 len)
{
	return LINK_PREAMBLE + MAX(len, LINK_MIN_FRAME) + LINK_FCS;
}

ps_t link_frame_time(const struct link *link, u32 len)
{
	return wire_time(link, wire_bytes(len) + LINK_GAP);
}

struct link *link_new(struct world *world, const struct link_profile *profile,
		      struct machine *a, struct machine *b)
{
	struct link *link = g_new0(struct link, 1);
	struct machine *machines[2] = { a, b };
	u32 i;

	g_assert(profile->delay);
	link->world = world;
	link->profile = *profile;
	for (i = 0; i < 2; i++) {
		struct link_end *end = &link->ends[i];

		end->link = link;
		end->machine = machines[i];
		end->number = 2 * world->num_links + i;
		random_seed(&end->random, world->seed, "link", end->number);
	}
	world->num_links++;
	if (a != b)
		world->lookahead = MIN(world->lookahead, profile->delay);
	return link;
}

void link_free(struct link *link)
{
	struct link_frame *frame, *next;

	if (!link)
		return;
	for (frame = link->all; frame; frame = next) {
		next = frame->next_all;
		g_free(frame->data);
		g_free(frame);
	}
	g_free(link);
}

bool link_is_busy(const struct link *link, ps_t now)
{
	return link->in_flight || link->ends[0].free_at > now ||
	       link->ends[1].free_at > now;
}

static struct link_frame *frame_new(struct link *link, const u8 *data, u32 len)
{
	struct link_frame *frame = link->spare;

	if (frame) {
		link->spare = frame->next;
	} else {
		frame = g_new0(struct link_frame, 1);
		frame->next_all = link->all;
		link->all = frame;
	}
	if (frame->room < len) {
		frame->data = g_realloc(frame->data, len);
		frame->room = len;
	}
	memcpy(frame->data, data, len);
	frame->len = len;
	return frame;
}

static void arrive(void *arg, ps_t now)
{
	struct link_frame *frame = arg;
	struct link_end *end = frame->to;

	end->link->in_flight--;
	end->counters.received++;
	end->counters.received_bytes += frame->len;
	if (end->capture)
		end->capture(end->capture_arg, frame->data, frame->len, now,
			     false);
	if (end->receive)
		end->receive(end->arg, frame->data, frame->len, now);
	frame->next = end->link->spare;
	end->link->spare = frame;
}

/* The frame is on its way, and so may be an answer to it: the sender's machine
 * goes no further than that can come back. */
static void deliver(struct link_end *from, struct link_end *to, const u8 *data,
		    u32 len, ps_t when)
{
	struct link_frame *frame = frame_new(from->link, data, len);
	struct world *world = from->link->world;

	frame->to = to;
	from->link->in_flight++;
	machine_at(to->machine, when, EVENT_DEVICE, to->number, from->number,
		   arrive, frame);
	if (from->machine != to->machine)
		machine_bound(from->machine, when + world->lookahead);
}

ps_t link_send(struct link_end *end, const u8 *data, u32 len, ps_t now)
{
	struct link *link = end->link;
	const struct link_profile *profile = &link->profile;
	struct link_end *to = &link->ends[end == &link->ends[0]];
	ps_t start = MAX(now, end->free_at), arrival;
	bool lost = random_u64(&end->random) >> 32 < profile->loss;
	bool twice = random_u64(&end->random) >> 32 < profile->duplicate;
	bool late = random_u64(&end->random) >> 32 < profile->reorder;

	arrival = start + wire_time(link, wire_bytes(len)) + profile->delay;
	end->free_at = start + link_frame_time(link, len);
	end->counters.sent++;
	end->counters.sent_bytes += len;
	if (end->capture)
		end->capture(end->capture_arg, data, len, now, true);
	if (lost) {
		end->counters.lost++;
		return end->free_at;
	}
	if (late) {
		end->counters.reordered++;
		arrival += profile->reorder_delay;
	}
	deliver(end, to, data, len, arrival);
	if (twice) {
		end->counters.duplicated++;
		deliver(end, to, data, len, arrival);
	}
	return end->free_at;
}
