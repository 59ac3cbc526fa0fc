import type { Access } from './knowledge-types.js';

/** The readers as a person edits them: lists of texts have one entry a line. */
export interface AccessTexts {
  users: string;
  groups: string;
  channels: string;
  agents: readonly string[];
}

export function textsOfAccess({ users, groups, channels, agents }: Access): AccessTexts {
  return { users: users.join('\n'), groups: groups.join('\n'), channels: channels.join('\n'), agents };
}

/** The complete list of readers, entries as they were typed. Empty lines are no entries. */
export function accessOf({ users, groups, channels, agents }: AccessTexts): Omit<Access, 'data'> {
  return { users: linesOf(users), groups: linesOf(groups), channels: linesOf(channels), agents: [...agents] };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
