import { type AccessTokens, CONNECTOR_KINDS, SourceError, type SourceItem, type SourceVisit } from '@app/connectors';
import { DomainError } from '@app/kernel';
import { DocumentError, ExtractionService } from '@app/platform/extraction';
import { invalidRequest } from '@app/platform/json-shape';
import { Injectable } from '@nestjs/common';
import { KnowledgeBasesService } from '../bases/knowledge-bases.service.js';
import type { DocumentFailure } from '../syncs/claimed-sync.js';
import { SourceConnectorsService } from '../syncs/source-connectors.service.js';
import { PagesInMemory } from './pages-in-memory.js';
import { knownConnector } from './source-config.js';
import { SourceSettingsService, type WantedSource } from './source-settings.service.js';
import type { SyncError } from './store/source-status.js';

const TEST_MILLIS = 15_000;
const MAX_READ = 5;
/** A test starts processes and reads documents in the api, which also has to answer other requests. */
const TESTS_AT_ONCE = 3;

export interface SourceTest {
  /** Number of documents that the source lists. */
  documents: number;
  /** False if the test ended before the source had listed all its documents. */
  isComplete: boolean;
  titles: string[];
  failures: DocumentFailure[];
  /** Null if the source can be read. */
  error: SyncError | null;
}

@Injectable()
export class SourceTestsService {
  private running = 0;

  constructor(
    private readonly bases: KnowledgeBasesService,
    private readonly settings: SourceSettingsService,
    private readonly connectors: SourceConnectorsService,
    private readonly extraction: ExtractionService,
  ) {}

  /**
   * Reads the first documents of a source and stores nothing.
   * @throws DomainError `not_found` (no such knowledge base), `invalid_request` with pointers, `unknown_reference` (no
   * such secret), `unavailable` if too many tests are in progress
   */
  async test(workspaceId: string, knowledgeBaseId: string, wanted: WantedSource): Promise<SourceTest> {
    await this.bases.get(workspaceId, knowledgeBaseId);
    const kind = knownConnector(wanted.connector);
    if (kind === 'upload') {
      const detail = 'A source of uploaded documents reads no other system, so it cannot be tested.';
      throw invalidRequest([{ pointer: '/connector', detail }]);
    }
    const config = await this.settings.readConfig(workspaceId, wanted);
    if (this.running >= TESTS_AT_ONCE)
      throw new DomainError('unavailable', 'Other sources are being tested. Try again in 15 seconds.');
    this.running += 1;
    const signal = AbortSignal.timeout(TEST_MILLIS);
    const result: SourceTest = { documents: 0, isComplete: false, titles: [], failures: [], error: null };
    try {
      const open = await this.connectors.openKind(workspaceId, CONNECTOR_KINDS[kind], config);
      await this.look(open.connector.enumerate(this.visit(open.config, signal)), result, signal);
    } catch (error) {
      if (signal.aborted) result.error = result.titles.length === 0 ? TOO_SLOW : null;
      else if (error instanceof SourceError) result.error = { code: error.code, message: error.message };
      else throw error;
    } finally {
      this.running -= 1;
    }
    return result;
  }

  private visit(config: SourceVisit['config'], signal: AbortSignal): SourceVisit {
    return {
      config,
      signal,
      checkpoint: null,
      pages: new PagesInMemory(),
      tokens: NO_TOKENS,
      extract: (request) => this.extraction.extract(request, signal),
      reportIncomplete: () => undefined,
    };
  }

  private async look(
    batches: ReturnType<SourceConnector['enumerate']>,
    result: SourceTest,
    signal: AbortSignal,
  ): Promise<void> {
    let listed = 0;
    let read = 0;
    for await (const { items, total, visited } of batches) {
      signal.throwIfAborted();
      listed += items.length;
      result.documents = Math.max(result.documents, total ?? listed);
      for (const item of items.slice(0, MAX_READ - read)) await readInto(result, item);
      read += Math.min(items.length, MAX_READ - read);
      // The total of a crawl grows with each page that is read.
      result.isComplete = total !== undefined && visited === undefined;
      if (read >= MAX_READ) return;
    }
    result.isComplete = true;
  }
}

type SourceConnector = Awaited<ReturnType<SourceConnectorsService['openKind']>>['connector'];

async function readInto({ titles, failures }: SourceTest, item: SourceItem): Promise<void> {
  const fail = (code: string, message: string): void => {
    failures.push({ key: item.key.slice(0, 2_000), code, message });
  };
  try {
    const reading = await item.readItem(undefined);
    if (reading.kind === 'document') titles.push(reading.document.title.slice(0, 500));
    if (reading.kind === 'absent' && reading.failure) fail(reading.failure.code, reading.failure.message);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    fail(error.code, error.message);
  }
}

const TOO_SLOW = { code: 'timeout', message: 'The source did not respond within 15 seconds. A sync waits longer.' };

const refuse = (): Promise<never> =>
  Promise.reject(new SourceError('authorization_missing', 'A person must authorise the source first.'));
const NO_TOKENS: AccessTokens = { accessToken: refuse, renewToken: refuse, rejectRevoked: refuse };
