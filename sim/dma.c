/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices at the memory, and CPUs at devices; see dma.h. */
#include <glib.h>

#include "sim/cache.h"
#include "sim/cpu.h"
#include "sim/dma.h"
#include "sim/request.h"

static u32 first_line(u64 address)
{
	return (u32)(address >> LINE_SHIFT);
}

static u32 end_line(const struct dma *dma, u64 address, u32 len)
{
	u32 end = (u32)((address + len + LINE_SIZE - 1) >> LINE_SHIFT);

	g_assert(end <= dma->machine->max_lines);
	return end;
}

void dma_read(struct dma *dma, u64 address, u32 len)
{
	u32 line = first_line(address), end = end_line(dma, address, len);

	for (; line < end; line++) {
		dma->counters.read_lines++;
		dma->counters.read_cached += cache_holds(dma->machine, line);
	}
}

void dma_write(struct dma *dma, u64 address, u32 len)
{
	u32 line = first_line(address), end = end_line(dma, address, len);

	for (; line < end; line++) {
		dma->counters.written_lines++;
		cache_device_write(dma->machine, line, dma->package,
				   dma->direct);
	}
}

void mmio_write(ps_t ps)
{
	struct cpu *cpu = this_cpu;

	store_drain(cpu);
	cpu_hardware(cpu, HARDWARE_DEVICE, ps, 1);
}
