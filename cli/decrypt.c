/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decrypt.c - reads the settings about decryption for the index. */
#include "decrypt.h"
#include "report.h"

#include <strings.h>
#include <talloc.h>

#define SECONDS_MAX 300

const struct option_keyword index_decrypts[] = {
    {"true", MAIL_DECRYPT_TRUE},
    {"nostash", MAIL_DECRYPT_NOSTASH},
    {"auto", MAIL_DECRYPT_AUTO},
    {"false", MAIL_DECRYPT_FALSE},
    {NULL, 0},
};

/* Any other word is auto, as in notmuch. */
static enum mail_decrypt
policy_of_word (const char *word)
{
    static const struct option_keyword words[] = {
        {"true", MAIL_DECRYPT_TRUE},       {"yes", MAIL_DECRYPT_TRUE}, {"1", MAIL_DECRYPT_TRUE},
        {"false", MAIL_DECRYPT_FALSE},     {"no", MAIL_DECRYPT_FALSE}, {"0", MAIL_DECRYPT_FALSE},
        {"nostash", MAIL_DECRYPT_NOSTASH},
    };

    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (strcasecmp (word, words[i].name) == 0)
            return (enum mail_decrypt) words[i].value;
    return MAIL_DECRYPT_AUTO;
}

int
decrypt_settings (const struct cli *cli, int given, struct mail_apply_options *options)
{
    void *local = talloc_new (NULL);
    char *error = NULL;
    int64_t seconds;
    enum mail_status status = config_integer (local, cli->config, "index.decrypt_timeout", 1,
                                              SECONDS_MAX, &seconds, &error);

    if (status != MAIL_OK)
        report (cli, "%s", error);
    else
        options->decrypt_seconds = (unsigned) seconds;
    options->decrypt = given == DECRYPT_AS_CONFIGURED
                           ? policy_of_word (config_string (local, cli->config, "index.decrypt"))
                           : (enum mail_decrypt) given;
    talloc_free (local);
    return status == MAIL_OK ? 0 : 1;
}
