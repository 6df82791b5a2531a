/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compact.cc - a whole database written anew without the room that changes have left. */
#include "guard.hh"

extern "C" enum mail_status
store_compact (void *ctx, const char *path, const char *target, char **error_out)
{
    if (error_out)
        *error_out = NULL;
    return guard (ctx, error_out, [&] {
        Xapian::Database source (path);
        source.compact (target, Xapian::DBCOMPACT_NO_RENUMBER, STATE_BLOCK_BYTES);
        return MAIL_OK;
    });
}
