/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names and inodes (include/linux/dcache.h, fs.h).  The only ones here are
 * those of sockets, so that an inode is passed as the socket_alloc in which it
 * lies.
 *
 * Members of one byte stand for pointers and the like whose value decides
 * nothing: there may be a million of these structs.
 */
#ifndef STACK_LINUX_DCACHE_H
#define STACK_LINUX_DCACHE_H

#include "stack/include/linux/fs.h"
#include "stack/include/linux/mount.h"

#define I_FREEING 0x20u
#define I_CLEAR 0x40u

struct socket_alloc {
	union { struct object object; struct socket socket; };
	struct {
		u16 i_mode;
		u8 i_opflags, i_flags, i_acl, i_default_acl, i_op, i_mapping;
		u8 i_security, i_nlink, i_rdev, i_size, i_bytes, i_blkbits;
		u8 i_write_hint, i_blocks, dirtied_when;
		u8 i_gid;
		u8 i_state;
		struct super_block *i_sb;
		struct spinlock i_lock;
		struct { u8 count, owner, wait_lock, wait_list, osq; } i_rwsem;
		struct { u8 count, wait_lock, wait_list; } i_mutex;
		u8 i_hash, i_io_list, i_wb, i_wb_frn_winner;
		u8 i_lru, i_sb_list, i_wb_list, i_dentry;
		u8 i_sequence, i_dio_count, i_writecount, i_fop, i_flctx;
		u8 i_pipe, i_generation, i_fsnotify_mask, i_fsnotify_marks;
		u8 i_private;
		s32 i_count;
		u32 i_ino;
		struct {
			u8 host, gfp_mask, i_mmap_writable, nrpages;
			u8 writeback_index, a_ops, flags, wb_err;
			u8 private_list, private_data;
			struct { u8 xa_lock, xa_flags, xa_head; } i_pages;
			struct {
				u8 count, owner, osq, wait_lock, wait_list;
			} invalidate_lock;
		} i_data;
	} vfs_inode;
	struct rcu_head i_rcu;
};

struct dentry {
	struct object object;
	u32 d_flags;
	u32 d_seq;
	struct socket_alloc *d_inode;
	struct spinlock d_lock;
	s32 d_count;
	u8 d_hash, d_parent, d_name, d_iname, d_op, d_sb, d_fsdata;
	u8 d_lru, d_child, d_subdirs, d_alias;
};

/* fs/inode.c.  A new one has no number yet; NULL without memory. */
struct socket_alloc *new_inode_pseudo(struct super_block *sb);
u32 get_next_ino(void);
void iput(struct socket_alloc *inode);
/* net/socket.c: what the file system of sockets does for an inode. */
struct socket_alloc *sock_alloc_inode(void);
void sock_destroy_inode(struct socket_alloc *inode);

/* fs/dcache.c */
struct dentry *d_alloc_pseudo(struct super_block *sb);
void d_instantiate(struct dentry *dentry, struct socket_alloc *inode);
void dput(struct dentry *dentry);

/* fs/notify/: nobody watches sockets. */
void fsnotify_destroy_marks(struct socket_alloc *inode);

#endif
