import { ForwardedHistograms, Metrics } from './index.js';

describe('the metrics', () => {
  it('are rendered for Prometheus, with the ones of the process', async () => {
    const metrics = new Metrics();
    metrics.counter({ name: 'aas_runs_total', help: 'Runs.', labels: ['status'] }).inc({ status: 'succeeded' }, 2);
    metrics.histogram({ name: 'aas_run_seconds', help: 'Durations.' }, [0.1, 1]).observe(0.5);
    let depth = 1;
    metrics.gauge({ name: 'aas_queue_depth', help: 'Waiting.' }, (gauge) => gauge.set(depth));
    metrics.gauge({ name: 'aas_workers', help: 'Workers.' }).set(4);
    depth = 7;
    const { contentType, text } = await metrics.render();
    expect(contentType).toMatch(/^text\/plain/);
    expect(text).toContain('aas_runs_total{status="succeeded"} 2');
    expect(text).toContain('aas_run_seconds_bucket{le="1"} 1');
    expect(text).toContain('aas_queue_depth 7');
    expect(text).toContain('aas_workers 4');
    expect(text).toContain('nodejs_eventloop_lag_seconds');
  });

  it('have a delay of the event loop at the first reading', async () => {
    const { text } = await new Metrics().render();
    const lowest = Number(/^nodejs_eventloop_lag_min_seconds (.*)$/m.exec(text)?.[1]);
    expect(lowest).toBeGreaterThan(0);
    expect(lowest).toBeLessThan(3_600);
  });

  it('count what another thread has measured', async () => {
    const metrics = new Metrics();
    const other = new ForwardedHistograms((measurement) => metrics.count(structuredClone(measurement)));
    for (const each of [metrics, other]) {
      each
        .histogram({ name: 'aas_request_seconds', help: 'Durations.', labels: ['route', 'status'] }, [1])
        .labels('/a', '200')
        .observe(0.5);
      each.histogram({ name: 'aas_stop_seconds', help: 'Durations.' }, [1]).observe(2);
    }
    const { text } = await metrics.render();
    expect(text).toContain('aas_request_seconds_bucket{le="1",route="/a",status="200"} 2');
    expect(text).toContain('aas_stop_seconds_sum 4');
  });

  it('refuse a second declaration under one name', () => {
    const metrics = new Metrics();
    metrics.counter({ name: 'aas_x_total', help: 'X.' });
    expect(() => metrics.counter({ name: 'aas_x_total', help: 'X.' })).toThrow();
  });
});
