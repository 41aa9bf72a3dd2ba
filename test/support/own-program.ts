import { copyOfDatabase } from './own-database.ts';
import { freePort, startProgram, type Program } from './program.ts';

type Settings = Record<string, string>;

/** A program on a database of the test file's own, for what needs a process: its logs, its death. */
export interface OwnProgram {
  readonly settings: Settings;
  readonly program: Program;
  /** Stops the program and drops the database. */
  stop(): Promise<void>;
}

/**
 * As `startOwnNode`, in a process of its own.
 * @param suffix what the database's name adds to the name of the shared one
 */
export async function startOwnProgram(suffix: string, settings: Settings = {}): Promise<OwnProgram> {
  const database = await copyOfDatabase(suffix);
  Object.assign(process.env, database.settings);
  const own = { PORT: String(await freePort()), ...settings };
  const program = await startProgram(own);
  process.env.KEELSON_TEST_URL = program.url;
  return {
    settings: own,
    program,
    async stop() {
      await program.stop();
      await database.drop();
    },
  };
}
