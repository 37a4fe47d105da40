// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An object made of a jitdump file: jitted-PID.so beside it, with all code in one .text and a symbol
 * for each piece, where other tools find names and instructions. File offsets and addresses are the
 * same, so that either leads to a symbol. Upstream makes an object of each function. A build id, of what is in it, tells
 * it from that of another run, and lets perf archive take it along.
 */
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sha256.h"
#include "box/box.h"
#include "inject/inject-int.h"

#define NOTE_AT	   0x200
#define TEXT_AT	   0x1000
#define CODE_ALIGN 16

enum { SEC_NONE, SEC_TEXT, SEC_NOTE, SEC_SYMTAB, SEC_STRTAB, SEC_SHSTRTAB };

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab\0.note.gnu.build-id";

struct image {
	Elf *elf;
	int class;
	unsigned char *text;
	size_t text_size;
	void *sym;
	size_t sym_size;
	struct obuf names;
	struct {
		uint32_t name_size, size, type;
		char name[4];
		uint8_t id[BUILD_ID_MAX];
	} note;
};

static int text_build(struct image *im, struct inject_jit *s)
{
	size_t n = jitdump_nr_codes(s->dump), at = 0;

	s->offset = calloc(n + 1, sizeof(*s->offset));
	if (!s->offset)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		s->offset[i] = at;
		at = align_up(at + jitdump_code(s->dump, i)->size, CODE_ALIGN);
	}
	im->text_size = at;
	im->text = calloc(1, at + 1);
	if (!im->text)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct jit_code *c = jitdump_code(s->dump, i);

		if (jitdump_read(s->dump, c->at, im->text + s->offset[i], c->size) < 0)
			return -EIO;
	}
	return 0;
}

static int names_build(struct image *im, const struct inject_jit *s)
{
	size_t n = jitdump_nr_codes(s->dump);

	im->sym_size = gelf_fsize(im->elf, ELF_T_SYM, n + 1, EV_CURRENT);
	im->sym = calloc(1, im->sym_size);
	if (!im->sym || obuf_init(&im->names, -1, 0))
		return -ENOMEM;
	obuf_char(&im->names, 0);
	for (size_t i = 0; i < n; i++) {
		const char *name = jitdump_code(s->dump, i)->name;

		obuf_mem(&im->names, name, strlen(name) + 1);
	}
	return im->names.code;
}

/* The code and the names, which may be all that differs, with the machine that it is for. */
static void identify(struct image *im, struct inject_jit *s)
{
	uint32_t machine = jitdump_e_machine(s->dump);
	unsigned char digest[32];
	struct sha256 h;

	sha256_init(&h);
	sha256_add(&h, &machine, sizeof(machine));
	sha256_add(&h, s->offset, jitdump_nr_codes(s->dump) * sizeof(*s->offset));
	sha256_add(&h, im->text, im->text_size);
	sha256_add(&h, im->names.buf, im->names.len);
	sha256_end(&h, digest);
	s->id.size = BUILD_ID_MAX;
	memcpy(s->id.id, digest, BUILD_ID_MAX);
	im->note.name_size = sizeof(im->note.name);
	im->note.size = BUILD_ID_MAX;
	im->note.type = NT_GNU_BUILD_ID;
	memcpy(im->note.name, ELF_NOTE_GNU, sizeof(im->note.name));
	memcpy(im->note.id, digest, BUILD_ID_MAX);
}

/* Into the section's data: libelf knows the class from there. */
static bool symbols_fill(Elf_Data *data, const struct inject_jit *s)
{
	size_t n = jitdump_nr_codes(s->dump), name = 1;

	for (size_t i = 0; i < n; i++) {
		const struct jit_code *c = jitdump_code(s->dump, i);
		GElf_Sym sym = {
			.st_name = (GElf_Word)name,
			.st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = SEC_TEXT,
			.st_value = TEXT_AT + s->offset[i],
			.st_size = c->size,
		};

		name += strlen(c->name) + 1;
		if (!gelf_update_sym(data, (int)i + 1, &sym))
			return false;
	}
	return true;
}

static Elf_Data *add_section(struct image *im, const GElf_Shdr *shdr, Elf_Type type, void *buf,
			     size_t size, uint64_t align)
{
	Elf_Scn *scn = elf_newscn(im->elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr sh = *shdr;

	if (!data)
		return NULL;
	data->d_type = type;
	data->d_buf = buf;
	data->d_size = size;
	data->d_align = align;
	data->d_version = EV_CURRENT;
	sh.sh_size = size;
	sh.sh_addralign = align;
	return gelf_update_shdr(scn, &sh) ? data : NULL;
}

static bool add_head(struct image *im, uint32_t machine)
{
	GElf_Ehdr eh = { .e_type = ET_DYN,
			 .e_machine = (GElf_Half)machine,
			 .e_version = EV_CURRENT,
			 .e_shstrndx = SEC_SHSTRTAB };
	GElf_Phdr ph = { .p_type = PT_LOAD,
			 .p_flags = PF_R | PF_X,
			 .p_offset = TEXT_AT,
			 .p_vaddr = TEXT_AT,
			 .p_paddr = TEXT_AT,
			 .p_filesz = im->text_size,
			 .p_memsz = im->text_size,
			 .p_align = TEXT_AT };
	GElf_Phdr note = { .p_type = PT_NOTE,
			   .p_flags = PF_R,
			   .p_offset = NOTE_AT,
			   .p_vaddr = NOTE_AT,
			   .p_paddr = NOTE_AT,
			   .p_filesz = sizeof(im->note),
			   .p_memsz = sizeof(im->note),
			   .p_align = 4 };
	GElf_Ehdr made;

	if (!gelf_newehdr(im->elf, im->class) || !gelf_newphdr(im->elf, 2) ||
	    !gelf_getehdr(im->elf, &made))
		return false;
	memcpy(eh.e_ident, made.e_ident, sizeof(eh.e_ident));
	eh.e_ident[EI_DATA] = host_is_big_endian() ? ELFDATA2MSB : ELFDATA2LSB;
	eh.e_ident[EI_CLASS] = (unsigned char)im->class;
	eh.e_phentsize = made.e_phentsize;
	eh.e_shentsize = made.e_shentsize;
	eh.e_ehsize = made.e_ehsize;
	eh.e_phoff = gelf_fsize(im->elf, ELF_T_EHDR, 1, EV_CURRENT);
	eh.e_phnum = 2;
	return gelf_update_ehdr(im->elf, &eh) && gelf_update_phdr(im->elf, 0, &ph) &&
	       gelf_update_phdr(im->elf, 1, &note);
}

static bool write_image(struct image *im, const struct inject_jit *s)
{
	uint64_t sym_at = align_up(TEXT_AT + im->text_size, 8);
	uint64_t str_at = sym_at + im->sym_size, shstr_at = str_at + im->names.len;
	size_t shstr_size = sizeof(section_names);
	GElf_Shdr text = { .sh_name = 1,
			   .sh_type = SHT_PROGBITS,
			   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			   .sh_addr = TEXT_AT,
			   .sh_offset = TEXT_AT };
	GElf_Shdr note = { .sh_name = 33,
			   .sh_type = SHT_NOTE,
			   .sh_flags = SHF_ALLOC,
			   .sh_addr = NOTE_AT,
			   .sh_offset = NOTE_AT };
	GElf_Shdr sym = { .sh_name = 7,
			  .sh_type = SHT_SYMTAB,
			  .sh_offset = sym_at,
			  .sh_link = SEC_STRTAB,
			  .sh_info = 1,
			  .sh_entsize = gelf_fsize(im->elf, ELF_T_SYM, 1, EV_CURRENT) };
	GElf_Shdr str = { .sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = str_at };
	GElf_Shdr shstr = { .sh_name = 23, .sh_type = SHT_STRTAB, .sh_offset = shstr_at };
	Elf_Data *symbols;
	GElf_Ehdr eh;

	elf_flagelf(im->elf, ELF_C_SET, ELF_F_LAYOUT);
	if (!add_head(im, jitdump_e_machine(s->dump)) ||
	    !add_section(im, &text, ELF_T_BYTE, im->text, im->text_size, CODE_ALIGN) ||
	    !add_section(im, &note, ELF_T_BYTE, &im->note, sizeof(im->note), 4) ||
	    !(symbols = add_section(im, &sym, ELF_T_SYM, im->sym, im->sym_size, 8)) ||
	    !symbols_fill(symbols, s) ||
	    !add_section(im, &str, ELF_T_BYTE, im->names.buf, im->names.len, 1) ||
	    !add_section(im, &shstr, ELF_T_BYTE, (void *)section_names, shstr_size, 1) ||
	    !gelf_getehdr(im->elf, &eh))
		return false;
	eh.e_shoff = align_up(shstr_at + shstr_size, 8);
	return gelf_update_ehdr(im->elf, &eh) && elf_update(im->elf, ELF_C_WRITE) > 0;
}

static int make_image(struct image *im, struct inject_jit *s, int fd)
{
	uint32_t machine = jitdump_e_machine(s->dump);
	int ret;

	im->class = machine == EM_386 || machine == EM_ARM ? ELFCLASS32 : ELFCLASS64;
	elf_version(EV_CURRENT);
	im->elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!im->elf || !gelf_newehdr(im->elf, im->class))
		return -ENOMEM;
	ret = text_build(im, s);
	ret = ret ?: names_build(im, s);
	if (!ret)
		identify(im, s);
	return ret ?: write_image(im, s) ? 0 : -EIO;
}

static void image_free(struct image *im)
{
	elf_end(im->elf);
	free(im->text);
	free(im->sym);
	if (im->names.buf)
		obuf_free(&im->names);
}

/* Under a name of its own first: whoever reads the object never sees half of it. */
int inject_jit_object(struct inject_jit *s, struct err *e)
{
	struct image im = { .names.fd = -1 };
	struct box_replacement file;
	int ret = box_replace_open(&file, s->object, true), closed;

	if (ret) {
		err_set(e, ret, "cannot create %s: %s", s->object, strerror(-ret));
		err_hint(e,
			 "The object goes beside the jitdump file: make its directory writable.");
		return ret;
	}
	ret = make_image(&im, s, file.fd);
	image_free(&im);
	closed = box_replace_close(&file, !ret);
	ret = ret ?: closed;
	if (ret)
		return err_set(e, ret, "cannot write %s: %s", s->object, strerror(-ret));
	s->text = TEXT_AT;
	return 0;
}
