/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's structs by name.  STRUCTS lists each struct whose members are
 * read or written by the access macros: its name, and the name of the struct
 * that stands first in it, or NONE.  A kernel's layout must place every member
 * that an access names (stack/layout.c sees to that when it is loaded).
 */
#ifndef STACK_STRUCTS_H
#define STACK_STRUCTS_H

#define STRUCTS(X)							\
	X(current_task, NONE)						\
	X(preempt_count, NONE)						\
	X(cpu_number, NONE)						\
	X(this_cpu_off, NONE)						\
	X(fixed_percpu_data, NONE)					\
	X(cpu_current_top_of_stack, NONE)				\
	X(cpu_tss_rw, NONE)						\
	X(cpu_entry_area, NONE)						\
	X(fpu_fpregs_owner_ctx, NONE)					\
	X(pid, NONE)							\
	X(signal_struct, NONE)						\
	X(thread_info, NONE)						\
	X(task_struct, NONE)						\
	X(mm_struct, NONE)						\
	X(files_struct, NONE)						\
	X(file, NONE)							\
	X(cred, NONE)							\
	X(nsproxy, NONE)						\
	X(css_set, NONE)						\
	X(cgroup_cls_state, NONE)					\
	X(cgroup_netprio_state, NONE)					\
	X(cgroup_refcnt, NONE)						\
	X(fd_part, NONE)						\
	X(bits_part, NONE)						\
	X(fdtable, NONE)						\
	X(dentry, NONE)							\
	X(super_block, NONE)						\
	X(mount, NONE)							\
	X(mnt_pcp, NONE)						\
	X(nr_files, NONE)						\
	X(nr_files_cpu, NONE)						\
	X(nr_inodes, NONE)						\
	X(nr_dentry, NONE)						\
	X(last_ino, NONE)						\
	X(shared_last_ino, NONE)					\
	X(srcu_lock_count, NONE)					\
	X(srcu_unlock_count, NONE)					\
	X(sockets_in_use, NONE)						\
	X(netlink_sock, NONE)						\
	X(netlink_table, NONE)						\
	X(netlink_listeners, NONE)					\
	X(socket, NONE)							\
	X(socket_alloc, socket)						\
	X(socket_wq, NONE)						\
	X(rq, NONE)							\
	X(udp_memory, NONE)						\
	X(udp_busylock, NONE)						\
	X(proto_ops, NONE)						\
	X(proto, NONE)							\
	X(security_operations, NONE)					\
	X(sock, NONE)							\
	X(inet_sock, sock)						\
	X(udp_sock, inet_sock)						\
	X(udp6_sock, udp_sock)						\
	X(sk_buff, NONE)						\
	X(skb_head, NONE)						\
	X(frag_page, NONE)						\
	X(skb_shared_info, NONE)					\
	X(dst_entry, NONE)						\
	X(rtable, dst_entry)						\
	X(rt_hash_vars, NONE)						\
	X(rt_hash_bucket, NONE)						\
	X(rt_hash_lock, NONE)						\
	X(rt_cache_stat, NONE)						\
	X(rt_gc, NONE)							\
	X(dst_ops, NONE)						\
	X(neighbour, NONE)						\
	X(hh_entry, NONE)						\
	X(neigh_table, NONE)						\
	X(neigh_parms, NONE)						\
	X(neigh_ops, NONE)						\
	X(neigh_statistics, NONE)					\
	X(neigh_hash_table, NONE)					\
	X(neigh_hash_buckets, NONE)					\
	X(net_device, NONE)						\
	X(net_device_ops, NONE)						\
	X(header_ops, NONE)						\
	X(netdev_queue, NONE)						\
	X(Qdisc, NONE)							\
	X(pfifo_fast_priv, NONE)					\
	X(qdisc_band, NONE)						\
	X(nic, NONE)							\
	X(nic_ring, NONE)						\
	X(nic_descs, NONE)						\
	X(nic_buffers, NONE)						\
	X(nic_vector, NONE)						\
	X(xps_map, NONE)						\
	X(xps_dev_maps, NONE)						\
	X(tx_hashrnd, NONE)						\
	X(pcpu_dstats, NONE)						\
	X(in_device, NONE)						\
	X(in_ifaddr, NONE)						\
	X(ip_mc_list, NONE)						\
	X(ip_sf_list, NONE)						\
	X(ip_mc_socklist, NONE)						\
	X(ip_sf_socklist, NONE)						\
	X(ifmcaddr6, NONE)						\
	X(ip6_sf_list, NONE)						\
	X(ipv6_mc_socklist, NONE)					\
	X(ip6_sf_socklist, NONE)					\
	X(rtnl_mutex, NONE)						\
	X(fib_table, NONE)						\
	X(tnode, NONE)							\
	X(leaf, NONE)							\
	X(leaf_info, NONE)						\
	X(fib_alias, NONE)						\
	X(fib_info, NONE)						\
	X(fib_nh, NONE)							\
	X(nh_pcpu_rth, NONE)						\
	X(fib_nh_exception, NONE)					\
	X(fnhe_hash_bucket, NONE)					\
	X(fnhe_vars, NONE)						\
	X(trie_use_stats, NONE)						\
	X(dev_index_head, NONE)						\
	X(fib6_table, NONE)						\
	X(fib6_node, NONE)						\
	X(fib6_info, NONE)						\
	X(fib6_nh, NONE)						\
	X(rt6i_pcpu, NONE)						\
	X(rt6_exception, NONE)						\
	X(rt6_exception_bucket, NONE)					\
	X(rt6_exception_vars, NONE)					\
	X(rt6_info, dst_entry)						\
	X(inet6_dev, NONE)						\
	X(inet6_ifaddr, NONE)						\
	X(ipv6_devconf_all, NONE)					\
	X(ip6addrlbl_entry, NONE)					\
	X(ip6addrlbl_table, NONE)					\
	X(ipv6_statistics, ipstats_mib)					\
	X(inet6_dev_stats, ipstats_mib)					\
	X(udp_stats_in6, udp_mib)					\
	X(net, NONE)							\
	X(ipv4_devconf, NONE)						\
	X(ip6_flowlabel, NONE)						\
	X(ipv6_fl_socklist, NONE)					\
	X(ip6_sk_fl_lock, NONE)						\
	X(ipv6_txoptions, NONE)						\
	X(ipv6_opt_copy, NONE)						\
	X(sock_ctl_buf, NONE)						\
	X(hashrnd, NONE)						\
	X(rps_map, NONE)						\
	X(netdev_rx_queue, NONE)					\
	X(ipstats_mib, NONE)						\
	X(udp_mib, NONE)						\
	X(icmp_mib, NONE)						\
	X(icmpv6_mib, NONE)						\
	X(icmp_global, NONE)						\
	X(inet_peer, NONE)						\
	X(inet_peer_base, NONE)						\
	X(inet_frag_queue, NONE)					\
	X(ipq, inet_frag_queue)						\
	X(frag_queue, inet_frag_queue)					\
	X(inet_frag_bucket, NONE)					\
	X(inet_frags, NONE)						\
	X(fqdir, NONE)							\
	X(udp_table, NONE)						\
	X(udp_hslot, NONE)						\
	X(prot_inuse, NONE)						\
	X(sysctl_local_ports, NONE)					\
	X(local_reserved_ports, NONE)					\
	X(sock_reuseport, NONE)						\
	X(reuseport_lock, NONE)						\
	X(net_rand_state, NONE)						\
	X(batched_entropy_u32, NONE)					\
	X(base_crng, NONE)						\
	X(irq_cpustat, NONE)						\
	X(rcu_node, NONE)						\
	X(rcu_data, NONE)						\
	X(rcu_dynticks, NONE)						\
	X(context_tracking, NONE)					\
	X(rcu_state, NONE)						\
	X(rcu_tunables, NONE)						\
	X(rcu_synchronize, NONE)					\
	X(timer_list, NONE)						\
	X(timer_base, NONE)						\
	X(xmit_recursion, NONE)						\
	X(softnet_data, NONE)						\
	X(napi_struct, NONE)						\
	X(netif_rx_stats, NONE)						\
	X(packet_type, NONE)						\
	X(jiffies_data, NONE)						\
	X(ptype_data, NONE)						\
	X(nf_hooks, NONE)						\
	X(sysctl_data, NONE)						\
	X(ip_idents, NONE)						\
	X(ip_tstamps, NONE)						\
	X(dst_metrics, NONE)						\
	X(page, NONE)							\
	X(slab, NONE)							\
	X(kmem_cache, NONE)						\
	X(array_cache, NONE)						\
	X(alien_cache, NONE)						\
	X(kmem_list3, NONE)						\
	X(slab_reap_work, NONE)						\
	X(kmem_cache_slub, NONE)					\
	X(kmem_cache_cpu, NONE)						\
	X(kmem_cache_node, NONE)					\
	X(slub_object, NONE)						\
	X(kmalloc_caches, NONE)						\
	X(zone, NONE)							\
	X(free_area, NONE)						\
	X(per_cpu_pages, NONE)						\
	X(per_cpu_pageset, per_cpu_pages)

enum struct_id {
#define STRUCT_ENUM(name, base) STRUCT_##name,
	STRUCTS(STRUCT_ENUM)
#undef STRUCT_ENUM
	NUM_STRUCTS
};

#define STRUCT_DECLARE(name, base) struct name;
STRUCTS(STRUCT_DECLARE)
#undef STRUCT_DECLARE

#define STRUCT_GENERIC(name, base)					\
	struct name * : #name, const struct name * : #name,
/* The name of the struct that p points to, for sim/access.h. */
#define STRUCT_NAME(p)							\
	_Generic((p), STRUCTS(STRUCT_GENERIC) struct no_struct * : "")

struct no_struct;

#endif
