import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FileSource, FileStatus } from './file-status.js';

/** The time at which a file expires that a fixture has. In Postgres, it is infinity. */
export const NEVER = new Date(8_640_000_000_000_000);

const TIME = {
  from: (value: Date | number | null): Date | null => (typeof value === 'number' ? NEVER : value),
  to: (value: Date | null): Date | number | null => (value === NEVER ? Infinity : value),
};

/** They never change. */
@Entity('files')
export class FileEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
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

  /** Time from which the file counts as deleted if no run refers to it. {@link NEVER} while a fixture has the file. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true, transformer: TIME })
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
