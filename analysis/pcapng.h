/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes frames as a pcapng file (IETF draft-ietf-opsawg-pcapng): one section,
 * an interface for each device, an enhanced packet block for each frame.
 *
 * The three kinds of block are written here, since libpcap writes the old
 * format only, which has neither interfaces nor directions, and libwiretap's
 * interface changes with each release of Wireshark.  Numbers are little-endian
 * on every computer.
 */
#ifndef ANALYSIS_PCAPNG_H
#define ANALYSIS_PCAPNG_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

/* The head of the file; the caller looks for errors of the file, with
 * ferror(), at the end. */
void pcapng_section(FILE *file, const char *program);
/* An Ethernet device; times are in ns.  The first one is interface 0. */
void pcapng_interface(FILE *file, const char *name);
/* A frame without its check sequence, `ps` after the start. */
void pcapng_frame(FILE *file, guint interface, guint64 ps, bool outbound,
		  const guint8 *bytes, gsize len);

#endif
