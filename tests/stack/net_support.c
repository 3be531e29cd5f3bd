/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the suites of stack/net/ share; see net_support.h. */
#include <glib/gstdio.h>

#include "net_support.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/percpu.h"
#include "tests/profile.h"

#define PROCESSES_MAX 4u

/* Round numbers: what these tests look at does not depend on time. */
static const struct machine_profile profile = {
	.name = (char *)"net",
	.packages = 1,
	.cores = 1,
	.threads = 1,
	.node_bytes = 1ull << 30,
	.smt_milli = 1000,
	.syscall_ps = 50000,
	.l1d = { 64 * 8 * LINE_SIZE, 8 },
	.l2 = { 512 * 8 * LINE_SIZE, 8 },
	.l3 = { 8192 * 16 * LINE_SIZE, 16 },
	TEST_PROFILE_NUMBERS,
};

char *net_source_file(const char *path)
{
	const char *top = g_getenv("top_srcdir");

	return g_build_filename(top ? top : ".", path, NULL);
}

char *net_folder(const char *kernel)
{
	g_autofree char *path = g_build_filename("stack/kernels", kernel ?
						 kernel : "linux-3.6", NULL);

	if (kernel && g_path_is_absolute(kernel))
		return g_strdup(kernel);
	return net_source_file(path);
}

char *net_kernel_folder(void)
{
	return net_folder(NULL);
}

/* ---- a folder with one thing changed ---- */

static const char *const files[] = {
	"kernel.ini", "structs.tsv", "costs.tsv"
};

char *net_changed_folder(const char *kernel, const char *file,
			 const char *line, const char *otherwise, u32 *number)
{
	char *folder = g_dir_make_tmp("udpsim-XXXXXX", NULL);
	g_autofree char *from = net_folder(kernel);
	u32 i, k;

	ck_assert_ptr_nonnull(folder);
	*number = 0;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		g_autofree char *source = g_build_filename(from, files[i],
							   NULL);
		g_autofree char *copy = g_build_filename(folder, files[i],
							 NULL);
		g_autoptr(GString) out = g_string_new(NULL);
		g_autofree char *text = NULL;
		g_auto(GStrv) lines = NULL;

		ck_assert(g_file_get_contents(source, &text, NULL, NULL));
		lines = g_strsplit(text, "\n", -1);
		for (k = 0; lines[k]; k++) {
			const char *row = lines[k];

			if (!*number && g_str_equal(files[i], file) &&
			    g_str_has_prefix(row, line)) {
				*number = k + 1;
				row = otherwise;
			}
			if (row)
				g_string_append_printf(out, "%s\n", row);
		}
		ck_assert(g_file_set_contents(copy, out->str, -1, NULL));
	}
	ck_assert_uint_gt(*number, 0);
	return folder;
}

void net_remove_folder(char *folder)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		g_autofree char *path = g_build_filename(folder, files[i],
							 NULL);

		g_unlink(path);
	}
	g_rmdir(folder);
	g_free(folder);
}

/* ---- the fixture ---- */

static void tap(void *arg, const u8 *data, u32 len)
{
	struct net_fixture *net = arg;
	GByteArray *packet = g_byte_array_sized_new(len);

	g_ptr_array_add(net->packets, g_byte_array_append(packet, data, len));
}

static void free_packet(void *packet)
{
	g_byte_array_unref(packet);
}

static void start_kernel(struct net_fixture *net, const struct net_setup *setup)
{
	g_autofree char *folder = net_folder(setup->kernel);
	struct kernel_config config = {
		.folder = folder,
		.patches = setup->patches,
		.layout = setup->layout,
		.parameters = setup->parameters,
	};
	GError *error = NULL;

	net->kernel = kernel_new(net->machine, &config, &error);
	if (!net->kernel)
		ck_abort_msg("%s", error->message);
}

struct net_fixture *net_new(const struct net_setup *setup)
{
	static const u8 lladdr[] = { 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee };
	struct net_fixture *net = g_new0(struct net_fixture, 1);
	GError *error = NULL;

	net->profile = profile;
	net->profile.cores = MAX(setup->cores, 1);
	if (setup->node_mib)
		net->profile.node_bytes = (u64)setup->node_mib << 20;
	net->packets = g_ptr_array_new_with_free_func(free_packet);
	net->machine = machine_new(&net->profile, 1, setup->check);
	start_kernel(net, setup);
	net->dev = dummy_new(net->kernel, "dummy0", 1500,
			     setup->tx_checksumming);
	net->dev->tap = tap;
	net->dev->tap_arg = net;
	if (!inet_add_address(net->kernel, net->dev, NET_LOCAL, 24, &error))
		ck_abort_msg("%s", error->message);
	net->neigh = neigh_add(net->kernel, net->dev, NET_PEER, lladdr,
			       NUD_REACHABLE);
	machine_settle(net->machine);
	return net;
}

void net_free(struct net_fixture *net)
{
	kernel_free(net->kernel);
	machine_free(net->machine);
	g_ptr_array_unref(net->packets);
	g_free(net);
}

/* ---- a kernel by itself ---- */

struct kernel *net_load(const struct kernel_config *config)
{
	GError *error = NULL;
	struct kernel *kernel = kernel_new(machine_new(&profile, 1, false),
					   config, &error);

	if (!kernel)
		ck_abort_msg("%s", error->message);
	return kernel;
}

void net_unload(struct kernel *kernel)
{
	struct machine *machine = kernel->machine;

	kernel_free(kernel);
	machine_free(machine);
}

char *net_refusal(const struct kernel_config *config, int code)
{
	return net_refusal_with(config, code, profile.node_bytes >> 20);
}

char *net_refusal_with(const struct kernel_config *config, int code, u32 mib)
{
	char *message = net_try(config, code, mib);

	ck_assert_ptr_nonnull(message);
	return message;
}

char *net_try(const struct kernel_config *config, int code, u32 mib)
{
	struct machine_profile own = profile;
	struct machine *machine;
	struct kernel *kernel;
	GError *error = NULL;
	char *message;

	if (mib)
		own.node_bytes = (u64)mib << 20;
	machine = machine_new(&own, 1, false);
	kernel = kernel_new(machine, config, &error);
	if (kernel) {
		net_unload(kernel);
		return NULL;
	}
	ck_assert_ptr_null(machine->kernel);
	machine_free(machine);
	ck_assert(g_error_matches(error, KERNEL_ERROR, code));
	message = g_strdup(error->message);
	g_error_free(error);
	return message;
}

/* ---- processes ---- */

static void process_main(void *arg)
{
	const struct net_process *process = arg;

	process->fn(process->arg);
}

void net_run(struct net_fixture *net, const struct net_process *processes,
	     u32 n)
{
	struct context *contexts[PROCESSES_MAX] = { NULL };
	struct task_struct *tasks[PROCESSES_MAX];
	struct cpu *before = this_cpu;
	u32 i;

	ck_assert_uint_le(n, PROCESSES_MAX);
	for (i = 0; i < n; i++) {
		const struct net_process *p = &processes[i];

		this_cpu = &net->machine->cpus[p->cpu];
		tasks[i] = task_new(p->share_files ? tasks[0]->files : NULL);
		contexts[i] = context_new(this_cpu, "test", process_main,
					  (void *)p);
		contexts[i]->owner = tasks[i];
	}
	if (!machine_run(net->machine))
		ck_abort_msg("the processes wait for each other");
	for (i = 0; i < n; i++) {
		this_cpu = &net->machine->cpus[processes[i].cpu];
		ck_assert_uint_eq(has(PREEMPT_COUNT_PERCPU) ?
				  THIS_CPU(preempt_count)->__preempt_count :
				  tasks[i]->stack->preempt_count, 0);
		ck_assert_int_eq(tasks[i]->rcu_read_lock_nesting, 0);
		task_free(tasks[i]);
		context_free(contexts[i]);
	}
	this_cpu = before;
}

void net_run_one(struct net_fixture *net, void (*fn)(void *arg), void *arg)
{
	struct net_process process = { .fn = fn, .arg = arg };

	net_run(net, &process, 1);
}

void net_verify_rules(struct net_fixture *net)
{
	const char *const *findings;

	ck_assert_ptr_nonnull(net->machine->check);
	findings = check_findings(net->machine->check);
	if (*findings) {
		g_autofree char *text = g_strjoinv("; ", (char **)findings);

		ck_abort_msg("%s", text);
	}
}

void net_verify_clean(struct net_fixture *net)
{
	rcu_barrier();	/* what waits for readers is no leak */
	check_leaks(net->machine);
	net_verify_rules(net);
}

/* ---- system calls ---- */

int net_socket(void)
{
	int fd = sys_socket(PF_INET, SOCK_DGRAM, 0);

	ck_assert_int_ge(fd, 0);
	return fd;
}

int net_connect(int fd, u32 daddr, u16 port)
{
	const struct sockaddr_any to = {
		.family = PF_INET, .daddr = daddr, .port = port,
	};

	return sys_connect(fd, &to, SOCKADDR_IN_SIZE);
}

int net_socket_to(u32 daddr)
{
	int fd = net_socket();

	ck_assert_int_eq(net_connect(fd, daddr, NET_PORT), 0);
	return fd;
}

struct sock *net_sk(int fd)
{
	const struct file *file = files_lookup(current_task()->files, (u32)fd);

	return ((const struct socket *)file->private_data)->sk;
}

struct inet_sock *net_inet(int fd)
{
	return (struct inet_sock *)(void *)net_sk(fd);
}

int net_send_to(int fd, const void *data, u32 len, u32 flags, u32 daddr)
{
	const struct sockaddr_any to = {
		.family = PF_INET, .daddr = daddr, .port = NET_PORT,
	};

	return sys_sendto(fd, data, len, flags, &to, SOCKADDR_IN_SIZE);
}

int net_send(int fd, const void *data, u32 len, u32 flags)
{
	return sys_sendto(fd, data, len, flags, NULL, 0);
}

void net_send_n(int fd, u32 n, u32 flags)
{
	u32 i;

	for (i = 0; i < n; i++)
		ck_assert_int_eq(net_send_to(fd, "x", 1, flags, NET_PEER), 1);
}

/* ---- what has happened ---- */

const GByteArray *net_packet(const struct net_fixture *net, u32 index)
{
	ck_assert_uint_lt(index, net->packets->len);
	return g_ptr_array_index(net->packets, index);
}

struct rtable *net_newest_route(const struct net_fixture *net)
{
	const GPtrArray *routes = net->kernel->ipv4->cached_routes;

	ck_assert_uint_gt(routes->len, 0);
	return g_ptr_array_index(routes, routes->len - 1);
}

u64 net_hits(const struct net_fixture *net, const char *type,
	     const char *member, enum access_kind kind)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < num_access_sites(); i++) {
		const struct access_site *site = &__start_access_sites[i];

		if (site->kind == kind && g_str_equal(site->type, type) &&
		    g_str_equal(site->member, member))
			sum += net->machine->account.hits[i];
	}
	return sum;
}

u64 net_atomics(const struct net_fixture *net)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < num_access_sites(); i++)
		if (__start_access_sites[i].kind == ACCESS_ATOMIC)
			sum += net->machine->account.hits[i];
	return sum;
}

/* Calls `see` for each node of the calling-context trees. */
static u64 sum_tree(const struct account *account,
		    const struct call_node *node,
		    u64 (*see)(const struct account *,
			       const struct call_node *, const char *),
		    const char *name)
{
	const struct call_node *callee = node->first;
	u64 sum = see(account, node, name);

	if (!callee)
		return sum;
	do {
		sum += sum_tree(account, callee, see, name);
		callee = callee->next;
	} while (callee != node->first);
	return sum;
}

static u64 node_instructions(const struct account *account,
			     const struct call_node *node, const char *name)
{
	(void)name;
	if (node->function == NO_FUNCTION)
		return node->work;
	return node->work + node->calls *
	       account->costs[node->function].instructions;
}

static u64 node_calls(const struct account *account,
		      const struct call_node *node, const char *name)
{
	(void)account;
	if (node->function == NO_FUNCTION ||
	    !g_str_equal(__start_function_sites[node->function].name, name))
		return 0;
	return node->calls;
}

u64 net_instructions(const struct net_fixture *net)
{
	const struct account *account = &net->machine->account;
	const struct call_node *root;
	u64 sum = 0;

	for (root = account->roots; root; root = root->next)
		sum += sum_tree(account, root, node_instructions, NULL);
	return sum;
}

u64 net_calls(const struct net_fixture *net, const char *function)
{
	const struct account *account = &net->machine->account;
	const struct call_node *root;
	u64 sum = 0;

	for (root = account->roots; root; root = root->next)
		sum += sum_tree(account, root, node_calls, function);
	return sum;
}
