// SPDX-License-Identifier: GPL-2.0-or-later
/* The smallest ELF file that libdw takes: header, a segment of code, the sections, their names, their table. */
#include <elf.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "image.h"

#define SECTIONS_MAX 16
#define SIZE_MAX_    (1u << 20)
#define CODE_AT	     0x1000 /* in the file */

struct maker {
	uint8_t *p;
	size_t n;
	Elf64_Shdr row[SECTIONS_MAX + 3];
	size_t nr;
	char names[512];
	size_t names_n;
};

static size_t append(struct maker *m, const void *p, size_t n)
{
	size_t at = align_up(m->n, 8);

	if (at + n > SIZE_MAX_)
		n = SIZE_MAX_ - at;
	if (n)
		memcpy(m->p + at, p, n);
	m->n = at + n;
	return at;
}

static void add(struct maker *m, const char *name, Elf64_Shdr row)
{
	size_t len = strlen(name) + 1;

	row.sh_name = (uint32_t)m->names_n;
	memcpy(m->names + m->names_n, name, len);
	m->names_n += len;
	m->row[m->nr++] = row;
}

void image_write(unsigned slot, const struct image_section *sec, size_t nr)
{
	static uint8_t bytes[SIZE_MAX_ + 4096];
	struct maker m = { .p = bytes, .n = CODE_AT + IMAGE_CODE, .nr = 1, .names_n = 1 };
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				      1 },
			 .e_type = ET_EXEC,
			 .e_machine = EM_X86_64,
			 .e_version = 1,
			 .e_phoff = sizeof(h),
			 .e_ehsize = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 3,
			 .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Phdr ph[3] = { { .p_type = PT_LOAD,
			       .p_flags = PF_R | PF_X,
			       .p_offset = CODE_AT,
			       .p_vaddr = IMAGE_TEXT,
			       .p_filesz = IMAGE_CODE,
			       .p_memsz = IMAGE_CODE,
			       .p_align = 0x1000 },
			     { .p_type = PT_GNU_EH_FRAME },
			     { .p_type = PT_NULL } };

	memset(bytes, 0, CODE_AT);
	memset(bytes + CODE_AT, 0x90, IMAGE_CODE);
	add(&m, ".text",
	    (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
			  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			  .sh_addr = IMAGE_TEXT,
			  .sh_offset = CODE_AT,
			  .sh_size = IMAGE_CODE });
	for (size_t i = 0; i < nr && i < SECTIONS_MAX; i++) {
		size_t at;

		if (!sec[i].n)
			continue;
		if (!strcmp(sec[i].name, IMAGE_CODE_NAME)) {
			memcpy(bytes + CODE_AT, sec[i].p, min_u64(sec[i].n, IMAGE_CODE));
			continue;
		}
		at = append(&m, sec[i].p, sec[i].n);
		add(&m, sec[i].name,
		    (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
				  .sh_flags = sec[i].addr ? SHF_ALLOC : 0,
				  .sh_addr = sec[i].addr,
				  .sh_offset = at,
				  .sh_size = m.n - at });
		/* As a program has it mapped, for who reads it by addresses. */
		if (!strcmp(sec[i].name, ".eh_frame") && sec[i].addr)
			ph[2] = (Elf64_Phdr){ .p_type = PT_LOAD,
					      .p_flags = PF_R,
					      .p_offset = at,
					      .p_vaddr = sec[i].addr,
					      .p_filesz = m.n - at,
					      .p_memsz = m.n - at };
		if (!strcmp(sec[i].name, ".eh_frame_hdr")) {
			ph[1].p_offset = at;
			ph[1].p_vaddr = sec[i].addr;
			ph[1].p_filesz = ph[1].p_memsz = m.n - at;
		}
	}
	add(&m, ".shstrtab", (Elf64_Shdr){ .sh_type = SHT_STRTAB });
	m.row[m.nr - 1].sh_offset = append(&m, m.names, m.names_n);
	m.row[m.nr - 1].sh_size = m.names_n;
	h.e_shnum = (uint16_t)m.nr;
	h.e_shstrndx = (uint16_t)(m.nr - 1);
	h.e_shoff = append(&m, m.row, m.nr * sizeof(*m.row));
	memcpy(bytes, &h, sizeof(h));
	memcpy(bytes + sizeof(h), ph, sizeof(ph));
	fuzz_file(slot, bytes, m.n);
}

void image_map_file(struct machine *m, unsigned slot, uint64_t addr, uint64_t len, uint64_t pgoff)
{
	unsigned char b[128] = { 0 };
	struct record rec = { .data = b,
			      .size = 112,
			      .type = PERF_RECORD_MMAP2,
			      .misc = PERF_RECORD_MISC_USER,
			      .time = RECORD_NO_TIME };

	store_u32(b, PERF_RECORD_MMAP2);
	store_u16(b + 4, PERF_RECORD_MISC_USER);
	store_u16(b + 6, 112);
	store_u32(b + 8, 1);
	store_u32(b + 12, 1);
	store_u64(b + 16, addr);
	store_u64(b + 24, len);
	store_u64(b + 32, pgoff);
	store_u32(b + 64, 5);
	memcpy(b + 72, fuzz_path(slot), strlen(fuzz_path(slot)));
	if (machine_record(m, &rec, NULL))
		abort();
}

void image_map(struct machine *m, unsigned slot)
{
	image_map_file(m, slot, IMAGE_TEXT, IMAGE_CODE, CODE_AT);
}
