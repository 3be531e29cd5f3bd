/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What looking up a warmed IPv6 route and its source costs and touches in the
 * model of Linux 6.1, against the traces of a real one: each function's calls,
 * their order and its instructions, and the lines of each kind of object.
 */
#include "ip6_support.h"
#include "sim/cpu.h"
#include "sim/observe.h"

/* The functions of stack/net/ipv6/ on this way. */
static const char *const functions[] = {
	"ip6_route_output_flags", "ip6_route_output_flags_noref",
	"__ipv6_addr_type", "fib6_rule_lookup", "ip6_pol_route_output",
	"ip6_pol_route", "fib6_table_lookup", "fib6_node_lookup",
	"fib6_node_lookup_1", "fib6_backtrack", "__find_rr_leaf",
	"rt6_score_route", "rt6_probe", "fib6_select_path",
	"rt6_find_cached_rt", "__rt6_find_exception_rcu",
	"dev_get_by_index_rcu", "ipv6_dev_get_saddr", "ipv6_addr_label",
	"__ipv6_addr_label", "l3mdev_master_ifindex_rcu",
	"__ipv6_dev_get_saddr", "ipv6_get_saddr_eval", NULL
};

/* What the traces call an object of this type, without what they say of it. */
static const struct {
	const char *type, *object;
} names[] = {
	{ "fib6_info", "fib6_info" },
	{ "fib6_nh", "fib6_info.fib6_nh" },
	{ "rt6i_pcpu", "fib6_nh" },
	{ "fib6_node", "fib6_node" },
	{ "fib6_table", "fib6_local_tbl" },
	{ "fib6_table", "fib6_main_tbl" },
	{ "rt6_info", "rt6_info(pcpu)" },
	{ "rt6_info", "ip6_null_entry" },
	{ "inet6_dev", "inet6_dev" },
	{ "inet6_ifaddr", "inet6_ifaddr" },
	{ "ip6addrlbl_entry", "kmalloc-64" },
	{ "dev_index_head", "kmalloc-2k" },
	{ "ipv6_devconf_all", "devconf_all" },
	{ "net", "init_net" },
	{ "net_device", "net_device" },
};

static struct net_fixture *net;

struct call {
	const char *name;
	u64 instructions;
};

struct look {
	struct observer observer;
	GArray *calls;		/* struct call, in order */
	GHashTable *lines;	/* "type line" */
};

static u64 tree_instructions(const struct call_node *node, const char *name)
{
	const struct call_node *callee = node->first;
	u64 sum = 0;

	if (node->function != NO_FUNCTION &&
	    g_str_equal(__start_function_sites[node->function].name, name))
		sum = node->calls *
		      net->machine->account.costs[node->function].instructions +
		      node->work;
	if (!callee)
		return sum;
	do {
		sum += tree_instructions(callee, name);
		callee = callee->next;
	} while (callee != node->first);
	return sum;
}

static u64 instructions(const char *name)
{
	const struct call_node *root = net->machine->account.roots;
	u64 sum = 0;

	for (; root; root = root->next)
		sum += tree_instructions(root, name);
	return sum;
}

static bool is_ours(const char *function)
{
	return g_strv_contains(functions, function);
}

static void see_call(void *arg, const struct cpu *cpu)
{
	struct look *look = arg;
	struct call call = {
		.name = __start_function_sites[cpu->node->function].name,
	};

	if (is_ours(call.name))
		g_array_append_val(look->calls, call);
}

static bool is_named(const char *type)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (g_str_equal(names[i].type, type))
			return true;
	return false;
}

/* A line counts from its allocation's start, a nexthop's from its own. */
static u32 line_number(const struct object *o, u32 line)
{
	const struct object *whole = o->type->within;

	if (g_str_equal(o->type->name, "fib6_table"))
		whole = allocation_of(net->kernel, object_address(o));
	return line - (whole ? whole : o)->line;
}

static void see_access(void *arg, const struct cpu *cpu, const struct object *o,
		       u32 line, const struct access_site *site)
{
	struct look *look = arg;

	(void)cpu;
	if (site->kind == ACCESS_PREFETCH || !is_named(o->type->name))
		return;
	g_hash_table_add(look->lines, g_strdup_printf("%s %u", o->type->name,
						line_number(o, line)));
}

static void look_up(void)
{
	struct net *ns = net->kernel->init_net;
	struct flowi6 fl6 = { .daddr = ip6("fd00::2") };
	struct dst_entry *dst = ip6_route_output(ns, NULL, &fl6);
	const struct in6_addr right = ip6("fd00::1");

	ck_assert_int_eq(dst->error, 0);
	ck_assert_int_eq(ip6_route_get_saddr(ns, (struct rt6_info *)(void *)dst,
					     &fl6.daddr, 0, &fl6.saddr), 0);
	ck_assert(ipv6_addr_equal(&fl6.saddr, &right));
	dst_release(dst);
}

static void watch(void *arg)
{
	struct look *look = arg;
	u64 before[G_N_ELEMENTS(functions)];
	u32 i;

	for (i = 0; i < 4; i++)
		look_up();
	for (i = 0; functions[i]; i++)
		before[i] = instructions(functions[i]);
	machine_observe(net->machine, &look->observer);
	look_up();
	machine_observe(net->machine, NULL);
	for (i = 0; functions[i]; i++) {
		struct call total = {
			functions[i], instructions(functions[i]) - before[i],
		};

		g_array_append_val(look->calls, total);
	}
}

static void look_begin(struct look *look)
{
	const struct net_setup setup = { .kernel = "linux-6.1" };

	*look = (struct look){
		.observer = {
			.access = see_access, .call = see_call, .arg = look,
		},
		.calls = g_array_new(FALSE, FALSE, sizeof(struct call)),
		.lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					       NULL),
	};
	net = net_new(&setup);
	ip6_add_address(net, net->dev, "fd00::1", 64);
	net_run_one(net, watch, look);
}

static void look_end(struct look *look)
{
	g_array_unref(look->calls);
	g_hash_table_unref(look->lines);
	net_free(net);
}

/* ---- the truth ---- */

static void each_truth(const char *file,
		       void (*row)(char **columns, void *arg), void *arg)
{
	g_autofree char *folder = net_source_file("tests/truth/linux-6.1");
	g_autofree char *name = g_build_filename(folder, file, NULL);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	u32 i;

	if (!g_file_get_contents(name, &text, NULL, NULL))
		ck_abort_msg("cannot read %s", name);
	lines = g_strsplit(text, "\n", -1);
	for (i = 0; lines[i]; i++) {
		g_auto(GStrv) columns = g_strsplit(lines[i], "\t", -1);

		if (*lines[i] && g_str_equal(columns[0], "U6SEND"))
			row(columns, arg);
	}
}

static void add_call(char **columns, void *arg)
{
	GString *order = arg;

	if (is_ours(columns[2]) && !g_str_equal(columns[4], "return"))
		g_string_append_printf(order, "%s\n", columns[2]);
}

START_TEST(order_of_calls)
{
	g_autoptr(GString) wanted = g_string_new(NULL);
	g_autoptr(GString) order = g_string_new(NULL);
	struct look look;
	u32 i;

	each_truth("calls.tsv", add_call, wanted);
	ck_assert_uint_gt(wanted->len, 500);
	look_begin(&look);
	for (i = 0; i < look.calls->len; i++) {
		struct call *call = &g_array_index(look.calls, struct call, i);

		if (!call->instructions)
			g_string_append_printf(order, "%s\n", call->name);
	}
	ck_assert_str_eq(order->str, wanted->str);
	look_end(&look);
}
END_TEST

static u64 counted(const struct look *look, const char *name)
{
	u32 i;

	for (i = 0; i < look->calls->len; i++) {
		struct call *call = &g_array_index(look->calls, struct call, i);

		if (call->instructions && g_str_equal(call->name, name))
			return call->instructions;
	}
	return 0;
}

struct sums {
	const struct look *look;
	u64 model, truth;
};

/* A row of functions.tsv.  One word more or less of a compiler's does not
 * matter, but the sum does. */
static void compare_function(char **columns, void *arg)
{
	struct sums *sums = arg;
	u64 truth = g_ascii_strtoull(columns[3], NULL, 10), model;

	if (!is_ours(columns[1]))
		return;
	model = counted(sums->look, columns[1]);
	ck_assert_msg(model * 100 >= truth * 95 && model * 100 <= truth * 105,
		      "%s: %u, not %u instructions", columns[1],
		      (unsigned int)model, (unsigned int)truth);
	sums->model += model;
	sums->truth += truth;
}

START_TEST(instructions_of_functions)
{
	struct sums sums = { 0 };
	struct look look;

	look_begin(&look);
	sums.look = &look;
	each_truth("functions.tsv", compare_function, &sums);
	ck_assert_uint_gt(sums.truth, 2000);
	ck_assert_uint_ge(sums.model * 100, sums.truth * 99);
	ck_assert_uint_le(sums.model * 100, sums.truth * 101);
	look_end(&look);
}
END_TEST

/* Is one of ours among those that touch the line?  What reads the preferred
 * source is in line in its caller. */
static bool is_touched_by_us(const char *object, const char *callers)
{
	g_auto(GStrv) words = g_strsplit_set(callers, ":, ", -1);
	bool in_line = g_str_has_prefix(object, "fib6_");
	u32 i;

	for (i = 0; words[i]; i++)
		if (is_ours(words[i]) ||
		    (in_line && g_str_has_prefix(words[i],
						 "ip6_dst_lookup_tail")))
			return true;
	return false;
}

static void add_line(char **columns, void *arg)
{
	GHashTable *lines = arg;
	size_t len = strcspn(columns[2], "[");
	u32 i;

	if (!is_touched_by_us(columns[2], columns[8]))
		return;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].object) == len &&
		    !strncmp(names[i].object, columns[2], len))
			g_hash_table_add(lines, g_strdup_printf("%s %s",
						names[i].type, columns[3]));
}

static void all_in(GHashTable *lines, GHashTable *others, const char *what)
{
	GHashTableIter iter;
	gpointer line;

	g_hash_table_iter_init(&iter, lines);
	while (g_hash_table_iter_next(&iter, &line, NULL))
		if (!g_hash_table_contains(others, line))
			ck_abort_msg("%s: %s", (char *)line, what);
}

START_TEST(lines_of_objects)
{
	GHashTable *wanted = g_hash_table_new_full(g_str_hash, g_str_equal,
						   g_free, NULL);
	struct look look;

	each_truth("lines.tsv", add_line, wanted);
	ck_assert_uint_gt(g_hash_table_size(wanted), 25);
	look_begin(&look);
	all_in(wanted, look.lines, "the model does not touch it");
	all_in(look.lines, wanted, "only the model touches it");
	g_hash_table_unref(wanted);
	look_end(&look);
}
END_TEST

Suite *suite_route6_truth(void)
{
	Suite *suite = suite_create("route6 truth");
	TCase *tc = tcase_create("U6SEND");

	tcase_add_test(tc, order_of_calls);
	tcase_add_test(tc, instructions_of_functions);
	tcase_add_test(tc, lines_of_objects);
	suite_add_tcase(suite, tc);
	return suite;
}
