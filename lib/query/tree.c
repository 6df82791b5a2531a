/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.c - makes nodes, keeps them flat, and prints them.
 *
 * Trees have up to a hundred thousand leaves (a script's list of ids), so joining takes time in
 * proportion to the children and nothing is copied twice.
 */
#include "query/tree.h"
#include "term.h"
#include <inttypes.h>
#include <glib.h>
#include <string.h>
#include <talloc.h>

struct node *
node_create (void *ctx, enum node_kind kind)
{
    struct node *node = talloc_zero (ctx, struct node);

    node->kind = kind;
    return node;
}

/* The child that decides an AND or OR alone, and the one that changes nothing. */
static bool
decides (enum node_kind join, enum node_kind child)
{
    return (join == NODE_AND && child == NODE_NOTHING) || (join == NODE_OR && child == NODE_ALL);
}

static bool
is_neutral (enum node_kind join, enum node_kind child)
{
    return child == (join == NODE_AND ? NODE_ALL : NODE_NOTHING);
}

static size_t
flat_count (enum node_kind kind, struct node **children, size_t count)
{
    size_t total = 0;

    for (size_t i = 0; i < count; i++)
        total += children[i]->kind == kind ? children[i]->child_count : 1;
    return total;
}

static void
add_flat (struct node *node, struct node *child)
{
    if (child->kind != node->kind) {
        node->children[node->child_count++] = talloc_steal (node->children, child);
        return;
    }
    for (size_t i = 0; i < child->child_count; i++)
        node->children[node->child_count++] = talloc_steal (node->children, child->children[i]);
    talloc_free (child);
}

/* From so many children on, words that are there already are left out. */
#define MANY_CHILDREN 16

/* Leaves out words that are there already: "the" a thousand times costs as much as once. */
static void
drop_repeats (struct node *node)
{
    GHashTable *seen;
    size_t left = 0;

    if (node->kind == NODE_XOR || node->child_count < MANY_CHILDREN)
        return;
    seen = g_hash_table_new (g_str_hash, g_str_equal);
    for (size_t i = 0; i < node->child_count; i++) {
        struct node *child = node->children[i];
        if (child->kind == NODE_WORDS &&
            !g_hash_table_add (seen, tree_print_line (node->children, child)))
            continue;
        node->children[left++] = child;
    }
    node->child_count = left;
    g_hash_table_destroy (seen);
}

struct node *
node_join (void *ctx, enum node_kind kind, struct node **children, size_t count)
{
    struct node *node = node_create (ctx, kind);
    struct node *only;

    node->children = talloc_array (node, struct node *, flat_count (kind, children, count));
    for (size_t i = 0; i < count; i++) {
        if (decides (kind, children[i]->kind)) {
            talloc_free (node);
            return talloc_steal (ctx, children[i]);
        }
        if (!is_neutral (kind, children[i]->kind))
            add_flat (node, children[i]);
    }
    drop_repeats (node);
    if (node->child_count > 1)
        return node;
    if (node->child_count == 1) {
        only = talloc_steal (ctx, node->children[0]);
        talloc_free (node);
        return only;
    }
    node->kind = kind == NODE_AND ? NODE_ALL : NODE_NOTHING;
    return node;
}

struct node *
node_not (void *ctx, struct node *child)
{
    struct node *node;

    if (child->kind == NODE_NOT) {
        node = talloc_steal (ctx, child->children[0]);
        talloc_free (child);
        return node;
    }
    if (child->kind == NODE_ALL || child->kind == NODE_NOTHING) {
        child->kind = child->kind == NODE_ALL ? NODE_NOTHING : NODE_ALL;
        return talloc_steal (ctx, child);
    }
    node = node_create (ctx, NODE_NOT);
    node->children = talloc_array (node, struct node *, 1);
    node->children[node->child_count++] = talloc_steal (node->children, child);
    return node;
}

struct node *
node_threads (void *ctx, struct node *child)
{
    struct node *node;

    if (child->kind == NODE_ALL || child->kind == NODE_NOTHING)
        return talloc_steal (ctx, child);
    node = node_create (ctx, NODE_THREADS);
    node->children = talloc_array (node, struct node *, 1);
    node->children[node->child_count++] = talloc_steal (node->children, child);
    return node;
}

struct node *
node_matching (void *ctx, const struct prefix *prefix, struct node *child)
{
    struct node *node = node_create (ctx, NODE_MATCHING);

    node->prefix = prefix;
    node->children = talloc_array (node, struct node *, 1);
    node->children[node->child_count++] = talloc_steal (node->children, child);
    return node;
}

/* ---- printing ------------------------------------------------------------------------------ */

struct printer {
    GString *text;
    bool lines;
};

static void
print_string (struct printer *printer, const char *bytes, size_t length)
{
    g_string_append_c (printer->text, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char) bytes[i];
        if (byte == '"' || byte == '\\')
            g_string_append_c (printer->text, '\\');
        if (byte < ' ' || byte == 0x7f)
            g_string_append_printf (printer->text, "\\x%02x", byte);
        else
            g_string_append_c (printer->text, (char) byte);
    }
    g_string_append_c (printer->text, '"');
}

static void
print_words (struct printer *printer, const struct node *node)
{
    static const char *const names[] = {"",         "exact",  "starts-with", "ends-with",
                                        "contains", "phrase", "near",        "adj"};

    if (node->op != WORDS_STEM)
        g_string_append_printf (printer->text, "(%s ", names[node->op]);
    if (node->op == WORDS_NEAR || node->op == WORDS_ADJ)
        g_string_append_printf (printer->text, "%u ", node->window);
    for (size_t i = 0; i < node->word_count; i++) {
        if (i > 0)
            g_string_append_c (printer->text, ' ');
        g_string_append_len (printer->text, node->words[i].text, (gssize) node->words[i].length);
    }
    if (node->op != WORDS_STEM)
        g_string_append_c (printer->text, ')');
}

/* One end of a range as a person reads it. */
static void
print_bound (struct printer *printer, const struct node *node, uint64_t code, bool back)
{
    bool date = node->prefix->kind == KIND_DATE;
    GDateTime *time = NULL;
    char *text = NULL;

    if (date)
        time = g_date_time_new_from_unix_local (value_to_date (code));
    if (time != NULL)
        text = g_date_time_format (time, "%Y-%m-%dT%H:%M:%S");
    if (code == date || code == UINT64_MAX)
        g_string_append (printer->text, " *");
    else if (text != NULL)
        g_string_append_printf (printer->text, " %s", text);
    else if (date)
        g_string_append_printf (printer->text, " @%" PRId64, value_to_date (code));
    else
        g_string_append_printf (printer->text, " %s%" PRIu64, back ? "-" : "", code);
    g_free (text);
    g_clear_pointer (&time, g_date_time_unref);
}

static void
print_leaf (struct printer *printer, const struct node *node)
{
    if (node->prefix != NULL)
        g_string_append_printf (printer->text, "(%s ", node->prefix->name);
    if (node->kind == NODE_WORDS)
        print_words (printer, node);
    else if (node->kind == NODE_ANY)
        g_string_append_c (printer->text, '*');
    else if (node->kind == NODE_TERM)
        print_string (printer, node->value, node->value_length);
    else if (node->kind == NODE_REGEX) {
        g_string_append (printer->text, "(regex ");
        print_string (printer, node->value, node->value_length);
        g_string_append_c (printer->text, ')');
    } else if (node->kind == NODE_STARTS) {
        g_string_append (printer->text, "(starts-with ");
        print_string (printer, node->value, node->value_length);
        g_string_append_c (printer->text, ')');
    } else {
        g_string_truncate (printer->text, printer->text->len - 1);
        print_bound (printer, node, node->low, node->low_back);
        print_bound (printer, node, node->high, node->high_back);
    }
    if (node->prefix != NULL)
        g_string_append_c (printer->text, ')');
}

static void
print_node (struct printer *printer, const struct node *node, int depth)
{
    static const char *const names[] = {"()", "(or)", "(and", "(or", "(xor", "(not", "(thread", ""};

    if (node->kind > NODE_MATCHING) {
        print_leaf (printer, node);
        return;
    }
    g_string_append (printer->text, names[node->kind]);
    if (node->kind == NODE_MATCHING)
        g_string_append_printf (printer->text, "(%s (matching", node->prefix->name);
    if (node->child_count == 0)
        return;
    for (size_t i = 0; i < node->child_count; i++) {
        if (printer->lines)
            g_string_append_printf (printer->text, "\n%*s", 2 * (depth + 1), "");
        else
            g_string_append_c (printer->text, ' ');
        print_node (printer, node->children[i], depth + 1);
    }
    g_string_append (printer->text, node->kind == NODE_MATCHING ? "))" : ")");
}

static char *
print (void *ctx, const struct node *node, bool lines)
{
    struct printer printer = {.text = g_string_new (NULL), .lines = lines};
    char *text;

    print_node (&printer, node, 0);
    text = talloc_strndup (ctx, printer.text->str, printer.text->len);
    g_string_free (printer.text, TRUE);
    return text;
}

char *
tree_print (void *ctx, const struct node *node)
{
    return print (ctx, node, true);
}

char *
tree_print_line (void *ctx, const struct node *node)
{
    return print (ctx, node, false);
}
