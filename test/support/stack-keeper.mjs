/**
 * Keeps the processes that the test files of a jest worker share, and the browser that all test files share, because a
 * test file ends and a jest worker may be replaced. The global setup starts this program, and it ends with the main
 * process of jest. It starts what a test file asks for, and knows nothing of the service.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer as createDoor } from 'node:net';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream';

const STOP_WITHIN_MS = 60_000;
const TAIL_CHARACTERS = 5_000;

const stacks = new Map();
/** Promise of the browser that runs, or undefined. */
let browser;

/** What a test file can ask for. The first argument is the key of a stack. */
const operations = {
  /**
   * Creates a stack without programs. Each door is a port that passes connections to the port that {@link lead} has set
   * last. The service has addresses of servers in its environment, and each test file has servers of its own.
   */
  async create(key, { doors }) {
    const opened = Object.fromEntries(await Promise.all(doors.map(openDoor)));
    const stack = { facts: undefined, programs: [], doors: opened, logs: new Map() };
    stacks.set(key, stack);
    return describe(stack);
  },
  /** Keeps what the test files must know about the stack. */
  async remember(key, facts) {
    stacks.get(key).facts = facts;
  },
  async launch(key, { name, args, env }) {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    const { logs, programs } = stacks.get(key);
    const program = { name, child, log: '', tail: '', exit: undefined };
    const keep = (text) => {
      program.log += text;
      logs.set(child.pid, (logs.get(child.pid) ?? '') + text);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', keep);
    program.ended = once(child, 'close').then(([code, signal]) => (program.exit = signal ?? `exit ${code}`));
    child.on('error', (error) => keep(String(error)));
    programs.push(program);
    return describeProgram(program);
  },
  /** Ends a program with the signal, and returns how it exited. It is no longer part of the stack. */
  async remove(key, { pid, signal }) {
    const stack = stacks.get(key);
    const program = stack.programs.find(({ child }) => child.pid === pid);
    stack.programs = stack.programs.filter((other) => other !== program);
    await stop(program, signal);
    return describeProgram(program);
  },
  async lead(key, { door, port }) {
    stacks.get(key).doors[door].target = port;
  },
  /** Returns the output of one program, or of all of them, since the last call of `forget`. */
  async log(key, { pid }) {
    const { logs } = stacks.get(key);
    return pid === undefined ? [...logs.values()].join('') : (logs.get(pid) ?? '');
  },
  async forget(key) {
    stacks.get(key).logs.clear();
  },
  /** Returns the stack with the output of its programs since the last call, or null. */
  async look(key) {
    return stacks.has(key) ? describe(stacks.get(key)) : null;
  },
  async end(key) {
    const stack = stacks.get(key);
    stacks.delete(key);
    if (stack === undefined) return null;
    await Promise.all(stack.programs.map((program) => stop(program)));
    for (const { server } of Object.values(stack.doors)) server.close();
    return describe(stack);
  },
  /** Starts the browser, unless it runs. Returns the address to which Playwright connects. */
  async browse(_key, options) {
    browser ??= launchBrowser(options);
    return (await browser).wsEndpoint();
  },
};

/** Its contexts end with the connection of the test file that has opened them. */
async function launchBrowser(options) {
  try {
    const { chromium } = await import('playwright-core');
    const server = await chromium.launchServer({ ...options, host: '127.0.0.1', handleSIGTERM: false });
    server.once('close', () => (browser = undefined));
    return server;
  } catch (error) {
    browser = undefined;
    throw error;
  }
}

function describe({ facts, programs, doors }) {
  return {
    facts,
    doors: Object.fromEntries(Object.entries(doors).map(([name, { port }]) => [name, port])),
    programs: programs.map(describeProgram),
  };
}

function describeProgram(program) {
  const { name, child, exit, log } = program;
  program.tail = (program.tail + log).slice(-TAIL_CHARACTERS);
  program.log = '';
  return { name, pid: child.pid, exit, log: exit === undefined ? log : program.tail };
}

async function openDoor(name) {
  const door = { target: undefined };
  door.server = createDoor((outer) => {
    if (door.target === undefined) return outer.destroy();
    const inner = connect(door.target, '127.0.0.1');
    for (const [from, to] of [
      [outer, inner],
      [inner, outer],
    ])
      pipeline(from, to, () => undefined);
  }).listen(0, '127.0.0.1');
  await once(door.server, 'listening');
  door.port = door.server.address().port;
  return [name, door];
}

async function stop({ child, ended }, signal = 'SIGTERM') {
  child.kill(signal);
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(patience);
}

async function endAll() {
  const closed = browser?.then((server) => server.close()).catch(() => undefined);
  await Promise.all([closed, ...[...stacks.keys()].map((key) => operations.end(key))]);
  process.exit();
}

// Whoever knows the path can start programs.
const path = `/${randomBytes(16).toString('hex')}`;
const server = createServer(async (request, response) => {
  if (request.url !== path) return response.writeHead(404).end();
  try {
    const [operation, key, parameters] = await json(request);
    response.end(JSON.stringify((await operations[operation](key, parameters)) ?? null));
  } catch (error) {
    response.writeHead(500).end(String(error?.stack ?? error));
  }
}).listen(0, '127.0.0.1');
// A test that reuses a connection in the moment in which the server closes it would fail.
server.keepAliveTimeout = 0;
await once(server, 'listening');
process.once('disconnect', endAll);
process.once('SIGTERM', endAll);
process.send(`http://127.0.0.1:${server.address().port}${path}`);
