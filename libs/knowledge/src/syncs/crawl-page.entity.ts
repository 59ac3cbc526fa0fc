import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KnowledgeSyncEntity } from './knowledge-sync.entity.js';

/** A page that the crawl of a sync has found. When the sync ends, its rows are deleted. */
@Entity('knowledge_crawl_pages')
@Index('knowledge_crawl_pages_open_ix', ['syncId', 'n'], { where: 'not visited' })
@ForeignKey(() => KnowledgeSyncEntity, ['syncId'], ['id'], {
  name: 'knowledge_crawl_pages_sync_fk',
  onDelete: 'CASCADE',
})
export class CrawlPageEntity {
  @PrimaryColumn({
    name: 'sync_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'knowledge_crawl_pages_pk',
  })
  syncId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_crawl_pages_pk' })
  url: string;

  /** Number of links from a start page to this page. */
  @Column({ type: 'integer' })
  depth: number;

  /** Increases in the order in which the pages were found. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'BY DEFAULT' })
  n: string;

  @Column({ type: 'boolean', default: false })
  visited: boolean;
}
