/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The failing layer.  Each file holds the system's own file behind it and
 * hands every call on, save those that are to fail.
 */
#include "fault_vfs.h"

#include <glib.h>
#include <sqlite3.h>

struct fault_file {
	sqlite3_file base;
	sqlite3_file *real;	/* stands behind this structure */
};

static sqlite3_vfs *system_vfs;
static sqlite3_vfs vfs;
static struct {
	unsigned int left;	/* changes until the failure; 0: disarmed */
	int code;
	bool from_then_on;
	bool failed;
	bool hide_shared_memory;
} fault;

static sqlite3_file *real(sqlite3_file *file)
{
	return ((struct fault_file *)file)->real;
}

/* The code with which this change must fail, or SQLITE_OK. */
static int change(void)
{
	if (!fault.left || --fault.left)
		return SQLITE_OK;
	fault.failed = true;
	if (fault.from_then_on)
		fault.left = 1;
	return fault.code;
}

static int file_close(sqlite3_file *file)
{
	return real(file)->pMethods->xClose(real(file));
}

static int file_read(sqlite3_file *file, void *data, int len,
		     sqlite3_int64 offset)
{
	return real(file)->pMethods->xRead(real(file), data, len, offset);
}

static int file_write(sqlite3_file *file, const void *data, int len,
		      sqlite3_int64 offset)
{
	int code = change();

	if (code != SQLITE_OK) {
		/* A disk that fills up takes a part. */
		real(file)->pMethods->xWrite(real(file), data, len / 2,
					     offset);
		return code;
	}
	return real(file)->pMethods->xWrite(real(file), data, len, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	int code = change();

	return code != SQLITE_OK ? code :
	       real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags)
{
	int code = change();

	return code != SQLITE_OK ? code :
	       real(file)->pMethods->xSync(real(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
	return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level)
{
	return real(file)->pMethods->xLock(real(file), level);
}

static int file_unlock(sqlite3_file *file, int level)
{
	return real(file)->pMethods->xUnlock(real(file), level);
}

static int file_check_lock(sqlite3_file *file, int *result)
{
	return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument)
{
	return real(file)->pMethods->xFileControl(real(file), operation,
						  argument);
}

static int file_sector_size(sqlite3_file *file)
{
	return real(file)->pMethods->xSectorSize(real(file));
}

static int file_characteristics(sqlite3_file *file)
{
	return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extend,
			void volatile **address)
{
	return real(file)->pMethods->xShmMap(real(file), page, size, extend,
					     address);
}

static int file_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
	return real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}

static void file_shm_barrier(sqlite3_file *file)
{
	real(file)->pMethods->xShmBarrier(real(file));
}

static int file_shm_unmap(sqlite3_file *file, int delete)
{
	return real(file)->pMethods->xShmUnmap(real(file), delete);
}

#define METHODS(version) { \
	.iVersion = version, \
	.xClose = file_close, \
	.xRead = file_read, \
	.xWrite = file_write, \
	.xTruncate = file_truncate, \
	.xSync = file_sync, \
	.xFileSize = file_size, \
	.xLock = file_lock, \
	.xUnlock = file_unlock, \
	.xCheckReservedLock = file_check_lock, \
	.xFileControl = file_control, \
	.xSectorSize = file_sector_size, \
	.xDeviceCharacteristics = file_characteristics, \
	.xShmMap = file_shm_map, \
	.xShmLock = file_shm_lock, \
	.xShmBarrier = file_shm_barrier, \
	.xShmUnmap = file_shm_unmap, \
}

/* Version 1 of the interface has no shared memory. */
static const sqlite3_io_methods shared = METHODS(2);
static const sqlite3_io_methods unshared = METHODS(1);

static int open_file(sqlite3_vfs *self, const char *name, sqlite3_file *file,
		     int flags, int *ret_flags)
{
	struct fault_file *opened = (struct fault_file *)file;
	int status;

	(void)self;
	opened->real = (sqlite3_file *)(opened + 1);
	status = system_vfs->xOpen(system_vfs, name, opened->real, flags,
				   ret_flags);
	opened->base.pMethods = NULL;
	if (opened->real->pMethods)
		opened->base.pMethods = fault.hide_shared_memory ? &unshared :
								   &shared;
	return status;
}

void fault_vfs_install(void)
{
	system_vfs = sqlite3_vfs_find(NULL);
	g_assert(system_vfs && system_vfs != &vfs);
	vfs = *system_vfs;
	vfs.pNext = NULL;
	vfs.zName = "fault";
	vfs.szOsFile = (int)sizeof(struct fault_file) + system_vfs->szOsFile;
	vfs.xOpen = open_file;
	g_assert(sqlite3_vfs_register(&vfs, 1) == SQLITE_OK);
}

void fault_vfs_remove(void)
{
	g_assert(sqlite3_vfs_unregister(&vfs) == SQLITE_OK);
	g_assert(sqlite3_vfs_register(system_vfs, 1) == SQLITE_OK);
}

void fault_vfs_arm(unsigned int n, int code, bool from_then_on)
{
	fault.left = n;
	fault.code = code;
	fault.from_then_on = from_then_on;
	fault.failed = false;
}

bool fault_vfs_disarm(void)
{
	fault.left = 0;
	return fault.failed;
}

void fault_vfs_hide_shared_memory(bool hide)
{
	fault.hide_shared_memory = hide;
}
