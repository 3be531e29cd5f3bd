/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times drawn from a distribution, in whole numbers: no library's logarithm
 * decides a result.
 *
 * Each table holds 65 quantiles in units of 1/65536 of the mean, those of the
 * chances 0/64 to 63/64 and, the last, of 4095/4096; between two of them the
 * draw is a straight line.  The tables are scaled so that the mean of what is
 * drawn is the mean asked for.
 */
#include "scenarios/distribution.h"

#define STEPS 64u

/* -ln(1 - p) */
static const u32 exponential[STEPS + 1] = {
	0, 1014, 2044, 3090, 4154, 5236, 6337, 7456, 8595, 9755, 10936, 12140,
	13366, 14616, 15890, 17191, 18518, 19873, 21258, 22672, 24119, 25599,
	27114, 28665, 30254, 31884, 33556, 35273, 37036, 38850, 40716, 42637,
	44618, 46662, 48772, 50955, 53213, 55554, 57984, 60508, 63136, 65876,
	68737, 71732, 74872, 78174, 81654, 85333, 89236, 93390, 97831, 102602,
	107754, 113355, 119490, 126272, 133854, 142449, 152372, 164108,
	178472, 196990, 223090, 267708, 535415,
};

/* exp(0.5 z), z being normal: half of the draws lie between 0.62 and 1.22 of
 * the mean */
static const u32 lognormal[STEPS + 1] = {
	10008, 19492, 22546, 24753, 26572, 28163, 29604, 30938, 32193, 33387,
	34533, 35642, 36721, 37776, 38811, 39832, 40841, 41841, 42835, 43826,
	44815, 45804, 46796, 47792, 48794, 49803, 50822, 51851, 52893, 53949,
	55021, 56111, 57221, 58353, 59509, 60692, 61904, 63147, 64426, 65744,
	67104, 68511, 69969, 71484, 73062, 74711, 76439, 78255, 80171, 82202,
	84363, 86676, 89166, 91864, 94814, 98070, 101707, 105832, 110601,
	116259, 123221, 132276, 145226, 167982, 327168,
};

static const struct {
	const char *name;
	const u32 *quantiles;		/* NULL: always the mean */
} distributions[] = {
	{ "constant", NULL },
	{ "exponential", exponential },
	{ "lognormal", lognormal },
};

int distribution_find(const char *name)
{
	int i;

	for (i = 0; i < (int)ARRAY_SIZE(distributions); i++)
		if (!g_strcmp0(name, distributions[i].name))
			return i;
	return -1;
}

u64 distribution_draw(int distribution, u64 mean, struct random_stream *stream)
{
	const u32 *q = distributions[distribution].quantiles;
	u64 draw, part, at;
	u32 step;

	if (!q)
		return mean;
	draw = random_u64(stream);
	step = (u32)(draw >> 58);	/* 64 steps */
	part = draw >> 42 & 0xffff;
	at = ((u64)q[step] << 16) + (q[step + 1] - q[step]) * part;
	return (u64)((unsigned __int128)mean * at >> 32);
}
