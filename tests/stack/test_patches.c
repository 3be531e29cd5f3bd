/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each feature that a kernel lacks is put into it, and each that it has is
 * taken out: either that is refused, by name and with what the kernel's tables
 * do not have, or sends of both families work with it, and nothing is used
 * that the tables call absent.
 */
#include <string.h>

#include "net6_support.h"
#include "stack/include/linux/entry.h"
#include "stack/layout.h"
#include "tests/rounds.h"

#define SENDS 4u

static void send_all(void *arg)
{
	int fds[4] = {
		net_socket(), net_socket_to(NET_PEER),
		net6_socket(), net6_socket_to(NET6_PEER),
	};
	u32 i;

	(void)arg;
	for (i = 0; i < SENDS; i++) {
		u32 flags = i & 1 ? MSG_CONFIRM : 0;

		ck_assert_int_eq(net_send_to(fds[0], "x", 1, flags, NET_PEER),
				 1);
		ck_assert_int_eq(net_send(fds[1], "x", 1, flags), 1);
		ck_assert_int_eq(net6_send_to(fds[2], "x", 1, flags,
					      NET6_PEER), 1);
		ck_assert_int_eq(net_send(fds[3], "x", 1, flags), 1);
	}
	ck_assert_int_gt(sys_getppid(), 0);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		ck_assert_int_eq(sys_close(fds[i]), 0);
}

#define KERNELS 6
static const char *const kernels[KERNELS] = {
	"linux-3.4", "linux-3.6", "linux-3.12", "linux-3.15", "linux-4.6",
	"linux-6.1",
};

static void works(const char *kernel, const char *const *patches)
{
	struct net_setup setup = {
		.kernel = kernel, .patches = patches, .tx_checksumming = true,
	};
	struct net_fixture *net = net6_new(&setup);

	net_run_one(net, send_all, NULL);
	ck_assert_uint_eq(net->packets->len, 4 * SENDS);
	layout_check_absent(net->kernel);
	net_free(net);
}

/* Of each kernel as it is; found once, before the tests part. */
static features_t features_of[KERNELS];

static features_t find_features(const char *kernel)
{
	g_autofree char *folder = net_folder(kernel);
	struct kernel_config config = { .folder = folder };
	struct kernel *plain = net_load(&config);
	features_t features = plain->features;

	net_unload(plain);
	return features;
}

static void setup(void)
{
	u32 i;

	for (i = 0; i < KERNELS; i++)
		features_of[i] = find_features(kernels[i]);
}

/* NULL where the kernel starts with this one feature the other way round;
 * *patch says which way that is. */
static char *try_other_way(const char *kernel, features_t features,
			   enum feature feature, char **patch)
{
	g_autofree char *folder = net_folder(kernel);
	const char *patches[] = { NULL, NULL };
	struct kernel_config config = { .folder = folder, .patches = patches };

	*patch = g_strconcat(features_has(&features, feature) ? "-" : "",
			     feature_info[feature].name, NULL);
	patches[0] = *patch;
	return net_try(&config, KERNEL_ERROR_SETTING, 0);
}

/* The loop's numbers: all features on one kernel, then on the next. */
START_TEST(test_feature)
{
	const char *kernel = kernels[_i / NUM_FEATURES];
	features_t features = features_of[_i / NUM_FEATURES];
	enum feature feature = _i % NUM_FEATURES;
	g_autofree char *patch = NULL;
	g_autofree char *message = try_other_way(kernel, features, feature,
						 &patch);
	const char *patches[] = { patch, NULL };

	if (message)
		ck_assert_ptr_nonnull(strstr(message,
					     feature_info[feature].name));
	else
		works(kernel, patches);
}
END_TEST

/* A good part can be tried, or the above would test little. */
START_TEST(test_not_all_are_refused)
{
	const char *kernel = kernels[_i];
	features_t features = features_of[_i];
	u32 step = MIN(rounds_divisor(), 3);
	u32 taken = 0, tried = 0, i;

	for (i = 0; i < NUM_FEATURES; i += step, tried++) {
		g_autofree char *patch = NULL;
		g_autofree char *message = try_other_way(kernel, features, i,
							 &patch);

		taken += !message;
	}
	ck_assert_uint_gt(taken, tried / 3);
}
END_TEST

Suite *suite_patches(void)
{
	Suite *suite = suite_create("patches");
	TCase *tests = tcase_create("patches");

	tcase_set_timeout(tests, 120);
	tcase_add_unchecked_fixture(tests, setup, NULL);
	tcase_add_loop_test(tests, test_feature, 0,
			    KERNELS * NUM_FEATURES);
	tcase_add_loop_test(tests, test_not_all_are_refused, 0, KERNELS);
	suite_add_tcase(suite, tests);
	return suite;
}
