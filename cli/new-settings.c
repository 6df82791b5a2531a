/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * new-settings.c - reads the settings of new, and says which one is not allowed.
 */
#include "new-settings.h"
#include "decrypt.h"
#include "report.h"

#include <string.h>
#include <talloc.h>

static int
check_new_tags (const struct new_settings *settings)
{
    for (size_t i = 0; i < settings->tag_count; i++) {
        const char *reason = NULL;

        if (mail_tag_check (settings->tags[i], &reason) != MAIL_OK)
            return report_usage ("tag '%s' in new.tags: %s", settings->tags[i],
                                 reason ? reason : "not allowed");
    }
    return 0;
}

/* How old mail may be at a first import to be news; -1 where age does not matter: whoever has
 * configured new.tags, even as none, wants them everywhere. */
static int
read_recent (void *ctx, const struct config *config, int64_t *recent_out, char **error_out)
{
    const char *mode = config_string (ctx, config, "new.first_import");
    bool all = strcmp (mode, "all") == 0;

    if (!all && strcmp (mode, "auto") != 0) {
        *error_out = talloc_asprintf (
            ctx, "'%s' is not allowed for new.first_import: it is auto or all", mode);
        return MAIL_ERROR_ARGUMENT;
    }
    if (config_integer (ctx, config, "new.recent", 0, 36500, recent_out, error_out) != MAIL_OK)
        return MAIL_ERROR_ARGUMENT;
    if (all || config_is_set (config, "new.tags"))
        *recent_out = -1;
    return MAIL_OK;
}

int
new_settings_read (void *ctx, const struct cli *cli, int decrypt, struct new_settings *settings)
{
    const struct config *config = cli->config;
    int code;
    int64_t days, workers, mebibytes, snapshots;
    char *error = NULL;

    settings->tags = config_list (ctx, config, "new.tags", &settings->tag_count);
    settings->ignore = config_list (ctx, config, "new.ignore", &settings->ignore_count);
    if (config_boolean (ctx, config, "maildir.synchronize_flags", &settings->maildir_flags,
                        &error) != MAIL_OK ||
        config_integer (ctx, config, "new.tombstone_days", 0, 36500, &days, &error) != MAIL_OK ||
        config_integer (ctx, config, "database.snapshots", 1, 1000, &snapshots, &error) !=
            MAIL_OK ||
        config_integer (ctx, config, "new.workers", 0, 256, &workers, &error) != MAIL_OK ||
        config_integer (ctx, config, "new.memory", 16, 1 << 20, &mebibytes, &error) != MAIL_OK ||
        read_recent (ctx, config, &settings->recent, &error) != MAIL_OK) {
        report (cli, "%s", error);
        return 1;
    }
    settings->tombstone_days = (unsigned) days;
    settings->snapshots = (unsigned) snapshots;
    settings->workers = (unsigned) workers;
    settings->memory = (size_t) mebibytes << 20;
    code = decrypt_settings (cli, decrypt, &settings->decrypt);
    return code == 0 ? check_new_tags (settings) : code;
}
