/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * show-crypto.c - what show and reply say of signatures and encryption, and the session keys that
 * are found while looking.
 */
#include "reindex.h"
#include "report.h"
#include "show.h"

#include <string.h>
#include <talloc.h>

const struct option_keyword show_decrypts[] = {
    {"true", MAIL_DECRYPT_NOSTASH},
    {"auto", MAIL_DECRYPT_AUTO},
    {"stash", MAIL_DECRYPT_TRUE},
    {"false", MAIL_DECRYPT_FALSE},
    {NULL, 0},
};

const struct option_keyword reply_decrypts[] = {
    {"true", MAIL_DECRYPT_NOSTASH},
    {"auto", MAIL_DECRYPT_AUTO},
    {"false", MAIL_DECRYPT_FALSE},
    {NULL, 0},
};

/* ---- session keys -----------------------------------------------------------------------------
 */

struct stash {
    struct mail_edits *edits;
    struct reindex *reindex;
};

static struct stash *
begin_stash (struct show *show)
{
    struct stash *stash = talloc_zero (show->ctx, struct stash);

    stash->edits = mail_edits_create (stash, show->index);
    stash->reindex = reindex_create (stash, show->cli, show->index);
    return stash;
}

/* With "stash": what was found is to be kept. */
static void
note_session_keys (struct show *show, const struct show_message *shown)
{
    size_t count;
    const char *const *keys = mail_content_session_keys (shown->content, &count);

    if (count == 0)
        return;
    if (!show->stash)
        show->stash = begin_stash (show);
    for (size_t i = 0; i < count; i++) {
        const struct mail_property property = {"session-key", keys[i]};
        const struct mail_edit edit = {.properties = &property, .property_count = 1};

        mail_edits_add (show->stash->edits, mail_message_id (shown->message), &edit);
    }
    if (show->stash->reindex)
        reindex_add (show->stash->reindex, shown->message);
}

int
show_keep_session_keys (struct show *show)
{
    struct stash *stash = show->stash;
    enum mail_status status;

    if (!stash)
        return 0;
    status = mail_edits_apply (stash->edits, NULL, NULL, NULL);
    if (status == MAIL_OK)
        status = mail_index_refresh (show->index);
    if (status != MAIL_OK)
        return report_status (show->cli, status, show->index);
    return stash->reindex ? reindex_apply (stash->reindex, MAIL_DECRYPT_AUTO) : 0;
}

/* ---- opening ----------------------------------------------------------------------------------
 */

static void
tell (void *closure, const char *line)
{
    struct show *show = closure;

    fflush (show->file);
    report_message ("%s\n", line);
}

void
show_unlock (struct show *show, struct show_message *shown)
{
    const struct mail_unlock_options options = {
        .decrypt = (enum mail_decrypt) show->options->decrypt,
        .verify = show->options->verify,
        .part = show->options->part > 0 ? (int) show->options->part : 0,
        .inside = show->options->format != SHOW_RAW,
        .tell = tell,
        .closure = show,
    };

    mail_content_unlock (shown->content, shown->message, &options);
    note_session_keys (show, shown);
}

/* ---- what was found ---------------------------------------------------------------------------
 */

static void
put_status (struct printer *printer, const char *status)
{
    printer_key_string (printer, "status", status);
}

static void
put_signature_errors (const struct show *show, unsigned errors)
{
    static const struct {
        unsigned bit;
        const char *word;
    } words[] = {
#define WORD(name, bit, word) {bit, word},
        MAIL_SIGNATURE_ERROR_LIST (WORD)
#undef WORD
    };

    if (errors == 0)
        return;
    if (show->options->format_version < 4) {
        printer_key_integer (show->printer, "errors", errors);
        return;
    }
    printer_key (show->printer, "errors");
    printer_begin_map (show->printer);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!(errors & words[i].bit))
            continue;
        printer_key (show->printer, words[i].word);
        printer_boolean (show->printer, true);
    }
    printer_end (show->printer);
}

static void
put_key_string_if_any (struct printer *printer, const char *key, const char *string)
{
    if (string)
        printer_key_string (printer, key, string);
}

static void
put_good_signature (struct printer *printer, const struct mail_signature *signature)
{
    put_key_string_if_any (printer, "fingerprint", signature->fingerprint);
    if (signature->created > 0)
        printer_key_integer (printer, "created", signature->created);
    if (signature->expires > 0)
        printer_key_integer (printer, "expires", signature->expires);
    put_key_string_if_any (printer, "userid", signature->user_id);
    put_key_string_if_any (printer, "email", signature->email);
}

/* The last 16 digits of the fingerprint. */
static void
put_key_id (struct printer *printer, const struct mail_signature *signature)
{
    const char *id = signature->key_id ? signature->key_id : signature->fingerprint;

    if (id && strlen (id) > 16)
        id += strlen (id) - 16;
    put_key_string_if_any (printer, "keyid", id);
}

static void
put_signatures (const struct show *show, const struct mail_signature *signatures, size_t count)
{
    static const char *const words[] = {"good", "bad", "error", "unknown"};
    struct printer *printer = show->printer;

    printer_begin_list (printer);
    for (size_t i = 0; i < count; i++) {
        printer_begin_map (printer);
        put_status (printer, words[signatures[i].status]);
        if (signatures[i].status == MAIL_SIGNATURE_GOOD)
            put_good_signature (printer, &signatures[i]);
        else
            put_key_id (printer, &signatures[i]);
        put_signature_errors (show, signatures[i].errors);
        printer_end (printer);
    }
    printer_end (printer);
}

void
show_put_part_crypto (struct show *show, const struct show_message *shown,
                      const struct mail_part *part)
{
    const struct mail_part_security *crypto = mail_part_crypto (shown->content, part);
    struct printer *printer = show->printer;

    if (crypto && crypto->decrypt_tried) {
        printer_key (printer, "encstatus");
        printer_begin_list (printer);
        printer_begin_map (printer);
        put_status (printer, crypto->decrypted ? "good" : "bad");
        printer_end (printer);
        printer_end (printer);
    }
    if (crypto && crypto->verify_tried) {
        printer_key (printer, "sigstatus");
        put_signatures (show, crypto->signatures, crypto->signature_count);
    }
}

static void
put_signed (struct show *show, const struct mail_security *crypto)
{
    struct printer *printer = show->printer;

    printer_key (printer, "signed");
    printer_begin_map (printer);
    printer_key (printer, "status");
    put_signatures (show, crypto->signatures, crypto->signature_count);
    if (crypto->signed_inside) {
        printer_key (printer, "encrypted");
        printer_boolean (printer, true);
    }
    if (crypto->subject) {
        printer_key (printer, "headers");
        printer_begin_list (printer);
        printer_string (printer, "Subject");
        printer_end (printer);
    }
    printer_end (printer);
}

static void
put_decrypted (struct show *show, const struct show_message *shown,
               const struct mail_security *crypto)
{
    const char *outside = mail_content_header (shown->content, NULL, "Subject");
    struct printer *printer = show->printer;

    printer_key (printer, "decrypted");
    printer_begin_map (printer);
    put_status (printer, crypto->decrypted_all ? "full" : "partial");
    if (crypto->decrypted_all && crypto->subject &&
        (!outside || strcmp (outside, crypto->subject) != 0)) {
        printer_key (printer, "header-mask");
        printer_begin_map (printer);
        printer_key (printer, "Subject");
        if (outside)
            printer_string (printer, outside);
        else
            printer_null (printer);
        printer_end (printer);
    }
    printer_end (printer);
}

void
show_put_message_crypto (struct show *show, const struct show_message *shown)
{
    const struct mail_security *crypto = mail_content_crypto (shown->content);

    printer_key (show->printer, "crypto");
    printer_begin_map (show->printer);
    if (crypto->signature_count > 0)
        put_signed (show, crypto);
    if (crypto->decrypted)
        put_decrypted (show, shown, crypto);
    printer_end (show->printer);
}
