import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { MEMORY_OPTIONS } from '../../apps/standalone/src/service-process.js';
import { RECOMMENDED_NODE } from '../support/javascript-runtimes.js';
import { effective, parseDockerfile } from './dockerfile.js';
import { REPOSITORY_ROOT as REPOSITORY } from '../support/repository-root.js';

interface Service {
  image?: string;
  build?: { target: string };
  command?: string[];
  environment: Record<string, string | number>;
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  stop_grace_period?: string;
  read_only?: boolean;
  init?: boolean;
  profiles?: string[];
  volumes?: string[];
}

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');

const IMAGES = ['api', 'worker', 'migrate', 'standalone'];
const stages = parseDockerfile(read('docker/Dockerfile'));
const everyInstruction = [...stages.values()].flatMap(({ instructions }) => instructions);

describe('the images', () => {
  it('are built from files that exist and that .dockerignore lets through', () => {
    const allowed = read('.dockerignore').split('\n');
    const copied = everyInstruction
      .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(/\s+/).slice(0, -1));
    expect(copied).toContain('package-lock.json');
    for (const path of copied) {
      expect([path, existsSync(join(REPOSITORY, path))]).toEqual([path, true]);
      expect(allowed).toContain(`!${path}`);
    }
  });

  it('contain the release of Node.js that test:node24 tests', () => {
    const [, tag] = /^ARG NODE_IMAGE=node:([^@\n]+)@sha256:[0-9a-f]{64}$/m.exec(read('docker/Dockerfile')) ?? [];
    expect(tag).toBe(`${RECOMMENDED_NODE}-slim`);
  });

  it('take from other stages only what those have', () => {
    const taken = everyInstruction.flatMap(({ text }) => /^--from=(\S+)/.exec(text)?.[1] ?? []);
    expect(taken.filter((stage) => !stages.has(stage))).toEqual([]);
    expect(taken).not.toEqual([]);
  });

  it.each(IMAGES)('%s starts a program of this repository directly, so that it receives the signals', (image) => {
    const [program, ...options] = JSON.parse(effective(stages, image, 'CMD') ?? '[]') as string[];
    const script = options.pop() ?? '';
    expect(program).toBe('node');
    expect(options).toEqual(image === 'api' || image === 'worker' ? MEMORY_OPTIONS : []);
    const source = script.replace(/^dist\//, '').replace(/\.js$/, '.ts');
    expect([source, existsSync(join(REPOSITORY, source))]).toEqual([source, true]);
  });

  it.each(IMAGES)('%s does not run as root', (image) => {
    expect(effective(stages, image, 'USER')).toBe('node');
  });

  it.each(IMAGES)('%s says how its health is known', (image) => {
    expect(effective(stages, image, 'HEALTHCHECK')).toMatch(/^NONE$|^--.* CMD \[/);
  });

  it('contain no secret', () => {
    const named = everyInstruction.filter(
      ({ name, text }) => ['ARG', 'ENV'].includes(name) && /KEY|SECRET|PASSWORD|TOKEN/i.test(text),
    );
    expect(named).toEqual([]);
    expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['*', '**/.env*']));
  });

  it.each([
    ['is healthy while /healthz answers 200', 200, 0],
    ['is not healthy when it answers 503', 503, 1],
    ['is not healthy when no process answers', undefined, 1],
  ])('a container with a port %s', async (_title, status, exitCode) => {
    const server = createServer((request, response) =>
      response.writeHead(request.url === '/healthz' ? (status ?? 0) : 404).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    if (status === undefined) await new Promise((resolve) => server.close(resolve));
    try {
      for (const image of ['api', 'standalone']) {
        const check = effective(stages, image, 'HEALTHCHECK')?.replace(/^.* CMD \[/, '[') ?? '[]';
        const [, ...args] = JSON.parse(check) as string[];
        const exit = await new Promise<number | null>((resolve) => {
          const child = execFile(process.execPath, args, { env: { PORT: String(port) } });
          child.on('exit', resolve);
        });
        expect([image, exit]).toEqual([image, exitCode]);
      }
    } finally {
      server.close();
    }
  });
});

describe('the fleet of compose.yaml', () => {
  const text = read('docker/compose.yaml');
  const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
  const own = Object.entries(services).filter(([, { build }]) => build !== undefined);

  it('names each image of others by a whole version and its digest', () => {
    const images = Object.values(services).flatMap(({ image }) => image ?? []);
    expect(images).toHaveLength(4);
    for (const image of images) expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/);
  });

  it('runs api, worker and migrate from the targets of the Dockerfile', () => {
    expect(own.map(([name, { build }]) => [name, build?.target])).toEqual(
      ['migrate', 'api', 'worker'].map((name) => [name, name]),
    );
    expect(own.filter(([name]) => !stages.has(name))).toEqual([]);
  });

  it('passes only variables that the service reads', () => {
    const known = [...read('.env.example').matchAll(/^(?:# ?)?([A-Z0-9_]+)=/gm)].map(([, name]) => name);
    const passed = own.flatMap(([, { environment }]) => Object.keys(environment));
    expect(passed).toContain('DATABASE_URL');
    expect([...new Set(passed)].filter((name) => !known.includes(name))).toEqual([]);
  });

  it('passes every variable of .env.example to api and worker', () => {
    // The compose file does not pass these variables on. They are addresses and directories inside the containers, or
    // only `npm start` uses them.
    const fixed = ['PORT', 'HOST', 'STOP_PORT', 'WORKER_PORT', 'SMTP_LISTEN_PORT', 'DATA_DIR', 'WORKERS'];
    const names = [...read('.env.example').matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name!);
    for (const service of ['api', 'worker']) {
      const passed = services[service]!.environment;
      const without = names.filter((name) => !String(passed[name] ?? '').startsWith(`\${${name}:`));
      expect(without.filter((name) => !fixed.includes(name))).toEqual([]);
    }
  });

  it('explains every variable of its .env, and refuses to start without the secrets', () => {
    const head = text.slice(0, text.indexOf('\nname:'));
    const variables = [...text.matchAll(/\$\{([A-Z0-9_]+)(:[-?])/g)].map(([, name = '', operator]) => ({
      name,
      operator,
    }));
    const explained = `${head}\n${read('.env.example')}`;
    expect(variables.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(explained))).toEqual([]);
    const required = variables.filter(({ operator }) => operator === ':?').map(({ name }) => name);
    expect([...new Set(required)].sort()).toEqual(['ENCRYPTION_KEY', 'GRAFANA_PASSWORD', 'POSTGRES_PASSWORD']);
    expect(text).not.toMatch(/\$\{[A-Z0-9_]+\}/);
  });

  it('is prepared with commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(commands).not.toEqual([]);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('is operated with commands that exist, as docs/operations.md writes them', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const documented = [...read('docs/operations.md').matchAll(/^docker compose -f (\S+) (.*)$/gm)];
    expect(documented.length).toBeGreaterThan(4);
    for (const [, file = '', command = ''] of documented) {
      expect(file).toBe('docker/compose.yaml');
      // Without a service name, this command starts all services.
      if (command === 'up --build --detach') continue;
      const [, service] = /^(?:run --rm|exec) (\w+)/.exec(command) ?? /^up --detach --scale (\w+)=/.exec(command) ?? [];
      expect(services).toHaveProperty(String(service));
      const [, script] = /npm run ([\w:-]+)/.exec(command) ?? [];
      if (script !== undefined) expect(scripts).toHaveProperty(script);
    }
  });

  it('starts nothing before the database is migrated', () => {
    expect(services.migrate?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    for (const name of ['api', 'worker']) {
      expect(services[name]?.depends_on).toEqual({
        migrate: { condition: 'service_completed_successfully' },
        redis: { condition: 'service_healthy' },
      });
    }
    expect(services.postgres?.healthcheck?.test).toContain('pg_isready');
    expect(services.redis?.healthcheck?.test).toContain('redis-cli');
  });

  it('keeps what is in Redis', () => {
    expect(services.redis?.command?.join(' ')).toBe('redis-server --appendonly yes --maxmemory-policy noeviction');
  });

  it('starts what watches it only on demand, from files that exist', () => {
    const watching = ['prometheus', 'grafana'].map((name) => services[name]);
    for (const service of watching) expect(service?.profiles).toEqual(['observability']);
    const mounted = watching.flatMap((service) => service?.volumes ?? []).filter((volume) => volume.startsWith('./'));
    expect(mounted).toHaveLength(4);
    for (const volume of mounted) expect(existsSync(join(REPOSITORY, 'docker', volume.split(':')[0]!))).toBe(true);
    const scraped = parse(read('docker/prometheus.yaml')) as { scrape_configs: { dns_sd_configs: object[] }[] };
    expect(scraped.scrape_configs.flatMap((job) => job.dns_sd_configs)).toEqual([
      { names: ['api'], type: 'A', port: 3000 },
      { names: ['worker'], type: 'A', port: services.worker?.environment.WORKER_PORT },
    ]);
  });

  it('opens ports for requests, for the stop, for mail and for Grafana, and only to this machine by default', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    const { SMTP_LISTEN_PORT: smtp, STOP_PORT: stop } = services.api?.environment ?? {};
    expect(ports).toEqual([
      '${PUBLISH_ADDRESS:-127.0.0.1}:${PUBLISH_PORT:-3000}:3000',
      // /healthz names the port to clients, so it is the same outside of the container.
      `\${PUBLISH_ADDRESS:-127.0.0.1}:${stop}:${stop}`,
      `\${PUBLISH_ADDRESS:-127.0.0.1}:\${PUBLISH_SMTP_PORT:-2525}:${smtp}`,
      '${PUBLISH_ADDRESS:-127.0.0.1}:${PUBLISH_GRAFANA_PORT:-3001}:3000',
    ]);
  });

  it('gives a worker longer to stop than its runs get to reach a step', () => {
    expect(parseInt(services.worker?.stop_grace_period ?? '', 10)).toBeGreaterThan(25);
  });

  it.each(own)('runs %s read-only and below an init process', (_name, service) => {
    expect(service).toMatchObject({ read_only: true, init: true });
  });

  it('uses images of a named version', () => {
    const images = Object.values(services).flatMap(({ image }) => image ?? []);
    expect(images.filter((image) => !/:[a-z]*\d/.test(image))).toEqual([]);
  });
});
