/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models fs/inode.c, mm/truncate.c and fs/notify/mark.c as far as the inode of
 * a socket comes by: it has no name that others could find, no pages and no
 * marks, and is gone with its last reference.
 */
#include "stack/include/linux/dcache.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/sched.h"

#define LAST_INO_BATCH 1024u

/* Two of them, each a count, a lock and a list of who waits. */
static void init_rwsems(struct socket_alloc *inode)
{
	WRITE(inode, vfs_inode.i_rwsem.count, 0);
	WRITE(inode, vfs_inode.i_rwsem.owner, 0);
	WRITE(inode, vfs_inode.i_rwsem.wait_list, 0);
	if (has(INVALIDATE_LOCK)) {
		WRITE(inode, vfs_inode.i_data.invalidate_lock.count, 0);
		WRITE(inode, vfs_inode.i_data.invalidate_lock.wait_list, 0);
	}
}

static void init_mapping(struct socket_alloc *inode)
{
	WRITE(inode, vfs_inode.i_data.host, 0);
	WRITE(inode, vfs_inode.i_data.a_ops, 0);
	WRITE(inode, vfs_inode.i_data.flags, 0);
	WRITE(inode, vfs_inode.i_data.gfp_mask, 0);
	WRITE(inode, vfs_inode.i_data.writeback_index, 0);
	if (has(ERRSEQ))
		WRITE(inode, vfs_inode.i_data.wb_err, 0);
	WRITE(inode, vfs_inode.i_data.i_mmap_writable, 0);
	WRITE(inode, vfs_inode.i_private, 0);
	WRITE(inode, vfs_inode.i_mapping, 0);
}

static void init_owner(struct super_block *sb, struct socket_alloc *inode)
{
	if (has(ERRSEQ)) {	/* the user's number in its namespace */
		(void)READ(sb, s_user_ns);
		(void)READ(sb, s_iflags);
	}
	WRITE(&inode->socket, i_uid, 0);
	WRITE(inode, vfs_inode.i_gid, 0);
}

static void inode_init_always(struct super_block *sb,
			      struct socket_alloc *inode)
{
	FUNCTION(inode_init_always);
	WRITE(inode, vfs_inode.i_sb, sb);
	WRITE(inode, vfs_inode.i_blkbits, READ(sb, s_blocksize_bits));
	WRITE(inode, vfs_inode.i_flags, 0);
	WRITE(inode, vfs_inode.i_count, 1);
	WRITE(inode, vfs_inode.i_op, 0);
	WRITE(inode, vfs_inode.i_fop, 0);
	WRITE(inode, vfs_inode.i_nlink, 1);
	(void)READ(sb, s_xattr);
	init_owner(sb, inode);
	WRITE(inode, vfs_inode.i_writecount, 0);
	WRITE(inode, vfs_inode.i_size, 0);
	WRITE(inode, vfs_inode.i_blocks, 0);
	WRITE(inode, vfs_inode.i_generation, 0);
	WRITE(inode, vfs_inode.i_pipe, 0);
	WRITE(inode, vfs_inode.dirtied_when, 0);
	if (has(INODE_RWSEM)) {
		WRITE(inode, vfs_inode.i_wb_frn_winner, 0);
		init_rwsems(inode);
	} else {
		WRITE(inode, vfs_inode.i_mutex.count, 1);
		WRITE(inode, vfs_inode.i_mutex.wait_list, 0);
	}
	WRITE(inode, vfs_inode.i_security, 0);
	WRITE(inode, vfs_inode.i_dio_count, 0);
	init_mapping(inode);
	WRITE(inode, vfs_inode.i_dentry, 0);
	if (!has(NO_POSIX_ACL))
		WRITE(inode, vfs_inode.i_acl, 0);
	WRITE(inode, vfs_inode.i_fsnotify_mask, 0);
	UPDATE(fs_cpu()->nr_inodes, nr_inodes, += 1);
}

static struct socket_alloc *alloc_inode(struct super_block *sb)
{
	struct socket_alloc *inode;

	FUNCTION(alloc_inode);
	(void)READ(sb, s_op);
	inode = sock_alloc_inode();
	if (inode)
		inode_init_always(sb, inode);
	return inode;
}

struct socket_alloc *new_inode_pseudo(struct super_block *sb)
{
	struct socket_alloc *inode = alloc_inode(sb);

	if (!inode)
		return NULL;
	SPIN_LOCK(inode, vfs_inode.i_lock);
	WRITE(inode, vfs_inode.i_state, 0);
	SPIN_UNLOCK(inode, vfs_inode.i_lock);
	if (!has(INODE_RWSEM))
		WRITE(inode, vfs_inode.i_sb_list, 0);
	return inode;
}

/* Each CPU takes numbers by the thousand. */
u32 get_next_ino(void)
{
	struct last_ino *last = fs_cpu()->last_ino;
	u32 ino = READ(last, last_ino);

	if (!(ino & (LAST_INO_BATCH - 1)))
		ino = ATOMIC_ADD_RETURN(fs_room()->shared_last_ino,
					shared_last_ino, LAST_INO_BATCH) -
		      LAST_INO_BATCH;
	ino++;
	WRITE(last, last_ino, ino);
	return ino;
}

/* ---- the end ---- */

/* Nobody watches it, which a reader of the lists of marks makes sure of. */
void fsnotify_destroy_marks(struct socket_alloc *inode)
{
	(void)READ(inode, vfs_inode.i_fsnotify_marks);
	if (!has(FSNOTIFY_CONNECTOR))
		return;
	UPDATE(fs_cpu()->srcu_lock, srcu_lock_count, += 1);
	UPDATE(fs_cpu()->srcu_unlock, srcu_unlock_count, += 1);
}

static void __destroy_inode(struct socket_alloc *inode)
{
	FUNCTION(__destroy_inode);
	(void)READ(inode, vfs_inode.i_data.private_list);
	if (has(INODE_RWSEM))
		(void)READ(inode, vfs_inode.i_wb);
	(void)READ(inode, vfs_inode.i_security);
	fsnotify_destroy_marks(inode);
	if (has(INODE_RWSEM))
		(void)READ(inode, vfs_inode.i_flctx);
	(void)READ(inode, vfs_inode.i_nlink);
	if (!has(NO_POSIX_ACL)) {
		(void)READ(inode, vfs_inode.i_acl);
		(void)READ(inode, vfs_inode.i_default_acl);
	}
	UPDATE(fs_cpu()->nr_inodes, nr_inodes, -= 1);
}

static void destroy_inode(struct socket_alloc *inode)
{
	FUNCTION(destroy_inode);
	(void)READ(inode, vfs_inode.i_lru);
	__destroy_inode(inode);
	(void)READ(READ(inode, vfs_inode.i_sb), s_op);
	sock_destroy_inode(inode);
}

/* It has no pages.  The lock is taken for whoever looked at them last. */
static void clear_inode(struct socket_alloc *inode)
{
	FUNCTION(clear_inode);
	ATOMIC_INC(inode, vfs_inode.i_data.i_pages.xa_lock);
	(void)READ(inode, vfs_inode.i_data.nrpages);
	if (has(INODE_RWSEM))
		(void)READ(inode, vfs_inode.i_data.i_pages.xa_flags);
	WRITE_ONCE(inode, vfs_inode.i_data.i_pages.xa_lock, 0);
	(void)READ(inode, vfs_inode.i_data.private_list);
	(void)READ(inode, vfs_inode.i_state);
	WRITE_ONCE(inode, vfs_inode.i_state, I_FREEING | I_CLEAR);
}

static void truncate_inode_pages_final(struct socket_alloc *inode)
{
	if (!has(TRUNCATE_PAGES_FINAL)) {
		(void)READ(inode, vfs_inode.i_data.nrpages);
		return;
	}
	ATOMIC_INC(inode, vfs_inode.i_data.flags);
	(void)READ(inode, vfs_inode.i_data.i_pages.xa_head);
}

/* Nobody writes it back. */
static void inode_wait_for_writeback(struct socket_alloc *inode)
{
	SPIN_LOCK(inode, vfs_inode.i_lock);
	(void)READ(inode, vfs_inode.i_state);
	SPIN_UNLOCK(inode, vfs_inode.i_lock);
}

static void evict(struct socket_alloc *inode)
{
	FUNCTION(evict);
	STACK_PROTECTOR();
	(void)READ(inode, vfs_inode.i_io_list);
	(void)READ(inode, vfs_inode.i_sb_list);
	inode_wait_for_writeback(inode);
	(void)READ(READ(inode, vfs_inode.i_sb), s_op);
	truncate_inode_pages_final(inode);
	clear_inode(inode);
	(void)READ(inode, vfs_inode.i_mode);
	(void)READ(inode, vfs_inode.i_hash);
	SPIN_LOCK(inode, vfs_inode.i_lock);
	(void)READ(inode, vfs_inode.i_state);
	SPIN_UNLOCK(inode, vfs_inode.i_lock);
	destroy_inode(inode);
}

/* Nobody finds it by its number, so it need not be kept.  Comes with the
 * inode's lock. */
static void iput_final(struct socket_alloc *inode)
{
	(void)READ(READ(inode, vfs_inode.i_sb), s_op);
	(void)READ(inode, vfs_inode.i_nlink);
	(void)READ(inode, vfs_inode.i_hash);
	WRITE_ONCE(inode, vfs_inode.i_state, I_FREEING);
	(void)READ(inode, vfs_inode.i_lru);
	SPIN_UNLOCK(inode, vfs_inode.i_lock);
	evict(inode);
}

void iput(struct socket_alloc *inode)
{
	FUNCTION(iput);
	(void)READ(inode, vfs_inode.i_state);
	/* The last reference is put with the lock. */
	if (READ_ONCE(inode, vfs_inode.i_count) > 1) {
		ATOMIC_DEC(inode, vfs_inode.i_count);
		return;
	}
	SPIN_LOCK(inode, vfs_inode.i_lock);
	if (!ATOMIC_DEC_AND_TEST(inode, vfs_inode.i_count)) {
		SPIN_UNLOCK(inode, vfs_inode.i_lock);
		return;
	}
	iput_final(inode);
}
