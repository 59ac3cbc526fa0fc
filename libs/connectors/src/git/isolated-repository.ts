import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isolatedEnvironment } from '@app/platform/config';
import { ConfinedProcess, type ConfinedProgram, ProcessEnded, SandboxFailure } from '@app/platform/sandbox';
import { EgressError, type EgressReason } from '@app/platform/egress';
import type { FetchRequest } from './git-process.js';
import { GitReadError, type GitReadFailure } from './git-read-error.js';
import type { GitFile, GitPlace } from './git-repository.js';
import type { HostGuard } from '@app/platform/egress';

export interface RepositorySettings extends ConfinedProgram {
  maxPackBytes: number;
  fetchMillis: number;
  readMillis: number;
  mostFiles: number;
}

const SETTINGS: RepositorySettings = {
  maxPackBytes: 128 * 1024 * 1024,
  fetchMillis: 10 * 60_000,
  readMillis: 60_000,
  mostFiles: 500_000,
  heapMegabytes: 768,
  memoryMegabytes: 1_536,
  // Reading a large pack blocks the event loop of the child process for a long time.
  blockedMillis: 2 * 60_000,
  program: fileURLToPath(new URL('./git-process.js', import.meta.url)),
};

/** A child process starts slowly on a busy machine. */
const GRACE_MILLIS = 15_000;

/** The tenant chooses the git server, so a confined child process parses the responses of the server. */
export class IsolatedRepository {
  private constructor(
    private readonly child: ConfinedProcess,
    private readonly gitdir: string,
    private readonly settings: RepositorySettings,
    readonly commit: string,
  ) {}

  /**
   * Fetches the head of the branch, through an egress client with the rules of `guard`.
   * @throws GitReadError; EgressError if the host cannot be reached or is not allowed; the abort reason if the signal
   * aborts
   */
  static async fetch(
    place: GitPlace,
    guard: HostGuard,
    signal: AbortSignal,
    changed: Partial<RepositorySettings> = {},
  ): Promise<IsolatedRepository> {
    signal.throwIfAborted();
    const settings = { ...SETTINGS, ...changed };
    const { maxPackBytes, fetchMillis } = settings;
    const gitdir = await mkdtemp(join(tmpdir(), 'aas-git-'));
    const child = new ConfinedProcess({ ...settings, environment: isolatedEnvironment(), folder: gitdir });
    const kill = (): void => child.kill();
    signal.addEventListener('abort', kill);
    try {
      const request: FetchRequest = { place, gitdir, allow: guard.allow, maxPackBytes, fetchMillis };
      const commit = await child.call<string>('fetch', request, fetchMillis + GRACE_MILLIS);
      return new IsolatedRepository(child, gitdir, settings, commit);
    } catch (error) {
      await remove(child, gitdir);
      signal.throwIfAborted();
      throw explained(error);
    } finally {
      signal.removeEventListener('abort', kill);
    }
  }

  async *files(): AsyncGenerator<GitFile> {
    for (let count = 0; ;) {
      const listed = await this.call<GitFile[]>('list', undefined);
      if (listed.length === 0) return;
      count += listed.length;
      if (count > this.settings.mostFiles)
        throw new GitReadError('too_large', `The repository has more than ${this.settings.mostFiles} files.`);
      yield* listed;
    }
  }

  read(oid: string): Promise<Uint8Array> {
    return this.call('read', oid);
  }

  close(): Promise<void> {
    return remove(this.child, this.gitdir);
  }

  private async call<Value>(method: string, argument: unknown): Promise<Value> {
    try {
      return await this.child.call<Value>(method, argument, this.settings.readMillis);
    } catch (error) {
      throw explained(error);
    }
  }
}

/** Removes the folder after the process has ended, because the process writes into the folder until then. */
async function remove(child: ConfinedProcess, gitdir: string): Promise<void> {
  child.kill();
  await child.ended;
  await rm(gitdir, { recursive: true, force: true });
}

function explained(error: unknown): unknown {
  if (error instanceof ProcessEnded)
    return new GitReadError('protocol', `The repository cannot be read. ${error.message}`, { cause: error });
  if (!(error instanceof SandboxFailure)) return error;
  const { reason, sent } = error.details;
  if (error.name === 'EgressError')
    return new EgressError(reason as EgressReason, error.message, { sent: sent === true, cause: error });
  const known = error.name === 'GitReadError' ? (reason as GitReadFailure) : 'protocol';
  return new GitReadError(known, error.message, { cause: error });
}
