# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that the system test of perf report records.
CXX ?= g++
TEST_HELPERS += $(O)/tests/helpers/report-jit $(O)/tests/helpers/report-cpp

$(O)/tests/helpers/report-jit: tests/helpers/report-jit.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) -O1 -g -fno-omit-frame-pointer -Wall -Wextra -o $@ $<

$(O)/tests/helpers/report-cpp: tests/helpers/report-cpp.cpp
	@mkdir -p $(@D)
	@echo '  CXX     $@'
	@$(CXX) -O1 -g -fno-omit-frame-pointer -Wall -Wextra -o $@ $<

TEST_HELPERS += $(O)/tests/helpers/jit-dump
$(O)/tests/helpers/jit-dump: tests/helpers/jit-dump.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) -O1 -g -fno-omit-frame-pointer -Wall -Wextra -o $@ $<

TEST_HELPERS += $(O)/tests/helpers/calls
$(O)/tests/helpers/calls: tests/helpers/calls.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) -O1 -g -fno-omit-frame-pointer -Wall -Wextra -o $@ $<

DEEP := $(addprefix $(O)/tests/helpers/,deep-frames deep-frames-fp deep-frames-large \
	deep-frames-debug deep-frames-packed deep-frames-bare)
TEST_HELPERS += $(DEEP)
$(O)/tests/helpers/deep-frames: DEEP_FLAGS := -fomit-frame-pointer -DNO_FRAME_POINTER -DFRAME=64
$(O)/tests/helpers/deep-frames-fp: DEEP_FLAGS := -fno-omit-frame-pointer -DFRAME=64
$(O)/tests/helpers/deep-frames-large: DEEP_FLAGS := -fomit-frame-pointer -DFRAME=20000
# Rules in .debug_frame alone, the same packed, and none.
NO_EH := -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables
$(O)/tests/helpers/deep-frames-debug: DEEP_FLAGS := $(NO_EH) -g -DFRAME=64
$(O)/tests/helpers/deep-frames-packed: DEEP_FLAGS := $(NO_EH) -g -gz=zlib -DFRAME=64
$(O)/tests/helpers/deep-frames-bare: DEEP_FLAGS := $(NO_EH) -fno-omit-frame-pointer -g0 -DFRAME=64
$(DEEP): tests/helpers/deep-frames.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) -O2 $(DEEP_FLAGS) -Wall -Wextra -o $@ $<

# Frames of all kinds: as Debian builds, linked at once, and with the rules in .debug_frame alone (packed, too).
KINDS := $(addprefix $(O)/tests/helpers/,frame-kinds frame-kinds-lazy frame-kinds-static frame-kinds-sync)
TEST_HELPERS += $(KINDS)
$(O)/tests/helpers/frame-kinds-lazy: KINDS_FLAGS := -fPIE -pie -Wl,-z,lazy -fcf-protection=none
$(O)/tests/helpers/frame-kinds-static: KINDS_FLAGS := -static
$(O)/tests/helpers/frame-kinds-sync: KINDS_FLAGS := -fno-asynchronous-unwind-tables
$(KINDS): tests/helpers/frame-kinds.cpp
	@mkdir -p $(@D)
	@echo '  CXX     $@'
	@$(CXX) -O2 -g -fomit-frame-pointer $(KINDS_FLAGS) -Wall -Wextra -o $@ $<

CONTAINED := $(addprefix $(O)/tests/helpers/,contained contained-no-id)
TEST_HELPERS += $(CONTAINED)
$(O)/tests/helpers/contained: CONTAINED_FLAGS := -Wl,--build-id=sha1
$(O)/tests/helpers/contained-no-id: CONTAINED_FLAGS := -Wl,--build-id=none
$(CONTAINED): tests/helpers/contained.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) -O2 -Wall -Wextra $(CONTAINED_FLAGS) -o $@ $<
