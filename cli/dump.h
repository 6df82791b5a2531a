/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dump.h - the format of dump and restore: lines of text.
 *
 *   #notmuch-dump FORMAT:VERSION LIST        what of config, properties, tags there is
 *   #@ HEXKEY HEXVALUE                       a setting kept in the index
 *   +HEXTAG +HEXTAG -- id:QUOTED             tags of a message (batch-tag)
 *   ID (TAG TAG)                             the same (sup)
 *   #= HEXID HEXKEY=HEXVALUE ...             its properties
 */
#ifndef DUMP_H
#define DUMP_H

#include "options.h"

#define DUMP_VERSION 3

enum dump_include { DUMP_CONFIG = 1, DUMP_PROPERTIES = 2, DUMP_TAGS = 4 };
enum dump_format { DUMP_AUTO, DUMP_BATCH_TAG, DUMP_SUP };

extern const struct option_keyword dump_includes[];

#endif
