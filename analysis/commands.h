/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands that read a record.  Each takes its own arguments, argv[0]
 * being the command's name, and returns the exit status: 0 done, 1 the result
 * says no, 2 usage or bad input, 3 input, output or database.
 */
#ifndef ANALYSIS_COMMANDS_H
#define ANALYSIS_COMMANDS_H

int cmd_compare(int argc, char **argv);
int cmd_digest(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_lines(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_slabinfo(int argc, char **argv);

#endif
