/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * read.cc - metadata, posting lists, term lists, columns and documents of an open database.
 */
#include "guard.hh"

#include <talloc.h>

extern "C" {

uint32_t
store_last_docid (struct store *store)
{
    uint32_t last = 0;
    guard (store, [&] {
        last = store->db->get_lastdocid ();
        return MAIL_OK;
    });
    return last;
}

uint32_t
store_doc_count (struct store *store)
{
    uint32_t count = 0;
    guard (store, [&] {
        count = store->db->get_doccount ();
        return MAIL_OK;
    });
    return count;
}

static char *
copy_bytes (void *ctx, const std::string &bytes)
{
    char *copy = (char *) talloc_size (ctx, bytes.size () + 1);
    memcpy (copy, bytes.data (), bytes.size ());
    copy[bytes.size ()] = '\0';
    return copy;
}

enum mail_status
store_metadata (void *ctx, struct store *store, const char *key, char **value_out,
                size_t *length_out)
{
    return guard (store, [&] {
        std::string value = store->db->get_metadata (key);
        *value_out = copy_bytes (ctx, value);
        if (length_out)
            *length_out = value.size ();
        return MAIL_OK;
    });
}

enum mail_status
store_term_freq (struct store *store, struct store_term term, uint32_t *freq_out)
{
    return guard (store, [&] {
        *freq_out = store->db->get_termfreq (term_string (term));
        return MAIL_OK;
    });
}

enum mail_status
store_lookup (struct store *store, const struct store_term *terms, size_t count, uint32_t *ids_out)
{
    return guard (store, [&] {
        for (size_t i = 0; i < count; i++) {
            std::string term = term_string (terms[i]);
            Xapian::PostingIterator it = store->db->postlist_begin (term);
            ids_out[i] = it == store->db->postlist_end (term) ? 0 : *it;
        }
        return MAIL_OK;
    });
}

enum mail_status
store_postings (void *ctx, struct store *store, struct store_term term, struct idset *set_out)
{
    return guard (store, [&] {
        std::string name = term_string (term);
        size_t room = store->db->get_termfreq (name), count = 0;
        uint32_t *ids = talloc_array (ctx, uint32_t, room ? room : 1);
        Xapian::PostingIterator end = store->db->postlist_end (name);
        for (Xapian::PostingIterator it = store->db->postlist_begin (name); it != end; ++it) {
            if (count == room)
                ids = talloc_realloc (ctx, ids, uint32_t, room = 2 * room + 16);
            ids[count++] = *it;
        }
        *set_out = {ids, count};
        return MAIL_OK;
    });
}

enum mail_status
store_each_term (struct store *store, struct store_term prefix, store_term_fn each, void *closure)
{
    return guard (store, [&] {
        std::string start = term_string (prefix);
        Xapian::TermIterator end = store->db->allterms_end (start);
        for (Xapian::TermIterator it = store->db->allterms_begin (start); it != end; ++it) {
            std::string term = *it;
            if (!each (closure, term.data (), term.size (), it.get_termfreq ()))
                break;
        }
        return MAIL_OK;
    });
}

enum mail_status
store_each_value (struct store *store, unsigned slot, store_value_fn each, void *closure)
{
    return guard (store, [&] {
        Xapian::ValueIterator end = store->db->valuestream_end (slot);
        for (Xapian::ValueIterator it = store->db->valuestream_begin (slot); it != end; ++it) {
            std::string value = *it;
            if (!each (closure, it.get_docid (), value.data (), value.size ()))
                break;
        }
        return MAIL_OK;
    });
}

enum mail_status
store_each_value_of (struct store *store, unsigned slot, struct idset ids, store_value_fn each,
                     void *closure)
{
    return guard (store, [&] {
        Xapian::ValueIterator it = store->db->valuestream_begin (slot);
        Xapian::ValueIterator end = store->db->valuestream_end (slot);
        Xapian::docid at = it != end ? it.get_docid () : 0;
        for (size_t i = 0; i < ids.count && it != end; i++) {
            if (at < ids.ids[i]) {
                it.skip_to (ids.ids[i]);
                at = it != end ? it.get_docid () : 0;
            }
            if (at != ids.ids[i])
                continue;
            std::string value = *it;
            if (!each (closure, at, value.data (), value.size ()))
                break;
        }
        return MAIL_OK;
    });
}

static uint64_t
decode_number (const std::string &bytes)
{
    uint64_t number = 0;
    for (unsigned char c : bytes)
        number = number << 8 | c;
    return number;
}

/* While changes are pending, a stream of values would have Xapian write them out first, and where
 * that fails (a full disk) it aborts the process: documents are asked one by one then. */
static void
values_one_by_one (struct store *store, unsigned slot, const uint32_t *ids, size_t count,
                   uint64_t *values_out)
{
    for (size_t i = 0; i < count; i++) {
        try {
            values_out[i] = decode_number (store->db->get_document (ids[i]).get_value (slot));
        } catch (const Xapian::DocNotFoundError &) {
            values_out[i] = 0;
        }
    }
}

enum mail_status
store_values (struct store *store, unsigned slot, const uint32_t *ids, size_t count,
              uint64_t *values_out)
{
    return guard (store, [&] {
        if (store->in_transaction) {
            values_one_by_one (store, slot, ids, count, values_out);
            return MAIL_OK;
        }
        Xapian::ValueIterator it = store->db->valuestream_begin (slot);
        Xapian::ValueIterator end = store->db->valuestream_end (slot);
        for (size_t i = 0; i < count; i++) {
            values_out[i] = 0;
            if (it == end)
                continue;
            if (it.get_docid () < ids[i])
                it.skip_to (ids[i]);
            if (it != end && it.get_docid () == ids[i])
                values_out[i] = decode_number (*it);
        }
        return MAIL_OK;
    });
}

enum mail_status
store_value_range (void *ctx, struct store *store, unsigned slot, uint64_t low, uint64_t high,
                   struct idset *set_out)
{
    return guard (store, [&] {
        size_t room = 64, count = 0;
        uint32_t *ids = talloc_array (ctx, uint32_t, room);
        Xapian::ValueIterator end = store->db->valuestream_end (slot);
        for (Xapian::ValueIterator it = store->db->valuestream_begin (slot); it != end; ++it) {
            uint64_t value = decode_number (*it);
            if (value < low || value > high)
                continue;
            if (count == room)
                ids = talloc_realloc (ctx, ids, uint32_t, room *= 2);
            ids[count++] = it.get_docid ();
        }
        *set_out = {ids, count};
        return MAIL_OK;
    });
}

/* All texts in one piece of memory, each with a NUL after it. */
static void
read_terms (void *ctx, const Xapian::Document &document, struct store_document *out)
{
    size_t room = 16, count = 0;
    struct store_term *terms = talloc_array (ctx, struct store_term, room);
    std::string all;
    Xapian::TermIterator end = document.termlist_end ();
    for (Xapian::TermIterator it = document.termlist_begin (); it != end; ++it) {
        if (count == room)
            terms = talloc_realloc (ctx, terms, struct store_term, room *= 2);
        std::string term = *it;
        all.append (term).push_back ('\0');
        terms[count++].length = term.size ();
    }
    char *text = copy_bytes (terms, all);
    for (size_t i = 0; i < count; i++) {
        terms[i].text = text;
        text += terms[i].length + 1;
    }
    out->terms = terms;
    out->term_count = count;
}

enum mail_status
store_read (void *ctx, struct store *store, uint32_t id, unsigned parts,
            struct store_document *document_out, bool *found_out)
{
    *document_out = {};
    *found_out = false;
    return guard (store, [&] {
        if (id == 0)
            return MAIL_OK;
        try {
            Xapian::Document document = store->db->get_document (id);
            if (parts & STORE_DATA) {
                std::string data = document.get_data ();
                document_out->data = copy_bytes (ctx, data);
                document_out->data_length = data.size ();
            }
            if (parts & STORE_TERMS)
                read_terms (ctx, document, document_out);
            *found_out = true;
        } catch (const Xapian::DocNotFoundError &) {
            *document_out = {};
        }
        return MAIL_OK;
    });
}
}
