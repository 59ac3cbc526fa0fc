import type { ScopeExtras } from '../../compile/context/compile-context.js';

/** Collects the members of the request that a template names. */
export function noteMember(named: Set<string>): NonNullable<ScopeExtras['onMention']> {
  return (name, member) => {
    if (name === 'request' && member !== undefined) named.add(member);
  };
}
