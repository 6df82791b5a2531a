/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-document.c - which text of a message is a word of which field. */
#include "index/document.h"
#include "index/terms-private.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <talloc.h>
#include <unistd.h>

#include <cmocka.h>

static struct mime_message *
parse (void *ctx, const char *mail)
{
    struct mime_message *message = NULL;
    int fd = memfd_create ("mail", MFD_CLOEXEC);

    assert_true (fd >= 0);
    assert_int_equal (write (fd, mail, strlen (mail)), strlen (mail));
    assert_int_equal (mime_message_parse (ctx, fd, &message, NULL), MAIL_OK);
    close (fd);
    return message;
}

static void
add_mail (struct terms *terms, const char *mail)
{
    void *ctx = talloc_new (NULL);

    document_add (terms, parse (ctx, mail));
    talloc_free (ctx);
}

/* "term:1,2 other" for every posting, in their order. */
static GString *
print_postings (struct terms *terms)
{
    GString *line = g_string_new (NULL);
    size_t count;
    const struct store_posting *postings = terms_postings (terms, &count);

    for (size_t i = 0; i < count; i++) {
        g_string_append_printf (line, "%s%.*s", i ? " " : "", (int) postings[i].length,
                                postings[i].term);
        for (uint32_t j = 0; j < postings[i].position_count; j++)
            g_string_append_printf (line, "%c%u", j ? ',' : ':', postings[i].positions[j]);
    }
    return line;
}

static const struct {
    const char *name, *mail, *postings;
} rows[] = {
    {"every header, and the body",
     "From: Ann <ann@a.example>\n"
     "To: Bob <bob@b.example>, carl@c.example\n"
     "Cc: dora@d.example\n"
     "Bcc: emil@e.example\n"
     "Reply-To: Fay <fay@f.example>\n"
     "List-Id: A list <list.g.example>\n"
     "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= again\n"
     "X-Other: unseen\n"
     "\n"
     "Hello there\n",
     "Be:2 Bemil:1 Bexample:3 "
     "Cd:2 Cdora:1 Cexample:3 "
     "Fa:3 Fann:1,2 Fexample:4 "
     "La:1 Lexample:5 Lg:4 Llist:2,3 "
     "Mplain:2 Mtext:1 "
     "Rexample:4 Rf:3 Rfay:1,2 "
     "Sagain:2 Sgrusse:1 Sgr\u00fcsse:1 "
     "Tb:3 Tbob:1,2 Tc:105 Tcarl:104 Texample:4,106 "
     "hello:1 there:2"},
    {"all values of repeated headers",
     "From: a@x\nFrom: b@y\nTo: c@z\nTo: d@w\nSubject: one\nSubject: two\n\nbody\n",
     "Fa:1 Fb:102 Fx:2 Fy:103 Mplain:2 Mtext:1 Sone:1 Stwo:101 Tc:1 Td:102 Tw:103 Tz:2 "
     "body:1"},
    {"the name of a group, and its members",
     "From: a@x\nTo: Crew: bob@y, carl@z;, undisclosed-recipients:;\nSubject: s\n\n",
     "Fa:1 Fx:2 Mplain:2 Mtext:1 Ss:1 Tbob:101 Tcarl:202 Tcrew:1 Trecipients:304 "
     "Tundisclosed:303 Ty:102 Tz:203"},
    {"parts: types, names of attachments only, text of all",
     "From: a@x\nSubject: s\nMIME-Version: 1.0\n"
     "Content-Type: multipart/mixed; boundary=bb\n"
     "\n"
     "--bb\n"
     "Content-Type: text/plain\n"
     "\n"
     "cover\n"
     "--bb\n"
     "Content-Type: text/x-diff; name=inline.diff\n"
     "Content-Disposition: inline; filename=inline.diff\n"
     "\n"
     "patch\n"
     "--bb\n"
     "Content-Type: text/plain\n"
     "Content-Disposition: attachment; filename=\"my notes.txt\"\n"
     "\n"
     "attached\n"
     "--bb\n"
     "Content-Type: application/pdf\n"
     "Content-Disposition: attachment; filename*=utf-8''B%C3%BCro.pdf\n"
     "\n"
     "%PDF words\n"
     "--bb--\n",
     "Aburo:103 Ab\u00fcro:103 Amy:1 Anotes:2 Apdf:104 Atxt:3 "
     "Fa:1 Fx:2 "
     "Mapplication:406 Mdiff:205 Mmixed:2 Mmultipart:1 Mpdf:407 Mplain:103,306 "
     "Mtext:102,203,305 Mx:204 "
     "Ss:1 attached:201 cover:1 patch:101"},
    {"bytes that are a text by name, and those that are not",
     "From: a@x\nSubject: s\nMIME-Version: 1.0\n"
     "Content-Type: multipart/mixed; boundary=bb\n"
     "\n"
     "--bb\n"
     "Content-Type: application/octet-stream; name=LOOKS.TXT\n"
     "Content-Transfer-Encoding: base64\n"
     "Content-Disposition: attachment\n"
     "\n"
     "b2N0ZXR3b3Jk\n"
     "--bb\n"
     "Content-Type: application/octet-stream; name=zero.txt\n"
     "Content-Transfer-Encoding: base64\n"
     "\n"
     "YQBiIGhpZGRlbg==\n"
     "--bb\n"
     "Content-Type: application/octet-stream; name=a.bin\n"
     "\n"
     "binary\n"
     "--bb--\n",
     "Alooks:1 Atxt:2 Fa:1 Fx:2 "
     "Mapplication:102,204,306 Mmixed:2 Mmultipart:1 Moctet:103,205,307 Mstream:104,206,308 "
     "Ss:1 octetword:1"},
    {"the name of a signature is no attachment's; its type counts",
     "From: a@x\nSubject: s\nMIME-Version: 1.0\n"
     "Content-Type: multipart/signed; boundary=bb\n"
     "\n"
     "--bb\n"
     "Content-Type: text/plain\n"
     "Content-Disposition: attachment; filename=name.txt\n"
     "\n"
     "said\n"
     "--bb\n"
     "Content-Type: application/pgp-signature; name=signature.asc\n"
     "Content-Disposition: attachment; filename=signature.asc\n"
     "\n"
     "sig\n"
     "--bb--\n",
     "Aname:1 Atxt:2 Fa:1 Fx:2 "
     "Mapplication:203 Mmultipart:1 Mpgp:204 Mplain:103 Msignature:205 Msigned:2 Mtext:102 "
     "Ss:1 said:1"},
    {"of a calendar, what people wrote",
     "From: a@x\nSubject: s\nMIME-Version: 1.0\nContent-Type: text/calendar; charset=utf-8\n\n"
     "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\n"
     "SUMMARY;LANGUAGE=en:annual mee\r\n ting\\, again\r\n"
     "ATTENDEE;ROLE=CHAIR;CN=\"Doe: Jane\";RSVP=TRUE:mailto:jane@example.org\r\n"
     "ORGANIZER:MAILTO:bob@example.org\r\n"
     "DESCRIPTION:one\\ntwo\r\nRRULE:FREQ=WEEKLY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
     "Fa:1 Fx:2 Mcalendar:2 Mtext:1 Ss:1 again:3 annual:1 bob:9 doe:4 example:7,10 jane:5,6 "
     "meeting:2 one:12 org:8,11 two:13"},
    {"a calendar that is none is a text",
     "From: a@x\nSubject: s\nMIME-Version: 1.0\nContent-Type: text/calendar\n\nsummary: x\n",
     "Fa:1 Fx:2 Mcalendar:2 Mtext:1 Ss:1 summary:1 x:2"},
    {"a forwarded message behind a transfer encoding, and what is none",
     "From: a@x\nContent-Type: multipart/mixed; boundary=bb\n"
     "\n"
     "--bb\n"
     "Content-Type: message/rfc822\n"
     "Content-Transfer-Encoding: base64\n"
     "\n"
     "RnJvbTogWm9lIDx6b2VAei5leGFtcGxlPgpTdWJqZWN0OiBpbm5lcgpDb250ZW50LVRyYW5zZmVyLUVuY29kaW5nOiBiY"
     "XNlNjQKCmFXNXphV1JsQ2c9PQ==\n"
     "--bb\n"
     "Content-Type: message/rfc822\n"
     "Content-Transfer-Encoding: quoted-printable\n"
     "\n"
     "no header=20here\n"
     "--bb--\n",
     "Fa:1 Fx:2 Mmessage:102,304 Mmixed:2 Mmultipart:1 Mplain:204 Mrfc822:103,305 Mtext:203 "
     "example:4 header:305 here:306 inner:104 inside:204 no:304 z:3 zoe:1,2"},
    {"a forwarded message: headers as words of the body",
     "From: a@x\nTo: b@y\nSubject: outer\nMIME-Version: 1.0\n"
     "Content-Type: multipart/mixed; boundary=bb\n"
     "\n"
     "--bb\n"
     "Content-Type: message/rfc822\n"
     "Content-Disposition: attachment; filename=fwd.eml\n"
     "\n"
     "From: Zoe <zoe@z.example>\n"
     "To: yan@y.example\n"
     "Subject: inner words\n"
     "\n"
     "inside\n"
     "--bb--\n",
     "Aeml:2 Afwd:1 Fa:1 Fx:2 "
     "Mmessage:102 Mmixed:2 Mmultipart:1 Mplain:204 Mrfc822:103 Mtext:203 "
     "Souter:1 Tb:1 Ty:2 "
     "example:4,106 inner:206 inside:307 words:207 y:105 yan:104 z:3 zoe:1,2"},
    {"HTML is read as text",
     "From: a@x\nSubject: s\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n"
     "<html><head><style>p { color: red }</style></head>"
     "<body><p>caf&eacute; <b>wor</b>d</p></body></html>\n",
     "Fa:1 Fx:2 Mhtml:2 Mtext:1 Ss:1 cafe:1 caf\u00e9:1 word:2"},
};

static void
test_fields (void **state)
{
    struct terms *terms = terms_create (NULL, NULL);
    unsigned failed = 0;

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        terms_clear (terms);
        add_mail (terms, rows[i].mail);
        GString *got = print_postings (terms);
        if (strcmp (got->str, rows[i].postings) != 0) {
            print_error ("%s:\nwanted %s\ngot    %s\n", rows[i].name, rows[i].postings, got->str);
            failed++;
        }
        g_string_free (got, TRUE);
    }
    talloc_free (terms);
    assert_int_equal (failed, 0);
}

/* Two files of one message make one document, whose digest tells them from either. */
static void
test_two_files (void **state)
{
    static const char one[] = "From: a@x\nSubject: s\n\nbody\n";
    static const char other[] = "From: a@x\nSubject: s\n\nbody footer\n";
    struct terms *terms = terms_create (NULL, NULL);
    unsigned char digests[4][16];

    (void) state;
    add_mail (terms, one);
    terms_digest (terms, digests[0]);
    add_mail (terms, other);
    terms_digest (terms, digests[1]);
    GString *got = print_postings (terms);
    assert_string_equal (got->str, "Fa:1,102 Fx:2,103 Mplain:2,103 Mtext:1,102 Ss:1,101 "
                                   "body:1,101 footer:102");
    g_string_free (got, TRUE);
    terms_clear (terms);
    add_mail (terms, other);
    terms_digest (terms, digests[2]);
    terms_clear (terms);
    add_mail (terms, one);
    terms_digest (terms, digests[3]);
    assert_memory_equal (digests[0], digests[3], 16);
    assert_memory_not_equal (digests[0], digests[1], 16);
    assert_memory_not_equal (digests[0], digests[2], 16);
    talloc_free (terms);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_fields),
        cmocka_unit_test (test_two_files),
    };

    mime_init ();
    return cmocka_run_group_tests (tests, NULL, NULL);
}
