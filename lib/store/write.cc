/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * write.cc - transactions on a database and the changes within them.
 *
 * When one document of a transaction throws, Xapian forgets all that is pending and would commit
 * what comes later without a word; so a failure here only reports, and the caller cancels.
 */
#include "guard.hh"

#include <talloc.h>

extern "C" {

enum mail_status
store_begin (struct store *store)
{
    return guard (store, [&] {
        store->writable->begin_transaction ();
        store->in_transaction = true;
        return MAIL_OK;
    });
}

/* Back to the last revision on disk: after an error in a commit, what is pending is half written to
 * the tables in memory. A transaction begun without flushing commits nothing. */
static void
forget_pending (struct store *store)
{
    guard (store, NULL, [&] {
        store->writable->begin_transaction (false);
        store->writable->cancel_transaction ();
        return MAIL_OK;
    });
}

enum mail_status
store_commit (struct store *store)
{
    store->in_transaction = false;
    enum mail_status status = guard_commit (store, [&] {
        store->writable->commit_transaction ();
        return MAIL_OK;
    });
    if (status != MAIL_OK)
        forget_pending (store);
    return status;
}

void
store_cancel (struct store *store)
{
    if (!store->in_transaction)
        return;
    store->in_transaction = false;
    guard (store, [&] {
        store->writable->cancel_transaction ();
        return MAIL_OK;
    });
}

enum mail_status
store_set_metadata (struct store *store, const char *key, const char *value, size_t length)
{
    return guard (store, [&] {
        store->writable->set_metadata (key, std::string (value, length));
        return MAIL_OK;
    });
}

static void
set_values (Xapian::Document &document, const struct store_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        document.add_value (values[i].slot, std::string (values[i].bytes, values[i].length));
}

enum mail_status
store_put (struct store *store, uint32_t id, const struct store_term *terms, size_t term_count,
           const struct store_value *values, size_t value_count, const char *data,
           size_t data_length)
{
    return guard (store, [&] {
        Xapian::Document document;
        for (size_t i = 0; i < term_count; i++)
            document.add_boolean_term (term_string (terms[i]));
        set_values (document, values, value_count);
        document.set_data (std::string (data ? data : "", data_length));
        store->writable->replace_document (id, document);
        return MAIL_OK;
    });
}

static bool
has_term (const Xapian::Document &document, const std::string &term)
{
    Xapian::TermIterator it = document.termlist_begin ();
    it.skip_to (term);
    return it != document.termlist_end () && *it == term;
}

enum mail_status
store_change (struct store *store, uint32_t id, const struct store_term *add, size_t add_count,
              const struct store_term *drop, size_t drop_count, const struct store_value *values,
              size_t value_count, const char *data, size_t data_length)
{
    return guard (store, [&] {
        Xapian::Document document = store->writable->get_document (id);
        for (size_t i = 0; i < drop_count; i++) {
            std::string term = term_string (drop[i]);
            if (has_term (document, term))
                document.remove_term (term);
        }
        for (size_t i = 0; i < add_count; i++)
            document.add_boolean_term (term_string (add[i]));
        if (values) {
            document.clear_values ();
            set_values (document, values, value_count);
        }
        if (data)
            document.set_data (std::string (data, data_length));
        store->writable->replace_document (id, document);
        return MAIL_OK;
    });
}

enum mail_status
store_delete (struct store *store, uint32_t id)
{
    return guard (store, [&] {
        try {
            store->writable->delete_document (id);
        } catch (const Xapian::DocNotFoundError &) {
            /* no error */
        }
        return MAIL_OK;
    });
}
}
