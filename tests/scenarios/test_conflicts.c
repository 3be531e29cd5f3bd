/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which operations share written lines: what is known of the kernels. */
#include <errno.h>

#include "scenarios/conflicts.h"
#include "scenarios/scenario.h"
#include "stack/include/net/sock.h"
#include "tests/scenarios/suites.h"

static void set_up(void)
{
	const char *top = g_getenv("top_srcdir");

	g_setenv("UDPSIM_DATADIR", top ? top : ".", TRUE);
}

static struct conflicts *run(const char *kernel, int family,
			     enum conflict_operation a,
			     enum conflict_operation b)
{
	const struct operation_setup setup = { .kernel = kernel };
	g_autofree char *path = g_build_filename(data_dir(), "stack", "kernels",
						 "objects.tsv", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(ObjectMap) map = object_map_load(path, &error);
	bool wanted[NUM_CONFLICT_OPERATIONS] = { false };
	struct conflicts *conflicts;

	assert_no_error(error);
	wanted[a] = wanted[b] = true;
	conflicts = conflicts_run(&setup, family, wanted, map, &error);
	assert_no_error(error);
	return conflicts;
}

static const struct conflict_pair *pair_of(const struct conflicts *conflicts,
					   enum conflict_scope scope,
					   enum conflict_operation a,
					   enum conflict_operation b)
{
	u32 i;

	for (i = 0; i < conflicts->pairs->len; i++) {
		const struct conflict_pair *pair = conflicts->pairs->pdata[i];

		if (pair->scope == scope && pair->operations[0] == a &&
		    pair->operations[1] == b)
			return pair;
	}
	ck_abort_msg("no such pair");
	return NULL;
}

static const struct operation_field *field_of(const GArray *fields,
					      const char *name)
{
	u32 i;

	for (i = 0; i < fields->len; i++) {
		const struct operation_field *field =
			&g_array_index(fields, struct operation_field, i);

		if (g_str_equal(field->member, name))
			return field;
	}
	return NULL;
}

/* Both change the field of one object. */
static bool share(const struct conflict_pair *pair, const char *type,
		  const char *name)
{
	u32 i, k;

	for (i = 0; i < pair->lines->len; i++) {
		const struct conflict_line *line = pair->lines->pdata[i];
		u32 changes = 0;

		for (k = 0; k < 2; k++) {
			const struct operation_field *field =
				field_of(line->fields[k], name);

			changes += field && (field->kinds[ACCESS_WRITE] ||
					     field->kinds[ACCESS_ATOMIC]);
		}
		if (g_str_equal(line->type, type) && changes == 2)
			return true;
	}
	return false;
}

/* Pairs of one operation with itself. */
static const struct {
	const char *kernel;
	int family;
	enum conflict_operation operation;
	enum conflict_scope scope;
	const char *type, *field;	/* NULL: nothing at all */
} known[] = {
	/* A socket counts the memory of what it sends. */
	{ "linux-3.6", PF_INET,
	  CONFLICT_SEND, SCOPE_SOCKET, "udp_sock", "sk_wmem_alloc" },
	{ "linux-6.1", PF_INET,
	  CONFLICT_SEND, SCOPE_SOCKET, "udp_sock", "sk_wmem_alloc" },
	{ "linux-6.1", PF_INET,
	  CONFLICT_SENDTO, SCOPE_SOCKET, "udp_sock", "sk_wmem_alloc" },
	/* Threads of a process hold the file while they use it. */
	{ "linux-6.1", PF_INET,
	  CONFLICT_SETSOCKOPT, SCOPE_SOCKET, "file", "f_count" },
	/* The routing cache has one route for a destination; since it is gone,
	 * each CPU has one. */
	{ "linux-3.4", PF_INET,
	  CONFLICT_SEND, SCOPE_DESTINATION, "rtable", "__refcnt" },
	{ "linux-3.4", PF_INET,
	  CONFLICT_SEND, SCOPE_NOTHING, NULL, NULL },
	{ "linux-3.6", PF_INET,
	  CONFLICT_SEND, SCOPE_DESTINATION, NULL, NULL },
	{ "linux-6.1", PF_INET,
	  CONFLICT_SEND, SCOPE_DESTINATION, NULL, NULL },
	{ "linux-6.1", PF_INET,
	  CONFLICT_SEND, SCOPE_NOTHING, NULL, NULL },
	/* Ids of an unconnected socket's datagrams hang on the two addresses,
	 * since 3.16. */
	{ "linux-6.1", PF_INET,
	  CONFLICT_SENDTO, SCOPE_DESTINATION, "ip_idents", "idents" },
	{ "linux-3.12", PF_INET,
	  CONFLICT_SENDTO, SCOPE_DESTINATION, NULL, NULL },
	{ "linux-6.1", PF_INET,
	  CONFLICT_SENDTO, SCOPE_NOTHING, NULL, NULL },
	/* A port is a slot of the hash with its lock. */
	{ "linux-3.6", PF_INET,
	  CONFLICT_BIND, SCOPE_PORT, "udp_hslot", "lock" },
	{ "linux-6.1", PF_INET,
	  CONFLICT_BIND, SCOPE_PORT, "udp_hslot", "lock" },
	{ "linux-6.1", PF_INET,
	  CONFLICT_BIND, SCOPE_DESTINATION, NULL, NULL },
	{ "linux-6.1", PF_INET,
	  CONFLICT_CLOSE, SCOPE_PORT, "udp_hslot", "lock" },
	/* A queue has a lock; since 4.12 a reader has one of its own. */
	{ "linux-3.6", PF_INET,
	  CONFLICT_RECV, SCOPE_SOCKET, "udp_sock", "sk_receive_queue.lock" },
	{ "linux-6.1", PF_INET,
	  CONFLICT_RECV, SCOPE_SOCKET, "udp_sock", "reader_queue.lock" },
	{ "linux-6.1", PF_INET,
	  CONFLICT_RECV, SCOPE_PORT, NULL, NULL },
	/* Memberships change by one at a time. */
	{ "linux-3.6", PF_INET,
	  CONFLICT_JOIN, SCOPE_NOTHING, "rtnl_mutex", "mutex" },
	{ "linux-6.1", PF_INET,
	  CONFLICT_JOIN, SCOPE_NOTHING, "rtnl_mutex", "mutex" },
	/* A namespace is counted up by each socket. */
	{ "linux-6.1", PF_INET,
	  CONFLICT_SOCKET, SCOPE_NOTHING, "net", "count" },
	/* IPv6 stored the route at each send until 2.6.33; a destination has
	 * one route, and since 4.2 each CPU has a copy. */
	{ "linux-2.6.32", PF_INET6,
	  CONFLICT_SEND, SCOPE_SOCKET, "udp6_sock", "sk_dst_rwlock" },
	{ "linux-2.6.32", PF_INET6,
	  CONFLICT_SEND, SCOPE_DESTINATION, "rt6_info", "__refcnt" },
	{ "linux-6.1", PF_INET6,
	  CONFLICT_SEND, SCOPE_DESTINATION, NULL, NULL },
};

START_TEST(test_known)
{
	enum conflict_operation o = known[_i].operation;
	g_autoptr(Conflicts) conflicts = run(known[_i].kernel,
					     known[_i].family, o, o);
	const struct conflict_pair *pair =
		pair_of(conflicts, known[_i].scope, o, o);

	ck_assert(pair->possible && pair->modelled);
	if (known[_i].type)
		ck_assert_msg(share(pair, known[_i].type, known[_i].field),
			      "%s: %s.%s is not shared", known[_i].kernel,
			      known[_i].type, known[_i].field);
	else
		ck_assert_msg(!pair->lines->len, "%s: %s is shared",
			      known[_i].kernel, pair->lines->len ?
			      ((struct conflict_line *)
			       pair->lines->pdata[0])->type : "");
}
END_TEST

/* What can be no pair is said to be none; what is refused is looked at. */
START_TEST(test_pairs)
{
	g_autoptr(Conflicts) both = run("linux-6.1", PF_INET, CONFLICT_BIND,
					CONFLICT_CLOSE);
	g_autoptr(Conflicts) life = run("linux-6.1", PF_INET, CONFLICT_SOCKET,
					CONFLICT_SEND);
	const struct conflict_pair *pair;

	ck_assert_uint_eq(both->pairs->len, 3 * NUM_SCOPES);
	pair = pair_of(both, SCOPE_SOCKET, CONFLICT_CLOSE, CONFLICT_CLOSE);
	ck_assert(!pair->possible);
	pair = pair_of(both, SCOPE_SOCKET, CONFLICT_BIND, CONFLICT_BIND);
	ck_assert(pair->possible);
	ck_assert_int_eq(pair->errors[0], 0);
	ck_assert_int_eq(pair->errors[1], -EINVAL);
	pair = pair_of(both, SCOPE_SOCKET, CONFLICT_BIND, CONFLICT_CLOSE);
	ck_assert_int_eq(pair->errors[0], 0);
	ck_assert_int_eq(pair->errors[1], 0);
	ck_assert(share(pair, "udp_sock", "sk_lock.slock"));
	pair = pair_of(life, SCOPE_SOCKET, CONFLICT_SOCKET, CONFLICT_SEND);
	ck_assert(!pair->possible);
	/* A line is the same one, not one of the same name. */
	pair = pair_of(life, SCOPE_NOTHING, CONFLICT_SOCKET, CONFLICT_SEND);
	ck_assert_uint_eq(pair->lines->len, 0);
}
END_TEST

/* IPv4 of 2.6.32 has no routes here: such pairs are not taken for free. */
START_TEST(test_not_modelled)
{
	g_autoptr(Conflicts) conflicts = run("linux-2.6.32", PF_INET, CONFLICT_BIND,
					     CONFLICT_SEND);

	ck_assert(pair_of(conflicts, SCOPE_PORT, CONFLICT_BIND,
			  CONFLICT_BIND)->modelled);
	ck_assert(!pair_of(conflicts, SCOPE_PORT, CONFLICT_BIND,
			   CONFLICT_SEND)->modelled);
}
END_TEST

/* ---- hot fields ---- */

static const struct hot_field *hot_of(const GPtrArray *fields, const char *type,
				      const char *name)
{
	u32 i;

	for (i = 0; i < fields->len; i++) {
		const struct hot_field *field = fields->pdata[i];

		if (g_str_equal(field->type, type) &&
		    g_str_equal(field->name, name))
			return field;
	}
	ck_abort_msg("%s.%s is cold", type, name);
	return NULL;
}

static void check_kinds(const bool *kinds, bool read, bool write, bool atomic)
{
	ck_assert_int_eq(kinds[ACCESS_READ], read);
	ck_assert_int_eq(kinds[ACCESS_WRITE], write);
	ck_assert_int_eq(kinds[ACCESS_ATOMIC], atomic);
}

START_TEST(test_hot)
{
	const struct operation_setup setup = { .kernel = "linux-6.1" };
	g_autofree char *folder = NULL;
	g_autoptr(ShapeSet) shapes = NULL;
	g_autoptr(GPtrArray) fields = NULL;
	g_autoptr(GError) error = NULL;
	struct kernel_config config = { .folder = NULL };
	const struct hot_field *field;

	ck_assert(data_find_kernel(setup.kernel, &folder, &error));
	config.folder = folder;
	shapes = shapes_of_kernel(&config, &error);
	assert_no_error(error);
	fields = hot_fields_run(&setup, PF_INET, shapes, NULL, &error);
	assert_no_error(error);
	field = hot_of(fields, "sock", "sk_wmem_alloc");
	ck_assert_uint_eq(field->at.offset, 340);
	check_kinds(field->kinds[HOT_RX], false, false, false);
	ck_assert(field->kinds[HOT_TX][ACCESS_ATOMIC]);
	field = hot_of(fields, "sock", "sk_receive_queue.lock");
	check_kinds(field->kinds[HOT_TX], false, false, false);
	ck_assert(field->kinds[HOT_RX][ACCESS_ATOMIC]);
	field = hot_of(fields, "sock", "sk_sndbuf");
	check_kinds(field->kinds[HOT_TX], true, false, false);
	ck_assert_str_eq(field->functions->pdata[0], "sock_alloc_send_pskb");
	field = hot_of(fields, "net_device", "mtu");
	ck_assert(!field->kinds[HOT_RX][ACCESS_WRITE]);
}
END_TEST

Suite *conflicts_suite(void)
{
	Suite *suite = suite_create("conflicts");
	TCase *tcase = tcase_create("conflicts");

	tcase_add_checked_fixture(tcase, set_up, NULL);
	tcase_add_loop_test(tcase, test_known, 0, G_N_ELEMENTS(known));
	tcase_add_test(tcase, test_pairs);
	tcase_add_test(tcase, test_not_modelled);
	tcase_add_test(tcase, test_hot);
	suite_add_tcase(suite, tcase);
	return suite;
}
