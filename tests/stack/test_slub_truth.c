/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the memory of one warmed packet costs and touches in SLUB of Linux 6.1,
 * against the traces of a real one: instructions, lines, functions.
 */
#include <string.h>

#include "mm_support.h"
#include "net_support.h"
#include "sim/cpu.h"
#include "sim/observe.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/linux/uaccess.h"

static struct kernel *kernel;

static void teardown(void)
{
	if (kernel)
		mm_kernel_free(kernel);
	kernel = NULL;
}

/* What was seen of an object's line: how, and in which functions. */
struct seen {
	char *object;
	u32 line;
	u32 count[4];		/* by access_kind */
	GString *functions;	/* ";name:n;" */
};

struct packet {
	struct observer observer;
	GPtrArray *seen;	/* struct seen * */
	u64 instructions;
};

static void seen_free(void *p)
{
	struct seen *seen = p;

	g_free(seen->object);
	g_string_free(seen->functions, TRUE);
	g_free(seen);
}

/* The name that the traces give an object, NULL for those not looked at. */
static char *traced_name(const struct object *o, const struct access_site *site)
{
	guint i;

	if (g_str_equal(site->type, "kmem_cache_slub"))
		return g_strdup_printf("kmem_cache[%s]",
				       ((const struct any_cache *)(const void *)
					o)->name);
	if (g_str_equal(site->type, "slub_object"))
		return g_strdup(g_str_equal(o->type->name, "sk_buff") ?
				"skbuff_head_cache" : "skb.head(kmalloc-512)");
	if (g_str_equal(site->type, "preempt_count"))
		return g_strdup("__preempt_count");
	if (g_str_equal(site->type, "this_cpu_off") ||
	    g_str_equal(site->type, "current_task"))
		return g_strdup(site->type);
	if (g_str_equal(site->type, "task_struct"))
		return g_strdup("current");
	for (i = 0; i < kernel->mm->caches->len; i++) {
		struct kmem_cache_slub *s = kernel->mm->caches->pdata[i];

		if (&s->cpu_slab[0]->object == o)
			return g_strdup_printf("kmem_cache[%s].cpu_slab",
					       s->any.name);
	}
	return NULL;
}

static struct seen *find_seen(GPtrArray *all, const char *object, u32 line)
{
	guint i;

	for (i = 0; i < all->len; i++) {
		struct seen *seen = all->pdata[i];

		if (seen->line == line && g_str_equal(seen->object, object))
			return seen;
	}
	return NULL;
}

static void see_access(void *arg, const struct cpu *cpu, const struct object *o,
		       u32 line, const struct access_site *site)
{
	struct packet *packet = arg;
	g_autofree char *name = traced_name(o, site);
	g_autofree char *function = NULL;
	struct seen *seen;

	if (!name || site->kind == ACCESS_PREFETCH)
		return;
	seen = find_seen(packet->seen, name, line - o->line);
	if (!seen) {
		seen = g_new0(struct seen, 1);
		seen->object = g_steal_pointer(&name);
		seen->line = line - o->line;
		seen->functions = g_string_new(";");
		g_ptr_array_add(packet->seen, seen);
	}
	seen->count[site->kind]++;
	function = g_strdup_printf(";%s;", __start_function_sites[
				   cpu->node->function].name);
	if (!strstr(seen->functions->str, function))
		g_string_append(seen->functions, function + 1);
}

static void see_call(void *arg, const struct cpu *cpu)
{
	(void)arg;
	(void)cpu;
}

/* As __alloc_skb() and consume_skb() do for one byte, and the cork's options,
 * which there are none of. */
static void allocate_and_free(void)
{
	struct any_cache *cache = kernel->net_core->skbuff_head_cache;
	struct sk_buff *skb = kmem_cache_alloc_node(cache, GFP_KERNEL, -1);
	u32 size = kmalloc_size_roundup(448);
	void *head = __kmalloc_node_track_caller(size, STRUCT_skb_head,
						 sizeof(struct skb_head),
						 GFP_KERNEL, -1);

	must(skb && head && size == 512);
	check_object_size(head, 44, 1, false);
	kfree(NULL);
	kfree(head);
	kmem_cache_free(cache, skb);
}

static void watch_packet(void *arg)
{
	struct packet *packet = arg;
	struct net_fixture net = { .machine = kernel->machine };
	u32 i;

	for (i = 0; i < 4; i++)
		allocate_and_free();
	packet->instructions = net_instructions(&net);
	machine_observe(kernel->machine, &packet->observer);
	allocate_and_free();
	machine_observe(kernel->machine, NULL);
	packet->instructions = net_instructions(&net) - packet->instructions;
}

static void observe_packet(struct packet *packet)
{
	static const struct mm_setup setup = {
		.packages = 1, .cores = 1, .data = "linux-6.1",
	};

	*packet = (struct packet){
		.observer = {
			.access = see_access, .call = see_call, .arg = packet,
		},
		.seen = g_ptr_array_new_with_free_func(seen_free),
	};
	kernel = mm_kernel_new(&setup);
	mm_in_process(kernel, watch_packet, packet);
}

/* Calls row() for each line of one operation in a table of the truth. */
static void each_truth(const char *file, const char *operation,
		       void (*row)(char **columns, void *arg), void *arg)
{
	g_autofree char *path = net_source_file("tests/truth/linux-6.1");
	g_autofree char *name = g_build_filename(path, file, NULL);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	u32 i;

	if (!g_file_get_contents(name, &text, NULL, NULL))
		ck_abort_msg("cannot read %s", name);
	lines = g_strsplit(text, "\n", -1);
	for (i = 0; lines[i]; i++) {
		g_auto(GStrv) columns = g_strsplit(lines[i], "\t", -1);

		if (*lines[i] && g_str_equal(columns[0], operation))
			row(columns, arg);
	}
}

/* The functions of stack/mm/ and what else they call. */
static const char *const functions[] = {
	"kmem_cache_alloc_node", "__cond_resched", "should_failslab",
	"memcg_slab_post_alloc_hook", "kmalloc_size_roundup", "kmalloc_slab",
	"__kmalloc_node_track_caller", "__kmem_cache_alloc_node",
	"__check_object_size", "check_stack_object", "is_vmalloc_addr",
	"__virt_addr_valid", "__check_heap_object", "kfree",
	"__kmem_cache_free", "kmem_cache_free", "cache_from_obj", NULL
};

static void add_instructions(char **columns, void *arg)
{
	u64 *sum = arg;

	if (g_strv_contains(functions, columns[1]))
		*sum += g_ascii_strtoull(columns[3], NULL, 10);
}

START_TEST(test_instructions)
{
	struct packet packet;
	u64 want = 0;

	observe_packet(&packet);
	each_truth("functions.tsv", "C4SEND", add_instructions, &want);
	ck_assert_uint_gt(want, 600);
	ck_assert_uint_eq(packet.instructions, want);
	g_ptr_array_unref(packet.seen);
}
END_TEST

static bool is_line_of(const char *object)
{
	return g_str_has_prefix(object, "kmem_cache[");
}

/* Each line of a cache that the traces have, by the same functions, read and
 * written alike. */
static void compare_line(char **columns, void *arg)
{
	struct packet *packet = arg;
	g_auto(GStrv) callers = NULL;
	struct seen *seen;
	u32 i, n = 0;

	if (!is_line_of(columns[2]))
		return;
	seen = find_seen(packet->seen, columns[2],
			 (u32)g_ascii_strtoull(columns[3], NULL, 10));
	ck_assert_msg(seen != NULL, "%s %s is not touched", columns[2],
		      columns[3]);
	ck_assert_int_eq(seen->count[ACCESS_READ] != 0,
			 !g_str_equal(columns[4], "0"));
	ck_assert_int_eq(seen->count[ACCESS_WRITE] != 0,
			 !g_str_equal(columns[5], "0"));
	ck_assert_int_eq(seen->count[ACCESS_ATOMIC] != 0,
			 !g_str_equal(columns[6], "0"));
	callers = g_strsplit(columns[8], ", ", -1);
	for (i = 0; callers[i]; i++) {
		g_autofree char *name = g_strdup_printf(";%.*s;",
			(int)strcspn(callers[i], ":"), callers[i]);

		ck_assert_msg(strstr(seen->functions->str, name) != NULL,
			      "%s %s: not by %s", columns[2], columns[3], name);
	}
	for (i = 0; seen->functions->str[i]; i++)
		n += seen->functions->str[i] == ';';
	ck_assert_uint_eq(n - 1, g_strv_length(callers));
	seen->line = UINT32_MAX;	/* no other may be left */
}

START_TEST(test_lines_of_the_caches)
{
	struct packet packet;
	guint i;

	observe_packet(&packet);
	each_truth("lines.tsv", "C4SEND", compare_line, &packet);
	for (i = 0; i < packet.seen->len; i++) {
		const struct seen *seen = packet.seen->pdata[i];

		ck_assert_msg(!is_line_of(seen->object) ||
			      seen->line == UINT32_MAX,
			      "%s %u is not in the trace", seen->object,
			      seen->line);
	}
	g_ptr_array_unref(packet.seen);
}
END_TEST

/* How often a function of the traces touches a line. */
struct touch {
	const char *object, *line, *function;
	u32 count;
};

static void find_touch(char **columns, void *arg)
{
	struct touch *touch = arg;
	g_autofree char *name = g_strdup_printf("%s:", touch->function);
	const char *at;

	if (!g_str_equal(columns[2], touch->object) ||
	    !g_str_equal(columns[3], touch->line))
		return;
	at = strstr(columns[8], name);
	if (at && (at == columns[8] || at[-1] == ' '))
		touch->count += (u32)g_ascii_strtoull(at + strlen(name), NULL,
						      10);
}

/* The free pointer's line, the counts of what is the CPU's own, and the
 * stack's bounds: access by access. */
START_TEST(test_other_lines)
{
	static const struct {
		const char *operation;
		struct touch touch[3];
	} lines[] = {
		{ "C4SEND", { { "skb.head(kmalloc-512)", "4",
				"__kmem_cache_alloc_node", 0 },
			      { "skb.head(kmalloc-512)", "4",
				"__kmem_cache_free", 0 } } },
		{ "LO4RECV", { { "skbuff_head_cache", "1", "kmem_cache_free",
				 0 } } },
		{ "C4SEND", { { "__preempt_count", "0", "__cond_resched", 0 },
			      { "__preempt_count", "0", "__virt_addr_valid",
				0 } } },
		{ "U4SEND", { { "this_cpu_off", "0", "kmem_cache_alloc_node",
				0 },
			      { "this_cpu_off", "0", "__kmem_cache_free",
				0 } } },
		{ "C4SEND", { { "current", "0", "check_stack_object", 0 } } },
	};
	/* Of ours: the free pointer is read by kmem_cache_alloc_node() too,
	 * and two more functions look for their own CPU. */
	static const u32 more[] = { 0, 1, 0, 2, 0 };
	struct packet packet;
	u32 i, k;

	observe_packet(&packet);
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		struct touch touch[3];
		const struct seen *seen;
		u32 want = more[i];

		memcpy(touch, lines[i].touch, sizeof(touch));
		seen = find_seen(packet.seen, touch[0].object,
				 (u32)g_ascii_strtoull(touch[0].line, NULL,
						       10));
		ck_assert_msg(seen != NULL, "%s %s", touch[0].object,
			      touch[0].line);
		for (k = 0; k < 3 && touch[k].object; k++) {
			each_truth("lines.tsv", lines[i].operation, find_touch,
				   &touch[k]);
			ck_assert_msg(touch[k].count > 0, "%s of %s",
				      touch[k].object, touch[k].function);
			want += touch[k].count;
		}
		ck_assert_uint_eq(seen->count[ACCESS_ATOMIC], 0);
		ck_assert_msg(seen->count[ACCESS_READ] +
			      seen->count[ACCESS_WRITE] == want,
			      "%s %u: %u and %u, not %u", seen->object,
			      seen->line, seen->count[ACCESS_READ],
			      seen->count[ACCESS_WRITE], want);
	}
	g_ptr_array_unref(packet.seen);
}
END_TEST

/* ---- suite ---- */

Suite *suite_slub_truth(void)
{
	Suite *suite = suite_create("slub_truth");
	TCase *packet = tcase_create("packet");

	tcase_add_test(packet, test_instructions);
	tcase_add_test(packet, test_lines_of_the_caches);
	tcase_add_test(packet, test_other_lines);
	tcase_add_checked_fixture(packet, NULL, teardown);
	suite_add_tcase(suite, packet);
	return suite;
}
