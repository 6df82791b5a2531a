/* SPDX-License-Identifier: GPL-3.0-or-later */
/* setup-look.h - what lies in a mail folder, before anything is indexed. */
#ifndef SETUP_LOOK_H
#define SETUP_LOOK_H

#include <stdint.h>

struct setup_look {
    uint64_t folders, files; /* below it, without those of indexes */
};

/* Counts; links are not followed, and what cannot be read counts for nothing. */
struct setup_look setup_look_at (const char *folder);

#endif
