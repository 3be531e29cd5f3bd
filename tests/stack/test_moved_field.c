/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A field that lies elsewhere, by a line of [layout] or by a kernel's own
 * structs.tsv, changes the lines that are charged for it and nothing else: not
 * another line, not a packet, a counter, an instruction or an access.
 */
#include <string.h>

#include "net_support.h"
#include "sim/observe.h"

#define SENDS 48u

/* What one run did. */
struct trace {
	GHashTable *lines;	/* "type line" -> how often, less one field's */
	GHashTable *moved;	/* the same, of the field alone */
	const char *type, *member;
	u64 accesses, calls;
	u64 *hits;
	u64 instructions;
	u64 counters[2];
	GPtrArray *packets;
};

static void count(GHashTable *table, const char *type, u32 line)
{
	char *key = g_strdup_printf("%s %u", type, line);
	gpointer n = g_hash_table_lookup(table, key);

	g_hash_table_insert(table, key,
			    GUINT_TO_POINTER(GPOINTER_TO_UINT(n) + 1));
}

static void on_access(void *arg, const struct cpu *cpu, const struct object *o,
		      u32 line, const struct access_site *site)
{
	struct trace *trace = arg;
	bool field = g_str_equal(site->type, trace->type) &&
		     g_str_equal(site->member, trace->member);

	(void)cpu;
	trace->accesses++;
	count(field ? trace->moved : trace->lines, o->type->name,
	      line - o->line);
}

static void on_call(void *arg, const struct cpu *cpu)
{
	struct trace *trace = arg;

	(void)cpu;
	trace->calls++;
}

static void send_some(void *arg)
{
	int fd = net_socket();

	(void)arg;
	net_send_n(fd, SENDS / 2, 0);
	net_send_n(fd, SENDS / 2, MSG_CONFIRM);
	sys_close(fd);
}

static void trace_run(struct trace *trace, const char *kernel,
		      const struct kernel_setting *layout)
{
	struct net_setup setup = {
		.kernel = kernel, .layout = layout, .tx_checksumming = true,
	};
	struct net_fixture *net = net_new(&setup);
	struct observer observer = {
		.access = on_access, .call = on_call, .arg = trace,
	};

	trace->lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     NULL);
	trace->moved = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     NULL);
	machine_observe(net->machine, &observer);
	net_run_one(net, send_some, NULL);
	machine_observe(net->machine, NULL);
	trace->hits = g_memdup2(net->machine->account.hits,
				num_access_sites() * sizeof(u64));
	trace->instructions = net_instructions(net);
	trace->counters[0] = snmp_ip(net->kernel, IPSTATS_MIB_OUTOCTETS);
	trace->counters[1] = snmp_udp(net->kernel, UDP_MIB_OUTDATAGRAMS);
	trace->packets = g_ptr_array_ref(net->packets);
	net_free(net);
}

static void trace_free(struct trace *trace)
{
	g_hash_table_unref(trace->lines);
	g_hash_table_unref(trace->moved);
	g_free(trace->hits);
	g_ptr_array_unref(trace->packets);
}

static void same_lines(GHashTable *a, GHashTable *b)
{
	GHashTableIter iter;
	gpointer key, value;

	ck_assert_uint_eq(g_hash_table_size(a), g_hash_table_size(b));
	g_hash_table_iter_init(&iter, a);
	while (g_hash_table_iter_next(&iter, &key, &value))
		if (g_hash_table_lookup(b, key) != value)
			ck_abort_msg("line %s: %u accesses became %u",
				     (const char *)key,
				     GPOINTER_TO_UINT(value),
				     GPOINTER_TO_UINT(g_hash_table_lookup(b,
									  key)));
}

static void same_but_lines(const struct trace *a, const struct trace *b)
{
	u32 i;

	ck_assert_uint_eq(a->accesses, b->accesses);
	ck_assert_uint_eq(a->calls, b->calls);
	ck_assert_uint_eq(a->instructions, b->instructions);
	ck_assert_int_eq(memcmp(a->hits, b->hits,
				num_access_sites() * sizeof(u64)), 0);
	ck_assert_int_eq(memcmp(a->counters, b->counters,
				sizeof(a->counters)), 0);
	ck_assert_uint_eq(a->packets->len, SENDS);
	ck_assert_uint_eq(b->packets->len, SENDS);
	for (i = 0; i < SENDS; i++) {
		const GByteArray *x = a->packets->pdata[i];
		const GByteArray *y = b->packets->pdata[i];

		ck_assert_uint_eq(x->len, y->len);
		ck_assert_int_eq(memcmp(x->data, y->data, x->len), 0);
	}
}

/* All accesses to the field are on this line of this type. */
static void field_is_on(const struct trace *trace, const char *type, u32 line)
{
	g_autofree char *key = g_strdup_printf("%s %u", type, line);

	ck_assert_uint_eq(g_hash_table_size(trace->moved), 1);
	ck_assert(g_hash_table_contains(trace->moved, key));
}

static const struct {
	const char *kernel;
	const char *type, *member, *object;
	const char *row, *moved;	/* of structs.tsv: how it begins */
	const char *key, *value;	/* of [layout] */
	u32 line, new_line;
} fields[] = {
	/* Off a line that it had for itself, onto one that others use. */
	{ "linux-3.6", "neighbour", "nud_state", "neighbour",
	  "neighbour\t173\t1\tnud_state", "neighbour\t344\t1\tnud_state",
	  "neighbour.nud_state", "offset 344", 2, 5 },
	{ "linux-6.1", "sock", "sk_validate_xmit_skb", "udp_sock",
	  "sock\t712\t8\tsk_validate_xmit_skb",
	  "sock\t8\t8\tsk_validate_xmit_skb",
	  "sock.sk_validate_xmit_skb", "offset 8", 11, 0 },
	/* Off a shared line, onto one that nobody uses. */
	{ "linux-3.6", "net_device", "priv_flags", "net_device",
	  "net_device\t388\t4\tpriv_flags",
	  "net_device\t1724\t4\tpriv_flags",
	  "net_device.priv_flags", "offset 1724", 6, 26 },
	{ "linux-6.1", "neighbour", "nud_state", "neighbour",
	  "neighbour\t132\t1\tnud_state", "neighbour\t100\t1\tnud_state",
	  "neighbour.nud_state", "offset 100", 2, 1 },
};

START_TEST(test_layout_line)
{
	const struct kernel_setting layout[] = {
		{ fields[_i].key, fields[_i].value, "a.scenario:1" },
		{ NULL, NULL, NULL },
	};
	struct trace plain = { .type = fields[_i].type,
			       .member = fields[_i].member };
	struct trace moved = plain;

	trace_run(&plain, fields[_i].kernel, NULL);
	trace_run(&moved, fields[_i].kernel, layout);
	field_is_on(&plain, fields[_i].object, fields[_i].line);
	field_is_on(&moved, fields[_i].object, fields[_i].new_line);
	same_lines(plain.lines, moved.lines);
	same_but_lines(&plain, &moved);
	trace_free(&plain);
	trace_free(&moved);
}
END_TEST

START_TEST(test_own_structs)
{
	struct trace plain = { .type = fields[_i].type,
			       .member = fields[_i].member };
	struct trace moved = plain;
	char *folder;
	u32 number;

	folder = net_changed_folder(fields[_i].kernel, "structs.tsv",
				    fields[_i].row, fields[_i].moved, &number);
	trace_run(&plain, fields[_i].kernel, NULL);
	trace_run(&moved, folder, NULL);
	field_is_on(&plain, fields[_i].object, fields[_i].line);
	field_is_on(&moved, fields[_i].object, fields[_i].new_line);
	same_lines(plain.lines, moved.lines);
	same_but_lines(&plain, &moved);
	trace_free(&plain);
	trace_free(&moved);
	net_remove_folder(folder);
}
END_TEST

Suite *suite_moved_field(void)
{
	Suite *suite = suite_create("moved_field");
	TCase *tests = tcase_create("moved_field");

	tcase_add_loop_test(tests, test_layout_line, 0, ARRAY_SIZE(fields));
	tcase_add_loop_test(tests, test_own_structs, 0, ARRAY_SIZE(fields));
	suite_add_tcase(suite, tests);
	return suite;
}
