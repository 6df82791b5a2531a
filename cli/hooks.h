/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hooks.h - programs of the user's that run before or after a command. */
#ifndef HOOKS_H
#define HOOKS_H

#include "command.h"

/* Runs the hook of this name ("post-new"), if there is one. No lock may be held. Its stdout is the
 * command's; the environment says which configuration file is in force. Returns 0, or 1 after a
 * message where it cannot be run or fails. */
int hook_run (const struct cli *cli, const char *name);

/* Puts the variable that names the configuration file into the environment of what is started. */
void hook_export_config (const struct cli *cli);

#endif
