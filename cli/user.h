/* SPDX-License-Identifier: GPL-3.0-or-later */
/* user.h - who the user is: name and addresses. */
#ifndef USER_H
#define USER_H

#include "config.h"

/* user.name, else what the environment or the system says; NULL where neither does. */
char *user_name (void *ctx, const struct config *config);
/* user.primary_email, else likewise. */
char *user_email (void *ctx, const struct config *config);
/* user_email() and user.other_email; NULL-terminated. */
char **user_addresses (void *ctx, const struct config *config);
/* The one of addresses that this is, in any case; NULL for none. */
const char *user_find_address (char *const *addresses, const char *address);
/* The first of addresses that stands in text, in any case; NULL for none. */
const char *user_address_in (char *const *addresses, const char *text);

#endif
