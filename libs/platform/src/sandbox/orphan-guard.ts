import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads lines `+ <pid>` and `- <pid>`. The input ends when the service ends, also after SIGKILL; then ends the processes
 * that are in the list. A terminal sends its signals to the whole process group, so this script ignores them.
 */
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

/**
 * Ends the process when the service ends, even if the process is in an endless loop and does not notice it.
 * @returns a function that must be called when the process has ended
 */
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
  // If the script has ended, the next process starts a new one.
  started.stdin.on('error', forget);
  guard = started;
  for (const pid of guarded) tell('+', pid);
}

function tell(sign: '+' | '-', pid: number): void {
  guard?.stdin?.write(`${sign} ${pid}\n`);
}
