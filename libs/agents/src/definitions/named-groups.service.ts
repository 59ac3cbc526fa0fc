import { Groups } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { DefinitionWarning, GroupMention } from '@app/definition';

@Injectable()
export class NamedGroups {
  constructor(private readonly groups: Groups) {}

  /**
   * Returns one warning for each reference to a group that does not exist. It is not an error, because the group may be
   * created later. Until then, approvals that only its members may decide expire.
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
