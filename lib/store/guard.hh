/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guard.hh - the only file that includes Xapian, the handles' insides, and the guard through which
 * every call from C passes.
 */
#ifndef GUARD_HH
#define GUARD_HH

#include "store.h"

#include <xapian.h>

#include <csetjmp>
#include <cstring>
#include <memory>
#include <string>

/* Of a database that can change. A small commit writes a block for each of a few dozen items all
 * over the tables, so the smallest that Xapian has: nothing reads slower by it. */
const int STATE_BLOCK_BYTES = 2048;

struct store {
    Xapian::Database *db;               /* never NULL while the handle lives */
    Xapian::WritableDatabase *writable; /* the same object, or NULL when open for reading */
    bool in_transaction;
    char *error; /* talloc'd, or NULL */
};

/* Call inside a catch block: the status of the exception being handled; its text replaces *error
 * (talloc'd on ctx). */
enum mail_status guard_translate (void *ctx, char **error) noexcept;

/* Runs body, which returns a status, and turns an exception into one. */
template <typename Body>
enum mail_status
guard (void *ctx, char **error, Body body) noexcept
{
    try {
        return body ();
    } catch (...) {
        return guard_translate (ctx, error);
    }
}

template <typename Body>
enum mail_status
guard (struct store *store, Body body) noexcept
{
    return guard (store, &store->error, body);
}

/* Where an exception goes that cannot leave a destructor; see guard_commit. */
struct guard_escape {
    jmp_buf out;
    void *ctx;
    char **error;
    enum mail_status status; /* of the exception, once it came */
};
/* Sets the way out of this thread; NULL takes it away. */
void guard_set_escape (struct guard_escape *escape) noexcept;

/* Like guard, for a commit: Xapian 1.4 writes the last values in a destructor (ValueUpdater), which
 * no exception may leave: a disk that is full at this moment would end the process. Jumps over
 * Xapian's frames instead; what they hold is leaked. */
template <typename Body>
enum mail_status
guard_commit (struct store *store, Body body) noexcept
{
    struct guard_escape escape;
    escape.ctx = store;
    escape.error = &store->error;
    if (_setjmp (escape.out) != 0)
        return escape.status;
    guard_set_escape (&escape);
    enum mail_status status = guard (store, body);
    guard_set_escape (NULL);
    return status;
}

inline std::string
term_string (const struct store_term &term)
{
    return std::string (term.text, term.length);
}

#endif
