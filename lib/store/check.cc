/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check.cc - whether a database says the same wherever it says a thing twice.
 *
 * Xapian's own check looks at the shape of its tables and misses much of what random bytes do to
 * their contents. Every pair of term and document stands in two tables, the term's list and the
 * document's, which are read whole and compared by a sum that does not depend on the order.
 */
#include "guard.hh"

#include <talloc.h>

namespace
{

uint64_t
mix (uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

uint64_t
hash_term (const std::string &term)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (unsigned char c : term)
        hash = (hash ^ c) * 0x100000001b3ull;
    return hash;
}

/* Of all pairs: their number, and the sum of their hashes. */
struct pairs {
    uint64_t count = 0, sum = 0;
    void add (uint64_t term, Xapian::docid id)
    {
        count++;
        sum += mix (term ^ mix (id));
    }
};

struct pairs
pairs_of_terms (const Xapian::Database &db, bool *wrong_count)
{
    struct pairs pairs;
    for (auto term = db.allterms_begin (); term != db.allterms_end (); ++term) {
        uint64_t hash = hash_term (*term), before = pairs.count;
        for (auto post = db.postlist_begin (*term); post != db.postlist_end (*term); ++post)
            pairs.add (hash, *post);
        *wrong_count |= pairs.count - before != term.get_termfreq ();
    }
    return pairs;
}

struct pairs
pairs_of_documents (const Xapian::Database &db, uint64_t *documents)
{
    struct pairs pairs;
    for (auto post = db.postlist_begin (""); post != db.postlist_end (""); ++post, ++*documents)
        for (auto term = db.termlist_begin (*post); term != db.termlist_end (*post); ++term)
            pairs.add (hash_term (*term), *post);
    return pairs;
}

const char *
find_damage (const std::string &path, const Xapian::Database &db)
{
    bool wrong_count = false;
    uint64_t documents = 0;
    if (Xapian::Database::check (path, 0, NULL) > 0)
        return "a table is damaged";
    struct pairs by_term = pairs_of_terms (db, &wrong_count);
    struct pairs by_document = pairs_of_documents (db, &documents);
    if (wrong_count)
        return "the list of a term has another length than it says";
    if (by_term.count != by_document.count || by_term.sum != by_document.sum)
        return "lists of terms and lists of documents differ";
    return documents == db.get_doccount () ? NULL : "there are not as many documents as it says";
}

} // namespace

extern "C" {

enum mail_status
store_check (void *ctx, struct store *store, const char *path, char **damage_out)
{
    *damage_out = NULL;
    char *error = NULL;
    enum mail_status status = guard (ctx, &error, [&] {
        const char *damage = find_damage (path, *store->db);
        *damage_out = damage ? talloc_strdup (ctx, damage) : NULL;
        return MAIL_OK;
    });
    if (status != MAIL_OK) {
        *damage_out = error;
        if (status != MAIL_ERROR_OVERTAKEN && status != MAIL_ERROR_RESOURCES &&
            status != MAIL_ERROR_READ_ONLY)
            status = MAIL_OK; /* that it cannot be read is what was asked */
    }
    return status;
}
}
