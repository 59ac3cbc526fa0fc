import {
  byteText,
  DomainError,
  isFixtureName,
  notFound,
  type Page,
  type PageRequest,
  parameterPlace,
  toPage,
} from '@app/kernel';
import { StorageAlarmService, type Transaction, Transactions } from '@app/platform/database';
import { AuditLogService, type Principal } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { FileContentsService, type IncomingContent } from './content/file-contents.service.js';
import type { StoredContent } from './records/stored-content.js';
import { fileTooLarge } from './file-room.service.js';
import { FileUploadsService } from './file-uploads.service.js';
import { type FilesConfig, filesConfig } from './files.config.js';
import type { FileEntity } from './records/file.entity.js';
import { FileRepository } from './records/file.repository.js';
import { type Fixture, FixtureStore } from './records/fixture.store.js';

const MAX_BYTES = 500 * 1024 * 1024;

/** Named files that the cases of evaluations use. They do not count towards the quota, and never expire. */
@Injectable()
export class FixturesService {
  constructor(
    private readonly fixtures: FixtureStore,
    private readonly files: FileRepository,
    private readonly contents: FileContentsService,
    private readonly uploads: FileUploadsService,
    private readonly storage: StorageAlarmService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLogService,
    @Inject(filesConfig.KEY) private readonly config: FilesConfig,
  ) {}

  /**
   * Returns whether the fixture is new. Calls `receive` after all checks that need no body. If the fixture has the same bytes and type already, nothing
   * changes. Evaluations in progress keep the bytes that they began with.
   * @param announcedBytes 0 if the sender did not announce its length
   * @throws DomainError `invalid_request` (the name), `rate_limited`, `file_too_large`, `file_quota_exceeded`,
   * `file_refused`, `unavailable`, and the errors of `receive`
   */
  async put(
    actor: Principal,
    name: string,
    announcedBytes: number,
    receive: () => Omit<IncomingContent, 'filename'>,
  ): Promise<boolean> {
    const { workspaceId } = actor;
    if (!isFixtureName(name)) throw invalidName();
    return this.uploads.takingPlace(async () => {
      this.storage.assertOff();
      const others = await this.fixtures.bytes(workspaceId, name);
      const check = (bytes: number): void => {
        if (bytes > this.config.maxFileBytes) throw fileTooLarge(this.config.maxFileBytes);
        assertRoom(others + bytes);
      };
      check(announcedBytes);
      const content = await this.contents.write(workspaceId, { ...receive(), filename: name }, check);
      const former = await this.transactions
        .run((transaction) => this.replace(actor, name, content, transaction))
        .catch(async (error: unknown) => {
          await this.contents.removeAfter(error, [content.id]);
          throw error;
        });
      if (former === 'equal') await this.contents.remove([content.id]);
      else if (former) await this.discard(workspaceId, former.id);
      return former === undefined;
    });
  }

  async list(workspaceId: string, page: PageRequest): Promise<Page<Fixture>> {
    return toPage(await this.fixtures.page(workspaceId, page), page.limit);
  }

  /** @throws DomainError `not_found` */
  async get(workspaceId: string, name: string): Promise<Fixture> {
    const [fixture] = isFixtureName(name) ? await this.fixtures.find(workspaceId, [name]) : [];
    if (!fixture) throw notFound('fixture', name);
    return fixture;
  }

  async missing(workspaceId: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const known = new Set((await this.fixtures.find(workspaceId, names)).map(({ name }) => name));
    return new Set(names.filter((name) => !known.has(name)));
  }

  /**
   * Evaluations that use its bytes keep them.
   * @throws DomainError `not_found`
   */
  async delete(actor: Principal, name: string): Promise<void> {
    const { workspaceId } = actor;
    const file = await this.transactions.run(async (transaction) => {
      await this.fixtures.lock(workspaceId, transaction, 'change');
      const id = isFixtureName(name) ? await this.fixtures.delete(workspaceId, name, transaction) : undefined;
      if (id === undefined) throw notFound('fixture', name);
      await this.audit.record(actor, { action: 'fixture.delete', target: name, detail: {} }, transaction);
      return id;
    });
    await this.discard(workspaceId, file);
  }

  /** Returns the fixture that was replaced, `equal` if it stays, or undefined if there was none. */
  private async replace(
    actor: Principal,
    name: string,
    content: StoredContent,
    transaction: Transaction,
  ): Promise<Fixture | 'equal' | undefined> {
    const { workspaceId, email: createdBy } = actor;
    await this.fixtures.lock(workspaceId, transaction, 'change');
    const [former] = await this.fixtures.find(workspaceId, [name], transaction);
    if (former && isEqual(former.file, content)) return 'equal';
    assertRoom((await this.fixtures.bytes(workspaceId, name, transaction)) + content.bytes);
    const origin = { source: 'fixture', sourceRun: null, sourceStep: null } as const;
    await this.fixtures.set(name, { ...content, workspaceId, ...origin, expiresAt: null, createdBy }, transaction);
    const { bytes, sha256 } = content;
    const action = former ? 'fixture.update' : 'fixture.create';
    await this.audit.record(actor, { action, target: name, detail: { bytes, sha256 } }, transaction);
    return former;
  }

  /** Bytes that a run or an evaluation uses stay. */
  private async discard(workspaceId: string, id: string): Promise<void> {
    await this.contents.remove(await this.files.deleteUnused(workspaceId, [id]));
  }
}

/** A fixture whose bytes are missing is no equal, so that it can be sent again. */
function isEqual(file: FileEntity, content: StoredContent): boolean {
  const { sha256, declaredContentType, bytesMissingAt } = file;
  return bytesMissingAt === null && sha256 === content.sha256 && declaredContentType === content.declaredContentType;
}

/** @throws DomainError `file_quota_exceeded` */
function assertRoom(bytes: number): void {
  if (bytes <= MAX_BYTES) return;
  const detail = `The fixtures of the workspace would be larger than ${byteText(MAX_BYTES)} together. Delete fixtures.`;
  throw new DomainError('file_quota_exceeded', detail, { extensions: { limit_bytes: MAX_BYTES } });
}

function invalidName(): DomainError {
  const detail = 'A name has 1 to 128 letters, digits, `.`, `_` and `-`, and begins with a letter or a digit.';
  return new DomainError('invalid_request', detail, { errors: [parameterPlace('name', detail)] });
}
