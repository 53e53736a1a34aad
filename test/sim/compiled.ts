import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface CompiledSources {
  /** URL of a compiled file, named by its source path below `src/`: `sim/entry.ts`. */
  url(source: string): URL;
  /** Removes the compiled files. */
  remove(): void;
}

/**
 * The present sources as JavaScript in a temporary folder: a worker thread cannot load TypeScript, and `dist/` may be
 * older than what is being tested.
 * @param rooms folders below `src/`; the files directly in it, which every room may need, are always there
 */
export function compileSources(...rooms: readonly string[]): CompiledSources {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-compiled-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const file of [...filesIn('.', false), ...rooms.flatMap((room) => filesIn(room, true))]) {
    const { outputText } = ts.transpileModule(readFileSync(join(ROOT, 'src', file), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    });
    const target = join(folder, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
  }
  return {
    url: (source) => pathToFileURL(join(folder, source.replace(/\.ts$/, '.js'))),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** TypeScript files of a folder, named by their paths below `src/`. */
function filesIn(folder: string, recursive: boolean): string[] {
  const files = readdirSync(join(ROOT, 'src', folder), { recursive, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.ts')).map((file) => join(folder, file));
}
