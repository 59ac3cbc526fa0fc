import { sha256 } from '@app/platform/crypto';
import { type EgressClient, EgressError } from '@app/platform/egress';
import { type GitFile } from './git-repository.js';
import { GitReadError } from './git-read-error.js';
import { IsolatedRepository } from './isolated-repository.js';
import { type Connector, connectorKind, type ItemBatch, type SourceVisit } from '../contract/connector.js';
import {
  cursorReader,
  type ItemReading,
  type KnownDocument,
  type SkippedItem,
  type SourceItem,
} from '../contract/items.js';
import { mediaKind } from '@app/platform/extraction';
import { fencedCode } from '@app/platform/markdown';
import { DocumentError } from '@app/platform/extraction';
import { SourceError } from '../contract/connector.js';
import { matchesPath } from '../shared/path-patterns.js';
import { GIT_CONFIG, type GitConfig } from './git-config.js';
import { codeType } from './source-code.js';

const BATCH = 50;
const MAX_FILE = 50 * 1024 * 1024;
const MAX_KEY = 2_000;

/** A file with an unchanged object id is not read again. */
class GitConnector implements Connector {
  readonly parallelism = 2;
  readonly isAuthoritative = false;

  constructor(private readonly egress: EgressClient) {}

  async *enumerate(visit: SourceVisit): AsyncGenerator<ItemBatch> {
    const config = visit.config as GitConfig;
    const repository = await this.fetched(config, visit.signal);
    try {
      const wanted: GitFile[] = [];
      const skipped: SkippedItem[] = [];
      for await (const file of repository.files()) {
        if (!isIncluded(file.path, config)) continue;
        const skip = skippedItem(file);
        if (skip) skipped.push(skip);
        else wanted.push(file);
      }
      // If the branch has a new commit since the checkpoint was written, the sync reads the files from the beginning.
      const { commit } = repository;
      let from = visit.checkpoint?.commit === commit ? Number(visit.checkpoint.next) : 0;
      if (from === 0) yield { items: [], skipped, total: wanted.length };
      while (from < wanted.length) {
        const files = wanted.slice(from, from + BATCH);
        from += files.length;
        const items = files.map((file) => itemOf(file, repository, config, visit));
        yield { items, total: wanted.length, checkpoint: { commit, next: from } };
      }
    } catch (error) {
      visit.signal.throwIfAborted();
      throw asSourceError(error);
    } finally {
      await repository.close();
    }
  }

  private async fetched({ url, branch, auth }: GitConfig, signal: AbortSignal): Promise<IsolatedRepository> {
    const { username, secret: password } = auth;
    const place = {
      url,
      ...(branch !== null && { branch }),
      ...(password !== undefined && { credentials: { username, password } }),
    };
    try {
      return await IsolatedRepository.fetch(place, this.egress.guard, signal);
    } catch (error) {
      throw asSourceError(error);
    }
  }
}

export const GIT = connectorKind(
  { title: 'Git repository', description: 'Text files, PDFs and Word files of a Git repository.', auth: 'secret' },
  GIT_CONFIG,
  ({ egress }) => new GitConnector(egress),
);

function asSourceError(error: unknown): unknown {
  if (error instanceof EgressError) {
    const message = `The repository cannot be reached: ${error.message}`;
    return new SourceError('repository_unreachable', message, { cause: error });
  }
  if (!(error instanceof GitReadError)) return error;
  return new SourceError(CODES[error.reason], error.message, { cause: error });
}

const CODES = {
  missing: 'repository_missing',
  refused: 'access_denied',
  too_large: 'repository_too_large',
  protocol: 'bad_answer',
} as const;

function typeOf(path: string): string | undefined {
  const kind = mediaKind('', path);
  return kind === undefined ? codeType(path) : TYPES[kind];
}

function skippedItem({ path, kind }: GitFile): SkippedItem | undefined {
  const key = path.slice(0, MAX_KEY);
  if (kind !== 'file') return { key, ...LINKS[kind] };
  if (typeOf(path) !== undefined) return undefined;
  const ending = /[^/.](\.[^/.]{1,20})$/.exec(path)?.[1];
  const type = ending === undefined ? 'this type' : `the type ${ending}`;
  return { key, code: 'unsupported_media_type', message: `Files of ${type} are not read.` };
}

function isIncluded(path: string, { include_paths, exclude_paths }: GitConfig): boolean {
  if (matchesPath(path, exclude_paths)) return false;
  return include_paths.length === 0 || matchesPath(path, include_paths);
}

function itemOf(
  { path, oid }: GitFile,
  repository: IsolatedRepository,
  config: GitConfig,
  visit: SourceVisit,
): SourceItem {
  // The URL ends with exactly one slash.
  const webUrl = config.web_url && `${config.web_url.replace(/\/+$/, '')}/`;
  const cursor = cursorReader([webUrl])(oid);
  const readItem = async (known: KnownDocument | undefined): Promise<ItemReading> => {
    if (cursor !== undefined && known?.validator?.cursor === cursor) return { kind: 'unchanged' };
    const bytes = await repository.read(oid).catch((error: unknown) => {
      throw asSourceError(error);
    });
    if (bytes.length > MAX_FILE)
      throw new DocumentError('document_too_large', `The file is larger than ${MAX_FILE / 1024 / 1024} MiB.`);
    const url = webUrl === null ? null : webUrl + path.split('/').map(encodeURIComponent).join('/');
    const kind = mediaKind('', path);
    const contentType = kind === undefined ? 'text/plain' : kind === 'markdown' ? 'text/markdown' : '';
    const { title, text: read } = await visit.extract({ bytes, contentType, url: kind === undefined ? null : path });
    const text = kind === undefined ? fencedCode(read) : read;
    const hash = sha256(Buffer.concat([bytes, Buffer.from(url ?? '')])).toString('hex');
    const document = { key: path, title: title ?? path, url, contentType: typeOf(path) ?? 'text/plain', text };
    return { kind: 'document', document: { ...document, hash, validator: { cursor } } };
  };
  return { key: path, readItem };
}

const LINKS = {
  symbolic_link: {
    code: 'symbolic_link',
    message: 'Symbolic links are not followed. The file that the link points to is read at its own path.',
  },
  submodule: {
    code: 'submodule',
    message: 'Submodules are not fetched. Create a separate source for the repository of the submodule.',
  },
} as const;

const TYPES = {
  html: 'text/html',
  markdown: 'text/markdown',
  text: 'text/plain',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
} as const;
