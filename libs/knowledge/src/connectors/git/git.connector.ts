import { sha256 } from '@app/platform/crypto';
import {
  EgressClient,
  EgressError,
  fetchRepository,
  type GitFile,
  GitReadError,
  type GitRepository,
} from '@app/platform/egress';
import { Injectable } from '@nestjs/common';
import type { KnownDocument } from '../../documents/document-marks.repository.js';
import { mediaKind } from '../../extraction/media-kind.js';
import type { Brought, Connector, ItemBatch, SourceItem, SourceVisit } from '../connector.js';
import { cursorReader } from '../read-cursor.js';
import { DocumentError, SourceError } from '../source-error.js';
import { matchesPath } from '../website/page-address.js';
import type { GitConfig } from './git-config.js';

const BATCH = 50;
/** Bytes of a commit's files as they are sent, compressed: they are in memory while they are read. */
const LARGEST_PACK = 128 * 1024 * 1024;
/** Bytes of one file. */
const LARGEST_FILE = 50 * 1024 * 1024;

/** The readable files of a branch. The id of a file's content says whether it has changed. */
@Injectable()
export class GitConnector implements Connector {
  readonly parallelism = 2;
  readonly isAuthoritative = false;

  constructor(private readonly egress: EgressClient) {}

  async *enumerate(visit: SourceVisit): AsyncGenerator<ItemBatch> {
    const config = visit.config as GitConfig;
    const repository = await this.fetched(config, visit.signal);
    try {
      const wanted: GitFile[] = [];
      for await (const file of repository.files()) if (isWanted(file.path, config)) wanted.push(file);
      // A branch that has moved on in the meantime is gone through from its beginning.
      const { commit } = repository;
      let from = visit.checkpoint?.commit === commit ? Number(visit.checkpoint.next) : 0;
      while (from < wanted.length) {
        const files = wanted.slice(from, from + BATCH);
        from += files.length;
        const items = files.map((file) => itemOf(file, repository, config, visit));
        yield { items, total: wanted.length, checkpoint: { commit, next: from } };
      }
    } finally {
      await repository.close();
    }
  }

  private async fetched({ url, branch, auth }: GitConfig, signal: AbortSignal): Promise<GitRepository> {
    const { username, secret: password } = auth;
    const place = {
      url,
      ...(branch !== null && { branch }),
      ...(password !== undefined && { credentials: { username, password } }),
    };
    try {
      return await fetchRepository(place, this.egress, { signal, maxPackBytes: LARGEST_PACK });
    } catch (error) {
      if (error instanceof EgressError) {
        const message = `The repository cannot be reached: ${error.message}`;
        throw new SourceError('repository_unreachable', message, { cause: error });
      }
      if (!(error instanceof GitReadError)) throw error;
      throw new SourceError(CODES[error.reason], error.message, { cause: error });
    }
  }
}

const CODES = {
  missing: 'repository_missing',
  refused: 'access_denied',
  too_large: 'repository_too_large',
  protocol: 'bad_answer',
} as const;

function isWanted(path: string, { include_paths, exclude_paths }: GitConfig): boolean {
  if (mediaKind('', path) === undefined || matchesPath(path, exclude_paths)) return false;
  return include_paths.length === 0 || matchesPath(path, include_paths);
}

function itemOf({ path, oid }: GitFile, repository: GitRepository, config: GitConfig, visit: SourceVisit): SourceItem {
  // With exactly one slash before the path.
  const webUrl = config.web_url && `${config.web_url.replace(/\/+$/, '')}/`;
  const cursor = cursorReader([webUrl])(oid);
  const bring = async (known: KnownDocument | undefined): Promise<Brought> => {
    if (cursor !== undefined && known?.validator?.cursor === cursor) return { kind: 'unchanged' };
    const bytes = await repository.read(oid);
    if (bytes.length > LARGEST_FILE)
      throw new DocumentError('document_too_large', `The file is larger than ${LARGEST_FILE / 1024 / 1024} MiB.`);
    const url = webUrl === null ? null : webUrl + path.split('/').map(encodeURIComponent).join('/');
    const contentType = mediaKind('', path) === 'markdown' ? 'text/markdown' : '';
    const { title, text } = await visit.extract({ bytes, contentType, url: path });
    const hash = sha256(Buffer.concat([bytes, Buffer.from(url ?? '')])).toString('hex');
    const document = { key: path, title: title ?? path, url, contentType: TYPES[mediaKind('', path) ?? 'text'], text };
    return { kind: 'document', document: { ...document, hash, validator: { cursor } } };
  };
  return { key: path, bring };
}

const TYPES = {
  html: 'text/html',
  markdown: 'text/markdown',
  text: 'text/plain',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
} as const;
