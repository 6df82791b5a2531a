/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schema.h - every term prefix, value slot and metadata key of the two stores, in one place.
 * doc/schema.md says the same in prose, with examples.
 */
#ifndef SCHEMA_H
#define SCHEMA_H

#define SCHEMA_VERSION 3

/* ---- state: terms ---- */
#define TERM_TYPE_MAIL "Tm"
#define TERM_TYPE_GHOST "Tg"     /* known from references only */
#define TERM_TYPE_ALIAS "Ta"     /* text document of the message in SLOT_ALIAS */
#define TERM_TYPE_STALE "Ts"     /* text document of nothing */
#define TERM_TYPE_TOMBSTONE "Tx" /* a message whose last file has gone */
#define TERM_TYPE_FOLDER "Td"
#define TERM_TYPE_BAD "Tb"    /* a file or folder that cannot be indexed */
#define PREFIX_MESSAGE_ID "Q" /* case kept; term_message_id() */
#define PREFIX_THREAD "G"     /* 16 hex digits */
#define PREFIX_TAG "K"
#define PREFIX_FOLDER "F"   /* decimal id of a folder that holds a file of the message */
#define PREFIX_FILE "N"     /* folder id ":" base name */
#define PREFIX_GONE "X"     /* of a tombstone: its Message-ID */
#define PREFIX_PROPERTY "B" /* key "=" value */
#define PROPERTY_LIMIT \
    "index.limit" /* why not all of a file's words are there: mail_reason_word() */
#define PROPERTY_SESSION_KEY "session-key"     /* "ALGORITHM:HEX", of something encrypted in it */
#define PROPERTY_DECRYPTION "index.decryption" /* "success", "failure" */
#define PROPERTY_REPAIRED "index.repaired"     /* "mixedup", ... : mime_unlock() */

/* ---- state: value slots, 8 bytes big-endian each but SLOT_FOLDER ---- */
enum schema_slot {
    SLOT_DATE = 0, /* seconds, signed, with the sign bit flipped so that order is kept */
    SLOT_THREAD = 1,
    SLOT_REVISION = 2,
    SLOT_SIZE = 3,   /* bytes of the first file */
    SLOT_ALIAS = 5,  /* document id of the message */
    SLOT_FOLDER = 6, /* the whole folder record: folder_record_encode() */
    SLOT_GONE = 7    /* of a tombstone: when the message went, in seconds */
};

/* ---- state: metadata ---- */
#define META_SCHEMA "schema"           /* decimal */
#define META_FEATURES "features"       /* a name a line; none yet */
#define META_UUID "uuid"               /* ours; Xapian's changes on compaction */
#define META_NEXT_DOCID "next-docid"   /* decimal; also for ghosts, folders */
#define META_NEXT_THREAD "next-thread" /* decimal */
#define META_REVISION "revision"       /* decimal */
#define META_MANIFEST "manifest"       /* manifest_encode() */
#define META_JOURNAL "journal"         /* decimal: bytes of the journal that belong to this state */
#define META_JOURNAL_LOST \
    "journal-lost"                 /* mark when some of it was missing; until the next snapshot */
#define META_SNAPSHOT "snapshot"   /* name of the newest in backups/; empty: none yet */
#define META_RESTORING "restoring" /* mark until mail_repair_tags() has been done */
#define META_FIRST_IMPORT \
    "first-import" /* mark from the making of an index until the first import is done */
#define META_SETTINGS "settings" /* configuration kept in the index: settings.c */

/* ---- text: terms ----
 * A word is folded text and never begins with an ASCII capital, so one capital in front of it names
 * the field. Words of the body have no prefix. */
#define TEXT_FIELD_LIST(X) \
    X (FIELD_BODY, "", "body") \
    X (FIELD_FROM, "F", "from") \
    X (FIELD_TO, "T", "to") \
    X (FIELD_CC, "C", "cc") \
    X (FIELD_BCC, "B", "bcc") \
    X (FIELD_REPLY_TO, "R", "replyto") \
    X (FIELD_LIST_ID, "L", "list") \
    X (FIELD_SUBJECT, "S", "subject") \
    X (FIELD_ATTACHMENT, "A", "attachment") \
    X (FIELD_MIME_TYPE, "M", "mimetype")

#define TEXT_FIELD_ENUM(name, prefix, query) name,
enum text_field { TEXT_FIELD_LIST (TEXT_FIELD_ENUM) FIELD_COUNT };
#undef TEXT_FIELD_ENUM
#define PREFIX_USER "X" /* of a header field that the user added: then its name and a colon */

/* ---- text: value slots: a header of each file that the document was made of, decoded as regular
 * expressions see it, each ended by a NUL; of From also the raw value, behind TEXT_VALUE_RAW, where
 * it is another. TEXT_VALUE_NONE where that is longer than TEXT_VALUE_MAX, or where there are files
 * that the document was not made of ---- */
#define TEXT_VALUE_RAW '\n'
#define TEXT_VALUE_NONE "!"
enum text_slot { TEXT_SLOT_FROM, TEXT_SLOT_SUBJECT, TEXT_SLOT_COUNT };

/* ---- limits ---- */
#define TERM_MAX 240         /* bytes, a NUL counting twice; longer terms are hashed: term.h */
#define MESSAGE_ID_MAX 189   /* longer ids are replaced by their hash */
#define WORD_MAX 64          /* bytes of a folded word; longer ones are left out */
#define WORDS_MAX 150000     /* different words indexed of one message, the first ones */
#define TEXT_VALUE_MAX 1000  /* bytes */
#define REFERENCES_MAX 1000  /* the first and the last 999 are kept */
#define HEADER_MAX (1 << 20) /* bytes of a header field's value */
#define TEXT_MAX (32 << 20)  /* bytes of text indexed of one message */
#define PARTS_MAX 10000
#define DEPTH_MAX 1024

#endif
