/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.h - opaque C handles over Xapian databases.
 *
 * Everything C++ is behind this header. No Xapian type and no exception crosses it: each call goes
 * through one guard that turns an exception into a status, with the text kept on the handle. The
 * layer knows Xapian, but no schema: terms, slots and data are bytes given by the caller.
 * Calls are coarse: arrays of terms in, sets of ids out.
 *
 * Statuses used here: MAIL_OK; MAIL_ERROR_OVERTAKEN (the revision read is gone: store_reopen and
 * start again); MAIL_ERROR_NO_INDEX (no database at the path); MAIL_ERROR_LOCKED (somebody holds
 * Xapian's own write lock); MAIL_ERROR_NO_SPACE; MAIL_ERROR_CORRUPT; MAIL_ERROR_VERSION;
 * MAIL_ERROR_IO; MAIL_ERROR_READ_ONLY; MAIL_ERROR_RESOURCES; MAIL_ERROR_ARGUMENT (no such stemmer);
 * MAIL_ERROR_STORE (anything else). error_out (may be NULL) gets the text of a failure, talloc'd on
 * ctx.
 */
#ifndef STORE_H
#define STORE_H

#include "idset.h"
#include "mailindex.h"

#ifdef __cplusplus
extern "C" {
#endif

struct store_term {
    const char *text; /* bytes, need not end in NUL */
    size_t length;
};

/* ---- a database ---------------------------------------------------------------------------- */

struct store;

enum store_open_mode {
    STORE_READ,
    STORE_WRITE, /* takes Xapian's lock, does not wait for it */
    STORE_CREATE /* STORE_WRITE, making the database where there is none */
};

/* path: a database folder or a single-file database (STORE_READ only). Handles are talloc'd; the
 * destructor closes (an open transaction is cancelled). */
enum mail_status store_open (void *ctx, const char *path, enum store_open_mode mode,
                             struct store **store_out, char **error_out);
/* Text of the last failure on this handle. */
const char *store_error (const struct store *store);
/* To the newest revision; *changed_out (may be NULL) says whether it was not the newest. */
enum mail_status store_reopen (struct store *store, bool *changed_out);

/* ---- reading ------------------------------------------------------------------------------- */

uint32_t store_last_docid (struct store *store);
uint32_t store_doc_count (struct store *store);

/* *value_out is talloc'd, NUL-terminated; "" and length 0 where the key is not set. */
enum mail_status store_metadata (void *ctx, struct store *store, const char *key, char **value_out,
                                 size_t *length_out);

/* Reads all of the database at path, which is open for reading as store, and compares what it says
 * in two places. *damage_out: a line about what does not agree or cannot be read (talloc'd on ctx),
 * NULL for nothing. MAIL_ERROR_OVERTAKEN, _RESOURCES, _READ_ONLY: the text is why. */
enum mail_status store_check (void *ctx, struct store *store, const char *path, char **damage_out);
/* Number of documents a term indexes. */
enum mail_status store_term_freq (struct store *store, struct store_term term, uint32_t *freq_out);
/* ids_out[i]: the first document of terms[i], 0 for none. */
enum mail_status store_lookup (struct store *store, const struct store_term *terms, size_t count,
                               uint32_t *ids_out);
enum mail_status store_postings (void *ctx, struct store *store, struct store_term term,
                                 struct idset *set_out);

/* Terms that begin with prefix, in byte order. Return false to stop. */
typedef bool (*store_term_fn) (void *closure, const char *term, size_t length, uint32_t freq);
enum mail_status store_each_term (struct store *store, struct store_term prefix, store_term_fn each,
                                  void *closure);

/* One pass over a value slot, in order of ids. Return false to stop. */
typedef bool (*store_value_fn) (void *closure, uint32_t id, const char *value, size_t length);
enum mail_status store_each_value (struct store *store, unsigned slot, store_value_fn each,
                                   void *closure);
/* The same for these documents only; those in between cost a tenth. */
enum mail_status store_each_value_of (struct store *store, unsigned slot, struct idset ids,
                                      store_value_fn each, void *closure);
/* 8-byte big-endian values of these ids (ascending); 0 where missing. Chooses between one pass and
 * single look-ups by itself. */
enum mail_status store_values (struct store *store, unsigned slot, const uint32_t *ids,
                               size_t count, uint64_t *values_out);
/* Ids whose 8-byte big-endian value v has low <= v <= high (unsigned). */
enum mail_status store_value_range (void *ctx, struct store *store, unsigned slot, uint64_t low,
                                    uint64_t high, struct idset *set_out);

struct store_document {
    const char *data; /* NUL-terminated for safety */
    size_t data_length;
    struct store_term *terms; /* byte order, each NUL-terminated */
    size_t term_count;
};
enum store_parts { STORE_DATA = 1, STORE_TERMS = 2 };
/* Reads a document; *found_out is false (and *document_out zero) where there is none. All memory
 * hangs on ctx. */
enum mail_status store_read (void *ctx, struct store *store, uint32_t id, unsigned parts,
                             struct store_document *document_out, bool *found_out);

/* ---- searching ----------------------------------------------------------------------------- */

enum store_op {
    STORE_OP_TERM,   /* term */
    STORE_OP_STEM,   /* term: a stem with its prefix; the OR of the words that the database has as
                        synonyms of it, and of the term itself where self is set */
    STORE_OP_PREFIX, /* term: every term that begins with it */
    STORE_OP_PHRASE, /* children (TERM) at following positions */
    STORE_OP_NEAR,   /* children (TERM, or OR of TERMs) within window positions, any order */
    STORE_OP_ADJ,    /* the same, in this order */
    STORE_OP_AND,
    STORE_OP_OR,
    STORE_OP_AND_NOT, /* the first child without any of the others */
    STORE_OP_IDS,     /* the documents of ids */
    STORE_OP_ALL,     /* every document */
    STORE_OP_NOTHING
};

struct store_query {
    enum store_op op;
    struct store_term term;
    bool self;       /* STEM */
    unsigned window; /* NEAR, ADJ: number of positions spanned, at least the number of children */
    struct store_query **children;
    size_t child_count;
    struct idset ids; /* IDS; must outlive the search */
};

/* All documents that match, ascending. The cost of memory is 4 bytes a match. */
enum mail_status store_search (void *ctx, struct store *store, const struct store_query *query,
                               struct idset *set_out);
/* An upper bound of the number of matches, without searching. */
enum mail_status store_estimate (struct store *store, const struct store_query *query,
                                 uint32_t *estimate_out);

/* ---- changing ------------------------------------------------------------------------------ */

/* All changes happen between begin and commit or cancel. commit is durable for the files of the
 * database (fdatasync by Xapian); the folder's own entry is the caller's to sync. A failed commit
 * has cancelled; the handle must then be closed. */
enum mail_status store_begin (struct store *store);
enum mail_status store_commit (struct store *store);
void store_cancel (struct store *store);

struct store_value {
    unsigned slot;
    const char *bytes; /* length 0: no value */
    size_t length;
};

enum mail_status store_set_metadata (struct store *store, const char *key, const char *value,
                                     size_t length);
/* Replaces the whole document; values: every slot that is to be set. Terms carry no positions. */
enum mail_status store_put (struct store *store, uint32_t id, const struct store_term *terms,
                            size_t term_count, const struct store_value *values, size_t value_count,
                            const char *data, size_t data_length);
/* Changes a document that exists, on Xapian's cheap path: only what differs is written. Terms to
 * add that are there already, and terms to drop that are not, are passed over. values: NULL leaves
 * all as they are, else every slot that is to be set. data: NULL leaves it. */
enum mail_status store_change (struct store *store, uint32_t id, const struct store_term *add,
                               size_t add_count, const struct store_term *drop, size_t drop_count,
                               const struct store_value *values, size_t value_count,
                               const char *data, size_t data_length);
/* Deletes; a document that is not there is no error. */
enum mail_status store_delete (struct store *store, uint32_t id);

/* ---- segments ------------------------------------------------------------------------------ */

/* Builds a single-file database of words: documents go into small databases in a scratch folder,
 * which are compacted into one at the end. */
struct store_builder;

/* A term of a document with its positions (ascending; none for a term that no phrase can use). */
struct store_posting {
    const char *term;
    uint32_t length;
    uint32_t position_count;
    const uint32_t *positions;
};

/* scratch: an existing folder for the small databases; nothing outside it is written but the
 * result. */
enum mail_status store_builder_create (void *ctx, const char *scratch,
                                       struct store_builder **builder_out, char **error_out);
const char *store_builder_error (const struct store_builder *builder);
/* Ids must ascend. Postings in byte order of terms, each term once. */
enum mail_status store_builder_add (struct store_builder *builder, uint32_t id,
                                    const struct store_posting *postings, size_t count,
                                    const struct store_value *values, size_t value_count);
/* Between documents: writes what has been added, if it is much by now. */
enum mail_status store_builder_flush (struct store_builder *builder);
/* word becomes a synonym of stem (see STORE_OP_STEM); both with their prefix. Repeats are
 * allowed. */
enum mail_status store_builder_synonym (struct store_builder *builder, struct store_term stem,
                                        struct store_term word);
/* Compacts into the new single-file database at path, fdatasynced. The builder can then only be
 * freed. */
enum mail_status store_builder_finish (struct store_builder *builder, const char *path);

/* Compacts single-file databases, given in order of their ids, into a new one at path; document
 * ids stay. What is stale is copied too: Xapian copies whole posting lists. */
enum mail_status store_merge (void *ctx, const char *const *sources, size_t count, const char *path,
                              char **error_out);

/* Writes the database at path anew into the folder target, which must not be there; document ids
 * stay. Nothing is synced but the files of the new one. */
enum mail_status store_compact (void *ctx, const char *path, const char *target, char **error_out);

/* From here on running out of memory aborts the process at once, in C++ code too: Xapian would go
 * on and report something else. For processes of our own only: it is a setting of the process. */
void store_abort_without_memory (void);

/* ---- stems --------------------------------------------------------------------------------- */

/* A Snowball stemmer ("english", "none", ...). Its words are lower-case UTF-8. */
struct store_stemmer;
enum mail_status store_stemmer_create (void *ctx, const char *language,
                                       struct store_stemmer **stemmer_out, char **error_out);
/* The stem belongs to the stemmer, until the next call. */
void store_stem (struct store_stemmer *stemmer, const char *word, size_t length,
                 const char **stem_out, size_t *stem_length_out);

#ifdef __cplusplus
}
#endif

#endif
