import { Injectable } from '@nestjs/common';
import type { DefinitionWarning, KnowledgeMention } from '@app/definition';

/** Those of the names that no knowledge base of the workspace has, neither as its id nor as its name. */
export type UnknownBases = (workspaceId: string, names: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Whether the knowledge bases that definitions name are there. Agents do not know knowledge bases: the app that has
 * both says who does. Until it has, nothing is said of them.
 */
@Injectable()
export class KnowledgeDirectory {
  private unknown: UnknownBases | undefined;

  askedOf(unknown: UnknownBases): void {
    this.unknown = unknown;
  }

  /**
   * A warning for each mention of a base that is not there. No mistake: it may be created later, or belong to the
   * installation that the definition moves to, and until then retrievals are denied like those of a base that is not
   * granted.
   */
  async warnings(workspaceId: string, mentions: readonly KnowledgeMention[]): Promise<DefinitionWarning[]> {
    const names = [...new Set(mentions.map(({ base }) => base))];
    if (!this.unknown || names.length === 0) return [];
    const unknown = await this.unknown(workspaceId, names);
    return mentions
      .filter(({ base }) => unknown.has(base))
      .map(({ base, place }) => ({
        ...place(),
        detail: `There is no knowledge base ${JSON.stringify(base)}: retrievals from it are denied.`,
        suggestion: 'Create it with POST /v1/knowledge-bases, then grant it to the agent.',
      }));
  }
}
