import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useQuery,
} from '@tanstack/react-query';
import { aas } from '../data/api.js';
import { type EarlierTurns, earlierTurns } from './earlier-turns.js';
import type { Transcript, Turn } from './transcript-types.js';

const PAGE = 20;
const MOST_EARLIER = 100;

/** Reads one turn. `version` changes when the turn must be read again. Null if the run has no turn at this position. */
export function useTurn(
  run: string,
  n: number | null | undefined,
  version: string,
): { turn: Turn | null | undefined; error: unknown } {
  const { data: turn, error } = useQuery({
    queryKey: ['run', run, 'turn', n, version],
    queryFn: () => readTurn(run, n ?? 0),
    enabled: typeof n === 'number',
    staleTime: Infinity,
  });
  return { turn, error };
}

async function readTurn(run: string, n: number): Promise<Turn | null> {
  const { turns } = await aas.runs.transcript(run, { after_n: n - 1, limit: 1 });
  return turns.find((turn) => turn.n === n) ?? null;
}

export function useEarlierTurns(run: string, turn: Turn): { earlier: EarlierTurns | undefined; error: unknown } {
  const { data: earlier, error } = useQuery({
    queryKey: ['run', run, 'earlier', turn.n],
    queryFn: async () =>
      earlierTurns(await aas.runs.transcript(run, { after_n: (turn.prompt_n ?? 1) - 1, limit: MOST_EARLIER }), turn),
    enabled: !/(^|\.)turn\[1\]$/.test(turn.path),
    staleTime: Infinity,
  });
  return { earlier, error };
}

/** Reads the turns page by page. `version` changes when further turns may have been recorded. */
export function useTranscript(run: string, version: number): UseInfiniteQueryResult<InfiniteData<Transcript>> {
  return useInfiniteQuery({
    queryKey: ['run', run, 'transcript', version],
    queryFn: ({ pageParam }) => aas.runs.transcript(run, { after_n: pageParam, limit: PAGE }),
    initialPageParam: 0,
    getNextPageParam: (page: Transcript) => page.next_after_n,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

/** Splits a message with data of the run into its words and the JSON, which the service escapes inside a tag. */
export function messageData(text: string): { words: string; data: unknown } | undefined {
  const [, words, json] = /^(.*)\n<(?:input|passages)>\n(.*)\n<\/(?:input|passages)>$/s.exec(text) ?? [];
  if (words === undefined || json === undefined) return undefined;
  try {
    return { words, data: JSON.parse(json) as unknown };
  } catch {
    return undefined;
  }
}
