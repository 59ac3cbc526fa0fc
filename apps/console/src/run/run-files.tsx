import type { ReactNode } from 'react';
import { aas, type Run } from '../data/api.js';
import { jsonOrText } from '../data/json-or-text.js';
import { type PagedList, usePagedList } from '../data/paged-list.js';
import { type FileEntry, FileRows } from '../files/file-row.js';
import { filesIn, valueOfFile } from '../files/file-value.js';
import styles from '../files/files.module.css';
import { Button } from '../ui/button.js';
import { ProblemAlert } from '../ui/problem.js';
import { type AnyStep, stepValues } from './step-facts.js';

type Place = Awaited<ReturnType<typeof aas.runs.files>>['data'][number];

const SHOWN_PLACES = 3;

function usePlaces(run: Run): PagedList<Place> {
  return usePagedList(
    ['run', run.id, 'files', run.status],
    (page) => aas.runs.files(run.id, { ...page, order: 'asc', limit: 100 }),
    { changesSoon: () => run.ended_at === null && run.waiting === null },
  );
}

/** Lists each file of the run once, with the places at which the run refers to it. */
export function RunFiles({ run }: { run: Run }): ReactNode {
  const list = usePlaces(run);
  const files = [...entriesOf(list.items).values()];
  if (files.length === 0) return <ProblemAlert error={list.error} />;
  return (
    <section className={styles.section} aria-label="Files">
      <h3>Files</h3>
      <FileRows files={files} />
      {list.hasMore && (
        <Button onClick={list.readMore} refusal={list.isReadingMore ? 'The next page is being read.' : null}>
          Show more
        </Button>
      )}
    </section>
  );
}

/** Lists the files that the step has received, sent or made. */
export function StepFiles({ run, step }: { run: Run; step: AnyStep }): ReactNode {
  const { items } = usePlaces(run);
  const entries = entriesOf(items.filter((place) => place.step !== null && place.step === step.path));
  const known = entriesOf(items);
  // Summaries of responses are texts.
  const values = stepValues(step).map(([, value]) => (typeof value === 'string' ? jsonOrText(value) : value));
  for (const file of filesIn(values)) entries.set(file.file, { file, stored: known.get(file.file)?.stored });
  if (entries.size === 0) return null;
  return (
    <section className={styles.section} aria-label="Files of the step">
      <h3>Files</h3>
      <FileRows files={[...entries.values()]} />
    </section>
  );
}

function entriesOf(places: readonly Place[]): Map<string, FileEntry> {
  const found = new Map<string, { place: Place; paths: string[] }>();
  for (const place of places) {
    const known = found.get(place.file.id);
    if (known) known.paths.push(place.path);
    else found.set(place.file.id, { place, paths: [place.path] });
  }
  return new Map(
    [...found].map(([id, { place, paths }]) => [
      id,
      { file: valueOfFile(place.file), stored: place.file, note: <Paths paths={paths} /> },
    ]),
  );
}

function Paths({ paths }: { paths: readonly string[] }): ReactNode {
  const more = paths.length - SHOWN_PLACES;
  return (
    <>
      <code>{paths.slice(0, SHOWN_PLACES).join(', ')}</code>
      {more > 0 && ` and ${more} more`}
    </>
  );
}
