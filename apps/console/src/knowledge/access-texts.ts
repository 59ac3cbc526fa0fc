import type { Access } from './knowledge-types.js';

/** The readers of a knowledge base as texts of form fields. Each text has one entry per line. */
export interface AccessTexts {
  users: string;
  groups: string;
  channels: string;
  agents: readonly string[];
}

export function textsOfAccess({ users, groups, channels, agents }: Access): AccessTexts {
  return { users: users.join('\n'), groups: groups.join('\n'), channels: channels.join('\n'), agents };
}

/** Converts the texts to the complete list of readers. Ignores empty lines. */
export function accessOf({ users, groups, channels, agents }: AccessTexts): Omit<Access, 'data'> {
  return { users: linesOf(users), groups: linesOf(groups), channels: linesOf(channels), agents: [...agents] };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
