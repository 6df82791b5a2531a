/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-crew.c - a worker that is gone and cannot be started again: whoever waits for it is told. */
#include "helper-index.h"
#include "index/crew.h"
#include "index/spawner.h"
#include "index/wire.h"

#include <errno.h>

static bool worker_is_gone, none_can_start;

bool __real_wire_reader_fill (struct wire_reader *reader);
bool __wrap_wire_reader_fill (struct wire_reader *reader);
bool
__wrap_wire_reader_fill (struct wire_reader *reader)
{
    return worker_is_gone ? false : __real_wire_reader_fill (reader);
}

int __real_spawner_start_worker (struct mail_workers *workers, const char *scratch,
                                 const char *text, struct decrypt_policy policy);
int __wrap_spawner_start_worker (struct mail_workers *workers, const char *scratch,
                                 const char *text, struct decrypt_policy policy);
int
__wrap_spawner_start_worker (struct mail_workers *workers, const char *scratch, const char *text,
                             struct decrypt_policy policy)
{
    errno = ECHILD;
    return none_can_start ? -1 : __real_spawner_start_worker (workers, scratch, text, policy);
}

static struct crew_event
wait_for_event (struct fixture *f, struct crew *crew)
{
    struct crew_event event = {0};
    for (unsigned i = 0; event.kind == CREW_NOTHING && i < 200; i++)
        crew_wait (f->ctx, crew, 50, &event);
    return event;
}

static void
test_none_can_start (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f);
    struct mail_workers *workers;
    struct crew *crew;
    char *error = NULL, *folder, *text = fixture_path (f, ".mailindex/text");
    const char *sources[] = {fixture_path (f, "absent"), fixture_path (f, "absent too")};
    assert_int_equal (mail_workers_start (f->ctx, 1, 0, &workers), MAIL_OK);
    assert_int_equal (scratch_subfolder (f->ctx, scratch, "0", &folder), MAIL_OK);
    assert_int_equal (crew_create (f->ctx, workers, scratch->path, text, f->index->fields,
                                   (struct decrypt_policy){0}, &crew, &error),
                      MAIL_OK);
    worker_is_gone = none_can_start = true;
    crew_merge (crew, 0, fixture_path (f, "merged"), sources, 2);
    struct crew_event event = wait_for_event (f, crew);
    assert_int_equal (event.kind, CREW_FAILED);
    assert_int_equal (event.status, MAIL_ERROR_RESOURCES);
    assert_non_null (strstr (event.text, "the process that starts them was killed"));
    crew_begin (crew, 0, folder);
    crew_end (crew, 0, fixture_path (f, "segment"), 1, 1);
    event = wait_for_event (f, crew); /* asked for something again: told again */
    assert_int_equal (event.kind, CREW_FAILED);
    assert_int_equal (event.status, MAIL_ERROR_RESOURCES);
    worker_is_gone = none_can_start = false;
    crew_end (crew, 0, fixture_path (f, "segment"), 1, 1);
    event = wait_for_event (f, crew); /* there is one again, but what it was asked for is lost */
    assert_int_equal (event.kind, CREW_DIED);
    crew_begin (crew, 0, folder);
    crew_end (crew, 0, fixture_path (f, "segment"), 1, 1);
    event = wait_for_event (f, crew);
    assert_int_equal (event.kind, CREW_SEGMENT);
    assert_false (event.made);
    talloc_free (crew);
    talloc_free (workers);
    talloc_free (scratch);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (test_none_can_start, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
