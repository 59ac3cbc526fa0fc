import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { pathText } from '../live/trace-rows.js';
import { formatCount } from '../ui/format-values.js';
import { JsonTree } from '../ui/json-tree.js';
import { JsonView } from '../ui/json-view.js';
import { Disclosure } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import styles from './turn-view.module.css';
import type { Turn } from './transcript-types.js';
import { messageData, useEarlierTurns } from './turns.js';

type Prompt = NonNullable<Turn['prompt']>;
type Message = NonNullable<Turn['messages']>[number];

const HIDDEN = 'Hidden, because the agent redacts values that cannot be found in text reliably.';
const MISSING =
  'Not recorded: the call is in progress, nothing was sent, or the service does not record messages (TRACE_MESSAGES=off).';

/** The messages of the turns before this one, which are folded, so that what is new comes first. */
export function EarlierMessages({ run, turn }: { run: string; turn: Turn }): ReactNode {
  const { earlier, error } = useEarlierTurns(run, turn);
  if (earlier === undefined || earlier.messages === 0) return <ProblemAlert error={error} />;
  const { turns, messages, isPart } = earlier;
  return (
    <Disclosure
      summary={`${isPart ? 'First ' : ''}${formatCount(messages)} earlier ${messages === 1 ? 'message' : 'messages'}`}
    >
      {turns.map((each) => (
        <TurnView key={each.n} run={run} turn={each} />
      ))}
    </Disclosure>
  );
}

/** Shows what the turn added to the conversation, and the answer. */
export function TurnView({ run, turn }: { run: string; turn: Turn }): ReactNode {
  const { messages, answer, redacted, path } = turn;
  return (
    <div className={styles.turn}>
      {messages === null && <p className={styles.quiet}>{redacted ? HIDDEN : MISSING}</p>}
      {messages?.map((message, at) => (
        <MessageView key={at} message={message} />
      ))}
      {answer === null && messages !== null && <p className={styles.quiet}>No answer.</p>}
      {answer !== null && (
        <article className={styles.answer} aria-label={`Answer of ${pathText(path)}`}>
          <h3>Model</h3>
          {answer.reasoning !== undefined && (
            <Disclosure summary="Reasoning">
              <p className={styles.text} dir="auto">
                {answer.reasoning}
              </p>
            </Disclosure>
          )}
          {answer.text !== '' && (
            <p className={styles.text} dir="auto">
              {answer.text}
            </p>
          )}
          {answer.calls.map(({ id, name, input }) => (
            <JsonTree key={id} label={`Calls ${name}`} value={input} />
          ))}
        </article>
      )}
      <p className={styles.quiet}>
        <Link
          to="/runs/$id"
          params={{ id: run }}
          search={(before) => ({ ...before, step: String(turn.n) })}
          resetScroll={false}
        >
          Step {turn.n}
        </Link>
      </p>
    </div>
  );
}

function MessageView({ message: { role, text = '', name, result, truncated } }: { message: Message }): ReactNode {
  const data = messageData(text);
  return (
    <article className={styles.message} aria-label={role === 'tool' ? `Result of ${name}` : 'Message'}>
      <h3>{role === 'tool' ? 'Tool' : 'User'}</h3>
      {role === 'tool' && <JsonTree label={`Result of ${name}`} value={result} />}
      {role !== 'tool' && data !== undefined && <JsonTree label={data.words} value={data.data} />}
      {role !== 'tool' && data === undefined && (
        <p className={styles.text} dir="auto">
          {text}
        </p>
      )}
      {truncated === true && <p className={styles.quiet}>Only the beginning is recorded.</p>}
    </article>
  );
}

export function SystemPrompt({ prompt }: { prompt: Prompt }): ReactNode {
  return (
    <>
      <JsonView label="System prompt" value={prompt.system} />
      {prompt.response_format !== undefined && <JsonTree label="Response format" value={prompt.response_format} />}
      {prompt.truncated === true && <p className={styles.quiet}>Only the beginning is recorded.</p>}
    </>
  );
}

export function OfferedTools({ prompt }: { prompt: Prompt }): ReactNode {
  if (prompt.tools.length === 0) return <p className={styles.quiet}>The model got no tools.</p>;
  return (
    <ul className={styles.tools}>
      {prompt.tools.map(({ name, description, input_schema: schema }) => (
        <li key={name}>
          <h3>
            <code>{name}</code>
          </h3>
          {description !== '' && <p dir="auto">{description}</p>}
          <Disclosure summary="Arguments">
            <JsonTree label={`Schema of ${name}`} value={schema} />
          </Disclosure>
        </li>
      ))}
    </ul>
  );
}
