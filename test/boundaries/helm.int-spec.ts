import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service, ServiceAccount } from 'kubernetes-models/v1';
import { parse } from 'yaml';
import { effective, parseDockerfile } from './dockerfile.js';
import { type Manifest, renderChart } from './helm-chart.js';
import { REPOSITORY_ROOT as REPOSITORY } from '../support/repository-root.js';

const CHART = join(REPOSITORY, 'docker', 'helm');
const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');

/** Validators of manifests by kind, compiled from the schemas of Kubernetes and of KEDA. */
const SCHEMAS: Record<string, (manifest: Manifest) => void> = {
  ConfigMap: (manifest) => new ConfigMap(manifest).validate(),
  Deployment: (manifest) => new Deployment(manifest).validate(),
  Job: (manifest) => new Job(manifest).validate(),
  NetworkPolicy: (manifest) => new NetworkPolicy(manifest).validate(),
  PodDisruptionBudget: (manifest) => new PodDisruptionBudget(manifest).validate(),
  ScaledObject: (manifest) => new ScaledObject({ ...manifest, spec: manifest.spec as ScaledObject['spec'] }).validate(),
  Service: (manifest) => new Service(manifest).validate(),
  ServiceAccount: (manifest) => new ServiceAccount(manifest).validate(),
};

interface Container {
  image: string;
  env?: { name: string; value: string }[];
  envFrom: { secretRef?: { name: string }; configMapRef?: { name: string } }[];
  securityContext: object;
  ports?: { containerPort: number }[];
  volumeMounts: { mountPath: string; readOnly?: boolean }[];
  livenessProbe?: { httpGet: { path: string } };
  readinessProbe?: { httpGet: { path: string } };
}
interface Pod {
  spec: {
    template: { spec: { securityContext: object; terminationGracePeriodSeconds?: number; containers: Container[] } };
  };
}

describe('the Helm chart', () => {
  const scaled = (values: Record<string, unknown>): void => {
    Object.assign(values.autoscaling as object, { enabled: true });
  };
  const plain = renderChart(CHART);
  const autoscaled = renderChart(CHART, scaled);
  const pods = plain.filter(({ kind }) => kind === 'Deployment' || kind === 'Job') as (Manifest & Pod)[];
  const containers = pods.map((pod) => pod.spec.template.spec.containers[0]!);
  const named = (kind: string, name: string): Manifest & Pod =>
    plain.find((each) => each.kind === kind && each.metadata.name === `agents-${name}`) as Manifest & Pod;

  it.each([
    ['as it is', plain],
    ['with autoscaling', autoscaled],
  ])('makes manifests that Kubernetes and KEDA accept, %s', (_how, manifests) => {
    for (const manifest of manifests) {
      expect(SCHEMAS).toHaveProperty(manifest.kind);
      expect(() => SCHEMAS[manifest.kind]!(manifest)).not.toThrow();
    }
    const identities = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(identities).size).toBe(identities.length);
  });

  it('runs the programs of the images, migrations before everything else', () => {
    const stages = parseDockerfile(read('docker/Dockerfile'));
    expect(pods.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'Deployment agents-api',
      'Deployment agents-worker',
      'Job agents-migrate',
    ]);
    for (const name of ['api', 'worker', 'migrate']) expect(effective(stages, name, 'CMD')).toBeDefined();
    expect(named('Job', 'migrate').metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    // The objects that the hook `migrate` uses must be created before the other objects of the chart.
    expect(named('Job', 'migrate').spec.template.spec.containers[0]!.envFrom).toEqual([
      { secretRef: { name: 'agent-automation' } },
    ]);
  });

  it('sets only variables that the service reads, and secrets by reference alone', () => {
    const known = [...read('.env.example').matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name);
    const { data } = plain.find(({ kind }) => kind === 'ConfigMap') as Manifest & { data: Record<string, unknown> };
    const set = [...Object.keys(data), ...containers.flatMap(({ env = [] }) => env.map(({ name }) => name))];
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
    for (const value of Object.values(data)) expect(typeof value).toBe('string');
    expect(set.filter((name) => /KEY|SECRET|PASSWORD|DATABASE_URL|REDIS_URL|RELAY_URL|HEADERS/.test(name))).toEqual([]);
    expect(plain.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const mentioned = read('docker/helm/values.yaml').match(/\b[A-Z][A-Z0-9_]{5,}\b/g) ?? [];
    expect(mentioned.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('gives every variable of .env.example to the processes, numbers as texts', () => {
    // These variables are excluded, because the chart itself sets them or only `npm start` uses them. values.yaml
    // explains how to change their values.
    const fixed = ['PORT', 'HOST', 'STOP_PORT', 'WORKER_PORT', 'SMTP_LISTEN_PORT', 'DATA_DIR', 'WORKERS'];
    const names = [...read('.env.example').matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name!);
    const free = names.filter((name) => !fixed.includes(name));
    const env = Object.fromEntries(
      free.map((name, n) => [name, n === 0 ? 'a "text":\n  of two lines' : 1_048_576 + n]),
    );
    const manifests = renderChart(CHART, (values) => Object.assign(values, { env }));
    const { data } = manifests.find(({ kind }) => kind === 'ConfigMap') as Manifest & { data: Record<string, unknown> };
    expect(data).toEqual(Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])));
    for (const container of containers) {
      const overridden = (container.env ?? []).map(({ name }) => name);
      expect(overridden.filter((name) => !fixed.includes(name))).toEqual([]);
    }
    const explained = read('docker/helm/values.yaml');
    for (const name of fixed) expect(explained).toContain(name);
  });

  it('takes numbers wherever a value is one', () => {
    const manifests = renderChart(CHART, (values) => {
      Object.assign(values, { env: { WORKER_CONCURRENCY: 16, OTEL_TRACES_SAMPLER_ARG: 0.1 } });
      Object.assign(values.autoscaling as object, { enabled: true, dueRunsPerWorker: 50 });
    });
    for (const manifest of manifests) expect(() => SCHEMAS[manifest.kind]!(manifest)).not.toThrow();
  });

  it('mounts files that variables name, and opens the port for mail where it is wanted', () => {
    const models = 'providers: { local: { type: openai-compatible, base_url: "http://models/v1" } }\n';
    const manifests = renderChart(CHART, (values) => {
      Object.assign(values, { files: { 'models.yaml': models }, smtp: { enabled: true } });
    });
    const files = manifests.find(({ metadata }) => metadata.name === 'agents-files');
    expect(files).toMatchObject({ kind: 'ConfigMap', data: { 'models.yaml': models } });
    const service = manifests.find(({ kind }) => kind === 'Service');
    expect(JSON.stringify(service)).toContain('"name":"smtp","port":25');
    for (const manifest of manifests) expect(() => SCHEMAS[manifest.kind]!(manifest)).not.toThrow();
    for (const name of ['api', 'worker']) {
      const mounts = named('Deployment', name).spec.template.spec.containers[0]!.volumeMounts;
      expect(mounts.map(({ mountPath }) => mountPath)).toEqual(['/tmp', '/config', '/secrets']);
    }
  });

  it('runs everything as an ordinary user without privileges on a file system that cannot be written to', () => {
    for (const pod of pods) {
      const { securityContext } = pod.spec.template.spec;
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    }
    for (const container of containers) {
      const safe = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
      expect(container.securityContext).toEqual(safe);
      for (const { mountPath, readOnly } of container.volumeMounts) {
        if (mountPath !== '/tmp') expect([mountPath, readOnly]).toEqual([mountPath, true]);
      }
    }
  });

  it('gives processes longer to end than their drain takes, and keeps one of each when nodes are emptied', () => {
    for (const name of ['api', 'worker']) {
      expect(named('Deployment', name).spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(25 + 8);
      expect(named('PodDisruptionBudget', name)).toMatchObject({ spec: { minAvailable: 1 } });
    }
  });

  it('probes what stays reachable when a worker or the queue is away, at the port that the process has', () => {
    for (const [name, variable, ready] of [
      ['api', 'PORT', '/healthz'],
      ['worker', 'WORKER_PORT', '/readyz'],
    ] as const) {
      const container = named('Deployment', name).spec.template.spec.containers[0]!;
      const port = container.env?.find((each) => each.name === variable)?.value;
      expect(String(container.ports?.[0]?.containerPort)).toBe(port);
      expect([container.livenessProbe, container.readinessProbe].map((probe) => probe?.httpGet.path)).toEqual([
        '/healthz',
        ready,
      ]);
    }
    // A blocked api stays ready for the emergency stop.
    const api = named('Deployment', 'api').spec.template.spec.containers[0]!;
    const stopPort = Number(api.env?.find((each) => each.name === 'STOP_PORT')?.value);
    expect(api.ports).toContainEqual({ name: 'stop', containerPort: stopPort });
    expect(api.readinessProbe?.httpGet).toMatchObject({ port: 'stop' });
    expect(named('Service', 'api')).toMatchObject({
      spec: { ports: expect.arrayContaining([{ name: 'stop', port: stopPort, targetPort: 'stop' }]) as unknown },
    });
  });

  it('scales workers by a metric that exists, and leaves their number to the scaler then', () => {
    const workers = autoscaled.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'agents-worker');
    expect(workers).not.toHaveProperty('spec.replicas');
    const scaler = autoscaled.find(({ kind }) => kind === 'ScaledObject') as Manifest & {
      spec: { triggers: { metadata: { valueLocation: string; url: string } }[] };
    };
    const { valueLocation, url } = scaler.spec.triggers[0]!.metadata;
    expect(read('libs/runs/src/statistics/queue-metrics.service.ts')).toContain(`'${valueLocation}'`);
    expect(url).toBe('http://agents-api.tests.svc/metrics');
  });

  it('blocks the metadata service of a cloud for all processes', () => {
    const policies = plain.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies).toHaveLength(2);
    for (const policy of policies) expect(JSON.stringify(policy)).toContain('169.254.169.254/32');
  });

  it('has the version of the service', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(parse(read('docker/helm/Chart.yaml'))).toMatchObject({ appVersion: version });
  });
});
