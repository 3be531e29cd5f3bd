/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames at the ends of links; see capture.h.
 *
 * Machines take turns in running ahead of each other, so frames come in the
 * order of time for each end only; they are sorted in the end.
 */
#include "scenarios/capture.h"

struct capture_end {
	struct capture *capture;
	const struct config_end *config;
	u32 left;		/* so many more */
};

struct capture {
	const struct run *run;
	struct capture_end ends[2 * CONFIG_MAX_LINKS];
	GArray *frames;		/* struct result_frame; id: the number of the
				 * end, for now */
};

static void take(void *arg, const u8 *data, u32 len, ps_t now, bool sent)
{
	struct capture_end *end = arg;
	struct capture *capture = end->capture;
	struct result_frame frame = {
		.id = (unsigned int)(end - capture->ends), .time_ps = now,
		.outbound = sent,
	};

	if (!end->left)
		return;
	end->left--;
	frame.host = g_strdup(end->config->host);
	frame.device = g_strdup(end->config->device);
	frame.bytes = g_bytes_new(data, len);
	g_array_append_val(capture->frames, frame);
}

struct capture *capture_start(struct run *run, u32 limit)
{
	struct capture *capture = g_new0(struct capture, 1);
	u32 i, j;

	capture->run = run;
	capture->frames = g_array_new(FALSE, FALSE,
				      sizeof(struct result_frame));
	for (i = 0; i < run->config->links->len; i++) {
		const struct config_link *l = run->config->links->pdata[i];

		for (j = 0; j < 2; j++) {
			struct capture_end *end = &capture->ends[2 * i + j];

			end->capture = capture;
			end->config = l->ends->pdata[j];
			end->left = limit;
			run->links[i]->ends[j].capture = take;
			run->links[i]->ends[j].capture_arg = end;
		}
	}
	return capture;
}

/* By time, then by end; those of one end stay in their order, for the sort is
 * stable. */
static gint compare(gconstpointer a, gconstpointer b)
{
	const struct result_frame *x = a, *y = b;

	if (x->time_ps != y->time_ps)
		return x->time_ps < y->time_ps ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void capture_finish(struct capture *capture, struct results *results)
{
	u32 i, j;

	for (i = 0; i < capture->run->config->links->len; i++)
		for (j = 0; j < 2; j++)
			capture->run->links[i]->ends[j].capture = NULL;
	g_array_sort(capture->frames, compare);
	for (i = 0; i < capture->frames->len; i++) {
		struct result_frame *frame =
			&g_array_index(capture->frames, struct result_frame, i);

		frame->id = i + 1;
		g_array_append_val(results->frames, *frame);
	}
	g_array_unref(capture->frames);
	g_free(capture);
}
