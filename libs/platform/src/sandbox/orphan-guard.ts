import { type ChildProcess, spawn } from 'node:child_process';

/** The input ends when the service ends, also after SIGKILL; then ends the processes that are in the list. */
const SCRIPT = `trap '' INT TERM HUP
list=
while read -r sign pid; do
  kept=
  for each in $list; do [ "$each" = "$pid" ] || kept="$kept $each"; done
  list=$kept
  if [ "$sign" = + ]; then list="$list $pid"; fi
done
[ -z "$list" ] || kill -KILL $list`;

const guarded = new Set<number>();
let guard: ChildProcess | undefined;

/** @returns a function that must be called when the process has ended */
export function guardProcess(pid: number): () => void {
  guarded.add(pid);
  if (guard) tell('+', pid);
  else startGuard();
  return () => {
    guarded.delete(pid);
    tell('-', pid);
  };
}

function startGuard(): void {
  const started = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, env: {}, stdio: ['pipe', 'ignore', 'ignore'] });
  const forget = (): void => {
    if (guard === started) guard = undefined;
  };
  started.on('error', forget).on('exit', forget).unref();
  started.stdin.on('error', forget);
  guard = started;
  for (const pid of guarded) tell('+', pid);
}

function tell(sign: '+' | '-', pid: number): void {
  guard?.stdin?.write(`${sign} ${pid}\n`);
}
