/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decrypt.h - whether new, insert and reindex decrypt mail for the index. */
#ifndef DECRYPT_H
#define DECRYPT_H

#include "command.h"

/* --decrypt; values: enum mail_decrypt. */
extern const struct option_keyword index_decrypts[];
#define DECRYPT_AS_CONFIGURED (-1)

/* Sets what options has about it: as given, or as index.decrypt has it; and index.decrypt_timeout.
 * Returns 0, or an exit code after a message. */
int decrypt_settings (const struct cli *cli, int given, struct mail_apply_options *options);

#endif
