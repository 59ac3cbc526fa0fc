import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { FileSource, FileStatus } from './file-status.js';

/** They never change. */
@Entity('files')
@Check('files_status_ck', `status in ('ready', 'deleted')`)
@Check('files_key_ck', `(status = 'ready') = (key is not null) and (status = 'deleted') = (deleted_at is not null)`)
@ForeignKey('WorkspaceEntity', ['workspaceId'], ['id'], { name: 'files_workspace_fk' })
@Index('files_list_ix', ['workspaceId', 'id'])
@Index('files_unused_ix', ['expiresAt'], { where: `status = 'ready' and used_until is null` })
@Index('files_used_ix', ['usedUntil'], { where: `status = 'ready' and used_until is not null` })
@Index('files_source_run_ix', ['sourceRun'], { where: 'source_run is not null' })
@Index('files_written_uq', ['workspaceId', 'writeKey'], { unique: true, where: 'write_key is not null' })
@Index('files_missing_ix', ['workspaceId'], { where: `status = 'ready' and bytes_missing_at is not null` })
@Index('files_deleted_ix', ['deletedAt'], { where: `status = 'deleted'` })
export class FileEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'files_pk' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text' })
  filename: string;

  @Column({ name: 'content_type', type: 'text' })
  contentType: string;

  @Column({ name: 'declared_content_type', type: 'text', nullable: true })
  declaredContentType: string | null;

  @Column({ type: 'bigint', transformer: { from: Number, to: (value: number) => value } })
  bytes: number;

  @Column({ type: 'text', collation: 'C' })
  sha256: string;

  @Column({ type: 'text', default: 'ready' })
  status: FileStatus;

  @Column({ type: 'text' })
  source: FileSource;

  @Column({ name: 'source_run', type: 'text', collation: 'C', nullable: true })
  sourceRun: string | null;

  @Column({ name: 'source_step', type: 'text', collation: 'C', nullable: true })
  sourceStep: string | null;

  /** The key of the bytes, sealed for this row. Null if the file is deleted, so that its bytes cannot be read. */
  @Column({ type: 'bytea', nullable: true })
  key: Buffer | null;

  /** Time from which the file counts as deleted if no run refers to it. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  /** End of the last run that refers to the file. Infinity while such a run has not ended. Null if there is none. */
  @Column({ name: 'used_until', type: 'timestamptz', precision: 3, nullable: true })
  usedUntil: Date | number | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'created_by', type: 'text', nullable: true })
  createdBy: string | null;

  /** SHA-256 that identifies the idempotent write which stored the file. Null if no such write did. */
  @Column({ name: 'write_key', type: 'bytea', nullable: true })
  writeKey: Buffer | null;

  /** Time at which a process did not find the bytes, or found others. Null if the last such read succeeded. */
  @Column({ name: 'bytes_missing_at', type: 'timestamptz', precision: 3, nullable: true })
  bytesMissingAt: Date | null;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt: Date | null;
}
