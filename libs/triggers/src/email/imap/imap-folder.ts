import { fileURLToPath } from 'node:url';
import { DomainError } from '@app/kernel';
import { isolatedEnvironment } from '@app/platform/config';
import { ConfinedProcess, type ConfinedProgram, ProcessEnded, SandboxFailure } from '@app/platform/sandbox';
import type { HostGuard } from '@app/platform/egress';
import type { FolderAnswer, FolderMethod, FolderRequest, OpenFolderRequest } from './imap-process.js';
import type { ImapLogin, MailWindow } from './imap-session.js';

export interface FolderSettings extends ConfinedProgram {
  /** If the server sends a larger mail, the connection is closed. */
  largest: number;
  openMillis: number;
  callMillis: number;
}

const SETTINGS: Omit<FolderSettings, 'largest'> = {
  openMillis: 30_000,
  callMillis: 120_000,
  heapMegabytes: 512,
  memoryMegabytes: 1_024,
  blockedMillis: 10_000,
  program: fileURLToPath(new URL('./imap-process.js', import.meta.url)),
};

/** The only ports below 1024 that an account may use: 143 (plain with STARTTLS) and 993 (TLS). */
const IMAP_PORTS = [143, 993];
/** It is longer than five minutes, because the session ends its wait after five minutes without data. */
const CHANGE_MILLIS = 7 * 60_000;
const GRACE_MILLIS = 15_000;
/** A mail is read in windows of this size, so that no process holds it as a whole. */
const WINDOW_BYTES = 512 * 1024;

interface Shared {
  process: ConfinedProcess;
  folders: number;
}

/**
 * The folders of a workspace share one process, because a process needs about 80 MB. A hostile server can disturb only
 * the connections of the workspace that uses it.
 */
const processes = new Map<string, Shared>();
let lastFolder = 0;

/** A mail that is read is not marked as read. */
export class ImapFolder {
  private isUsable = true;

  private constructor(
    private readonly id: number,
    private readonly shared: Shared,
    private readonly owner: string,
    private readonly settings: FolderSettings,
    readonly uidValidity: bigint,
  ) {}

  /** @throws Error with a message for users; EgressError if the egress rules block the host */
  static async open(
    login: ImapLogin,
    guard: HostGuard,
    workspaceId: string,
    changed: Pick<FolderSettings, 'largest'> & Partial<FolderSettings>,
  ): Promise<ImapFolder> {
    const settings = { ...SETTINGS, ...changed };
    const [target] = await guard.resolve(login.host, login.port, IMAP_PORTS);
    const shared = acquire(workspaceId, settings);
    const { openMillis: millis, largest } = settings;
    const folder = ++lastFolder;
    try {
      const request: OpenFolderRequest = { folder, login, address: target?.address ?? '', largest, millis };
      const uidValidity = await shared.process.call<bigint>('open', request, millis + GRACE_MILLIS);
      return new ImapFolder(folder, shared, workspaceId, settings, uidValidity);
    } catch (error) {
      release(workspaceId, shared);
      throw explained(error);
    }
  }

  /**
   * Returns the uid before the first mail that the server received at or after `since`. If there is no such mail,
   * returns the greatest uid.
   */
  uidBefore(since: Date): Promise<number> {
    return this.call('uidBefore', since);
  }

  uidsAfter(lastUid: number): Promise<number[]> {
    return this.call('uidsAfter', lastUid);
  }

  /** Returns the size in bytes, or undefined if the mail no longer exists. */
  sizeOf(uid: number): Promise<number | undefined> {
    return this.call('sizeOf', uid);
  }

  /** Returns the bytes of a mail, in windows, or undefined if the mail no longer exists. */
  async read(uid: number): Promise<AsyncIterable<Buffer> | undefined> {
    const first = await this.window(uid, 0);
    return first && this.windowsFrom(uid, first);
  }

  /** @throws DomainError `payload_too_large` if the mail is larger than the server has announced */
  private async *windowsFrom(uid: number, first: Buffer): AsyncGenerator<Buffer> {
    let window: Buffer | undefined = first;
    for (let start = 0; window && window.length > 0; window = await this.window(uid, start)) {
      start += window.length;
      if (start > this.settings.largest) throw new DomainError('payload_too_large', 'The mail is too large.');
      yield window;
      if (window.length < WINDOW_BYTES) return;
    }
  }

  private async window(uid: number, start: number): Promise<Buffer | undefined> {
    const window: MailWindow = { uid, start, maxLength: WINDOW_BYTES };
    const bytes = await this.call<Uint8Array | undefined>('read', window);
    return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  changed(): Promise<void> {
    return this.call('changed', undefined, CHANGE_MILLIS);
  }

  get isOpen(): boolean {
    return this.isUsable && this.shared.process.isRunning;
  }

  close(): void {
    if (!this.isUsable) return;
    this.isUsable = false;
    const { process } = this.shared;
    // An error of this call is ignored. A process that does not respond is killed when its last folder closes, or by
    // its watchdog.
    void process.call('close', this.id, this.settings.callMillis).catch(() => undefined);
    release(this.owner, this.shared);
  }

  private async call<Value>(
    method: FolderMethod,
    argument: unknown,
    millis: number = this.settings.callMillis,
  ): Promise<Value> {
    try {
      const request: FolderRequest = { folder: this.id, method, argument, millis };
      const answer = await this.shared.process.call<FolderAnswer>('call', request, millis + GRACE_MILLIS);
      if (!answer.isOpen) this.close();
      return answer.value as Value;
    } catch (error) {
      this.close();
      throw explained(error);
    }
  }
}

function acquire(owner: string, settings: FolderSettings): Shared {
  const known = processes.get(owner);
  const shared = known?.process.isRunning
    ? known
    : { process: new ConfinedProcess({ ...settings, environment: isolatedEnvironment() }), folders: 0 };
  processes.set(owner, shared);
  shared.folders += 1;
  return shared;
}

function release(owner: string, shared: Shared): void {
  shared.folders -= 1;
  if (shared.folders > 0) return;
  if (processes.get(owner) === shared) processes.delete(owner);
  shared.process.kill();
}

function explained(error: unknown): unknown {
  if (error instanceof ProcessEnded)
    return new Error(`The IMAP connection has been ended. ${error.message}`, { cause: error });
  if (!(error instanceof SandboxFailure)) return error;
  const { responseText, authenticationFailed } = error.details;
  return Object.assign(new Error(error.message, { cause: error }), { responseText, authenticationFailed });
}
