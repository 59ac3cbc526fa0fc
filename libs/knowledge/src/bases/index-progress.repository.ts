import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

/** What is done and what is left of the work on the index of a base. */
export interface IndexCounts {
  id: string;
  done: number;
  waiting: number;
}

const COUNTS: Statement = {
  name: 'knowledge_index.counts',
  text: `select b.id,
      case when b.building is null then 0 else (select count(*)::integer from knowledge_documents d
        where d.knowledge_base_id = b.id and d.deleted_at is null and d.built_generation = b.building) end as done,
      (select count(*)::integer from knowledge_vectors v join knowledge_documents d on d.id = v.document_id and d.deleted_at is null
        where v.knowledge_base_id = b.id and v.generation in (b.generation, b.building) and v.bits is null and v.refusal is null)
        as waiting
    from knowledge_bases b where b.workspace_id = $1 and b.id = any ($2::text[])`,
};

/** Counts how far indexes are. */
@Injectable()
export class IndexProgressRepository {
  constructor(private readonly statements: Statements) {}

  counts(workspaceId: string, bases: readonly string[]): Promise<IndexCounts[]> {
    return this.statements.query<IndexCounts>(COUNTS, [workspaceId, bases]);
  }
}
