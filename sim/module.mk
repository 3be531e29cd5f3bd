# SPDX-License-Identifier: GPL-2.0-or-later
# sim/: the computer.

noinst_LIBRARIES += libsim.a
libsim_a_SOURCES = \
	sim/access.c \
	sim/access.h \
	sim/account.c \
	sim/account.h \
	sim/cache.c \
	sim/cache.h \
	sim/cache_setup.c \
	sim/check.c \
	sim/check.h \
	sim/check_old.c \
	sim/check_old.h \
	sim/check_refs.c \
	sim/check_refs.h \
	sim/context.c \
	sim/coroutine.c \
	sim/coroutine.h \
	sim/cpu.c \
	sim/cpu.h \
	sim/cpu_order.h \
	sim/dma.c \
	sim/dma.h \
	sim/engine.c \
	sim/engine.h \
	sim/idle.c \
	sim/idle.h \
	sim/link.c \
	sim/link.h \
	sim/lock.c \
	sim/lock.h \
	sim/machine.c \
	sim/machine.h \
	sim/object.c \
	sim/object.h \
	sim/observe.h \
	sim/profile.h \
	sim/random.c \
	sim/random.h \
	sim/request.h \
	sim/store_buffer.c \
	sim/types.h \
	sim/world.c \
	sim/world.h \
	$(NULL)

EXTRA_DIST += \
	sim/README.md \
	$(NULL)
