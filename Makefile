# SPDX-License-Identifier: GPL-2.0-or-later
# make · make demo · make check · make bench · make fuzz · make lint · make install
#	O=DIR		build there			SAN=address,undefined	sanitizers
#	CC=clang	another compiler		WERROR=1		warnings are errors

O	?= build
prefix	?= /usr/local
bindir	?= $(prefix)/bin
libexecdir ?= $(prefix)/libexec
datadir	?= $(prefix)/share
mandir	?= $(datadir)/man
INSTALL	?= install
OPT	?= -O2 -g
WERROR	?= $(if $(CI),1,)
VERSION	:= $(shell cat VERSION)

CPPFLAGS_ALL := -D_GNU_SOURCE -DPERF_VERSION='"$(VERSION)"' \
		-DPERF_LIBEXECDIR='"$(libexecdir)/perf"' \
		-I$(O) -Itools/include -Itools/lib $(CPPFLAGS)
CFLAGS_ALL := -std=gnu17 $(OPT) -fno-strict-aliasing -fno-omit-frame-pointer \
		-Wall -Wextra $(if $(WERROR),-Werror,) \
		$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all,) $(CFLAGS)
LDFLAGS_ALL := $(if $(SAN),-fsanitize=$(SAN),) -pthread $(LDFLAGS)

LIB_SRC	 := $(sort $(wildcard tools/lib/*/*.c))
PERF_SRC := $(sort $(wildcard tools/perf/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/test-*.c))
LIB_OBJ	 := $(LIB_SRC:%.c=$(O)/%.o)
PERF_OBJ := $(PERF_SRC:%.c=$(O)/%.o)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(O)/tests/unit/%)

all: $(O)/perf

# What the libraries on this machine offer: probed by compiling, see tools/feature.sh.
-include $(O)/config.mk
$(O)/config.mk: tools/feature.sh $(O)/.flags
	@sh tools/feature.sh '$(CC)' '$(O)' '$(NO_LIBS)'

# Changed flags rebuild everything.
FLAGS_NOW := $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(NO_LIBS)
$(O)/.flags: force
	@mkdir -p $(O)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' > $@

$(O)/%.o: %.c $(O)/.flags $(O)/config.mk
	@mkdir -p $(@D)
	@echo '  CC      $<'
	@$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LIBS_CFLAGS) -MMD -MP -c $< -o $@

# Where `perf test` of this build finds the scripts.
$(O)/srcdir: $(O)/.flags
	@echo '$(CURDIR)' > $@

$(O)/libperf.a: $(LIB_OBJ)
	@echo '  AR      $@'
	@rm -f $@ && ar rcs $@ $^

$(O)/perf: $(PERF_OBJ) $(O)/libperf.a $(O)/srcdir
	@echo '  LINK    $@'
	@$(CC) $(LDFLAGS_ALL) -o $@ $(PERF_OBJ) $(O)/libperf.a $(LIBS) -lm

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
	@sh tools/deps.sh

check: deps
	@$(MAKE) --no-print-directory tests
	@O='$(abspath $(O))' perl tests/run $(TESTS)

demo: deps
	@$(MAKE) --no-print-directory all
	@O='$(abspath $(O))' sh tests/demo.sh

bench: deps
	@$(MAKE) --no-print-directory all
	@O='$(abspath $(O))' sh tests/bench/run $(BENCH)

lint:
	@O='$(abspath $(O))' sh tests/lint.sh

clean:
	rm -rf $(O)

-include $(LIB_OBJ:.o=.d) $(PERF_OBJ:.o=.d) $(UNIT_BIN:=.d)

.SECONDARY:
.PHONY: all unit tests deps check demo bench fuzz lint install uninstall clean force
