/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * open.cc - handles: opening, moving to the newest revision, closing.
 *
 * A handle is a talloc'd struct whose destructor deletes the C++ object, so that callers need to
 * know talloc only.
 */
#include "guard.hh"

#include <talloc.h>

extern "C" {

static int
store_destroy (struct store *store)
{
    store_cancel (store);
    try {
        store->db->close ();
    } catch (...) {
        /* nothing that is pending may be written, and nobody is left to be told */
    }
    delete store->db;
    return 0;
}

static enum mail_status
open_database (struct store *store, const char *path, enum store_open_mode mode)
{
    if (mode == STORE_READ) {
        store->db = new Xapian::Database (path);
    } else {
        int how = mode == STORE_CREATE ? Xapian::DB_CREATE_OR_OPEN : Xapian::DB_OPEN;
        store->writable =
            new Xapian::WritableDatabase (path, how | Xapian::DB_BACKEND_GLASS, STATE_BLOCK_BYTES);
        store->db = store->writable;
    }
    return MAIL_OK;
}

enum mail_status
store_open (void *ctx, const char *path, enum store_open_mode mode, struct store **store_out,
            char **error_out)
{
    struct store *store = talloc_zero (ctx, struct store);
    enum mail_status status = guard (store, [&] { return open_database (store, path, mode); });
    if (status == MAIL_ERROR_READ_ONLY && mode == STORE_READ)
        status = MAIL_ERROR_IO; /* not even that */
    if (status != MAIL_OK) {
        if (error_out)
            *error_out = talloc_steal (ctx, store->error);
        talloc_free (store);
        return status;
    }
    talloc_set_destructor (store, store_destroy);
    *store_out = store;
    return MAIL_OK;
}

const char *
store_error (const struct store *store)
{
    return store->error ? store->error : "";
}

enum mail_status
store_reopen (struct store *store, bool *changed_out)
{
    return guard (store, [&] {
        bool changed = store->db->reopen ();
        if (changed_out)
            *changed_out = changed;
        return MAIL_OK;
    });
}
}
