/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-show.c - any bytes as a mail file, shown and answered in every form.
 *
 * JSON must be JSON, in UTF-8; S-expressions must be balanced; text must have no control characters
 * and no markers but its own; the header of a reply must have no field but its own.
 */
#include "test/fuzz/helper.h"

#include "cli/reply-body.h"
#include "cli/reply-headers.h"
#include "cli/show-structured.h"
#include "index-private.h"
#include "message.h"

#include <glib.h>
#include <sys/mman.h>
#include <talloc.h>
#include <unistd.h>

/* ---- what output must be ----------------------------------------------------------------------
 */

/* Says which check failed. */
static void __attribute__ ((noreturn)) wrong (const char *check)
{
    fprintf (stderr, "%s\n", check);
    abort ();
}

static const char *json_value (const char *p);

static const char *
json_string (const char *p)
{
    for (p++; *p != '"'; p++) {
        if ((unsigned char) *p < 0x20)
            wrong ("json_string");
        if (*p == '\\' && strchr ("\"\\bfnt", *++p) == NULL) {
            if (*p != 'u' || strspn (p + 1, "0123456789abcdef") < 4)
                wrong ("json_string");
            p += 4;
        }
    }
    return p + 1;
}

/* A map or a list, its members separated by ", ". */
static const char *
json_members (const char *p, char close, bool keys)
{
    if (*++p == close)
        return p + 1;
    for (;; p += 2) {
        if (keys) {
            p = json_string (p);
            if (*p != ':' || p[1] != ' ')
                wrong ("json_members");
            p += 2;
        }
        p = json_value (p);
        if (*p == close)
            return p + 1;
        if (*p != ',' || (p[1] != ' ' && p[1] != '\n'))
            wrong ("json_members");
    }
}

static const char *
json_value (const char *p)
{
    static const char *const words[] = {"true", "false", "null"};

    if (*p == '"')
        return json_string (p);
    if (*p == '{')
        return json_members (p, '}', true);
    if (*p == '[')
        return json_members (p, ']', false);
    for (size_t i = 0; i < G_N_ELEMENTS (words); i++)
        if (g_str_has_prefix (p, words[i]))
            return p + strlen (words[i]);
    p += *p == '-';
    if (!g_ascii_isdigit (*p))
        wrong ("json_value");
    return p + strspn (p, "0123456789");
}

static void
check_json (const char *text, size_t length)
{
    if (strlen (text) != length || !g_utf8_validate (text, -1, NULL) ||
        strcmp (json_value (text), "\n") != 0)
        wrong ("check_json");
}

static void
check_sexp (const char *text, size_t length)
{
    long depth = 0;
    bool quoted = false;

    if (strlen (text) != length || !g_utf8_validate (text, -1, NULL))
        wrong ("check_sexp");
    for (; *text != '\0'; text++) {
        if (quoted && *text == '\\')
            text++;
        else if (*text == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (*text == '(') - (*text == ')');
        if (depth < 0)
            wrong ("check_sexp");
    }
    if (depth != 0 || quoted)
        wrong ("check_sexp");
}

/* No controls; form feeds only where a marker begins. */
static void
check_text (const char *text, size_t length)
{
    static const char *const markers[] = {"message", "header", "body", "part", "attachment"};
    size_t i, end = 0;

    if (strlen (text) != length || !g_utf8_validate (text, -1, NULL))
        wrong ("check_text");
    for (; *text != '\0'; text++) {
        if (((unsigned char) *text < 0x20 && strchr ("\t\n\f", *text) == NULL) || *text == 0x7f)
            wrong ("check_text");
        if (*text != '\f')
            continue;
        for (i = 0; i < G_N_ELEMENTS (markers) && !g_str_has_prefix (text + 1, markers[i]); i++)
            ;
        if (i == G_N_ELEMENTS (markers))
            wrong ("check_text");
        end += g_str_has_prefix (text, "\fmessage}");
    }
    if (end != 1)
        wrong ("check_text");
}

static void
check_reply (const char *text, size_t length)
{
    static const char *const names[] = {
        "From:", "Subject:", "To:", "Cc:", "Bcc:", "In-Reply-To:", "References:"};
    int seen[G_N_ELEMENTS (names)] = {0};

    if (strlen (text) != length)
        wrong ("check_reply");
    for (const char *line = text; *line != '\n'; line = strchr (line, '\n') + 1) {
        size_t i = 0;

        if (*line == ' ' || *line == '\t')
            continue;
        while (i < G_N_ELEMENTS (names) && !g_str_has_prefix (line, names[i]))
            i++;
        if (i == G_N_ELEMENTS (names) || seen[i]++ > 0 || strchr (line, '\n') == NULL)
            wrong ("check_reply");
    }
}

/* ---- one message ------------------------------------------------------------------------------
 */

struct sink {
    FILE *file;
    char *text;
    size_t length;
};

static struct sink *
sink_open (struct sink *sink)
{
    sink->file = open_memstream (&sink->text, &sink->length);
    return sink;
}

static void
sink_check (struct sink *sink, void (*check) (const char *text, size_t length))
{
    fclose (sink->file);
    check (sink->text, sink->length);
    free (sink->text);
}

static bool
add_bytes (void *closure, const char *bytes, size_t length)
{
    size_t *sum = closure;

    for (size_t i = 0; i < length; i++)
        *sum += (unsigned char) bytes[i];
    return true;
}

static void
show_parts (const struct show_message *shown)
{
    size_t count, sum = 0;
    const struct mail_part *parts = mail_content_parts (shown->content, &count);

    for (size_t i = 0; i < count && i < 20; i++)
        mail_part_write (shown->content, &parts[i], (struct mail_sink){add_bytes, &sum});
}

static void
show_forms (struct show *show, const struct show_message *shown)
{
    static const enum printer_format formats[] = {PRINTER_JSON, PRINTER_SEXP};
    struct sink sink;

    for (size_t i = 0; i < 2; i++) {
        show->file = sink_open (&sink)->file;
        show->printer = printer_create (NULL, formats[i], show->file);
        show_structured_message (show, shown);
        talloc_free (show->printer);
        sink_check (&sink, i == 0 ? check_json : check_sexp);
    }
    show->printer = NULL;
    show->file = sink_open (&sink)->file;
    show_text_message (show, shown);
    sink_check (&sink, check_text);
}

static void
answer (void *ctx, const struct config *config, const struct show_message *shown)
{
    struct sink sink;
    struct printer *printer;

    for (int all = 0; all < 2; all++) {
        struct reply *reply = reply_create (ctx, config, shown->message, shown->content, all == 1);

        reply_write_header (sink_open (&sink)->file, reply, all == 1);
        sink_check (&sink, check_reply);
        printer = printer_create (ctx, PRINTER_JSON, sink_open (&sink)->file);
        reply_print_headers (printer, reply);
        sink_check (&sink, check_json);
    }
    fputs ("\fmessage}", sink_open (&sink)->file);
    reply_write_body (sink.file, shown->content);
    sink_check (&sink, check_text);
}

/* The message as the index would have it. */
static struct mail_message *
indexed (void *ctx)
{
    static char root[] = "/mail";
    static const char *tags[] = {"inbox", NULL};
    struct mail_message *message = talloc_zero (ctx, struct mail_message);

    message->index = talloc_zero (message, struct mail_index);
    message->index->mail_root = root;
    message->id = "id@x";
    message->tags = tags;
    message->tag_count = 1;
    message->record.file_count = 1;
    message->files = talloc_zero_array (message, struct mail_file, 1);
    message->files[0] = (struct mail_file){"in/cur", "1:2,S"};
    for (int i = 0; i < MAIL_FIELD_COUNT; i++)
        message->record.fields[i] = "";
    return message;
}

static struct config *
config (void)
{
    static struct config *loaded;
    char *error = NULL;

    setenv ("EMAIL", "me@example.org", 1);
    setenv ("NAME", "M\xc3\xa9", 1);
    if (loaded == NULL &&
        config_load (NULL, names_find (NULL, "mail"), "", &loaded, &error) != MAIL_OK)
        wrong ("config");
    return loaded;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    static char *extra[] = {"X-a", "x-A", "to", "content-type", NULL};
    static const struct show_options options = {
        .format_version = 5, .body = true, .include_html = true};
    void *ctx = talloc_new (NULL);
    int fd = memfd_create ("mail", MFD_CLOEXEC);
    struct show_message shown = {.duplicate = 1, .path = "/mail/in/cur/1:2,S"};
    struct show show = {.options = &options, .extra_headers = extra, .now = 1796059730};

    if (write (fd, data, size) == (ssize_t) size &&
        mail_content_open (ctx, talloc_asprintf (ctx, "/proc/self/fd/%d", fd), &shown.content,
                           NULL) == MAIL_OK) {
        shown.message = indexed (ctx);
        show.index = shown.message->index;
        show_forms (&show, &shown);
        show_parts (&shown);
        answer (ctx, config (), &shown);
    }
    close (fd);
    talloc_free (ctx);
    return 0;
}

const char *const fuzz_pieces[] = {"From: a@b\n",
                                   "From: \"A, B\" <a@b>\n",
                                   "Subject: =?utf-8?q?a=0Ab=00=FF?=\n",
                                   "To: ",
                                   "Cc: g: a@b, \"c\" <d@e>;\n",
                                   "Reply-To: ",
                                   "=?utf-8?b?",
                                   "?=",
                                   "=?iso-8859-1?q?",
                                   "a@b, ",
                                   "<c@d>",
                                   "\n",
                                   "\n ",
                                   "\n\n",
                                   "--b\n",
                                   "--b--\n",
                                   "--c\n",
                                   "--c--\n",
                                   "Date: ",
                                   "Mon, 01 Jan 2024 10:00:00 +0000\n",
                                   "References: <a@b>\n <c@d>\n",
                                   "X-A: \x1b[1m\x07\n",
                                   "Content-Type: multipart/mixed; boundary=b\n",
                                   "Content-Type: multipart/digest; boundary=c\n",
                                   "Content-Type: message/rfc822\n",
                                   "Content-Type: text/html; charset=\"x\"\n",
                                   "Content-Type: text/plain; charset=utf-16\n",
                                   "Content-Type: image/png; name=\"a\fb\"\n",
                                   "Content-Disposition: attachment; filename*=utf-8''%0A%1B%C3\n",
                                   "Content-Transfer-Encoding: base64\n",
                                   "Content-Transfer-Encoding: quoted-printable\n",
                                   "Content-ID: <a\fb>\n",
                                   "AAAA",
                                   "=C3=A9=0C",
                                   "\f",
                                   "message}\n",
                                   "\xff\xfe",
                                   "\xc3\xa9",
                                   ";",
                                   ":",
                                   "(",
                                   "<",
                                   "\"",
                                   "\\",
                                   "Delivered-To: me@example.org\n",
                                   "Bcc: x@y\n",
                                   NULL};
