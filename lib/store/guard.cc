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
#include <exception>
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
    return (text && strcmp (text, wanted) == 0) || strcasestr (error.get_msg ().c_str (), wanted);
}

/* A block that should be there lies behind the end of its file: the file was cut off, or it is one
 * of the database that has taken the place of what was opened. */
static bool
is_cut_off (const Xapian::DatabaseError &error)
{
    return !error.get_error_string () && error.get_msg ().compare (0, 4, "EOF ") == 0;
}

/* What the operating system can say of a failed call. */
static const struct {
    int number;
    enum mail_status status;
} system_errors[] = {{ENOSPC, MAIL_ERROR_NO_SPACE},  {EDQUOT, MAIL_ERROR_NO_SPACE},
                     {EFBIG, MAIL_ERROR_NO_SPACE},   {EACCES, MAIL_ERROR_READ_ONLY},
                     {EROFS, MAIL_ERROR_READ_ONLY},  {EPERM, MAIL_ERROR_READ_ONLY},
                     {EMFILE, MAIL_ERROR_RESOURCES}, {ENFILE, MAIL_ERROR_RESOURCES},
                     {ENOMEM, MAIL_ERROR_RESOURCES}, {EIO, MAIL_ERROR_IO}};

static enum mail_status
system_status (const Xapian::Error &error, enum mail_status otherwise)
{
    for (const auto &known : system_errors)
        if (says (error, known.number))
            return known.status;
    return otherwise;
}

static enum mail_status
errno_status (int number, enum mail_status otherwise)
{
    for (const auto &known : system_errors)
        if (number == known.number)
            return known.status;
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

/* Xapian does not always say why it could not make a file; errno still does. */
static enum mail_status
creation_failed (void *ctx, char **error, const Xapian::DatabaseCreateError &e, int number)
{
    keep (ctx, error, e);
    if (e.get_error_string ())
        return system_status (e, MAIL_ERROR_IO);
    if (error && number)
        *error = talloc_asprintf_append (*error, ": %s", strerror (number));
    return errno_status (number, MAIL_ERROR_IO);
}

enum mail_status
guard_translate (void *ctx, char **error) noexcept
{
    int number = errno;
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
    } catch (const Xapian::DatabaseCreateError &e) {
        return creation_failed (ctx, error, e, number);
    } catch (const Xapian::DatabaseOpeningError &e) {
        keep (ctx, error, e);
        return system_status (e, says (e, ENOENT) || says (e, ENOTDIR) ? MAIL_ERROR_NO_INDEX
                                                                       : MAIL_ERROR_CORRUPT);
    } catch (const Xapian::DatabaseCorruptError &e) {
        keep (ctx, error, e);
        return e.get_error_string () ? system_status (e, MAIL_ERROR_CORRUPT) : MAIL_ERROR_CORRUPT;
    } catch (const Xapian::DatabaseError &e) {
        keep (ctx, error, e);
        return is_cut_off (e) ? MAIL_ERROR_CORRUPT : system_status (e, MAIL_ERROR_STORE);
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

namespace
{

thread_local struct guard_escape *way_out;
std::terminate_handler next_handler;

/* Depending on what the compiler inlined, the exception is at hand here, or only errno is. */
void
take_status (struct guard_escape *escape, int number) noexcept
{
    if (std::current_exception ()) {
        escape->status = guard_translate (escape->ctx, escape->error);
        return;
    }
    escape->status = errno_status (number, MAIL_ERROR_STORE);
    talloc_free (*escape->error);
    *escape->error = talloc_asprintf (escape->ctx, "the changes could not be written: %s",
                                      number ? strerror (number) : "the reason is not known");
}

[[noreturn]] void
escape_or_die ()
{
    int number = errno;
    struct guard_escape *escape = way_out;
    if (escape) {
        way_out = NULL;
        take_status (escape, number);
        longjmp (escape->out, 1);
    }
    if (next_handler)
        next_handler ();
    abort ();
}

} // namespace

void
guard_set_escape (struct guard_escape *escape) noexcept
{
    static bool installed = (next_handler = std::set_terminate (escape_or_die), true);
    (void) installed;
    way_out = escape;
    if (escape)
        errno = 0;
}
