/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The blocks of a pcapng file; see pcapng.h. */
#include "pcapng.h"

#include <string.h>

enum {
	BLOCK_SECTION = 0x0a0d0d0a,
	BLOCK_INTERFACE = 1,
	BLOCK_ENHANCED_PACKET = 6,
};

enum {
	OPTION_END = 0,
	SHB_USERAPPL = 4,
	IF_NAME = 2,
	IF_TSRESOL = 9,
	EPB_FLAGS = 2,
};

#define BYTE_ORDER_MAGIC 0x1a2b3c4du
#define LINKTYPE_ETHERNET 1
#define TSRESOL_NS 9
#define EPB_INBOUND 1u
#define EPB_OUTBOUND 2u

static void put_u16(GByteArray *block, guint16 value)
{
	guint16 le = GUINT16_TO_LE(value);

	g_byte_array_append(block, (const guint8 *)&le, sizeof(le));
}

static void put_u32(GByteArray *block, guint32 value)
{
	guint32 le = GUINT32_TO_LE(value);

	g_byte_array_append(block, (const guint8 *)&le, sizeof(le));
}

/* Bytes, filled up to whole words. */
static void put_padded(GByteArray *block, const void *bytes, gsize len)
{
	static const guint8 zeroes[4];

	g_byte_array_append(block, bytes, (guint)len);
	g_byte_array_append(block, zeroes, (guint)(-len & 3));
}

static void put_option(GByteArray *block, guint16 code, const void *value,
		       gsize len)
{
	put_u16(block, code);
	put_u16(block, (guint16)len);
	if (len)
		put_padded(block, value, len);
}

/* A block's length stands at both of its ends. */
static GByteArray *block_begin(guint32 type)
{
	GByteArray *block = g_byte_array_new();

	put_u32(block, type);
	put_u32(block, 0);
	return block;
}

static void block_end(GByteArray *block, FILE *file)
{
	guint32 le = GUINT32_TO_LE(block->len + 4);

	memcpy(block->data + 4, &le, sizeof(le));
	put_u32(block, block->len + 4);
	fwrite(block->data, 1, block->len, file);
	g_byte_array_unref(block);
}

void pcapng_section(FILE *file, const char *program)
{
	GByteArray *block = block_begin(BLOCK_SECTION);

	put_u32(block, BYTE_ORDER_MAGIC);
	put_u16(block, 1);		/* version 1.0 */
	put_u16(block, 0);
	put_u32(block, G_MAXUINT32);	/* the section's length: not said */
	put_u32(block, G_MAXUINT32);
	put_option(block, SHB_USERAPPL, program, strlen(program));
	put_option(block, OPTION_END, NULL, 0);
	block_end(block, file);
}

void pcapng_interface(FILE *file, const char *name)
{
	const guint8 resolution = TSRESOL_NS;
	GByteArray *block = block_begin(BLOCK_INTERFACE);

	put_u16(block, LINKTYPE_ETHERNET);
	put_u16(block, 0);
	put_u32(block, 0);		/* frames are whole, however long */
	put_option(block, IF_NAME, name, strlen(name));
	put_option(block, IF_TSRESOL, &resolution, 1);
	put_option(block, OPTION_END, NULL, 0);
	block_end(block, file);
}

void pcapng_frame(FILE *file, guint interface, guint64 ps, bool outbound,
		  const guint8 *bytes, gsize len)
{
	const guint64 ns = ps / 1000;
	const guint32 flags = GUINT32_TO_LE(outbound ? EPB_OUTBOUND :
						       EPB_INBOUND);
	GByteArray *block = block_begin(BLOCK_ENHANCED_PACKET);

	put_u32(block, interface);
	put_u32(block, (guint32)(ns >> 32));
	put_u32(block, (guint32)ns);
	put_u32(block, (guint32)len);	/* captured, and on the wire */
	put_u32(block, (guint32)len);
	put_padded(block, bytes, len);
	put_option(block, EPB_FLAGS, &flags, sizeof(flags));
	put_option(block, OPTION_END, NULL, 0);
	block_end(block, file);
}
