/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config-edit.h - one value in the text of a key file. */
#ifndef CONFIG_EDIT_H
#define CONFIG_EDIT_H

/* The text with this value of the key "section.item" (NULL: without the key), talloc'd on ctx.
 * Comments, order and everything else stay byte for byte; a new key comes after the last line of
 * its section, a new section at the end. */
char *config_edit (void *ctx, const char *text, const char *key, const char *value);

/* What config_list reads as these values: each ended by ";". One value is written as it is, so that
 * "a;b" is a list, but for what would be read as something else. talloc'd on ctx. */
char *config_join (void *ctx, char *const *values, int count);

#endif
