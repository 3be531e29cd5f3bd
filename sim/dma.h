/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a device and a CPU do to each other without a load or a store of
 * memory by the CPU: direct memory access, and writes to the device's
 * registers.
 *
 * DMA takes no time of any CPU.  Reads of the device snoop: a cache that has
 * the line answers, and keeps it in the state that it has (the "read current"
 * of Intel's I/O hubs).  Writes of the device end all copies; the new data are
 * in memory, or, with direct cache access, in the L3 of the device's package.
 */
#ifndef SIM_DMA_H
#define SIM_DMA_H

#include "sim/machine.h"

struct dma_counters {
	u64 read_lines, read_cached;	/* the second: answered by a cache */
	u64 written_lines;
};

/* A device in a package, and how its data come there. */
struct dma {
	struct machine *machine;
	u32 package;
	bool direct;		/* direct cache access */
	struct dma_counters counters;
};

/* `len` bytes from an address on; in an event of the device's machine. */
void dma_read(struct dma *dma, u64 address, u32 len);
void dma_write(struct dma *dma, u64 address, u32 len);

/* The running code writes a register of a device: an uncached, posted write,
 * which goes behind all earlier stores and keeps the CPU for `ps`. */
void mmio_write(ps_t ps);

#endif
