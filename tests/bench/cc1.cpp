// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The compiler of Debian's libclang-19-dev as a program: the same code as clang's, which is linked here so that relocations stay
 * in it and llvm-bolt may move functions. Arguments are those behind `clang -cc1 -S`.
 */
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/TargetSelect.h"

int main(int argc, char **argv)
{
	clang::CompilerInstance compiler;
	auto *printer = new clang::TextDiagnosticPrinter(llvm::errs(), new clang::DiagnosticOptions);
	clang::DiagnosticsEngine said(new clang::DiagnosticIDs, new clang::DiagnosticOptions, printer);

	llvm::InitializeNativeTarget();
	llvm::InitializeNativeTargetAsmPrinter();
	if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(),
						       llvm::ArrayRef(argv + 1, argv + argc), said))
		return 1;
	compiler.createDiagnostics();
	clang::EmitAssemblyAction compile;
	return !compiler.ExecuteAction(compile);
}
