/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * segment.cc - building and merging single-file databases of words.
 *
 * Xapian inverts documents in memory, and that memory must stay within the processor's cache: small
 * databases of about a hundred messages, compacted into one at the end, take half the time of one
 * database filled at once. They have no term lists (nothing is ever deleted in them) and are not
 * synced; only the result is. Synonyms go into the last of them.
 */
#include "files.h"
#include "guard.hh"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/mman.h>
#include <talloc.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace
{

const unsigned DOCUMENTS_PER_PART = 100;
const size_t BYTES_PER_PART = 4 << 20;   /* of terms and positions, roughly */
const uintmax_t IN_MEMORY_MAX = 8 << 20; /* of the databases that become a segment */
const int PART_FLAGS = Xapian::DB_CREATE | Xapian::DB_BACKEND_GLASS | Xapian::DB_NO_TERMLIST |
                       Xapian::DB_DANGEROUS | Xapian::DB_NO_SYNC;
/* The last block of each table is partly empty: of three in a part, of three in a segment. */
const int PART_BLOCK_BYTES = 2048, SEGMENT_BLOCK_BYTES = 4096;
/* Where the words without positions are put: Xapian takes a missing list of positions for one that
 * fits, so they get one that no phrase and no NEAR reaches, far behind and apart. */
const Xapian::termpos FAR = 1u << 31, FAR_APART = 1u << 16, FAR_COUNT = 1u << 15;
const int COMPACT_FLAGS = Xapian::DBCOMPACT_SINGLE_FILE | Xapian::DBCOMPACT_NO_RENUMBER;

} // namespace

struct store_builder {
    std::string *scratch;
    std::vector<std::string> *parts;
    Xapian::WritableDatabase *part;                             /* being filled, or NULL */
    std::vector<std::pair<std::string, std::string>> *synonyms; /* stem, word; written at the end */
    unsigned documents;                                         /* in part */
    size_t bytes;
    char *error;
};

namespace
{

void
open_part (struct store_builder *builder)
{
    if (builder->part)
        return;
    std::string path = *builder->scratch + "/part" + std::to_string (builder->parts->size ());
    builder->part = new Xapian::WritableDatabase (path, PART_FLAGS, PART_BLOCK_BYTES);
    builder->parts->push_back (path);
}

void
close_part (struct store_builder *builder)
{
    if (!builder->part)
        return;
    std::unique_ptr<Xapian::WritableDatabase> part (builder->part);
    builder->part = NULL;
    builder->documents = 0;
    builder->bytes = 0;
    part->close ();
}

/* In order: Xapian writes a block of the table for every stem that does not follow the one before.
 */
void
write_synonyms (struct store_builder *builder)
{
    if (builder->synonyms->empty ())
        return;
    open_part (builder);
    std::sort (builder->synonyms->begin (), builder->synonyms->end ());
    for (const auto &pair : *builder->synonyms)
        builder->part->add_synonym (pair.first, pair.second);
    builder->synonyms->clear ();
}

size_t
fill_document (Xapian::Document &document, const struct store_posting *postings, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const struct store_posting &posting = postings[i];
        std::string term (posting.term, posting.length);
        if (posting.position_count == 0)
            document.add_posting (term, FAR + i % FAR_COUNT * FAR_APART);
        for (uint32_t p = 0; p < posting.position_count; p++)
            document.add_posting (term, posting.positions[p]);
        bytes += posting.length + 4 * posting.position_count;
    }
    return bytes;
}

struct descriptor {
    int fd;
    explicit descriptor (int opened) : fd (opened)
    {
    }
    descriptor (const descriptor &) = delete;
    descriptor &operator= (const descriptor &) = delete;
    ~descriptor ()
    {
        if (fd >= 0)
            close (fd);
    }
};

/* Of a file, or of all files in a folder. */
uintmax_t
bytes_of (const std::string &path)
{
    uintmax_t bytes = 0;
    if (!std::filesystem::is_directory (path))
        return std::filesystem::file_size (path);
    for (const auto &entry : std::filesystem::directory_iterator (path))
        bytes += entry.file_size ();
    return bytes;
}

/* A segment is complete when its name is: writes to path, synced, or leaves nothing. Xapian syncs
 * each of the tables; a small segment is made in memory, and then written and synced once. */
void
compact_to (const std::vector<std::string> &paths, const std::string &path)
{
    Xapian::Database source;
    uintmax_t bytes = 0;
    for (const std::string &each : paths) {
        source.add_database (Xapian::Database (each));
        bytes += bytes_of (each);
    }
    descriptor memory (bytes <= IN_MEMORY_MAX ? memfd_create ("segment", MFD_CLOEXEC) : -1);
    int taken = memory.fd < 0 ? -1 : fcntl (memory.fd, F_DUPFD_CLOEXEC, 0); /* Xapian closes it */
    if (taken < 0) {
        source.compact (path, COMPACT_FLAGS, SEGMENT_BLOCK_BYTES);
        return;
    }
    source.compact (taken, COMPACT_FLAGS, SEGMENT_BLOCK_BYTES);
    int error = files_copy_synced (memory.fd, path.c_str ());
    if (error)
        throw Xapian::DatabaseError ("cannot write '" + path + "'", error);
}

} // namespace

extern "C" {

static int
builder_destroy (struct store_builder *builder)
{
    try {
        delete builder->part;
    } catch (...) {
        /* scratch is thrown away anyway */
    }
    delete builder->scratch;
    delete builder->synonyms;
    delete builder->parts;
    return 0;
}

enum mail_status
store_builder_create (void *ctx, const char *scratch, struct store_builder **builder_out,
                      char **error_out)
{
    struct store_builder *builder = talloc_zero (ctx, struct store_builder);
    builder->scratch = new std::string (scratch);
    builder->synonyms = new std::vector<std::pair<std::string, std::string>>;
    builder->parts = new std::vector<std::string>;
    talloc_set_destructor (builder, builder_destroy);
    *builder_out = builder;
    if (error_out)
        *error_out = NULL;
    return MAIL_OK;
}

const char *
store_builder_error (const struct store_builder *builder)
{
    return builder->error ? builder->error : "";
}

enum mail_status
store_builder_add (struct store_builder *builder, uint32_t id, const struct store_posting *postings,
                   size_t count, const struct store_value *values, size_t value_count)
{
    return guard (builder, &builder->error, [&] {
        open_part (builder);
        Xapian::Document document;
        builder->bytes += fill_document (document, postings, count);
        for (size_t i = 0; i < value_count; i++)
            document.add_value (values[i].slot, std::string (values[i].bytes, values[i].length));
        builder->part->replace_document (id, document);
        builder->documents++;
        return MAIL_OK;
    });
}

enum mail_status
store_builder_flush (struct store_builder *builder)
{
    return guard (builder, &builder->error, [&] {
        if (builder->documents >= DOCUMENTS_PER_PART || builder->bytes >= BYTES_PER_PART)
            close_part (builder);
        return MAIL_OK;
    });
}

enum mail_status
store_builder_synonym (struct store_builder *builder, struct store_term stem,
                       struct store_term word)
{
    return guard (builder, &builder->error, [&] {
        builder->synonyms->emplace_back (term_string (stem), term_string (word));
        return MAIL_OK;
    });
}

enum mail_status
store_builder_finish (struct store_builder *builder, const char *path)
{
    return guard (builder, &builder->error, [&] {
        write_synonyms (builder);
        close_part (builder);
        compact_to (*builder->parts, path);
        return MAIL_OK;
    });
}

enum mail_status
store_merge (void *ctx, const char *const *sources, size_t count, const char *path,
             char **error_out)
{
    if (error_out)
        *error_out = NULL;
    return guard (ctx, error_out, [&] {
        compact_to (std::vector<std::string> (sources, sources + count), path);
        return MAIL_OK;
    });
}
}
