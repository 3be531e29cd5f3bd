/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Features: where versions of the kernel differ, modelled code asks for a
 * feature and never for a version.  A kernel is the set of features merged by
 * then; a patch adds or removes one.  The table with titles, versions and
 * sources is in patches.c.
 */
#ifndef STACK_FEATURE_H
#define STACK_FEATURE_H

#include "sim/types.h"

enum feature {
	/* By the release that merged them. */
	NEIGH_CONFIRM_ONCE,
	NEIGH_HH_OUTPUT_INLINE,
	TASK_PAGE_FRAG,
	RCU_GP_KTHREAD,
	RCU_CB_NUMBERS,
	SOFTIRQ_TIME_LIMIT,
	NEIGH_GC_KEEP_FEW,
	KMALLOC_COMMON,
	SLAB_PAGE_DESCRIPTOR,
	PREEMPT_COUNT_PERCPU,
	NEIGH_PROBE_TAIL,
	RT6_NEIGH_LOOKUP,
	FLOWLABEL_RCU,
	SO_REUSEPORT,
	DATAGRAM_RELEASE_CB,
	PRANDOM_TAUS113,
	LOCAL_PORTS_NETNS,
	IP_FWD_USE_PMTU,
	SLAB_BYTE_INDEX,
	IP_IDENTS_HASHED,
	UDP6_NO_CHECK,
	UDP_MCAST_HASH2,
	SLAB_DEFERRED_DESTROY,
	SOCK_TSFLAGS,
	SK_DST_XCHG,
	SK_TXHASH,
	UDP_ROUTE_FLAGS,
	RT6_SERNUM_ONLY,
	SLAB_ARRAY_PERCPU,
	XMIT_VALIDATE,
	PTYPE_ALL_DEV,
	UDP6_MAKE_SKB,
	IP6_CSUM_PARTIAL,
	NONLOCAL_BIND_NETNS,
	FIB_TRIE_KEY_VECTOR,
	DEV_RECURSION_LEVEL,
	NEIGH_HASH_DEV_POINTER,
	NEIGH_TABLE_PROTOCOL,
	NEIGH_MCAST_REPROBES,
	SADDR_RFC6724,
	RT6_PCPU,
	NEXTHOP_LINKDOWN,
	IP6_SOURCE_RETRY,
	SPIN_LOCKS_QUEUED,
	AUTO_FLOWLABELS,
	TXOPT_RCU,
	SK_FULLSOCK,
	IP6_SK_DST_SKIP_XFRM,
	PAGE_COMPOUND_HEAD,
	NEIGH_DEAD_CHECK,
	BIND_ADDRESS_NO_PORT,
	LOCAL_PORTS_EVEN,
	DST_LWTSTATE,
	NEIGH_PROBE_RESET,
	SLAB_OBJFREELIST,
	SYSCTL_TTL_NETNS,
	UDP_SOCK_RCU_FREE,
	TIMER_WHEEL_LEVELS,
	NEIGH_STALE_KEEPS,
	SADDR_OIF_ONLY,
	UDP_INCOMING_CPU,
	UDP_REUSEPORT_GROUP,
	REUSEPORT_TAIL,
	IP6_DATAGRAM_RELEASE_CB,
	L3MDEV,
	THREAD_INFO_IN_TASK,
	L3MDEV_OUT,
	KSOFTIRQD_RUNNING,
	RFS_STATIC_KEY,
	SOCK_UID,
	SOCK_PENDING_CONFIRM,
	IP6_MAPPED_SOURCE,
	UDP_REUSEPORT_QUIT_EARLY,
	IP6_CONNECT_RESTORE,
	ROUTE_OUTPUT_RCU,
	UDP_READER_QUEUE,
	NEIGH_DELETE_REMOVES,
	NEIGH_UPDATE_EFFECTIVE,
	DST_HOLD_SAFE,
	NEIGH_QUEUE_WMEM,
	NEIGH_KEY_POINTOPOINT,
	SADDR_RCU,
	ADDRLABEL_NETNS,
	RCU_SEGCBLIST,
	XFRM_DST_PATH,
	AUTOFLOWLABEL_SET,
	UDP6_DST_STORE_ONCE,
	FIB6_RCU,
	SOCK_VALIDATE_XMIT,
	UDP_GSO,
	RCU_GP_SEQ,
	PID_IN_SIGNAL,
	UDPLITE_BY_PROTOCOL,
	KMALLOC_NAMES_IN_K,
	NEIGH_HH_HEADROOM,
	SKB_EXTENSIONS,
	NEIGH_GC_LIST,
	UDP_LOOKUP_HASH2,
	NET_HASH_MIX,
	IP_ID_SIPHASH,
	XMIT_MORE_SOFTNET,
	XMIT_RECURSION_SOFTNET,
	INET6_SENDMSG,
	FLOWLABEL_FREE,
	FIB_NEXTHOP_COMMON,
	SOCKET_WQ_EMBEDDED,
	RCU_BATCH_TIME,
	SLUB_FREELIST_REBUILT,
	FLOW_HASH_SIPHASH,
	DUMMY_LSTATS,
	UDP_DISCONNECT_REHASH,
	SLUB_FREEPTR_MIDDLE,
	NEIGH_RETRANS_SHORT,
	SYSCALL_ENTRY_GENERIC,
	SKB_SHINFO_FLAGS,
	SLUB_ORIG_SIZE,
	SLUB_CPU_PARTIAL_SLABS,
	STRUCT_SLAB,
	SKB_ALLOC_CPU,
	CONTEXT_TRACKING_STATE,
	INET_ID_ATOMIC,
	NETWORK_ADDRESS_UNICAST,
	XFRM_POLICY_DEFAULT,
	IPV4_MTU_FORWARD,
	SOCK_WFREE_ONCE,
	SK_ROUTE_CAPS_ONCE,
	IP6_DST_STEAL,
	IP6_OUTPUT_RCU,
	PREFSRC_L3MDEV,
	DEV_NET_RCU,
	KMALLOC_GENERIC,
	KMALLOC_SIZE_ROUNDUP,
	GET_RANDOM_BATCH,
	SOCK_LOCAL_PORT_RANGE,
	TASK_WORK_LOCKLESS,
	SOCK_FILE_NAME,
	FILE_INODE,
	ALLOC_FILE_ERRNO,
	DENTRY_LOCKREF,
	FILE_POS_LOCK,
	NO_PMTU_DISC_NETNS,
	TRUNCATE_PAGES_FINAL,
	SOCK_DIAG_DESTROY,
	FD_INSTALL_RCU,
	FDTABLE_FULL_BITS,
	INODE_RWSEM,
	UDP_SLAB_PLAIN,
	UDP_INIT_SOCK,
	FSNOTIFY_CONNECTOR,
	ERRSEQ,
	FLOWLABEL_REFLECT,
	SOCK_INUSE_NET,
	RSEQ,
	SOCK_RELEASE_LOCKED,
	FILE_FREED_LAST,
	DCACHE_PSEUDO_NORCU,
	CRED_NON_RCU,
	INVALIDATE_LOCK,
	INET6_SOCK_DESTRUCT,
	/* No release has it: a defect, for tests. */
	UDP_LOOKUP_NO_RECHECK,
	/* By the configuration: kernel.ini says which are built in. */
	PREEMPT_RCU,
	PREEMPT_DYNAMIC,
	JUMP_LABEL,
	IP_FIB_TRIE_STATS,
	IPV6_MULTIPLE_TABLES,
	IPV6_SUBTREES,
	IPV6_ROUTER_PREF,
	IPV6_OPTIMISTIC_DAD,
	IPV6_MIP6,
	IPV6_PRIVACY,
	CGROUP_NET_PRIO,
	CGROUP_BPF,
	STACKPROTECTOR,
	HARDENED_USERCOPY,
	SLAB_FREELIST_HARDENED,
	SLAB_FREELIST_RANDOM,
	NUM_FEATURES
};

struct feature_info {
	const char *name;	/* "neigh-confirm-once" */
	const char *merged;	/* "3.7": the first release that has it; NULL:
				 * none has, or it is a choice of the
				 * configuration, "config" in kernel.ini */
	const char *title;
	const char *source;
	/* What a kernel's tables must have for it, and what for doing without:
	 * "struct.field" or "function()"; NULL: nothing special.  A kernel of
	 * another time may lack them; then the patch is refused. */
	const char *needs, *replaces;
};

extern const struct feature_info feature_info[NUM_FEATURES];

/* The feature of a name, -1 if there is none. */
int feature_find(const char *name);

/* A set of features. */
#define FEATURE_WORDS ((NUM_FEATURES + 63) / 64)
typedef struct {
	u64 words[FEATURE_WORDS];
} features_t;

static inline bool features_has(const features_t *set, enum feature feature)
{
	return set->words[feature / 64] >> feature % 64 & 1;
}

static inline void features_set(features_t *set, enum feature feature, bool on)
{
	set->words[feature / 64] &= ~(1ull << feature % 64);
	set->words[feature / 64] |= (u64)on << feature % 64;
}

static inline void features_add(features_t *set, features_t others)
{
	u32 i;

	for (i = 0; i < FEATURE_WORDS; i++)
		set->words[i] |= others.words[i];
}

/* The features of a released version "3.6" or "2.6.32". */
features_t features_of_version(const char *version);

#endif
