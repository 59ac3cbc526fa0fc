import { systemClock } from '@app/kernel';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

/** Declaration of a metric. */
export interface MetricDescription<Label extends string> {
  name: string;
  help: string;
  /** Their values must come from small fixed sets, never from ids or user input. */
  labels?: readonly Label[];
}

/** Declares histograms: the metrics of this thread, or those that another thread of the process counts. */
export interface Histograms {
  histogram<Label extends string = never>(description: MetricDescription<Label>, buckets: readonly number[]): Series;
}

export interface Series {
  observe(value: number): void;
  /** @param values the values of the labels, in the order of their declaration */
  labels(...values: string[]): { observe(value: number): void };
}

/** A value that one thread has measured and another thread counts. */
export interface Measurement {
  /** Name of a histogram that the counting thread declares. */
  name: string;
  labels: string[];
  value: number;
}

export type MetricValues = MetricObjectWithValues<MetricValue<string>>;

/** Time in milliseconds in which the delay of the event loop, which is measured every 10 ms, has a first value. */
const FIRST_DELAY_MILLIS = 50;

/** Declare each metric once. */
export class Metrics implements Histograms {
  private readonly registry = new Registry();
  private measuring: Promise<void> | undefined;

  /** Counts what another thread of this process has measured. */
  count({ name, labels, value }: Measurement): void {
    const histogram = this.registry.getSingleMetric(name);
    if (histogram instanceof Histogram) histogram.labels(...labels).observe(value);
  }

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

  histogram<Label extends string = never>(
    { name, help, labels = [] }: MetricDescription<Label>,
    buckets: readonly number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [this.registry] });
  }

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

  async read(): Promise<MetricValues[]> {
    await this.measureProcess();
    return this.registry.getMetricsAsJSON();
  }

  async render(): Promise<{ contentType: string; text: string }> {
    await this.measureProcess();
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }

  /** Begins with the first reader, because it wakes an idle process a hundred times a second. */
  private measureProcess(): Promise<void> {
    if (this.measuring) return this.measuring;
    collectDefaultMetrics({ register: this.registry });
    this.measuring = systemClock.sleep(FIRST_DELAY_MILLIS);
    return this.measuring;
  }
}
