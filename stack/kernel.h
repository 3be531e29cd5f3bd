/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel as it runs on one machine: its version's data (features, layouts,
 * costs, parameters) and the roots of its state.  Each room under stack/ keeps
 * its own state behind one pointer here, made by its *_init() and freed by its
 * *_exit().
 */
#ifndef STACK_KERNEL_H
#define STACK_KERNEL_H

#include <glib.h>

#include "sim/access.h"
#include "sim/lock.h"
#include "stack/feature.h"
#include "stack/structs.h"

struct mm;			/* stack/mm/ */
struct kernel_time;		/* stack/kernel/time.c */
struct rcu;			/* stack/kernel/rcu.h */
struct net_core;		/* stack/net/core/ */
struct fs_room;			/* stack/fs/ */
struct ipv4;			/* stack/net/ipv4/ */
struct ipv6_room;		/* stack/net/ipv6/ */

/* RCU's, "rcu.blimit" and so on; 0: the kernel's own. */
struct rcu_parameters {
	u32 blimit, qhimark, qlowmark;
	u32 first_fqs, next_fqs;	/* jiffies */
};

/* Tunables: kernel.ini gives their values, [parameters] may change them. */
struct kernel_parameters {
	u32 hz;			/* "kernel.hz" */
	char *allocator;	/* "mm.allocator": "slab" or "slub" */
	struct rcu_parameters rcu;
	u32 busy_read;		/* net.core.busy_read, in microseconds */
	u32 udp_hash_entries;	/* "udp.hash_entries"; 0: by the memory */
	u32 rp_filter;		/* "net.ipv4.conf.all.rp_filter": 0 to 2 */
	u32 igmp_qrv;		/* "net.ipv4.igmp_qrv"; 0: 2 */
	u32 force_igmp_version;	/* "net.ipv4.conf.all.force_igmp_version" */
	u32 mld_qrv;		/* "net.ipv6.mld_qrv"; 0: 2 */
	u32 force_mld_version;	/* "net.ipv6.conf.all.force_mld_version" */
	u32 port_range[2];	/* "net.ipv4.ip_local_port_range"; 0: the
				 * version's */
};

struct kernel {
	char *name;		/* "linux-3.6" */
	char *version;		/* "3.6" */
	GPtrArray *folders;	/* char *, of its data: its own, then its
				 * base's, and so on */
	struct machine *machine;
	features_t features;
	features_t config;		/* features that its configuration builds in */
	u32 pointer_bytes;	/* of a pointer, and of a long: 4 or 8 */
	u32 kmalloc_min;	/* bytes that kmalloc() aligns to, and gives at
				 * least: 8 to 64 */
	struct kernel_parameters parameters;
	GHashTable *slab_limits;	/* "UDP" -> limit, from slab.NAME.limit */
	struct object_type types[NUM_STRUCTS];
	bool *absent_sites;	/* by access site: this kernel lacks it */
	bool *absent_functions;	/* by function site */

	struct percpu_area *percpu;	/* by CPU */
	struct mm *mm;
	struct kernel_time *time;
	struct rcu *rcu;
	struct net_core *net_core;
	struct fs_room *fs;
	struct ipv4 *ipv4;
	struct ipv6_room *ipv6;
	struct net *init_net;
	GPtrArray *statics;	/* objects of static_object(), freed at exit */
	u64 static_next[MAX_PACKAGES];	/* where the next one goes, by node */
	u64 static_end[MAX_PACKAGES];
	const char *not_modelled;	/* the first path that was wanted and
					 * is not; NULL: none.  With it a run
					 * has no result. */
};

/* The kernel of the CPU that runs. */
static inline struct kernel *this_kernel(void)
{
	return this_cpu->machine->kernel;
}

static inline bool kernel_has(const struct kernel *kernel, enum feature feature)
{
	return features_has(&kernel->features, feature);
}

static inline bool has(enum feature feature)
{
	return kernel_has(this_kernel(), feature);
}

/* A path of this kernel that has no model: whoever wanted it fails with the
 * error that is given back. */
int not_modelled(const char *path);

/* What a scenario says of the kernel it wants. */
struct kernel_setting {
	const char *key, *value;
	const char *where;	/* "file:line" for messages */
};

struct kernel_config {
	const char *folder;	/* .../stack/kernels/linux-3.6 */
	const char *const *patches;	/* NULL-ended; "-name" removes */
	const char *patches_where;	/* "file:line", or NULL */
	const struct kernel_setting *layout;	/* key NULL ends it */
	const struct kernel_setting *parameters;
};

/* Says to --check which members are reference counts (refcounts.c). */
void refcounts_declare(struct machine *machine);

/* Loads a kernel's data onto a machine and starts it: allocators, init_net,
 * loopback-less network core.  NULL and an error where the data or the
 * settings are wrong.  Sets this_cpu to CPU 0. */
struct kernel *kernel_new(struct machine *machine,
			  const struct kernel_config *config, GError **error);
void kernel_free(struct kernel *kernel);

/* Canonical names of the patches that make this kernel differ from its
 * version, "+a;-b"; free with g_free(). */
char *kernel_patches(const struct kernel *kernel);

/*
 * An object that exists once, or once a CPU or device, for the kernel's whole
 * life: `size` bytes of C struct (its struct_id's), zeroed, on lines of its
 * own on a node.  Freed with the kernel.
 */
void *static_object(struct kernel *kernel, enum struct_id id, size_t size,
		    u32 node);
#define STATIC_OBJECT(kernel, name, node) \
	((struct name *)static_object(kernel, STRUCT_##name, \
				      sizeof(struct name), node))

#define KERNEL_ERROR kernel_error_quark()
GQuark kernel_error_quark(void);
enum kernel_error {
	KERNEL_ERROR_DATA,	/* a kernel's files are wrong */
	KERNEL_ERROR_SETTING,	/* a patch, layout line or parameter is */
	KERNEL_ERROR_NETWORK,	/* a device, address or route is */
};

#endif
