import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import type { Terminal } from '../input/terminal.js';

/** The address of a service, and an API key of one workspace. The key is sent only to this address. */
export interface Context {
  address: string;
  api_key: string;
  /** URL of the second port of the service, for the emergency stop. */
  stop_url?: string;
  /** Present if `aas login` created the key in the browser. `aas logout` then revokes it. */
  key_id?: string;
}

interface Stored {
  current: string | null;
  contexts: Record<string, Context>;
}

/** The file with a person's contexts. Only the person's operating-system account can read it. */
export class Contexts {
  readonly path: string;

  constructor({ env }: Pick<Terminal, 'env'>) {
    this.path = join(configFolder(env), 'aas', 'contexts.json');
  }

  async read(): Promise<Stored> {
    const text = await readFile(this.path, 'utf8').catch((error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      throw this.fault(message);
    });
    if (text === undefined) return { current: null, contexts: {} };
    try {
      const { current = null, contexts } = JSON.parse(text) as Partial<Stored>;
      return { current, contexts: { ...contexts } };
    } catch {
      throw this.fault('The file is not valid JSON.');
    }
  }

  async current(): Promise<Context | undefined> {
    const { current, contexts } = await this.read();
    return current === null ? undefined : contexts[current];
  }

  async named(name: string): Promise<Context> {
    const { contexts } = await this.read();
    const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
    if (found) return found;
    throw new CommandError(`There is no context \`${name}\`.`, {
      exitCode: EXIT.notFound,
      where: this.path,
      remedy: 'List the contexts with `aas context list`.',
    });
  }

  /**
   * Returns a context with this address, preferably the current one. A stored key is used only for the address with
   * which it was stored.
   */
  async of(address: string): Promise<Context | undefined> {
    const { current, contexts } = await this.read();
    const fitting = Object.entries(contexts).filter(([, each]) => sameAddress(each.address, address));
    return (fitting.find(([name]) => name === current) ?? fitting[0])?.[1];
  }

  async save(name: string, context: Context): Promise<void> {
    const { contexts } = await this.read();
    await this.write({ current: name, contexts: { ...contexts, [name]: context } });
  }

  async use(name: string): Promise<void> {
    await this.named(name);
    await this.write({ ...(await this.read()), current: name });
  }

  async remove(name: string): Promise<void> {
    const { current, contexts } = await this.read();
    const { [name]: _removed, ...others } = contexts;
    await this.write({ current: current === name ? null : current, contexts: others });
  }

  /** Replaces the file atomically. After a crash, it has either the old or the new content. */
  private async write(stored: Stored): Promise<void> {
    const temporary = `${this.path}.${randomUUID()}`;
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      await writeFile(temporary, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await rename(temporary, this.path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw this.fault((error as Error).message);
    }
  }

  private fault(message: string): CommandError {
    const remedy = 'Correct or delete the file, then sign in again with `aas login <address>`.';
    return new CommandError(message, { exitCode: EXIT.usage, where: this.path, remedy });
  }
}

/** Returns the address without a slash or `/v1` at its end. Throws if the address is not valid. */
export function normalAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) {
    return `${url.origin}${url.pathname.replace(/\/*(\/v1)?\/*$/, '')}`;
  }
  throw new CommandError('The address is not a valid http or https address.', {
    exitCode: EXIT.usage,
    where: 'the address',
    remedy: 'Write the complete address without a password, for example `https://agents.example.com`.',
  });
}

function sameAddress(one: string, other: string): boolean {
  return normalAddress(one) === normalAddress(other);
}

function configFolder(env: Terminal['env']): string {
  if (env.XDG_CONFIG_HOME) return env.XDG_CONFIG_HOME;
  if (env.APPDATA && process.platform === 'win32') return env.APPDATA;
  return join(env.HOME ?? homedir(), '.config');
}
