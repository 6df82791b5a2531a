/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-folders.c - the table of folders in memory: held against a plain list, and many of them. */
#include "folders.h"
#include "clock.h"
#include "helper-index.h"
#include "record.h"
#include "schema.h"

#include <stdio.h>
#include <stdlib.h>

static struct mail_folders *
empty (struct fixture *f)
{
    struct mail_folders *folders;
    assert_int_equal (folders_read (f->ctx, f->index->state, &folders), MAIL_OK);
    return folders;
}

static void
set (struct mail_folders *folders, uint32_t id, uint32_t parent, const char *name)
{
    folders_set (folders, &(struct mail_folder){.id = id, .parent = parent, .name = name});
}

static char *
children (struct fixture *f, const struct mail_folders *folders, uint32_t parent)
{
    size_t count;
    const struct mail_folder *const *list = mail_folders_children (folders, parent, &count);
    char *text = talloc_strdup (f->ctx, "");
    for (size_t i = 0; i < count; i++)
        text = talloc_asprintf_append (text, "%s%s", i ? " " : "", list[i]->name);
    return text;
}

static void
test_small (void **state)
{
    struct fixture *f = *state;
    size_t count;
    struct mail_folders *folders = empty (f);
    mail_folders_list (folders, &count);
    assert_int_equal (count, 0);
    assert_null (folders_find (folders, ""));
    assert_null (mail_folders_by_id (folders, 1));
    assert_string_equal (children (f, folders, 0), "");
    assert_string_equal (mail_folders_path (f->ctx, folders, 1), "");
    set (folders, 1, 0, "");
    set (folders, 7, 1, "b");
    set (folders, 5, 1, "a");
    set (folders, 9, 7, "\xff");
    set (folders, 8, 7, "cur");
    assert_int_equal (folders_find (folders, "")->id, 1);
    assert_int_equal (folders_find (folders, "b/cur")->id, 8);
    assert_null (folders_find (folders, "a/cur"));
    assert_null (folders_find (folders, "b/cur/deeper"));
    assert_int_equal (mail_folders_child (folders, 7, "\xff")->id, 9);
    assert_null (mail_folders_child (folders, 5, "\xff"));
    assert_string_equal (children (f, folders, 1), "a b");
    assert_string_equal (children (f, folders, 7), "cur \xff");
    assert_string_equal (children (f, folders, 8), "");
    assert_string_equal (mail_folders_path (f->ctx, folders, 8), "b/cur");
    assert_string_equal (mail_folders_path (f->ctx, folders, 1), "");
}

static void
test_rename_and_remove (void **state)
{
    struct fixture *f = *state;
    struct mail_folders *folders = empty (f);
    set (folders, 1, 0, "");
    set (folders, 2, 1, "a");
    set (folders, 3, 2, "cur");
    set (folders, 2, 1, "b"); /* renamed */
    assert_null (folders_find (folders, "a"));
    assert_int_equal (folders_find (folders, "b/cur")->id, 3);
    set (folders, 3, 1, "cur"); /* moved */
    assert_string_equal (children (f, folders, 1), "b cur");
    assert_string_equal (children (f, folders, 2), "");
    folders_remove (folders, 2);
    folders_remove (folders, 2);
    folders_remove (folders, 4711);
    assert_null (mail_folders_by_id (folders, 2));
    assert_int_equal (folders_find (folders, "cur")->id, 3);
    assert_int_equal (mail_folders_by_id (folders, 3)->parent, 1);
    folders_remove (folders, 3); /* the last of the list */
    folders_remove (folders, 1);
    assert_null (folders_find (folders, ""));
    set (folders, 1, 0, "");
    assert_int_equal (folders_find (folders, "")->id, 1);
}

/* A damaged table ends in a wrong path, not in a circle. */
static void
test_circle (void **state)
{
    struct fixture *f = *state;
    struct mail_folders *folders = empty (f);
    set (folders, 1, 0, "");
    set (folders, 2, 3, "a");
    set (folders, 3, 2, "b");
    set (folders, 4, 99, "orphan");
    assert_non_null (strstr (mail_folders_path (f->ctx, folders, 2), "b/a"));
    assert_string_equal (mail_folders_path (f->ctx, folders, 4), "orphan");
    GArray *ids = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    folders_tree (folders, 2, ids);
    assert_in_range (ids->len, 2, 10);
    g_array_unref (ids);
}

static void
test_tree (void **state)
{
    struct fixture *f = *state;
    struct mail_folders *folders = empty (f);
    GArray *ids = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    static const uint32_t parents[] = {0, 0, 1, 1, 2, 2, 4, 6, 3};
    char *order = talloc_strdup (f->ctx, "");
    for (uint32_t id = 1; id < G_N_ELEMENTS (parents); id++)
        set (folders, id, parents[id], talloc_asprintf (f->ctx, "%u", id));
    folders_tree (folders, 2, ids);
    for (guint i = 0; i < ids->len; i++)
        order = talloc_asprintf_append (order, "%u ", g_array_index (ids, uint32_t, i));
    assert_string_equal (order, "2 4 5 6 7 ");
    folders_tree (folders, 8, ids); /* behind what is there */
    assert_int_equal (ids->len, 6);
    g_array_set_size (ids, 0);
    folders_tree (folders, 1, ids);
    assert_int_equal (ids->len, 8);
    g_array_unref (ids);
}

/* ---- against a plain list ---- */

enum { PLAIN = 40 };

static void
compare (struct fixture *f, const struct mail_folders *folders, const struct mail_folder *plain)
{
    size_t count, wanted = 0;
    const struct mail_folder *list = mail_folders_list (folders, &count);
    for (uint32_t id = 1; id < PLAIN; id++) {
        const struct mail_folder *found = mail_folders_by_id (folders, id);
        assert_int_equal (found != NULL, plain[id].name != NULL);
        if (!found)
            continue;
        wanted++;
        assert_int_equal (found->id, id);
        assert_int_equal (found->parent, plain[id].parent);
        assert_string_equal (found->name, plain[id].name);
        assert_ptr_equal (mail_folders_child (folders, plain[id].parent, plain[id].name), found);
    }
    assert_int_equal (count, wanted);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal (mail_folders_by_id (folders, list[i].id), &list[i]);
    size_t in_all = 0;
    for (uint32_t parent = 0; parent < PLAIN; parent++) {
        const struct mail_folder *const *below = mail_folders_children (folders, parent, &count);
        in_all += count;
        for (size_t i = 0; i < count; i++) {
            assert_int_equal (below[i]->parent, parent);
            assert_true (i == 0 || strcmp (below[i - 1]->name, below[i]->name) < 0);
        }
    }
    assert_int_equal (in_all, wanted);
    (void) f;
}

static bool
is_taken (const struct mail_folder *plain, uint32_t parent, const char *name)
{
    for (uint32_t id = 1; id < PLAIN; id++) {
        if (plain[id].name && plain[id].parent == parent && strcmp (plain[id].name, name) == 0)
            return true;
    }
    return false;
}

static void
test_random (void **state)
{
    struct fixture *f = *state;
    struct mail_folder plain[PLAIN] = {{0}};
    struct mail_folders *folders = empty (f);
    srand (1);
    for (unsigned step = 0; step < 2000; step++) {
        uint32_t id = 1 + (uint32_t) rand () % (PLAIN - 1);
        uint32_t parent = (uint32_t) rand () % 6;
        char *name = talloc_asprintf (f->ctx, "n%d", rand () % 12);
        if (rand () % 3 == 0) {
            folders_remove (folders, id);
            plain[id].name = NULL;
        } else if (!is_taken (plain, parent, name)) {
            plain[id] = (struct mail_folder){.id = id, .parent = parent, .name = name};
            folders_set (folders, &plain[id]);
        }
        if (step % 20 == 0)
            compare (f, folders, plain);
    }
}

/* ---- work ---- */

/* Made one by one between look-ups, and removed so: not the square of their number. */
static void
test_many (void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 30000 };
    struct mail_folders *folders = empty (f);
    uint64_t start = clock_ms ();
    set (folders, 1, 0, "");
    for (uint32_t i = 2; i < COUNT; i++) {
        char name[16];
        snprintf (name, sizeof name, "%u", i * 7919u % COUNT);
        assert_null (mail_folders_child (folders, 1 + i % 3, name));
        set (folders, i, 1 + i % 3, name);
        assert_int_equal (mail_folders_child (folders, 1 + i % 3, name)->id, i);
    }
    for (uint32_t i = 2; i < COUNT; i += 2)
        folders_remove (folders, i);
    assert_in_range (clock_ms () - start, 0, 5000); /* 30 ms; sorted each time: minutes */
}

/* The same through the transaction that makes and drops them. */
static void
test_many_published (void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 3000 };
    size_t count;
    uint32_t id;
    uint64_t start = clock_ms ();
    struct publish *publish = fixture_begin (f);
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal (
            publish_folder (publish, talloc_asprintf (f->ctx, "all/%u/cur", i * 7919 % COUNT), &id),
            MAIL_OK);
    fixture_commit (f, publish);
    mail_folders_list (empty (f), &count);
    assert_int_equal (count, 2 + 2 * COUNT);
    fixture_check (f);
    id = fixture_folder (f, "all");
    publish = fixture_begin (f);
    assert_int_equal (publish_drop_folder (publish, id), MAIL_OK);
    fixture_commit (f, publish);
    mail_folders_list (empty (f), &count);
    assert_int_equal (count, 1);
    assert_in_range (clock_ms () - start, 0, 20000);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        T (test_small), T (test_rename_and_remove), T (test_circle), T (test_tree), T (test_random),
        T (test_many),  T (test_many_published),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
