# SPDX-License-Identifier: GPL-2.0-or-later
# make · make demo · make check · make bench · make fuzz · make lint · make install · make deb
#	O=DIR		build there			SAN=address,undefined	sanitizers
#	CC=clang	another compiler		WERROR=1		warnings are errors
#	HARDEN=		without hardening		STRIP=			install with symbols

O	?= build
# A build below this directory has one name however it was called, or the flags would differ.
override O := $(subst $(CURDIR)/,,$(O))
prefix	?= /usr/local
bindir	?= $(prefix)/bin
libexecdir ?= $(prefix)/libexec
datadir	?= $(prefix)/share
mandir	?= $(datadir)/man
INSTALL	?= install
STRIP	?= strip
OPT	?= -O2 -g
WERROR	?= $(if $(CI),1,)
VERSION	:= $(shell cat VERSION)

# Bytes of strangers are read here: what keeps a mistake from becoming more. Sanitizers see more than
# FORTIFY, which needs an optimizer.
HARDEN	?= 1
# Which ways this compiler and linker have tools/feature.sh finds out: HARDEN_CFLAGS, HARDEN_LDFLAGS of config.mk.
HARDEN_HOW := $(if $(and $(HARDEN),$(if $(SAN),,1)),$(if $(filter -O1 -O2 -O3 -Os,$(OPT)),fortify,plain),none)

# Tests that call make again build with what this one builds with.
export CC OPT WERROR SAN NO_LIBS CFLAGS CPPFLAGS LDFLAGS HARDEN

CPPFLAGS_ALL := -D_GNU_SOURCE -DPERF_VERSION='"$(VERSION)"' \
		-DPERF_LIBEXECDIR='"$(libexecdir)/perf"' \
		-I$(O) -Itools/include -Itools/lib $(CPPFLAGS)
CFLAGS_ALL = -std=gnu17 $(OPT) -fno-strict-aliasing -fno-omit-frame-pointer \
		-Wall -Wextra $(if $(WERROR),-Werror,) \
		$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all,) $(HARDEN_CFLAGS) $(CFLAGS)
SAN_OBJ := $(if $(findstring address,$(SAN)),$(O)/tests/sanitizer.o)
LDFLAGS_ALL = $(if $(SAN),-fsanitize=$(SAN),) -pthread $(SAN_OBJ) $(HARDEN_LDFLAGS) $(LDFLAGS)

# Before config.mk adds what follows from them.
FLAGS_NOW := $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(NO_LIBS) $(HARDEN_HOW)

LIB_SRC	 := $(sort $(wildcard tools/lib/*/*.c))
# Sampling by ptrace is there for x86-64 and AArch64: foreign.c says so everywhere else. The interpreter of
# AArch64 (a64*) is built for x86-64, too, where tests run it.
TRACER_X86   := block decode exec% host-x86 native% operand probe state step
TRACER_ARM64 := host-arm64
tracer_files  = $(patsubst %,tools/lib/tracer/%.c,$(1))
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
ifeq ($(MACHINE),x86_64)
LIB_SRC	 := $(filter-out $(call tracer_files,$(TRACER_ARM64)),$(LIB_SRC))
else ifeq ($(MACHINE),aarch64)
LIB_SRC	 := $(filter-out $(call tracer_files,$(TRACER_X86)),$(LIB_SRC))
else
LIB_SRC	 := $(filter-out tools/lib/tracer/%,$(LIB_SRC)) \
	    $(call tracer_files,attach core foreign live wait)
endif
PERF_SRC := $(sort $(wildcard tools/perf/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/test-*.c))
LIB_OBJ	 := $(LIB_SRC:%.c=$(O)/%.o)
PERF_OBJ := $(PERF_SRC:%.c=$(O)/%.o)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(O)/tests/unit/%)

all: $(O)/perf

# What the libraries on this machine offer: probed by compiling, see tools/feature.sh. Goals that
# only call make again must not probe: `make deps` may be about to install the compiler.
ifneq ($(filter-out deps check demo bench lint clean uninstall,$(or $(MAKECMDGOALS),all)),)
-include $(O)/config.mk
endif
$(O)/config.mk: tools/feature.sh $(O)/.flags $(SAN_OBJ)
	@sh tools/feature.sh '$(CC)' '$(O)' '$(NO_LIBS)' $(HARDEN_HOW)

# Changed flags rebuild everything.
$(O)/.flags: force
	@mkdir -p $(O)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' > $@

$(O)/%.o: %.c $(O)/.flags $(O)/config.mk
	@mkdir -p $(@D)
	@echo '  CC      $<'
	@$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LIBS_CFLAGS) -MMD -MP -c $< -o $@

# The page of report --html: its script and style, put together as strings of C.
$(O)/page-embed.h: $(wildcard tools/web/*)
	@mkdir -p $(@D)
	@echo '  EMBED   $@'
	@sh tools/web/embed.sh tools/web > $@.tmp && mv $@.tmp $@
$(O)/tools/lib/page/page.o: $(O)/page-embed.h

# Made before anything is linked: config.mk waits for it.
$(O)/tests/sanitizer.o: tests/sanitizer.c $(O)/.flags
	@mkdir -p $(@D)
	@$(CC) -D_GNU_SOURCE $(OPT) -Wall -Wextra -c $< -o $@

# Where `perf test` of this build finds the scripts.
$(O)/srcdir: $(O)/.flags
	@echo '$(CURDIR)' > $@

$(O)/libperf.a: $(LIB_OBJ)
	@echo '  AR      $@'
	@rm -f $@ && ar rcs $@ $^

# Allocations are looked at: tools/perf/memory.c.
WRAP := $(foreach f,malloc calloc realloc aligned_alloc strdup strndup asprintf vasprintf \
	__asprintf_chk __vasprintf_chk,-Wl,--wrap=$(f))

$(O)/perf: $(PERF_OBJ) $(O)/libperf.a $(O)/srcdir
	@echo '  LINK    $@'
	@$(CC) $(LDFLAGS_ALL) $(WRAP) -o $@ $(PERF_OBJ) $(O)/libperf.a $(LIBS) -lm

# Unit tests: one program per file, cmocka, TAP.
$(O)/tests/unit/%: $(O)/tests/unit/%.o $(O)/libperf.a
	@echo '  LINK    $@'
	@$(CC) $(LDFLAGS_ALL) -o $@ $< $(O)/libperf.a $(LIBS) -lcmocka -lm

unit: $(UNIT_BIN)

# Everything under tests/make.d is a fragment of this file: helper programs of the tests, the
# stand-in for perf_event_open, fuzz targets, benches.
-include $(sort $(wildcard tests/make.d/*.mk))

tests: all unit $(TEST_HELPERS)

deps:
	@sh tools/deps.sh '$(O)'

# What the two commands of the README build, they build on all CPUs, unless told otherwise by -j.
ALL_CPUS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))

check: deps
	@$(MAKE) --no-print-directory $(ALL_CPUS) tests
	@O='$(abspath $(O))' perl tests/run $(TESTS)

demo:
	@sh tools/deps.sh '$(O)' build
	@$(MAKE) --no-print-directory $(ALL_CPUS) all
	@O='$(abspath $(O))' sh tests/demo.sh

bench: deps
	@$(MAKE) --no-print-directory $(ALL_CPUS) tests
	@O='$(abspath $(O))' python3 tests/bench/run $(BENCH)

lint:
	@O='$(abspath $(O))' sh tests/lint.sh

# Man pages come from asciidoc by asciidoctor, when it is there.
MAN_SRC := $(sort $(wildcard Documentation/perf*.adoc))
man: $(MAN_SRC)
	@mkdir -p $(O)/man
	@if command -v asciidoctor >/dev/null 2>&1; then \
		asciidoctor -b manpage -D $(O)/man $(MAN_SRC); \
	else \
		echo '  no asciidoctor: man pages are not built (make deps installs it)'; \
	fi

# What `perf test` runs is a package of its own, which not everybody wants: install-tests. Where the
# packager makes a package of the symbols: STRIP=
libexec = $(DESTDIR)$(libexecdir)/perf
bash_dir = $(DESTDIR)$(datadir)/bash-completion/completions
zsh_dir = $(DESTDIR)$(datadir)/zsh/site-functions
fish_dir = $(DESTDIR)$(datadir)/fish/vendor_completions.d
install: all man
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man5 \
		$(bash_dir) $(zsh_dir) $(fish_dir)
	$(INSTALL) -m 755 $(if $(STRIP),-s --strip-program=$(STRIP)) $(O)/perf \
		$(DESTDIR)$(bindir)/perf
	$(INSTALL) -m 644 tools/perf/completion/perf.bash $(bash_dir)/perf
	$(INSTALL) -m 644 tools/perf/completion/_perf $(zsh_dir)/_perf
	$(INSTALL) -m 644 tools/perf/completion/perf.fish $(fish_dir)/perf.fish
	for e in clickhouse postgresql; do $(INSTALL) -d $(DESTDIR)$(datadir)/perf/sql/$$e && \
		$(INSTALL) -m 644 contrib/sql/$$e/*.sql $(DESTDIR)$(datadir)/perf/sql/$$e/; done
	$(INSTALL) -d $(DESTDIR)$(datadir)/perf/systemd $(DESTDIR)$(datadir)/perf/schema
	$(INSTALL) -m 644 contrib/schema/*.json $(DESTDIR)$(datadir)/perf/schema/
	$(INSTALL) -m 644 contrib/systemd/perf-push.service $(DESTDIR)$(datadir)/perf/systemd/
	for m in $(O)/man/*.[15]; do [ ! -e $$m ] || \
		$(INSTALL) -m 644 $$m $(DESTDIR)$(mandir)/man$${m##*.}/; done

install-tests: tests
	$(INSTALL) -d $(libexec)/tests/unit
	$(INSTALL) -m 755 $(UNIT_BIN) $(libexec)/tests/unit/
	for h in $(TEST_HELPERS); do d=$(libexec)/$${h#$(O)/}; \
		$(INSTALL) -d $$(dirname $$d) && $(INSTALL) -m 755 $$h $$d; done
	cp -R tests/lib.sh tests/golden tests/system tests/data tests/helpers tests/standin tests/faults tests/fuzz \
		$(libexec)/tests/
	cp -R contrib $(libexec)/

uninstall:
	rm -f $(DESTDIR)$(bindir)/perf $(DESTDIR)$(mandir)/man1/perf.1 \
		$(DESTDIR)$(mandir)/man1/perf-*.1 $(DESTDIR)$(mandir)/man5/perf.data.5 \
		$(bash_dir)/perf $(zsh_dir)/_perf $(fish_dir)/perf.fish
	rm -rf $(libexec) $(addprefix $(DESTDIR)$(datadir)/perf/,sql systemd schema)

# Packages of Debian, beside this directory; dpkg-buildpackage says what it lacks.
deb:
	dpkg-buildpackage -us -uc -b

clean:
	rm -rf $(O)

-include $(LIB_OBJ:.o=.d) $(PERF_OBJ:.o=.d) $(UNIT_BIN:=.d)

.SECONDARY:
.PHONY: all man unit tests deps check demo bench fuzz lint install \
	install-tests uninstall deb clean force
