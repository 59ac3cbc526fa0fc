/** Exit codes. Scripts depend on these numbers. */
export const EXIT = {
  done: 0,
  unsuccessful: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  undecided: 6,
  timedOut: 7,
  unavailable: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_CODE_MEANINGS: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [EXIT.done, 'done'],
  [
    EXIT.unsuccessful,
    'did not succeed: run failed, cancelled or handed off, invalid definition, gate failed, diff not empty',
  ],
  [EXIT.usage, 'usage: wrong arguments, or the service rejects the request as malformed'],
  [EXIT.notFound, 'not found'],
  [EXIT.notAllowed, 'not signed in, or not allowed'],
  [EXIT.conflict, 'conflict: stopped, paused, decided, name taken, or changed in the meantime'],
  [EXIT.undecided, 'undecided: gate inconclusive, evaluation required or in progress'],
  [EXIT.timedOut, '--timeout passed; the work continues'],
  [EXIT.unavailable, 'the service is unreachable, limits requests, or failed'],
  [EXIT.interrupted, 'interrupted'],
];
