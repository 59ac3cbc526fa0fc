import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { SYNC_STATUSES } from '@app/knowledge';

export class SyncProgressResource {
  @ApiProperty({ type: 'integer', description: 'Documents come by, failed ones included.' })
  seen: number;

  @ApiProperty({ type: 'integer' })
  added: number;

  @ApiProperty({ type: 'integer' })
  updated: number;

  @ApiProperty({ type: 'integer' })
  unchanged: number;

  @ApiProperty({ type: 'integer' })
  deleted: number;

  @ApiProperty({ type: 'integer' })
  failed: number;

  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Where it is known; of a crawl, the pages found so far.',
  })
  total?: number;
}

@ApiSchema({ name: 'SyncError' })
export class SyncErrorResource {
  @ApiProperty({ example: 'site_unreachable' })
  code: string;

  @ApiProperty({ description: 'For people.' })
  message: string;
}

@ApiSchema({ name: 'DocumentFailure' })
export class DocumentFailureResource {
  @ApiProperty({ description: 'URL, name or key of the document.' })
  key: string;

  @ApiProperty({ example: 'document_unreadable' })
  code: string;

  @ApiProperty()
  message: string;
}

@ApiSchema({ name: 'SkippedItems' })
export class SkippedItemsResource {
  @ApiProperty({ type: 'integer' })
  count: number;

  @ApiProperty({ type: [DocumentFailureResource], description: 'The first hundred, with the reason for each.' })
  items: DocumentFailureResource[];
}

@ApiSchema({ name: 'HeldDeletions' })
export class HeldDeletionsResource {
  @ApiProperty({ type: 'integer', description: 'Documents that the source has no more, and that were kept.' })
  count: number;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  confirmed_at: string | null;

  @ApiProperty({ nullable: true, type: String })
  confirmed_by: string | null;
}

@ApiSchema({ name: 'Sync' })
export class SyncResource {
  @ApiProperty({ example: 'syn_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty()
  source: string;

  @ApiProperty({ enum: SYNC_STATUSES })
  status: string;

  @ApiProperty({ type: SyncProgressResource })
  progress: SyncProgressResource;

  @ApiProperty({ type: [DocumentFailureResource], description: 'The first hundred.' })
  failures: DocumentFailureResource[];

  @ApiProperty({
    nullable: true,
    type: SkippedItemsResource,
    description:
      'Files of a git source that are not read, those left out by its paths excepted. Null for other sources.',
  })
  skipped: SkippedItemsResource | null;

  @ApiProperty({ nullable: true, type: SyncErrorResource })
  error: SyncErrorResource | null;

  @ApiProperty({ nullable: true, type: HeldDeletionsResource })
  held_deletions: HeldDeletionsResource | null;

  @ApiProperty({ nullable: true, type: String, description: 'E-mail address; null where the schedule asked.' })
  requested_by: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  started_at: string | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  ended_at: string | null;
}
