/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands that run models; each returns an exit status (design, 8). */
#ifndef SCENARIOS_COMMANDS_H
#define SCENARIOS_COMMANDS_H

int cmd_operation(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_conflicts(int argc, char **argv);
int cmd_layout(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_validate(int argc, char **argv);
int cmd_verify(int argc, char **argv);

#endif
