/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A link: a full-duplex wire between two devices, of one machine or of two.
 *
 * A frame waits until those before it have left, takes its time by the rate
 * and arrives after the delay.  On the way it may be lost, come twice, or come
 * late so that others overtake it, as the link's streams of random numbers
 * say: each direction has its own, and draws as often for each frame whatever
 * the chances are, so that runs with other chances stay paired.
 */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include "sim/random.h"
#include "sim/world.h"

/* What Ethernet adds to a frame on the wire: it is padded to 60 bytes, a check
 * sequence of 4 follows, 8 of preamble go before, and 12 of silence after
 * (IEEE 802.3). */
#define LINK_MIN_FRAME 60u
#define LINK_FCS 4u
#define LINK_PREAMBLE 8u
#define LINK_GAP 12u

#define LINK_CHANCE_ONE (1ull << 32)	/* chances are in parts of this */

struct link_profile {
	u64 rate_mbit;		/* Mbit/s; 0: no time at all */
	ps_t delay;		/* one way, at least 1 */
	u64 loss, duplicate, reorder;	/* of LINK_CHANCE_ONE */
	ps_t reorder_delay;	/* by which a reordered frame is late */
};

struct link_counters {
	u64 sent, sent_bytes;	/* frames that this end sent */
	u64 lost, duplicated, reordered;	/* of these */
	u64 received, received_bytes;	/* frames that came in here */
};

struct link_end {
	struct link *link;
	struct machine *machine;
	u32 number;		/* of all ends of the world */
	/* A frame has come in, in an event of this end's machine; the bytes are
	 * the link's and gone after the call. */
	void (*receive)(void *arg, const u8 *data, u32 len, ps_t now);
	void *arg;
	/* Sees each frame that leaves or enters here; NULL: nobody looks. */
	void (*capture)(void *arg, const u8 *data, u32 len, ps_t now,
			bool sent);
	void *capture_arg;
	ps_t free_at;		/* the wire is taken until then */
	struct random_stream random;
	struct link_counters counters;
};

struct link_frame;

struct link {
	struct world *world;
	struct link_profile profile;
	struct link_end ends[2];
	u32 in_flight;		/* frames that have not arrived */
	struct link_frame *spare;	/* frames that nobody uses */
	struct link_frame *all;
};

/* A link between two machines of a world, which must outlive it; the caller
 * sets receive and arg of both ends. */
struct link *link_new(struct world *world, const struct link_profile *profile,
		      struct machine *a, struct machine *b);
void link_free(struct link *link);

/* A frame is on its way, or the wire is not free yet, either way. */
bool link_is_busy(const struct link *link, ps_t now);

/* How long a frame of `len` bytes takes on the wire, the gap included. */
ps_t link_frame_time(const struct link *link, u32 len);

/*
 * Sends a frame from one end, of `len` bytes from the destination address to
 * the end of the payload.  Called by code of that end's machine or in an event
 * of it, at `now`.  Gives when the wire is free again.
 */
ps_t link_send(struct link_end *end, const u8 *data, u32 len, ps_t now);

#endif
