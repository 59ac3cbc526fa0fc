import { periodText } from '../data/words.js';

interface DeclaredTrigger {
  id?: unknown;
  type?: unknown;
  auth?: { scheme?: unknown; secret?: unknown };
  respond?: { wait?: unknown };
  tool?: unknown;
  every?: unknown;
}

/**
 * Returns sentences about the triggers, by trigger id. For a webhook trigger, they say how senders may authenticate and
 * whether the caller waits for the output of the run. For a poll trigger, they say which tool it calls.
 */
export function triggerDetails(definition: unknown): ReadonlyMap<string, readonly string[]> {
  const { triggers } = (definition ?? {}) as { triggers?: unknown };
  const declared = Array.isArray(triggers) ? (triggers as DeclaredTrigger[]) : [];
  return new Map(declared.map((trigger) => [String(trigger.id), detailsOf(trigger)]));
}

function detailsOf({ type, auth, respond, tool, every }: DeclaredTrigger): string[] {
  if (type === 'poll') return [`Calls ${String(tool)} every ${periodText(String(every))}.`];
  return [
    ...(auth
      ? [`Also accepts deliveries authenticated by the scheme ${String(auth.scheme)} with ${secretOf(auth.secret)}.`]
      : []),
    ...(respond ? [`The caller waits up to ${waitOf(respond.wait)} for the output of the run.`] : []),
  ];
}

function waitOf(wait: unknown): string {
  return periodText(typeof wait === 'string' ? wait : '10s');
}

/** Converts the reference `${{ secrets.NAME }}` to the text `the secret NAME`. */
function secretOf(reference: unknown): string {
  const name = /secrets\.(\w+)/.exec(String(reference))?.[1];
  return name === undefined ? 'a secret' : `the secret ${name}`;
}
