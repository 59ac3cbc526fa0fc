import type { ReactNode } from 'react';
import type { Agent, AgentVersion } from '../data/api.js';
import type { Evaluation } from '../evaluations/evaluation-results.js';
import { type Gate, GateEvidence } from '../release/gate.js';
import { Button } from '../ui/button.js';
import { Card, Disclosure, Facts } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status, Tag } from '../ui/status.js';
import styles from './compare.module.css';
import { EvaluationHistory } from './evaluation-history.js';
import { type GateRules, gateRules } from './version-range.js';

export function GateCard(props: { agent: Agent; version: AgentVersion; gate: Gate }): ReactNode {
  const { agent, version, gate } = props;
  const { evaluation } = gate;
  const rules = gateRules(version.definition);
  return (
    <Card
      title={`Gate of version ${version.version}`}
      actions={
        <Button refusal={gate.refusal} onClick={gate.evaluate}>
          Evaluate
        </Button>
      }
    >
      <ProblemAlert error={gate.error} />
      {rules === undefined ? (
        <p>The definition has no gate, so the version can be promoted without an evaluation.</p>
      ) : (
        <Facts facts={rules.gate.map(([name, value]) => [name, value] as const)} />
      )}
      {evaluation ? <GateEvidence evaluation={evaluation} /> : <p>This version has not been evaluated yet.</p>}
      {rules && <Cases rules={rules} evaluation={evaluation} />}
      {evaluation && (
        <Disclosure summary="All evaluations of this version">
          <EvaluationHistory agent={agent.id} version={version.version} />
        </Disclosure>
      )}
    </Card>
  );
}

function Cases({ rules, evaluation }: { rules: GateRules; evaluation: Evaluation | undefined }): ReactNode {
  const statusOf = (name: string): string | undefined =>
    evaluation?.results.find((result) => result.case === name)?.status;
  return (
    <ul className={styles.cases} aria-label="Cases">
      {rules.cases.map(({ name, tags, assertions }) => (
        <li key={name}>
          <span>{name}</span>
          {tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
          <span className={styles.quiet}>{assertions === 1 ? '1 assertion' : `${assertions} assertions`}</span>
          <Status value={statusOf(name) ?? 'not evaluated'} />
        </li>
      ))}
      {rules.replaysRuns && (
        <li>
          <span>Recorded runs are replayed as well.</span>
        </li>
      )}
    </ul>
  );
}
