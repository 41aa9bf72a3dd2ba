import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENTRY } from '../support/cli.ts';
import { documentedLines, type DocumentedLine } from '../support/documented-commands.ts';
import { newCode } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { newTenant, newUser, PASSWORD, type TestUser } from '../support/world.ts';

/*
 * Setup: a program of its own, and a folder with what the examples name.
 * Timeline: all lines run in one shell, in the order of the pages. Each test looks at the end of one line.
 */
const lines = documentedLines(['cli.md', 'configuration-as-code.md']).filter(
  ({ line }) => !line.startsWith('npm start'),
);

/** Who is in no database of an earlier run. */
const ADA = `${newCode()}-ada@acme.example`;

let folder: string;
let ends: readonly (readonly [code: number, text: string])[];

beforeAll(async () => {
  await startOwnNode('clidocs');
  folder = await mkdtemp(join(tmpdir(), 'keelson-docs-'));
  await mkdir(join(folder, 'home/.config/fish/completions'), { recursive: true });
  await mkdir(join(folder, 'work'));
  await writeFile(join(folder, 'work/token.txt'), 'secret\n');
  const tenant = await newTenant();
  const [first, second] = [await newUser(['PLATFORM_ADMIN'], tenant), await newUser(['PLATFORM_ADMIN'], tenant)];
  ends = await run(lines.map((one) => scriptOf(one, first)).join('\n'), first, second);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** A line as the shell runs it: with this program and its users, where its files are. */
function scriptOf({ line, comment, file }: DocumentedLine, user: TestUser): string {
  const isInside = file === 'configuration-as-code.md' && !/--dir|\.\.\//.test(line);
  const ready = line
    .replaceAll('http://localhost:6443', process.env.KEELSON_TEST_URL ?? '')
    .replaceAll('admin@acme.example', user.email)
    .replaceAll('keelson-demo-1', PASSWORD)
    .replaceAll('../my-app', './my-app')
    .replaceAll('ada@acme.example', ADA)
    .replaceAll('<promotion>', '$(promotion)')
    .replaceAll('<lead>', '$(lead)');
  const asSecond = comment.includes('second person') && !comment.includes('exits') ? 'KEELSON_TOKEN=$SECOND ' : '';
  // Both pages begin with a new application.
  const again = /\binit\b/.test(line) ? 'rm -rf my-app; ' : '';
  return `cd "$WORK${isInside ? '/my-app' : ''}"; ${again}{ ${asSecond}${ready}; } > "$WORK/out.txt" 2> "$WORK/err.txt"
printf '%s\\0%s\\0' $? "$(cat "$WORK/out.txt" "$WORK/err.txt")" >> "$WORK/ends"`;
}

async function run(script: string, first: TestUser, second: TestUser): Promise<[number, string][]> {
  const prelude = `
keelson() {
  case " $* " in
    # What goes on until Ctrl-C is ended once it has said something.
    *' watch '*|*' --follow '*) "$NODE" "$ENTRY" "$@" & until [ -s "$WORK/out.txt" ]; do sleep 0.2; done; kill -TERM $!; wait $! ;;
    *) "$NODE" "$ENTRY" "$@" ;;
  esac
}
npx() { shift 2; keelson "$@"; }
promotion() {
  [ -f "$WORK/pid" ] || keelson promotion list --status VALIDATED --limit 1 --json | "$NODE" -p 'JSON.parse(fs.readFileSync(0)).records[0].pid' > "$WORK/pid"
  cat "$WORK/pid"
}
lead() {
  keelson list leads --limit 1 --json | "$NODE" -p 'JSON.parse(fs.readFileSync(0)).records[0].pid'
}
`;
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: join(folder, 'home'),
    WORK: join(folder, 'work'),
    NODE: process.execPath,
    ENTRY,
    KEELSON_EMAIL: first.email,
    KEELSON_PASSWORD: PASSWORD,
    SECOND: second.token,
  };
  const collect = `${prelude}${script}\ncat "$WORK/ends"`;
  const out = await new Promise<string>((resolve, reject) => {
    execFile('/bin/bash', ['-c', collect], { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) =>
      error ? reject(new Error('the shell failed', { cause: error })) : resolve(stdout),
    );
  });
  const parts = out.split('\0');
  return lines.map((_, index) => [Number(parts[index * 2]), parts[index * 2 + 1] ?? '']);
}

/** The exit codes that a line may have: what its comment says, else 0. */
function codesOf({ comment }: DocumentedLine): number[] {
  const [, always] = /exits with (\d):/.exec(comment) ?? [];
  return always === undefined ? [0, ...(comment.match(/\b\d\b/g) ?? []).map(Number)] : [Number(always)];
}

describe('the examples of docs/cli.md and docs/configuration-as-code.md', () => {
  it.each(lines.map((one, index) => ({ ...one, index })))('$line', ({ index, ...one }) => {
    const [code, text] = ends[index] ?? [];
    expect({ code: codesOf(one).includes(code ?? -1) ? 'as documented' : code, text }).toEqual({
      code: 'as documented',
      text,
    });
  });
});
