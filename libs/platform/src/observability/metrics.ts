import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

/** What every metric says about itself. Names follow Prometheus: `aas_…_total`, `aas_…_seconds`. */
export interface MetricDescription<Label extends string> {
  name: string;
  help: string;
  /** Names of the labels. Their values must come from small closed sets, never from ids or user input. */
  labels?: readonly Label[];
}

/** A metric and its values, as plain data. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>;

/** The metrics of this process, with Node's own (event loop, memory, garbage collection). Each is declared once, by its owner. */
export class Metrics {
  private readonly registry = new Registry();
  private included: readonly MetricValues[] = [];

  /** `ofNode`: whether Node's own metrics are part. They describe the whole process, so only its main thread reports them. */
  constructor({ ofNode = true } = {}) {
    if (ofNode) collectDefaultMetrics({ register: this.registry });
  }

  /** Adds what another thread of the process has counted to what is counted here. Replaces what that thread reported before. */
  include(metrics: readonly MetricValues[]): void {
    this.included = metrics;
  }

  /** With `read`, the value is asked for whenever the metrics are; otherwise it is what was counted here. */
  counter<Label extends string = never>(
    { name, help, labels = [] }: MetricDescription<Label>,
    read?: (counter: Counter<Label>) => void | Promise<void>,
  ): Counter<Label> {
    const counter: Counter<Label> = new Counter({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      collect: () => read?.(counter),
    });
    return counter;
  }

  /** `buckets` in the unit that the name says, ascending. */
  histogram<Label extends string = never>(
    { name, help, labels = [] }: MetricDescription<Label>,
    buckets: readonly number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [this.registry] });
  }

  /** With `read`, the value is asked for whenever the metrics are; otherwise it is what was set last. */
  gauge<Label extends string = never>(
    { name, help, labels = [] }: MetricDescription<Label>,
    read?: (gauge: Gauge<Label>) => void | Promise<void>,
  ): Gauge<Label> {
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      collect: () => read?.(gauge),
    });
    return gauge;
  }

  /** All metrics with their present values. */
  async read(): Promise<MetricValues[]> {
    return (await this.combined()).getMetricsAsJSON();
  }

  /** All metrics in the Prometheus text format, and the content type that it is served with. */
  async render(): Promise<{ contentType: string; text: string }> {
    const registry = await this.combined();
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  private async combined(): Promise<Registry> {
    if (this.included.length === 0) return this.registry;
    const own = await this.registry.getMetricsAsJSON();
    // Sums of what two threads counted; a metric of one thread alone keeps its value.
    return AggregatorRegistry.aggregate([own, this.included].map((each) => each.map(asSum)));
  }
}

function asSum(metric: MetricValues): MetricValues {
  return { ...metric, aggregator: 'sum' };
}
