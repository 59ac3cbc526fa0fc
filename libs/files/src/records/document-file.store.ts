import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { DOCUMENT_SOURCE } from './file-status.js';
import type { StoredContent } from './stored-content.js';

export interface DocumentFile {
  id: string;
  workspaceId: string;
  bytes: number;
  key: Buffer;
  bytesMissingAt: Date | null;
}

const FIND: Statement = {
  name: 'files.documents',
  text: `select id, workspace_id as "workspaceId", bytes::float8 as bytes, key, bytes_missing_at as "bytesMissingAt"
    from files where workspace_id = $1 and id = any ($2) and source = '${DOCUMENT_SOURCE}'`,
};

const SUM: Statement = {
  name: 'files.document_bytes',
  text: `select coalesce(sum(bytes), 0)::float8 as bytes from files where workspace_id = $1 and source = '${DOCUMENT_SOURCE}'`,
};

const INSERT = `insert into files
    (id, workspace_id, filename, content_type, declared_content_type, bytes, sha256, source, key, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, '${DOCUMENT_SOURCE}', $8, $9)`;

const DELETE = `delete from files where workspace_id = $1 and id = any ($2) and source = '${DOCUMENT_SOURCE}'`;

@Injectable()
export class DocumentFileStore {
  constructor(private readonly statements: Statements) {}

  find(workspaceId: string, ids: readonly string[]): Promise<DocumentFile[]> {
    return this.statements.query<DocumentFile>(FIND, [workspaceId, ids]);
  }

  async bytes(workspaceId: string): Promise<number> {
    return (await this.statements.query<{ bytes: number }>(SUM, [workspaceId]))[0]?.bytes ?? 0;
  }

  async insert(
    workspaceId: string,
    content: StoredContent,
    createdBy: string | null,
    { manager }: Transaction,
  ): Promise<void> {
    const { id, filename, contentType, declaredContentType, bytes, sha256, key } = content;
    const names = [filename, contentType, declaredContentType];
    await manager.query(INSERT, [id, workspaceId, ...names, bytes, sha256, key, createdBy]);
  }

  async delete(workspaceId: string, ids: readonly string[], { manager }: Transaction): Promise<void> {
    await manager.query(DELETE, [workspaceId, ids]);
  }
}
