import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Status, StatusIcon, Tag } from '../ui/status.js';
import table from '../ui/table.module.css';
import { CodeText } from '../ui/word.js';
import { word } from '../data/words.js';
import { caseFindings, type CaseResult, isChanged, type Trial } from './evaluation-results.js';
import styles from './evaluations.module.css';

export interface CaseResultsProps {
  results: readonly CaseResult[];
  /** Production version with which the evaluation compares the evaluated version. Null if there was none. */
  baseline: number | null;
}

export function CaseResults({ results, baseline }: CaseResultsProps): ReactNode {
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label="Cases">
        <thead>
          <tr>
            <th scope="col">Case</th>
            <th scope="col">Result</th>
            <th scope="col">Trials</th>
            {baseline !== null && (
              <th scope="col" className={table.optional}>
                Version {baseline}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {results.map((result) => (
            <tr key={result.case} className={styles.case}>
              <td>
                <CaseName result={result} />
                <Findings trials={result.trials} />
              </td>
              <td>
                <Status value={result.status} />
              </td>
              <td>
                <Trials trials={result.trials} />
              </td>
              {baseline !== null && (
                <td className={table.optional}>
                  <Trials trials={result.baseline} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CaseName({ result }: { result: CaseResult }): ReactNode {
  const { case: name, kind } = result;
  return (
    <div className={styles.name}>
      {kind === 'recorded_run' ? (
        <Link to="/runs/$id" params={{ id: name }}>
          Recorded run {name}
        </Link>
      ) : (
        <span className={table.main}>{name}</span>
      )}{' '}
      {isChanged(result) && <Tag>changed</Tag>}
    </div>
  );
}

const SHOWN = 12;

function Findings({ trials }: { trials: readonly Trial[] }): ReactNode {
  const found = caseFindings(trials);
  if (found.length === 0) return null;
  return (
    <ul className={styles.findings}>
      {found.slice(0, SHOWN).map((each) => (
        <li key={each.text}>
          <strong>{each.trials}</strong> <CodeText text={each.text} />
        </li>
      ))}
      {found.length > SHOWN && <li>Open the runs to see the other findings.</li>}
    </ul>
  );
}

function Trials({ trials }: { trials: readonly Trial[] }): ReactNode {
  return (
    <ol className={styles.trials}>
      {trials.map(({ trial, run, status }) => (
        <li key={trial}>
          {run === null ? (
            <span className={styles.trial} title={word('status', status)}>
              <StatusIcon value={status} />
              {trial}
              <span className="visually-hidden"> {word('status', status)}</span>
            </span>
          ) : (
            <Link
              to="/runs/$id"
              params={{ id: run }}
              className={styles.trial}
              title={`${word('status', status)}: open the run`}
            >
              <StatusIcon value={status} />
              <span className="visually-hidden">Trial </span>
              {trial}
              <span className="visually-hidden"> {word('status', status)}</span>
            </Link>
          )}
        </li>
      ))}
    </ol>
  );
}
