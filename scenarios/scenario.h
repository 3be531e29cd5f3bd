/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scenario language (design, section 7): GKeyFile syntax with a strict
 * layer above it.  An unknown group or key, a repeated key, a value of the
 * wrong kind or out of range are errors with file, line and the nearest known
 * name.
 *
 * A file is read once into a struct scenario.  scenario_resolve() lays a
 * variant, a point of the sweep and --set overrides over it and gives a
 * struct config: every key checked, every default filled in.
 */
#ifndef SCENARIOS_SCENARIO_H
#define SCENARIOS_SCENARIO_H

#include <glib.h>
#include <stdbool.h>

enum address_family { FAMILY_INET, FAMILY_INET6 };

/* device = dummy0 kind dummy mtu 1500 [tx-checksumming off] */
struct config_device {
	char *name;
	char *kind;		/* "dummy", "loopback", "nic" */
	unsigned int mtu;
	gboolean tx_checksumming;	/* default on */
	/* kind nic */
	gboolean has_lladdr;
	guint8 lladdr[6];
	unsigned int queues;	/* of each direction; default 1 */
	unsigned int ring;	/* descriptors of each queue; default 256 */
	unsigned int rx_usecs;	/* interrupt moderation; default 0 */
	char *rps;		/* a list of CPUs; NULL: none */
	unsigned int txqueuelen;	/* default 1000 */
	char *cpus;		/* of the queues' interrupts: that of queue i
				 * goes to the list's CPU i, from the start
				 * again at its end; NULL: to CPU i */
};

/* address = dummy0 10.2.2.1/24 */
struct config_address {
	char *device;
	enum address_family family;
	guint8 address[16];	/* network order; 4 bytes used for inet */
	unsigned int prefix;
};

/* route = 10.3.0.0/16 [via 10.2.2.9] dev dummy0 */
struct config_route {
	char *device;
	enum address_family family;
	guint8 prefix_address[16];
	unsigned int prefix;
	gboolean has_gateway;
	guint8 gateway[16];
};

/* neighbour = dummy0 10.2.2.2 lladdr 02:00:00:00:00:02 nud reachable */
struct config_neighbour {
	char *device;
	enum address_family family;
	guint8 address[16];
	guint8 lladdr[6];
	char *nud;		/* "permanent", "stale", ...: see network.c */
};

/* ends = client.eth0; server.eth0 */
struct config_end {
	char *host, *device;
};

/* [host NAME] */
struct config_host {
	char *name;		/* "": of [network], the only one */
	char *machine, *kernel;
	char **patches;
	GPtrArray *devices;	/* struct config_device * */
	GPtrArray *addresses, *routes, *neighbours;
};

#define PERCENT 1000000u	/* in millionths of a percent */

/* [link NAME] */
struct config_link {
	char *name;
	GPtrArray *ends;	/* struct config_end *: two */
	guint64 rate_mbit;
	guint64 delay_ns;	/* one way */
	guint64 loss_pct, duplicate_pct, reorder_pct;	/* 1 %: PERCENT */
	guint64 reorder_ns;	/* by how much a reordered frame is late */
};

#define CONFIG_MAX_HOSTS 16
#define CONFIG_MAX_LINKS 64

/* One line of [layout], e.g. "sock.sk_tx_queue_mapping = own line". */
struct config_setting {
	char *key;
	char *value;
	unsigned int line;	/* in the scenario file; 0: from --set */
};

struct config_published {
	char *row;
	char *metric;
	GArray *before;		/* double */
	GArray *after;
};

/* Where a key was set: "scenario.patches" at "x.scenario:12". */
struct config_origin {
	char *key;
	char *where;
};

/* All that one run needs; owns its memory. */
struct config {
	/* [scenario] */
	char *name, *title, *source;
	char *machine;		/* "xeon-x5660-2p": machines/NAME.machine */
	char *kernel;		/* "linux-3.6": a folder kernels/NAME; both
				 * the first host's where all have their own */
	unsigned int repeat;	/* 1 to 1000, default 1 */
	guint64 seed;		/* default 1 */
	char **patches;		/* names, "-name" removes; NULL-terminated */
	char *variant;		/* "" where the file has none */
	char *point;		/* the sweep point, "" where there is none */
	char *overrides;	/* canonical text of what was laid over: the
				 * variant, the sweep point, the sets */
	GPtrArray *origins;	/* struct config_origin *; see config_where() */

	/* [workload] */
	char *program;		/* "udpflood" */
	unsigned int threads;	/* 1 to 4096 */
	guint64 count;		/* operations a thread, 1 to 10^12 */
	enum address_family family;
	gboolean bind;		/* new sockets, to port 0; default true */
	gboolean confirm;	/* MSG_CONFIRM; default false */
	gboolean connect;	/* connect(), then send(); default false */
	gboolean share_files;	/* threads of one process; default false */
	unsigned int size;	/* payload bytes, 0 to 65507; default 64 */
	char *destination;	/* address text, NULL: the first neighbour's */
	guint port;		/* destination port; default 9 (discard) */
	guint64 rate;		/* queries a second; 0: see in_flight */
	guint rtt_us;		/* mean time until the answer comes */
	char *rtt_distribution;	/* "constant", "exponential", "lognormal" */
	guint in_flight;	/* queries under way in a closed loop */
	char *cpus;		/* "0-5,12-17"; NULL: as the scheduler does */
	char *server_cpus;	/* the same of the second host */
	unsigned int seconds;	/* a sender stops after them; 0: never */
	unsigned int response_size;	/* of rr; default 1 */
	char *protocol;		/* "udp" (default), "udplite" */
	unsigned int coverage;	/* UDPLITE_SEND_CSCOV, 8 to 65535; 0: none */

	/* [network]; each key may stand once, entries parted by ';' */
	GPtrArray *devices;	/* struct config_device * */
	GPtrArray *addresses;
	GPtrArray *routes;
	GPtrArray *neighbours;

	/* [host NAME] in file order, at least one: where there are none, the
	 * host "" is made of [scenario] and [network] */
	GPtrArray *hosts;	/* struct config_host * */
	GPtrArray *links;	/* [link NAME]: struct config_link * */

	/* [layout] and [parameters], in file order: kernel data, not checked
	 * here */
	GPtrArray *layout;	/* struct config_setting * */
	GPtrArray *parameters;

	/* [published]; metric = elapsed_s, before = 1; 2, after = 1; 2 */
	GPtrArray *published;	/* struct config_published * */
};

struct scenario;

/* Reads and checks a file; every variant and sweep point is resolved once, so
 * that an error in any of them shows here.  Free with scenario_free(). */
struct scenario *scenario_load(const char *path, GError **error);
/* The same from memory; name stands for the file in messages. */
struct scenario *scenario_parse(const char *name, const char *text, gsize len,
				GError **error);
void scenario_free(struct scenario *scenario);
typedef struct scenario Scenario;	/* one word, for g_autoptr(Scenario) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Scenario, scenario_free)

const char *scenario_name(const struct scenario *scenario);
const char *scenario_title(const struct scenario *scenario);
const char *scenario_text(const struct scenario *scenario);

/* The variants in file order, at least one ("" where the file has no
 * [variant NAME] group); the points of the sweep's cross product, at least one
 * (""), the last key running fastest. */
unsigned int scenario_num_variants(const struct scenario *scenario);
const char *scenario_variant(const struct scenario *scenario, unsigned int i);
unsigned int scenario_num_points(const struct scenario *scenario);
const char *scenario_point(const struct scenario *scenario, unsigned int i);

/* Lays variant i and sweep point j and then `sets` (NULL-terminated
 * "group.key=value", or NULL) over the file.  NULL and an error where that
 * does not give a valid config.  Free with config_free(). */
struct config *scenario_resolve(const struct scenario *scenario,
				unsigned int variant, unsigned int point,
				char **sets, GError **error);
void config_free(struct config *config);
typedef struct config Config;	/* one word, for g_autoptr(Config) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Config, config_free)

/* "FILE:LINE" (or "--set ...") where a key such as "scenario.patches" or
 * "layout.sock.sk_mark" was set; the file where it has its default.  For
 * messages of the layers that check a value further.  Borrowed. */
const char *config_where(const struct config *config, const char *key);

/* The same for a key of a host, such as "device": of its group, or where it has
 * its value from. */
const char *config_host_where(const struct config *config,
			      const struct config_host *host, const char *key);

/* NULL where there is none of that name. */
struct config_host *config_find_host(const struct config *config,
				     const char *name);
struct config_link *config_find_link(const struct config *config,
				     const char *name);
struct config_device *config_find_device(const struct config_host *host,
					 const char *name);

/* Finds a scenario by path or by name ("neigh-confirmed") in the data folder;
 * a new string, or NULL and an error with the nearest known name. */
char *scenario_find(const char *name_or_path, GError **error);

/* The data folder: $UDPSIM_DATADIR, or where it was installed. */
const char *data_dir(void);
/* FALSE and an error where that folder does not hold the data. */
gboolean data_present(GError **error);
/* Sorted names: scenarios/(seeds,examples), machines, kernels.  NULL-ended;
 * free with g_strfreev(). */
char **data_list_scenarios(void);
char **data_list_machines(void);
char **data_list_kernels(void);
/* The folder of a kernel's data, a new string.  False, and an error with the
 * nearest known name, where there is none such. */
bool data_find_kernel(const char *name, char **folder, GError **error);

/* The nearest of a NULL-ended list by edit distance; NULL where none is
 * near. */
const char *nearest_name(const char *name, const char *const *known);

#define SCENARIO_ERROR scenario_error_quark()
GQuark scenario_error_quark(void);
enum scenario_error {
	SCENARIO_ERROR_SYNTAX,
	SCENARIO_ERROR_VALUE,
	SCENARIO_ERROR_NOT_FOUND,
	SCENARIO_ERROR_IO,
};

#endif
