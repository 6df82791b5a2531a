/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * people.c - mailboxes that have been seen, and how often.
 *
 * Work expected: some millions of mailboxes looked up, some ten thousand that differ.
 */
#include "people.h"

#include <glib.h>
#include <talloc.h>

struct people {
    GHashTable *by_mailbox; /* key → index + 1 */
    GString *key;           /* scratch */
    struct person *list;
    size_t count, room;
};

static int
people_destructor (struct people *people)
{
    g_hash_table_unref (people->by_mailbox);
    g_string_free (people->key, TRUE);
    return 0;
}

struct people *
people_create (void *ctx)
{
    struct people *people = talloc_zero (ctx, struct people);

    people->by_mailbox = g_hash_table_new (g_str_hash, g_str_equal);
    people->key = g_string_new (NULL);
    talloc_set_destructor (people, people_destructor);
    return people;
}

static struct person *
new_person (struct people *people, const struct mail_address *address)
{
    struct person *person;

    if (people->count == people->room) {
        people->room = 2 * people->room + 64;
        people->list = talloc_realloc (people, people->list, struct person, people->room);
    }
    person = &people->list[people->count++];
    *person = (struct person){
        .address = {talloc_strdup (people, address->name),
                    talloc_strdup (people, address->address)},
    };
    g_hash_table_insert (people->by_mailbox, talloc_strdup (people, people->key->str),
                         GSIZE_TO_POINTER (people->count));
    return person;
}

bool
people_add (struct people *people, const struct mail_address *address)
{
    size_t known;

    g_string_assign (people->key, address->address);
    g_string_append_c (people->key, '\n'); /* is in neither */
    g_string_append (people->key, address->name);
    known = GPOINTER_TO_SIZE (g_hash_table_lookup (people->by_mailbox, people->key->str));
    if (known == 0)
        new_person (people, address)->count = 1;
    else
        people->list[known - 1].count++;
    return known == 0;
}

const struct person *
people_list (const struct people *people, size_t *count_out)
{
    *count_out = people->count;
    return people->list;
}

struct person *
people_by_address (void *ctx, const struct people *people, size_t *count_out)
{
    GHashTable *known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    struct person *list = talloc_array (ctx, struct person, people->count + 1);
    size_t *sums = talloc_zero_array (NULL, size_t, people->count + 1), count = 0;

    for (size_t i = 0; i < people->count; i++) {
        const struct person *person = &people->list[i];
        char *key = g_utf8_casefold (person->address.address, -1);
        size_t at = GPOINTER_TO_SIZE (g_hash_table_lookup (known, key));

        if (at == 0) {
            at = ++count;
            list[at - 1] = *person;
            g_hash_table_insert (known, key, GSIZE_TO_POINTER (at));
        } else {
            g_free (key);
            if (person->count > list[at - 1].count)
                list[at - 1] = *person;
        }
        sums[at - 1] += person->count;
    }
    for (size_t i = 0; i < count; i++)
        list[i].count = sums[i];
    g_hash_table_unref (known);
    talloc_free (sums);
    *count_out = count;
    return list;
}
