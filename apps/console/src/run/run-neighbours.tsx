import { type ReactNode, useState } from 'react';
import { lastList, neighboursOf } from '../runs/last-list.js';
import { Neighbours } from '../ui/neighbours.js';

/** Links to the previous and next run in the run list that the person came from. */
export function RunNeighbours({ run }: { run: string }): ReactNode {
  const [list] = useState(lastList);
  const { previous, next } = neighboursOf(run, list?.ids ?? []);
  return <Neighbours to="/runs/$id" noun="run" previous={previous} next={next} />;
}
