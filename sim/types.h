/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few names that all of sim/ and stack/ share: the kernel's integer types
 * and helpers.
 */
#ifndef SIM_TYPES_H
#define SIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/* Virtual time: picoseconds since the start of the simulation. */
typedef u64 ps_t;

#define PS_PER_NS 1000ull
#define PS_PER_US 1000000ull
#define PS_PER_MS 1000000000ull
#define PS_PER_S 1000000000000ull
#define TIME_NEVER UINT64_MAX

#define LINE_SHIFT 6
#define LINE_SIZE (1u << LINE_SHIFT)
#define PAGE_SHIFT 12
#define PAGE_SIZE (1u << PAGE_SHIFT)
#define LINES_PER_PAGE (PAGE_SIZE / LINE_SIZE)

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define container_of(p, type, member) \
	((type *)(void *)((char *)(p) - offsetof(type, member)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
