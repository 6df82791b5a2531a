/* SPDX-License-Identifier: GPL-3.0-or-later */
/* people.h - mailboxes that have been seen, and how often. */
#ifndef PEOPLE_H
#define PEOPLE_H

#include <mailindex.h>

struct person {
    struct mail_address address;
    size_t count;
};

struct people;
struct people *people_create (void *ctx);
/* Counts a mailbox; true where one with this very name and address is new. */
bool people_add (struct people *people, const struct mail_address *address);
/* In the order in which they were first seen. */
const struct person *people_list (const struct people *people, size_t *count_out);
/* One for each address, whatever its case: as it was seen most often (of equals, first), with the
 * sum of the counts. In the order in which the addresses were first seen; talloc'd on ctx. */
struct person *people_by_address (void *ctx, const struct people *people, size_t *count_out);

#endif
