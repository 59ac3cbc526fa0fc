import { Groups } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { DefinitionWarning, GroupMention } from '@app/definition';

/** Whether the groups whose members a definition asks for approval are there. */
@Injectable()
export class NamedGroups {
  constructor(private readonly groups: Groups) {}

  /**
   * A warning for each mention of a group that is not there. No mistake: it may be created later, and until then what
   * only its members may decide expires.
   */
  async warnings(workspaceId: string, mentions: readonly GroupMention[]): Promise<DefinitionWarning[]> {
    const missing = await this.groups.missing(workspaceId, [...new Set(mentions.map(({ group }) => group))]);
    return mentions
      .filter(({ group }) => missing.has(group))
      .map(({ group, place }) => ({
        ...place(),
        detail: `There is no group ${JSON.stringify(group)}: nobody can decide as a member of it.`,
        suggestion: 'Create it with POST /v1/groups.',
      }));
  }
}
