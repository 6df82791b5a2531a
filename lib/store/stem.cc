/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stem.cc - Xapian's Snowball stemmers, so that stems are the ones notmuch has. */
#include "guard.hh"

#include <talloc.h>

struct store_stemmer {
    Xapian::Stem *stem;
    std::string *last;
};

extern "C" {

static int
stemmer_destroy (struct store_stemmer *stemmer)
{
    delete stemmer->stem;
    delete stemmer->last;
    return 0;
}

enum mail_status
store_stemmer_create (void *ctx, const char *language, struct store_stemmer **stemmer_out,
                      char **error_out)
{
    struct store_stemmer *stemmer = talloc_zero (ctx, struct store_stemmer);
    if (error_out)
        *error_out = NULL;
    enum mail_status status = guard (ctx, error_out, [&] {
        stemmer->stem = new Xapian::Stem (language);
        return MAIL_OK;
    });
    if (status != MAIL_OK) {
        talloc_free (stemmer);
        return MAIL_ERROR_ARGUMENT;
    }
    stemmer->last = new std::string;
    talloc_set_destructor (stemmer, stemmer_destroy);
    *stemmer_out = stemmer;
    return MAIL_OK;
}

void
store_stem (struct store_stemmer *stemmer, const char *word, size_t length, const char **stem_out,
            size_t *stem_length_out)
{
    char *ignored = NULL;
    guard (stemmer, &ignored, [&] {
        *stemmer->last = (*stemmer->stem) (std::string (word, length));
        return MAIL_OK;
    });
    *stem_out = stemmer->last->data ();
    *stem_length_out = stemmer->last->size ();
}
}
