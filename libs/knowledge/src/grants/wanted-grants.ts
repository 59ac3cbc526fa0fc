import { DomainError, type ErrorPlace } from '@app/kernel';
import { parseEmailAddress } from '@app/workspace';

export const PRINCIPAL_TYPES = ['user', 'group', 'channel', 'agent'] as const;
export type PrincipalType = (typeof PRINCIPAL_TYPES)[number];

export interface GrantedTo {
  type: PrincipalType;
  principal: string;
}

export interface WantedAccess {
  users: readonly string[];
  /** A group need not exist, because membership is checked when the knowledge base is read. */
  groups: readonly string[];
  channels: readonly string[];
  agents: readonly string[];
}

type Field = keyof WantedAccess;

const CHANNEL = /^[a-z][a-z0-9_.-]{0,63}:[^\s\p{Cc}]{1,255}$/u;
const GROUP = /^(?=\S)[^\p{Cc}/]{1,200}(?<=\S)$/u;

const RULES: Record<Field, { type: PrincipalType; form: string; read: (text: string) => string | undefined }> = {
  users: { type: 'user', form: 'an e-mail address', read: parseEmailAddress },
  groups: { type: 'group', form: 'the name of a group', read: (text) => (GROUP.test(text) ? text : undefined) },
  channels: {
    type: 'channel',
    form: 'a channel such as `slack:C0123`, `<channel type>:<channel id>`',
    read: (text) => (CHANNEL.test(text.toLowerCase()) ? channelName(text) : undefined),
  },
  agents: { type: 'agent', form: 'an agent of this workspace', read: (text) => text },
};

/** The id becomes lowercase only if the type is `email`. */
function channelName(text: string): string {
  const at = text.indexOf(':');
  const [type, id] = [text.slice(0, at).toLowerCase(), text.slice(at + 1)];
  return `${type}:${type === 'email' ? id.toLowerCase() : id}`;
}

/** @throws DomainError `unknown_reference`, with a JSON Pointer to each malformed entry and each unknown agent */
export function readWantedGrants(wanted: WantedAccess, knownAgents: ReadonlySet<string>): GrantedTo[] {
  const grants = new Map<string, GrantedTo>();
  const errors: ErrorPlace[] = [];
  for (const field of Object.keys(RULES) as Field[]) {
    const { type, form, read } = RULES[field];
    for (const [index, text] of wanted[field].entries()) {
      const principal = read(text);
      if (principal === undefined || (type === 'agent' && !knownAgents.has(principal))) {
        errors.push({ pointer: `/${field}/${index}`, detail: `${JSON.stringify(text.slice(0, 320))} is not ${form}.` });
      } else {
        grants.set(`${type} ${principal}`, { type, principal });
      }
    }
  }
  if (errors.length > 0) {
    const givenNames = wanted.agents.map((name, at) => ({ kind: 'agent' as const, name, pointer: `/agents/${at}` }));
    const unknown = givenNames.filter(({ pointer }) => errors.some((place) => place.pointer === pointer));
    throw new DomainError('unknown_reference', errors[0]?.detail ?? '', { errors, givenNames: unknown });
  }
  return [...grants.values()];
}
