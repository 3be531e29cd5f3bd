/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first frames of each device that is at a link, for the record. */
#ifndef SCENARIOS_CAPTURE_H
#define SCENARIOS_CAPTURE_H

#include "scenarios/run.h"

/* Looks on from now on, at up to `limit` frames of each end of each link. */
struct capture *capture_start(struct run *run, u32 limit);
/* Moves the frames into the results, in order of time, and frees the rest. */
void capture_finish(struct capture *capture, struct results *results);

#endif
