/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models drivers/char/random.c and lib/random32.c. */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/random.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/udp.h"

/* Three shift registers, later four; their words are one line. */
static u32 prandom_u32(u32 number)
{
	struct udp_room *room = this_kernel()->ipv4->udp;
	struct net_rand_state *state = room->net_rand_state[this_cpu->id];

	FUNCTION(prandom_u32);
	UPDATE(state, s1, ^= number);
	UPDATE(state, s2, ^= number);
	UPDATE(state, s3, ^= number);
	if (has(PRANDOM_TAUS113))
		UPDATE(state, s4, ^= number);
	return number;
}

/* Two blocks of the cipher fill the batch anew. */
static void get_random_bytes(struct batched_entropy_u32 *batch, u64 generation)
{
	u32 i;

	FUNCTION(_get_random_bytes);
	for (i = 0; i < BATCHED_ENTROPY; i += 2)
		WRITE_AT(batch, entropy, i, 1);
	WRITE(batch, position, 0);
	WRITE(batch, generation, generation);
}

/* A number is wiped when it is taken. */
static u32 batched_u32(u32 number)
{
	struct udp_room *room = this_kernel()->ipv4->udp;
	struct batched_entropy_u32 *batch =
		room->batched_entropy_u32[this_cpu->id];
	u64 generation;
	u32 position;

	FUNCTION(get_random_u32);
	STACK_PROTECTOR();
	THIS_CPU_PTR();
	generation = READ_ONCE(room->base_crng, generation);
	position = READ(batch, position);
	if (position >= BATCHED_ENTROPY ||
	    generation != READ(batch, generation)) {
		get_random_bytes(batch, generation);
		position = 0;
	}
	(void)READ_AT(batch, entropy, position);
	WRITE_AT(batch, entropy, position, 0);
	WRITE(batch, position, position + 1);
	return number;
}

u32 get_random_u32_of(struct random_stream *stream)
{
	u32 number = (u32)(random_u64(stream) >> 32);

	return has(GET_RANDOM_BATCH) ? batched_u32(number) :
	       prandom_u32(number);
}

u32 get_random_u32(void)
{
	struct udp_room *room = this_kernel()->ipv4->udp;

	return get_random_u32_of(&room->ports[this_cpu->id]);
}

void random_init(struct kernel *kernel)
{
	struct udp_room *room = kernel->ipv4->udp;
	u32 i, n = kernel->machine->num_cpus;

	room->ports = g_new0(struct random_stream, n);
	room->net_rand_state = g_new0(struct net_rand_state *, n);
	room->batched_entropy_u32 = g_new0(struct batched_entropy_u32 *, n);
	room->base_crng = STATIC_OBJECT(kernel, base_crng, 0);
	for (i = 0; i < n; i++) {
		u32 node = kernel->machine->cpus[i].package;

		random_seed(&room->ports[i], kernel->machine->seed, "ports", i);
		room->net_rand_state[i] =
			STATIC_OBJECT(kernel, net_rand_state, node);
		room->batched_entropy_u32[i] =
			STATIC_OBJECT(kernel, batched_entropy_u32, node);
		room->batched_entropy_u32[i]->position = BATCHED_ENTROPY;
	}
}

void random_exit(struct kernel *kernel)
{
	struct udp_room *room = kernel->ipv4->udp;

	g_free(room->ports);
	g_free(room->net_rand_state);
	g_free(room->batched_entropy_u32);
}
