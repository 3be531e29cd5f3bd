/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models fs/file.c: processes' tables of open files.  A table that only one
 * task uses is read without taking a reference on the file.
 *
 * The first 64 descriptors lie in the files_struct.  A table that is full is
 * copied to one of twice the size; tables of more than 32 KiB are vmalloc()ed,
 * page by page, for which pages of kmalloc() stand here.
 */
#include <errno.h>

#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/sock.h"

#define WORD_BITS 64u
#define SYSCTL_NR_OPEN (1024u * 1024)
#define KMALLOC_MAX_BYTES 32768u	/* PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER */
#define TABLE_STEP 128u		/* the least that a new table holds */

/* The three bitmaps, in the order in which they lie in memory. */
enum { OPEN_FDS, CLOSE_ON_EXEC, FULL_FDS_BITS };

/* ---- one table, whether embedded or not ---- */

static u32 max_fds(const struct files_struct *files, const struct fdtable *fdt)
{
	return fdt ? READ(fdt, max_fds) : READ(files, fdtab.max_fds);
}

static u32 bits_index(const struct fdtable *fdt, u32 map, u32 word)
{
	return map * (fdt->max_fds / WORD_BITS) + word;
}

static u64 read_bits(const struct files_struct *files,
		     const struct fdtable *fdt, u32 map, u32 word)
{
	if (fdt) {
		u32 i = bits_index(fdt, map, word);

		if (map == OPEN_FDS)
			(void)READ(fdt, open_fds);
		else if (map == FULL_FDS_BITS)
			(void)READ(fdt, full_fds_bits);
		else
			(void)READ(fdt, close_on_exec);
		return READ_AT(fdt->bits[i / fdt->bits_per_part], word,
			       i % fdt->bits_per_part);
	}
	if (map == OPEN_FDS) {
		(void)READ(files, fdtab.open_fds);
		return READ(files, open_fds_init);
	}
	if (map == FULL_FDS_BITS) {
		(void)READ(files, fdtab.full_fds_bits);
		return READ(files, full_fds_bits_init);
	}
	(void)READ(files, fdtab.close_on_exec);
	return READ(files, close_on_exec_init);
}

static void write_bits(struct files_struct *files, const struct fdtable *fdt,
		       u32 map, u32 word, u64 value)
{
	if (fdt) {
		u32 i = bits_index(fdt, map, word);

		WRITE_AT(fdt->bits[i / fdt->bits_per_part], word,
			 i % fdt->bits_per_part, value);
	} else if (map == OPEN_FDS) {
		WRITE(files, open_fds_init, value);
	} else if (map == FULL_FDS_BITS) {
		WRITE(files, full_fds_bits_init, value);
	} else {
		WRITE(files, close_on_exec_init, value);
	}
}

static struct file *read_fd(const struct files_struct *files,
			    const struct fdtable *fdt, u32 fd)
{
	if (!fdt) {
		(void)READ(files, fdtab.fd);
		return READ_ONCE_AT(files, fd_array, fd);
	}
	(void)READ(fdt, fd);
	return READ_ONCE_AT(fdt->fds[fd / fdt->fds_per_part], fd,
			    fd % fdt->fds_per_part);
}

static void write_fd(struct files_struct *files, const struct fdtable *fdt,
		     u32 fd, struct file *file)
{
	if (!fdt)
		WRITE_ONCE_AT(files, fd_array, fd, file);
	else
		WRITE_ONCE_AT(fdt->fds[fd / fdt->fds_per_part], fd,
			      fd % fdt->fds_per_part, file);
}

/* ---- tables that grow ---- */

static void free_parts(struct fdtable *fdt)
{
	u32 i;

	for (i = 0; i < fdt->num_fd_parts; i++)
		kfree(fdt->fds[i]);
	for (i = 0; i < fdt->num_bits_parts; i++)
		kfree(fdt->bits[i]);
	g_free(fdt->fds);
	g_free(fdt->bits);
	kfree(fdt);
}

static void free_fdtable_rcu(void *p)
{
	FUNCTION(free_fdtable_rcu);
	free_parts(p);
}

/* How many bytes a part of so many has. */
static u32 part_bytes(u32 bytes)
{
	return bytes > KMALLOC_MAX_BYTES ? PAGE_SIZE : bytes;
}

static bool alloc_fds(struct fdtable *fdt)
{
	u32 bytes = fdt->max_fds * 8, part = part_bytes(bytes), i;

	fdt->fds_per_part = part / 8;
	fdt->fds = g_new0(struct fd_part *, (bytes + part - 1) / part);
	for (i = 0; i * part < bytes; i++) {
		fdt->fds[i] = kmalloc(part, STRUCT_fd_part,
				      sizeof(struct fd_part) + part,
				      GFP_KERNEL);
		if (!fdt->fds[i])
			return false;
		fdt->num_fd_parts++;
		memset(fdt->fds[i]->fd, 0, part);
	}
	return true;
}

static bool alloc_bits(struct fdtable *fdt)
{
	u32 words = fdt->max_fds / WORD_BITS;
	u32 bytes = (2 * words + (words + WORD_BITS - 1) / WORD_BITS) * 8;
	u32 part = part_bytes(MAX(bytes, LINE_SIZE)), i;

	fdt->bits_per_part = part / 8;
	fdt->bits = g_new0(struct bits_part *, (bytes + part - 1) / part);
	for (i = 0; i * part < bytes; i++) {
		fdt->bits[i] = kmalloc(part, STRUCT_bits_part,
				       sizeof(struct bits_part) + part,
				       GFP_KERNEL);
		if (!fdt->bits[i])
			return false;
		fdt->num_bits_parts++;
		memset(fdt->bits[i]->word, 0, part);
	}
	return true;
}

/* A table with room for descriptor nr: a power of two of the step. */
static struct fdtable *alloc_fdtable(u32 nr)
{
	u32 steps = nr / TABLE_STEP + 1, size = 1;
	struct fdtable *fdt;

	FUNCTION(alloc_fdtable);
	while (size < steps)
		size *= 2;
	fdt = KMALLOC(fdtable, GFP_KERNEL);
	if (!fdt)
		return NULL;
	fdt->num_fd_parts = fdt->num_bits_parts = 0;
	fdt->fds = NULL;
	fdt->bits = NULL;
	WRITE(fdt, max_fds, MIN(size * TABLE_STEP, SYSCTL_NR_OPEN));
	if (alloc_fds(fdt) && alloc_bits(fdt)) {
		WRITE(fdt, fd, 0);
		WRITE(fdt, open_fds, 0);
		WRITE(fdt, close_on_exec, 0);
		return fdt;
	}
	free_parts(fdt);
	return NULL;
}

static void copy_map(struct files_struct *files, const struct fdtable *old,
		     const struct fdtable *new, u32 map, u32 words)
{
	u32 i;

	for (i = 0; i < words; i++) {
		u64 value = read_bits(files, old, map, i);

		write_bits(files, new, map, i, value);
	}
}

/* Comes with the table's lock. */
static void copy_fdtable(struct files_struct *files, const struct fdtable *old,
			 const struct fdtable *new)
{
	u32 count = max_fds(files, old), words = count / WORD_BITS, i;

	for (i = 0; i < count; i++) {
		struct file *file = read_fd(files, old, i);

		write_fd(files, new, i, file);
	}
	WORK(count);
	copy_map(files, old, new, OPEN_FDS, words);
	copy_map(files, old, new, CLOSE_ON_EXEC, words);
	if (has(FDTABLE_FULL_BITS))
		copy_map(files, old, new, FULL_FDS_BITS,
			 (words + WORD_BITS - 1) / WORD_BITS);
}

/* Others may open and close files while the new table is made. */
static int expand_fdtable(struct files_struct *files, u32 nr)
{
	struct fdtable *new, *old;

	SPIN_UNLOCK(files, file_lock);
	new = alloc_fdtable(nr);
	SPIN_LOCK(files, file_lock);
	if (!new)
		return -ENOMEM;
	old = files->big;
	if (nr < max_fds(files, old)) {	/* somebody else has */
		free_parts(new);
		return 1;
	}
	copy_fdtable(files, old, new);
	files->big = new;
	WRITE_ONCE(files, fdt, new);
	if (old)
		CALL_RCU(old, rcu, free_fdtable_rcu);
	return 1;
}

/* 1 when the table has grown, and may have changed meanwhile. */
static int expand_files(struct files_struct *files, u32 nr)
{
	FUNCTION(expand_files);
	STACK_PROTECTOR();
	(void)READ(files, fdt);
	if (nr < max_fds(files, files->big))
		return 0;
	if (nr >= SYSCTL_NR_OPEN)
		return -EMFILE;
	return expand_fdtable(files, nr);
}

/* ---- opening and closing ---- */

static u32 next_zero(const struct files_struct *files,
		     const struct fdtable *fdt, u32 map, u32 from, u32 end)
{
	u32 word = from / WORD_BITS;
	u64 free;

	if (from >= end)
		return end;
	free = ~read_bits(files, fdt, map, word) & ~0ull << from % WORD_BITS;
	while (!free) {
		if (++word * WORD_BITS >= end)
			return end;
		WORK(4);
		free = ~read_bits(files, fdt, map, word);
	}
	from = word * WORD_BITS + (u32)__builtin_ctzll(free);
	return MIN(from, end);
}

/* The lowest that is free; full words are passed over by a bitmap of their
 * own. */
static u32 find_next_fd(const struct files_struct *files, u32 start)
{
	const struct fdtable *fdt = files->big;
	u32 end = max_fds(files, fdt);

	if (has(FDTABLE_FULL_BITS)) {
		u32 word = next_zero(files, fdt, FULL_FDS_BITS,
				     start / WORD_BITS, end / WORD_BITS);

		if (word * WORD_BITS >= end)
			return end;
		start = MAX(start, word * WORD_BITS);
	}
	return next_zero(files, fdt, OPEN_FDS, start, end);
}

static void set_open_fd(struct files_struct *files, u32 fd)
{
	const struct fdtable *fdt = files->big;
	u32 word = fd / WORD_BITS, full = word / WORD_BITS;
	u64 bits = read_bits(files, fdt, OPEN_FDS, word);

	bits |= 1ull << fd % WORD_BITS;
	write_bits(files, fdt, OPEN_FDS, word, bits);
	if (!has(FDTABLE_FULL_BITS) || ~bits)
		return;
	bits = read_bits(files, fdt, FULL_FDS_BITS, full);
	write_bits(files, fdt, FULL_FDS_BITS, full,
		   bits | 1ull << word % WORD_BITS);
}

static void clear_close_on_exec(struct files_struct *files, u32 fd)
{
	const struct fdtable *fdt = files->big;
	u32 word = fd / WORD_BITS;
	u64 bits = read_bits(files, fdt, CLOSE_ON_EXEC, word);

	if (!has(FDTABLE_FULL_BITS) || bits >> fd % WORD_BITS & 1)
		write_bits(files, fdt, CLOSE_ON_EXEC, word,
			   bits & ~(1ull << fd % WORD_BITS));
}

static u32 rlimit_nofile(void)
{
	return READ(READ(GET_CURRENT(), signal), rlim.nofile);
}

static int __alloc_fd(struct files_struct *files, u32 limit)
{
	u32 fd;
	int err;

	do {
		(void)READ(files, fdt);
		fd = find_next_fd(files, READ(files, next_fd));
		if (fd >= limit)
			return -EMFILE;
		err = expand_files(files, fd);
		if (err < 0)
			return err;
	} while (err);
	WRITE(files, next_fd, fd + 1);
	set_open_fd(files, fd);
	clear_close_on_exec(files, fd);
	(void)read_fd(files, files->big, fd);
	return (int)fd;
}

int get_unused_fd(void)
{
	struct files_struct *files;
	u32 limit;
	int fd;

	FUNCTION(alloc_fd);
	limit = rlimit_nofile();
	files = READ(GET_CURRENT(), files);
	SPIN_LOCK(files, file_lock);
	fd = __alloc_fd(files, limit);
	SPIN_UNLOCK(files, file_lock);
	return fd;
}

static void __put_unused_fd(struct files_struct *files, u32 fd)
{
	const struct fdtable *fdt = files->big;
	u32 word = fd / WORD_BITS, full = word / WORD_BITS;
	u64 bits = read_bits(files, fdt, OPEN_FDS, word);

	write_bits(files, fdt, OPEN_FDS, word,
		   bits & ~(1ull << fd % WORD_BITS));
	if (has(FDTABLE_FULL_BITS)) {
		bits = read_bits(files, fdt, FULL_FDS_BITS, full);
		write_bits(files, fdt, FULL_FDS_BITS, full,
			   bits & ~(1ull << word % WORD_BITS));
	}
	if (fd < READ(files, next_fd))
		WRITE(files, next_fd, fd);
}

void put_unused_fd(u32 fd)
{
	struct files_struct *files = READ(GET_CURRENT(), files);

	SPIN_LOCK(files, file_lock);
	__put_unused_fd(files, fd);
	SPIN_UNLOCK(files, file_lock);
}

void fd_install(u32 fd, struct file *file)
{
	struct files_struct *files = READ(GET_CURRENT(), files);

	FUNCTION(fd_install);
	if (!has(FD_INSTALL_RCU))
		SPIN_LOCK(files, file_lock);
	else
		(void)READ(files, resize_in_progress);
	(void)READ(files, fdt);
	(void)read_fd(files, files->big, fd);
	write_fd(files, files->big, fd, file);
	if (!has(FD_INSTALL_RCU))
		SPIN_UNLOCK(files, file_lock);
}

/* The file of a descriptor, taken out of the table; NULL: none. */
static struct file *pick_file(struct files_struct *files, int fd)
{
	struct file *file;

	FUNCTION(pick_file);
	(void)READ(files, fdt);
	if (fd < 0 || (u32)fd >= max_fds(files, files->big))
		return NULL;
	file = read_fd(files, files->big, (u32)fd);
	if (!file)
		return NULL;
	write_fd(files, files->big, (u32)fd, NULL);
	if (!has(FDTABLE_FULL_BITS))
		clear_close_on_exec(files, (u32)fd);
	__put_unused_fd(files, (u32)fd);
	return file;
}

struct file *close_fd(struct files_struct *files, int fd)
{
	struct file *file;

	SPIN_LOCK(files, file_lock);
	file = pick_file(files, fd);
	SPIN_UNLOCK(files, file_lock);
	return file;
}

struct file *fget_light(int fd, int *fput_needed)
{
	struct files_struct *files;
	const struct fdtable *fdt;
	struct file *file;

	FUNCTION(fget_light);
	*fput_needed = 0;
	files = READ(GET_CURRENT(), files);
	if (READ_ONCE(files, count) == 1) {
		(void)READ(files, fdt);
		fdt = files->big;
		if (fd < 0 || (u32)fd >= max_fds(files, fdt))
			return NULL;
		file = read_fd(files, fdt, (u32)fd);
		if (file)
			(void)READ(file, f_mode);
		return file;
	}
	/* Shared with other threads: the file must not go away meanwhile. */
	(void)READ_ONCE(files, fdt);
	fdt = files->big;
	if (fd < 0 || (u32)fd >= max_fds(files, fdt))
		return NULL;
	file = read_fd(files, fdt, (u32)fd);
	if (!file)
		return NULL;
	ATOMIC_INC(file, f_count);
	*fput_needed = 1;
	return file;
}

struct file *files_lookup(const struct files_struct *files, u32 fd)
{
	const struct fdtable *fdt = files->big;

	return fdt ? fdt->fds[fd / fdt->fds_per_part]->
		     fd[fd % fdt->fds_per_part] : files->fd_array[fd];
}

/* ---- the table's own life ---- */

struct files_struct *files_new(void)
{
	struct files_struct *files =
		kmem_cache_alloc(this_kernel()->net_core->sockets->files_cache,
				 GFP_KERNEL);
	struct object object = files->object;

	memset(files, 0, sizeof(*files));
	files->object = object;
	WRITE(files, count, 0);
	WRITE(files, fdtab.max_fds, NR_OPEN_DEFAULT);
	WRITE(files, fdtab.fd, 0);
	WRITE(files, fdt, &files->fdtab);
	WRITE(files, next_fd, 0);
	return files;
}

static void close_files(struct files_struct *files)
{
	const struct fdtable *fdt = files->big;
	u32 words = max_fds(files, fdt) / WORD_BITS, i;

	for (i = 0; i < words; i++) {
		u64 bits = read_bits(files, fdt, OPEN_FDS, i);

		for (; bits; bits &= bits - 1) {
			u32 fd = i * WORD_BITS + (u32)__builtin_ctzll(bits);
			struct file *file = read_fd(files, fdt, fd);

			if (!file)
				continue;
			write_fd(files, fdt, fd, NULL);
			filp_close(file);
		}
	}
}

void put_files_struct(struct files_struct *files)
{
	if (!ATOMIC_DEC_AND_TEST(files, count))
		return;
	close_files(files);
	if (files->big)
		free_parts(files->big);
	kmem_cache_free(this_kernel()->net_core->sockets->files_cache, files);
}
