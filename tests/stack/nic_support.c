/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two hosts joined by a link; see nic_support.h. */
#include <string.h>

#include "net6_support.h"
#include "nic_support.h"
#include "tests/profile.h"

static const struct machine_profile profile = {
	.name = (char *)"nic",
	.packages = 2,
	.cores = 2,
	.threads = 1,
	.node_bytes = 1ull << 28,
	.smt_milli = 1000,
	.syscall_ps = 50000,
	.l1d = { 64 * 8 * LINE_SIZE, 8 },
	.l2 = { 512 * 8 * LINE_SIZE, 8 },
	.l3 = { 8192 * 16 * LINE_SIZE, 16 },
	TEST_PROFILE_NUMBERS,
};

static void free_frame(void *frame)
{
	g_byte_array_unref(frame);
}

static void capture(void *arg, const u8 *data, u32 len, ps_t now, bool sent)
{
	struct nic_host *host = arg;
	GByteArray *frame = g_byte_array_sized_new(len);

	g_ptr_array_add(sent ? host->sent : host->received,
			g_byte_array_append(frame, data, len));
	if (!sent)
		g_array_append_val(host->times, now);
}

static void start_host(struct nic_fixture *f, u32 i,
		       const struct nic_setup *setup)
{
	struct nic_host *host = &f->host[i];
	g_autofree char *folder = net_folder(setup->kernel);
	struct kernel_config config = { .folder = folder };
	GError *error = NULL;

	host->machine = machine_new(&f->profile, 1 + i, setup->check);
	host->kernel = kernel_new(host->machine, &config, &error);
	if (!host->kernel)
		ck_abort_msg("%s", error->message);
	world_add(f->world, host->machine);
	host->sent = g_ptr_array_new_with_free_func(free_frame);
	host->received = g_ptr_array_new_with_free_func(free_frame);
	host->times = g_array_new(FALSE, FALSE, sizeof(ps_t));
}

static void start_nic(struct nic_fixture *f, u32 i,
		      const struct nic_setup *setup)
{
	struct nic_host *host = &f->host[i];
	const u8 peer[ETH_ALEN] = { 0x02, 0, 0, 0, 0, 0x11 - (u8)i };
	const struct in6_addr own = FD00(1 + (u8)i), other = FD00(2 - (u8)i);
	struct link_end *end = &f->link->ends[i];
	struct nic_config config;
	GError *error = NULL;

	this_cpu = &host->machine->cpus[0];
	nic_config_init(&config, host->kernel);
	config.mac[5] = 0x10 + (u8)i;
	if (setup->configure)
		setup->configure(&config, i);
	end->capture = capture;
	end->capture_arg = host;
	host->dev = nic_new(host->kernel, "eth0", &config, end);
	if (!inet_add_address(host->kernel, host->dev, NIC_ADDRESS(i), 24,
			      &error) ||
	    !inet6_add_address(host->kernel, host->dev, &own, 64, &error))
		ck_abort_msg("%s", error->message);
	if (!setup->strangers) {
		neigh_add(host->kernel, host->dev, NIC_ADDRESS(!i), peer,
			  NUD_REACHABLE);
		neigh_add6(host->kernel, host->dev, &other, peer,
			   NUD_REACHABLE);
	}
	machine_settle(host->machine);
}

struct nic_fixture *nic_fixture_new(const struct nic_setup *setup)
{
	struct nic_fixture *f = g_new0(struct nic_fixture, 1);
	struct link_profile wire = {
		.rate_mbit = setup->rate_mbit ? setup->rate_mbit : 10000,
		.delay = 500 * PS_PER_NS,
	};
	u32 i;

	f->profile = profile;
	if (setup->cores) {
		f->profile.packages = 1;
		f->profile.cores = setup->cores;
	}
	if (setup->node_mib)
		f->profile.node_bytes = (u64)setup->node_mib << 20;
	f->world = world_new(setup->seed ? setup->seed : 3);
	for (i = 0; i < 2; i++)
		start_host(f, i, setup);
	f->link = link_new(f->world, setup->wire ? setup->wire : &wire, f->host[0].machine,
			   f->host[1].machine);
	for (i = 0; i < 2; i++)
		start_nic(f, i, setup);
	return f;
}

void nic_make_friends(struct nic_fixture *f)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		struct nic_host *h = &f->host[i];
		const u8 mac[ETH_ALEN] = { 0x02, 0, 0, 0, 0, 0x11 - (u8)i };
		const struct in6_addr peer6 = FD00(2 - (u8)i);

		this_cpu = &h->machine->cpus[0];
		neigh_add(h->kernel, h->dev, NIC_ADDRESS(!i), mac,
			  NUD_PERMANENT);
		neigh_add6(h->kernel, h->dev, &peer6, mac, NUD_PERMANENT);
	}
}

static void end_processes(struct nic_host *host)
{
	while (host->num_contexts) {
		struct context *context = host->contexts[--host->num_contexts];

		this_cpu = context->cpu;
		task_free(host->tasks[host->num_contexts]);
		context_free(context);
	}
}

void nic_end_processes(struct nic_fixture *f)
{
	end_processes(&f->host[0]);
	end_processes(&f->host[1]);
}

void nic_fixture_free(struct nic_fixture *f)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		struct nic_host *host = &f->host[i];

		end_processes(host);
		this_cpu = &host->machine->cpus[0];
		kernel_free(host->kernel);
		g_ptr_array_unref(host->sent);
		g_ptr_array_unref(host->received);
		g_array_unref(host->times);
	}
	link_free(f->link);
	world_free(f->world);
	for (i = 0; i < 2; i++)
		machine_free(f->host[i].machine);
	this_cpu = NULL;
	g_free(f);
}

void nic_process(struct nic_fixture *f, u32 host, u32 cpu,
		 void (*fn)(void *arg), void *arg)
{
	struct nic_host *h = &f->host[host];
	u32 n = h->num_contexts++;

	ck_assert_uint_lt(n, G_N_ELEMENTS(h->contexts));
	this_cpu = &h->machine->cpus[cpu];
	h->tasks[n] = task_new(NULL);
	h->contexts[n] = context_new(this_cpu, "test", fn, arg);
	h->contexts[n]->owner = h->tasks[n];
}

static void sleep_for_ever(void *arg)
{
	(void)arg;
	context_block();
}

/* Someone sleeps on each host, so that what is under way comes to its end. */
void nic_run(struct nic_fixture *f)
{
	nic_process(f, 0, 0, sleep_for_ever, NULL);
	nic_process(f, 1, 0, sleep_for_ever, NULL);
	ck_assert(!world_run(f->world));
}

void nic_run_ticking(struct nic_fixture *f)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		this_cpu = &f->host[i].machine->cpus[0];
		time_start_ticks(f->host[i].kernel);
	}
	ck_assert(world_run(f->world));
}

static void wake(void *arg, ps_t now)
{
	context_wake(arg, now);
}

void nic_sleep(ps_t time)
{
	machine_at(this_cpu->machine, this_cpu->clock + time, EVENT_DEVICE,
		   this_cpu->id, 0, wake, this_cpu->current);
	context_block();
}

/* ---- frames ---- */

const GByteArray *nic_frame(const GPtrArray *frames, u32 index)
{
	ck_assert_uint_lt(index, frames->len);
	return g_ptr_array_index(frames, index);
}

static u32 word(const u8 *p)
{
	return (u32)p[0] << 8 | p[1];
}

/* Not by the model's own. */
u32 nic_sum_words(u32 sum, const u8 *p, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? p[i] : (u32)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

void nic_verify_frame(const GByteArray *frame)
{
	const u8 *ip = frame->data + 14;
	u32 type = word(frame->data + 12), len = frame->len - 14, header, udp;
	u32 sum = 17;

	ck_assert_uint_ge(frame->len, 60);
	if (type == 0x0800) {
		header = (ip[0] & 15u) * 4;
		ck_assert_uint_eq(ip[0] >> 4, 4);
		ck_assert_uint_eq(nic_sum_words(0, ip, header), 0xffff);
		ck_assert_uint_eq(ip[9], 17);
		ck_assert_uint_le(word(ip + 2), len);
		udp = word(ip + 2) - header;
		sum = nic_sum_words(sum, ip + 12, 8);
	} else {
		ck_assert_uint_eq(type, 0x86dd);
		header = 40;
		ck_assert_uint_eq(ip[6], 17);
		udp = word(ip + 4);
		sum = nic_sum_words(sum, ip + 8, 32);
	}
	ck_assert_uint_le(header + udp, len);
	ck_assert_uint_eq(word(ip + header + 4), udp);
	ck_assert_uint_ne(word(ip + header + 6), 0);
	ck_assert_uint_eq(nic_sum_words(sum + udp, ip + header, udp), 0xffff);
}
