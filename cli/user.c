/* SPDX-License-Identifier: GPL-3.0-or-later */
/* user.c - who the user is: what is configured, else what the environment or the system says. */
#include "user.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <talloc.h>
#include <unistd.h>

char *
user_name (void *ctx, const struct config *config)
{
    const char *name = getenv ("NAME");
    struct passwd *user;

    if (config_raw (config, "user.name"))
        return config_string (ctx, config, "user.name");
    if (name && *name)
        return talloc_strdup (ctx, name);
    user = getpwuid (getuid ());
    return user ? talloc_strndup (ctx, user->pw_gecos, strcspn (user->pw_gecos, ",")) : NULL;
}

char *
user_email (void *ctx, const struct config *config)
{
    const char *email = getenv ("EMAIL");
    struct passwd *user;

    if (config_raw (config, "user.primary_email"))
        return config_string (ctx, config, "user.primary_email");
    if (email && *email)
        return talloc_strdup (ctx, email);
    user = getpwuid (getuid ());
    return user ? talloc_asprintf (ctx, "%s@localhost", user->pw_name) : NULL;
}

char **
user_addresses (void *ctx, const struct config *config)
{
    size_t count, kept = 0;
    char **others = config_list (ctx, config, "user.other_email", &count);
    char **all = talloc_zero_array (ctx, char *, count + 2);
    char *primary = user_email (all, config);

    if (primary && *primary)
        all[kept++] = primary;
    for (size_t i = 0; i < count; i++)
        all[kept++] = others[i];
    return all;
}

const char *
user_find_address (char *const *addresses, const char *address)
{
    for (; *addresses; addresses++)
        if (strcasecmp (*addresses, address) == 0)
            return *addresses;
    return NULL;
}

const char *
user_address_in (char *const *addresses, const char *text)
{
    for (; *addresses; addresses++)
        if (strcasestr (text, *addresses))
            return *addresses;
    return NULL;
}
