/* SPDX-License-Identifier: GPL-3.0-or-later */
/* properties.h - the properties of a message under change. */
#ifndef PROPERTIES_H
#define PROPERTIES_H

#include "edit.h"

/* Whether there may be such a property: the key is not empty and has no "=", and both fit into a
 * term. *reason_out (static, may be NULL): why not. */
bool property_is_allowed (const struct mail_property *property, const char **reason_out);

/* Each says whether it changed anything. The property must be an allowed one. */
bool edit_add_property (struct edit *edit, const struct mail_property *property);
/* All whose key begins with prefix; "" for all. */
bool edit_remove_properties (struct edit *edit, const char *prefix);

#endif
