import { type ReactNode, useId, useState } from 'react';
import type { Approval } from '../data/api.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { ProblemAlert } from '../ui/problem.js';
import { ANSWERS, type Decision } from './approval-view.js';
import styles from './approvals.module.css';
import { isStale } from './use-decision.js';

export interface AnswerFormProps {
  approval: Approval;
  refusal: string | null;
  error: unknown;
  comment: string;
  onComment: (comment: string) => void;
  onAnswer: (decision: Decision) => void;
}

/** Form that asks the person whether a tool call with unknown outcome took effect. */
export function AnswerForm({ approval, refusal, error, comment, onComment, onAnswer }: AnswerFormProps): ReactNode {
  const [answer, setAnswer] = useState<Decision | null>(null);
  const id = useId();
  return (
    <div className={styles.decision}>
      <fieldset className={styles.answers}>
        <legend>Did {approval.tool ?? 'the call'} take effect? Check this in the system that the tool calls.</legend>
        {approval.allowed_decisions.map((decision) => (
          <div key={decision} className={styles.answer}>
            <label>
              <input
                type="radio"
                name={id}
                checked={answer === decision}
                onChange={() => setAnswer(decision)}
                aria-describedby={`${id}-${decision}`}
              />
              {ANSWERS[decision]?.[0] ?? decision}
            </label>
            <span id={`${id}-${decision}`}>{ANSWERS[decision]?.[1]}</span>
          </div>
        ))}
      </fieldset>
      <TextField label="Comment" value={comment} onChange={onComment} multiline />
      <ProblemAlert error={isStale(error) ? null : error} />
      {refusal !== null && <p className={styles.refusal}>{refusal}</p>}
      <div className={styles.buttons}>
        <Button
          look="primary"
          refusal={refusal ?? (answer === null ? 'Choose an answer first.' : null)}
          onClick={() => answer !== null && onAnswer(answer)}
        >
          Answer
        </Button>
      </div>
    </div>
  );
}
