/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * maildir.c - flags in names of files.
 *
 * Only names are dealt with here; who renames files, and when, is file-flags.c.
 */
#include "maildir.h"
#include "index-private.h"

#include <glib.h>
#include <string.h>
#include <talloc.h>

#define INFO ":2,"
#define LETTERS 128

static const struct mail_flag usual[] = {
    {'D', "draft", false},   {'F', "flagged", false}, {'P', "passed", false},
    {'R', "replied", false}, {'S', "unread", true},
};

struct maildir_flags *
maildir_flags_create (void *ctx)
{
    struct maildir_flags *flags = talloc (ctx, struct maildir_flags);
    flags->count = sizeof usual / sizeof *usual;
    flags->list = talloc_memdup (flags, usual, sizeof usual);
    return flags;
}

const char *
maildir_letters (const char *folder, const char *name)
{
    if (strcmp (folder, "cur") != 0 && strcmp (folder, "new") != 0)
        return NULL;
    const char *info = strstr (name, INFO);
    if (info)
        return info + strlen (INFO);
    return strcmp (folder, "new") == 0 ? "" : NULL;
}

/* Letters as a set; false where they are not in ascending order. */
static bool
read_letters (const char *letters, bool set[LETTERS])
{
    unsigned char last = 0;
    for (; *letters; letters++) {
        unsigned char letter = (unsigned char) *letters;
        if (letter >= LETTERS || letter <= last)
            return false;
        set[letter] = true;
        last = letter;
    }
    return true;
}

char *
maildir_name (void *ctx, const struct maildir_flags *flags, const char *folder, const char *name,
              maildir_tag_fn has_tag, void *closure)
{
    bool set[LETTERS] = {false};
    const char *info = strstr (name, INFO);
    char letters[LETTERS + 1];
    size_t count = 0;
    if (!read_letters (info ? info + strlen (INFO) : "", set))
        return NULL;
    for (size_t i = 0; i < flags->count; i++) {
        const struct mail_flag *flag = &flags->list[i];
        set[(unsigned char) flag->letter] = has_tag (closure, flag->tag) != flag->inverse;
    }
    for (unsigned i = 1; i < LETTERS; i++)
        if (set[i])
            letters[count++] = (char) i;
    letters[count] = '\0';
    if (!info && count == 0 && strcmp (folder, "new") == 0)
        return NULL;
    int base = info ? (int) (info - name) : (int) strlen (name);
    return talloc_asprintf (ctx, "%.*s" INFO "%s", base, name, letters);
}

/* ---- the table of a handle ---- */

static enum mail_status
add_flag (struct mail_index *index, struct maildir_flags *flags, const struct mail_flag *flag)
{
    const char *reason = NULL;
    if (!g_ascii_isalpha (flag->letter))
        return index_fail (index, MAIL_ERROR_ARGUMENT, "'%c' is no letter", flag->letter);
    if (mail_tag_check (flag->tag, &reason) != MAIL_OK)
        return index_fail (index, MAIL_ERROR_ARGUMENT, "'%c': %s", flag->letter, reason);
    for (size_t i = 0; i < flags->count; i++)
        if (flags->list[i].letter == flag->letter || strcmp (flags->list[i].tag, flag->tag) == 0)
            return index_fail (index, MAIL_ERROR_ARGUMENT, "the flag '%c' or the tag '%s' is taken",
                               flag->letter, flag->tag);
    flags->list = talloc_realloc (flags, flags->list, struct mail_flag, flags->count + 1);
    flags->list[flags->count++] = (struct mail_flag){
        .letter = flag->letter, .tag = talloc_strdup (flags, flag->tag), .inverse = flag->inverse};
    return MAIL_OK;
}

enum mail_status
mail_index_set_flags (struct mail_index *index, bool to_names, const struct mail_flag *more,
                      size_t count)
{
    struct maildir_flags *flags = maildir_flags_create (index);
    enum mail_status status = MAIL_OK;
    for (size_t i = 0; status == MAIL_OK && i < count; i++)
        status = add_flag (index, flags, &more[i]);
    if (status != MAIL_OK) {
        talloc_free (flags);
        return status;
    }
    talloc_free (index->flags);
    index->flags = flags;
    index->flags_to_names = to_names;
    return MAIL_OK;
}
