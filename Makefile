# SPDX-License-Identifier: GPL-3.0-or-later
#
# The one Makefile. All that is made lies below $(BUILD); the choices of configure lie in config.mk.
#
#   make                    library, program
#   make check              all tests that take minutes          make check-long    the rest too
#   make check SANITIZE=1   the same under AddressSanitizer and UBSan, in a build folder of its own
#   make install            [DESTDIR=...]                        make uninstall
#   make lint               shellcheck, mandoc -Tlint, clang-format
#   make fuzz SANITIZE=1    odd input for the parsers (FUZZ_RUNS=...)
#   make fuzz FUZZER=1 CC=clang CXX=clang++     the same with libFuzzer, FUZZ_SECONDS each
#   make perf               side by side with notmuch (perf-test/compare; PERF_OPTIONS=...)
#   make clean, distclean
#
# Variables: BUILD=folder, WERROR=1, V=1 (show commands), TESTS="files" (with check), JOBS=2 (test files
# at a time).

.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

include config.mk

ifeq ($(FUZZER),1)
BUILD ?= build-fuzzer
sanitize := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -DFUZZ_WITHOUT_MAIN
else ifeq ($(SANITIZE),1)
BUILD ?= build-sanitize
sanitize := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
BUILD ?= build
sanitize :=
endif
ifneq ($(sanitize),)
# LeakSanitizer takes the thread-local storage of a library that was loaded late (GPGME's, which GMime
# brings with it) for something else, and dies: all are linked.
LATE_FLAGS :=
LIB_LIBS += $(LATE_LIBS)
endif
JOBS ?= 2

# ---- flags -------------------------------------------------------------------------------------

warnings := -Wall -Wextra -Wshadow -Wpointer-arith -Wvla
ifeq ($(WERROR),1)
warnings += -Werror
endif
common := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Ilib -I. -fPIC -pthread -MMD -MP $(sanitize) $(warnings)
c_flags = -std=gnu11 $(common) -Wstrict-prototypes -Wmissing-prototypes $(CPPFLAGS) $(CFLAGS)
cxx_flags = -std=gnu++17 $(common) $(CPPFLAGS) $(CXXFLAGS)
link_flags = -pthread $(sanitize) $(LDFLAGS)
ifeq ($(filter 1,$(SANITIZE) $(FUZZER)),)
no_undefined := -Wl,-z,defs
endif
cli_defines := -DMAIL_VERSION='"$(VERSION)"' -DMAIL_PROGRAM_NAME='"$(PROGRAM_NAME)"'

# ---- what is made of what ----------------------------------------------------------------------

lib_c := $(sort $(wildcard lib/*.c lib/mime/*.c lib/index/*.c lib/query/*.c lib/store/*.c))
lib_cc := $(sort $(wildcard lib/store/*.cc))
cli_c := $(sort $(wildcard cli/*.c cli/scan/*.c))
unit_c := $(sort $(wildcard test/unit/*.c))
api_c := $(sort $(wildcard test/api/*.c))
fuzz_c := $(sort $(wildcard test/fuzz/*.c))

# In the folders of tests each file is a program but helper*.c, which is linked to all of them.
unit_helpers := $(filter test/unit/helper%,$(unit_c))
api_helpers := $(filter test/api/helper%,$(api_c))

object = $(patsubst %,$(BUILD)/%.o,$(basename $(1)))
lib_o := $(call object,$(lib_c) $(lib_cc))
cli_o := $(call object,$(cli_c))
unit_o := $(call object,$(unit_c))
api_o := $(call object,$(api_c))
fuzz_o := $(call object,$(fuzz_c))

unit_tests := $(patsubst %.c,$(BUILD)/%,$(filter-out $(unit_helpers),$(unit_c)))
fuzz_helpers := $(filter test/fuzz/helper%,$(fuzz_c))
fuzz_programs := $(patsubst %.c,$(BUILD)/%,$(filter-out $(fuzz_helpers),$(fuzz_c)))
api_tests := $(patsubst %.c,$(BUILD)/%,$(filter-out $(api_helpers),$(api_c)))
ifeq ($(HAVE_CMOCKA),1)
c_tests := $(unit_tests) $(api_tests)
endif

soname := libmailindex.so.0
static := $(BUILD)/libmailindex.a
shared := $(BUILD)/$(soname)
program := $(BUILD)/mail
to_install := $(BUILD)/installed/mail $(BUILD)/installed/mailindex.pc

.PHONY: all check check-long tests install install-notmuch uninstall clean distclean lint lint-scripts lint-manuals lint-code format fuzz perf
all: $(program) $(to_install)

# Each recipe makes its folder and says in a word what it does; V=1 shows the commands.
made = @mkdir -p $(@D)$(if $(V),,; echo '  $(1) $(patsubst $(BUILD)/%,%,$@)')
Q := $(if $(V),,@)

config.mk: configure
	./configure $(CONFIGURE_OPTIONS)

$(lib_o) $(cli_o) $(unit_o) $(api_o) $(fuzz_o): config.mk

$(BUILD)/lib/%.o: lib/%.c
	$(call made,CC  )
	$(Q)$(CC) $(c_flags) $(LIB_CFLAGS) -c -o $@ $<

$(BUILD)/lib/late.o: LIB_CFLAGS += $(LATE_FLAGS)

$(BUILD)/lib/%.o: lib/%.cc
	$(call made,CXX )
	$(Q)$(CXX) $(cxx_flags) $(LIB_CFLAGS) -c -o $@ $<

$(BUILD)/cli/%.o: cli/%.c
	$(call made,CC  )
	$(Q)$(CC) $(c_flags) $(cli_defines) $(CLI_CFLAGS) -c -o $@ $<

$(BUILD)/test/unit/%.o: test/unit/%.c
	$(call made,CC  )
	$(Q)$(CC) $(c_flags) $(LIB_CFLAGS) $(CMOCKA_CFLAGS) -c -o $@ $<

$(BUILD)/test/fuzz/%.o: test/fuzz/%.c
	$(call made,CC  )
	$(Q)$(CC) $(c_flags) $(LIB_CFLAGS) -c -o $@ $<

# The tests of the interface see the public header and nothing else of lib/.
$(BUILD)/test/api/%.o: test/api/%.c $(BUILD)/include/mailindex.h
	$(call made,CC  )
	$(Q)$(CC) $(filter-out -Ilib -I.,$(c_flags)) -I$(BUILD)/include $(CLI_CFLAGS) $(CMOCKA_CFLAGS) -c -o $@ $<

$(BUILD)/include/mailindex.h: lib/mailindex.h
	$(call made,COPY)
	$(Q)cp $< $@

# ---- the library -------------------------------------------------------------------------------

# Archives are made anew: an object whose source has gone must not stay in them.
$(static): $(lib_o)
	$(call made,AR  )
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(lib_o)

# All but main.c, for the unit tests.
$(BUILD)/libcli.a: $(filter-out %/main.o,$(cli_o))
	$(call made,AR  )
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# What the library exports is what the header declares.
$(BUILD)/libmailindex.map: lib/mailindex.h
	$(call made,MAP )
	$(Q){ echo 'MAILINDEX_0 {'; echo 'global:'; \
	  sed -n -e '/^ *\/*\*/d' -e 's/.*\<\(mail_[a-z0-9_]*\) (.*/    \1;/p' $< | sort -u; \
	  echo 'local:'; echo '    *;'; echo '};'; } >$@

$(shared): $(lib_o) $(BUILD)/libmailindex.map
	$(call made,LINK)
	$(Q)$(CXX) -shared -Wl,-soname,$(soname) -Wl,--version-script,$(BUILD)/libmailindex.map $(no_undefined) \
	    $(link_flags) -o $@ $(lib_o) $(LIB_LIBS)
	$(Q)ln -sf $(soname) $(BUILD)/libmailindex.so

# ---- the program -------------------------------------------------------------------------------

# Linked twice: the program in the build folder finds the library beside it, the one to install
# finds it where it will be (nothing is recorded where the dynamic linker looks anyway).
beside := -Wl,-rpath,'$$ORIGIN'
at_home := -Wl,-rpath,'$$ORIGIN/$(RPATH)'
link_program = $(CC) $(link_flags) $(1) -o $@ $(cli_o) -L$(BUILD) -lmailindex $(CLI_LIBS)

$(program): $(cli_o) $(shared)
	$(call made,LINK)
	$(Q)$(call link_program,$(beside))

$(BUILD)/installed/mail: $(cli_o) $(shared)
	$(call made,LINK)
	$(Q)$(call link_program,$(if $(RPATH),$(at_home)))

$(BUILD)/installed/mailindex.pc: mailindex.pc.in config.mk
	$(call made,SED )
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@EXEC_PREFIX@|$(EXEC_PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	    -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' $< >$@

# ---- tests -------------------------------------------------------------------------------------

# Where a unit test defines __wrap_NAME, the library calls that in place of NAME, which is
# __real_NAME then (ld's --wrap).
wraps = $$(sed -n 's|^__wrap_\([a-z0-9_]*\) (.*|-Wl,--wrap=\1|p' $(patsubst $(BUILD)/%,%.c,$@))

.SECONDEXPANSION:
$(unit_tests): $$@.o $(call object,$(unit_helpers)) $(BUILD)/libcli.a $(static)
	$(call made,LINK)
	$(Q)$(CXX) $(link_flags) $(wraps) -o $@ $^ $(CMOCKA_LIBS) $(LIB_LIBS) $(LATE_LIBS)

$(api_tests): $$@.o $(call object,$(api_helpers)) $(shared)
	$(call made,LINK)
	$(Q)$(CC) $(link_flags) -Wl,-rpath,'$$ORIGIN/../..' -o $@ $(filter %.o,$^) \
	    -L$(BUILD) -lmailindex $(CMOCKA_LIBS) $(CLI_LIBS)

# The slow ones first, so that none is left to run alone at the end.
scripts := $(foreach d,crash compat cli build,$(sort $(wildcard test/$(d)/*.t)))
TESTS ?= $(scripts) $(c_tests)
asked := $(strip $(TESTS))
suite = BUILD=$(abspath $(BUILD)) SANITIZE=$(SANITIZE) HAVE_CMOCKA=$(HAVE_CMOCKA) JOBS=$(JOBS) test/suite

# With TESTS only those asked for are built.
tests: all $(filter $(c_tests),$(asked)) $(if $(filter test/build/fuzz.t,$(asked)),$(fuzz_programs))

check: tests
	@$(suite) $(asked)

check-long: tests
	@MAIL_TEST_LONG=1 $(suite) $(asked) $(sort $(wildcard test/long/*.t))

# Each program of test/fuzz makes so many inputs itself; with file names it runs over these. libFuzzer
# keeps what it finds below the build folder.
FUZZ_RUNS ?= 100000
FUZZ_SECONDS ?= 600
$(fuzz_programs): $$@.o $(call object,$(fuzz_helpers)) $(BUILD)/libcli.a $(static)
	$(call made,LINK)
	$(Q)$(CXX) $(link_flags) $(if $(filter 1,$(FUZZER)),-fsanitize=fuzzer) -o $@ $^ $(LIB_LIBS)

fuzz: $(fuzz_programs)
ifeq ($(FUZZER),1)
	$(foreach f,$(fuzz_programs),mkdir -p $(f).found && $(f) -max_total_time=$(FUZZ_SECONDS) $(f).found &&) :
else
	$(foreach f,$(fuzz_programs),$(f) $(FUZZ_RUNS) && $(f) $(f:$(BUILD)/%=%).corpus &&) :
endif

perf: all
	perf-test/compare --mail $(abspath $(program)) $(PERF_OPTIONS)

# ---- installing --------------------------------------------------------------------------------

INSTALL ?= install
library_file := $(soname).1.0
manuals := $(sort $(wildcard doc/man1/*.1 doc/man5/*.5 doc/man7/*.7))
# doc/man1/mail-new.1 → man1/NAME-new.1
manual_to = $(patsubst mail%,$(PROGRAM_NAME)%,$(notdir $(1)))
manual_file = $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(1)))/$(manual_to)

install: all
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)
	$(INSTALL) -m 755 $(BUILD)/installed/mail $(DESTDIR)$(BINDIR)/$(PROGRAM_NAME)
	$(INSTALL) -m 644 $(shared) $(DESTDIR)$(LIBDIR)/$(library_file)
	ln -sf $(library_file) $(DESTDIR)$(LIBDIR)/$(soname)
	ln -sf $(soname) $(DESTDIR)$(LIBDIR)/libmailindex.so
	$(INSTALL) -m 644 lib/mailindex.h $(DESTDIR)$(INCLUDEDIR)/mailindex.h
	$(INSTALL) -m 644 $(BUILD)/installed/mailindex.pc $(DESTDIR)$(LIBDIR)/pkgconfig/mailindex.pc
	$(foreach m,$(manuals),$(INSTALL) -d $(dir $(call manual_file,$(m))) && \
	    sed 's/^\(\.[NX][mr]\) mail\b/\1 $(PROGRAM_NAME)/' $(m) >$(call manual_file,$(m)) && \
	    chmod 644 $(call manual_file,$(m)) && ) :

# The name notmuch, for programs that start that: a link, and never over another program.
as_notmuch = $(DESTDIR)$(BINDIR)/notmuch
is_ours = [ "$$(readlink $(as_notmuch))" = $(PROGRAM_NAME) ]

install-notmuch:
	$(INSTALL) -d $(DESTDIR)$(BINDIR)
	$(Q)if [ -e $(as_notmuch) ] && ! $(is_ours) && [ $(PROGRAM_NAME) != notmuch ]; then \
	    echo "$(as_notmuch) is another program: it is left as it is" >&2; exit 1; fi
	[ $(PROGRAM_NAME) = notmuch ] || ln -sf $(PROGRAM_NAME) $(as_notmuch)

uninstall:
	$(Q)! $(is_ours) || rm -f $(as_notmuch)
	rm -f $(DESTDIR)$(BINDIR)/$(PROGRAM_NAME) $(DESTDIR)$(INCLUDEDIR)/mailindex.h
	rm -f $(foreach f,$(library_file) $(soname) libmailindex.so pkgconfig/mailindex.pc,$(DESTDIR)$(LIBDIR)/$(f))
	rm -f $(foreach m,$(manuals),$(call manual_file,$(m)))

# ---- upkeep ------------------------------------------------------------------------------------

c_files := $(sort $(lib_c) $(lib_cc) $(cli_c) $(unit_c) $(api_c) \
    $(wildcard lib/*.h lib/*/*.h lib/*/*.hh cli/*.h cli/*/*.h test/*/*.[ch]))
# Scripts are known by their first line.
shell_files = $(shell grep -lE '^\#!/bin/(ba)?sh|^\#!/usr/bin/env bash' configure check demo .ci/run \
    test/run test/suite test/*.sh test/*/*.t test/*/*.sh perf-test/* 2>/dev/null)

lint: lint-scripts lint-manuals lint-code
lint-scripts:
	@shellcheck -x -P test $(shell_files)
lint-manuals:
	@$(if $(manuals),mandoc -Tlint -W warning $(manuals))
lint-code:
	@clang-format --dry-run --Werror $(c_files)

format:
	clang-format -i $(c_files)

clean:
	rm -rf $(BUILD)

distclean: clean
	rm -rf build build-sanitize config.mk

-include $(patsubst %.o,%.d,$(lib_o) $(cli_o) $(unit_o) $(api_o) $(fuzz_o))
