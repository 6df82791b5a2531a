/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * late.c - GMime, GObject, libxml2, uchardet and sfsexp, loaded when one of their functions is
 * first called.
 *
 * They bring some twenty more libraries with them, and to load these takes longer than most
 * questions to an index, which never open a mail file. So the library is not linked with them, and
 * each function that it calls stands here under its own name and passes the call on; the headers
 * see to it that the types agree. A function that is missing here does not link: add its line.
 *
 * Where configure could not find out the files' names the library is linked as usual, and this file
 * is empty.
 */
#ifdef LATE_GMIME
#include "mime/mime-private.h"

#include <dlfcn.h>
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
/* Its headers have declarations without prototypes. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <sexp.h>
#pragma GCC diagnostic pop
#include <uchardet.h>

enum late_library { GMIME, GOBJECT, LIBXML, UCHARDET, SFSEXP };

/* Each is opened once and stays. One that is not there ends the process, as at its start. */
static void *
library (enum late_library which)
{
    static const char *const names[] = {LATE_GMIME, LATE_GOBJECT, LATE_LIBXML, LATE_UCHARDET,
                                        LATE_SFSEXP};
    static void *opened[G_N_ELEMENTS (names)];

    if (g_once_init_enter (&opened[which])) {
        void *handle = dlopen (names[which], RTLD_LAZY | RTLD_LOCAL);
        if (handle == NULL)
            g_error ("%s", dlerror ());
        g_once_init_leave (&opened[which], handle);
    }
    return opened[which];
}

static void
find (enum late_library which, const char *name, void **function_out)
{
    void *function = dlsym (library (which), name);

    if (function == NULL)
        g_error ("%s", dlerror ());
    g_atomic_pointer_set (function_out, function);
}

#define LATE(library, type, name, parameters, arguments) \
    type name parameters \
    { \
        static __typeof__ (&name) function; \
        if (g_atomic_pointer_get (&function) == NULL) \
            find (library, #name, (void **) (void *) &function); \
        return function arguments; \
    }

void reset_sexp_errno (void); /* declared without a prototype */

/* clang-format off */
LATE (GOBJECT, void, g_object_unref, (gpointer a), (a))
LATE (GOBJECT, gboolean, g_type_check_instance_is_a, (GTypeInstance *a, GType b), (a, b))
LATE (GOBJECT, GTypeInstance *, g_type_check_instance_cast, (GTypeInstance *a, GType b), (a, b))

LATE (GMIME, void, g_mime_init, (void), ())
LATE (GMIME, GMimeParserOptions *, g_mime_parser_options_new, (void), ())
LATE (GMIME, void, g_mime_parser_options_set_fallback_charsets, (GMimeParserOptions *a, const char **b), (a, b))
LATE (GMIME, GDateTime *, g_mime_utils_header_decode_date, (const char *a), (a))

LATE (GMIME, GMimeContentType *, g_mime_content_type_parse, (GMimeParserOptions *a, const char *b), (a, b))
LATE (GMIME, const char *, g_mime_content_type_get_media_type, (GMimeContentType *a), (a))
LATE (GMIME, const char *, g_mime_content_type_get_media_subtype, (GMimeContentType *a), (a))
LATE (GMIME, char *, g_mime_content_type_get_mime_type, (GMimeContentType *a), (a))
LATE (GMIME, const char *, g_mime_content_type_get_parameter, (GMimeContentType *a, const char *b), (a, b))
LATE (GMIME, gboolean, g_mime_content_type_is_type, (GMimeContentType *a, const char *b, const char *c), (a, b, c))
LATE (GMIME, GMimeContentDisposition *, g_mime_content_disposition_parse, (GMimeParserOptions *a, const char *b), (a, b))
LATE (GMIME, const char *, g_mime_content_disposition_get_disposition, (GMimeContentDisposition *a), (a))
LATE (GMIME, const char *, g_mime_content_disposition_get_parameter, (GMimeContentDisposition *a, const char *b), (a, b))

LATE (GMIME, GMimeContentEncoding, g_mime_content_encoding_from_string, (const char *a), (a))
LATE (GMIME, void, g_mime_encoding_init_decode, (GMimeEncoding *a, GMimeContentEncoding b), (a, b))
LATE (GMIME, size_t, g_mime_encoding_outlen, (GMimeEncoding *a, size_t b), (a, b))
LATE (GMIME, size_t, g_mime_encoding_step, (GMimeEncoding *a, const char *b, size_t c, char *d), (a, b, c, d))

LATE (GMIME, GMimeStream *, g_mime_stream_fs_new_with_bounds, (int a, gint64 b, gint64 c), (a, b, c))
LATE (GMIME, GMimeStream *, g_mime_stream_filter_new, (GMimeStream *a), (a))
LATE (GMIME, int, g_mime_stream_filter_add, (GMimeStreamFilter *a, GMimeFilter *b), (a, b))
LATE (GMIME, GType, g_mime_stream_filter_get_type, (void), ())
LATE (GMIME, ssize_t, g_mime_stream_read, (GMimeStream *a, char *b, size_t c), (a, b, c))
LATE (GMIME, GMimeStream *, g_mime_stream_fs_new, (int a), (a))
LATE (GMIME, GType, g_mime_stream_fs_get_type, (void), ())
LATE (GMIME, void, g_mime_stream_fs_set_owner, (GMimeStreamFs *a, gboolean b), (a, b))
LATE (GMIME, GMimeStream *, g_mime_stream_mem_new_with_buffer, (const char *a, size_t b), (a, b))
LATE (GMIME, ssize_t, g_mime_stream_write, (GMimeStream *a, const char *b, size_t c), (a, b, c))
LATE (GMIME, int, g_mime_stream_flush, (GMimeStream *a), (a))
LATE (GMIME, int, g_mime_stream_reset, (GMimeStream *a), (a))
LATE (GMIME, GMimeFilter *, g_mime_filter_dos2unix_new, (gboolean a), (a))
LATE (GMIME, GMimeFilter *, g_mime_filter_unix2dos_new, (gboolean a), (a))
LATE (GMIME, GMimeFilter *, g_mime_filter_gzip_new, (GMimeFilterGZipMode a, int b), (a, b))

LATE (GMIME, GMimeMessage *, g_mime_message_new, (gboolean a), (a))
LATE (GMIME, InternetAddressList *, g_mime_message_get_addresses, (GMimeMessage *a, GMimeAddressType b), (a, b))
LATE (GMIME, void, g_mime_message_set_subject, (GMimeMessage *a, const char *b, const char *c), (a, b, c))
LATE (GMIME, GType, g_mime_object_get_type, (void), ())
LATE (GMIME, char *, g_mime_object_get_headers, (GMimeObject *a, GMimeFormatOptions *b), (a, b))
LATE (GMIME, void, g_mime_object_set_header, (GMimeObject *a, const char *b, const char *c, const char *d), (a, b, c, d))

LATE (GMIME, InternetAddressList *, internet_address_list_parse, (GMimeParserOptions *a, const char *b), (a, b))
LATE (GMIME, InternetAddressList *, internet_address_list_new, (void), ())
LATE (GMIME, void, internet_address_list_append, (InternetAddressList *a, InternetAddressList *b), (a, b))
LATE (GMIME, int, internet_address_list_length, (InternetAddressList *a), (a))
LATE (GMIME, InternetAddress *, internet_address_list_get_address, (InternetAddressList *a, int b), (a, b))
LATE (GMIME, int, internet_address_list_add, (InternetAddressList *a, InternetAddress *b), (a, b))
LATE (GMIME, const char *, internet_address_get_name, (InternetAddress *a), (a))
LATE (GMIME, GType, internet_address_group_get_type, (void), ())
LATE (GMIME, InternetAddressList *, internet_address_group_get_members, (InternetAddressGroup *a), (a))
LATE (GMIME, GType, internet_address_mailbox_get_type, (void), ())
LATE (GMIME, InternetAddress *, internet_address_mailbox_new, (const char *a, const char *b), (a, b))
LATE (GMIME, const char *, internet_address_mailbox_get_addr, (InternetAddressMailbox *a), (a))

LATE (GMIME, GMimeCryptoContext *, g_mime_crypto_context_new, (const char *a), (a))
LATE (GMIME, GMimeSignatureList *, g_mime_crypto_context_verify,
      (GMimeCryptoContext *a, GMimeVerifyFlags b, GMimeStream *c, GMimeStream *d, GMimeStream *e, GError **f), (a, b, c, d, e, f))
LATE (GMIME, GMimeDecryptResult *, g_mime_crypto_context_decrypt,
      (GMimeCryptoContext *a, GMimeDecryptFlags b, const char *c, GMimeStream *d, GMimeStream *e, GError **f), (a, b, c, d, e, f))
LATE (GMIME, const char *, g_mime_decrypt_result_get_session_key, (GMimeDecryptResult *a), (a))
LATE (GMIME, GMimeSignatureList *, g_mime_decrypt_result_get_signatures, (GMimeDecryptResult *a), (a))
LATE (GMIME, int, g_mime_signature_list_length, (GMimeSignatureList *a), (a))
LATE (GMIME, GMimeSignature *, g_mime_signature_list_get_signature, (GMimeSignatureList *a, int b), (a, b))
LATE (GMIME, GMimeSignatureStatus, g_mime_signature_get_status, (GMimeSignature *a), (a))
LATE (GMIME, gint64, g_mime_signature_get_created64, (GMimeSignature *a), (a))
LATE (GMIME, gint64, g_mime_signature_get_expires64, (GMimeSignature *a), (a))
LATE (GMIME, GMimeCertificate *, g_mime_signature_get_certificate, (GMimeSignature *a), (a))
LATE (GMIME, const char *, g_mime_certificate_get_email, (GMimeCertificate *a), (a))
LATE (GMIME, const char *, g_mime_certificate_get_fingerprint, (GMimeCertificate *a), (a))
LATE (GMIME, GMimeValidity, g_mime_certificate_get_id_validity, (GMimeCertificate *a), (a))
LATE (GMIME, const char *, g_mime_certificate_get_key_id, (GMimeCertificate *a), (a))
LATE (GMIME, const char *, g_mime_certificate_get_user_id, (GMimeCertificate *a), (a))

LATE (LIBXML, void, xmlInitParser, (void), ())
LATE (LIBXML, htmlParserCtxtPtr, htmlNewParserCtxt, (void), ())
LATE (LIBXML, htmlDocPtr, htmlCtxtReadIO,
      (htmlParserCtxtPtr a, xmlInputReadCallback b, xmlInputCloseCallback c, void *d, const char *e, const char *f, int g),
      (a, b, c, d, e, f, g))
LATE (LIBXML, void, xmlStopParser, (xmlParserCtxtPtr a), (a))
LATE (LIBXML, void, htmlFreeParserCtxt, (htmlParserCtxtPtr a), (a))
LATE (LIBXML, void, xmlFreeDoc, (xmlDocPtr a), (a))

LATE (UCHARDET, uchardet_t, uchardet_new, (void), ())
LATE (UCHARDET, int, uchardet_handle_data, (uchardet_t a, const char *b, size_t c), (a, b, c))
LATE (UCHARDET, void, uchardet_data_end, (uchardet_t a), (a))
LATE (UCHARDET, const char *, uchardet_get_charset, (uchardet_t a), (a))
LATE (UCHARDET, void, uchardet_delete, (uchardet_t a), (a))

LATE (SFSEXP, sexp_t *, parse_sexp, (char *a, size_t b), (a, b))
LATE (SFSEXP, void, destroy_sexp, (sexp_t *a), (a))
LATE (SFSEXP, sexp_errcode_t, set_parser_buffer_params, (size_t a, size_t b), (a, b))
LATE (SFSEXP, void, reset_sexp_errno, (void), ())
/* clang-format on */
#endif
