/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All structs of stack/mm/, for whoever needs to know each of them. */
#ifndef STACK_MM_MM_H
#define STACK_MM_MM_H

#include "stack/mm/internal.h"
#include "stack/mm/slab.h"
#include "stack/mm/slub.h"

#endif
