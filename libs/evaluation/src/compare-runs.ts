import { canonicalJson } from '@app/kernel';
import {
  callsOf,
  type CallDifference,
  errored,
  type GradedRun,
  type GradedStep,
  type TrialGrade,
  ungradable,
} from './grade.js';

type MadeCall = GradedStep & { tool: string };

/**
 * Grades the repetition of a recorded run. It passes if it has the same status as the recorded run and makes the same
 * write calls in the same order. Other differences, such as different read calls, are listed but do not affect the
 * grade.
 */
export function compareRuns(recorded: GradedRun, repeated: GradedRun): TrialGrade {
  const unfit = ungradable(repeated);
  if (unfit !== undefined) return errored(unfit);
  const differences = differencesOf(callsOf(recorded), callsOf(repeated));
  const writes = (run: GradedRun): string =>
    canonicalJson(
      callsOf(run)
        .filter(isWrite)
        .map(({ tool, request }) => [tool, request]),
    );
  const endsAlike = repeated.status === recorded.status;
  const same = endsAlike && writes(recorded) === writes(repeated);
  const status = {
    type: 'status' as const,
    result: endsAlike ? ('passed' as const) : ('failed' as const),
    message: endsAlike
      ? null
      : `The run ended as ${repeated.status}, but the recorded run ended as ${recorded.status}.`,
  };
  return { result: same ? 'passed' : 'failed', error: null, assertions: [status], differences };
}

function differencesOf(recorded: readonly MadeCall[], made: readonly MadeCall[]): CallDifference[] {
  const [before, now] = [recorded, made].map((calls) => new Map(calls.map((call) => [call.path, call])));
  const paths = [...new Set([...(before?.keys() ?? []), ...(now?.keys() ?? [])])];
  return paths.flatMap((path): CallDifference[] => {
    const [was, is] = [before?.get(path), now?.get(path)];
    if (was && is && canonicalJson(callOf(was)) === canonicalJson(callOf(is))) return [];
    const kind = was ? (is ? 'instead' : 'missing') : 'additional';
    const difference = { kind, path, recorded: was ? callOf(was) : null, made: is ? callOf(is) : null } as const;
    return [{ ...difference, message: messageOf(difference) }];
  });
}

function callOf({ tool, request }: MadeCall): { tool: string; request: NonNullable<GradedStep['request']> } {
  return { tool, request: request ?? {} };
}

function messageOf({ recorded, made }: Pick<CallDifference, 'recorded' | 'made'>): string {
  const shown = (call: typeof made): string => (call ? `${call.tool} with ${canonicalJson(call.request)}` : '');
  if (!recorded) return `This version would also have called ${shown(made)}.`;
  if (!made) return `This version would not have called ${shown(recorded)}.`;
  return `This version would have called ${shown(made)} instead of ${shown(recorded)}.`;
}

function isWrite({ scope }: MadeCall): boolean {
  return scope === 'write';
}
