// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of a composed recording: for each image of user space an ELF file of a hole, where its code would be, and a
 * table of symbols; for the kernel a text as /proc/kallsyms has it.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/compose-int.h"

/* Anything may be in a name from an engine; as a file it is one below objects/. */
void fleet_compose_file(const struct compose_image *m, char *out, size_t size)
{
	snprintf(out, size, "/%.200s", m->name);
	for (char *s = out + 1; *s; s++)
		if (*s == '/' || (unsigned char)*s < ' ')
			*s = '_';
	if (!strcmp(out, "/") || !strcmp(out, "/.") || !strcmp(out, "/.."))
		snprintf(out, size, "/[unknown]");
}

static int write_file(const char *path, const struct obuf *o, uint64_t at, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), ret = o->code;

	if (fd < 0)
		return err_set(e, -errno, "cannot write %s: %s", path, strerror(errno));
	for (size_t done = 0; !ret && done < o->len;) {
		ssize_t n = pwrite(fd, o->buf + done, o->len - done, (off_t)(at + done));

		if (n <= 0)
			ret = n ? -errno : -EIO;
		else
			done += (size_t)n;
	}
	if (close(fd) && !ret)
		ret = -errno;
	return ret ? err_set(e, ret, "cannot write %s: %s", path, strerror(-ret)) : 0;
}

enum { SEC_NULL, SEC_TEXT, SEC_SYMTAB, SEC_STRTAB, SEC_SHSTRTAB, SECS };

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";

static void put_symbols(const struct fleet_compose *c, const struct compose_image *m,
			struct obuf *syms, struct obuf *names)
{
	obuf_mem(syms, &(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	obuf_char(names, 0);
	for (size_t i = 0; i < m->symbol.n; i++) {
		const char *name = intern_str(&c->names, m->symbol.v[i].name);
		Elf64_Sym s = {
			.st_name = (Elf64_Word)names->len,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = SEC_TEXT,
			.st_value = COMPOSE_TEXT + i * COMPOSE_SLOT,
			.st_size = COMPOSE_SLOT,
		};

		obuf_mem(syms, &s, sizeof(s));
		obuf_mem(names, name, strlen(name) + 1);
	}
}

/* Header and segment; behind the hole symbols, their names, those of sections, the list of these. */
static int write_object(const struct fleet_compose *c, const struct compose_image *m,
			const char *path, struct err *e)
{
	uint64_t end = COMPOSE_TEXT + m->symbol.n * COMPOSE_SLOT;
	struct obuf head = { .fd = -1 }, syms = { .fd = -1 }, names = { .fd = -1 };
	Elf64_Shdr s[SECS] = { { 0 } };
	int ret;

	put_symbols(c, m, &syms, &names);
	s[SEC_TEXT] = (Elf64_Shdr){ .sh_name = 1,
				    .sh_type = SHT_PROGBITS,
				    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				    .sh_addr = COMPOSE_TEXT,
				    .sh_offset = COMPOSE_TEXT,
				    .sh_size = end - COMPOSE_TEXT,
				    .sh_addralign = COMPOSE_SLOT };
	s[SEC_SYMTAB] = (Elf64_Shdr){ .sh_name = 7,
				      .sh_type = SHT_SYMTAB,
				      .sh_offset = end,
				      .sh_size = syms.len,
				      .sh_link = SEC_STRTAB,
				      .sh_info = 1,
				      .sh_addralign = 8,
				      .sh_entsize = sizeof(Elf64_Sym) };
	s[SEC_STRTAB] = (Elf64_Shdr){ .sh_name = 15,
				      .sh_type = SHT_STRTAB,
				      .sh_offset = end + syms.len,
				      .sh_size = names.len,
				      .sh_addralign = 1 };
	s[SEC_SHSTRTAB] = (Elf64_Shdr){ .sh_name = 23,
					.sh_type = SHT_STRTAB,
					.sh_offset = end + syms.len + names.len,
					.sh_size = sizeof(section_names),
					.sh_addralign = 1 };
	obuf_mem(&syms, names.buf, names.len);
	obuf_mem(&syms, section_names, sizeof(section_names));
	while (syms.len % 8)
		obuf_char(&syms, 0);
	Elf64_Ehdr h = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(h),
		.e_shoff = end + syms.len,
		.e_ehsize = sizeof(h),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECS,
		.e_shstrndx = SEC_SHSTRTAB,
	};
	Elf64_Phdr load = { .p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_filesz = end,
			    .p_memsz = end,
			    .p_align = COMPOSE_TEXT };

	obuf_mem(&syms, s, sizeof(s));
	obuf_mem(&head, &h, sizeof(h));
	obuf_mem(&head, &load, sizeof(load));
	ret = write_file(path, &syms, end, e) ?: write_file(path, &head, 0, e);
	free(head.buf);
	free(syms.buf);
	free(names.buf);
	return ret;
}

/* A name is one word there. */
static void put_kernel(const struct fleet_compose *c, const struct compose_image *m, struct obuf *o)
{
	uint64_t at = m->base + COMPOSE_TEXT;

	for (size_t i = 0; i < m->symbol.n; i++, at += COMPOSE_SLOT) {
		obuf_hex_zero(o, at, 16);
		obuf_lit(o, " t ");
		for (const char *s = intern_str(&c->names, m->symbol.v[i].name); *s; s++)
			obuf_char(o, (unsigned char)*s <= ' ' ? '_' : *s);
		if (m->kind == COMPOSE_MODULE)
			obuf_printf(o, "\t%s", m->name);
		obuf_char(o, '\n');
	}
	if (m->kind != COMPOSE_KERNEL)
		return;
	obuf_hex_zero(o, at, 16);
	obuf_lit(o, " T _etext\n");
}

int fleet_compose_symbols(const struct fleet_compose *c, const char *dir, struct err *e)
{
	struct obuf kernel = { .fd = -1 };
	char path[4500], name[256];
	int ret = 0;

	snprintf(path, sizeof(path), "%s/objects", dir);
	if (mkdir(path, 0700))
		return err_set(e, -errno, "cannot make %s: %s", path, strerror(errno));
	vec_for_each (m, &c->image) {
		if (!m->base)
			continue;
		if (m->kind == COMPOSE_KERNEL)
			obuf_printf(&kernel, "%016llx T _text\n", (unsigned long long)m->base);
		if (m->kind != COMPOSE_USER) {
			put_kernel(c, m, &kernel);
			continue;
		}
		fleet_compose_file(m, name, sizeof(name));
		snprintf(path, sizeof(path), "%s/objects%s", dir, name);
		ret = ret ?: write_object(c, m, path, e);
	}
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	ret = ret ?: write_file(path, &kernel, 0, e);
	free(kernel.buf);
	return ret;
}
