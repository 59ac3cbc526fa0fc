import type { ScopeExtras } from '../../compile/context/compile-context.js';

/** Collects the properties of the request that a template reads. */
export function noteMember(named: Set<string>): NonNullable<ScopeExtras['onMention']> {
  return (name, member) => {
    if (name === 'request' && member !== undefined) named.add(member);
  };
}
