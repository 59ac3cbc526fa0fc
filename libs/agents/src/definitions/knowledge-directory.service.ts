import { Injectable } from '@nestjs/common';
import type { DefinitionWarning, KnowledgeMention } from '@app/definition';

export type UnknownBases = (workspaceId: string, names: readonly string[]) => Promise<ReadonlySet<string>>;

/** This lib does not depend on the knowledge lib, so the app registers the function that looks them up. */
@Injectable()
export class KnowledgeDirectoryService {
  private unknown: UnknownBases | undefined;

  lookUpWith(unknown: UnknownBases): void {
    this.unknown = unknown;
  }

  /** Until it exists, retrievals from it are denied. */
  async warnings(workspaceId: string, mentions: readonly KnowledgeMention[]): Promise<DefinitionWarning[]> {
    const names = [...new Set(mentions.map(({ base }) => base))];
    if (!this.unknown || names.length === 0) return [];
    const unknown = await this.unknown(workspaceId, names);
    return mentions
      .filter(({ base }) => unknown.has(base))
      .map(({ base, place }) => ({
        ...place(),
        detail: `There is no knowledge base ${JSON.stringify(base)}, so retrievals from it are denied.`,
        suggestion: 'Create it with POST /v1/knowledge-bases, then grant it to the agent.',
      }));
  }
}
