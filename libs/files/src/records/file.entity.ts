import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { FileSource, FileStatus } from './file-status.js';

/** A file of a workspace. Its bytes are in the storage, under the id of the row. They never change. */
@Entity('files')
@Check('files_status_ck', `status in ('ready', 'deleted')`)
@Check('files_key_ck', `(status = 'ready') = (key is not null) and (status = 'deleted') = (deleted_at is not null)`)
@ForeignKey('WorkspaceEntity', ['workspaceId'], ['id'], { name: 'files_workspace_fk' })
@Index('files_list_ix', ['workspaceId', 'id'])
@Index('files_expired_ix', ['expiresAt'], { where: `status = 'ready'` })
@Index('files_deleted_ix', ['deletedAt'], { where: `status = 'deleted'` })
export class FileEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'files_pk' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** The cleaned name. */
  @Column({ type: 'text' })
  filename: string;

  /** The type that the bytes have. */
  @Column({ name: 'content_type', type: 'text' })
  contentType: string;

  /** The type that the sender declared. Null if it declared none. */
  @Column({ name: 'declared_content_type', type: 'text', nullable: true })
  declaredContentType: string | null;

  @Column({ type: 'bigint', transformer: { from: Number, to: (value: number) => value } })
  bytes: number;

  /** SHA-256 of the bytes, in hexadecimal. */
  @Column({ type: 'text', collation: 'C' })
  sha256: string;

  @Column({ type: 'text', default: 'ready' })
  status: FileStatus;

  @Column({ type: 'text' })
  source: FileSource;

  /** The key of the bytes, sealed for this row. Null if the file is deleted, so that its bytes cannot be read. */
  @Column({ type: 'bytea', nullable: true })
  key: Buffer | null;

  /** Time from which the file counts as deleted. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  /** E-mail address of the member who uploaded the file. */
  @Column({ name: 'created_by', type: 'text', nullable: true })
  createdBy: string | null;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt: Date | null;
}
