import ts from 'typescript';

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ES2022,
  types: [],
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  skipDefaultLibCheck: true,
  allowImportingTsExtensions: true,
};

/** Parsed once: those of the language itself take longer than what is checked. */
const filesOnDisk = new Map<string, ts.SourceFile | undefined>();

/** What TypeScript finds wrong with files that exist by name and text alone. */
export function typeProblemsIn(files: Readonly<Record<string, string>>): string[] {
  const host = ts.createCompilerHost(OPTIONS);
  const onDisk = { ...host };
  delete host.directoryExists;
  host.fileExists = (path) => path in files || onDisk.fileExists(path);
  host.readFile = (path) => files[path] ?? onDisk.readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const text = files[path];
    if (text !== undefined) return ts.createSourceFile(path, text, rest[0]);
    if (!filesOnDisk.has(path)) filesOnDisk.set(path, onDisk.getSourceFile(path, ...rest));
    return filesOnDisk.get(path);
  };
  return ts.getPreEmitDiagnostics(ts.createProgram(Object.keys(files), OPTIONS, host)).map((problem) => {
    const message = ts.flattenDiagnosticMessageText(problem.messageText, '\n');
    const line = problem.file?.getLineAndCharacterOfPosition(problem.start ?? 0).line ?? 0;
    return `${problem.file?.fileName ?? ''}:${line + 1}: ${message}`;
  });
}
