/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guard.cc - exceptions become statuses here and nowhere else.
 *
 * Xapian gives the text of a system error but not its number, so full disks and missing rights are
 * told by comparing with strerror's text (both are made by the same C library).
 */
#include "guard.hh"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <talloc.h>

extern "C" void
store_abort_without_memory (void)
{
    std::set_new_handler (abort);
}

static bool
says (const Xapian::Error &error, int number)
{
    const char *text = error.get_error_string ();
    const char *wanted = strerror (number);
    return (text && strcmp (text, wanted) == 0) ||
           error.get_msg ().find (wanted) != std::string::npos;
}

/* What the operating system said, where it said something. */
static enum mail_status
system_status (const Xapian::Error &error, enum mail_status otherwise)
{
    if (says (error, ENOSPC) || says (error, EDQUOT))
        return MAIL_ERROR_NO_SPACE;
    if (says (error, EACCES) || says (error, EROFS) || says (error, EPERM))
        return MAIL_ERROR_READ_ONLY;
    if (says (error, EIO))
        return MAIL_ERROR_IO;
    return otherwise;
}

static void
keep (void *ctx, char **error, const Xapian::Error &exception)
{
    if (!error)
        return;
    talloc_free (*error);
    const char *system = exception.get_error_string ();
    *error = talloc_asprintf (ctx, "%s%s%s", exception.get_msg ().c_str (), system ? ": " : "",
                              system ? system : "");
}

enum mail_status
guard_translate (void *ctx, char **error) noexcept
{
    try {
        throw;
    } catch (const Xapian::DatabaseModifiedError &e) {
        keep (ctx, error, e);
        return MAIL_ERROR_OVERTAKEN;
    } catch (const Xapian::DatabaseLockError &e) {
        keep (ctx, error, e);
        return system_status (e, MAIL_ERROR_LOCKED);
    } catch (const Xapian::DatabaseVersionError &e) {
        keep (ctx, error, e);
        return MAIL_ERROR_VERSION;
    } catch (const Xapian::DatabaseOpeningError &e) {
        keep (ctx, error, e);
        return system_status (e, says (e, ENOENT) || says (e, ENOTDIR) ? MAIL_ERROR_NO_INDEX
                                                                       : MAIL_ERROR_CORRUPT);
    } catch (const Xapian::DatabaseCorruptError &e) {
        keep (ctx, error, e);
        return MAIL_ERROR_CORRUPT;
    } catch (const Xapian::Error &e) {
        keep (ctx, error, e);
        return system_status (e, MAIL_ERROR_STORE);
    } catch (const std::bad_alloc &) {
        abort ();
    } catch (const std::exception &e) {
        if (error) {
            talloc_free (*error);
            *error = talloc_strdup (ctx, e.what ());
        }
        return MAIL_ERROR_STORE;
    } catch (...) {
        if (error) {
            talloc_free (*error);
            *error = talloc_strdup (ctx, "an unknown exception");
        }
        return MAIL_ERROR_STORE;
    }
}
