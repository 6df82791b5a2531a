/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search.cc - a tree of store_query evaluated over one database, to ids in ascending order.
 *
 * All matches are taken by a MatchDecider that notes the id and refuses the document, so that
 * Xapian keeps no result list: a million matches cost 4 MB and the time of walking the posting
 * lists. A single term is read from its posting list directly, and an OR is a bitmap, into which
 * the lists of its terms go one after the other: half of what the matcher takes, which holds them
 * against each other id by id.
 */
#include "guard.hh"

#include <algorithm>
#include <talloc.h>
#include <vector>

namespace
{

/* The documents of a sorted array, as a leaf of a Xapian query. */
class IdSource : public Xapian::PostingSource
{
    struct idset set;
    size_t at = 0;
    bool started = false;

    void move_to (Xapian::docid id)
    {
        at = std::lower_bound (set.ids + at, set.ids + set.count, id) - set.ids;
        started = true;
    }

  public:
    explicit IdSource (struct idset ids) : set (ids)
    {
    }

    void init (const Xapian::Database &) override
    {
        at = 0;
        started = false;
    }
    Xapian::doccount get_termfreq_min () const override
    {
        return 0;
    }
    Xapian::doccount get_termfreq_est () const override
    {
        return set.count;
    }
    Xapian::doccount get_termfreq_max () const override
    {
        return set.count;
    }
    void next (double) override
    {
        if (started)
            at++;
        started = true;
    }
    void skip_to (Xapian::docid id, double) override
    {
        move_to (id);
    }
    bool at_end () const override
    {
        return at >= set.count;
    }
    Xapian::docid get_docid () const override
    {
        return set.ids[at];
    }
};

/* Notes every id it is shown and refuses the document. */
class Collector : public Xapian::MatchDecider
{
  public:
    mutable std::vector<uint32_t> ids;

    bool operator() (const Xapian::Document &document) const override
    {
        ids.push_back (document.get_docid ());
        return false;
    }
};

/* Builds the Xapian query of a tree; owns the sources, which must outlive the search. */
class Builder
{
    Xapian::Database &db;
    std::vector<std::unique_ptr<IdSource>> sources;
    bool positions = false; /* wanted: inside a phrase or the like */

    /* A term. One that no document has is left out at once: an OR of thousands of these makes a
     * chain of Xapian's usually balanced tree, and time is quadratic. For one of every document,
     * where positions are not wanted, the matcher reads the list of all documents, but goes on in
     * its second chunk under the term's name, where ids have gaps: "Unexpected end of posting list"
     * (1.4.22). So such a term is asked for by the other name. */
    Xapian::Query word (const std::string &term)
    {
        Xapian::doccount count = db.get_termfreq (term);
        if (count == 0)
            return Xapian::Query::MatchNothing;
        if (!positions && count == db.get_doccount ())
            return Xapian::Query::MatchAll;
        return Xapian::Query (term);
    }

    Xapian::Query stem (const struct store_query *query)
    {
        std::vector<Xapian::Query> words;
        std::string stem = term_string (query->term);
        if (query->self)
            words.push_back (word (stem));
        Xapian::TermIterator end = db.synonyms_end (stem);
        for (Xapian::TermIterator it = db.synonyms_begin (stem); it != end; ++it)
            words.push_back (word (*it));
        return Xapian::Query (Xapian::Query::OP_OR, words.begin (), words.end ());
    }

    Xapian::Query prefix (const std::string &start)
    {
        std::vector<Xapian::Query> words;
        Xapian::TermIterator end = db.allterms_end (start);
        for (Xapian::TermIterator it = db.allterms_begin (start); it != end; ++it)
            words.push_back (word (*it));
        return Xapian::Query (Xapian::Query::OP_OR, words.begin (), words.end ());
    }

    Xapian::Query ordered (Xapian::Query::op op, const struct store_query *query)
    {
        std::vector<Xapian::Query> parts;
        positions = true;
        for (size_t i = 0; i < query->child_count; i++)
            parts.push_back (build (query->children[i]));
        positions = false;
        return Xapian::Query (op, parts.begin (), parts.end (), query->window);
    }

    Xapian::Query combine (Xapian::Query::op op, const struct store_query *query)
    {
        std::vector<Xapian::Query> parts;
        for (size_t i = 0; i < query->child_count; i++)
            parts.push_back (build (query->children[i]));
        return Xapian::Query (op, parts.begin (), parts.end (), query->window);
    }

    Xapian::Query and_not (const struct store_query *query)
    {
        std::vector<Xapian::Query> others;
        for (size_t i = 1; i < query->child_count; i++)
            others.push_back (build (query->children[i]));
        return Xapian::Query (Xapian::Query::OP_AND_NOT, build (query->children[0]),
                              Xapian::Query (Xapian::Query::OP_OR, others.begin (), others.end ()));
    }

  public:
    explicit Builder (Xapian::Database &database) : db (database)
    {
    }

    Xapian::Query build (const struct store_query *query)
    {
        switch (query->op) {
        case STORE_OP_TERM:
            return word (term_string (query->term));
        case STORE_OP_STEM:
            return stem (query);
        case STORE_OP_PREFIX:
            return prefix (term_string (query->term));
        case STORE_OP_PHRASE:
        case STORE_OP_ADJ:
            return ordered (Xapian::Query::OP_PHRASE, query);
        case STORE_OP_NEAR:
            return ordered (Xapian::Query::OP_NEAR, query);
        case STORE_OP_AND:
            return combine (Xapian::Query::OP_AND, query);
        case STORE_OP_OR:
            return combine (Xapian::Query::OP_OR, query);
        case STORE_OP_AND_NOT:
            return and_not (query);
        case STORE_OP_IDS:
            sources.push_back (std::make_unique<IdSource> (query->ids));
            return Xapian::Query (sources.back ().get ());
        case STORE_OP_ALL:
            return Xapian::Query::MatchAll;
        case STORE_OP_NOTHING:
            break;
        }
        return Xapian::Query::MatchNothing;
    }
};

void
collect_postings (Xapian::Database &db, const std::string &term, std::vector<uint32_t> &ids)
{
    Xapian::PostingIterator end = db.postlist_end (term);
    for (Xapian::PostingIterator it = db.postlist_begin (term); it != end; ++it)
        ids.push_back (*it);
}

/* Documents found so far, a bit each. */
class Bitmap
{
    std::vector<uint64_t> bits;

  public:
    explicit Bitmap (Xapian::docid last) : bits (last / 64 + 1)
    {
    }

    void add (Xapian::docid id)
    {
        bits[id / 64] |= uint64_t (1) << id % 64;
    }

    void add_term (Xapian::Database &db, const std::string &term)
    {
        Xapian::PostingIterator end = db.postlist_end (term);
        for (Xapian::PostingIterator it = db.postlist_begin (term); it != end; ++it)
            add (*it);
    }

    void add_prefix (Xapian::Database &db, const std::string &start)
    {
        Xapian::TermIterator end = db.allterms_end (start);
        for (Xapian::TermIterator it = db.allterms_begin (start); it != end; ++it)
            add_term (db, *it);
    }

    void add_stem (Xapian::Database &db, const struct store_query *query)
    {
        std::string stem = term_string (query->term);
        if (query->self)
            add_term (db, stem);
        Xapian::TermIterator end = db.synonyms_end (stem);
        for (Xapian::TermIterator it = db.synonyms_begin (stem); it != end; ++it)
            add_term (db, *it);
    }

    void collect (std::vector<uint32_t> &ids) const
    {
        for (size_t i = 0; i < bits.size (); i++)
            for (uint64_t left = bits[i]; left != 0; left &= left - 1)
                ids.push_back (uint32_t (i * 64 + __builtin_ctzll (left)));
    }
};

void
match (Xapian::Database &db, const struct store_query *query, std::vector<uint32_t> &ids)
{
    Builder builder (db);
    Xapian::Enquire enquire (db);
    Collector collector;
    enquire.set_query (builder.build (query));
    enquire.set_weighting_scheme (Xapian::BoolWeight ());
    enquire.get_mset (0, 1, 0, NULL, &collector);
    ids.swap (collector.ids);
}

/* Every way to be found by the query. */
void
unite (Xapian::Database &db, const struct store_query *query, Bitmap &found)
{
    std::vector<uint32_t> ids;
    switch (query->op) {
    case STORE_OP_TERM:
        found.add_term (db, term_string (query->term));
        break;
    case STORE_OP_STEM:
        found.add_stem (db, query);
        break;
    case STORE_OP_PREFIX:
        found.add_prefix (db, term_string (query->term));
        break;
    case STORE_OP_OR:
        for (size_t i = 0; i < query->child_count; i++)
            unite (db, query->children[i], found);
        break;
    case STORE_OP_NOTHING:
        break;
    default:
        match (db, query, ids);
        for (uint32_t id : ids)
            found.add (id);
    }
}

void
collect (Xapian::Database &db, const struct store_query *query, std::vector<uint32_t> &ids)
{
    switch (query->op) {
    case STORE_OP_TERM:
        collect_postings (db, term_string (query->term), ids);
        break;
    case STORE_OP_ALL:
        collect_postings (db, std::string (), ids);
        break;
    case STORE_OP_STEM:
    case STORE_OP_PREFIX:
    case STORE_OP_OR: {
        Bitmap found (db.get_lastdocid ());
        unite (db, query, found);
        found.collect (ids);
        break;
    }
    case STORE_OP_NOTHING:
        break;
    default:
        match (db, query, ids);
    }
}

uint64_t
estimate (Xapian::Database &db, const struct store_query *query)
{
    uint64_t all = db.get_doccount (), sum = 0, least = all;
    switch (query->op) {
    case STORE_OP_TERM:
        return db.get_termfreq (term_string (query->term));
    case STORE_OP_STEM:
        sum = query->self ? db.get_termfreq (term_string (query->term)) : 0;
        for (auto it = db.synonyms_begin (term_string (query->term));
             it != db.synonyms_end (term_string (query->term)); ++it)
            sum += db.get_termfreq (*it);
        return std::min (sum, all);
    case STORE_OP_OR:
        for (size_t i = 0; i < query->child_count; i++)
            sum += estimate (db, query->children[i]);
        return std::min (sum, all);
    case STORE_OP_AND:
    case STORE_OP_PHRASE:
    case STORE_OP_NEAR:
    case STORE_OP_ADJ:
        for (size_t i = 0; i < query->child_count; i++)
            least = std::min (least, estimate (db, query->children[i]));
        return least;
    case STORE_OP_AND_NOT:
        return estimate (db, query->children[0]);
    case STORE_OP_IDS:
        return std::min<uint64_t> (query->ids.count, all);
    case STORE_OP_PREFIX:
    case STORE_OP_ALL:
        return all;
    case STORE_OP_NOTHING:
        break;
    }
    return 0;
}

} // namespace

extern "C" {

enum mail_status
store_search (void *ctx, struct store *store, const struct store_query *query,
              struct idset *set_out)
{
    return guard (store, [&] {
        std::vector<uint32_t> ids;
        collect (*store->db, query, ids);
        uint32_t *copy = talloc_array (ctx, uint32_t, ids.size () + 1);
        std::copy (ids.begin (), ids.end (), copy);
        *set_out = {copy, ids.size ()};
        return MAIL_OK;
    });
}

enum mail_status
store_estimate (struct store *store, const struct store_query *query, uint32_t *estimate_out)
{
    return guard (store, [&] {
        *estimate_out = estimate (*store->db, query);
        return MAIL_OK;
    });
}
}
