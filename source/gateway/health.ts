import {monitorEventLoopDelay} from 'node:perf_hooks';
import {type Clock, every} from '../core/clock.ts';
import type {Emit, GatewayEvent, HealthSample} from '../core/events.ts';

const intervalMs = 1000;

/** Answer times kept for one interval; enough for a percentile. */
const mostDurations = 1000;

const resolutionMs = 10;

/**
 * Samples the process once a second and reports it as `health-sampled`. `observe` sees every event and counts the requests among them; a sample
 * that equals the last one is not reported, so that an idle gateway stays idle.
 */
export function startHealth({
	clock,
	emit,
}: {
	readonly clock: Clock;
	readonly emit: Emit;
}): Disposable & {observe(event: GatewayEvent): void} {
	const delay = monitorEventLoopDelay({resolution: resolutionMs});
	delay.enable();
	let durations: number[] = [];
	let requests = 0;
	let last = '';

	const sample = () => {
		const sorted = durations.toSorted((a, b) => a - b);
		const p95 = sorted[Math.floor(sorted.length * 0.95)];
		const health: HealthSample = {
			// The histogram measures from timer to timer: its own resolution is not delay.
			loopDelayP99Ms: Math.max(0, Math.round(delay.percentile(99) / 1e6) - resolutionMs),
			rssBytes: Math.round(process.memoryUsage.rss() / 1e6) * 1e6,
			requestsPerSecond: requests,
			...(p95 !== undefined && {requestP95Ms: Math.round(p95)}),
		};
		delay.reset();
		durations = [];
		requests = 0;
		const text = JSON.stringify(health);
		if (text !== last) {
			last = text;
			emit({type: 'health-sampled', at: clock.now(), health});
		}
	};

	const stop = every(clock, intervalMs, sample);
	return {
		observe(event) {
			if (event.type !== 'delivery-received') {
				return;
			}

			requests++;
			if (durations.length < mostDurations) {
				durations.push(event.delivery.durationMs);
			}
		},
		[Symbol.dispose]() {
			stop();
			delay.disable();
		},
	};
}
